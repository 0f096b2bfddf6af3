"""A connection with deadlines: a client that is slow with the head of a request gets 408, and the connection is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from volition.core.errors import InvalidInput, Problem
from volition.studio.errors import body_of

if TYPE_CHECKING:
    import asyncio

HEAD_SECONDS: Final = 10.0
"""How long the head of a request may take, from the connection or its first byte on."""
BODY_SECONDS: Final = 30.0
"""How long a body may take, from the end of its head on."""
GRACE: Final = 5.0
"""Seconds after which a connection is closed whose late body was already answered."""


def timed_protocol(head: float = HEAD_SECONDS, body: float = BODY_SECONDS) -> type[H11Protocol]:
    """The protocol with these time limits, as a class: uvicorn creates its instances."""
    return type("Timed", (TimedProtocol,), {"head_seconds": head, "body_seconds": body})


class TimedProtocol(H11Protocol):
    """HTTP/1.1 with a deadline while the client has to send. The gate answers late bodies; this closes the connection."""

    head_seconds = HEAD_SECONDS
    body_seconds = BODY_SECONDS

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._deadline: asyncio.TimerHandle | None = None
        self._awaited: Any = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await(h11.IDLE)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await(self.conn.their_state)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is not h11.SEND_BODY:
            # Between two requests the keep-alive limit applies, until the first byte comes.
            self._await(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._await(None)
        super().connection_lost(exc)

    def _await(self, state: Any) -> None:
        """Start to wait for the client's head or body; if it is already awaited, the deadline stays: dripping bytes gain nothing."""
        if state is self._awaited:
            return
        if self._deadline is not None:
            self._deadline.cancel()
        limits = {h11.IDLE: self.head_seconds, h11.SEND_BODY: self.body_seconds + GRACE}
        self._awaited = state if state in limits else None
        self._deadline = self.loop.call_later(limits[state], self._time_out) if self._awaited is not None else None

    def _time_out(self) -> None:
        if self.transport.is_closing():
            return
        if self._awaited is h11.IDLE and self.conn.our_state is h11.IDLE:
            problem = Problem(
                "the head of the request was too slow",
                "the head of the request",
                f"a whole head within {self.head_seconds:g} seconds",
                "send it again, at once",
            )
            body = body_of(InvalidInput(problem))
            headers = [
                ("content-type", "application/json"),
                ("content-length", str(len(body))),
                ("connection", "close"),
            ]
            for event in (
                h11.Response(status_code=408, headers=headers, reason=b"Request Timeout"),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
