"""What a pilot remembers of its own attempts: what was chosen last, what was tried just now, and what failed lately.

It remembers outcomes, not times at which something will be ready again: that would be a cooldown of its own. Its time
is counted in moments: a moment lasts as long as the world's tick stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from volition.execution.results import FailureReason, Label, Status

FADES = 8
"""Moments after which a failure no longer counts."""
TRIES = 4
"""A first attempt and three retries: the bridge refuses what comes after."""


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
    run: tuple[str, FailureReason, int] | None = None
    """The intent that fails again and again: its name, the reason, and how often in a row."""
    _tick: tuple[int, int] | None = None

    def see(self, episode: int, tick: int) -> None:
        """A state was looked at; another tick is another moment."""
        if self._tick != (episode, tick):
            self._tick = (episode, tick)
            self.moment += 1

    def note(self, id: str, name: str, status: Status, reason: FailureReason, label: Label) -> None:
        """Remember one attempt of the intent `name`."""
        self.tried[kind_of(id)] = self.moment
        if status == "FAILURE":
            self.failed[kind_of(id)] = (self.moment, reason)
        else:
            self.failed.pop(kind_of(id), None)
        if label == "refused_retry":
            return
        if status != "FAILURE" or name == "STOP":
            self.run = None
        elif self.run is not None and self.run[:2] == (name, reason):
            self.run = (name, reason, self.run[2] + 1)
        else:
            self.run = (name, reason, 1)

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
        return self.run is not None and self.run[2] >= TRIES

    def refused(self, name: str) -> str:
        """Why the bridge would refuse one more of this intent; nothing where it would not."""
        if self.run is None or self.run[0] != name or not self.exhausted:
            return ""
        return f"failed {self.run[2]} times in a row with {self.run[1]}"


def kind_of(id: str) -> str:
    """What an outcome speaks of: a MOVE in this direction, however far; any other intent as a whole.

    >>> kind_of("move:east:0.5"), kind_of("attack")
    ('move:east', 'attack')
    """
    return ":".join(id.split(":")[:2])
