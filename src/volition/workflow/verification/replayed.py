"""The rows that follow from the events of a project so far, and which event each of them is from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from volition.workflow.store.rows import MemoryRows, StoredRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.workflow.store.events import RecordedEvent

_YEAR_10000: Final = 253_402_300_800_000


class ReplayedRows(MemoryRows):
    """Rows in memory; what the event that happens now has put is in `changed`."""

    def __init__(self, project: str) -> None:
        super().__init__(project)
        self.changed: list[StoredRow] = []
        self.began = 0
        """The event after which the replay begins, with the rows of a checkpoint."""
        self._event: RecordedEvent | None = None
        self._events: dict[tuple[type[StoredRow], tuple[str, ...]], RecordedEvent] = {}

    def begin(self, event: RecordedEvent) -> None:
        """Let another event happen."""
        self._event = event
        self.changed.clear()

    def put(self, row: StoredRow) -> None:
        super().put(row)
        self.changed.append(row)
        if self._event is not None:
            self._events[type(row), row.key] = self._event

    def begin_after(self, rows: Iterable[StoredRow], seq: int) -> None:
        """Begin with the rows of a checkpoint."""
        self.began = seq
        for row in rows:
            self.put(row)

    @property
    def beginning(self) -> str:
        """Where a row comes from that no event has changed."""
        return f"by the checkpoint after event {self.began}" if self.began else "by no event"

    def last_event(self, kind: type[StoredRow], key: tuple[str, ...]) -> RecordedEvent | None:
        """The event that last changed a row."""
        return self._events.get((kind, key))


def describe_event(event: RecordedEvent) -> str:
    """An event in a few words: its number, what, about whom or what, by whom and when."""
    return f"event {event.seq} ({event.what} {event.subject}, by {event.actor} at {date_of(event.at)})"


def date_of(milliseconds: int) -> str:
    """A time as people write it; one that no calendar has, as a number.

    >>> date_of(1_769_335_200_000), date_of(10**17)
    ('2026-01-25T10:00:00Z', '100000000000000000 ms')
    """
    if not 0 <= milliseconds < _YEAR_10000:
        return f"{milliseconds} ms"
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
