"""The situation: all additions to the specification's terms, itemised, so that the specification's terms stay literal.

Each item is a named departure; with all departures off there are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from volition.drama.mind.candidates import wish_to_leave
from volition.drama.rules import situation as rules
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    LEAVE,
    LIE,
    PHYSICAL,
    REVEAL,
    SLAM,
    SOCIAL_MOVE,
    Belief,
    EventType,
)
from volition.drama.rules.tables import ITEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from volition.drama.mind.terms import Appraisal
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import Action, Scenario, Secret

Item = tuple[str, float]

_NEVER = 0
"""The age of what never happened."""

_SUSPECTS = Belief.SUSPECTS


def adds_anything(tables: Tables) -> bool:
    """Whether any departure that has an item is on."""
    return any(value for name, value in tables.departures._asdict().items() if name in ITEMS)


def most_added(scenario: Scenario, tables: Tables) -> float:
    """The most that a situation can add with any rules: what every act may get, plus the most for any kind of act."""
    d, shape, leaving, wants = tables.departures, tables.situation, tables.leaving, tables.wants
    crowd, late = (
        float(len(scenario.people)),
        scenario.evening.minutes + tables.time.catastrophe * scenario.evening.time_scale,
    )
    again = max(abs(d.recency), abs(d.recency_dramatic)) * (1.0 + abs(d.recency_slope) * d.recency_ticks)
    telling = abs(d.telling_cost) * max(2.0, abs(shape.telling_open)) + abs(d.telling_holder)
    quarrel = abs(d.politeness) + abs(d.opening_restraint) + abs(d.grievance) + abs(d.suspicion_pull)
    quarrel += abs(d.fatigue) * tables.grievance.fatigue_most
    wish = abs(leaving.scene) + abs(leaving.broken) + abs(leaving.stress) * (1.0 + abs(leaving.stress_above)) + 1.0
    wish += abs(leaving.late) * max(0.0, late - leaving.late_from) / leaving.late_minutes + abs(leaving.decency)
    need = max(wants.most, wants.start, 1.0) + abs(wants.glass_relief) * len(
        scenario.evening.courses + scenario.evening.pours
    )
    wanted = len(scenario.evening.needs) * abs(d.needs) * (need + abs(shape.need_felt))
    move = abs(d.move_cost) + abs(d.move_again) + abs(d.company) + abs(d.course_window) + abs(d.courses)
    move += abs(d.manners) * (
        abs(shape.manners_least) + abs(shape.manners_most) * max(1.0, crowd / shape.manners_company)
    )
    move += _cap(d.away_pull, d.away_most, late)
    move += _cap(d.crowd_pull, d.crowd_pull_most, crowd) + _cap(d.crowd_push, d.crowd_push_most, crowd)
    handling = (
        abs(d.courses) + abs(leaving.departure) + wish + abs(d.need_base) + abs(d.need_use) * need + abs(d.slam_pull)
    )
    kinds = (telling, quarrel, abs(d.lie_pull), abs(d.making_up), move + wish + wanted, handling)
    return again + abs(d.opening_restraint) + max(kinds)


def _cap(rate: float, most: float, times: float) -> float:
    """The largest absolute value of the smaller of `most` and a rate times `times`."""
    return most if rate >= 0.0 <= most else max(abs(most), abs(rate) * times)


def situation(appraisal: Appraisal, action: Action) -> list[Item]:
    """What the situation adds to an act, item by item, without items that add nothing."""
    return [(name, value) for name, value in _Situation(appraisal).items(action) if value]


def situations(appraisal: Appraisal, actions: Sequence[Action]) -> list[float]:
    """What the situation adds to each act: the exact sum of its items."""
    items = _Situation(appraisal).items
    return [sum([value for _, value in items(action)], 0.0) for action in actions]


class _Situation:
    """The situation of one appraisal, with what its acts have in common."""

    def __init__(self, appraisal: Appraisal) -> None:
        self.scenario, self.tables, self.character = appraisal.scenario, appraisal.tables, appraisal.character
        self.me, self.now = appraisal.me, appraisal.perceived
        self.departures, self.evening = appraisal.tables.departures, appraisal.scenario.evening
        minutes = self.now.minutes
        self.restraint = [rules.restraint(dramatic, minutes, self.departures) for dramatic in (False, True)]
        self.ages: dict[str, int] = {}
        for tick, id in self.me.recent:
            age = self.now.tick - tick
            self.ages[id] = min(age, self.ages.get(id, age))
        self.tellings: dict[tuple[EventType, str], float] = {}

    def items(self, action: Action) -> list[Item]:
        """Everything that might be added, in the order of display."""
        dramatic = action.is_dramatic
        items = [("restraint", self.restraint[dramatic])]
        if action.id in self.ages:
            items = [("recency", rules.recency(dramatic, self.ages[action.id], self.departures)), *items]
        of_kind = self.OF_KIND.get(action.action_type)
        return items if of_kind is None else items + of_kind(self, action)

    def _chat_items(self, action: Action) -> list[Item]:
        if len(action.target_agents) != 1:
            return []
        me, other = self.me, action.target_agents[0]
        owes, shame = other in me.confronted_by or other in me.wronged, me.emotions["shame"]
        return [("making_up", rules.making_up(CHAT, owes, shame, self.departures, self.tables.situation))]

    def _lie_items(self, action: Action) -> list[Item]:
        return [("lie", rules.lie_pull(LIE, self.departures))]

    def _telling_items(self, action: Action) -> list[Item]:
        kind, secret, departures = action.action_type, action.secret_id, self.departures
        assert secret is not None
        cost = self.tellings.get((kind, secret))
        if cost is None:
            cost = self.tellings[kind, secret] = self._telling_cost(kind, self.scenario.secrets[secret])
        to_holder = action.target_agents[0] in self.scenario.secrets[secret].holders
        return [("telling", cost), ("telling_holder", rules.telling_holder(kind, to_holder, departures))]

    def _telling_cost(self, kind: EventType, secret: Secret) -> float:
        me, departures, table = self.me, self.departures, self.tables.situation
        fondness = max((me.bonds[holder].affection for holder in secret.holders if holder != me.id), default=0.0)
        holds, conceals = me.id in secret.holders, secret.id in self.character.concealed
        return rules.telling_cost(kind, holds, conceals, fondness, secret.harm.get(me.id, 0.0), departures, table)

    def _quarrel_items(self, action: Action) -> list[Item]:
        me, departures, other = self.me, self.departures, action.target_agents[0]
        held = (secret.id for secret in self.scenario.secrets.values() if other in secret.holders)
        suspects = any(me.beliefs[secret] == _SUSPECTS for secret in held)
        return [
            ("politeness", rules.politeness(CONFLICT, self.now.minutes, departures)),
            ("grievance", rules.grievance_pull(CONFLICT, me.grievance.get(other, 0.0), departures)),
            ("fatigue", rules.fatigue_cost(CONFLICT, me.fatigue.get(other, 0.0), departures)),
            ("suspicion", rules.suspicion_pull(CONFLICT, suspects, departures)),
        ]

    def _move_items(self, action: Action) -> list[Item]:
        me, now, evening, departures = self.me, self.now, self.evening, self.departures
        table, room = self.tables.situation, action.destination
        assert room is not None
        returns, leaves = room == evening.gathering, me.location == evening.gathering
        here, there = len(now.visible_agents), len(now.occupants[room])
        moved = now.tick - me.moved if me.moved is not None else _NEVER
        away = now.minutes - me.away if me.away is not None else 0.0
        since = now.minutes - now.course_served if now.course_served is not None else -1.0
        excused = me.task is not None or me.thrown_out
        items = [
            ("move", rules.move_cost(departures)),
            ("move_again", rules.move_again(moved, departures)),
            ("manners", rules.manners(leaves, excused, here, departures, table)),
            ("away", rules.away_pull(returns, away, departures)),
            ("crowd", rules.crowd(there, here, departures)),
            ("company", rules.company(here, there, departures)),
            ("course", rules.course_window(returns, leaves, since, departures)),
            ("task", rules.task_pull(me.task is not None and evening.task_room(me.task) == room, departures)),
        ]
        if room == evening.exit:
            items.append(("leaving", rules.exit_pull(wish_to_leave(self.scenario, me, now, self.tables))))
        for need, place in evening.needs.items():
            if place == room:
                items.append((need, rules.need_pull(me.needs.get(need, 0.0), departures, table)))
        return items

    def _handling_items(self, action: Action) -> list[Item]:
        me, manner, departures = self.me, action.manner, self.departures
        items = [("task", rules.task_pull(manner is not None and manner == me.task, departures))]
        if manner == LEAVE:
            wish = wish_to_leave(self.scenario, me, self.now, self.tables)
            items.append(("leaving", rules.departure_pull(wish, self.tables.leaving)))
        if manner == SLAM:
            items.append(("slam", rules.slam_pull(me.emotions["anger"], departures)))
        if manner is not None and manner in self.evening.needs:
            items.append((manner, rules.need_use(me.needs.get(manner, 0.0), departures)))
        return items

    OF_KIND: ClassVar[Mapping[EventType, Callable[[_Situation, Action], list[Item]]]] = {
        CHAT: _chat_items,
        LIE: _lie_items,
        REVEAL: _telling_items,
        CONFIDE: _telling_items,
        CONFLICT: _quarrel_items,
        SOCIAL_MOVE: _move_items,
        PHYSICAL: _handling_items,
    }
    """The items of each kind of act; OBSERVE and INTERNAL have none."""
