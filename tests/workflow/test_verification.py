"""Verification: an intact registry is called so, and every change to it behind its back is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, approved, drive, flows_of
from volition.core.ledger import Anchor
from volition.workflow import Flows, Store, parse_store_address, verify_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def flows(tmp_path: Path) -> Iterator[Flows]:
    with Store(parse_store_address(tmp_path / "team.db")) as store:
        yield flows_of(store)


def lived(flows: Flows) -> Flows:
    """A registry in which a good deal has happened: plans ended in every way, flows too."""
    team = flows.team
    flow = drive(flows, approved(flows).flow_id, Body(fails={"JUMP": 1}))
    drive(flows, flows.resume(flow.flow_id, "pat").flow_id, Body())
    team.finish("intent_walker", team.show("intent_walker").token)
    team.register(document("aaaaaa", "a.py", commands=STEPS[1:]), "ann")
    team.register(document("bbbbbb", "a.py", commands=STEPS[1:]), "bob")
    waiting = team.register(document("bbbbbb", "a.py", commands=STEPS[1:]), "bob", wait=True)
    asked = flows.start(BINDINGS, "pat")
    assert asked.pack is not None
    choice = {"question_0001": asked.pack.questions[0].options[0].option_id}
    flows.approve(flows.answer(asked.flow_id, choice, "pat").flow_id, "pat")
    assert (waiting.outcome, team.show("intent_bbbbbb").state) == ("waiting", "superseded")
    team.withdraw("intent_aaaaaa", team.show("intent_aaaaaa").token)
    team.register(document("cccccc", "c.py", commands=STEPS), "cyd")
    flows.abandon(flows.start(BINDINGS, "pat").flow_id, "pat")
    return flows


def test_an_intact_registry_is_called_intact(flows: Flows) -> None:
    """After grants, refusals, answers, failures, retries and ends of every kind, events and tables agree."""
    found = verify_registry(lived(flows).team.store, PROJECT)
    assert (found.faults, found.count) == ((), len(flows.team.history()))
    assert str(found).startswith("intact")


CHANGES = [
    ("UPDATE event SET actor = 'eve' WHERE seq = 3", "event 3 was changed"),
    ("UPDATE event SET body = replace(body, 'JUMP', 'EVADE') || ' ' WHERE seq = 5", "event 5 was changed"),
    ("DELETE FROM event WHERE seq = 4", "event 4 is missing"),
    ("DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)", "events, and"),
    ("UPDATE plan SET state = 'active' WHERE plan_id = 'intent_walker'", "the plan intent_walker is"),
    ("UPDATE plan SET token = 1 WHERE plan_id = 'intent_cccccc'", "the plan intent_cccccc is"),
    ("DELETE FROM plan WHERE plan_id = 'intent_walker'", "the plan intent_walker is missing"),
    ("UPDATE flow SET state = 'running' WHERE number = 1", "is running, and the events say done"),
    ("UPDATE node SET state = 'ready' WHERE node_id = 'node_0002'", "node_0002 of flow_"),
    ("DELETE FROM node WHERE node_id = 'node_0002'", "node_0002 of flow_"),
    ("DELETE FROM answer", "the answer to flow_"),
]


@pytest.mark.parametrize(("statement", "fault"), CHANGES)
def test_a_change_behind_its_back_is_found(flows: Flows, statement: str, fault: str) -> None:
    """A changed, removed or added event, and a row that the events do not tell of, is named."""
    lived(flows)
    with flows.team.store.write() as connection:
        assert connection.exec_driver_sql(statement).rowcount
    found = verify_registry(flows.team.store, PROJECT)
    assert not found.intact
    assert any(fault in each for each in found.faults), found.faults


def test_an_anchor_shows_that_the_record_was_rewritten(flows: Flows) -> None:
    """Whoever rewrites everything with new hashes is found by an anchor that was kept elsewhere."""
    before = verify_registry(lived(flows).team.store, PROJECT)
    anchor = Anchor(before.count, before.head)
    assert verify_registry(flows.team.store, PROJECT, anchor).intact
    assert not verify_registry(flows.team.store, PROJECT, Anchor(before.count, "f" * 64)).intact
    assert not verify_registry(flows.team.store, PROJECT, Anchor(before.count + 1, before.head)).intact
