"""What an agent might do this tick: every act that the specification's preconditions allow, each with a readable id.

Budget and recovery hide nothing here: they veto, so that `why_not` can say so. The order is fixed, for it is the last
tie-break.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    DRAMATIC,
    INTERNAL,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    Belief,
    EventType,
)
from volition.drama.rules.situation import leave_desire
from volition.drama.world.model import Action

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.mind.perception import PerceivedState
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import AgentState, Scenario

ALL = "all"
ROOM = "room"
DRINK = "drink"
LEAVE = "leave"


def candidates_of(scenario: Scenario, me: AgentState, perceived: PerceivedState, tables: Tables) -> list[Action]:
    """All candidates of one agent, pruned of self-targets, untold truths and moves to where it already is."""
    return [
        *_chats(me, perceived),
        *_observations(me, perceived),
        *_moves(scenario, me, perceived),
        _act(me, "internal", INTERNAL),
        *_physical(scenario, me, perceived, tables),
        *_reveals(me, perceived),
        *_conflicts(me, perceived, tables),
        *_confidences(me, perceived, tables),
        *_lies(me, perceived),
    ]


def _act(
    me: AgentState,
    id: str,
    kind: EventType,
    targets: tuple[str, ...] = (),
    *,
    focus: str | None = None,
    destination: str | None = None,
    secret: str | None = None,
    manner: str | None = None,
) -> Action:
    return Action(id, me.id, kind, targets, me.location, kind in DRAMATIC, focus, destination, secret, manner)


def _chats(me: AgentState, perceived: PerceivedState) -> Iterator[Action]:
    for other in perceived.visible_agents:
        yield _act(me, f"chat:{other}", CHAT, (other,))
    if len(perceived.visible_agents) >= 2:
        yield _act(me, f"chat:{ALL}", CHAT, perceived.visible_agents)


def _observations(me: AgentState, perceived: PerceivedState) -> Iterator[Action]:
    for other in perceived.visible_agents:
        yield _act(me, f"observe:{other}", OBSERVE, focus=other)
    yield _act(me, f"observe:{ROOM}", OBSERVE)


def _moves(scenario: Scenario, me: AgentState, perceived: PerceivedState) -> Iterator[Action]:
    for room in scenario.rooms[me.location].adjacent:
        if room != me.location and len(perceived.occupants[room]) < scenario.rooms[room].capacity:
            yield _act(me, f"move:{room}", SOCIAL_MOVE, destination=room)


def _physical(scenario: Scenario, me: AgentState, perceived: PerceivedState, tables: Tables) -> Iterator[Action]:
    if me.alcohol < tables.candidates.drink_below:
        yield _act(me, f"physical:{DRINK}", PHYSICAL, manner=DRINK)
    evening = scenario.evening
    if tables.departures.courses:
        doing = {"fetch": evening.kitchen, "serve": evening.gathering, "pour": evening.gathering}
        if me.task in doing and me.location == doing[me.task]:
            yield _act(me, f"physical:{me.task}", PHYSICAL, manner=me.task)
    if tables.departures.needs:
        for need, room in evening.needs.items():
            if room == me.location and me.needs.get(need, 0.0) > tables.departures.need_use:
                yield _act(me, f"physical:{need}", PHYSICAL, manner=need)
    if me.location == evening.exit and wish_to_leave(scenario, me, perceived, tables) > 0.0:
        yield _act(me, f"physical:{LEAVE}", PHYSICAL, manner=LEAVE)


def wish_to_leave(scenario: Scenario, me: AgentState, perceived: PerceivedState, tables: Tables) -> float:
    """How much a guest wants to go; residents have nowhere to go."""
    if scenario.people[me.id].resident:
        return 0.0
    since = perceived.minutes - me.last_scene if me.last_scene is not None else -1.0
    stress, departures = me.pacing.stress, tables.departures
    return leave_desire(perceived.minutes, since, me.broken, stress, me.thrown_out, departures, tables.leaving)


def _told(me: AgentState) -> list[str]:
    return [secret for secret, belief in me.beliefs.items() if belief == Belief.BELIEVES_TRUE]


def _reveals(me: AgentState, perceived: PerceivedState) -> Iterator[Action]:
    for secret in _told(me):
        for other in perceived.visible_agents:
            if (other, secret) not in perceived.known_by:
                yield _act(me, f"reveal:{secret}:{other}", REVEAL, (other,), secret=secret)


def _conflicts(me: AgentState, perceived: PerceivedState, tables: Tables) -> Iterator[Action]:
    limits, departures = tables.candidates, tables.departures
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
        yield _act(me, f"conflict:{other}", CONFLICT, (other,))


def _confidences(me: AgentState, perceived: PerceivedState, tables: Tables) -> Iterator[Action]:
    for other in perceived.visible_agents:
        if me.bonds[other].trust > tables.candidates.confide_trust:
            for secret in _told(me):
                if (other, secret) not in perceived.known_by:
                    yield _act(me, f"confide:{secret}:{other}", CONFIDE, (other,), secret=secret)


def _lies(me: AgentState, perceived: PerceivedState) -> Iterator[Action]:
    for other in perceived.visible_agents:
        for secret in _told(me):
            if (other, secret) in perceived.curious:
                yield _act(me, f"lie:{secret}:{other}", LIE, (other,), secret=secret)
