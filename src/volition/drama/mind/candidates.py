"""What an agent might do this tick: every act that the specification's preconditions allow, each with a readable id.

Budget and recovery do not filter here: they veto later, so that `why_not` can say so. The order is fixed, because it is
the last tie-break.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    DRAMATIC,
    DRINK,
    INTERNAL,
    LEAVE,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SLAM,
    SOCIAL_MOVE,
    Belief,
    EventType,
)
from volition.drama.rules.situation import leave_desire
from volition.drama.world.model import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.drama.mind.perception import PerceivedState
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import AgentState, Scenario

ALL = "all"
ROOM = "room"

_BELIEVES_TRUE = Belief.BELIEVES_TRUE

K = TypeVar("K")
V = TypeVar("V")


class Repertoire:
    """The candidates of everybody in a scenario. An act is created once, and offered whenever its preconditions hold."""

    def __init__(self, scenario: Scenario, tables: Tables) -> None:
        self.scenario, self.tables = scenario, tables
        self._acts: dict[tuple[str, str], _Acts] = _Made(_Acts)

    def candidates(self, me: AgentState, perceived: PerceivedState) -> list[Action]:
        """All candidates of one agent, without acts on itself, truths it does not know and moves to where it already is."""
        acts = self._acts[me.id, me.location]
        present, known_by, curious = perceived.visible_agents, perceived.known_by, perceived.curious
        told = [secret for secret, belief in me.beliefs.items() if belief == _BELIEVES_TRUE]
        trusted = self.tables.candidates.confide_trust
        return [
            *[acts.chat[other] for other in present],
            *([acts.act(f"chat:{ALL}", CHAT, present)] if len(present) >= 2 else ()),
            *[acts.observe[other] for other in present],
            acts.look_around,
            *self._moves(acts, me, perceived),
            acts.internal,
            *self._physical(acts, me, perceived),
            *[acts.reveal[pair] for secret in told for other in present if (pair := (other, secret)) not in known_by],
            *self._conflicts(acts, me, perceived),
            *[
                acts.confide[pair]
                for other in present
                if me.bonds[other].trust > trusted
                for secret in told
                if (pair := (other, secret)) not in known_by
            ],
            *[acts.lie[pair] for other in present for secret in told if (pair := (other, secret)) in curious],
        ]

    def _moves(self, acts: _Acts, me: AgentState, perceived: PerceivedState) -> list[Action]:
        rooms, occupants = self.scenario.rooms, perceived.occupants
        return [
            acts.move[room]
            for room in rooms[me.location].adjacent
            if room != me.location and len(occupants[room]) < rooms[room].capacity
        ]

    def _physical(self, acts: _Acts, me: AgentState, perceived: PerceivedState) -> list[Action]:
        evening, tables = self.scenario.evening, self.tables
        manners = []
        if me.alcohol < tables.candidates.drink_below:
            manners.append(DRINK)
        if tables.departures.courses and me.task is not None and me.location == evening.task_room(me.task):
            manners.append(me.task)
        if tables.departures.needs:
            for need, room in evening.needs.items():
                if room == me.location and me.needs.get(need, 0.0) > tables.departures.need_use:
                    manners.append(need)
        if tables.departures.slam and me.emotions["anger"] > tables.departures.slam:
            manners.append(SLAM)
        if me.location == evening.exit and wish_to_leave(self.scenario, me, perceived, tables) > 0.0:
            manners.append(LEAVE)
        return [acts.physical[manner] for manner in manners]

    def _conflicts(self, acts: _Acts, me: AgentState, perceived: PerceivedState) -> list[Action]:
        limits, departures = self.tables.candidates, self.tables.departures
        offered = []
        for other in perceived.visible_agents:
            if departures.grievance:
                provoked = me.grievance.get(other, 0.0) > departures.grievance_above
            else:
                provoked = me.emotions["anger"] > limits.conflict_anger
            if not (provoked or me.bonds[other].trust < limits.conflict_trust):
                continue
            if departures.grounds and not me.grounds.get(other, 0):
                last = me.confronted.get(other)
                if last is None or perceived.tick - last < departures.ground_ticks:
                    continue
            offered.append(acts.conflict[other])
        return offered


def candidates_of(scenario: Scenario, me: AgentState, perceived: PerceivedState, tables: Tables) -> list[Action]:
    """The candidates of one agent, for a single question."""
    return Repertoire(scenario, tables).candidates(me, perceived)


def wish_to_leave(scenario: Scenario, me: AgentState, perceived: PerceivedState, tables: Tables) -> float:
    """How much a guest wants to leave; residents never do."""
    if scenario.people[me.id].resident:
        return 0.0
    since = perceived.minutes - me.last_scene if me.last_scene is not None else -1.0
    stress, departures = me.pacing.stress, tables.departures
    return leave_desire(perceived.minutes, since, me.broken, stress, me.thrown_out, departures, tables.leaving)


class _Made(dict[K, V]):
    """A dict that creates the value of a key when it is first asked for."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        made = self[key] = self._make(key)
        return made


class _Acts:
    """The acts of one agent in one room: by whom they address, by room, by manner, or by (whom, secret)."""

    def __init__(self, at: tuple[str, str]) -> None:
        self.who, self.where = at
        act = self.act
        self.look_around, self.internal = act(f"observe:{ROOM}", OBSERVE), act("internal", INTERNAL)
        self.chat: dict[str, Action] = _Made(lambda other: act(f"chat:{other}", CHAT, (other,)))
        self.observe: dict[str, Action] = _Made(lambda other: act(f"observe:{other}", OBSERVE, focus=other))
        self.move: dict[str, Action] = _Made(lambda room: act(f"move:{room}", SOCIAL_MOVE, destination=room))
        self.physical: dict[str, Action] = _Made(lambda manner: act(f"physical:{manner}", PHYSICAL, manner=manner))
        self.conflict: dict[str, Action] = _Made(lambda other: act(f"conflict:{other}", CONFLICT, (other,)))
        self.reveal: dict[tuple[str, str], Action] = _Made(lambda pair: self._about(*pair, "reveal", REVEAL))
        self.confide: dict[tuple[str, str], Action] = _Made(lambda pair: self._about(*pair, "confide", CONFIDE))
        self.lie: dict[tuple[str, str], Action] = _Made(lambda pair: self._about(*pair, "lie", LIE))

    def _about(self, other: str, secret: str, word: str, kind: EventType) -> Action:
        return self.act(f"{word}:{secret}:{other}", kind, (other,), secret=secret)

    def act(
        self,
        id: str,
        kind: EventType,
        targets: tuple[str, ...] = (),
        *,
        focus: str | None = None,
        destination: str | None = None,
        secret: str | None = None,
        manner: str | None = None,
    ) -> Action:
        dramatic = kind in DRAMATIC or manner == SLAM
        return Action(id, self.who, kind, targets, self.where, dramatic, focus, destination, secret, manner)
