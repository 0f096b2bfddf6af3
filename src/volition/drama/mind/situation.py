"""The situation: every addition to the specification's terms, itemised, so that the spec's own terms stay literal.

Each item is a departure with a name; with all departures off there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from volition.drama.mind.candidates import LEAVE, SLAM, wish_to_leave
from volition.drama.rules import situation as rules
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    LIE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    Belief,
    EventType,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from volition.drama.mind.terms import Appraisal
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import Action, Secret

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
        "slam",
    }
)
"""The departures that have an item; with all of them at 0 the situation adds nothing."""

_SHAPES = ("away_most", "crowd_pull_most", "crowd_push_most", "need_base", "need_use", "slam_pull")
"""Departures that bound or shape an item of another name."""

_NEVER = 0
"""The age of what never happened."""

_SUSPECTS = Belief.SUSPECTS


def most_added(tables: Tables) -> float:
    """No situation adds more than this, whatever the rules say: all its items at once."""
    departures, leaving = tables.departures, tables.leaving
    named = departures._asdict()
    plain: float = sum(abs(named[name]) for name in ITEMS) + sum(abs(named[name]) for name in _SHAPES)
    again = (abs(departures.recency) + abs(departures.recency_dramatic)) * (
        abs(departures.recency_slope) * departures.recency_ticks
    )
    # A pair that quarrels in every tick is never tireder than the sum of what is kept of all of it.
    kept = min(abs(tables.grievance.fatigue_kept), 0.99)
    more = max(abs(tables.grievance.fatigue_accuser), abs(tables.grievance.fatigue_accused))
    tired = abs(departures.fatigue) * more / (1.0 - kept)
    wish = abs(leaving.scene) + abs(leaving.broken) + abs(leaving.stress) + abs(leaving.decency)
    wish += abs(leaving.late) * 100.0 / max(1.0, abs(leaving.late_minutes)) + abs(leaving.departure) + 1.0
    wants = abs(departures.needs) * max(0.0, tables.wants.most) + abs(departures.slam_pull)
    return plain + again + tired + wish + wants


def situation(appraisal: Appraisal, action: Action) -> list[Item]:
    """What the situation adds to an act, item by item; what adds nothing is left out."""
    return [(name, value) for name, value in _Situation(appraisal).items(action) if value]


def situations(appraisal: Appraisal, actions: Sequence[Action]) -> list[float]:
    """What the situation adds to each act: all of its items, added up exactly."""
    items = _Situation(appraisal).items
    return [sum([value for _, value in items(action)], 0.0) for action in actions]


class _Situation:
    """The situation of one appraisal, with what many of its acts have in common."""

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
        """Everything that might be added, in the order in which it is told."""
        dramatic = action.is_dramatic
        items = [("restraint", self.restraint[dramatic])]
        if action.id in self.ages:
            items = [("recency", rules.recency(dramatic, self.ages[action.id], self.departures)), *items]
        of_kind = self.OF_KIND.get(action.action_type)
        return items if of_kind is None else items + of_kind(self, action)

    def _chatting(self, action: Action) -> list[Item]:
        if len(action.target_agents) != 1:
            return []
        me, other = self.me, action.target_agents[0]
        owes, shame = other in me.confronted_by or other in me.wronged, me.emotions["shame"]
        return [("making_up", rules.making_up(CHAT, owes, shame, self.departures, self.tables.situation))]

    def _lying(self, action: Action) -> list[Item]:
        return [("lie", rules.lie_pull(LIE, self.departures))]

    def _telling(self, action: Action) -> list[Item]:
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

    def _quarrelling(self, action: Action) -> list[Item]:
        me, departures, other = self.me, self.departures, action.target_agents[0]
        held = (secret.id for secret in self.scenario.secrets.values() if other in secret.holders)
        suspects = any(me.beliefs[secret] == _SUSPECTS for secret in held)
        return [
            ("politeness", rules.politeness(CONFLICT, self.now.minutes, departures)),
            ("grievance", rules.grievance_pull(CONFLICT, me.grievance.get(other, 0.0), departures)),
            ("fatigue", rules.fatigue_cost(CONFLICT, me.fatigue.get(other, 0.0), departures)),
            ("suspicion", rules.suspicion_pull(CONFLICT, suspects, departures)),
        ]

    def _moving(self, action: Action) -> list[Item]:
        me, now, evening, departures = self.me, self.now, self.evening, self.departures
        table, room = self.tables.situation, action.destination
        assert room is not None
        returns, leaves = room == evening.gathering, me.location == evening.gathering
        here, there = len(now.visible_agents), len(now.occupants[room])
        moved = now.tick - me.moved if me.moved is not None else _NEVER
        away = now.minutes - me.away if me.away is not None else 0.0
        since = now.minutes - now.course_served if now.course_served is not None else -1.0
        excused = me.task is not None or me.thrown_out
        goes = {"fetch": evening.kitchen, "serve": evening.gathering, "pour": evening.gathering}
        items = [
            ("move", rules.move_cost(departures)),
            ("move_again", rules.move_again(moved, departures)),
            ("manners", rules.manners(leaves, excused, here, departures, table)),
            ("away", rules.away_pull(returns, away, departures)),
            ("crowd", rules.crowd(there, here, departures)),
            ("company", rules.company(here, there, departures)),
            ("course", rules.course_window(returns, leaves, since, departures)),
            ("task", rules.task_pull(me.task is not None and goes[me.task] == room, departures)),
        ]
        if room == evening.exit:
            items.append(("leaving", rules.exit_pull(wish_to_leave(self.scenario, me, now, self.tables))))
        for need, place in evening.needs.items():
            if place == room:
                items.append((need, rules.need_pull(me.needs.get(need, 0.0), departures, table)))
        return items

    def _handling(self, action: Action) -> list[Item]:
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
        CHAT: _chatting,
        LIE: _lying,
        REVEAL: _telling,
        CONFIDE: _telling,
        CONFLICT: _quarrelling,
        SOCIAL_MOVE: _moving,
        PHYSICAL: _handling,
    }
    """What each kind of act is asked; OBSERVE and INTERNAL are not asked anything of their own."""
