"""Databases for the tests of the workflow: a file, and a server that is started where it is first needed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.archived import Archived
from tests.workflow.clusters import binaries, make_cluster
from volition.workflow import Store, parse_store_address
from volition.workflow.store import database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.workflow.clusters import Cluster


@pytest.hookimpl(trylast=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Where there is no PostgreSQL, a test that is skipped for want of it speaks neither for a requirement nor against it."""
    chosen = getattr(getattr(item, "callspec", None), "params", {}).values()
    needs_server = "postgresql" in chosen or "cluster" in getattr(item, "fixturenames", ())
    if needs_server and binaries() is None:
        item.user_properties.clear()


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Stores in files that are opened in this process do not wait for the disk: no test here is about the loss of power."""
    prepare = database._prepare_sqlite

    def prepare_hastily(connection: Any, record: Any) -> None:
        prepare(connection, record)
        connection.execute("PRAGMA synchronous=OFF").close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_prepare_sqlite", prepare_hastily)
        yield


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One server for all tests of this process, with a database that has the tables."""
    made = make_cluster()
    Store(parse_store_address(made.new_database())).close()
    yield made
    made.stop()
    shutil.rmtree(made.folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty registry, on each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "team.db")
    cluster: Cluster = request.getfixturevalue("cluster")
    return cluster.emptied_database()


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """An open store."""
    with Store(parse_store_address(place)) as opened:
        yield opened


@pytest.fixture(scope="session")
def archived_template(tmp_path_factory: pytest.TempPathFactory) -> Archived:
    """A registry to archive, which is made once."""
    template = Archived(tmp_path_factory.mktemp("archived"))
    template.store.close()
    return template


@pytest.fixture
def archived(archived_template: Archived, tmp_path: Path) -> Iterator[Archived]:
    """A copy of that registry."""
    copy = Archived(tmp_path, archived_template)
    yield copy
    copy.store.close()
