"""Drives through the arena, here or in a JVM, as pages follow them: maps, steps and results."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from volition.core.errors import Problem  # noqa: TC001  msgspec reads the annotations
from volition.execution.connecting.connect import connect
from volition.execution.journal.decisions import find_decision
from volition.execution.journal.journal import Journal
from volition.execution.journal.marks import LEGEND as MARKS
from volition.execution.journal.marks import JournalMark, LiveMarks
from volition.execution.worlds.arena import shipped_map
from volition.execution.worlds.arena.ground import LEGEND, SHIPPED_MAPS
from volition.execution.worlds.arena.view import render
from volition.execution.worlds.pilot import Pilot, drive
from volition.execution.worlds.pilot.course import (
    Bin,
    Course,
)
from volition.execution.worlds.pilot.judge import parse_goal
from volition.studio.background import BackgroundJob
from volition.studio.errors import NoSuch
from volition.studio.store import JOURNALS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from volition.arbitration.decision import Decision
    from volition.execution.client.bridge import Bridge
    from volition.execution.connecting.connect import Pace
    from volition.execution.journal.records import Attempt
    from volition.execution.wire.request import Outcome
    from volition.execution.worlds.pilot.course import PilotStep
    from volition.studio.store import RecordStore

STEPS_KEPT: Final = 500
"""How many of the last steps keep their decisions in memory; a journal has those of all steps."""
MARKS_KEPT: Final = 2000
"""How many of the last marks are kept in memory; a journal has all of them."""
LATENCY_EVERY: Final = 10
"""How many steps pass between two reports of the latency."""
_numbers = count(1)


class DriveAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """A drive through the arena, in this process or in a JVM, where time is always real.

    `goal` is "opponent", or a place "X,Y" in tiles; with `journal` the drive is recorded.
    """

    executor: Literal["embedded", "java"] = "embedded"
    """Whether the arena runs in this process or in a JVM."""
    map: Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,40}\Z")] = "courtyard"
    """The name of the map."""
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 0
    """The seed of the arena."""
    steps: Annotated[int, Meta(ge=1, le=5000)] = 300
    """The most steps to take."""
    goal: Annotated[str, Meta(min_length=1, max_length=40)] = "opponent"
    """`opponent`, or a place X,Y in tiles."""
    pace: Literal["real", "fast"] = "real"
    """Whether time is real or as fast as possible."""
    journal: bool = True
    """Whether it is recorded."""


class MapShape(Struct, frozen=True):
    """A map of the arena; `legend` explains its letters."""

    name: str
    """The name of the map."""
    rows: list[str]
    """Its rows, a letter for each tile."""
    legend: dict[str, str]
    """What each letter means."""


class LatencyShape(Struct, frozen=True):
    """How long the executor's `results` took, in microseconds: each is in one bin, `lasting` of them because the attempt
    itself lasted. `p50` and `p99` are of the immediate results, None where there are none."""

    p50: float | None
    """The median of immediate results, in microseconds."""
    p99: float | None
    """The 99th percentile of immediate results, in microseconds."""
    results: int
    """How many results there were."""
    lasting: int
    """How many of them took time because the attempt lasted."""
    bins: list[Bin]
    """How many results took how long."""


class OutcomeShape(Struct, frozen=True):
    """The result of an intent; `answered` is false where the executor did not say."""

    intent: str
    """The name of the intent."""
    parameters: Any
    """Its parameters; null where nothing was sent."""
    status: str
    """What the executor said."""
    reason: str
    """Why it failed; empty where it did not."""
    label: str
    """The result in a word."""
    detail: str
    """The result in words."""
    answered: bool
    """Whether the executor said anything."""
    elapsed_us: float
    """How long it took, in microseconds."""
    violations: list[str]
    """How the result broke the contract."""


class DriveStep(Struct, frozen=True):
    """One step: what was chosen and why, its outcome, and the counts so far.

    `state` is the arena's state after the step, without the map, and `picture` the same as text. `outcome` is None where
    the pilot waited.
    """

    number: int
    """The number of the step, from 1 on."""
    tick: int
    """The tick of the arena."""
    episode: int
    """The number of the episode."""
    chosen: str | None
    """The id of what was chosen; null where the pilot waited."""
    why: str
    """Why, in words."""
    rival: str | None
    """The best rival."""
    vetoed: int
    """How many candidates were vetoed."""
    outcome: OutcomeShape | None
    """What came of it; null where the pilot waited."""
    verdict: str
    """How the step was judged."""
    because: str
    """Why it was judged so."""
    state: Any
    """The state of the arena after the step, without the map."""
    picture: str | None
    """The same as text."""
    course: dict[str, Any]
    """The counts so far."""
    marks: list[JournalMark]
    """What happens in it that is worth going to; the legend of the drive explains each kind."""


class DriveShape(Struct, frozen=True):
    """A drive so far. `steps_kept` are the numbers of the first and last step whose decision is available."""

    id: str
    """The id of the drive."""
    executor: str
    """Whether the arena runs in this process or in a JVM."""
    map: MapShape
    """The map."""
    seed: int
    """The seed of the arena."""
    most_steps: int
    """The most steps that it takes."""
    goal: str
    """Where it goes."""
    pace: str
    """Whether time is real or as fast as possible."""
    state: Literal["running", "done", "stopped", "failed"]
    """Whether it goes on, and else how it ended."""
    problem: Problem | None
    """Why it failed, where it did."""
    steps: int
    """How many steps were taken."""
    steps_kept: tuple[int, int] | None
    """The first and last step whose decision is available; with a journal, these are all steps."""
    course: dict[str, Any]
    """The counts so far."""
    latency: LatencyShape | None
    """How long results took; null where time was virtual."""
    journal: str | None
    """The id of its record; null where it has none."""
    last: DriveStep | None
    """The last step."""
    marks: list[JournalMark]
    """What happened so far that is worth going to, in the order of the steps; of a long drive, the last of it."""
    legend: dict[str, str]
    """What each kind of mark means."""


def shipped_maps() -> list[MapShape]:
    """The maps that ship with the arena."""
    return [_find_map(name) for name in SHIPPED_MAPS]


class Drive(BackgroundJob):
    """A pilot that drives through the arena in the background."""

    def __init__(self, store: RecordStore, asked: DriveAsked) -> None:
        self.asked = asked
        self.map = _find_map(asked.map)
        self.goal = parse_goal(asked.goal)
        self.course = Course(self.goal)
        self.steps: deque[PilotStep] = deque(maxlen=STEPS_KEPT)
        self.last: DriveStep | None = None
        self.marks: deque[JournalMark] = deque(maxlen=MARKS_KEPT)
        self._folder: Path | None = store.new(JOURNALS, f"drive-{asked.map}-{asked.seed}") if asked.journal else None
        self.journal = None if self._folder is None else store.id_of(self._folder)
        super().__init__(f"drive-{next(_numbers)}")

    def work(self) -> None:
        asked = self.asked
        pace: Pace = "real" if asked.pace == "real" else "virtual"
        meta = {"map": asked.map, "seed": asked.seed, "goal": str(self.goal), "pace": asked.pace}
        with ExitStack() as until_the_end:
            journal = None
            if self._folder is not None:
                journal = until_the_end.enter_context(Journal(self._folder, meta=meta))
            heard = LiveMarks(journal)
            until_the_end.callback(self._mark_end, heard)
            bridge = until_the_end.enter_context(
                connect(asked.executor, map=asked.map, seed=asked.seed, pace=pace, journal=heard)
            )
            drive(bridge, asked.steps, lambda step: self._add(step, bridge, heard), pilot=Pilot(goal=self.goal))

    def _add(self, step: PilotStep, bridge: Bridge, heard: LiveMarks) -> None:
        self.course.add(step)
        self.steps.append(step)
        marks = [JournalMark(step.number, kind, text) for kind, text in heard.take()]
        self.marks.extend(marks)
        self.last = self._step_shape(step, bridge, marks)
        self.feed.publish("step", msgspec.json.encode(self.last))
        if step.number % LATENCY_EVERY == 0:
            self.feed.publish("latency", msgspec.json.encode(self.latency()))
        self.pause()

    def _mark_end(self, heard: LiveMarks) -> None:
        """What happened after the last step, such as a stop, is marked there."""
        heard.end()
        self.marks.extend(JournalMark(max(1, self.course.steps), kind, text) for kind, text in heard.take())

    def _step_shape(self, step: PilotStep, bridge: Bridge, marks: list[JournalMark]) -> DriveStep:
        why = step.decision.why()
        state = without_map((bridge.state or step.frame).data)
        return DriveStep(
            number=step.number,
            tick=step.situation.tick,
            episode=step.situation.episode,
            chosen=step.decision.id,
            why=why.text,
            rival=why.over,
            vetoed=len(step.decision.tally.vetoed),
            outcome=_outcome(step),
            verdict=step.judged.verdict,
            because=step.judged.because,
            state=state,
            picture=draw_state(state, self.map),
            course=self.course.to_data(),
            marks=marks,
        )

    def latency(self) -> LatencyShape | None:
        """How long results took; None where there are none, or time was virtual."""
        bins, immediate = self.course.times.bins, self.course.latency
        if not bins or (self.asked.pace != "real" and self.asked.executor == "embedded"):
            return None
        p50, p99 = (None, None) if immediate is None else (immediate.p50 * 1e6, immediate.p99 * 1e6)
        results, lasting = sum(each.count for each in bins), sum(each.lasting for each in bins)
        return LatencyShape(p50, p99, results, lasting, list(bins))

    def decision_at(self, number: int) -> tuple[int | None, Decision[Any]]:
        """The tick and the decision of a step: one of the last, or one that the journal has."""
        for step in list(self.steps):
            if step.number == number:
                return step.situation.tick, step.decision
        if self._folder is not None and 1 <= number <= self.course.steps:
            recorded = find_decision(self._folder, number)
            return recorded.tick, recorded.decision()
        raise NoSuch.id("step", str(number), [])

    def shape(self) -> DriveShape:
        """The drive so far."""
        asked, steps = self.asked, list(self.steps)
        return DriveShape(
            id=self.id,
            executor=asked.executor,
            map=self.map,
            seed=asked.seed,
            most_steps=asked.steps,
            goal=str(self.goal),
            pace=asked.pace,
            state=self.state,
            problem=self.problem,
            steps=self.course.steps,
            steps_kept=(1 if self.journal else steps[0].number, steps[-1].number) if steps else None,
            course=self.course.to_data(),
            latency=self.latency(),
            journal=self.journal,
            last=self.last,
            marks=list(self.marks),
            legend=dict(MARKS),
        )

    def end_data(self) -> bytes:
        return msgspec.json.encode(self.shape())


def _outcome(step: PilotStep) -> OutcomeShape | None:
    outcome = step.outcome
    if outcome is None:
        return None
    intent = outcome.requested.intent if outcome.sent is None else outcome.sent.name
    return outcome_shape(outcome, intent, outcome.elapsed * 1e6)


def _find_map(name: str) -> MapShape:
    if name not in SHIPPED_MAPS:
        raise NoSuch.id("map", name, SHIPPED_MAPS)
    return map_shape(name, shipped_map(name).rows)


def map_shape(name: str, rows: Iterable[str]) -> MapShape:
    """A map with the legend of the arena."""
    return MapShape(name, list(rows), {letter: str(what) for letter, what in LEGEND.items()})


def without_map(state: Any) -> Any:
    """A state without its map, which is sent once."""
    return {key: value for key, value in state.items() if key != "map"} if isinstance(state, dict) else state


def draw_state(state: Any, map: MapShape | None) -> str | None:
    """The arena as text; None where the state comes from another executor, whose states have no known shape."""
    if map is None or not isinstance(state, dict):
        return None
    try:
        return render({**state, "map": {"name": map.name, "rows": map.rows}})
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None


def outcome_shape(outcome: Outcome | Attempt, intent: str, elapsed_us: float) -> OutcomeShape:
    """The result of an intent, in a drive or in a journal."""
    return OutcomeShape(
        intent=intent,
        parameters=None if outcome.sent is None else outcome.sent.parameters or {},
        status=outcome.result.status,
        reason=outcome.result.failure_reason,
        label=outcome.label,
        detail=outcome.detail,
        answered=outcome.answered,
        elapsed_us=elapsed_us,
        violations=[f"{each.field}: {each.what}" for each in outcome.violations],
    )
