"""Ensembles that are being played here: begun from a page, followed, stopped, and continued.

What was played is kept on disk part by part, so a sweep that was stopped, or whose studio ended, goes on where it stopped.
"""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from msgspec import Meta, Struct

from volition.core.errors import NotPossible, Problem
from volition.drama.ensemble import EnsemblePlan, sweep
from volition.drama.ensemble.folder import EnsembleFolder
from volition.studio.background import BackgroundJob
from volition.studio.errors import NoSuch, TooMuch
from volition.studio.store import ENSEMBLES

if TYPE_CHECKING:
    from pathlib import Path

    from volition.studio.scenarios import ScenarioStore
    from volition.studio.store import RecordStore

MOST_EVENINGS: Final = 20_000
"""How many evenings an ensemble begun from a page may have; the command line has no such limit."""
TASK: Final = 0.25
"""Seconds between two reports, and before a stop is noticed; one evening is played to its end."""
PATIENCE: Final = 10.0
"""Seconds for an ensemble to begin."""
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Values = Annotated[list[Name], Meta(min_length=1, max_length=50)]


class SweepAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """Evenings to play: every seed with every combination of the values."""

    scenario: Name = "dinner-party"
    """The id of a scenario that ships, or the place of a file in the studio's folder."""
    first: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 1
    """The first seed."""
    seeds: Annotated[int, Meta(ge=1, le=MOST_EVENINGS)] = 20
    """How many seeds, from the first on."""
    grid: Annotated[dict[Name, Values], Meta(max_length=4)] = {}
    """Values of settings, by their paths in the scenario file."""


class SweepProgress(Struct, frozen=True):
    """How far an ensemble is."""

    done: int
    """How many evenings are played."""
    of: int
    """How many there will be."""
    note: str = ""
    """What takes time before the next one, such as compiling; empty where nothing else does."""


class SweepEnd(Struct, frozen=True):
    """How the stream of an ensemble ended."""

    reason: str
    """Whether it ended, was stopped or failed, or was not being played."""
    problem: Problem | None = None
    """Why it failed, where it did."""


class Sweep(BackgroundJob):
    """An ensemble that is being played into its folder."""

    def __init__(self, id: str, path: Path, plan: EnsemblePlan) -> None:
        self._path, self._plan = path, plan
        self._open = Event()
        self._done = 0
        super().__init__(id)

    @classmethod
    def begin(cls, store: RecordStore, scenarios: ScenarioStore, asked: SweepAsked) -> Sweep:
        """A new ensemble; refused where it has too many evenings, or settings that there are not."""
        seeds = range(asked.first, asked.first + asked.seeds)
        scenario = scenarios.find(asked.scenario)
        points = 1
        for values in asked.grid.values():
            points *= len(values)
        if points * len(seeds) > MOST_EVENINGS:
            raise TooMuch.of(
                f"these are {points * len(seeds)} evenings",
                where="seeds and grid",
                expected=f"at most {MOST_EVENINGS} evenings",
                remedy="ask for fewer, or use volition ensemble run",
            )
        plan = EnsemblePlan.of(scenario, seeds, grid=asked.grid)
        path = store.new(ENSEMBLES, f"{scenario.id}-{asked.first}-{seeds[-1]}")
        return cls(store.id_of(path), path, plan)

    @classmethod
    def resume(cls, store: RecordStore, id: str) -> Sweep:
        """An ensemble that is not finished, to be played on; one with custom code is continued where that is."""
        stored = store.find(id)
        if stored.what != "ensemble":
            raise NoSuch.id("ensemble", id, [])
        folder = EnsembleFolder(stored.path)
        plan = folder.whole_plan()
        if folder.finished or plan.hash != folder.manifest()["hash"]:
            what = "is finished" if folder.finished else "was begun with custom code"
            raise NotPossible.of(
                f"{id} {what}",
                where="the address",
                expected="an ensemble that was stopped, without custom code",
                remedy="open it" if folder.finished else "continue it with volition ensemble run --with",
            )
        return cls(id, stored.path, plan)

    def work(self) -> None:
        try:
            sweep(
                self._plan,
                self._path,
                engine="here",
                workers=1,
                format="jsonl",
                task=TASK,
                progress=self._report,
                notice=self._remark,
            )
        finally:
            self._open.set()

    def _report(self, done: int, of: int) -> None:
        self._done = done
        self.feed.publish("progress", msgspec.json.encode(SweepProgress(done, of)))
        self._open.set()
        self.pause()

    def _remark(self, note: str) -> None:
        self.feed.publish("progress", msgspec.json.encode(SweepProgress(self._done, self._plan.size, note)))
        self._open.set()
        self.pause()

    def wait_until_open(self) -> None:
        """Wait until it is on disk, or has failed to begin."""
        self._open.wait(PATIENCE)

    def end_data(self) -> bytes:
        return msgspec.json.encode(SweepEnd("ended" if self.state == "done" else self.state, self.problem))
