"""Rights on a server: a member's user registers, decides and drives, and can change no event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import STEPS, approved, drive, flows_of
from volition.core.errors import InvalidInput
from volition.workflow import Store, parse_store_address, verify_registry
from volition.workflow.store.server import grants_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told
    from tests.workflow.clusters import Cluster

pytestmark = pytest.mark.req("WF-08")
MEMBER = 'mem"ber'


def run_as(cluster: Cluster, user: str, database: str, statement: str) -> None:
    import psycopg

    place = f"host=127.0.0.1 port={cluster.port} dbname={database}"
    with psycopg.connect(place, user=user, options="-c search_path=volition") as connection:
        connection.execute(statement.encode())


@pytest.fixture
def database(cluster: Cluster) -> Iterator[str]:
    """A new database with the tables, and a user who has the rights of a member."""
    address = cluster.new_database()
    Store(parse_store_address(address)).close()
    name = address.rpartition("/")[2]
    quoted = MEMBER.replace('"', '""')
    run_as(cluster, "volition", name, f'DROP ROLE IF EXISTS "{quoted}"')
    run_as(cluster, "volition", name, f'CREATE ROLE "{quoted}" LOGIN')
    for statement in grants_for(MEMBER):
        run_as(cluster, "volition", name, statement)
    yield name
    run_as(cluster, "volition", name, f'DROP OWNED BY "{quoted}"')


def test_a_member_works_and_changes_no_event(cluster: Cluster, database: str, told: Told) -> None:
    """With the printed rights everything that a team does works; events can be neither changed nor removed, and no row of any
    table can be removed. What can still be done to a row by hand, verification finds."""
    import psycopg

    address = f"postgresql://mem%22ber@127.0.0.1:{cluster.port}/{database}"
    with Store(parse_store_address(address)) as store:
        flows = flows_of(store)
        done = drive(flows, approved(flows).flow_id, Body())
        assert done.state == "done"
        flows.team.register(document("second", "b.py", commands=STEPS), "bob")
        assert verify_registry(store, PROJECT).intact
        for statement in (
            "UPDATE event SET actor = 'eve'",
            "DELETE FROM event",
            "TRUNCATE event",
            "DELETE FROM plan",
            "DELETE FROM node",
            "DROP TABLE event",
            "ALTER TABLE event ADD COLUMN x TEXT",
            "UPDATE volition_store SET version = 1",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                run_as(cluster, MEMBER, database, statement)
        assert verify_registry(store, PROJECT).intact
        run_as(cluster, MEMBER, database, "UPDATE plan SET lease_until = 1 WHERE plan_id = 'intent_second'")
        told(verify_registry(store, PROJECT).faults[0].partition(";")[0])


def test_a_keeper_may_also_remove(cluster: Cluster, database: str) -> None:
    """The rights of a keeper are for archives and backups: rows may be removed, and tables still not."""
    import psycopg

    for statement in grants_for(MEMBER, keeper=True):
        run_as(cluster, "volition", database, statement)
    run_as(cluster, MEMBER, database, "DELETE FROM event")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run_as(cluster, MEMBER, database, "DROP TABLE event")


@pytest.mark.parametrize("role", ["", "a\nb", "x" * 64])
def test_what_is_no_user_is_refused(role: str, told: Told) -> None:
    """A user of a server has a name that it can have."""
    with told.raises(InvalidInput):
        grants_for(role)
