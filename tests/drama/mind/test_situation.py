"""The situation against a simple reference: which rule is called with what, one act at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from tests.drama.mind.departing import departing_worlds, present
from volition.drama.evening.weigh import SITUATION_ITEMS
from volition.drama.mind.mind import Appraisal, Mind
from volition.drama.rules import situation as rules
from volition.drama.rules.catalog import Belief, Effect, EventType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Action

Item = tuple[str, float]

TELLING = (EventType.REVEAL, EventType.CONFIDE)


def expected(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    """Every item for every act; a rule that does not concern the act returns 0."""
    me, now, tables = appraisal.me, appraisal.perceived, appraisal.mind.rules
    kind, departures = action.action_type, tables.departures
    done = [now.tick - tick for tick, id in me.recent if repeats(id, action)]
    yield "recency", rules.recency(action.is_dramatic, min(done, default=0), departures)
    others = action.target_agents
    outraged = kind == EventType.CONFLICT and others[0] in me.stung
    outraged |= kind == EventType.CONFIDE and bool(set(me.stung) - me.answered - set(others))
    outraged |= action.manner == "break_with"
    yield "restraint", 0.0 if outraged else rules.restraint(action.is_dramatic, over(appraisal), departures)
    if len(others) == 1 and kind == EventType.CHAT:
        owes = others[0] in me.confronted_by or others[0] in me.wronged
        yield "making_up", rules.making_up(kind, owes, me.emotions["shame"], departures, tables.situation)
    yield "lie", rules.lie_pull(kind, departures)
    if kind in (EventType.CHAT, EventType.CONFIDE):
        resented = sum(me.grievance.get(other, 0.0) for other in others) / len(others)
        yield "chill", rules.chill(resented, departures)
    if kind == EventType.CONFIDE:
        yield "ally", rules.ally_pull(outraged, departures)
    if kind in TELLING and action.secret_id is not None:
        yield from telling(appraisal, action)
    if kind == EventType.CONFLICT:
        yield from quarrelling(appraisal, action)
    if kind == EventType.SOCIAL_MOVE:
        yield from moving(appraisal, action)
    if kind == EventType.PHYSICAL:
        yield from handling(appraisal, action)


def repeats(id: str, action: Action) -> bool:
    """Whether an earlier act was of the same kind towards the same person: which secret it was about does not count."""
    mine, theirs = action.id.split(":"), id.split(":")
    if action.action_type == EventType.CONFLICT:
        return (mine[0], mine[-1]) == (theirs[0], theirs[-1])
    about = action.secret_id is not None and len(theirs) == 3 and theirs[1] not in ("feeling", "shun", "comfort")
    return (mine[0], mine[-1]) == (theirs[0], theirs[-1]) if about else id == action.id


def over(appraisal: Appraisal) -> float:
    """The share of the evening that is over."""
    return appraisal.perceived.minutes / appraisal.mind.scenario.evening.minutes


def telling(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, tables = appraisal.me, appraisal.mind.rules
    assert action.secret_id is not None
    secret = appraisal.mind.scenario.secrets[action.secret_id]
    fondness = max((me.bonds[holder].affection for holder in secret.holders if holder != me.id), default=0.0)
    commitments = appraisal.mind.scenario.people[me.id].commitments
    conceals = any(vow.kind == "conceal" and vow.secret == secret.id for vow in commitments)
    holds, harm, departures = me.id in secret.holders, secret.harm.get(me.id, 0.0), tables.departures
    kind, others = action.action_type, [holder for holder in secret.holders if holder != me.id]
    yield "telling", rules.telling_cost(kind, holds, conceals, fondness, harm, departures, tables.situation)
    resented = [max(me.grievance.get(other, 0.0), -me.bonds[other].trust) for other in others]
    yield "denounce", rules.denouncing(kind, 0.0 if holds else max([0.0, *resented]), departures)
    protected = {vow.person for vow in commitments if vow.kind == "protect"}
    yield "protect", rules.protecting(kind, bool(protected & set(secret.holders)), departures)


def quarrelling(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, departures = appraisal.me, appraisal.mind.rules.departures
    kind, other = action.action_type, action.target_agents[0]
    held = [secret.id for secret in appraisal.mind.scenario.secrets.values() if other in secret.holders]
    subjects = [] if action.manner == "wrong" else held if action.secret_id is None else [action.secret_id]
    suspects = any(me.beliefs[secret] == Belief.SUSPECTS for secret in subjects)
    if other in me.stung:
        grievance, swallows = me.grievance.get(other, 0.0), swallows_wrongs(appraisal)
        yield "wrong", rules.outrage(grievance, other in me.answered, departures, appraisal.mind.rules.situation)
        yield "swallow", rules.swallowing(True, swallows, departures)
        yield "owed", owed(appraisal, other)
    else:
        yield "politeness", rules.politeness(kind, over(appraisal), departures)
    yield "grievance", rules.grievance_pull(kind, me.grievance.get(other, 0.0), departures)
    yield "fatigue", rules.fatigue_cost(kind, me.fatigue.get(other, 0.0), departures)
    yield "suspicion", rules.suspicion_pull(kind, suspects, departures)
    sort, _, about = me.wrong[other].partition(":") if action.manner == "wrong" else ("secret", "", action.secret_id)
    harmful = appraisal.mind.scenario.secrets.get(about) if about and sort in ("harm", "secret") else None
    gravity = 0.0 if harmful is None else harmful.weight * harmful.harm.get(me.id, 0.0)
    yield "stake", rules.staking(gravity, me.bonds[other].affection, departures)


def owed(appraisal: Appraisal, other: str) -> float:
    waited = appraisal.perceived.minutes - appraisal.me.stung[other]
    return rules.owing(waited, appraisal.mind.rules.departures, appraisal.mind.rules.situation)


def swallows_wrongs(appraisal: Appraisal) -> bool:
    flaws = appraisal.mind.scenario.people[appraisal.me.id].flaws
    return any(flaw.effect in (Effect.AVOID_CONFRONTATION, Effect.DENY_EVIDENCE) for flaw in flaws)


def dreaded(appraisal: Appraisal) -> set[str]:
    """Those whom somebody avoids."""
    me, tables = appraisal.me, appraisal.mind.rules
    flaws = appraisal.mind.scenario.people[me.id].flaws
    flees = any(flaw.effect == Effect.AVOID_CONFRONTATION for flaw in flaws)
    wrongs = set(me.stung) if swallows_wrongs(appraisal) else set()
    if not flees and me.emotions["fear"] <= tables.situation.afraid:
        return wrongs
    late = {
        other for other, at in me.confronted_by.items() if appraisal.perceived.tick - at <= tables.memory.challenge
    } - set(me.stung)
    return wrongs | late


def moving(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, now, tables = appraisal.me, appraisal.perceived, appraisal.mind.rules
    evening, departures, room = appraisal.mind.scenario.evening, tables.departures, action.destination
    assert room is not None
    returns, leaves = room == evening.gathering, me.location == evening.gathering
    here, there = len(now.visible_agents), len(now.occupants[room])
    near, far = dreaded(appraisal) & set(now.visible_agents), dreaded(appraisal) & set(now.occupants[room])
    excused = me.task is not None or me.thrown_out or bool(near)
    yield "flight", rules.flight(bool(near), bool(far), departures)
    yield "move", rules.move_cost(departures)
    yield "move_again", rules.move_again(0 if me.moved is None else now.tick - me.moved, departures)
    yield "manners", rules.manners(leaves, excused, here, departures, tables.situation)
    yield "away", rules.away_pull(returns, 0.0 if me.away is None else now.minutes - me.away, departures)
    yield "crowd", rules.crowd(there, here, departures)
    yield "company", rules.company(here, there, departures)
    since = -1.0 if now.course_served is None else now.minutes - now.course_served
    yield "course", rules.course_window(returns, leaves, since, departures)
    goes = {"fetch": evening.kitchen, "serve": evening.gathering, "pour": evening.gathering}
    if me.task is not None and goes[me.task] == room:
        yield from serving(appraisal)
    if set(me.stung) & set(now.occupants[room]) - set(now.visible_agents):
        yield "seek", rules.seeking(departures)
    if room == evening.exit:
        yield "leaving", rules.exit_pull(wish_to_leave(appraisal, me))
    for need, place in evening.needs.items():
        if place == room:
            yield need, rules.need_pull(me.needs.get(need, 0.0), departures, tables.situation)


def serving(appraisal: Appraisal) -> Iterator[Item]:
    me, now, departures = appraisal.me, appraisal.perceived, appraisal.mind.rules.departures
    resented = max((me.grievance.get(other, 0.0) for other in now.visible_agents), default=0.0)
    yield "task", rules.task_pull(True, departures)
    yield "unrest", rules.unrest(now.recent_conflict_at_location, departures)
    yield "chill", rules.chill(resented, departures)


def gesturing(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, tables, other = appraisal.me, appraisal.mind.rules, action.target_agents[0]
    held, departures = me.grievance.get(other, 0.0), tables.departures
    if action.manner == "shun":
        assert other in me.stung
        assert other not in me.answered
        yield "cold", rules.going_cold(held, departures, tables.situation)
        yield "swallow", rules.swallowing(False, swallows_wrongs(appraisal), departures)
    elif action.manner == "forgive":
        yield "forgive", rules.forgiving(me.bonds[other].affection, held, departures, tables.situation)
        yield "owed", owed(appraisal, other) if other in me.stung else 0.0
    elif action.manner == "break_with":
        yield "break_with", rules.breaking_with(me.bonds[other].trust, held, departures)
        yield "owed", owed(appraisal, other)
    else:
        vows = appraisal.mind.scenario.people[me.id].commitments
        protects = any(vow.kind == "protect" and vow.person == other for vow in vows)
        yield "comfort", rules.comforting(me.bonds[other].affection, protects, departures)
        yield "chill", rules.chill(held, departures)


def handling(appraisal: Appraisal, action: Action) -> Iterator[Item]:
    me, tables, manner = appraisal.me, appraisal.mind.rules, action.manner
    if manner is not None and manner == me.task:
        yield from serving(appraisal)
    if manner == "drink":
        at_hand = me.location == appraisal.mind.scenario.evening.gathering
        yield "drink", rules.drinking(me.pacing.stress, at_hand, tables.departures, tables.situation)
    if manner in ("shun", "comfort", "forgive", "break_with"):
        yield from gesturing(appraisal, action)
    if manner == "leave":
        wish = wish_to_leave(appraisal, me)
        yield "leaving", rules.departure_pull(wish, tables.leaving)
    if manner == "slam":
        yield "slam", rules.slam_pull(me.emotions["anger"], tables.departures)
    if manner in appraisal.mind.scenario.evening.needs:
        assert manner is not None
        yield manner, rules.need_use(me.needs.get(manner, 0.0), tables.departures)


def wish_to_leave(appraisal: Appraisal, me: AgentState) -> float:
    tables, minutes = appraisal.mind.rules, appraisal.perceived.minutes
    since, stress = (-1.0 if me.last_scene is None else minutes - me.last_scene), me.pacing.stress
    wronged = max((me.grievance.get(other, 0.0) for other in {*me.stung, *me.broke_with}), default=0.0)
    if appraisal.mind.scenario.people[me.id].resident and wronged < tables.departures.walking_out:
        return 0.0
    return rules.leave_desire(
        over(appraisal), since, me.broken, stress, me.thrown_out, wronged, tables.departures, tables.leaving
    )


def sheets(world: WorldState) -> Iterator[Appraisal]:
    """What was weighed for the decision of everybody present."""
    mind = Mind(world.scenario)
    return (mind.decide(world, agent.id).tally.context for agent in present(world))


@pytest.mark.req("DE-10")
@settings(deadline=None)
@given(departing_worlds())
def test_the_same_items(world: WorldState) -> None:
    """The items of an act are those of the reference that are not 0, and its column is their exact sum."""
    for appraisal in sheets(world):
        ids = [action.id for action in appraisal.actions]
        items = [dict(appraisal.items_of(id)) for id in ids]
        assert items == [
            {name: value for name, value in expected(appraisal, action) if value} for action in appraisal.actions
        ]
        assert appraisal.column("situation", ids) == [sum(told.values()) for told in items]


def test_random_evenings_have_every_item() -> None:
    """In the random evenings every item contributes somewhere."""
    told: set[str] = set()

    @settings(max_examples=50, database=None, derandomize=True, deadline=None)
    @given(departing_worlds())
    def look(world: WorldState) -> None:
        for appraisal in sheets(world):
            told.update(name for action in appraisal.actions for name, _ in appraisal.items_of(action.id))

    look()
    assert told == {*SITUATION_ITEMS, "air", "smoke"}
