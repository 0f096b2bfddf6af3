"""Wrongs: who has done one, how it is answered, and what turning away and comforting do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import (
    add_ground,
    change_affection,
    change_emotion,
    change_grievance,
    change_trust,
    set_answered,
    set_stung,
    strain_stress,
)
from volition.drama.evening.log import (
    BY_ANSWER,
    COMFORTED,
    PROTECTED,
    SHUNNED,
    SWALLOWED,
    WAS_SHUNNED,
    WAS_WRONGED,
    flag_event,
)
from volition.drama.evening.state import SHAME

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables


def wrong(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, culprit: int) -> None:
    """Let somebody be wronged by another: it waits for an answer from now on."""
    if tables.rules.departures.consequences != 0:
        set_stung(evening, log, who, culprit, evening.minutes, WAS_WRONGED)


def answer_in_person(evening: EveningState, log: EveningLog, me: int, culprit: int) -> None:
    """Answer another's wrong to their face, if there is one: it waits no longer."""
    if evening.stung[me][culprit] >= 0.0:
        set_stung(evening, log, me, culprit, -1.0, BY_ANSWER)


def answer_before(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, present: int) -> None:
    """Answer the wrongs of all who are present."""
    for other in range(tables.people):
        if present >> other & 1:
            answer_in_person(evening, log, me, other)


def tell_ally(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, ally: int) -> None:
    """Answer every wrong of others by telling somebody of it."""
    for other in range(tables.people):
        if other != ally and evening.stung[me][other] >= 0.0:
            set_answered(evening, log, me, other, 1, BY_ANSWER)


def shun(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int) -> None:
    """Turn away from somebody before all: they feel it. Anyone who swallows a wrong shows it in this way."""
    acts, rules = tables.rules.acts, tables.rules
    if evening.stung[me][other] >= 0.0:
        set_answered(evening, log, me, other, 1, SHUNNED)
        if tables.swallows[me] != 0:
            flag_event(log, SWALLOWED)
    strain_stress(evening, log, other, acts.shun_stress, WAS_SHUNNED)
    change_trust(evening, tables, log, other, me, -acts.shun_trust, WAS_SHUNNED)
    if rules.departures.feelings != 0:
        change_emotion(evening, log, other, SHAME, rules.feelings.shunned_shame, WAS_SHUNNED)


def comfort(evening: EveningState, tables: ScenarioTables, log: EveningLog, me: int, other: int) -> None:
    """Stand by somebody after a quarrel."""
    acts = tables.rules.acts
    strain_stress(evening, log, other, acts.comfort_stress, COMFORTED)
    change_affection(evening, log, other, me, acts.comfort_affection, COMFORTED)


def protect(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, accuser: int, accused: int, present: int
) -> None:
    """Let those present who are committed to protect the accused take the confrontation as a wrong."""
    if tables.rules.departures.protect == 0.0:
        return
    for who in range(tables.people):
        if present >> who & 1 and tables.protects[who] >> accused & 1 and who != accuser:
            change_grievance(evening, log, who, accuser, tables.rules.consequences.protege_grievance, PROTECTED)
            add_ground(evening, log, who, accuser, PROTECTED)
            wrong(evening, tables, log, who, accuser)
