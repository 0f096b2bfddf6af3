"""Journals of drives, opened to be looked at like a drive: run by run, the states and the attempts between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from volition.core.typed import decoder
from volition.execution.journal.decisions import JournalDecision
from volition.execution.journal.entries import References, read_journal
from volition.execution.journal.marks import LEGEND, JournalMark, MarkFinder
from volition.execution.journal.records import Attempt, Connected, Decided, End, RunStart, State
from volition.studio.drives import MapShape, OutcomeShape, draw_state, map_shape, outcome_shape, without_map
from volition.studio.errors import NoSuch

if TYPE_CHECKING:
    from os import PathLike

    from volition.arbitration.decision import Decision
    from volition.arbitration.recorded import RecordedComposite
    from volition.studio.store import StoredRecord

MOST_MOMENTS: Final = 20_000
"""How many moments of a journal are kept in memory."""


class RunSettings(Struct, frozen=True):
    """What the first record of a run says about it, None for what it does not say."""

    map: str | None = None
    seed: int | None = None
    goal: str | None = None
    pace: str | None = None


class JournalRun(Struct, frozen=True):
    """One run of a journal. `closed` says that it was closed properly; `map` is None where no state of it had one."""

    run: int
    """The number of the run."""
    executor: str | None
    """The name of the executor."""
    seed: int | None
    """The seed, where it is recorded."""
    goal: str | None
    """The goal, where it is recorded."""
    pace: str | None
    """The pace, where it is recorded."""
    map: MapShape | None
    """The map; null where no state had one."""
    closed: bool
    """Whether it was closed properly."""
    attempts: int
    """How many intents were attempted."""
    moments: int
    """How many moments it has."""
    steps: int
    """How many of its decisions can be asked why."""
    marks: list[JournalMark]
    """What happens in it, in the order of its moments."""


class JournalShape(Struct, frozen=True):
    """A journal: `live` while it is being written; `intact` is None where it was not checked. `left_out` counts the moments
    beyond the limit."""

    id: str
    """The id of the journal."""
    live: bool
    """Whether it is being written now."""
    intact: bool | None
    """Whether it is as it was written; null where that was not checked."""
    runs: list[JournalRun]
    """Its runs."""
    left_out: int
    """How many moments are beyond the limit."""
    legend: dict[str, str]
    """What each kind of mark means."""


class JournalStep(Struct, frozen=True):
    """A decision of a journal: its number, and in a fleet whose it is."""

    step: int
    """The number of the decision."""
    body: str
    """Whose it is; empty for a single body."""
    chosen: str | None
    """The id of what was chosen; null where nothing was."""


class JournalAttempt(Struct, frozen=True):
    """An attempt: what was asked, its outcome and its reward."""

    ticket: int
    """The number of the attempt."""
    purpose: str
    """What it was for."""
    outcome: OutcomeShape
    """What came of it."""
    reward: float
    """Its reward."""
    parts: dict[str, float]
    """The parts of the reward."""
    terminated: bool
    """Whether the episode ended with it."""
    truncated: bool
    """Whether the episode was cut off after it."""
    step: int | None
    """The number of the decision that it carries out; null where there is none."""


class JournalMoment(Struct, frozen=True):
    """A state and the attempt that led to it, if any. `record` is its number in the ledger.

    `state` is without the map; `picture` is the same as text, None where it is not a state of the arena.
    """

    number: int
    """The number of the moment in its run, from 1 on."""
    record: int
    """Its number in the ledger."""
    tick: int | None
    """The tick of the arena, where it has one."""
    episode: int | None
    """The number of the episode, where it has one."""
    state: Any
    """The state, without the map."""
    picture: str | None
    """The same as text; null where it is not the arena's."""
    attempt: JournalAttempt | None
    """What led to it; null where nothing did."""
    steps: list[JournalStep]
    """The decisions that led to it; more than one where the pilot waited."""


class JournalMoments(Struct, frozen=True):
    """The moments of a run after a number; `total` is how many the run has."""

    run: int
    """The number of the run."""
    after: int
    """The number that was asked for."""
    total: int
    """How many moments the run has."""
    moments: list[JournalMoment]
    """The moments."""


class Moment(Struct, frozen=True):
    """A state with the attempt that led to it; without one, the world changed by itself.

    `number` counts from 1 within the run, `record` is the number in the ledger. Where an attempt has no next state, this
    is the state in which it was made. `steps` are the decisions that led to it, and `carries_out` is that of the attempt.
    """

    number: int
    record: int
    state: State | None
    attempt: Attempt | None
    steps: tuple[JournalStep, ...] = ()
    carries_out: int | None = None


@dataclass(slots=True)
class RunMoments:
    """One run of a journal: who acted, where, what happened, and whether it was closed properly.

    `map` is the newest one in a state. `left_out` moments were beyond the limit.
    """

    run: int
    meta: dict[str, Any]
    executor: str | None = None
    map: Any = None
    closed: bool = False
    attempts: int = 0
    moments: list[Moment] = field(default_factory=list)
    left_out: int = 0
    marks: list[JournalMark] = field(default_factory=list)
    decisions: dict[tuple[str, int], KeptDecision] = field(default_factory=dict)
    finder: MarkFinder = field(default_factory=MarkFinder)
    _waiting: dict[str, JournalStep] = field(default_factory=dict)

    def decide(self, number: int, record: Decided, composite: RecordedComposite | None, state: State | None) -> None:
        """Keep a decision until the attempt that carries it out; the one before, if it waited, is in the last moment."""
        self.settle(record.body)
        if composite is None:
            return
        kept = KeptDecision(number, msgspec.json.encode(record), composite, state and replace(state, data=None))
        self.decisions[record.body, record.step] = kept
        self._waiting[record.body] = JournalStep(record.step, record.body, record.decision.chosen)

    def settle(self, body: str) -> None:
        """What was decided and led to no attempt is part of the newest moment."""
        waiting = self.carry_out(body)
        if waiting and self.moments and not self.left_out:
            last = self.moments[-1]
            self.moments[-1] = replace(last, steps=(*last.steps, *waiting))

    def carry_out(self, body: str) -> tuple[JournalStep, ...]:
        """What was decided for the attempt that has just ended."""
        waiting = self._waiting.pop(body, None)
        return () if waiting is None else (waiting,)

    def end(self) -> None:
        """The run has no further records."""
        for body in [*self._waiting]:
            self.settle(body)


class KeptDecision(Struct, frozen=True):
    """A decision in memory: as bytes, which take a tenth of the memory, and who decided, on which state."""

    number: int
    encoded: bytes
    composite: RecordedComposite
    state: State | None

    def restore(self, run: int) -> JournalDecision:
        """The decision as the journal has it."""
        return JournalDecision(self.number, run, decoder(Decided).decode(self.encoded), self.composite, self.state)


def read_moments(path: str | PathLike[str], *, most: int = MOST_MOMENTS) -> list[RunMoments]:
    """Every run of a journal with its moments, at most this many in all; each record is checked against the chain.

    States of one tick are one moment, and so are a state and the attempt that it is the next state of.
    """
    runs: list[RunMoments] = []
    store, kept = References(), 0
    for number, _, record in read_journal(path):
        store.keep(record)
        if type(record) is RunStart:
            if runs:
                runs[-1].end()
            runs.append(RunMoments(record.run, record.meta))
        if not runs:
            continue
        run = runs[-1]
        composite = store.composites.get(record.composite) if type(record) is Decided else None
        marks = run.finder.take(record, composite)
        match record:
            case Connected(welcome=welcome):
                run.executor = run.executor or welcome.executor.name
            case State(data=data):
                if isinstance(data, dict) and "map" in data:
                    run.map = data["map"]
                kept += _add(run, Moment(0, number, record, None), has_room=kept < most)
            case Decided(state=key):
                run.decide(number, record, composite, None if key is None else store.states.get(key))
            case Attempt():
                run.attempts += 1
                step = store.step(record)
                steps = run.carry_out(record.body) if record.purpose == "policy" else ()
                carried = steps[0].step if steps else None
                moment = Moment(0, number, step.next_state or step.state, record, steps, carried)
                kept += _add(run, moment, has_room=kept < most)
            case End():
                run.closed = True
        if not run.left_out:
            place = max(1, len(run.moments))
            run.marks += (JournalMark(place, kind, text) for kind, text in marks)
    if runs:
        runs[-1].end()
    return runs


def _add(run: RunMoments, moment: Moment, *, has_room: bool) -> int:
    """Append a moment, or replace the last one where it says less; returns how many more are kept."""
    last = run.moments[-1] if run.moments else None
    if last is not None and not run.left_out and _time_of(last) == _time_of(moment):
        if moment.attempt is None:
            return 0
        if last.attempt is None:
            run.moments[-1] = replace(moment, number=last.number, steps=(*last.steps, *moment.steps))
            return 0
    if not has_room:
        run.left_out += 1
        return 0
    run.moments.append(replace(moment, number=len(run.moments) + 1))
    return 1


def _time_of(moment: Moment) -> tuple[int, int, int] | None:
    state = moment.state
    return None if state is None else (state.key[0], state.episode, state.tick)


class OpenJournal:
    """A journal in memory, under the id of its record."""

    def __init__(self, stored: StoredRecord) -> None:
        self._id = stored.id
        self._runs: dict[int, RunMoments] = {run.run: run for run in read_moments(stored.path)}
        self._maps = {number: _read_map(run.map) for number, run in self._runs.items()}

    def shape(self, *, live: bool, intact: bool | None) -> JournalShape:
        """The journal without its moments."""
        runs = [self._run_shape(run) for run in self._runs.values()]
        left_out = sum(run.left_out for run in self._runs.values())
        return JournalShape(self._id, live, intact, runs, left_out, dict(LEGEND))

    def moments(self, run: int, after: int, most: int) -> JournalMoments:
        """Some moments of a run."""
        if run not in self._runs:
            raise NoSuch.id("run of this journal", str(run), map(str, self._runs))
        recorded = self._runs[run].moments
        page = [_moment(moment, self._maps[run]) for moment in recorded[after : after + most]]
        return JournalMoments(run, after, len(recorded), page)

    def decision(self, run: int, step: int, body: str) -> tuple[int | None, Decision[str]]:
        """The tick and the decision of a step."""
        known = self._runs[run].decisions if run in self._runs else {}
        kept = known.get((body, step))
        if kept is None:
            there = (str(number) for whose, number in known if whose == body)
            raise NoSuch.id("step of this run", str(step), there)
        recorded = kept.restore(run)
        return recorded.tick, recorded.decision()

    def _run_shape(self, run: RunMoments) -> JournalRun:
        settings = read_settings(run.meta)
        return JournalRun(
            run=run.run,
            executor=run.executor,
            seed=settings.seed,
            goal=settings.goal,
            pace=settings.pace,
            map=self._maps[run.run],
            closed=run.closed,
            attempts=run.attempts,
            moments=len(run.moments),
            steps=len(run.decisions),
            marks=run.marks,
        )


def read_settings(meta: dict[str, Any]) -> RunSettings:
    """The settings in the metadata of a run; anything of another type is left out, because anybody may write a journal."""
    seed = meta.get("seed")
    texts = {key: value for key in ("map", "goal", "pace") if isinstance(value := meta.get(key), str)}
    return RunSettings(seed=seed if type(seed) is int else None, **texts)


def _moment(moment: Moment, map: MapShape | None) -> JournalMoment:
    state = None if moment.state is None else without_map(moment.state.data)
    return JournalMoment(
        number=moment.number,
        record=moment.record,
        tick=None if moment.state is None else moment.state.tick,
        episode=None if moment.state is None else moment.state.episode,
        state=state,
        picture=draw_state(state, map),
        attempt=None if moment.attempt is None else _attempt(moment.attempt, moment.carries_out),
        steps=list(moment.steps),
    )


def _attempt(attempt: Attempt, step: int | None) -> JournalAttempt:
    intent = attempt.requested.intent if attempt.sent is None else attempt.sent.intent
    outcome = outcome_shape(attempt, intent, float(attempt.elapsed_us))
    return JournalAttempt(
        attempt.ticket,
        attempt.purpose,
        outcome,
        attempt.reward,
        attempt.parts,
        attempt.terminated,
        attempt.truncated,
        step,
    )


def _read_map(data: Any) -> MapShape | None:
    """A map as a state holds it; None where it is not one."""
    match data:
        case {"name": str(name), "rows": [str(), *_] as rows} if all(isinstance(row, str) for row in rows):
            return map_shape(name, rows)
    return None
