"""What changed lately: one thread looks at the registry, at the saved evaluations and at the guard's journal while a page follows."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import Struct

from volition.core.errors import VolitionError
from volition.studio.background import BackgroundJob, Feed, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    Look = Callable[[], Hashable]

ChangedPart = Literal["registry", "evaluations", "guard"]
POLL: Final = 0.5
"""Seconds between two looks."""
REPORTS_KEPT: Final = 8
"""How many reports a follower may be behind: each names other parts, so none may be skipped."""
UNWATCHED: Final = 5.0
"""Seconds without a follower after which nobody looks any more."""
ID: Final = "changes"


class Changed(Struct, frozen=True):
    """What is not as it was at the last look; everything, at the first one."""

    parts: list[ChangedPart]
    """The registry, the saved evaluations, or the guard's journal."""


class ChangesEnded(Struct, frozen=True):
    """Nothing more is reported."""

    reason: str
    """Why: `stopped`, or `failed`."""


class ChangeFollower(BackgroundJob):
    """Reports changes. Whoever begins to follow gets the last reports at once, so nothing that came before is missed."""

    def __init__(self, looks: dict[ChangedPart, Look]) -> None:
        super().__init__(ID)
        self.feed = Feed(REPORTS_KEPT)
        self._looks = looks
        self._last_followed = monotonic()

    def work(self) -> None:
        seen: dict[ChangedPart, Hashable] = {}
        while True:
            looked = {part: _look(look) for part, look in self._looks.items()}
            changed = [part for part in looked if part not in seen or looked[part] != seen[part]]
            if changed:
                self.feed.publish("change", msgspec.json.encode(Changed(changed)))
            seen = looked
            self._leave_if_unwatched()
            self.wait(POLL)
            self.pause()

    def end_data(self) -> bytes:
        return msgspec.json.encode(ChangesEnded(self.state))

    def _leave_if_unwatched(self) -> None:
        now = monotonic()
        if self.feed.has_followers:
            self._last_followed = now
        if now - self._last_followed > UNWATCHED:
            raise Stopped


def _look(look: Look) -> Hashable:
    """What a look shows; that something cannot be looked at is something to see, too."""
    try:
        return look()
    except (VolitionError, OSError) as error:
        return str(error)
