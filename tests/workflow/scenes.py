"""Flows in a given state, for tests: plans are registered, judged and approved in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select

from tests.workflow.plans import PROJECT, document
from volition.workflow import FlowDriver, Flows, Store, Team
from volition.workflow.store.tables import METADATA, VERSION

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tests.workflow.bodies import Body
    from volition.workflow.flow.status import FlowStatus

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


class HandClock:
    """A clock that a test sets, in milliseconds."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self, connection: Connection) -> int:
        return self.now


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


Picture = dict[str, list[dict[str, Any]]]
"""All rows of all tables."""


def photograph(store: Store) -> Picture:
    """Everything that is in a database now."""
    tables = [table for table in METADATA.sorted_tables if table is not VERSION]
    with store.read() as connection:
        return {each.name: [dict(row._mapping) for row in connection.execute(select(each))] for each in tables}


def put_back(store: Store, picture: Picture) -> None:
    """Make a database what it was when it was photographed; much cheaper than to open another one."""
    with store.write() as connection:
        for name, rows in picture.items():
            table = METADATA.tables[name]
            connection.execute(delete(table))
            if rows:
                connection.execute(insert(table), rows)


def clear(store: Store) -> None:
    """Empty a registry; much cheaper than to open another one."""
    with store.write() as connection:
        for table in METADATA.sorted_tables:
            if table is not VERSION:
                connection.execute(delete(table))
