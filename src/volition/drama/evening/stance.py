"""When a word commits: asked about a secret, before somebody it would harm, or beside a party of a quarrel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.perceive import recently, thought_to_know
from volition.drama.rules.catalog import Belief

if TYPE_CHECKING:
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_BELIEVES_TRUE = int(Belief.BELIEVES_TRUE)


def is_public(tables: ScenarioTables, room: int) -> bool:
    """Whether what is said in a room is said in public."""
    return tables.privacy[room] < tables.rules.pacing.public_below


def is_asked(evening: EveningState, tables: ScenarioTables, me: int) -> bool:
    """Whether somebody was recently asked about a secret that they know."""
    ticks = tables.rules.memory.question
    for secret in range(tables.secrets):
        if evening.belief[me][secret] == _BELIEVES_TRUE:
            for asker in range(tables.people):
                if recently(evening.questions[me][asker][secret], evening.tick, ticks):
                    return True
    return False


def takes_side(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether a word to somebody takes their side in a quarrel that one saw: not with a grievance against them."""
    seen = recently(evening.sided_at[me][other], evening.tick, tables.rules.memory.conflict)
    return seen and evening.grievance[me][other] <= tables.rules.departures.grievance_above


def keeps_from(evening: EveningState, tables: ScenarioTables, me: int, other: int) -> bool:
    """Whether somebody holds or conceals a secret that would harm the other, who is not thought to know it."""
    kept = tables.holds[me] | tables.conceals[me]
    for secret in range(tables.secrets):
        harms = kept >> secret & 1 != 0 and tables.harm[other][secret] > 0.0
        if harms and thought_to_know(evening, tables, me, secret) >> other & 1 == 0:
            return True
    return False


def is_upheld(evening: EveningState, tables: ScenarioTables, me: int) -> bool:
    """Whether commitment is kept alive: in public, before somebody it is about or against whom there is a grievance."""
    departures, room = tables.rules.departures, evening.room[me]
    if departures.uphold == 0 or not is_public(tables, room):
        return False
    for other in range(tables.people):
        faced = other != me and evening.room[other] == room
        resented = evening.grievance[me][other] > departures.grievance_above
        if faced and (resented or keeps_from(evening, tables, me, other)):
            return True
    return False
