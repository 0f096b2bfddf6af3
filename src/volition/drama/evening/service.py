"""Courses and rounds of wine: when one is due, somebody who serves is given the task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.changes import set_task, set_task_since
from volition.drama.evening.log import CALLED, LAPSED, note, part_number
from volition.drama.evening.perceive import recently
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.evening.state import FETCH, POUR, SERVE

if TYPE_CHECKING:
    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_COURSES, _POURS = map(part_number, ("courses", "pours"))


def call_for_service(evening: EveningState, tables: ScenarioTables, log: EveningLog) -> None:
    """Drop tasks that took too long, and give those that are due to the first who may serve: courses before wine.

    Nobody is called while a scene at the gathering is fresh.
    """
    service = tables.rules.service
    if tables.rules.departures.courses == 0.0:
        return
    for who in range(tables.people):
        drop_task(evening, tables, log, who)
    if recently(evening.clash_at[tables.gathering], evening.tick, service.calm):
        return
    if evening.courses < tables.courses:
        due = tables.course_at[evening.courses]
        task = FETCH if tables.kitchen != NONE else SERVE
        if due <= evening.minutes and give_task(evening, tables, log, task, due, service.lapse_course):
            note(log, _COURSES, NONE, NONE, NONE, evening.courses, evening.courses + 1, CALLED)
            evening.courses += 1
    if evening.pours < tables.pours:
        due = tables.pour_at[evening.pours]
        if due <= evening.minutes and give_task(evening, tables, log, POUR, due, service.lapse_pour):
            note(log, _POURS, NONE, NONE, NONE, evening.pours, evening.pours + 1, CALLED)
            evening.pours += 1


def drop_task(evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int) -> None:
    """Take a task from somebody who took too long or has left."""
    service, since = tables.rules.service, evening.task_since[who]
    if evening.task[who] == NONE:
        return
    lapse = service.lapse_pour if evening.task[who] == POUR else service.lapse_course
    if evening.room[who] == DEPARTED or (since >= 0.0 and evening.minutes - since > lapse):
        set_task(evening, log, who, NONE, LAPSED)
        set_task_since(evening, log, who, -1.0, LAPSED)


def give_task(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, task: int, due: float, lapse: float
) -> bool:
    """Give a task to the first who may take it; whether that is done with, taken or waited for too long."""
    for place in range(tables.servers):
        who = tables.server[place]
        if may_serve(evening, tables, who, task):
            set_task(evening, log, who, task, CALLED)
            set_task_since(evening, log, who, evening.minutes, CALLED)
            return True
    return evening.minutes - due > lapse


def may_serve(evening: EveningState, tables: ScenarioTables, who: int, task: int) -> bool:
    """Whether somebody is in the house and free, as all can see; to pour, one must be where people gather."""
    if evening.room[who] == DEPARTED or evening.task[who] != NONE:
        return False
    return task != POUR or evening.room[who] == tables.gathering
