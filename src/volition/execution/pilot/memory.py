"""What a pilot remembers of its own attempts: what was chosen last, what was tried just now, and what failed lately.

It remembers outcomes, not times at which something will be ready again: that would be a cooldown of its own. Its time
is counted in moments: a moment lasts as long as the world's tick stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from volition.execution.door.guard import Guard, RefuseRetry

if TYPE_CHECKING:
    from volition.execution.intents import CanonicalIntent
    from volition.execution.results import FailureReason, Result

FADES = 8
"""Moments after which a failure no longer counts."""


@dataclass(slots=True)
class Memory:
    """The attempts of one pilot."""

    moment: int = 0
    last: str = ""
    """The id of the option chosen last."""
    tried: dict[str, int] = field(default_factory=dict)
    """The kind of option -> the moment in which it was tried last."""
    failed: dict[str, tuple[int, FailureReason]] = field(default_factory=dict)
    """The kind of option -> the moment of its last failure, and the reason."""
    guard: Guard = field(default_factory=Guard)
    """Counts failures in a row as the bridge does."""
    _tick: tuple[int, int] | None = None
    _attempts: int = 0

    def see(self, episode: int, tick: int) -> None:
        """A state was looked at; another tick is another moment."""
        if self._tick != (episode, tick):
            self._tick = (episode, tick)
            self.moment += 1

    def note(self, id: str, intent: CanonicalIntent, result: Result, *, sent: bool = True) -> None:
        """Remember what came of one attempt, and whether it was sent at all."""
        self.tried[kind_of(id)] = self.moment
        if result.status == "FAILURE":
            self.failed[kind_of(id)] = (self.moment, result.failure_reason)
        else:
            self.failed.pop(kind_of(id), None)
        if sent:
            self._attempts += 1
            self.guard.sent(self._attempts, intent, None)
            self.guard.learned(self._attempts, None, result)

    def just_tried(self, id: str) -> bool:
        """Whether this kind of option was tried in this very moment."""
        return self.tried.get(kind_of(id)) == self.moment

    def lately_failed(self, id: str) -> float:
        """How fresh the last failure of this kind of option is, from 1 down to 0."""
        found = self.failed.get(kind_of(id))
        return 0.0 if found is None else max(0.0, 1.0 - (self.moment - found[0]) / FADES)

    @property
    def exhausted(self) -> bool:
        """Whether some intent has used up its retries."""
        return self.guard.exhausted(None)

    def refused(self, intent: CanonicalIntent) -> str:
        """Why the bridge would refuse one more of this intent; nothing where it would not."""
        verdict = self.guard.judge(intent, None, None)
        if not isinstance(verdict, RefuseRetry):
            return ""
        return f"failed {verdict.failures} times in a row with {verdict.reason}"


def kind_of(id: str) -> str:
    """What an outcome speaks of: a MOVE in this direction, however far; any other intent as a whole.

    >>> kind_of("move:east:0.5"), kind_of("attack")
    ('move:east', 'attack')
    """
    return ":".join(id.split(":")[:2])
