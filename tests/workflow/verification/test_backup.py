"""Backups: what is restored is what was backed up, nothing in it can be changed, and nothing is stale afterwards."""

from __future__ import annotations

import json
import threading
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import asdict
from sqlalchemy import insert

from tests.workflow.bodies import Body
from tests.workflow.killing import Site, Worker
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import approved, drive, flows_of, photograph
from volition.core.errors import BrokenRecord, InvalidInput
from volition.execution import ExecutorServer, RequestMemory
from volition.workflow import FlowDriver, Store, Team, parse_store_address, verify_registry
from volition.workflow.law.members import NotEntitled
from volition.workflow.law.plans import EPOCH, NotHeld
from volition.workflow.store.tables import EVENT, TABLES
from volition.workflow.verification.backup import read_backup, replayed_rows, restore_backup, write_backup

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.workflow.store.rows import EventRow

pytestmark = pytest.mark.req("WF-10", "WF-07")


def busy(store: Store) -> None:
    """A project with something in every table."""
    flows = flows_of(store)
    flow = approved(flows, holder="ann")
    drive(flows, flow.flow_id, Body(fails={"JUMP": 1}))
    flows.team.register(document("aaaaaa", "b.py"), "bob", lease=1000)
    flows.team.register(document("bbbbbb", "b.py"), "cyd", lease=1000, wait=True)
    asked = flows.start("[[bind]]\nname = 'x'\naction = 'notify'\n", "pat", plans=["intent_aaaaaa", "intent_bbbbbb"])
    assert asked.pack is not None


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The backup of such a project. That one of either kind of database is the same is said by what is restored from it."""
    folder = tmp_path_factory.mktemp("backed_up")
    with Store(parse_store_address(folder / "team.db")) as store:
        busy(store)
        write_backup(store, folder / "backup", [PROJECT])
    return (folder / "backup").read_bytes()


def test_what_is_restored_is_what_was_backed_up(store: Store, tmp_path: Path) -> None:
    """Into an empty registry of either kind, every event comes back as it was, every row follows from the events again, and the
    record verifies; the flow that was under way is abandoned, and only then is anything different."""
    busy(store)
    before = photograph(store)
    made = write_backup(store, tmp_path / "monday.backup", [PROJECT])
    assert made.faults == ()
    assert photograph(store) == before
    with Store(parse_store_address(tmp_path / "new.db")) as other:
        (kept,) = restore_backup(other, read_backup(tmp_path / "monday.backup"), "ann", keep_flows=True)
        assert (kept.events, kept.abandoned, kept.differs) == (made.projects[0].events, (), False)
        after = photograph(other)
        for name in set(before) - {"event", "project"}:
            assert sorted(map(str, after[name])) == sorted(map(str, before[name])), name
        assert after["event"][:-1] == before["event"]
        assert verify_registry(other, PROJECT).faults == ()
        (gone,) = restore_backup(other, read_backup(tmp_path / "monday.backup"), "ann", replace=True)
        assert gone.epoch > kept.epoch
        assert [flow.state for flow in flows_of(other).list()] == ["abandoned", "asked"]
        assert verify_registry(other, PROJECT).faults == ()


def test_the_same_content_gives_the_same_bytes(store: Store, tmp_path: Path) -> None:
    """Two backups of one moment differ in nothing but the time of their first line, so in the seal."""
    busy(store)
    files = [tmp_path / "one", tmp_path / "two"]
    for file in files:
        write_backup(store, file, [PROJECT])
    one, two = (file.read_bytes().splitlines() for file in files)
    assert one[1:-1] == two[1:-1]


def test_a_registry_that_has_the_project_is_not_overwritten(store: Store, tmp_path: Path, told: Told) -> None:
    """Restoring over what is there takes --replace, and a file that exists is not replaced by a backup."""
    busy(store)
    write_backup(store, tmp_path / "backup", [PROJECT])
    before = photograph(store)
    with told.raises(InvalidInput):
        restore_backup(store, read_backup(tmp_path / "backup"), "ann")
    with told.raises(InvalidInput):
        write_backup(store, tmp_path / "backup", [PROJECT])
    with told.raises(InvalidInput):
        restore_backup(store, read_backup(tmp_path / "backup"), "ann", projects=["bakery"])
    assert photograph(store) == before


def test_only_a_keeper_restores(backed_up: bytes, tmp_path: Path, told: Told) -> None:
    """Who is not the project's keeper is refused, and the registry stays empty."""
    (tmp_path / "backup").write_bytes(backed_up)
    with Store(parse_store_address(tmp_path / "new.db")) as other:
        with told.raises(NotEntitled):
            restore_backup(other, read_backup(tmp_path / "backup"), "bob")
        assert not any(photograph(other).values())


def test_a_backup_that_was_changed_is_refused(backed_up: bytes, tmp_path: Path, told: Told) -> None:
    """A file that was cut off or changed does not fit its seal; one that was sealed again does not fit its hashes; and nothing
    of it is restored."""
    lines = backed_up.splitlines(keepends=True)
    changed = [*lines[:3], lines[3].replace(b"ann", b"eve"), *lines[4:-1]]
    seal = json.loads(lines[-1]) | {"seal": sha256(b"".join(changed)).hexdigest()}
    resealed = [*changed, json.dumps(seal).encode() + b"\n"]
    with Store(parse_store_address(tmp_path / "new.db")) as other:
        for content in (lines[:-1], [*changed, lines[-1]], resealed, [b"{}\n"]):
            (tmp_path / "backup").write_bytes(b"".join(content))
            with told.raises((BrokenRecord, InvalidInput)):
                restore_backup(other, read_backup(tmp_path / "backup"), "ann")
            assert not any(photograph(other).values())


def test_tables_that_were_changed_are_reported_and_built_again(store: Store, tmp_path: Path) -> None:
    """A registry whose tables are not what its events say is backed up with that fault named; what is restored follows from the
    events."""
    busy(store)
    with store.write() as connection:
        connection.exec_driver_sql("UPDATE plan SET holder = 'eve' WHERE plan_id = 'intent_aaaaaa'")
    made = write_backup(store, tmp_path / "backup", [PROJECT])
    assert any("eve" in fault for fault in made.faults)
    with Store(parse_store_address(tmp_path / "new.db")) as other:
        (found,) = restore_backup(other, read_backup(tmp_path / "backup"), "ann")
        assert found.differs
        assert Team(other, PROJECT).show("intent_aaaaaa").holder == "bob"


def test_a_backup_is_of_one_moment(store: Store, tmp_path: Path) -> None:
    """Whatever others write meanwhile, a backup holds all of a transaction or nothing of it."""
    busy(store)
    ended = threading.Event()

    def write() -> None:
        with Store(store.address, patience=60) as other:
            team = Team(other, PROJECT)
            number = 0
            while not ended.is_set():
                number += 1
                team.register(document(f"number_{number}", f"x/{number}.py"), "ann")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            assert write_backup(store, tmp_path / f"{number}", [PROJECT]).faults == ()
            read_backup(tmp_path / f"{number}")
    finally:
        ended.set()
        writer.join()


def test_tokens_from_before_are_below_all_that_follow(store: Store, tmp_path: Path) -> None:
    """A token that was given after the backup authorises nothing afterwards, though its number is reached again; and a backup that
    is restored a second time gives higher ones still."""
    team = Team(store, PROJECT)
    team.register(document("aaaaaa", "a.py"), "ann", lease=1000)
    write_backup(store, tmp_path / "backup", [PROJECT])
    lost = team.register(document("bbbbbb", "b.py"), "ann", lease=1000)
    assert lost.grant is not None
    (one,) = restore_backup(store, read_backup(tmp_path / "backup"), "ann", replace=True)
    again = Team(store, PROJECT).register(document("bbbbbb", "b.py"), "ann", lease=1000)
    assert again.grant is not None
    assert again.grant.token > one.epoch * EPOCH > lost.grant.token
    with pytest.raises(NotHeld):
        Team(store, PROJECT).finish("intent_bbbbbb", lost.grant.token)
    # The same process saw the project before: what it knew of the plans is not taken for what is there now.
    assert team.register(document("cccccc", "b.py"), "ann").outcome == "refused"
    (two,) = restore_backup(store, read_backup(tmp_path / "backup"), "ann", replace=True)
    assert two.epoch > one.epoch


@pytest.mark.parametrize("epochs", [True, False])
def test_nothing_is_stale_after_an_old_backup(tmp_path: Path, epochs: bool) -> None:
    """An executor has seen the numbers of drivers after the backup. A flow that was begun then, and is made again in the restored
    registry, goes through all the same, and what was done of it is not done twice; the control, a mere copy of the events, is refused as stale."""
    place, new = str(tmp_path / "team.db"), str(tmp_path / "new.db")
    site = Site(place, tmp_path, pause=0.0)
    with (
        RequestMemory(tmp_path / "requests") as memory,
        ExecutorServer.listen(site.address, Worker(tmp_path / "log", 0.0), requests=memory).running(),
    ):
        with Store(parse_store_address(place)) as store:
            team = Team(store, PROJECT)
            team.register(document("aaaaaa", "x.py"), "ann")
            write_backup(store, tmp_path / "backup", [PROJECT])
            for number in range(9):
                team.register(document(f"number_{number}", f"y/{number}.py"), "ann")
        begun = begin_one(site)
        with Store(parse_store_address(new)) as store:
            if epochs:
                restore_backup(store, read_backup(tmp_path / "backup"), "ann")
            else:
                _copy(store, read_backup(tmp_path / "backup").events[PROJECT])
        made = Site(new, tmp_path, pause=0.0)
        made.prepare(1)
        with Store(parse_store_address(new)) as store:
            driven = FlowDriver(flows_of(store), "driver", at_once=1).drive(begun)
        assert driven.state == ("done" if epochs else "held"), driven.nodes
        assert len(site.effects()) == (3 if epochs else 1)


def begin_one(site: Site) -> str:
    """A flow of three steps, of which one is done."""
    site.prepare(1)
    with Store(parse_store_address(site.place)) as store:
        (flow,) = flows_of(store).list()
        driver = FlowDriver(flows_of(store), "driver", at_once=1)
        claim = driver.claim(flow.flow_id)
        (sent,) = driver.step(claim)
        driver.step(claim, [(sent.node, driver._act(sent))], 0)
        driver._close_doors()
        return flow.flow_id


def _copy(store: Store, events: list[EventRow]) -> None:
    """Take events back without an epoch."""
    with store.write() as connection:
        connection.execute(insert(EVENT), [asdict(event) for event in events])
        replay = replayed_rows(connection, PROJECT, store.clock(connection))
        for row in replay.rows.every():
            connection.execute(insert(TABLES[type(row)]), asdict(row))
