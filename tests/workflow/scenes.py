"""Flows in a given state, for tests: plans are registered, judged and approved in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.workflow.plans import PROJECT, document
from volition.workflow import FlowDriver, Flows, Team

if TYPE_CHECKING:
    from tests.workflow.bodies import Body
    from volition.workflow import FlowStatus, Store

BINDINGS = """
[[bind]]
name = "look"
command = "look_*"
executor = "embedded"
intent = "HOLD"

[[bind]]
name = "jump"
command = "jump_*"
executor = "embedded"
intent = "JUMP"

[[bind]]
name = "strike"
command = "strike_*"
executor = "embedded"
intent = "PRIMARY_ATTACK"
"""
STEPS = ("look_first: read: look", "jump_over: write: jump over it")


def flows_of(store: Store) -> Flows:
    return Flows(Team(store, PROJECT))


def approved(flows: Flows, *plans: bytes, bindings: str = BINDINGS, holder: str = "ann") -> FlowStatus:
    """A flow over these plans, or over one plan of two steps, with its permit."""
    for plan in plans or (document("walker", "a.py", commands=STEPS),):
        assert flows.team.register(plan, holder, lease=1000).outcome == "granted"
    return flows.approve(flows.start(bindings, "pat").flow_id, "pat")


def drive(flows: Flows, flow_id: str, body: Body, *, holder: str = "driver", at_once: int = 1) -> FlowStatus:
    """Drive a flow as far as it goes."""
    return FlowDriver(flows, holder, open_door=body.door, at_once=at_once).drive(flow_id)


def states(flow: FlowStatus) -> list[str]:
    return [node.state for node in flow.nodes]
