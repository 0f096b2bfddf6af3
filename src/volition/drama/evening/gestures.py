"""What gestures towards somebody are worth: turning away, and standing by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.perceive import recently
from volition.drama.evening.weigh import CHILL, COLD, COMFORT, SWALLOW, itemise, put_down
from volition.drama.rules.catalog import PHYSICAL
from volition.drama.rules.situation import chill, comforting, going_cold, swallowing

if TYPE_CHECKING:
    from volition.drama.evening.house import House
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.weigh import Desk


def offer_gestures(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """PHYSICAL acts towards each of those here: for who did a wrong, and for who was just in a quarrel."""
    departures, worth, flaws = house.rules.departures, house.worth[me][PHYSICAL], house.bias[me][desk.awake][PHYSICAL]
    pace = desk.calm + desk.steady[house.stance[me][PHYSICAL]]
    for place in range(seen.company):
        other = seen.other[place]
        held = evening.grievance[me][other]
        if departures.cold != 0.0 and desk.open >> other & 1:
            situation = itemise(desk, COLD, going_cold(held, departures, house.rules.situation))
            situation += itemise(desk, SWALLOW, swallowing(False, house.swallows[me] != 0, departures))
            put_down(desk, house.shun + other, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
        shaken = recently(evening.sided_at[me][other], evening.tick, house.rules.memory.conflict)
        if departures.comfort != 0.0 and shaken:
            protects = house.protects[me] >> other & 1 != 0
            situation = itemise(desk, COMFORT, comforting(evening.affection[me][other], protects, departures))
            situation += itemise(desk, CHILL, chill(held, departures))
            put_down(desk, house.comfort + other, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
