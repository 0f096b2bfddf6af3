"""The situation: every addition to the specification's terms, itemised, so that the spec's own terms stay literal.

Each item is a departure with a name; with all departures off there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.mind.candidates import LEAVE, wish_to_leave
from volition.drama.rules import situation as rules
from volition.drama.rules.catalog import CONFIDE, CONFLICT, PHYSICAL, REVEAL, SOCIAL_MOVE, Belief

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from volition.drama.mind.terms import Appraisal
    from volition.drama.world.model import Action

Item = tuple[str, float]

ITEMS = frozenset(
    {
        "recency",
        "recency_dramatic",
        "opening_restraint",
        "politeness",
        "telling_cost",
        "telling_holder",
        "grievance",
        "fatigue",
        "suspicion_pull",
        "lie_pull",
        "making_up",
        "move_cost",
        "move_again",
        "manners",
        "away_pull",
        "crowd_pull",
        "crowd_push",
        "company",
        "courses",
        "course_window",
        "needs",
        "leaving",
    }
)
"""The departures that have an item; with all of them at 0 the situation adds nothing."""

_NEVER = 0
"""The age of what never happened."""


def situation(appraisal: Appraisal, action: Action) -> list[Item]:
    """What the situation adds to an act, item by item; what adds nothing is left out."""
    items = [*_common(appraisal, action), *_of_kind(appraisal, action)]
    return [(name, value) for name, value in items if value]


def total(items: Iterable[Item]) -> float:
    """What the items add up to, exactly."""
    return sum([value for _, value in items])


def _of_kind(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    kind = action.action_type
    if kind == SOCIAL_MOVE:
        return _moving(appraisal, action)
    if kind == PHYSICAL:
        return _handling(appraisal, action)
    if kind in (REVEAL, CONFIDE):
        return _telling(appraisal, action)
    if kind == CONFLICT:
        return _quarrelling(appraisal, action)
    return _talking(appraisal, action)


def _common(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    departures, now = appraisal.tables.departures, appraisal.perceived
    done = [now.tick - tick for tick, id in appraisal.me.recent if id == action.id]
    yield "recency", rules.recency(action.is_dramatic, min(done, default=_NEVER), departures)
    yield "restraint", rules.restraint(action.is_dramatic, now.minutes, departures)


def _talking(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    tables, me = appraisal.tables, appraisal.me
    yield "lie", rules.lie_pull(action.action_type, tables.departures)
    if len(action.target_agents) == 1:
        other = action.target_agents[0]
        owes = other in me.confronted_by or other in me.wronged
        shame = me.emotions["shame"]
        yield "making_up", rules.making_up(action.action_type, owes, shame, tables.departures, tables.situation)


def _telling(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, tables = appraisal.me, appraisal.tables
    assert action.secret_id is not None
    secret = appraisal.scenario.secrets[action.secret_id]
    fondness = max((me.bonds[holder].affection for holder in secret.holders if holder != me.id), default=0.0)
    holds, conceals = me.id in secret.holders, secret.id in appraisal.concealed
    harm = secret.harm.get(me.id, 0.0)
    kind, departures = action.action_type, tables.departures
    yield "telling", rules.telling_cost(kind, holds, conceals, fondness, harm, departures, tables.situation)
    yield "telling_holder", rules.telling_holder(kind, action.target_agents[0] in secret.holders, departures)


def _quarrelling(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, departures = appraisal.me, appraisal.tables.departures
    kind, other = action.action_type, action.target_agents[0]
    held = (secret for secret in appraisal.scenario.secrets.values() if other in secret.holders)
    suspects = any(me.beliefs[secret.id] == Belief.SUSPECTS for secret in held)
    yield "politeness", rules.politeness(kind, appraisal.perceived.minutes, departures)
    yield "grievance", rules.grievance_pull(kind, me.grievance.get(other, 0.0), departures)
    yield "fatigue", rules.fatigue_cost(kind, me.fatigue.get(other, 0.0), departures)
    yield "suspicion", rules.suspicion_pull(kind, suspects, departures)


def _moving(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, now, tables = appraisal.me, appraisal.perceived, appraisal.tables
    evening, departures = appraisal.scenario.evening, tables.departures
    room = action.destination
    assert room is not None
    returns, leaves = room == evening.gathering, me.location == evening.gathering
    here, there = len(now.visible_agents), len(now.occupants[room])
    moved = now.tick - me.moved if me.moved is not None else _NEVER
    yield "move", rules.move_cost(departures)
    yield "move_again", rules.move_again(moved, departures)
    yield "manners", rules.manners(leaves, me.task is not None or me.thrown_out, here, departures, tables.situation)
    away = now.minutes - me.away if me.away is not None else 0.0
    yield "away", rules.away_pull(returns, away, departures)
    yield "crowd", rules.crowd(there, here, departures)
    yield "company", rules.company(here, there, departures)
    since = now.minutes - now.course_served if now.course_served is not None else -1.0
    yield "course", rules.course_window(returns, leaves, since, departures)
    goes = {"fetch": evening.kitchen, "serve": evening.gathering, "pour": evening.gathering}
    yield "task", rules.task_pull(me.task is not None and goes[me.task] == room, departures)
    if room == evening.exit:
        yield "leaving", rules.exit_pull(wish_to_leave(appraisal.scenario, me, now, tables))
    for need, place in evening.needs.items():
        if place == room:
            yield need, rules.need_pull(me.needs.get(need, 0.0), departures, tables.situation)


def _handling(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, departures = appraisal.me, appraisal.tables.departures
    yield "task", rules.task_pull(action.manner is not None and action.manner == me.task, departures)
    if action.manner == LEAVE:
        wish = wish_to_leave(appraisal.scenario, me, appraisal.perceived, appraisal.tables)
        yield "leaving", rules.departure_pull(wish, appraisal.tables.leaving)
    if action.manner is not None and action.manner in appraisal.scenario.evening.needs:
        yield action.manner, rules.need_use(me.needs.get(action.manner, 0.0), departures)
