"""The situation against a simple reference: which rule is called with what, one act at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from tests.drama.mind.departing import departing_worlds, present
from volition.drama.mind.candidates import candidates_of, wish_to_leave
from volition.drama.mind.perception import perceive
from volition.drama.mind.situation import situation, situations
from volition.drama.mind.terms import Appraisal
from volition.drama.rules import situation as rules
from volition.drama.rules.catalog import Belief, EventType
from volition.drama.rules.tables import tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.world.model import Action, WorldState

Item = tuple[str, float]

TELLING = (EventType.REVEAL, EventType.CONFIDE)


def expected(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    """Every item for every act; a rule that does not concern the act returns 0."""
    me, now, tables = appraisal.me, appraisal.perceived, appraisal.tables
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
        yield from telling(appraisal, action)
    if kind == EventType.CONFLICT:
        yield from quarrelling(appraisal, action)
    if kind == EventType.SOCIAL_MOVE:
        yield from moving(appraisal, action)
    if kind == EventType.PHYSICAL:
        yield from handling(appraisal, action)


def telling(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, tables = appraisal.me, appraisal.tables
    assert action.secret_id is not None
    secret = appraisal.scenario.secrets[action.secret_id]
    fondness = max((me.bonds[holder].affection for holder in secret.holders if holder != me.id), default=0.0)
    commitments = appraisal.person.commitments
    conceals = any(vow.kind == "conceal" and vow.secret == secret.id for vow in commitments)
    holds, harm, departures = me.id in secret.holders, secret.harm.get(me.id, 0.0), tables.departures
    kind, to_holder = action.action_type, action.target_agents[0] in secret.holders
    yield "telling", rules.telling_cost(kind, holds, conceals, fondness, harm, departures, tables.situation)
    yield "telling_holder", rules.telling_holder(kind, to_holder, departures)


def quarrelling(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, departures = appraisal.me, appraisal.tables.departures
    kind, other = action.action_type, action.target_agents[0]
    held = [secret for secret in appraisal.scenario.secrets.values() if other in secret.holders]
    suspects = any(me.beliefs[secret.id] == Belief.SUSPECTS for secret in held)
    yield "politeness", rules.politeness(kind, appraisal.perceived.minutes, departures)
    yield "grievance", rules.grievance_pull(kind, me.grievance.get(other, 0.0), departures)
    yield "fatigue", rules.fatigue_cost(kind, me.fatigue.get(other, 0.0), departures)
    yield "suspicion", rules.suspicion_pull(kind, suspects, departures)


def moving(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, now, tables = appraisal.me, appraisal.perceived, appraisal.tables
    evening, departures, room = appraisal.scenario.evening, tables.departures, action.destination
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
        yield "leaving", rules.exit_pull(wish_to_leave(appraisal.scenario, me, now, tables))
    for need, place in evening.needs.items():
        if place == room:
            yield need, rules.need_pull(me.needs.get(need, 0.0), departures, tables.situation)


def handling(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, tables, manner = appraisal.me, appraisal.tables, action.manner
    yield "task", rules.task_pull(manner == me.task, tables.departures)
    if manner == "leave":
        wish = wish_to_leave(appraisal.scenario, me, appraisal.perceived, tables)
        yield "leaving", rules.departure_pull(wish, tables.leaving)
    if manner == "slam":
        yield "slam", rules.slam_pull(me.emotions["anger"], tables.departures)
    if manner in appraisal.scenario.evening.needs:
        assert manner is not None
        yield manner, rules.need_use(me.needs.get(manner, 0.0), tables.departures)


@pytest.mark.req("DE-10")
@settings(max_examples=150, deadline=None)
@given(departing_worlds())
def test_the_same_items(world: WorldState) -> None:
    """The items of an act are those of the reference that are not 0, and its column is their exact sum."""
    tables = tables_of(world.scenario.rules)
    for agent in present(world):
        perceived = perceive(world, agent.id, tables)
        appraisal = Appraisal(world.scenario, agent, perceived, tables)
        actions = candidates_of(world.scenario, agent, perceived, tables)
        items = [dict(situation(appraisal, action)) for action in actions]
        assert items == [{name: value for name, value in expected(appraisal, action) if value} for action in actions]
        assert situations(appraisal, actions) == [sum(told.values()) for told in items]


def test_random_evenings_have_every_item() -> None:
    """In the random evenings every item contributes somewhere."""
    told: set[str] = set()

    @settings(max_examples=200, database=None, derandomize=True, deadline=None)
    @given(departing_worlds())
    def look(world: WorldState) -> None:
        tables = tables_of(world.scenario.rules)
        for agent in present(world):
            perceived = perceive(world, agent.id, tables)
            appraisal = Appraisal(world.scenario, agent, perceived, tables)
            for action in candidates_of(world.scenario, agent, perceived, tables):
                told.update(name for name, _ in situation(appraisal, action))

    look()
    assert told == {
        "recency", "restraint", "making_up", "lie", "telling", "telling_holder", "politeness", "grievance", "fatigue",
        "suspicion", "move", "move_again", "manners", "away", "crowd", "company", "course", "task", "leaving", "slam",
        "air", "smoke",
    }  # fmt: skip
