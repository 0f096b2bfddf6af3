"""Courses and rounds of wine: when one is due, a server gets the task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.stage.scribe import EventScribe
    from volition.drama.world.model import AgentState


def serve(scribe: EventScribe) -> None:
    """Drop tasks that took too long, and give due tasks to the first available server."""
    world, tables, evening = scribe.world, scribe.tables, scribe.world.scenario.evening
    if not tables.departures.courses:
        return
    for me in world.agents.values():
        _drop(scribe, me)
    course = "fetch" if evening.kitchen is not None else "serve"
    for due, called, task, lapse in (
        (evening.courses, "courses", course, tables.service.lapse_course),
        (evening.pours, "pours", "pour", tables.service.lapse_pour),
    ):
        count = getattr(world, called)
        if count >= len(due) or due[count] > world.minutes:
            continue
        server = _server(scribe, task)
        if server is not None:
            scribe.change("task", server, task, "called")
            scribe.change("task_since", server, world.minutes, "called")
        if server is not None or world.minutes - due[count] > lapse:
            scribe.change("world", "", count + 1, "called", called)


def _drop(scribe: EventScribe, me: AgentState) -> None:
    service = scribe.tables.service
    lapse = service.lapse_pour if me.task == "pour" else service.lapse_course
    late = me.task_since is not None and scribe.world.minutes - me.task_since > lapse
    if me.task is not None and (late or me.location == DEPARTED):
        scribe.change("task", me.id, None, "lapsed")
        scribe.change("task_since", me.id, None, "lapsed")


def _server(scribe: EventScribe, task: str) -> str | None:
    """The first server who is in the house, at ease and free; only somebody at the gathering can pour."""
    world, evening = scribe.world, scribe.world.scenario.evening
    for id in evening.servers:
        me = world.agents[id]
        at_ease = me.pacing.recovery_timer < scribe.tables.service.rested
        if (
            me.location != DEPARTED
            and at_ease
            and me.task is None
            and (task != "pour" or me.location == evening.gathering)
        ):
            return id
    return None
