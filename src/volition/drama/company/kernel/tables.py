"""The tables of the score model, and their layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_type_hints

import numpy as np

from volition.drama.company.kernel.layout import FLAWS, NEEDS, PEOPLE, ROOMS, SECRETS, SLOTS
from volition.drama.rules.catalog import CONFIDE, LIE, REVEAL
from volition.drama.rules.tables import (  # noqa: TC001  the hints of Weights are read
    Alcohol,
    Bonds,
    Candidates,
    Departures,
    Flaws,
    Leaving,
    Movement,
    Pacing,
    Situation,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS: Final = 10
SLAMMING: Final = 9
"""A tenth kind, after the nine kinds of acts, for the PHYSICAL act that is dramatic."""

TO_CHAT, TO_ADDRESS, TO_WATCH = range(3)
"""How an act concerns somebody, as flaws see it."""

CLOSE_CHAT, CLOSE_REVEAL, CLOSE_CONFLICT, CLOSE_DISTRUST, CLOSE_CONFIDE, CLOSE_LIE = range(6)
"""The acts that affect closeness; a CONFLICT has a stronger effect with distrust."""

ABOUT: Final = (REVEAL, CONFIDE, LIE)
CONSISTENT, CONTRADICTING = 1, 2
"""How an act relates to somebody's commitments, as bits."""

PERSON: Final = np.dtype(
    [
        ("uid", "u8"),
        ("triggers", "i8", (FLAWS,)),
        ("biases", "f8", (2**FLAWS, KINDS)),  # what a set of flaws adds to each kind of act
        ("towards", "f8", (2**FLAWS, 3, PEOPLE)),  # and in addition if it is about somebody
        ("worth", "f8", (KINDS,)),  # goals times the effects of acts
        ("telling", "f8", (2, SECRETS)),  # of REVEAL and CONFIDE of each secret
        ("quarrelling", "f8", (2,)),  # of a CONFLICT, and of one with somebody distrusted
        ("moving", "f8", (ROOMS,)),  # of moves
        ("close", "f8", (6, PEOPLE)),
        ("stances", "u1", (KINDS,)),
        ("about", "u1", (3, SECRETS)),
        ("company", "f8", (2**PEOPLE,)),  # what a set of people adds to the room where they are
        ("harm", "f8", (SECRETS,)),
        ("holds", "u1"),
        ("conceals", "u1"),
    ],
    align=True,
)

HOUSE: Final = np.dtype(
    [
        ("slots", "u8", (SLOTS,)),
        ("privacy", "f8", (ROOMS,)),
        ("capacity", "i8", (ROOMS,)),
        ("doors", "i8", (ROOMS,)),  # how many there are
        ("to", "i8", (ROOMS, ROOMS)),  # where they lead
        ("distrust", "f8"),
        ("people", "i8"),  # how many
        ("rooms", "i8"),  # how many
        ("departs", "u1"),  # whether the situation adds anything
        ("dramatic", "u1", (SLOTS,)),
        ("gathering", "u1"),
        ("exit", "u1"),
        ("kitchen", "u1"),
        ("needs", "u1", (NEEDS,)),  # the rooms where they are met
        ("holders", "u1", (SECRETS,)),  # of each secret
        ("held", "u1", (PEOPLE,)),  # the secrets of each person
    ],
    align=True,
)


class Weights(NamedTuple):
    """The coefficients that the loop reads."""

    flaws: Flaws
    pacing: Pacing
    bonds: Bonds
    alcohol: Alcohol
    movement: Movement
    candidates: Candidates
    departures: Departures
    situation: Situation
    leaving: Leaving


def _numbers(table: Any) -> list[tuple[str, str]]:
    return [(name, "i8" if kind is int else "f8") for name, kind in get_type_hints(table).items()]


WEIGHTS: Final = np.dtype([(name, np.dtype(_numbers(table))) for name, table in get_type_hints(Weights).items()])


class Model(NamedTuple):
    """A scenario as the loop reads it.

    The weights are included twice: as named tuples for the interpreted loop, and for the compiled one as an array of one
    record, which is passed by its address; a tuple would be passed number by number at every call.
    """

    people: NDArray[Any]
    house: NDArray[Any]
    weights: NDArray[Any]
    named: Weights
