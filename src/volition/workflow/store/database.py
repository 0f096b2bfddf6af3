"""A store: transactions on SQLite or PostgreSQL, with the same code for both, and what a database may refuse, said for people.

The SQL differs in three places: the clock, the beginning of a writing transaction, and the lock on a row, which SQLite does
not need because it has one writer at a time. Nobody is called and nothing is waited for inside a transaction: a process that is
stopped in one blocks every other writer until the database gives up on it.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self

from sqlalchemy import URL, BigInteger, Connection, Engine, create_engine, event, literal_column, select
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.util import LRUCache

from volition.core.errors import MissingPart, Problem, did_you_mean, refuse
from volition.core.signing import Signer, own_signer
from volition.workflow.store import tables
from volition.workflow.store.server import server_engine
from volition.workflow.store.tables import PROJECT, make_tables, migrate_tables, version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.workflow.store.address import StoreAddress


class StoreUnavailable(MissingPart):
    """The database cannot be used now. Nothing that was not acknowledged is relied on; the same call may be made again."""


_CAUSES: Final = (
    (
        r"database is locked|lock timeout|LockNotAvailable",
        "another process has been writing to it for too long",
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


PATIENCE: Final = 10.0
"""How many seconds a transaction waits for another one before it gives up, and a new connection for its server."""
_STATEMENTS: Final = 500
"""How many compiled statements are kept."""
CLOCKS: Final = {
    # SQLite before 3.42 has no other way to get milliseconds; now() of PostgreSQL is when the transaction began.
    "sqlite": literal_column("CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)", BigInteger),
    "postgresql": literal_column("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", BigInteger),
}
"""The time by the clock of a database, in milliseconds since 1970."""


_READS: Final[dict[str, dict[str, Any]]] = {
    "sqlite": {},
    # As it is set up otherwise, each statement of PostgreSQL would see another moment.
    "postgresql": {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
}
"""The options of a connection for a transaction that only reads."""


def database_clock(connection: Connection) -> int:
    """The time by the database's clock, in milliseconds since 1970."""
    return int(connection.execute(select(CLOCKS[connection.dialect.name])).scalar_one())


class Store:
    """The database at an address; an empty one gets its tables. Tables of another version may only be looked at. A file that is
    not there is made, unless it must not be `new`: then it is refused, even where it goes away at this very moment.

    `clock` tells the time within a transaction; `signer` signs what is recorded, or finds the key that does when it is first
    needed: this user's, if none is given. Two stores may be open on one database, in any number of processes.
    """

    def __init__(
        self,
        address: StoreAddress,
        *,
        new: bool = True,
        patience: float = PATIENCE,
        clock: Callable[[Connection], int] = database_clock,
        signer: Signer | Callable[[], Signer] = own_signer,
    ) -> None:
        self.address = address
        self.clock = clock
        self._signer = signer
        self._engine = _engine(address, patience, new=new)
        try:
            with failures_explained(address):
                self.version = self._prepare()
                if address.kind == "sqlite":
                    _use_wal(self._engine, patience)
            _KNOWN.setdefault(_dialect_key(address), self._engine)
        except BaseException as error:
            self.close()
            if isinstance(error, StoreUnavailable) and not new:
                _refuse_missing(address)
            raise

    @property
    def signer(self) -> Signer:
        """The key that signs what this process records."""
        if not isinstance(self._signer, Signer):
            self._signer = self._signer()
        return self._signer

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that may write; it is committed at the end of the block, and undone by an exception."""
        if self.version != tables.NEWEST:
            raise tables.another_version(self.address, self.version)
        with failures_explained(self.address), self._engine.begin() as connection:
            _begin(connection)
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads: it waits for nobody, nobody waits for it, and all of it sees one moment."""
        with failures_explained(self.address), self._engine.connect() as plain:
            connection = plain.execution_options(**_READS[self.address.kind])
            with connection.begin():
                _begin(connection, reads=True)
                yield connection

    def close(self) -> None:
        """Close every connection; closing twice has no further effect."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def migrate(self) -> tuple[int, int]:
        """Bring the tables to the newest version; the version that they had, and the one that they have."""
        with failures_explained(self.address), self._engine.begin() as connection:
            _begin(connection)
            before = migrate_tables(connection, self.address)
        self.version = tables.NEWEST
        return before, self.version

    def _prepare(self) -> int:
        """The version of the tables, which are made in an empty database."""
        with self._engine.begin() as connection:
            _begin(connection, reads=True)
            if version := version_of(connection, self.address):
                return version
        with self._engine.begin() as connection:
            _begin(connection)
            return make_tables(connection, self.address)


_KNOWN: Final[dict[str, Engine]] = {}
"""The first engine that was connected to any file, or to a server: it knows the dialect there, and what was compiled for it."""


def _dialect_key(address: StoreAddress) -> str:
    return "sqlite" if address.kind == "sqlite" else address.server_url


def _refuse_missing(address: StoreAddress) -> None:
    """Refuse a file that does not exist where none may be made."""
    if address.kind == "sqlite" and not os.path.exists(address.place):  # noqa: PTH110  it never raises
        refuse(
            "there is no registry",
            where=str(address),
            expected="a registry",
            remedy="check its path; registering a plan makes it",
        )


def _engine(address: StoreAddress, patience: float, *, new: bool) -> Engine:
    """Connections to a database. Statements are compiled once for all stores of one dialect: to compile them takes longer than
    most transactions, and a studio opens its registry for every request."""
    if address.kind == "sqlite":
        file = f"{Path(address.place).as_uri()}?mode={'rwc' if new else 'rw'}"
        engine = create_engine(
            URL.create("sqlite", database=address.place),
            creator=lambda: sqlite3.connect(file, uri=True, timeout=patience, check_same_thread=False),
        )
        event.listen(engine, "connect", _prepare_sqlite)
    else:
        engine = server_engine(address, patience)
    if (known := _KNOWN.get(_dialect_key(address))) is None:
        return engine.execution_options(compiled_cache=LRUCache(_STATEMENTS))
    engine.dialect = known.dialect
    return engine.execution_options(compiled_cache=known.get_execution_options()["compiled_cache"])


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    """Transactions begin when we say so; and what was acknowledged survives the loss of power (FULL, not NORMAL)."""
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous=FULL").close()


def _use_wal(engine: Engine, patience: float) -> None:
    """Let readers and the writer not wait for each other. The file remembers it, so only a file that is ours is set.

    SQLite does not wait here for another process that has the file open, so we do; where it never works, such as in a
    folder that may not be written, the registry is unchanged, and writers get an error.
    """
    until = monotonic() + patience
    connection = engine.raw_connection()
    try:
        while monotonic() < until:
            try:
                connection.cursor().execute("PRAGMA journal_mode=WAL").close()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    return
                sleep(0.005)
            else:
                return
    finally:
        connection.close()


def _begin(connection: Connection, *, reads: bool = False) -> None:
    """Begin a transaction in a file, because the driver does not. The one writer's lock is taken at the beginning: a transaction
    that reads first and writes later could be refused.

    A listener to the engine's `begin` would slow every statement down by half.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


VARIABLE: Final = "VOLITION_PROJECT"
"""The environment variable that names the project where none is given."""


def list_projects(store: Store) -> list[str]:
    """The projects of a registry, in order of their names."""
    with store.read() as connection:
        return sorted(connection.execute(select(PROJECT.c.project)).scalars())


def chosen_project(store: Store, wanted: str | None) -> str:
    """The project that was given, or that the environment names, or the only one in the registry; it must exist."""
    known = list_projects(store)
    name = wanted or os.environ.get(VARIABLE, "") or (known[0] if len(known) == 1 else "")
    if name in known:
        return name
    return refuse(
        f"there is no project {name!r}" if name else f"{len(known)} projects are registered, and none is named",
        where=str(store.address),
        expected="a project of this registry, which registering its first plan makes",
        remedy=did_you_mean(name, known) if known else "register a plan: volition team register PLAN.json",
    )
