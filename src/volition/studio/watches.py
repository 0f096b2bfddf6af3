"""Evenings that another process plays: their records are read along while they grow.

A record says by itself whether it is still being written: its writer holds a lock that the system takes back when the
writer ends, however it ends. Nothing is written here, and no more is kept than of an evening that is played here.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Final

import msgspec

from volition.core.ledger import Reader, is_written
from volition.drama.stage.archive import load_run, tick_from_data
from volition.drama.stage.events import Ending
from volition.studio.evenings import ending_shape
from volition.studio.house import plan_of
from volition.studio.unfolding import Unfolding
from volition.studio.work import Job, Stopped

if TYPE_CHECKING:
    from pathlib import Path

POLL: Final = 0.1
"""Seconds between two looks at a record that grows."""
PATIENCE: Final = 10.0
"""Seconds after which a record that nobody follows is not read along any more."""
AT_ONCE: Final = 8
"""How many evenings of other processes are read along at the same time."""


class Watch(Job):
    """An evening that is read along: every tick is told as if it was played here, until its writer is done."""

    def __init__(self, id: str, path: Path) -> None:
        self._path = path
        self._ending: Ending | None = None
        self._asked = monotonic()
        super().__init__(id)

    def work(self) -> None:
        run = load_run(self._path)
        unfolding = Unfolding(replace(run, ticks=(), ending=None), plan_of(run.scenario))
        for record in Reader(self._path).follow(start=2, stop=self._is_over, poll=POLL):
            body = record.body
            if body["record"] == "end":
                self._ending = Ending(*(body[part] for part in Ending._fields))
                return
            self.feed.tell("tick", msgspec.json.encode(unfolding.live(tick_from_data(body))))

    def over(self) -> bytes:
        ended = self.state == "done" and self._ending is not None
        reason = "ended" if ended else "failed" if self.state == "failed" else "stopped"
        problem = None if self.problem is None else self.problem.to_data()
        return msgspec.json.encode({"reason": reason, "ending": ending_shape(self._ending), "problem": problem})

    def _is_over(self) -> bool:
        """Whether nothing more will come; raises Stopped where nobody wants it."""
        self.pause()
        now = monotonic()
        if self.feed.followed:
            self._asked = now
        if now - self._asked > PATIENCE:
            raise Stopped
        return not is_written(self._path)
