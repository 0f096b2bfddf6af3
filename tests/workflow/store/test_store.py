"""The store: the same tables on both databases, versions, and errors that say what to do."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import TYPE_CHECKING

import psycopg
import pytest
from sqlalchemy import inspect, select, update

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import approved, drive, flows_of, states
from volition.core.errors import InvalidInput, MissingPart
from volition.workflow import Store, Team, parse_store_address, verify_registry
from volition.workflow.store import tables
from volition.workflow.store.address import chosen_address
from volition.workflow.store.database import StoreUnavailable
from volition.workflow.store.tables import METADATA, PLAN, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told
    from tests.workflow.clusters import Cluster


def test_statements_are_compiled_once_for_all_files(tmp_path: Path) -> None:
    """What one store has compiled, the next one does not compile again, though each has its own file."""
    compiled: list[set[object]] = []
    for name in ("one.db", "other.db"):
        with Store(parse_store_address(tmp_path / name)) as store:
            Team(store, PROJECT).register(document("aaaaaa", "a.py"), "ann")
            assert len(Team(store, PROJECT).list()) == 1
            compiled.append(set(store._engine.get_execution_options()["compiled_cache"]))
    assert compiled[0] == compiled[1] != set()


@pytest.mark.parametrize("name", ["team.db", "a b%20c?mode=memory#d.db", "\u00fc.db"])
def test_only_what_may_be_new_is_made(name: str, tmp_path: Path, told: Told) -> None:
    """A registry that must be there is refused where it is not, and nothing is made in its place, whatever its name; once it is
    made it is found under that name. A connection that is opened later makes none either."""
    address = parse_store_address(tmp_path / name)
    with told.raises(InvalidInput):
        Store(address, new=False)
    assert not list(tmp_path.iterdir())
    Store(address).close()
    with Store(address, new=False) as store:
        assert Team(store, PROJECT).list() == ()
        store.close()
        Path(address.place).rename(tmp_path / "away")
        with pytest.raises(StoreUnavailable):
            Team(store, PROJECT).list()
    assert not Path(address.place).exists()


def test_the_migrations_make_the_tables_that_are_used(store: Store) -> None:
    """The tables after all migrations are those that the statements are written for: names, columns, keys, no nulls."""
    with store.read() as connection:
        look = inspect(connection)
        assert set(look.get_table_names()) == set(METADATA.tables)
        for name, table in METADATA.tables.items():
            columns = {column["name"]: column for column in look.get_columns(name)}
            assert set(columns) == set(table.columns.keys()), name
            keys = set(look.get_pk_constraint(name)["constrained_columns"])
            assert keys == set(table.primary_key.columns.keys()), name
            assert all(not columns[each]["nullable"] or each in keys for each in columns), name


def test_tables_of_another_version_may_be_looked_at(store: Store, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """A newer program changes nothing by looking: it reads, does not write, and says how the tables are brought up to date;
    afterwards an older program may still look, and does not write either."""
    Team(store, PROJECT).register(document("aaaaaa", "a.py"), "ann", lease=1000)
    newer = tables.NEWEST + 1
    monkeypatch.setitem(tables.MIGRATIONS, newer, ("CREATE TABLE more (name TEXT)",))
    with Store(store.address) as later:
        monkeypatch.setattr(tables, "NEWEST", newer)
        team = Team(later, PROJECT)
        assert team.show("intent_aaaaaa").state == "active"
        with told.raises(MissingPart):
            team.register(document("bbbbbb", "b.py"), "bob")
        assert later.migrate() == (newer - 1, newer)
        assert team.register(document("bbbbbb", "b.py"), "bob").grant
    monkeypatch.setattr(tables, "NEWEST", newer - 1)
    with Store(store.address) as older:
        assert len(Team(older, PROJECT).list()) == 2
        with told.raises(MissingPart):
            Team(older, PROJECT).register(document("cccccc", "c.py"), "cyd")
    with store.write() as connection:
        connection.exec_driver_sql("DROP TABLE more")
        connection.execute(update(VERSION).values(version=newer - 1))


def test_the_database_of_another_program_is_refused(tmp_path: Path, told: Told) -> None:
    """A database with tables that are not ours is named as such, and left as it is."""
    file = tmp_path / "theirs.db"
    with sqlite3.connect(file) as theirs:
        theirs.execute("CREATE TABLE customers (name TEXT)")
    before = file.read_bytes()
    with told.raises(MissingPart):
        Store(parse_store_address(file))
    assert file.read_bytes() == before


def test_what_is_no_database_is_refused(tmp_path: Path, told: Told) -> None:
    """A file of other content is refused, and left as it is."""
    file = tmp_path / "notes.txt"
    file.write_text("not a database, but longer than the sixteen bytes that a database begins with\n" * 20)
    before = file.read_bytes()
    with told.raises(StoreUnavailable):
        Store(parse_store_address(file))
    assert file.read_bytes() == before


def test_a_full_disk_changes_nothing(tmp_path: Path, told: Told) -> None:
    """A registration that does not fit on the disk is refused with the reason, and leaves nothing behind."""
    with Store(parse_store_address(tmp_path / "team.db")) as store:
        team = Team(store, PROJECT)
        team.register(document("aaaaaa", "a.py"), "ann")
        with store.write() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with told.raises(StoreUnavailable):
            _register_many(team)
        kept = [plan.plan_id for plan in team.list()]
        assert kept[0] == "intent_aaaaaa"
        assert len(team.history()) == len(kept) + 2


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, who may write everything."""
    me = os.geteuid()
    os.seteuid(65534 if me == 0 else me)
    try:
        yield
    finally:
        os.seteuid(me)


def test_a_registry_without_rights_is_refused(told: Told) -> None:
    """A file that may not be written is named, with what to do; so is one in a folder that may not be opened."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "team.db"
        Store(parse_store_address(file)).close()
        file.chmod(0o444)
        Path(folder).chmod(0o555)
        try:
            with as_nobody(), told.raises(StoreUnavailable):
                _register_many(Team(Store(parse_store_address(file)), PROJECT))
            Path(folder).chmod(0o000)
            with as_nobody(), told.raises(InvalidInput):
                parse_store_address(file / "team.db")
        finally:
            Path(folder).chmod(0o755)


def test_a_server_without_rights_or_with_the_tables_of_others_is_refused(cluster: Cluster, told: Told) -> None:
    """A user without rights is told so, and a schema of our name with other tables is left as it is."""
    place = cluster.new_database()
    with psycopg.connect(place, autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS reader")
        admin.execute("CREATE ROLE reader LOGIN")
        with told.raises(StoreUnavailable):
            Store(parse_store_address(place.replace("volition@", "reader@")))
        admin.execute("CREATE SCHEMA volition")
        admin.execute("CREATE TABLE volition.customers (name TEXT)")
        with told.raises(MissingPart):
            Store(parse_store_address(place))
        tables = admin.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'volition'").fetchone()
    assert tables == (1,)


def test_a_writer_that_does_not_end_is_reported(tmp_path: Path) -> None:
    """Who waits too long for another writer is told so, and nothing is changed."""
    address = parse_store_address(tmp_path / "team.db")
    with Store(address) as slow, Store(address, patience=0.05) as waiting:
        late = Team(waiting, PROJECT)
        with slow.write(), pytest.raises(StoreUnavailable, match="too long"):
            late.register(document("aaaaaa", "a.py"), "ann")
        assert late.list() == ()


def test_a_new_registry_may_be_opened_by_several_at_once(tmp_path: Path) -> None:
    """Whoever opens a file that another one is just making is not told that it is locked: it waits, and then works."""
    file = tmp_path / "team.db"
    Store(parse_store_address(file)).close()
    with sqlite3.connect(file, isolation_level=None, check_same_thread=False) as other:
        assert other.execute("PRAGMA journal_mode=DELETE").fetchone() == ("delete",)
        other.execute("BEGIN IMMEDIATE")
        Timer(0.05, other.execute, ["COMMIT"]).start()
        with Store(parse_store_address(file)) as store:
            assert Team(store, PROJECT).register(document("aaaaaa", "a.py"), "ann").outcome == "granted"
    other.close()
    assert file.read_bytes()[18:20] == b"\2\2"  # the file is set to WAL


@pytest.mark.req("WF-05")
def test_a_server_that_dies_in_the_middle_of_a_flow(cluster: Cluster) -> None:
    """The server is killed when an effect has happened and is not recorded yet. Everything that was acknowledged is there
    when it is back, the same store goes on, and the effect happens once."""
    with Store(parse_store_address(cluster.emptied_database()), patience=3) as store:
        flows = flows_of(store)
        flow = approved(flows)
        before = flows.team.history()
        body = Body()

        def die(name: str) -> None:
            if name == "after the effect":
                body.boundary = lambda name: None
                cluster.stop()

        body.boundary = die
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            drive(flows, flow.flow_id, body)
        cluster.start()
        assert flows.team.history()[: len(before)] == before
        assert states(flows.status(flow.flow_id)) == ["sent", "blocked"]
        assert drive(flows, flow.flow_id, body).state == "done"
        assert [intent for _, intent in body.effects] == ["HOLD", "JUMP"]
        assert verify_registry(store, PROJECT).faults == ()


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("", "no registry is named"),
        ("mysql://somewhere/team", "is not a registry"),
        ("postgresql://ann:secret@127.0.0.1", "names no database"),
        ("no/such/folder/team.db", "there is no folder"),
        (".", "this is a folder"),
    ],
)
def test_bad_addresses_are_refused(given: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that is none is refused before anything is opened, and no message shows a password."""
    monkeypatch.delenv("VOLITION_REGISTRY", raising=False)
    with pytest.raises(InvalidInput, match=what) as error:
        chosen_address(given)
    assert "secret" not in str(error.value)


def test_a_server_that_is_not_there_is_reported_without_the_password() -> None:
    """The error says that the server cannot be reached, and shows the address without its password."""
    with pytest.raises(StoreUnavailable, match="cannot be reached") as error:
        Store(parse_store_address("postgresql://ann:secret@127.0.0.1:1/team"))
    assert "secret" not in str(error.value)


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    """An exception inside a transaction undoes it as a whole."""
    team = Team(store, PROJECT)
    team.register(document("aaaaaa", "a.py"), "ann")
    with pytest.raises(ZeroDivisionError), store.write() as connection:
        assert connection.execute(update(PLAN).values(state="finished")).rowcount / 0
    assert [plan.state for plan in team.list()] == ["active"]


def _register_many(team: Team) -> None:
    for number in range(40):
        team.register(document(f"bbbbbb{number}", f"b{number}.py"), "ann")


@contextmanager
def silent(cluster: Cluster) -> Iterator[None]:
    """A server all of whose processes are stopped: it refuses nothing, and answers nothing."""
    head = int((cluster.folder / "data/postmaster.pid").read_text().split()[0])
    stopped: list[int] = []
    try:
        for pid in (head, *_children(head)):
            with suppress(ProcessLookupError):  # one that has just done its work
                os.kill(pid, signal.SIGSTOP)
                stopped.append(pid)
        yield
    finally:
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def _children(head: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == head:
                found.append(int(status.parent.name))
    return found


@pytest.mark.req("WF-10")
def test_a_silent_server_ends_in_an_error(cluster: Cluster) -> None:
    """A server that is stopped and says nothing ends in an error that says so: when a connection is opened, in the middle of a
    transaction, and with a connection that was open before. Once it goes on, so does the same store."""
    address = parse_store_address(cluster.emptied_database())
    with Store(address, patience=0.2) as store:
        team = Team(store, PROJECT)
        team.register(document("aaaaaa", "a.py"), "ann")
        with silent(cluster), pytest.raises(StoreUnavailable, match="does not answer"):
            team.list()
        with silent(cluster), pytest.raises(StoreUnavailable, match="does not answer"):
            Store(address, patience=0.2)
        with pytest.raises(StoreUnavailable, match=r"silent for 0\.4 s"):
            _write_in_silence(store, cluster)
        assert [plan.holder for plan in team.list()] == ["ann"]


def _write_in_silence(store: Store, cluster: Cluster) -> None:
    with store.write() as connection:
        connection.execute(update(PLAN).values(holder="eve"))
        with silent(cluster):
            connection.execute(update(PLAN).values(holder="eve"))


@pytest.mark.req("WF-07")
def test_a_reading_transaction_sees_one_moment(store: Store) -> None:
    """What others commit while somebody reads is not half seen: the second look of one transaction finds what the first found."""
    team = Team(store, PROJECT)
    team.register(document("aaaaaa", "a.py"), "ann")
    with store.read() as connection:
        before = connection.execute(select(PLAN.c.plan_id)).all()
        with Store(store.address) as other:
            Team(other, PROJECT).register(document("bbbbbb", "b.py"), "ann")
        assert connection.execute(select(PLAN.c.plan_id)).all() == before
    assert len(team.list()) == 2
