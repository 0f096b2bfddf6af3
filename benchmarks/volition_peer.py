"""The flows of the comparison on Volition: what is sent is recorded before and after. `benchmarks/workflow.py` runs this.

The service's door says whether the service remembers keys. If it does not, what was cut off is unknown, and a person, who
looks into the service's log, says what became of it.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from http.client import HTTPException
from typing import TYPE_CHECKING

from engine import CHAIN, STEPS, Site, run_engine

from volition.core.errors import VolitionError
from volition.governance import Plan
from volition.workflow import FlowDriver, Flows, Team, WorkResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from volition.workflow import WorkOrder

INTENTS = dict(zip(STEPS, ("HOLD", "JUMP", "EVADE"), strict=True))


def program(database: str) -> list[str]:
    """Three steps with an approval; its lines are counted."""
    from volition.governance import Plan
    from volition.workflow import FlowDriver, Flows, Team, call_bindings

    done = []

    def act(order: WorkOrder) -> None:
        done.append(order.intent)

    steps = {"build": act, "test": act, "ship": act}
    commands = ["build: write: build it", "test: read: test it", "ship: deploy: ship it"]
    with Team.open(database, "shop") as team:
        flows = Flows(team)
        team.register(Plan("Ship the shop", commands=commands, files=["dist"], project="shop"), "ann")
        flow = flows.start(call_bindings(steps), "pat")
        flows.approve(flow.flow_id, "pat", exactly=flow.graph_hash)
        FlowDriver(flows, "ann", actions=steps).drive(flow.flow_id)
    return done


class ServiceDoor:
    """The door to the service."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.once_only = not site.forgets

    def act(self, order: WorkOrder) -> WorkResult:
        what = f"{order.resource.rpartition('/')[2]} {order.intent}"
        try:
            why = self._site.order(
                what, order.request, token=order.token, resource=order.resource, timeout=order.deadline
            )
        except (OSError, HTTPException) as error:
            why = f"no answer: {error}"
        return WorkResult("unknown", None, why) if why else WorkResult("done", None, "")

    def close(self) -> None:
        """Each order opens its own connection."""


class VolitionEngine:
    """Flows of one plan each."""

    def __init__(self, site: Site, team: Team) -> None:
        self._site, self._team, self._flows = site, team, Flows(team)
        self._driver = FlowDriver(self._flows, "driver", open_door=self._open_door, lease=1.0)

    def chain(self, number: int) -> Callable[[], object]:
        commands = [f"jump_{step:02d}: write: step {step}" for step in range(CHAIN)]
        flow_id = self._begin(f"chain {number}", commands, {"jump": "JUMP"})
        self._flows.approve(flow_id, "pat")
        return lambda: self._driver.drive(flow_id)

    def finish(self, number: int) -> None:
        name = f"flow {number}"
        begun = [flow for flow in self._flows.list() if _plan_id(name) in flow.plans]
        flow_id = (
            begun[0].flow_id if begun else self._begin(name, [f"{step}_it: write: {step}" for step in STEPS], INTENTS)
        )
        while (flow := self._flows.status(flow_id)).state != "done":
            try:
                if flow.state == "judged":
                    self._flows.approve(flow_id, "pat")
                self._look_after(flow_id)
                self._driver.drive(flow_id)
            except VolitionError:  # the lease of a driver that was killed
                time.sleep(0.02)

    def _begin(self, name: str, commands: Sequence[str], intents: Mapping[str, str]) -> str:
        bindings = "".join(
            f'[[bind]]\nname = "{step}"\ncommand = "{step}_*"\nexecutor = "embedded"\nintent = "{intent}"\n'
            f'resource = "{name}"\ndeadline = 1.0\n\n'
            for step, intent in intents.items()
        )
        plan = Plan(f"Do {name}", id=_plan_id(name), commands=commands, files=[f"{name}.py"], project="shop")
        self._team.register(plan, "ann", lease=10**6)
        return self._flows.start(bindings, "pat", plans=[_plan_id(name)]).flow_id

    def _look_after(self, flow_id: str) -> None:
        """A person looks into the service's log what became of a node of unknown fate, and says so."""
        flow = self._flows.status(flow_id)
        (plan_id,) = flow.plans
        for node in flow.nodes:
            if node.state == "unknown":
                time.sleep(0.5)  # whoever looks comes later than what was under way
                what = f"{plan_id.removeprefix('intent_').replace('_', ' ')} {INTENTS[node.binding]}"
                outcome = "done" if what in self._site.effects() else "failed"
                self._flows.settle(flow_id, node.node_id, outcome, "pat")
                if outcome == "failed":
                    self._flows.resume(flow_id, "pat", node=node.node_id)

    def _open_door(self, address: str, fences: Mapping[str, int]) -> ServiceDoor:
        self._site.post("/fences", dict(fences))
        return ServiceDoor(self._site)


def _plan_id(name: str) -> str:
    return f"intent_{name.replace(' ', '_')}"


@contextmanager
def open_engine(site: Site) -> Iterator[VolitionEngine]:
    """A team's registry in a database."""
    with Team.open(site.database, "shop") as team:
        yield VolitionEngine(site, team)


if __name__ == "__main__":
    run_engine(open_engine, program)
