"""A store: transactions on SQLite or PostgreSQL, with the same code for both.

The SQL differs in three places, all of them here: the clock, the beginning of a writing transaction, and the lock on a
row, which SQLite does not need because it has one writer at a time. Nobody is called and nothing is waited for inside a
transaction: a process that is stopped in one blocks every other writer until the database gives up on it.
"""

from __future__ import annotations

from contextlib import contextmanager
from sqlite3 import OperationalError
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import BigInteger, Connection, Engine, create_engine, event, literal_column, select
from sqlalchemy.exc import InvalidatePoolError

from volition.workflow.store import migrations
from volition.workflow.store.failures import another_version, failures_explained
from volition.workflow.store.migrations import SCHEMA, make_tables, migrate_tables, version_of
from volition.workflow.store.signing import Signer, own_signer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy.pool import ConnectionPoolEntry

    from volition.workflow.store.address import StoreAddress

PATIENCE: Final = 10.0
"""How many seconds a transaction waits for another one before it gives up, and a new connection for its server."""
SILENCE: Final = 2.0
"""How many times as long a statement waits for a server that says nothing at all."""
IDLE: Final = 0.1
"""After how many seconds without use a connection to a server is tried before it is relied on: no server starts again in
less."""
CLOCKS: Final = {
    # SQLite before 3.42 has no other way to get milliseconds; now() of PostgreSQL is when the transaction began.
    "sqlite": literal_column("CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)", BigInteger),
    "postgresql": literal_column("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", BigInteger),
}
"""The time by the clock of a database, in milliseconds since 1970."""


_READS: Final[dict[str, dict[str, Any]]] = {
    "sqlite": {"volition_reads": True},
    # As it is set up otherwise, each statement of PostgreSQL would see another moment.
    "postgresql": {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
}
"""How a transaction that only reads is begun."""


def database_clock(connection: Connection) -> int:
    """The time by the database's clock, in milliseconds since 1970."""
    return int(connection.execute(select(CLOCKS[connection.dialect.name])).scalar_one())


class Store:
    """The database at an address; an empty one gets its tables. Tables of another version may only be looked at.

    `clock` tells the time within a transaction; `signer` signs what is recorded, or finds the key that does when it is first
    needed: this user's, if none is given. Two stores may be open on one database, in any number of processes.
    """

    def __init__(
        self,
        address: StoreAddress,
        *,
        patience: float = PATIENCE,
        clock: Callable[[Connection], int] = database_clock,
        signer: Signer | Callable[[], Signer] = own_signer,
    ) -> None:
        self.address = address
        self.clock = clock
        self._signer = signer
        self._engine = _engine(address, patience)
        try:
            with failures_explained(address):
                self.version = self._prepare()
                if address.kind == "sqlite":
                    _use_wal(self._engine, patience)
        except BaseException:
            self.close()
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
        if self.version != migrations.NEWEST:
            raise another_version(self.address, self.version, migrations.NEWEST)
        with failures_explained(self.address), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads: it waits for nobody, nobody waits for it, and all of it sees one moment."""
        with failures_explained(self.address), self._engine.connect() as plain:
            connection = plain.execution_options(**_READS[self.address.kind])
            with connection.begin():
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
            before = migrate_tables(connection, self.address)
        self.version = migrations.NEWEST
        return before, self.version

    def _prepare(self) -> int:
        """The version of the tables, which are made in an empty database."""
        with self._engine.connect() as plain, plain.execution_options(volition_reads=True).begin():
            if found := version_of(plain, self.address):
                return found
        with self._engine.begin() as connection:
            return make_tables(connection, self.address)


def _engine(address: StoreAddress, patience: float) -> Engine:
    milliseconds = int(patience * 1000)
    if address.kind == "sqlite":
        engine = create_engine(address.url, connect_args={"timeout": patience})
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    options = (
        f"-c search_path={SCHEMA} -c lock_timeout={milliseconds} -c idle_in_transaction_session_timeout={milliseconds}"
    )
    connect = {"options": options, "connect_timeout": max(2, int(patience))}
    engine = create_engine(address.url, connect_args=connect)
    engine.dialect.use_insertmanyvalues_wo_returning = True  # new rows of one table go to the server together
    event.listen(engine, "do_connect", _watched_connect(patience * SILENCE))
    _try_idle_connections(engine)
    return engine


def _try_idle_connections(engine: Engine) -> None:
    """Replace a connection that the server has closed before it is used, if there was time for that."""

    def note(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info["used"] = monotonic()

    def try_it(connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
        if monotonic() - record.info["used"] > IDLE:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error as error:
                raise InvalidatePoolError from error

    event.listen(engine, "connect", note)
    event.listen(engine, "checkin", note)  # codespell:ignore checkin
    event.listen(engine, "checkout", try_it)


def _watched_connect(silence: float) -> Callable[..., Any]:
    """Open connections that do not wait without end for a silent server."""
    from volition.workflow.store.silence import watched_connect  # noqa: PLC0415  only a server needs psycopg

    connect = watched_connect(silence)

    def open_watched(_dialect: Any, _record: Any, arguments: Any, options: Any) -> Any:
        return connect(*arguments, **options)

    return open_watched


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
            except OperationalError as error:
                if "locked" not in str(error):
                    return
                sleep(0.005)
            else:
                return
    finally:
        connection.close()


def _begin_sqlite(connection: Connection) -> None:
    """Take the one writer's lock at the beginning: a transaction that reads first and writes later could be refused."""
    reads = connection.get_execution_options().get("volition_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
