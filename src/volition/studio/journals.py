"""Journals in the folder, opened to be looked at like a drive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.studio.arenas import draw_state, map_shape, outcome_shape, without_map
from volition.studio.errors import NoSuch
from volition.studio.moments import read_moments
from volition.studio.shapes.drives import (
    JournalAttempt,
    JournalMoment,
    JournalMoments,
    JournalRun,
    JournalShape,
    RunSettings,
)

if TYPE_CHECKING:
    from volition.execution.journal import Attempt
    from volition.studio.moments import Moment, RunMoments
    from volition.studio.shapes.drives import MapShape
    from volition.studio.shapes.records import RecordShape
    from volition.studio.store import Found


class OpenJournal:
    """A journal in memory, under the id of its record."""

    def __init__(self, found: Found) -> None:
        self._runs: dict[int, RunMoments] = {one.run: one for one in read_moments(found.path)}
        self._maps = {number: _read_map(one.map) for number, one in self._runs.items()}

    def shape(self, record: RecordShape) -> JournalShape:
        """The journal without its moments."""
        runs = [self._run_shape(one) for one in self._runs.values()]
        left_out = sum(one.left_out for one in self._runs.values())
        return JournalShape(record.id, record.live, record.intact, runs, left_out)

    def moments(self, run: int, after: int, most: int) -> JournalMoments:
        """Some moments of a run."""
        if run not in self._runs:
            raise NoSuch.id("run of this journal", str(run), map(str, self._runs))
        recorded = self._runs[run].moments
        page = [_moment(one, self._maps[run]) for one in recorded[after : after + most]]
        return JournalMoments(run, after, len(recorded), page)

    def _run_shape(self, one: RunMoments) -> JournalRun:
        settings = read_settings(one.meta)
        return JournalRun(
            run=one.run,
            executor=one.executor,
            seed=settings.seed,
            goal=settings.goal,
            pace=settings.pace,
            map=self._maps[one.run],
            closed=one.closed,
            attempts=one.attempts,
            moments=len(one.moments),
        )


def read_settings(meta: dict[str, Any]) -> RunSettings:
    """The settings in the metadata of a run; anything of another type is left out, because anybody may write a journal."""
    seed = meta.get("seed")
    texts = {key: value for key in ("map", "goal", "pace") if isinstance(value := meta.get(key), str)}
    return RunSettings(seed=seed if type(seed) is int else None, **texts)


def _moment(one: Moment, map: MapShape | None) -> JournalMoment:
    state = None if one.state is None else without_map(one.state.data)
    return JournalMoment(
        number=one.number,
        record=one.record,
        tick=None if one.state is None else one.state.tick,
        episode=None if one.state is None else one.state.episode,
        state=state,
        picture=draw_state(state, map),
        attempt=None if one.attempt is None else _attempt(one.attempt),
    )


def _attempt(one: Attempt) -> JournalAttempt:
    intent = one.requested.intent if one.sent is None else one.sent.intent
    outcome = outcome_shape(one, intent, float(one.elapsed_us))
    return JournalAttempt(one.ticket, one.purpose, outcome, one.reward, one.parts, one.terminated, one.truncated)


def _read_map(data: Any) -> MapShape | None:
    """A map as a state holds it; None where it is not one."""
    match data:
        case {"name": str(name), "rows": [str(), *_] as rows} if all(isinstance(row, str) for row in rows):
            return map_shape(name, rows)
    return None
