"""What a pilot remembers of its attempts: the last choice, what was tried in this moment, and what failed recently.

It remembers outcomes, not times at which something will be ready again: the pilot keeps no cooldowns. Time is counted in
moments: a moment lasts as long as the world's tick stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from volition.execution.door.guard import Guard, RefuseRetry

if TYPE_CHECKING:
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.results import FailureReason, Result

FADES = 8
"""Moments after which a failure no longer counts."""


@dataclass(slots=True)
class AttemptMemory:
    """The attempts of one pilot."""

    moment: int = 0
    last: str = ""
    """The id of the option chosen last."""
    tried: dict[str, int] = field(default_factory=dict)
    """The kind of option -> the moment in which it was tried last."""
    failed: dict[str, tuple[int, FailureReason]] = field(default_factory=dict)
    """The kind of option -> the moment of its last failure, and the reason."""
    guard: Guard = field(default_factory=Guard)
    """Counts consecutive failures like the bridge."""
    _tick: tuple[int, int] | None = None
    _attempts: int = 0

    def see(self, episode: int, tick: int) -> None:
        """Note a state: another tick is another moment."""
        if self._tick != (episode, tick):
            self._tick = (episode, tick)
            self.moment += 1

    def note(self, id: str, intent: AnyIntent, result: Result, *, sent: bool = True) -> None:
        """Remember the result of an attempt, and whether it was sent."""
        self.tried[kind_of(id)] = self.moment
        if result.status == "FAILURE":
            self.failed[kind_of(id)] = (self.moment, result.failure_reason)
        else:
            self.failed.pop(kind_of(id), None)
        if sent:
            self._attempts += 1
            self.guard.note_sent(self._attempts, intent, None)
            self.guard.note_result(self._attempts, None, result)

    def was_just_tried(self, id: str) -> bool:
        """Whether this kind of option was tried in this moment."""
        return self.tried.get(kind_of(id)) == self.moment

    def failure_recency(self, id: str) -> float:
        """How recent the last failure of this kind of option is, from 1 down to 0."""
        found = self.failed.get(kind_of(id))
        return 0.0 if found is None else max(0.0, 1.0 - (self.moment - found[0]) / FADES)

    @property
    def exhausted(self) -> bool:
        """Whether some intent has used up its retries."""
        return self.guard.has_used_retries(None)

    def refusal(self, intent: AnyIntent) -> str:
        """Why the bridge would refuse this intent; empty where it would not."""
        verdict = self.guard.judge(intent, None, None)
        if not isinstance(verdict, RefuseRetry):
            return ""
        return f"failed {verdict.failures} times in a row with {verdict.reason}"


def kind_of(id: str) -> str:
    """What an outcome counts for: a MOVE in this direction, of any length; any other intent as a whole.

    >>> kind_of("move:east:0.5"), kind_of("attack")
    ('move:east', 'attack')
    """
    return ":".join(id.split(":")[:2])
