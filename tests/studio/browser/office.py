"""A team at work: plans that people and their agents hold, a line, a question that pat may answer, and what the guard refused."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any, Final

from tests.workflow.plans import PROJECT
from volition.agents.guard.journal import append
from volition.governance import Plan
from volition.governance.drafts.sets import new_intent, new_set
from volition.workflow import NOTIFY_ALL, Flows, Members, Store, Team, parse_store_address

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served

ASKED: Final = ("intent_deploy_checkout_2_0", "intent_deploy_checkout_1_9")
"""The plans about which a person is asked."""
LEASE: Final = 8 * 3600.0
"""Seconds for which everybody holds their plans."""


def _plans() -> list[tuple[str, Plan]]:
    """Plans with their holders, in the order in which they are registered: who comes later waits."""

    def plan(title: str, command: str, **about: Any) -> Plan:
        return Plan(title, commands=[command], project=PROJECT, **about)

    deploy: dict[str, Any] = {"modules": ["service:checkout"]}
    return [
        (
            "ann",
            plan(
                "Move the cart out of checkout",
                "move_cart: write: move it",
                files=["src/cart.py", "src/checkout.py#Checkout.add"],
            ),
        ),
        (
            "bob@7f3c",
            plan(
                "Round totals to whole cents",
                "round_totals: write: round once, at the end",
                files=["src/checkout.py#Checkout.total", "tests/test_totals.py"],
            ),
        ),
        ("cat", plan("Deploy checkout 2.0", "deploy_checkout_2: deploy: deploy it to the shop", **deploy)),
        ("dan", plan("Deploy checkout 1.9", "deploy_checkout_1: deploy: deploy it to the shop", **deploy)),
        ("eve@a1d0", plan("Rename Cart to Basket", "rename_cart: write: rename it everywhere", files=["src/cart.py"])),
    ]


def save_question(studio: Served) -> None:
    """Save an evaluation of two plans by ann and bob, about which a person is asked too."""
    intents = [
        new_intent(
            title,
            project=PROJECT,
            created_at="2026-01-25T10:00:00Z",
            created_by=author,
            commands=[f"{command}: deploy: {title.lower()}"],
            modules=["service:search"],
        )
        for author, title, command in (
            ("ann", "Search by meaning", "switch_to_vectors"),
            ("bob", "Search by words, faster", "rebuild_index"),
        )
    ]
    batch = new_set("search", [one["id"] for one in intents], project=PROJECT, created_at="2026-01-25T10:05:00Z")
    studio.post("/govern", {"set": batch, "intents": intents, "save": True})


def open_office(folder: Path) -> Path:
    """Make the registry of such a team and the guard's journal in a folder; returns the registry's path."""
    registry = folder / "team.db"
    with Store(parse_store_address(registry)) as store:
        flows = Flows(Team(store, PROJECT))
        members = Members(flows.team)
        members.join("pat")
        members.change_settings("pat", newcomers="member")
        for holder, plan in _plans():
            flows.team.register(plan, holder, lease=LEASE, wait=True)
        flows.start(NOTIFY_ALL, "pat", plans=ASKED)
    home = folder / ".git" / "volition"
    home.mkdir(parents=True)
    for client, session, tool, target, reason in (
        ("codex", "a1d0", "apply_patch", "src/cart.py", "ann has it: Move the cart out of checkout"),
        ("claude", "7f3c", "Edit", "src/checkout.py", "Checkout.add belongs to ann: Move the cart out of checkout"),
    ):
        entry = {"what": "deny", "client": client, "session": session, "tool": tool, "reasons": [reason]}
        append(str(home), {**entry, "at": int(time() * 1000), "targets": [target]})
    return registry
