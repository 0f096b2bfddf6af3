"""What gestures towards somebody are worth: turning away, and standing by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.perceive import recently
from volition.drama.evening.weigh import CHILL, COLD, COMFORT, SWALLOW, add_candidate, itemise
from volition.drama.rules.catalog import PHYSICAL
from volition.drama.rules.situation import chill, comforting, going_cold, swallowing

if TYPE_CHECKING:
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.weigh import ScoreSheet


def offer_gestures(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """PHYSICAL acts towards each of those here: for who did a wrong, and for who was just in a quarrel."""
    departures, worth, flaws = (
        tables.rules.departures,
        tables.worth[me][PHYSICAL],
        tables.bias[me][sheet.awake][PHYSICAL],
    )
    pace = sheet.calm + sheet.steady[tables.stance[me][PHYSICAL]]
    for place in range(seen.company):
        other = seen.other[place]
        held = evening.grievance[me][other]
        if departures.cold != 0.0 and sheet.open >> other & 1:
            situation = itemise(sheet, COLD, going_cold(held, departures, tables.rules.situation))
            situation += itemise(sheet, SWALLOW, swallowing(False, tables.swallows[me] != 0, departures))
            add_candidate(sheet, tables.shun + other, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
        shaken = recently(evening.sided_at[me][other], evening.tick, tables.rules.memory.conflict)
        if departures.comfort != 0.0 and shaken:
            protects = tables.protects[me] >> other & 1 != 0
            situation = itemise(sheet, COMFORT, comforting(evening.affection[me][other], protects, departures))
            situation += itemise(sheet, CHILL, chill(held, departures))
            add_candidate(sheet, tables.comfort + other, worth, flaws, pace, 0.0, 0.0, 0.0, situation)
