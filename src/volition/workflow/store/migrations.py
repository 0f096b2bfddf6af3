"""The version of the tables, and how they are made and brought up to date.

A database is brought up to date only where somebody asks for it. Until then whoever is newer may look and not write, and so
may whoever is older.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, insert, inspect, select, text, update

from volition.workflow.store.failures import not_ours, too_old
from volition.workflow.store.tables import METADATA, VERSION

if TYPE_CHECKING:
    from volition.workflow.store.address import StoreAddress

NAME: Final = "volition"
"""What the version table says in a database of ours."""
SCHEMA: Final = "volition"
"""The PostgreSQL schema that holds the tables."""
OLDEST: Final = 4
"""The first version that is still read."""
MIGRATIONS: Final[dict[int, tuple[str, ...]]] = {}
"""Version -> the statements that lead to it from the one before. A version that was released never changes."""
NEWEST: Final = OLDEST + len(MIGRATIONS)
_LOCK_KEY: Final = 7_310_548
"""The advisory lock under which PostgreSQL's tables are made."""


def version_of(connection: Connection, address: StoreAddress) -> int:
    """The version of the tables; 0 in an empty database."""
    tables = sorted(inspect(connection).get_table_names())
    if not tables:
        return 0
    if VERSION.name not in tables:
        raise not_ours(address, tables)
    found = connection.execute(select(VERSION.c.version).where(VERSION.c.name == NAME)).scalar()
    if found is None:
        raise not_ours(address, tables)
    if found < OLDEST:
        raise too_old(address, found, OLDEST)
    return int(found)


def make_tables(connection: Connection, address: StoreAddress) -> int:
    """Make the tables in an empty database, in one transaction; their version."""
    if address.kind == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_KEY})"))
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
    found = version_of(connection, address)
    if not found:
        METADATA.create_all(connection)
        connection.execute(insert(VERSION).values(name=NAME, version=NEWEST))
    return found or NEWEST


def migrate_tables(connection: Connection, address: StoreAddress) -> int:
    """Bring the tables to the newest version, in one transaction; the version that they had."""
    if address.kind == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_KEY})"))
    found = version_of(connection, address)
    for version in range(found + 1, NEWEST + 1):
        for statement in MIGRATIONS[version]:
            connection.execute(text(statement))
        connection.execute(update(VERSION).values(version=version))
    return found
