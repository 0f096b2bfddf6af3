"""Many evenings of one scenario: compiled where that is possible, in as many threads as there are cores."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from volition.core.chance import MASK_64
from volition.core.errors import format_value, refuse
from volition.drama.evening.batches import BATCHES, PlayedEvenings
from volition.drama.evening.compiled import is_kept
from volition.drama.evening.players import check_size, fits
from volition.drama.evening.terms import laws_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from volition.arbitration.intention import Intention
    from volition.drama.world.model import Scenario

Engine = Literal["auto", "compiled", "interpreted", "cuda"]
ENGINES: Final = ("auto", *BATCHES)

COMPILES: Final = (
    "compiling evenings: about half a minute, once on this machine; from then on they are a hundred times faster"
)
"""What is said before something is compiled."""
ENOUGH: Final = 250
"""From this many evenings on, compiling them takes less time than interpreting them does."""
BATCH: Final = 64
SMALLEST: Final = 8
"""How many evenings a thread plays at once: at most as many as their measures have room for meanwhile, and fewer where that
gives every thread some, but not so few that starting one takes longer. It changes nothing about them."""


def play_many(
    scenario: Scenario,
    seeds: Iterable[int],
    *,
    ticks: int | None = None,
    engine: Engine = "auto",
    threads: int | None = None,
    measures: bool = False,
    states: bool = True,
    terms: Sequence[Intention] = (),
) -> PlayedEvenings:
    """Play the evenings of many seeds to their endings, or for at most `ticks` ticks each.

    Args:
        scenario: what is played.
        seeds: one for each evening; the same seed, the same evening, whatever the others are.
        ticks: the most ticks of an evening, where that is less than the scenario says.
        engine: "compiled" needs Numba and a scenario that fits. "auto" takes it where it can and it is worth it: where
            compiled code is kept on disk, or there are enough evenings to compile it first, which takes half a minute.
            Else it is "interpreted". "cuda" needs an NVIDIA graphics processor and the extra 'gpu' as well, and keeps
            no states. All give the same evenings.
        threads: how many to use of the compiled engine; they change nothing but the time.
        measures: whether evenings are measured while they are played; that changes nothing about them.
        states: whether last states are kept, some 12 kB for each evening; measures have their digests in any case, but
            for those of "cuda".
        terms: custom terms that `law_term` made; "cuda" takes none.
    """
    every = list(seeds)
    if engine in ("auto", "compiled") and fits(scenario) and not is_kept(check_size(scenario)):
        if engine == "auto" and len(every) < ENOUGH:
            engine = "interpreted"
        elif sys.stderr.isatty():
            sys.stderr.write(f"{COMPILES}\n")
    batches = EveningBatches(scenario, ticks=ticks, engine=engine, measures=measures, states=states, terms=terms)
    return batches.play(every, threads)


class EveningBatches:
    """Plays evenings of one scenario as `play_many` does, again and again: what they share is made once."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        ticks: int | None = None,
        engine: Engine = "auto",
        measures: bool = False,
        states: bool = True,
        terms: Sequence[Intention] = (),
    ) -> None:
        if engine not in ENGINES:
            expected = f"one of {', '.join(ENGINES)}"
            refuse(f"this is {format_value(engine)}", where="engine", expected=expected, remedy="use one")
        most = scenario.evening.ticks if ticks is None else min(ticks, scenario.evening.ticks)
        if engine == "auto":
            engine = "compiled" if fits(scenario) else "interpreted"
        self.engine: str = engine
        self._batches, self._states = BATCHES[engine](scenario, most, measures, laws_of(terms)), states

    def play(self, seeds: Iterable[int], threads: int | None = None) -> PlayedEvenings:
        """Play the evenings of some seeds, in the order of the seeds."""
        every = np.array([seed & MASK_64 for seed in seeds], dtype=np.uint64)
        hands = threads or os.cpu_count() or 1 if self.engine == "compiled" else 1
        size = len(every) or 1 if self.engine == "cuda" else min(BATCH, max(SMALLEST, -(-len(every) // hands)))
        batches = [every[first : first + size] for first in range(0, len(every), size)] or [every]
        hands = min(hands, len(batches))
        if hands == 1:
            return PlayedEvenings.together([self._play(batch) for batch in batches])
        with ThreadPoolExecutor(max_workers=hands, thread_name_prefix="volition-evenings") as pool:
            return PlayedEvenings.together(list(pool.map(self._play, batches)))

    def _play(self, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        played = self._batches.play(seeds)
        return played if self._states else replace(played, states=played.states[:0])
