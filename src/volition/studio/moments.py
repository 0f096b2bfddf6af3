"""A journal for display: run by run, the states and the attempts between them, in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from volition.execution.journal.entries import References, read_journal
from volition.execution.journal.records import Attempt, Connected, End, RunStart, State

if TYPE_CHECKING:
    from os import PathLike

MOST_MOMENTS: Final = 20_000
"""How many moments of a journal are kept in memory."""


class Moment(NamedTuple):
    """A state with the attempt that led to it; without one, the world changed by itself.

    `number` counts from 1 within the run, `record` is the number in the ledger. Where an attempt has no next state, this
    is the state in which it was made.
    """

    number: int
    record: int
    state: State | None
    attempt: Attempt | None


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


def read_moments(path: str | PathLike[str], *, most: int = MOST_MOMENTS) -> list[RunMoments]:
    """Every run of a journal with its moments, at most this many in all; each record is checked against the chain.

    States of one tick are one moment, and so are a state and the attempt that it is the next state of.
    """
    runs: list[RunMoments] = []
    store, held = References(), 0
    for number, _, record in read_journal(path):
        store.keep(record)
        if type(record) is RunStart:
            runs.append(RunMoments(record.run, record.meta))
        if not runs:
            continue
        run = runs[-1]
        match record:
            case Connected(welcome=welcome):
                run.executor = run.executor or welcome.executor.name
            case State(data=data):
                if isinstance(data, dict) and "map" in data:
                    run.map = data["map"]
                held += _add(run, Moment(0, number, record, None), room=held < most)
            case Attempt():
                run.attempts += 1
                step = store.step(record)
                held += _add(run, Moment(0, number, step.next_state or step.state, record), room=held < most)
            case End():
                run.closed = True
    return runs


def _add(run: RunMoments, moment: Moment, *, room: bool) -> int:
    """Append a moment, or replace the last one where it says less; returns how many more are kept."""
    last = run.moments[-1] if run.moments else None
    if last is not None and not run.left_out and _time_of(last) == _time_of(moment):
        if moment.attempt is None:
            return 0
        if last.attempt is None:
            run.moments[-1] = moment._replace(number=last.number)
            return 0
    if not room:
        run.left_out += 1
        return 0
    run.moments.append(moment._replace(number=len(run.moments) + 1))
    return 1


def _time_of(moment: Moment) -> tuple[int, int, int] | None:
    state = moment.state
    return None if state is None else (state.key[0], state.episode, state.tick)
