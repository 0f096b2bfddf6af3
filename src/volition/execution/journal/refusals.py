"""Refused retries on their way into the journal: a policy that keeps trying is one record with a count, not a flood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from volition.execution.door.outcome import Outcome

MOST_RANGES: Final = 64
"""The most ranges of tickets in one record: the tickets of several agents may alternate."""


class RefusedRetries:
    """Equal refusals of one agent, and their tickets as inclusive ranges."""

    __slots__ = ("body", "first", "tickets")

    def __init__(self, body: str, first: Outcome) -> None:
        self.body = body
        self.first = first
        self.tickets = [[first.ticket, first.ticket]]

    @property
    def count(self) -> int:
        return sum(last - first + 1 for first, last in self.tickets)

    def takes(self, outcome: Outcome) -> bool:
        """Add a refusal that equals the first one; False where it differs."""
        first, ticket, newest = self.first, outcome.ticket, self.tickets[-1]
        alike = first.requested.intent == outcome.requested.intent and first.reason == outcome.reason
        if not alike or len(self.tickets) >= MOST_RANGES:
            return False
        if ticket == newest[1] + 1:
            newest[1] = ticket
        else:
            self.tickets.append([ticket, ticket])
        return True


class Refusals:
    """The refusals not yet written, by body and agent, oldest first."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str | None], RefusedRetries] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, body: str, outcome: Outcome) -> list[RefusedRetries]:
        """Add a refusal; returns what must be written before it."""
        key = (body, outcome.requested.agent)
        waiting = self._waiting.get(key)
        if waiting is not None and waiting.takes(outcome):
            return []
        self._waiting[key] = RefusedRetries(body, outcome)
        return [] if waiting is None else [waiting]

    def end_all(self) -> list[RefusedRetries]:
        """Empty the collection; returns what must be written."""
        ended, self._waiting = [*self._waiting.values()], {}
        return ended
