"""Databases for the tests of the workflow: a file, and a server that is started where it is first needed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.workflow.clusters import binaries, make_cluster
from volition.workflow import Store, parse_store_address

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
