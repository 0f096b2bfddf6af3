"""Verification: an intact registry is called so, and every change to it behind its back is found."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.workflow.bodies import Body
from tests.workflow.killing import Site, Worker
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, approved, drive, flows_of
from volition.core.errors import InvalidInput
from volition.core.ledger import Anchor
from volition.execution import ExecutorServer, RequestMemory
from volition.workflow import (
    FlowDriver,
    Flows,
    Store,
    WorkOrder,
    WorkResult,
    journaled_doors,
    parse_store_address,
    verify_registry,
)
from volition.workflow.store.tables import CHECKPOINT, METADATA, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.sentences import Told
    from volition.workflow.flow.dispatch import WorkDoor
    from volition.workflow.flow.status import FlowStatus
    from volition.workflow.verification.verify import RegistryVerification

pytestmark = pytest.mark.req("WF-06", "WF-08")


@dataclass(repr=False)
class Registry:
    """A registry in which a good deal has happened, and a picture of it that can be put back."""

    flows: Flows
    picture: sqlite3.Connection

    def verify(self, anchor: Anchor | None = None) -> RegistryVerification:
        return verify_registry(self.flows.team.store, PROJECT, anchor)

    def verify_as(self, project: str) -> RegistryVerification:
        return verify_registry(self.flows.team.store, project)

    def run(self, statement: str, *values: object) -> int:
        """Change the database behind the registry's back; how many rows."""
        with self.flows.team.store.write() as connection:
            return connection.exec_driver_sql(statement, tuple(values)).rowcount

    def put_back(self) -> None:
        with closing(self.flows.team.store._engine.raw_connection()) as connection:
            self.picture.backup(connection.driver_connection)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    """Plans have ended in every way, and flows too."""
    with Store(parse_store_address(tmp_path_factory.mktemp("lived") / "team.db")) as store:
        flows = flows_of(store)
        live(flows)
        picture = sqlite3.connect(":memory:")
        with closing(store._engine.raw_connection()) as connection:
            connection.driver_connection.backup(picture)  # type: ignore[union-attr]
        yield Registry(flows, picture)


@pytest.fixture
def registry(lived: Registry) -> Iterator[Registry]:
    yield lived
    lived.put_back()


def live(flows: Flows) -> None:
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


def test_an_intact_registry_is_called_intact(registry: Registry) -> None:
    """After grants, refusals, answers, failures, retries and ends of every kind, events and tables agree."""
    found = registry.verify()
    assert (found.faults, found.count) == ((), len(registry.flows.team.history()))
    assert str(found).startswith("intact")


COLUMNS = [
    (table.name, column.name)
    for table in METADATA.sorted_tables
    if table not in {VERSION, CHECKPOINT}
    for column in table.c
]
"""Every column of every table, texts and numbers; a checkpoint is only in a registry that was archived."""


@given(st.data())
def test_nothing_can_be_changed_unnoticed(lived: Registry, data: st.DataObject) -> None:
    """One character more in any text, another number for any number, in any column of any row of any table, is found."""
    table, column = data.draw(st.sampled_from(COLUMNS))
    try:
        with lived.flows.team.store.read() as connection:
            rows = connection.exec_driver_sql(f"SELECT rowid, {column} FROM {table}").all()
        row, value = data.draw(st.sampled_from([tuple(each) for each in rows]))
        if isinstance(value, str):
            at = data.draw(st.integers(0, len(value)))
            changed: object = f"{value[:at]}x{value[at:]}"
        else:
            # No other row has such a number, so no constraint is in the way.
            changed = value + data.draw(st.sampled_from([-1, 1])) * data.draw(st.integers(10**6, 10**9))
        assert lived.run(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", changed, row) == 1
        found = lived.verify() if (table, column) != ("project", "project") else lived.verify_as(str(changed))
        assert not found.intact
        assert all("expected" in fault or "missing" in fault for fault in found.faults), found.faults
    finally:
        lived.put_back()


def test_an_event_that_is_missing_or_changed_is_named(registry: Registry) -> None:
    """Without an event, with one changed, or without the last one, the record says which."""
    for statement, named in (
        ("UPDATE event SET actor = 'eve' WHERE seq = 3", "event 3 was changed"),
        ("DELETE FROM event WHERE seq = 4", "event 4 is missing"),
        ("DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)", "events, and"),
        ("UPDATE event SET at = 'noon' WHERE seq = 5", "event 5 was changed: its at is 'noon'; expected a number"),
    ):
        assert registry.run(statement)
        assert named in registry.verify().faults[0]
        registry.put_back()


def test_a_project_that_is_not_there_is_refused(registry: Registry, told: Told) -> None:
    """There is nothing to verify of a project that nobody made."""
    with told.raises(InvalidInput):
        registry.verify_as("bank")


def test_an_anchor_shows_that_the_record_was_rewritten(registry: Registry) -> None:
    """Whoever rewrites everything with new hashes is found by an anchor that was kept elsewhere."""
    before = registry.verify()
    assert registry.verify(Anchor(before.count, before.head)).intact
    assert not registry.verify(Anchor(before.count, "f" * 64)).intact
    assert not registry.verify(Anchor(before.count + 1, before.head)).intact


@dataclass
class Driven:
    """A flow that a driver with a journal carries out at an executor that remembers requests."""

    flows: Flows
    folder: Path
    flow: FlowStatus

    def drive(self, journal: str = "journal", act: object = None) -> FlowStatus:
        """Drive the flow as far as it goes; `act` changes what is sent."""
        with journaled_doors(self.folder / journal) as doors:

            def open_door(address: str, fences: Mapping[str, int]) -> WorkDoor:
                door = doors(address, fences)
                if act is not None:
                    door.act = act(door.act)  # type: ignore[method-assign, operator]
                return door

            return FlowDriver(self.flows, "driver", open_door=open_door, at_once=1).drive(self.flow.flow_id)

    def faults(self, *journals: str) -> tuple[str, ...]:
        store = self.flows.team.store
        return verify_registry(
            store, PROJECT, journals=[self.folder / name for name in journals or ("journal",)]
        ).faults


@pytest.fixture
def driven(tmp_path: Path) -> Iterator[Driven]:
    site = Site(str(tmp_path / "team.db"), tmp_path)
    with (
        Store(parse_store_address(site.place)) as store,
        RequestMemory(tmp_path / "requests") as memory,
        ExecutorServer.listen(site.address, Worker(tmp_path / "log", 0.0), requests=memory).running(),
    ):
        flows = flows_of(store)
        yield Driven(flows, tmp_path, approved(flows, bindings=site.bindings()))


def test_ledger_tables_and_journal_agree(driven: Driven, told: Told) -> None:
    """What a driver recorded at the door is what the events say; another journal does not have it; one that was changed is
    broken."""
    assert driven.drive().state == "done"
    assert driven.faults() == ()
    told(*sorted(driven.faults("elsewhere")))
    with journaled_doors(driven.folder / "other"):
        pass
    assert [fault.partition(" of ")[0] for fault in driven.faults("other")] == ["no journal has the result"] * 2
    file = max((driven.folder / "journal").glob("*.jsonl"))
    file.write_bytes(file.read_bytes().replace(b'"SUCCESS"', b'"FAILURE"', 1))
    assert any("is broken" in fault for fault in driven.faults())


def test_a_driver_that_died_after_the_answer_is_no_fault(driven: Driven) -> None:
    """The journal may know more than the events while a node is open; the next driver asks again, and both agree."""

    class Died(BaseException):
        pass

    def die(order: WorkOrder) -> WorkResult:
        raise Died

    def answered_and_gone(act: object) -> object:
        return lambda order: (act(order), die(order))  # type: ignore[operator]

    with pytest.raises(Died):
        driven.drive("first", answered_and_gone)
    assert driven.faults("first") == ()
    assert driven.drive("second").state == "done"
    assert driven.faults("first", "second") == ()


def test_what_was_sent_behind_the_registry_is_found(driven: Driven) -> None:
    """A request that no event tells of, another order under a request, and a number that no driver had, are named."""

    def meddle(act: object) -> object:
        def send(order: WorkOrder) -> WorkResult:
            result: WorkResult = act(order)  # type: ignore[operator]
            if order.intent == "HOLD":
                act(replace(order, request="never recorded"))  # type: ignore[operator]
                act(replace(order, intent="JUMP", token=order.token + 1))  # type: ignore[operator]
            return result

        return send

    driven.drive(act=meddle)
    said = " ".join(driven.faults())
    for what in ("never record", "as something else", "which no driver had"):
        assert what in said, said


def test_a_word_against_the_journal_is_found(driven: Driven) -> None:
    """A person says that a node failed of which the executor said that it was done: that is named."""

    def forget(act: object) -> object:
        return lambda order: act(order) and WorkResult("unknown", None, "the answer was lost")  # type: ignore[operator]

    assert driven.drive(act=forget).state == "held"
    assert driven.faults() == ()
    driven.flows.settle(driven.flow.flow_id, "node_0001", "failed", "pat")
    assert [fault.rpartition("node_0001")[2] for fault in driven.faults()] == [
        f" of {driven.flow.flow_id} was done, and the events say failed"
    ]
