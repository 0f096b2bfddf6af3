"""Evenings that go on: played and recorded here, forked, or played by another process.

A record itself shows whether it is still being written: its writer holds a lock that the system releases when the writer
ends, however it ends. Following one writes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from volition.core.errors import Problem, refuse
from volition.core.ledger.reader import Reader
from volition.core.ledger.segment import is_written
from volition.core.typed import convert
from volition.drama.audience.deeds import describe_act
from volition.drama.audience.floor_plan import draw_plan
from volition.drama.audience.timeline import (
    EndingShape,
    Unfolding,
    ending_shape,
)
from volition.drama.mind.mind import Mind
from volition.drama.playing.evening import Evening
from volition.drama.playing.fork import sign_fork
from volition.drama.stage.archive import Recorder, load_run, tick_from_data
from volition.drama.stage.events import Ending
from volition.drama.stage.library import FOLDER
from volition.drama.stage.record import RULES_VERSION
from volition.drama.stage.run import run
from volition.drama.world.scenario import scenario
from volition.studio.background import BackgroundJob, Stopped
from volition.studio.decisions import Weights  # noqa: TC001
from volition.studio.evenings import (
    InterferenceShape,
    OpenEvening,
    interference_shape,
)
from volition.studio.records import RunBrief

if TYPE_CHECKING:
    from pathlib import Path

    from volition.core.signing import Signer
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.studio.store import RecordStore

PATIENCE: Final = 10.0
"""Seconds for an evening to begin."""
POLL: Final = 0.1
"""Seconds between two looks at a growing record."""
UNWATCHED: Final = 10.0
"""Seconds after which a record without followers is no longer read."""
FOLLOWED_AT_ONCE: Final = 8
"""How many evenings of other processes are read at the same time."""
Name = Annotated[str, Meta(min_length=1, max_length=200)]


class PlayAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """An evening to play and record. `pace` is seconds per tick, for those who watch."""

    scenario: Name = "dinner-party"
    """The id of a scenario that ships."""
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 1
    """The seed."""
    ticks: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    """The most ticks; those of the scenario if not given."""
    pace: Annotated[float, Meta(ge=0.0, le=5.0)] = 0.0
    """Seconds for each tick, for those who watch."""


class LiveEnd(Struct, frozen=True):
    """How the stream of an evening ended: `reason` is "ended", "stopped", "failed" or "not live"."""

    reason: str
    """Whether it ended, was stopped or failed, or was not live."""
    ending: EndingShape | None = None
    """How the evening ended, where it did."""
    problem: Problem | None = None
    """Why it failed, where it did."""


class ForkAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """Where to fork, and what to change: an act forced or vetoed, parts of the state set, other weights for the
    agent's choice there, or intentions left out of it."""

    at: int
    """The tick."""
    agent: Name | None = None
    """Whose act is meant."""
    force: Name | None = None
    """An act that is done whatever the votes."""
    veto: Name | None = None
    """An act that is forbidden."""
    set: list[Name] = []
    """Parts of the state, each as PATH=VALUE."""
    weights: Weights = {}
    """Other weights for the agent's choice."""
    without: list[Name] = []
    """Intentions that are left out of it."""


class ComparisonShape(Struct, frozen=True):
    """Two evenings side by side; pairs are the first evening's value and the branch's. `choices` are the first that
    differ: tick, person, here, there; `words` are these acts in words, by person and id."""

    parted: int | None
    """The first tick at which they differ; null where they do not."""
    choices: list[tuple[int, str, str | None, str | None]]
    """The first choices that differ: tick, person, here, there."""
    endings: tuple[EndingShape | None, EndingShape | None]
    """How each ended."""
    events: tuple[int, int]
    """How many events each has."""
    broke: tuple[list[str], list[str]]
    """Who broke in each."""
    left: dict[str, tuple[bool, bool]]
    """Who left, here and there."""
    beliefs: list[tuple[str, str, str, str]]
    """Beliefs that differ: person, secret, here, there."""
    trust: list[tuple[str, str, float, float]]
    """Trust that differs: from, to, here, there."""
    text: str
    """The difference, in words."""
    words: dict[str, dict[str, str]]
    """The acts of `choices` in words, by person and id."""


class Forked(Struct, frozen=True):
    """The new run, what was done to it, and how it differs."""

    run: str
    """The id of the new run."""
    of: str
    """The id of the run that was forked."""
    at: int
    """The tick."""
    interference: list[InterferenceShape]
    """What was done."""
    comparison: ComparisonShape
    """How the two differ."""
    by: str = ""
    """Who forked it."""
    key: str | None = None
    """The public key that signed it; null where nothing is signed."""


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
                self.feed.publish("tick", msgspec.json.encode(lived))
                self.wait(asked.pace)

            played = run(
                self._scenario,
                asked.seed,
                ticks=asked.ticks,
                mind=self._mind,
                on_begin=on_begin,
                on_tick=on_tick,
                stop=lambda: self.is_stopping,
            )
            recorder.end(played)
            self._done = played
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
                self._ending = convert(body, Ending)
                return
            self.feed.publish("tick", msgspec.json.encode(unfolding.live(tick_from_data(body))))

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
        if now - self._last_followed > UNWATCHED:
            raise Stopped
        return not is_written(self._path)


def fork(
    store: RecordStore, shown: OpenEvening, asked: ForkAsked, by: str = "", signer: Signer | None = None
) -> Forked:
    """Fork an evening, play the branch to its end, record it, signed if there is a key, and compare the two."""
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
    if signer is not None:
        sign_fork(path, shown.id, asked.at, by, signer, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    interference = [interference_shape(evening.scenario, each) for each in branch.run.interference]
    key = None if signer is None else signer.public
    return Forked(store.id_of(path), shown.id, asked.at, interference, _comparison(evening, branch), by, key)


def compare(shown: OpenEvening, other: OpenEvening) -> ComparisonShape:
    """What is different in another evening of the same scenario."""
    if shown.evening.scenario.hash != other.evening.scenario.hash:
        refuse(
            f"{other.id} is of another scenario than {shown.id}",
            where="other",
            expected="two runs of one scenario",
            remedy="choose another run",
        )
    return _comparison(shown.evening, other.evening)


def _comparison(evening: Evening, branch: Evening) -> ComparisonShape:
    compared = evening.compare(branch)
    words: dict[str, dict[str, str]] = {}
    for _, who, *acts in compared.choices:
        words.setdefault(who, {}).update(
            {act: describe_act(evening.scenario, who, act) or act for act in acts if act is not None}
        )
    return convert({**compared.to_data(), "text": str(compared), "words": words}, ComparisonShape)
