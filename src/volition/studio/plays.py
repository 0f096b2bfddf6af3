"""Evenings that are played here: recorded as they go, shown as they go, and branched off."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.drama.evening import Evening
from volition.drama.mind.mind import Mind
from volition.drama.stage.archive import Recorder
from volition.drama.stage.library import FOLDER
from volition.drama.stage.record import RULES_VERSION
from volition.drama.stage.run import run
from volition.drama.world.scenario import scenario
from volition.studio.evenings import Shown, comparison_shape, ending_shape, interference_shape
from volition.studio.house import plan_of
from volition.studio.shapes.plays import ForkAsked, Forked, PlayAsked
from volition.studio.shapes.records import RunBrief
from volition.studio.unfolding import Unfolding
from volition.studio.work import Job, Stopped

if TYPE_CHECKING:
    from pathlib import Path

    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.studio.shelf import Shelf


PATIENCE: Final = 10.0
"""Seconds for an evening to begin."""


class Play(Job):
    """An evening that is being played and recorded."""

    def __init__(self, shelf: Shelf, asked: PlayAsked) -> None:
        self._scenario = scenario(asked.scenario)
        self._asked = asked
        self._path: Path = shelf.new(FOLDER, f"{self._scenario.id}-{asked.seed}")
        self._mind = Mind(self._scenario)
        self._begun: Run | None = None
        self._records: list[TickRecord] = []
        self._done: Run | None = None
        self._open = Event()
        super().__init__(shelf.id_of(self._path))

    def evening(self) -> Evening | None:
        """The evening as far as it has come; None before it has begun."""
        if self._done is not None:
            return Evening(self._done, self._mind)
        if self._begun is None:
            return None
        return Evening(replace(self._begun, ticks=tuple(self._records)), self._mind)

    def brief(self) -> RunBrief:
        """The run in short, as far as it has come."""
        return RunBrief(self._scenario.id, self._asked.seed, len(self._records), None, RULES_VERSION, [])

    def work(self) -> None:
        asked = self._asked
        with Recorder(self._path) as recorder:

            def on_begin(begun: Run) -> None:
                recorder.begin(begun)
                self._unfolding = Unfolding(begun, plan_of(self._scenario))
                self._begun = begun
                self._open.set()

            def on_tick(_: Any, record: TickRecord) -> None:
                recorder.tick(record)
                lived = self._unfolding.live(record)
                self._records.append(record)
                self.feed.tell("tick", msgspec.json.encode(lived))
                self.wait(asked.pace)

            done = run(
                self._scenario,
                asked.seed,
                ticks=asked.ticks,
                mind=self._mind,
                on_begin=on_begin,
                on_tick=on_tick,
                stop=lambda: self.stopping,
            )
            recorder.end(done)
            self._done = done
        if self.stopping:
            raise Stopped

    def opened(self) -> None:
        """Wait until it can be asked, or has failed to begin."""
        self._open.wait(PATIENCE)

    def over(self) -> bytes:
        self._open.set()
        ending = None if self._done is None else ending_shape(self._done.ending)
        reason = "ended" if self.state == "done" else self.state
        problem = None if self.problem is None else self.problem.to_data()
        return msgspec.json.encode({"reason": reason, "ending": ending, "problem": problem})


def fork(shelf: Shelf, shown: Shown, asked: ForkAsked) -> Forked:
    """Branch off an evening, play it to its end, record it, and say what changed."""
    evening = shown.evening
    branch = evening.fork(
        asked.at,
        veto=asked.veto,
        force=asked.force,
        set=asked.set,
        agent=asked.agent,
        weights=asked.weights,
        without=asked.without,
    )
    path = shelf.new(FOLDER, f"{shown.id}-at-{asked.at}")
    branch.save(path)
    told = [interference_shape(one) for one in branch.run.interference]
    return Forked(shelf.id_of(path), shown.id, asked.at, told, comparison_shape(evening.compare(branch)))
