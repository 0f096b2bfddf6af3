"""Evenings decided through the kernel: everybody at once, with the same numbers that an `Onlooker` keeps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from volition.core.errors import refuse
from volition.drama.company.kernel.decide import Kernel
from volition.drama.company.kernel.layout import BONDS, FLAWS_AWAKE, LOOK, NOISE
from volition.drama.company.onlooker import TERMS, Looks
from volition.drama.company.spread import Spread
from volition.drama.rules.leaf import LARGEST_TOTAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from volition.drama.company.kernel.decide import Term
    from volition.drama.mind.mind import Mind
    from volition.drama.world.model import Action, WorldState

_PLACES = {"bonds": BONDS, "flaws": FLAWS_AWAKE, "noise": NOISE}


class Watch:
    """Decides for everybody in a world as `mind` would, and keeps the numbers that an `Onlooker` keeps.

    A custom `term`, given as arrays, is added to every act before its noise.

    Raises InvalidInput if the scenario does not fit the kernel, or if its scores are too large for exact sums.
    """

    def __init__(self, mind: Mind) -> None:
        self.kernel = Kernel(mind.scenario)
        self.term: Term | None = None
        most = sum(mind.limits.values())
        if most > LARGEST_TOTAL:
            refuse(
                f"scores may reach {most:g}",
                where="rules",
                expected=f"at most {LARGEST_TOTAL:g}, up to which sums are exact",
                remedy="decide by Mind, which adds in one order",
            )
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Forget what was seen so far, and begin an evening of this seed."""
        self.seed = seed
        self._won: Counter[str] = Counter()
        self._winners: list[float] = []
        self._looks: list[NDArray[Any]] = [np.empty(0, dtype=LOOK)]

    def propose(self, world: WorldState, absent: list[str]) -> list[Action]:
        """Everybody's choices, as the stage takes them."""
        actions, looks = self.kernel.propose_and_look(world, self.seed, absent, term=self.term)
        for action in actions:
            assert action.utility_score is not None
            self._won[action.action_type.name] += 1
            self._winners.append(action.utility_score)
        self._looks.append(looks)
        return actions

    def looks(self) -> Looks:
        """What was seen since the beginning."""
        seen = np.concatenate(self._looks)
        offered = np.arange(seen["totals"].shape[1]) < seen["made"][:, np.newaxis]
        return Looks(
            len(self._winners),
            dict(sorted(self._won.items())),
            {term: int(seen["hung"][:, _PLACES[term]].sum()) for term in TERMS},
            _spread(seen["internal"]),
            Spread.of(self._winners),
            _spread(seen["totals"][offered]),
            _spread(seen["dramatic"]),
            _spread(seen["gap"]),
            _spread(np.abs(seen["bias"])),
        )


def _spread(values: NDArray[np.float64]) -> Spread:
    """The spread of the values that are not NaN."""
    return Spread.of(values[~np.isnan(values)].tolist())
