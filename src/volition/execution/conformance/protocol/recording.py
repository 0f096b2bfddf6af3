"""A recorded session: every frame of a bridge that drives the arena, on a manual clock.

It is recorded on demand, so it always matches this version, and its bytes are the same each time.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from volition.core.clock import ManualClock
from volition.execution.client.bridge import Bridge
from volition.execution.executor.host import Host
from volition.execution.wire.session.handshake import Offer
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from volition.execution.transports import Stream

SEED: Final = 7
FEATURES: Final = ("events", "next_state", "progress")
"""All but pushed states, which would be most of the recording."""


class Tap:
    """A stream that records its traffic: `{"at_ms", "from", "frame"}` for every line."""

    def __init__(self, stream: Stream, clock: ManualClock, notes: list[dict[str, Any]]) -> None:
        self._stream, self._clock, self._notes = stream, clock, notes

    def send(self, data: bytes) -> None:
        self._note("bridge", data)
        self._stream.send(data)

    def receive(self, timeout: float | None) -> bytes | None:
        data = self._stream.receive(timeout)
        self._note("executor", data or b"")
        return data

    def close(self) -> None:
        self._stream.close()

    def _note(self, side: str, data: bytes) -> None:
        at = round(self._clock.monotonic() * 1000)
        self._notes += [{"at_ms": at, "from": side, "frame": json.loads(line)} for line in data.splitlines()]


def record_session() -> list[dict[str, Any]]:
    """Drive the arena through every intent, a cancel, an expired deadline and a silence; the frames in order."""
    clock = ManualClock()
    notes: list[dict[str, Any]] = []
    host = Host(ArenaExecutor(Arena(shipped_map("courtyard"), seed=SEED)), now=clock.monotonic())
    with Bridge(
        lambda timeout: Tap(host.connect(clock), clock, notes),
        offer=Offer(features=FEATURES),
        clock=clock,
        keep=False,
    ) as bridge:
        bridge.execute("MOVE", {"vector": [1, 0, 0]}, deadline=2.0)
        bridge.execute("MOVE", {"vector": [4, 0, 0]}, deadline=0.3)
        given_up = bridge.submit("MOVE", {"vector": [0, 3, 0]}, deadline=3.0)
        bridge.cancel(given_up)
        bridge.wait(given_up)
        bridge.execute("MOVE", {"vector": [0, -2, 0]}, deadline=1.0)
        bridge.execute("HOLD")
        bridge.execute("RELEASE")
        bridge.execute("JUMP")
        bridge.next_state(timeout=1.5)
        bridge.execute("EVADE")
        bridge.execute("EVADE")
        bridge.execute("PRIMARY_ATTACK")
        bridge.refresh()
        bridge.execute("STOP")
    return notes
