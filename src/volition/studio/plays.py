"""Evenings that are played here: recorded and shown as they go on, and forked."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.drama.mind.mind import Mind
from volition.drama.playing import Evening
from volition.drama.stage.archive import Recorder
from volition.drama.stage.library import FOLDER
from volition.drama.stage.record import RULES_VERSION
from volition.drama.stage.run import run
from volition.drama.world.scenario import scenario
from volition.studio.background import BackgroundJob, Stopped
from volition.studio.evenings import OpenEvening, comparison_shape, interference_shape
from volition.studio.house import draw_plan
from volition.studio.shapes.plays import ForkAsked, Forked, LiveEnd, PlayAsked
from volition.studio.shapes.records import RunBrief
from volition.studio.unfolding import Unfolding, ending_shape

if TYPE_CHECKING:
    from pathlib import Path

    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.studio.store import RecordStore


PATIENCE: Final = 10.0
"""Seconds for an evening to begin."""


class Play(BackgroundJob):
    """An evening that is being played and recorded."""

    def __init__(self, store: RecordStore, asked: PlayAsked) -> None:
        self._scenario = scenario(asked.scenario)
        self._asked = asked
        self._path: Path = store.new(FOLDER, f"{self._scenario.id}-{asked.seed}")
        self._mind = Mind(self._scenario)
        self._begun: Run | None = None
        self._records: list[TickRecord] = []
        self._done: Run | None = None
        self._open = Event()
        super().__init__(store.id_of(self._path))

    def evening(self) -> Evening | None:
        """The evening so far; None before it has begun."""
        if self._done is not None:
            return Evening(self._done, self._mind)
        if self._begun is None:
            return None
        return Evening(replace(self._begun, ticks=tuple(self._records)), self._mind)

    def brief(self) -> RunBrief:
        """The run so far, in short."""
        return RunBrief(self._scenario.id, self._asked.seed, len(self._records), None, RULES_VERSION, [])

    def work(self) -> None:
        asked = self._asked
        with Recorder(self._path) as recorder:

            def on_begin(begun: Run) -> None:
                recorder.begin(begun)
                self._unfolding = Unfolding(begun, draw_plan(self._scenario))
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
                stop=lambda: self.is_stopping,
            )
            recorder.end(done)
            self._done = done
        if self.is_stopping:
            raise Stopped

    def wait_until_open(self) -> None:
        """Wait until it can be looked at, or has failed to begin."""
        self._open.wait(PATIENCE)

    def end_data(self) -> bytes:
        self._open.set()
        ending = None if self._done is None else ending_shape(self._done.ending)
        reason = "ended" if self.state == "done" else self.state
        return msgspec.json.encode(LiveEnd(reason, ending, self.problem))


def fork(store: RecordStore, shown: OpenEvening, asked: ForkAsked) -> Forked:
    """Fork an evening, play the branch to its end, record it, and compare the two."""
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
    path = store.new(FOLDER, f"{shown.id}-at-{asked.at}")
    branch.save(path)
    interference = [interference_shape(one) for one in branch.run.interference]
    return Forked(store.id_of(path), shown.id, asked.at, interference, comparison_shape(evening.compare(branch)))
