"""Chance in an evening: every draw is a function of the seed, the tick, who draws, what for, and about what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.chance import stream, uniform, word
from volition.drama.rules.passing import spread

if TYPE_CHECKING:
    from volition.drama.evening.record import Name
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables


def draw(evening: EveningState, tables: ScenarioTables, who: int, purpose: int, name: Name) -> float:
    """A number in [0, 1) that is drawn for this tick, person, purpose and name alone."""
    return uniform(word(stream(evening.seed, evening.tick, tables.person_name[who], tables.purpose[purpose]), name))


def draw_between(
    evening: EveningState, tables: ScenarioTables, least: float, most: float, who: int, purpose: int, name: Name
) -> float:
    """A number from the least to the most, drawn in the same way."""
    return spread(least, most, draw(evening, tables, who, purpose, name))
