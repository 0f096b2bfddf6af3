"""A PostgreSQL server: connections that notice when it is gone or silent, and the rights of its users as SQL.

A server that is stopped, swapped out, or behind a firewall that drops everything refuses nothing and closes nothing, and the client
library would wait without end. Every wait of a connection passes through one method, so that is where silence is measured: each byte
of the server begins it again, and a statement that takes long while the server is sending is not cut off.

Members append events and never change one. Processes keep the tables, so a member's user must be able to write rows. What somebody
does to them by hand, verification finds, because every row has to follow from the events.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import InvalidatePoolError

from volition.core.errors import refuse
from volition.workflow.store.tables import CHECKPOINT, EVENT, SCHEMA, TABLES, VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from psycopg.waiting import Ready, Wait
    from sqlalchemy.pool import ConnectionPoolEntry

    from volition.workflow.store.address import StoreAddress

T = TypeVar("T")
SILENCE: Final = 2.0
"""How many times as long as its patience a statement waits for a server that says nothing at all."""
IDLE: Final = 0.1
"""After how many seconds without use a connection is tried before it is relied on: no server starts again in less."""
LONGEST: Final = 63
"""How many bytes of a user's name PostgreSQL keeps."""
_LOOK: Final = 0.1
"""Seconds between two looks at the time while nothing arrives."""


def server_engine(address: StoreAddress, patience: float) -> Engine:
    """Connections to a server, which wait for a lock as long as their patience lasts."""
    milliseconds = int(patience * 1000)
    options = (
        f"-c search_path={SCHEMA} -c lock_timeout={milliseconds} -c idle_in_transaction_session_timeout={milliseconds}"
    )
    connect = {"options": options, "connect_timeout": max(2, int(patience))}
    engine = create_engine(address.server_url, connect_args=connect)
    engine.dialect.use_insertmanyvalues_wo_returning = True  # new rows of one table go to the server together
    open_watched = watched_connect(patience * SILENCE)
    event.listen(
        engine, "do_connect", lambda _dialect, _record, arguments, options: open_watched(*arguments, **options)
    )
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


def watched_connect(silence: float) -> Callable[..., Any]:
    """What opens connections that give up on a server which is silent for longer than so many seconds."""
    import psycopg  # noqa: PLC0415  only who has a server needs it

    class WatchedConnection(psycopg.Connection[Any]):
        def wait(
            self, gen: Generator[Wait, Ready | int, T], interval: float = _LOOK, timeout: float | None = None
        ) -> T:
            # Versions before 3.3 have no `timeout`; where there is one, it bounds the whole statement as well.
            bound = {} if timeout is None else {"timeout": timeout}
            return super().wait(self._watch(gen), interval or _LOOK, **bound)

        def _watch(self, gen: Generator[Wait, Ready | int, T]) -> Generator[Wait, Ready | int, T]:
            """The same steps, until the server has been silent for too long."""
            heard = monotonic()
            try:
                wanted = next(gen)
                while True:
                    ready = yield wanted
                    if ready:
                        heard = monotonic()
                    elif monotonic() - heard > silence:
                        self.pgconn.finish()
                        raise psycopg.OperationalError(f"the server has been silent for {silence:g} s")
                    wanted = gen.send(ready)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]

    return WatchedConnection.connect


def grants_for(role: str, *, keeper: bool = False) -> list[str]:
    """The statements that give a user of the server exactly what a member needs, or a keeper, who may also archive and restore.

    >>> grants_for("ann")[-1]
    'GRANT SELECT ON volition.volition_store TO "ann";'
    """
    if not 0 < len(role.encode()) <= LONGEST or not role.isprintable():
        refuse(
            f"{role!r} is not a user of a server",
            where="--role",
            expected=f"1 to {LONGEST} bytes that can be seen",
            remedy="name a user that the server knows",
        )
    user = '"' + role.replace('"', '""') + '"'
    rows = ", ".join(f"{SCHEMA}.{table.name}" for table in TABLES.values())
    everything = f"ALL TABLES IN SCHEMA {SCHEMA}"
    begin = [f"REVOKE ALL ON {everything} FROM {user};", f"GRANT USAGE ON SCHEMA {SCHEMA} TO {user};"]
    if keeper:
        return [*begin, f"GRANT SELECT, INSERT, UPDATE, DELETE ON {everything} TO {user};"]
    return [
        *begin,
        f"GRANT SELECT, INSERT ON {SCHEMA}.{EVENT.name} TO {user};",
        f"GRANT SELECT, INSERT, UPDATE ON {rows} TO {user};",
        f"GRANT SELECT ON {SCHEMA}.{CHECKPOINT.name} TO {user};",
        f"GRANT SELECT ON {SCHEMA}.{VERSION.name} TO {user};",
    ]
