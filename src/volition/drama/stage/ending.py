"""How an evening ended, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.evening.ending import ENDINGS as KINDS
from volition.drama.evening.ending import STOPS, ending_of
from volition.drama.stage.events import Ending

if TYPE_CHECKING:
    from volition.drama.evening.house import House
    from volition.drama.evening.state import EveningState

ENDINGS: Final = {
    "thrown_out": "somebody was shown the door, and went",
    "broke_up": "it broke up over an outburst",
    "only_two_left": "at the end there were only two",
    "guests_left": "the guests went home",
    "reconciliation": "what was broken was made up",
    "thinned_out": "after the scenes people drifted away",
    "ran_its_course": "it ran its course",
    "broken_off": "it was broken off",
}
"""Every kind of ending, in one sentence; an evening is broken off if it was asked for only some ticks."""


def ending(evening: EveningState, house: House, stop: int) -> Ending:
    """The ending of an evening that stopped for this reason."""
    kind = KINDS[ending_of(evening, house, stop)]
    return Ending(kind, STOPS[stop], evening.tick, evening.minutes, ENDINGS[kind])
