"""Evenings that another process plays: their records are read while they grow.

A record itself shows whether it is still being written: its writer holds a lock that the system releases when the writer
ends, however it ends. Nothing is written here, and no more is kept than of an evening that is played here.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Final

import msgspec

from volition.core.ledger import Reader, is_written
from volition.drama.stage.archive import load_run, tick_from_data
from volition.drama.stage.events import Ending
from volition.studio.background import BackgroundJob, Stopped
from volition.studio.house import draw_plan
from volition.studio.shapes.plays import LiveEnd
from volition.studio.unfolding import Unfolding, ending_shape

if TYPE_CHECKING:
    from pathlib import Path

POLL: Final = 0.1
"""Seconds between two looks at a growing record."""
PATIENCE: Final = 10.0
"""Seconds after which a record without followers is no longer read."""
AT_ONCE: Final = 8
"""How many evenings of other processes are read at the same time."""


class EveningFollower(BackgroundJob):
    """Reads a growing record: every tick is reported as if it were played here, until its writer is done."""

    def __init__(self, id: str, path: Path) -> None:
        self._path = path
        self._ending: Ending | None = None
        self._last_followed = monotonic()
        super().__init__(id)

    def work(self) -> None:
        run = load_run(self._path)
        unfolding = Unfolding(replace(run, ticks=(), ending=None), draw_plan(run.scenario))
        for record in Reader(self._path).follow(start=2, stop=self._is_over, poll=POLL):
            body = record.body
            if body["record"] == "end":
                self._ending = Ending(*(body[part] for part in Ending._fields))
                return
            self.feed.tell("tick", msgspec.json.encode(unfolding.live(tick_from_data(body))))

    def end_data(self) -> bytes:
        ended = self.state == "done" and self._ending is not None
        reason = "ended" if ended else "failed" if self.state == "failed" else "stopped"
        return msgspec.json.encode(LiveEnd(reason, ending_shape(self._ending), self.problem))

    def _is_over(self) -> bool:
        """Whether nothing more will come; raises Stopped where nobody follows any more."""
        self.pause()
        now = monotonic()
        if self.feed.has_followers:
            self._last_followed = now
        if now - self._last_followed > PATIENCE:
            raise Stopped
        return not is_written(self._path)
