"""How much packed records hold: two sizes, and the smaller one in which a scenario fits.

Every dimension of a packed record has a fixed length, and records are the faster the smaller they are. So there is one
size for most scenarios and one for large ones; each is compiled when it is first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.evening.log import DELTAS, EVENTS, STRAINS
from volition.drama.evening.look import HUNDREDTHS
from volition.drama.evening.measure import BREAKDOWNS
from volition.drama.evening.state import MOVES, NEEDS, PEOPLE, RECENT, ROOMS, SECRETS, THINGS
from volition.drama.evening.tables import ACTS, CHANCES, CLOCK_EVENTS, DUE, acts_of
from volition.drama.evening.tension import HAPPENINGS

if TYPE_CHECKING:
    from volition.drama.evening.record import Sizes

SMALL: Final = "small"
LARGE: Final = "large"

LIMITS: Final[dict[str, Sizes]] = {
    SMALL: {
        PEOPLE: 8, ROOMS: 8, SECRETS: 8, NEEDS: 4, RECENT: 8, MOVES: 8, ACTS: acts_of(8, 8, 8, 4), DUE: 16,
        CLOCK_EVENTS: 16, CHANCES: 16, THINGS: 4,
        EVENTS: 64, DELTAS: 1024, STRAINS: 256, HAPPENINGS: 1280, BREAKDOWNS: 32, HUNDREDTHS: 2048,
    },
    LARGE: {
        PEOPLE: 16, ROOMS: 16, SECRETS: 16, NEEDS: 8, RECENT: 16, MOVES: 16, ACTS: acts_of(16, 16, 16, 8), DUE: 32,
        CLOCK_EVENTS: 16, CHANCES: 16, THINGS: 8,
        EVENTS: 256, DELTAS: 8192, STRAINS: 2048, HAPPENINGS: 2048, BREAKDOWNS: 64, HUNDREDTHS: 2048,
    },
}  # fmt: skip
"""The sizes of packed records. Of the rows that a log has for a tick, a fifth is the most that was seen in use, and spreads
hold scores within ten of zero, which ten times the usual noise does not leave.

A log or measures that have too little room say so, and the evening is played or measured interpreted.
"""


def size_for(sizes: Sizes) -> str | None:
    """The smallest size of packed records in which a scenario of these sizes fits; None where it fits in none."""
    return next((size for size in LIMITS if not too_large(sizes, size)), None)


def too_large(sizes: Sizes, size: str = LARGE) -> list[tuple[str, int, int]]:
    """The dimensions that have no room in packed records of a size, with what they need and what there is.

    Acts are not counted: there are too many of them only where there is too much of something else.
    """
    most = LIMITS[size]
    return [(part, count, most[part]) for part, count in sizes.items() if count > most[part] and part != ACTS]
