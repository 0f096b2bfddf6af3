"""The tables of the score model: what each holds, and the order in which it holds it."""

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
"""After the nine kinds of acts a tenth for the one that is dramatic by its manner."""

TO_CHAT, TO_ADDRESS, TO_WATCH = range(3)
"""How an act is about somebody, as flaws see it."""

CLOSE_CHAT, CLOSE_REVEAL, CLOSE_CONFLICT, CLOSE_DISTRUST, CLOSE_CONFIDE, CLOSE_LIE = range(6)
"""The acts that offer closeness or take it; a CONFLICT takes more where there is no trust."""

ABOUT: Final = (REVEAL, CONFIDE, LIE)
CONSISTENT, CONTRADICTING = 1, 2
"""How an act stands to somebody's commitments, as bits."""

PERSON: Final = np.dtype(
    [
        ("uid", "u8"),
        ("triggers", "i8", (FLAWS,)),
        ("biases", "f8", (2**FLAWS, KINDS)),  # what the flaws of a set add to each kind of act,
        ("towards", "f8", (2**FLAWS, 3, PEOPLE)),  # and more where it is about somebody
        ("worth", "f8", (KINDS,)),  # goals against acts,
        ("telling", "f8", (2, SECRETS)),  # against REVEAL and CONFIDE of each secret,
        ("quarrelling", "f8", (2,)),  # against a CONFLICT, and one with somebody distrusted,
        ("moving", "f8", (ROOMS,)),  # and against moves
        ("close", "f8", (6, PEOPLE)),
        ("stances", "u1", (KINDS,)),
        ("about", "u1", (3, SECRETS)),
        ("company", "f8", (2**PEOPLE,)),  # what the people of a set add to the room where they are
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
        ("doors", "i8", (ROOMS,)),  # how many there are,
        ("to", "i8", (ROOMS, ROOMS)),  # and where they lead
        ("distrust", "f8"),
        ("people", "i8"),  # how many,
        ("rooms", "i8"),  # and how many of these
        ("departs", "u1"),  # whether the situation adds anything
        ("dramatic", "u1", (SLOTS,)),
        ("gathering", "u1"),
        ("exit", "u1"),
        ("kitchen", "u1"),
        ("needs", "u1", (NEEDS,)),  # the rooms where they are met
        ("holders", "u1", (SECRETS,)),  # of each secret,
        ("held", "u1", (PEOPLE,)),  # and the secrets of each person
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

    The weights are there twice, for the loop reads them by their names alone: as named tuples, and as an array of one
    record, which compiled code takes by its address; a tuple it would take number by number at every call.
    """

    people: NDArray[Any]
    house: NDArray[Any]
    weights: NDArray[Any]
    named: Weights
