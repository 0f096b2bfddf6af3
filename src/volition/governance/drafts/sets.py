"""Drafts of intents and sets: valid, sealed documents from a few arguments."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from volition.core.errors import format_value, refuse
from volition.governance.documents.intent import UNSEALED, IntentDocument
from volition.governance.documents.intent_set import IntentSet
from volition.governance.documents.loading import Loaded
from volition.governance.documents.reading import from_data
from volition.governance.drafts.plan import UNDATED, Plan, seal_and_check, slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.documents.intent_set import Env


def new_intent(title: str, **about: Any) -> dict[str, Any]:
    """A valid, sealed intent as plain data; takes the arguments of `Plan`.

    >>> made = new_intent("Read the routes", project="shop", files=["src/api/routes.py"])
    >>> made["id"], made["risk"]["overall"]
    ('intent_read_the_routes', 'low')
    """
    return Plan(title, **about).to_data()


def new_set(
    name: str,
    intent_ids: Sequence[str],
    *,
    project: str,
    created_at: str,
    env: str = "local",
    tags: Sequence[str] = (),
    window: tuple[str, str] | None = None,
    purpose: str | None = None,
    complementary: Sequence[tuple[str, str]] = (),
    done: Sequence[str] = (),
) -> dict[str, Any]:
    """A valid, sealed intent set as plain data.

    >>> made = new_set("api batch", ["intent_refactor", "intent_logging"], project="shop",
    ...                created_at="2026-01-25T10:00:00Z")
    >>> made["id"]
    'intent_set_api_batch'
    """
    context: dict[str, Any] = {"project_id": project, "env": env}
    if window:
        context["time_window"] = {"start": window[0], "end": window[1]}
    if tags:
        context["tags"] = list(tags)
    data = {
        "id": f"intent_set_{slug(name, 'plans')}",
        "type": "intent_set",
        "schema_version": "0.9.3",
        "created_at": created_at,
        "intent_ids": list(intent_ids),
        "context": context,
        "lineage": {"introduced_in": "0.9.3", "derived_from": []},
        "checksum": UNSEALED,
    }
    metadata: dict[str, Any] = {"purpose": purpose} if purpose else {}
    hints = {"complementary": [list(pair) for pair in complementary], "done": list(done)}
    if complementary or done:
        metadata["merge_hints"] = {name: hint for name, hint in hints.items() if hint}
    return seal_and_check("intent_set", {**data, "metadata": metadata} if metadata else data)


def gather(
    plans: Iterable[Plan | IntentDocument],
    *,
    env: Env = "local",
    name: str | None = None,
    complementary: Sequence[tuple[str, str]] = (),
    done: Sequence[str] = (),
) -> Loaded:
    """Plans as one set to be evaluated together; it has the date of the newest plan, and a name derived from all of them.

    `complementary` are pairs whose writes complement each other, `done` plans outside of the set that are done already.

    >>> batch = gather([Plan("Read the cart", files=["cart.py"]), Plan("Read the shop", files=["shop.py"])], env="dev")
    >>> batch.intent_set.context.env, batch.intent_set.intent_ids
    ('dev', ('intent_read_the_cart', 'intent_read_the_shop'))
    """
    intents = tuple(sorted((_intent_of(plan) for plan in plans), key=lambda intent: intent.id))
    projects = sorted({intent.scope.project_id for intent in intents})
    if len(projects) > 1:
        refuse(
            f"the plans are of {len(projects)} projects: {', '.join(projects)}",
            where="plans",
            expected="plans of one project",
            remedy="judge each project by itself, or correct `project`",
        )
    seals = "".join(intent.audit.checksum for intent in intents)
    data = new_set(
        name or f"plans_{sha256(seals.encode()).hexdigest()[:12]}",
        [intent.id for intent in intents],
        project=projects[0] if projects else "project",
        created_at=max((intent.created_at for intent in intents), default=UNDATED),
        env=env,
        complementary=complementary,
        done=done,
    )
    return Loaded(from_data(data, IntentSet), intents)


def _intent_of(plan: Any) -> IntentDocument:
    if isinstance(plan, Plan):
        return plan.intent
    if isinstance(plan, IntentDocument):
        return plan
    return refuse(
        f"{format_value(plan)} is not a plan",
        where="plans",
        expected="Plan(...) or IntentDocument",
        remedy="write Plan('Add logging', files=['routes.py'], commands=['add_logging: write: log every route'])",
    )
