"""Connections to a PostgreSQL server that may fall silent: stopped, swapped out, or behind a firewall that drops everything.

Such a server refuses nothing and closes nothing, and the client library would wait without end. Every wait of a connection
passes through one method, so that is where silence is measured: each byte of the server begins it again, and a statement
that takes long while the server is sending is not cut off.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from psycopg.waiting import Ready, Wait

T = TypeVar("T")
_LOOK = 0.1
"""Seconds between two looks at the time while nothing arrives."""


class WatchedConnection(psycopg.Connection[Any]):
    """A connection that gives up on a server which is silent for longer than `silence` seconds."""

    silence: float = 20.0

    def wait(self, gen: Generator[Wait, Ready | int, T], interval: float = _LOOK, timeout: float | None = None) -> T:
        # Versions before 3.3 have no `timeout`; where there is one, it bounds the whole statement as well.
        given = {} if timeout is None else {"timeout": timeout}
        return super().wait(self._watch(gen), interval or _LOOK, **given)

    def _watch(self, gen: Generator[Wait, Ready | int, T]) -> Generator[Wait, Ready | int, T]:
        """The same steps, until the server has been silent for too long."""
        heard = monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    heard = monotonic()
                elif monotonic() - heard > self.silence:
                    self.pgconn.finish()
                    raise psycopg.OperationalError(f"the server has been silent for {self.silence:g} s")
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def watched_connect(silence: float) -> Callable[..., WatchedConnection]:
    """What opens connections that wait for a silent server no longer than this."""

    class Watched(WatchedConnection):
        """A connection with its own patience."""

    Watched.silence = silence
    return Watched.connect
