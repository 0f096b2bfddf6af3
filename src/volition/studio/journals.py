"""Journals that lie in the folder, opened to be looked at like a drive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.execution.arena import LEGEND, render
from volition.execution.journal import read_moments
from volition.studio.errors import NoSuch
from volition.studio.shapes.drives import MapShape, OutcomeShape
from volition.studio.shapes.journals import JournalAttempt, JournalRun, JournalShape, Moment, Moments

if TYPE_CHECKING:
    from volition.execution.journal import Attempt, RunMoments
    from volition.execution.journal import Moment as Recorded
    from volition.studio.shapes.records import Record
    from volition.studio.shelf import Found


class OpenedJournal:
    """A journal in memory, under the id of its record."""

    def __init__(self, found: Found) -> None:
        self._runs: dict[int, RunMoments] = {one.run: one for one in read_moments(found.path)}
        self._maps = {number: _map(one.map) for number, one in self._runs.items()}

    def shape(self, record: Record) -> JournalShape:
        """The journal without its moments."""
        runs = [self._run(one) for one in self._runs.values()]
        left_out = sum(one.left_out for one in self._runs.values())
        return JournalShape(record.id, record.live, record.intact, runs, left_out)

    def moments(self, run: int, after: int, most: int) -> Moments:
        """Some moments of a run."""
        if run not in self._runs:
            raise NoSuch.id("run of this journal", str(run), map(str, self._runs))
        recorded = self._runs[run].moments
        shown = [_moment(one, self._maps[run]) for one in recorded[after : after + most]]
        return Moments(run, after, len(recorded), shown)

    def _run(self, one: RunMoments) -> JournalRun:
        said = said_by(one.meta)
        return JournalRun(
            run=one.run,
            executor=one.executor,
            seed=said["seed"],
            goal=said["goal"],
            pace=said["pace"],
            map=self._maps[one.run],
            closed=one.closed,
            attempts=one.attempts,
            moments=len(one.moments),
        )


def said_by(meta: dict[str, Any]) -> dict[str, Any]:
    """What the beginning of a run says of it: seed, map, goal and pace, None where it does not."""
    seed = meta.get("seed")
    texts = {key: value if isinstance(value := meta.get(key), str) else None for key in ("map", "goal", "pace")}
    return {"seed": seed if type(seed) is int else None, **texts}


def _moment(one: Recorded, map: MapShape | None) -> Moment:
    state = None if one.state is None else _without_map(one.state.data)
    return Moment(
        number=one.number,
        record=one.record,
        tick=None if one.state is None else one.state.tick,
        episode=None if one.state is None else one.state.episode,
        state=state,
        picture=_picture(state, map),
        attempt=None if one.attempt is None else _attempt(one.attempt),
    )


def _attempt(one: Attempt) -> JournalAttempt:
    sent, result = one.sent, one.result
    outcome = OutcomeShape(
        intent=one.requested.intent if sent is None else sent.intent,
        parameters=None if sent is None else sent.parameters,
        status=result.status,
        reason=result.failure_reason,
        label=one.label,
        detail=one.detail,
        answered=one.answered,
        elapsed_us=float(one.elapsed_us),
        violations=[f"{each.field}: {each.what}" for each in one.violations],
    )
    return JournalAttempt(one.ticket, one.purpose, outcome, one.reward, one.parts, one.terminated, one.truncated)


def _map(data: Any) -> MapShape | None:
    """A map as a state holds it; None where it is none."""
    match data:
        case {"name": str(name), "rows": [str(), *_] as rows} if all(isinstance(row, str) for row in rows):
            return MapShape(name, list(rows), {letter: str(what) for letter, what in LEGEND.items()})
    return None


def _without_map(data: Any) -> Any:
    return {key: value for key, value in data.items() if key != "map"} if isinstance(data, dict) else data


def _picture(state: Any, map: MapShape | None) -> str | None:
    """The arena as text; None where the state is another executor's, of which nothing is known."""
    if map is None or not isinstance(state, dict):
        return None
    try:
        return render({**state, "map": {"name": map.name, "rows": map.rows}})
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None
