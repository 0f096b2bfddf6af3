"""The line of a project: the waiting plans in order, each with the plans that it waits behind, and for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.workflow.law.judgement import read_plan
from volition.workflow.team.live import LiveIndex
from volition.workflow.team.registration import grave_collisions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.workflow.store.rows import RegisteredPlan
    from volition.workflow.team.team import Team


class WaitsBehind(Struct, frozen=True):
    """A plan that another one waits for, who holds it, and what both want."""

    plan_id: str
    holder: str
    resources: tuple[str, ...]


class PlaceInLine(Struct, frozen=True):
    """A waiting plan, its place from 1 up, and all that it waits behind."""

    plan_id: str
    place: int
    behind: tuple[WaitsBehind, ...]


def read_line(team: Team, plans: Iterable[RegisteredPlan]) -> tuple[PlaceInLine, ...]:
    """The line among the open plans of a project, as `team.list()` gives them, first come first."""
    known = {plan.plan_id: plan for plan in plans if plan.state in {"active", "waiting"}}
    line = sorted((plan for plan in known.values() if plan.state == "waiting"), key=lambda plan: plan.token)
    if not line:
        return ()
    index = LiveIndex()
    with team.store.read() as connection:
        index.prepare(connection, team.project)
    return tuple(PlaceInLine(plan.plan_id, place, _behind(index, plan, known)) for place, plan in enumerate(line, 1))


def _behind(index: LiveIndex, plan: RegisteredPlan, known: dict[str, RegisteredPlan]) -> tuple[WaitsBehind, ...]:
    wanted: dict[str, dict[str, None]] = {}
    if plan.plan_id not in index:
        return ()  # it was granted or ended after the plans were read
    for collision in grave_collisions(index.in_the_way(read_plan(plan.document))):
        for other in collision.intent_ids:
            if other in known:
                wanted.setdefault(other, {})[collision.resource] = None
    return tuple(WaitsBehind(other, known[other].holder, tuple(wanted[other])) for other in sorted(wanted))
