"""Causes: the earlier events that an act responds to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CATASTROPHE, SOCIAL_MOVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from volition.drama.stage.events import Event

MOST = 5
_ADDRESSED, _MOVED, _BOND, _STRAINED = 3, 2, 5, 5
"""How many ticks back each kind of cause may lie."""


def effects(events: Sequence[Event]) -> dict[str, tuple[str, ...]]:
    """The effects of each event: the later events that have it as a cause, in order."""
    effects_of: dict[str, list[str]] = {event.id: [] for event in events}
    for event in events:
        for cause in effects_of.keys() & event.causes:
            effects_of[cause].append(event.id)
    return {id: tuple(later) for id, later in effects_of.items()}


class Causes:
    """An index of past events, to find causes."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._addressed: dict[str, Event] = {}
        self._moved: dict[str, Event] = {}
        self._taught: dict[tuple[str, str], Event] = {}
        self._asked: dict[tuple[str, str], Event] = {}
        self._bond: dict[frozenset[str], Event] = {}
        self._strained: dict[str, list[Event]] = {}
        self._room: dict[str, Event] = {}
        self._last: Event | None = None
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Add an event to the index."""
        for other in event.targets:
            self._addressed[other] = event
        if event.type == SOCIAL_MOVE:
            self._moved[event.source] = event
        for delta in event.deltas:
            if delta.kind == "belief":
                self._taught[delta.agent, delta.key] = event
            elif delta.kind == "bond":
                self._bond[frozenset((delta.agent, delta.key))] = event
        if "question" in event.details:
            self._asked[event.targets[0], event.details["question"]] = event
        for strained in {strain.agent for strain in event.strains if strain.number == "stress" and strain.amount > 0}:
            self._strained.setdefault(strained, []).append(event)
        self._room[event.room] = self._last = event

    def of(
        self, tick: int, type: int, source: str, targets: tuple[str, ...], room: str, secret: str | None
    ) -> tuple[str, ...]:
        """The ids of at most five events that an act responds to; only the very first event has none."""
        causes = dict.fromkeys(event.id for event in self._causing_events(tick, type, source, targets, secret))
        if not causes and self._last is not None:
            return (self._room.get(room, self._last).id,)
        return tuple(causes)[:MOST]

    def _causing_events(
        self, tick: int, type: int, source: str, targets: tuple[str, ...], secret: str | None
    ) -> Iterator[Event]:
        if type == CATASTROPHE:
            yield from (event for event in self._strained.get(source, [])[-MOST:] if tick - event.tick <= _STRAINED)
        if (event := self._addressed.get(source)) and tick - event.tick <= _ADDRESSED:
            yield event
        if secret is not None:
            yield from (
                event for event in (self._asked.get((source, secret)), self._taught.get((source, secret))) if event
            )
        if (event := self._moved.get(source)) and tick - event.tick <= _MOVED:
            yield event
        for other in targets:
            if (event := self._bond.get(frozenset((source, other)))) and tick - event.tick <= _BOND:
                yield event
