"""What one worker does: play evenings of a plan, row after row, until its time is up.

The evenings of a point come from the one source of evenings, or from minds with custom terms.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec import Struct

from volition.core.compiling import can_compile
from volition.core.errors import InvalidInput, refuse
from volition.drama.ensemble.frames import Span, to_frames
from volition.drama.ensemble.paths import COMPILED, INTERPRETED
from volition.drama.ensemble.terms import LOCKSTEP, LockstepEvenings
from volition.drama.evening.batches import InterpretedBatches
from volition.drama.evening.play_many import BATCH, EveningBatches
from volition.drama.evening.players import fits
from volition.drama.evening.terms import is_law_term
from volition.drama.mind.mind import Mind
from volition.drama.minds.counsel import counsel_of
from volition.drama.stage.measured import MindPlayer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.arbitration import Intention
    from volition.drama.ensemble.plan import EnsemblePlan
    from volition.drama.evening.rows import MeasureRows
    from volition.drama.world.model import Scenario

POINTS: Final = 8
"""How many points a player keeps ready."""


class Done(Struct, frozen=True):
    """A worker's answer: the rows of its span that it has played, from the first on, and their frames."""

    span: Span
    frames: bytes


class PointPlayer(Struct, frozen=True):
    """Plays evenings of one scenario; `engine` says how, and `batch` how many a thread plays at once.

    `measure` plays the evenings of some seeds in some threads, and measures them.
    """

    engine: str
    batch: int
    measure: Callable[[Sequence[int], int], MeasureRows]


def point_player(scenario: Scenario, terms: Sequence[Intention], *, compiled: bool) -> PointPlayer:
    """Who plays the evenings of a point: compiled if that is asked for, can be done here, and the point fits.

    Whole evenings are played without custom terms or with those that are laws. Others are arrays, with which compiled
    evenings go in lockstep, or functions, with which minds decide.
    """
    if all(map(is_law_term, terms)):
        faster = compiled and fits(scenario)
        batches = EveningBatches(
            scenario, engine="compiled" if faster else "interpreted", measures=True, states=False, terms=terms
        )
        return PointPlayer(
            batches.engine, BATCH if faster else 1, lambda seeds, threads: batches.play(seeds, threads).measures
        )
    player = MindPlayer(scenario, terms, counsel_of(Mind(scenario, terms)))
    minds = InterpretedBatches(scenario, scenario.evening.ticks, measured=True, laws=(), player=player)
    if compiled and can_compile():
        with suppress(InvalidInput):
            evenings = LockstepEvenings(scenario, terms)
            return PointPlayer(COMPILED, LOCKSTEP, lambda seeds, _: evenings.measure(seeds, minds))
    return PointPlayer(INTERPRETED, 1, lambda seeds, _: minds.play(np.array(seeds, np.uint64)).measures)


class Player:
    """Plays the rows of one plan. What the evenings of a point share is made once, and kept for the last few points."""

    def __init__(self, plan: EnsemblePlan, path: str = INTERPRETED, threads: int = 1) -> None:
        self.plan, self.path, self.threads = plan, path, threads
        self._point = lru_cache(POINTS)(self._make_point)

    def play(self, span: Span, seconds: float) -> Done:
        """Play the rows of a span in order until the time is up, but at least one."""
        until, frames, row = perf_counter() + seconds, list[bytes](), span.first
        seeds = self.plan.seeds
        while row <= span.last:
            point, place = divmod(row, len(seeds))
            player = self._point(point)
            some = seeds[place : place + min(player.batch * self.threads, span.last - row + 1)]
            frames.append(to_frames(row, player.engine, player.measure(some, self.threads)))
            row += len(some)
            if perf_counter() >= until:
                break
        return Done(Span(span.first, row - span.first), b"".join(frames))

    def _make_point(self, point: int) -> PointPlayer:
        return point_player(self.plan.scenario_at(point), self.plan.terms, compiled=self.path == COMPILED)


def pack_job(plan: EnsemblePlan, path: str) -> bytes:
    """A plan and its path as bytes for another process; a term that cannot be pickled is refused.

    Phrases are sent only where a term may look at them: a process reads the first point of a sweep 20 times as fast without
    (`benchmarks/tricks.py`).
    """
    sent = plan if plan.terms else plan.without_phrases()
    try:
        return pickle.dumps((sent, path))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        refuse(
            f"a custom term cannot be sent to another process ({error})",
            where="terms",
            expected="functions at the top level of a module",
            remedy="move the function there, or play in this process: engine='here'",
        )


_players: dict[str, Player] = {}


def play_span(name: str, packed: Callable[[], bytes], span: Span, seconds: float) -> Done:
    """Play a span of a packed job, in a process that may be asked again: the player of the last job is kept, by name."""
    if name not in _players:
        _players.clear()
        plan, path = pickle.loads(packed())  # noqa: S301  by the parent
        _players[name] = Player(plan, path)
    return _players[name].play(span, seconds)
