"""The events of a door, in order: everything worth recording, and the critical ones among them in a log.

Where nothing is to be added, an event is what the session has passed on; the events that are defined here are written to a
journal as they are. What the owner of a bridge has decided is told through it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from volition.execution.wire.frames import ErrorFrame, GameEvent, Progress, StateFrame, Welcome
from volition.execution.wire.request import OpenRequest, Outcome
from volition.execution.wire.session.events import RECORD, Breach, LateAnswer, Stalled
from volition.execution.wire.session.phases import Ending  # noqa: TC001  msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.arbitration.recorded import RecordedComposite, RecordedDecision

MOST_KINDS: Final = 64
"""Beyond this many kinds, all others are counted as one: a broken executor may invent names."""

_OTHERS: Final = "others"
_LONGEST: Final = 300
_GRAVE: Final = {"dead", "overrun", "faults", "stop_failed"}


class Connected(Struct, **RECORD):
    """A handshake succeeded; full state and STOP were requested. Connections are numbered from 1.

    `features` are those that both sides have. `body` is the name of the body, where several are recorded together.
    """

    connection: int
    welcome: Welcome
    features: tuple[str, ...] = ()
    body: str = ""


class EpisodeReset(Struct, **RECORD):
    """The executor is asked to begin a new episode with this seed; told before its bytes leave. It has its own ticket."""

    ticket: int
    connection: int
    seed: int
    body: str = ""


class Lost(Struct, **RECORD):
    """A connection was lost; the outcomes of its requests were told before. `error` says why it was never ready."""

    connection: int
    reason: Ending
    error: str = ""


class DecisionMade(Struct, frozen=True):
    """The owner of a bridge has decided what to do next, looking at a state; told before anything is sent for it.

    `step` counts the decisions of one who decides, from 1.
    """

    step: int
    frame: StateFrame | None
    composite: RecordedComposite
    decision: RecordedDecision


DoorEvent: TypeAlias = (
    DecisionMade | Connected | OpenRequest | EpisodeReset | Outcome | LateAnswer | StateFrame | Breach | ErrorFrame | Stalled | GameEvent
    | Progress | Lost
)  # fmt: skip
"""An `OpenRequest` is about to be sent: this event, and all before it, are told before its bytes leave.

Events without a `connection` belong to the newest one.
"""


@dataclass(slots=True)
class _Kind:
    """The unwritten events of one kind, and when the next line is due."""

    due: float
    count: int = 0
    last: str = ""


class CriticalLog:
    """Writes the first event of a kind at once, then at most one line for each kind and `interval`, with counts.

    Every event is counted, in bounded memory. A kind that was quiet for an interval starts over.

    >>> log = CriticalLog(print, interval=10.0)
    >>> for second in range(3):
    ...     log.note("bad_frame", "not JSON", now=float(second))
    bad_frame: not JSON
    >>> log.poll(now=10.0)
    bad_frame: 2 more, the last: not JSON
    """

    def __init__(self, sink: Callable[[str], None], *, interval: float = 10.0) -> None:
        self._sink = sink
        self._interval = interval
        self._kinds: dict[str, _Kind] = {}

    def hear(self, event: DoorEvent, now: float) -> None:
        """Note what is critical among a door's events: breaches of the contract, and connections given up."""
        if isinstance(event, Breach):
            self.note(f"contract violation ({event.kind})", event.what, now)
        elif isinstance(event, Lost) and event.reason in _GRAVE:
            self.note("executor given up", event.reason, now)

    def note(self, kind: str, what: str, now: float) -> None:
        """Something critical happened."""
        kind = _one_line(kind)
        self.poll(now)
        if kind not in self._kinds and len(self._kinds) >= MOST_KINDS - 1:
            kind, what = _OTHERS, f"{kind}: {what}"
        waiting = self._kinds.get(kind)
        if waiting is None:
            self._kinds[kind] = _Kind(now + self._interval)
            self._sink(_one_line(f"{kind}: {what}"))
        else:
            waiting.count += 1
            waiting.last = _one_line(what)

    def poll(self, now: float) -> None:
        """Write what is due."""
        for name, kind in [*self._kinds.items()]:
            if now < kind.due:
                continue
            if kind.count:
                self._write(name, kind, now)
            else:
                del self._kinds[name]

    def close(self, now: float) -> None:
        """Write all remaining counts."""
        for name, kind in self._kinds.items():
            if kind.count:
                self._write(name, kind, now)
        self._kinds.clear()

    def _write(self, name: str, kind: _Kind, now: float) -> None:
        line = f"{name}: {kind.count} more, the last: {kind.last}"
        kind.count, kind.due = 0, now + self._interval
        self._sink(_one_line(line))


def _one_line(text: str) -> str:
    """The text on one line of bounded length, so that it can neither forge log lines nor fill a disk."""
    text = text if text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
