"""What a database may refuse, said for people: what happened, and what to do."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NoReturn

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from volition.core.errors import MissingPart, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.workflow.store.address import StoreAddress


class StoreUnavailable(MissingPart):
    """The database cannot be used now. Nothing that was not acknowledged is relied on; the same call may be made again."""


_CAUSES: Final = (
    (
        r"database is locked|lock timeout|LockNotAvailable",
        "somebody else has been writing to it for too long",
        "a database whose writers are quick",
        "try again; if it lasts, look for a stopped process that has it open",
    ),
    (
        r"idle.in.transaction|terminating connection due to idle",
        "this process was stopped in the middle of a transaction, and the database gave up on it",
        "a process that keeps running",
        "try again: nothing of that transaction was kept",
    ),
    (r"disk is full|No space left|DiskFull", "the disk is full", "room to write", "make room, and try again"),
    (
        r"readonly database|permission denied|InsufficientPrivilege|unable to open database",
        "it may not be written",
        "rights to read and write it",
        "ask its owner for these rights; a file needs them on its folder too",
    ),
    (
        r"not a database|malformed|encrypted",
        "this file is not a database",
        "a database that `volition team` or `volition flow` made",
        "name another file, or restore this one from a copy",
    ),
    (
        r"password authentication|authentication failed|role .* does not exist|no password",
        "the server does not let this user in",
        "a user that the server knows",
        "check the user and the password in the address",
    ),
    (r'database "[^"]*" does not exist', "the server has no such database", "a database that exists", "create it"),
    (
        r"has been silent for|connection timeout expired",
        "the server does not answer",
        "a PostgreSQL server that answers",
        "see whether it is stopped, or unreachable behind a firewall; what was not acknowledged may be asked for again",
    ),
    (
        (
            r"refused|closed the connection|could not connect|connection failed|timeout expired|terminat|starting up"
            r"|shutting down|No such file|is lost|consuming input"
        ),
        "the server cannot be reached",
        "a PostgreSQL server that runs",
        "start it or check the address; then try again",
    ),
)
"""A pattern in the driver's message, and what it means: what, expected, remedy."""


@contextmanager
def failures_explained(address: StoreAddress) -> Iterator[None]:
    """Turn a failure of the database into StoreUnavailable; a mistake in our statements stays what it is."""
    try:
        yield
    except PoolTimeout as error:
        _unavailable(address, str(error))
    except DBAPIError as error:
        text = f"{type(error.orig).__name__}: {error.orig}"
        known = any(re.search(pattern, text, re.IGNORECASE) for pattern, *_ in _CAUSES)
        if not known and not isinstance(error, OperationalError) and not error.connection_invalidated:
            raise
        _unavailable(address, text)


def _unavailable(address: StoreAddress, text: str) -> NoReturn:
    first = text.strip().splitlines()[0]
    for pattern, what, expected, remedy in _CAUSES:
        if re.search(pattern, text, re.IGNORECASE):
            raise StoreUnavailable(Problem(f"{what} ({first})", str(address), expected, remedy)) from None
    raise StoreUnavailable(
        Problem(first, str(address), "a database that answers", "see what the database says in its log")
    ) from None


def another_version(address: StoreAddress, found: int, newest: int) -> MissingPart:
    """The error for writing to tables of another version."""
    newer = found > newest
    return MissingPart.of(
        f"its tables have version {found}, and this program writes version {newest}",
        where=str(address),
        expected="tables of the same version; until then it may be looked at",
        remedy="use a newer program"
        if newer
        else "bring it up to date, once everybody has this program: volition team migrate",
    )


def too_old(address: StoreAddress, found: int, oldest: int) -> MissingPart:
    """The error for tables that nobody reads any more."""
    return MissingPart.of(
        f"its tables have version {found}",
        where=str(address),
        expected=f"version {oldest} or later",
        remedy="make a new registry, and register the open plans again",
    )


def not_ours(address: StoreAddress, tables: list[str]) -> MissingPart:
    """The error for a database that belongs to somebody else."""
    return MissingPart.of(
        f"it holds the tables of another program: {', '.join(tables[:4])}",
        where=str(address),
        expected="an empty database, or one that `volition` made",
        remedy="name another one",
    )
