"""Arbitration for many deciders at once: arrays in, winners out, and any one of them explained in full."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.many import engine, kernel
from volition.arbitration.many.shapes import Shapes, read_shapes
from volition.arbitration.settings import DecisionSettings, read_settings
from volition.arbitration.tables import Scores, Violates
from volition.core import chance_arrays
from volition.core.chance import GAUSS_BOUND, gauss, stream, uid, word
from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from volition.arbitration.decision import Decision
    from volition.arbitration.settings import HoldBelow

NOISE = "noise"


class ScoreNoise(FrozenStruct, frozen=True):
    """Gaussian noise on every total, keyed by seed, tick, decider and candidate: no draw depends on another.

    `deciders` are the names (or the 64-bit ids) of the deciders; by default each is identified by its index.
    """

    sigma: float
    seed: int
    tick: int = 0
    deciders: Sequence[str] | NDArray[np.integer[Any]] | None = None


def arbitrate_many(
    scores: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    vetoes: ArrayLike | None = None,
    abstains: ArrayLike | None = None,
    offered: ArrayLike | None = None,
    priorities: Sequence[int | None] | None = None,
    ranges: Sequence[tuple[float, float]] | None = None,
    noise: ScoreNoise | None = None,
    candidates: Sequence[str] | None = None,
    heuristics: Sequence[str] | None = None,
    constraints: Sequence[str] | None = None,
    on_impossible: Literal["hold", "fail"] = "hold",
    tie_margin: float = 0.0,
    hold_below: HoldBelow | None = None,
    threads: int | None = None,
) -> Many:
    """Choose for N deciders among C candidates by K heuristics; the winners are the same as with `arbitrate`.

    Args:
        scores: what each heuristic gives each candidate, in its range: (N, C, K), or (C, K) if all deciders share them.
        weights: (N, K) or (K,); 1 by default.
        vetoes: which candidate is forbidden by which constraint: (N, C, V), or (N, C) or (C,) for one constraint.
        abstains: which heuristic has no opinion of which candidate: (N, C, K) or (C, K); the score there does not count
            and may be NaN. Without it every heuristic has an opinion of everything.
        offered: which candidates are offered, (N, C) or (C,); all by default.
        priorities: one per heuristic, to break ties; None takes no part.
        ranges: the lowest and the highest score of each heuristic; [-1, 1] by default.
        noise: drawn for each pair of decider and candidate.
        candidates: their names; candidates of the same name draw the same noise.
        heuristics: their names.
        constraints: their names.
        on_impossible: the outcome for a decider that may choose nothing.
        tie_margin: candidates within this distance of the best total count as tied with it.
        hold_below: `Margin(number)` or `Total(number)`: a winner that leads by less, or has less, is not acted on.
        threads: how many to use; the result does not depend on it.

    >>> chosen = arbitrate_many([[0.5, -0.2], [0.1, 0.9]], [[1, 0], [1, 1]], candidates=["stay", "go"])
    >>> chosen.winners.tolist(), chosen.explain(1).id
    ([0, 1], 'go')
    """
    settings = read_settings(DecisionSettings(on_impossible, tie_margin, hold_below=hold_below), ())
    shapes = read_shapes(
        scores, weights, vetoes, abstains, offered, priorities, ranges, noise, candidates, heuristics, constraints
    )
    arrays = _arrays(shapes, noise)
    winners = engine.run({**arrays, "margin": settings.tie_margin}, shapes.count, threads)
    held = np.zeros(shapes.count, dtype=np.bool_)
    if settings.hold_below is not None:
        held = engine.hold(arrays, settings.hold_below, winners, threads)
        winners[held] = kernel.NOBODY
    return Many(shapes, noise, settings, winners, held, threads)


@dataclass(frozen=True, eq=False)
class Many:
    """The decisions: `winners` are indices of candidates, -1 where nothing was allowed or offered, or where it was held.

    `held` says who holds because the best was below the bound that `hold_below` names.
    """

    shapes: Shapes = field(repr=False)
    noise: ScoreNoise | None
    settings: DecisionSettings
    winners: NDArray[np.int32]
    held: NDArray[np.bool_] = field(repr=False)
    _threads: int | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.winners)

    @property
    def ids(self) -> list[str | None]:
        """The winners by name."""
        names = (*self.shapes.candidates, None)
        return [names[place] for place in self.winners.tolist()]

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """The winners' totals, correctly rounded, as in `arbitrate`; NaN where there is no winner."""
        return engine.totals(_arrays(self.shapes, self.noise), self.winners, self._threads)

    def explain(self, decider: int) -> Decision[str]:
        """The decision of one decider with its whole reason, made again by `arbitrate`."""
        shapes, at = self.shapes, range(len(self))[decider]
        names = shapes.candidates
        weights, vetoes, offered = shapes.of(at)
        entries: list[Constraint | Heuristic] = [
            Constraint(name, Violates(compress(names, vetoes[:, number].tolist())))
            for number, name in enumerate(shapes.constraints)
        ]
        entries += [
            Heuristic(
                name,
                Scores(dict(zip(names, scores, strict=True))),
                weight=float(weight),
                priority=priority,
                range=range,
            )
            for name, scores, weight, priority, range in zip(
                shapes.heuristics, shapes.scores_of(at), weights, shapes.priorities, shapes.ranges, strict=True
            )
        ]
        there = [name for name, is_there in zip(names, offered, strict=True) if is_there]
        if self.noise is not None and self.noise.sigma > 0.0:
            entries.append(_noise_of(self.noise, at, there))
        asked = self.settings
        return arbitrate(
            there,
            CompositeIntention(*entries),
            on_impossible=asked.on_impossible,
            tie_margin=asked.tie_margin,
            hold_below=asked.hold_below,
        )


def _arrays(shapes: Shapes, noise: ScoreNoise | None) -> dict[str, Any]:
    """The arguments of the loop, by name; an array in a tuple may have one row per decider."""
    sigma = noise.sigma if noise else 0.0
    keys = np.zeros(1, dtype=np.uint64)
    if noise is not None and sigma > 0.0:
        who: Any = np.arange(shapes.count, dtype=np.uint64)
        if noise.deciders is not None:
            deciders = noise.deciders
            who = deciders if isinstance(deciders, np.ndarray) else chance_arrays.uids(deciders)
        keys = chance_arrays.stream(noise.seed, noise.tick, who, uid(NOISE))
    return {
        "scores": (shapes.table,),
        "weights": (shapes.weights,),
        "reaches": shapes.reaches,
        "closed": (shapes.closed,),
        "levels": shapes.levels,
        "keys": (keys,),
        "slots": chance_arrays.uids(shapes.candidates),
        "sigma": float(sigma),
    }


def _noise_of(noise: ScoreNoise, decider: int, there: list[str]) -> Heuristic:
    """The noise of one decider as a heuristic."""
    deciders = noise.deciders
    who = (
        decider
        if deciders is None
        else uid(deciders[decider])
        if isinstance(deciders[decider], str)
        else int(deciders[decider])
    )
    key, most = stream(noise.seed, noise.tick, who, uid(NOISE)), noise.sigma * GAUSS_BOUND
    draws = {name: noise.sigma * gauss(word(key, uid(name))) for name in there}
    return Heuristic(NOISE, Scores(draws), range=(-most, most))
