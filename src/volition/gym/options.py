"""The actions of Arena-v0: the pilot's options in a fixed order, and which of them are on offer now.

An option is masked where the situation does not offer it (there is no hazard to leap over), or where a constraint of the
pilot vetoes it. Both are read from the tally of one arbitration: nothing is judged here a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from volition.arbitration import CompositeIntention, Constraint
from volition.execution.worlds.pilot.candidates import HEADINGS, LENGTHS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from volition.arbitration import Decision

WAIT: Final = "wait"
OPTIONS: Final = (
    WAIT,
    "attack",
    *(f"move:{heading}:{length:g}" for heading in HEADINGS for length in LENGTHS),
    "move:out",
    "move:leap",
    "move:way",
    "move:turn",
    "evade",
    "hold",
    "release",
    "jump",
    "stop",
)
"""The option that each action means, by its number; docs/gym.md describes them."""
NUMBERS: Final = {option: number for number, option in enumerate(OPTIONS)}
"""The action that means each option."""
NOT_OFFERED: Final = "not_offered"
"""What an action is refused by where no constraint vetoes it: the situation does not offer it."""


def constraints_of(composite: CompositeIntention) -> CompositeIntention:
    """The constraints of a composite alone. What it would prefer costs time to find out, and decides nothing here."""
    return CompositeIntention([intention for intention in composite if isinstance(intention, Constraint)])


def mask_of(decision: Decision[Any], numbers: Mapping[str, int]) -> NDArray[np.int8]:
    """1 for each action that may be taken, 0 for each that is not on offer or vetoed; `numbers` has that of each option."""
    mask = np.zeros(len(numbers), dtype=np.int8)
    mask[[numbers[option] for option in decision.tally.survivors]] = 1
    return mask


def vetoes_of(decision: Decision[Any]) -> dict[str, list[str]]:
    """The constraints that veto each option, by name; an option that nothing vetoes is not in it."""
    tally = decision.tally
    return {option: list(tally.vetoed_by(option)) for option in tally.vetoed}


def refused_by(decision: Decision[Any], option: str) -> list[str]:
    """Why an option may not be taken: the constraints that veto it, or that it is not offered; empty where it may."""
    if option not in decision.tally.ids:
        return [NOT_OFFERED]
    return list(decision.tally.vetoed_by(option))
