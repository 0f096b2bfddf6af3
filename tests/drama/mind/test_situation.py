"""The situation against a simple reference: which rule is called with what, one act at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from tests.drama.mind.departing import departing_worlds, present
from volition.drama.evening.weigh import SITUATION_ITEMS
from volition.drama.mind.mind import Mind, Sheet
from volition.drama.rules import situation as rules
from volition.drama.rules.catalog import Belief, EventType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.world.model import Action, AgentState, WorldState

Item = tuple[str, float]

TELLING = (EventType.REVEAL, EventType.CONFIDE)


def expected(sheet: Sheet, action: Action) -> Iterator[Item]:
    """Every item for every act; a rule that does not concern the act returns 0."""
    me, now, tables = sheet.me, sheet.perceived, sheet.mind.tables
    kind, departures = action.action_type, tables.departures
    done = [now.tick - tick for tick, id in me.recent if id == action.id]
    yield "recency", rules.recency(action.is_dramatic, min(done, default=0), departures)
    yield "restraint", rules.restraint(action.is_dramatic, now.minutes, departures)
    if len(action.target_agents) == 1:
        other = action.target_agents[0]
        owes = other in me.confronted_by or other in me.wronged
        yield "making_up", rules.making_up(kind, owes, me.emotions["shame"], departures, tables.situation)
    yield "lie", rules.lie_pull(kind, departures)
    if kind in TELLING:
        yield from telling(sheet, action)
    if kind == EventType.CONFLICT:
        yield from quarrelling(sheet, action)
    if kind == EventType.SOCIAL_MOVE:
        yield from moving(sheet, action)
    if kind == EventType.PHYSICAL:
        yield from handling(sheet, action)


def telling(sheet: Sheet, action: Action) -> Iterator[Item]:
    me, tables = sheet.me, sheet.mind.tables
    assert action.secret_id is not None
    secret = sheet.mind.scenario.secrets[action.secret_id]
    fondness = max((me.bonds[holder].affection for holder in secret.holders if holder != me.id), default=0.0)
    commitments = sheet.mind.scenario.people[me.id].commitments
    conceals = any(vow.kind == "conceal" and vow.secret == secret.id for vow in commitments)
    holds, harm, departures = me.id in secret.holders, secret.harm.get(me.id, 0.0), tables.departures
    kind, to_holder = action.action_type, action.target_agents[0] in secret.holders
    yield "telling", rules.telling_cost(kind, holds, conceals, fondness, harm, departures, tables.situation)
    yield "telling_holder", rules.telling_holder(kind, to_holder, departures)


def quarrelling(sheet: Sheet, action: Action) -> Iterator[Item]:
    me, departures = sheet.me, sheet.mind.tables.departures
    kind, other = action.action_type, action.target_agents[0]
    held = [secret for secret in sheet.mind.scenario.secrets.values() if other in secret.holders]
    suspects = any(me.beliefs[secret.id] == Belief.SUSPECTS for secret in held)
    yield "politeness", rules.politeness(kind, sheet.perceived.minutes, departures)
    yield "grievance", rules.grievance_pull(kind, me.grievance.get(other, 0.0), departures)
    yield "fatigue", rules.fatigue_cost(kind, me.fatigue.get(other, 0.0), departures)
    yield "suspicion", rules.suspicion_pull(kind, suspects, departures)


def moving(sheet: Sheet, action: Action) -> Iterator[Item]:
    me, now, tables = sheet.me, sheet.perceived, sheet.mind.tables
    evening, departures, room = sheet.mind.scenario.evening, tables.departures, action.destination
    assert room is not None
    returns, leaves = room == evening.gathering, me.location == evening.gathering
    here, there = len(now.visible_agents), len(now.occupants[room])
    yield "move", rules.move_cost(departures)
    yield "move_again", rules.move_again(0 if me.moved is None else now.tick - me.moved, departures)
    yield "manners", rules.manners(leaves, me.task is not None or me.thrown_out, here, departures, tables.situation)
    yield "away", rules.away_pull(returns, 0.0 if me.away is None else now.minutes - me.away, departures)
    yield "crowd", rules.crowd(there, here, departures)
    yield "company", rules.company(here, there, departures)
    since = -1.0 if now.course_served is None else now.minutes - now.course_served
    yield "course", rules.course_window(returns, leaves, since, departures)
    goes = {"fetch": evening.kitchen, "serve": evening.gathering, "pour": evening.gathering}
    yield "task", rules.task_pull(me.task is not None and goes[me.task] == room, departures)
    if room == evening.exit:
        yield "leaving", rules.exit_pull(wish_to_leave(sheet, me))
    for need, place in evening.needs.items():
        if place == room:
            yield need, rules.need_pull(me.needs.get(need, 0.0), departures, tables.situation)


def handling(sheet: Sheet, action: Action) -> Iterator[Item]:
    me, tables, manner = sheet.me, sheet.mind.tables, action.manner
    yield "task", rules.task_pull(manner == me.task, tables.departures)
    if manner == "leave":
        wish = wish_to_leave(sheet, me)
        yield "leaving", rules.departure_pull(wish, tables.leaving)
    if manner == "slam":
        yield "slam", rules.slam_pull(me.emotions["anger"], tables.departures)
    if manner in sheet.mind.scenario.evening.needs:
        assert manner is not None
        yield manner, rules.need_use(me.needs.get(manner, 0.0), tables.departures)


def wish_to_leave(sheet: Sheet, me: AgentState) -> float:
    tables, minutes = sheet.mind.tables, sheet.perceived.minutes
    if sheet.mind.scenario.people[me.id].resident:
        return 0.0
    since, stress = (-1.0 if me.last_scene is None else minutes - me.last_scene), me.pacing.stress
    return rules.leave_desire(minutes, since, me.broken, stress, me.thrown_out, tables.departures, tables.leaving)


def sheets(world: WorldState) -> Iterator[Sheet]:
    """What was weighed for the decision of everybody present."""
    mind = Mind(world.scenario)
    return (mind.decide(world, agent.id).tally.context for agent in present(world))


@pytest.mark.req("DE-10")
@settings(max_examples=150, deadline=None)
@given(departing_worlds())
def test_the_same_items(world: WorldState) -> None:
    """The items of an act are those of the reference that are not 0, and its column is their exact sum."""
    for sheet in sheets(world):
        ids = [action.id for action in sheet.actions]
        items = [dict(sheet.items_of(id)) for id in ids]
        assert items == [{name: value for name, value in expected(sheet, action) if value} for action in sheet.actions]
        assert sheet.column("situation", ids) == [sum(told.values()) for told in items]


def test_random_evenings_have_every_item() -> None:
    """In the random evenings every item contributes somewhere."""
    told: set[str] = set()

    @settings(max_examples=200, database=None, derandomize=True, deadline=None)
    @given(departing_worlds())
    def look(world: WorldState) -> None:
        for sheet in sheets(world):
            told.update(name for action in sheet.actions for name, _ in sheet.items_of(action.id))

    look()
    assert told == {*SITUATION_ITEMS, "air", "smoke"}
