"""A registry to archive, in the middle of its life."""

from __future__ import annotations

from shutil import copyfile
from typing import TYPE_CHECKING, Any

from tests.workflow.bodies import Body
from tests.workflow.forging import Forger
from tests.workflow.lived import BEGIN
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, drive, flows_of
from volition.workflow import Store, archive_events, parse_store_address, verify_registry

if TYPE_CHECKING:
    from pathlib import Path

    from volition.workflow import Team

FILE = "team.db"
LATER = 10**15
"""After everything."""


class Archived:
    """A registry by a clock that the test sets: ann is its keeper, and bob and cyd are members of it. A flow is done, a plan is open,
    another one waits for it, and a flow is asked."""

    asked: str
    middle: int

    def __init__(self, folder: Path, template: Archived | None = None) -> None:
        """Let it all happen, or copy it from a registry where it has happened, and which is closed."""
        self.folder, self.clock = folder, HandClock()
        if template is not None:
            copyfile(template.folder / FILE, folder / FILE)
        self.store = Store(parse_store_address(folder / FILE), clock=self.clock)
        self.flows = flows_of(self.store)
        self.team = self.flows.team
        if template is None:
            self._begin()
        else:
            self.asked, self.middle, self.clock.now = template.asked, template.middle, template.clock.now

    def _begin(self) -> None:
        self.clock.now = BEGIN
        drive(self.flows, approved(self.flows).flow_id, Body())
        self.team.register(document("aaaaaa", "b.py", commands=STEPS), "bob", lease=1000)
        self.team.register(document("bbbbbb", "b.py", commands=STEPS), "cyd", lease=1000, wait=True)
        plans = ["intent_aaaaaa", "intent_bbbbbb"]
        self.asked = self.flows.start(BINDINGS, "pat", plans=plans, patience=1000).flow_id
        self.clock.now += 1000
        self.middle = self.clock.now
        self.team.register(document("cccccc", "c.py", commands=STEPS), "ann", lease=1000)

    def archive(self, name: str = "spring.archive", before: int | None = None, by: str = "ann") -> Path:
        archive_events(self.team, self.folder / name, self.middle if before is None else before, by)
        return self.folder / name

    def faults(self, *archives: Path, **known: Any) -> tuple[str, ...]:
        return verify_registry(self.store, PROJECT, archives=archives, **known).faults

    def run(self, statement: str, *values: object) -> None:
        assert Forger(self.store, self.store.signer).run(statement, *values)


def seqs(team: Team) -> list[int]:
    """The numbers of the events that are in the registry."""
    return [event.seq for event in team.history()]
