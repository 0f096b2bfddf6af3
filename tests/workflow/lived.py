"""A project in the middle of its life, for those who forge: people with roles and two keys, plans, and flows in every state."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.workflow.bodies import Body
from tests.workflow.forging import Forger, signer_of
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, photograph, put_back
from volition.workflow import NOTIFY_ALL, FlowDriver, Flows, Members, Store, Team, parse_store_address, verify_registry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.workflow.scenes import Picture
    from volition.workflow.store.events import RecordedEvent

BEGIN = 1_769_335_200_000
"""2026-01-25T10:00:00Z"""


@dataclass(repr=False)
class Lived:
    """The project: kim keeps it, pat approves, ann and bob work, driver drives, and eve is a member with another key.

    `flows` by what they are: running, notified, judged, asked.
    """

    store: Store
    clock: HandClock
    flows: dict[str, str] = field(default_factory=dict)
    picture: Picture = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.team = Team(self.store, PROJECT)
        self.insider = Forger(self.store, self.store.signer)
        self.eve = Forger(self.store, signer_of("e"))

    def token(self, name: str) -> int:
        return self.team.show(f"intent_{name}_plan").token

    def faults(self, **known: Any) -> tuple[str, ...]:
        return verify_registry(self.store, PROJECT, **known).faults

    def node(self, flow: str, node: str) -> dict[str, Any]:
        """What an event about a node says of it."""
        (found,) = (each for each in Flows(self.team).status(self.flows[flow]).nodes if each.node_id == node)
        return {"node": node, "request": found.request}

    def fence(self, flow: str) -> int:
        with self.store.read() as connection:
            row = connection.exec_driver_sql(f"SELECT fence FROM flow WHERE flow_id = '{self.flows[flow]}'").one()
        return int(row.fence)

    def rehearse(self, acts: Callable[[Flows], object]) -> list[RecordedEvent]:
        """The events of something lawful, which is then undone."""
        before, now = photograph(self.store), self.clock.now
        last = max(event.seq for event in self.team.history())
        acts(Flows(Team(self.store, PROJECT)))
        events = list(self.team.history(after=last))
        put_back(self.store, before)
        self.clock.now = now
        return events

    def put_back(self) -> None:
        put_back(self.store, self.picture)
        self.clock.now = BEGIN


def live(folder: Path) -> Lived:
    """Let it all happen, lawfully."""
    clock = HandClock()
    clock.now = BEGIN
    lived = Lived(Store(parse_store_address(folder / "team.db"), clock=clock), clock)
    team, people, flows = lived.team, Members(lived.team), Flows(lived.team)
    people.join("kim")
    people.change_settings("kim", newcomers="member")
    for name, role in (("pat", "approver"), ("ann", "approver"), ("bob", "member")):
        people.give_role(name, role, "kim")
    with Store(lived.store.address, clock=clock, signer=signer_of("e")) as other:
        Team(other, PROJECT).register(document("eve_plan", "e.py", commands=STEPS), "eve", lease=900)
    for name, holder in (("walker", "ann"), ("idle", "ann"), ("own", "ann"), ("noted", "bob"), ("left", "ann")):
        made = team.register(document(f"{name}_plan", f"{name}.py", commands=STEPS), holder, lease=900)
        assert made.outcome == "granted"
    made = team.register(document("right_plan", "left.py", "right.py", commands=STEPS), "bob", lease=900, wait=True)
    assert made.outcome == "waiting"
    for name, plans in (("running", ["walker"]), ("judged", ["own"]), ("asked", ["left", "right"])):
        started = flows.start(BINDINGS, "pat", plans=[f"intent_{each}_plan" for each in plans])
        lived.flows[name] = started.flow_id
    lived.flows["notified"] = flows.start(NOTIFY_ALL, "pat", plans=["intent_noted_plan"]).flow_id
    for name in ("running", "notified"):
        flows.approve(lived.flows[name], "pat")
    driver = FlowDriver(flows, "driver", open_door=Body().door, at_once=1)
    driver.drive(lived.flows["notified"])
    claim = driver.claim(lived.flows["running"])
    assert len(driver.step(claim)) == 1
    lived.picture = photograph(lived.store)
    return lived


def check_named(lived: Lived, named: str) -> None:
    """Check that a forged event is named, with who, when and what was expected."""
    fault = lived.faults()[0]
    assert named in fault
    assert re.search(r"^event \d+ \(.+, by .+\): .+; expected .+", fault), fault
    assert "at 2026-01-2" in fault or "JSON" in fault, fault
