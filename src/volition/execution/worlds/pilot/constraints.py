"""What a pilot must not do. Each constraint judges every option, and gives its reason as text.

Safety is decided here, before anything is sent: the executor is not expected to stop at the edge of a pit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.arbitration import Constraint
from volition.execution.worlds.pilot.ground import Ground, tile_of
from volition.execution.worlds.pilot.situation import distance

if TYPE_CHECKING:
    from volition.execution.worlds.pilot.candidates import PilotOption
    from volition.execution.worlds.pilot.ground import Place
    from volition.execution.worlds.pilot.situation import Me
    from volition.execution.worlds.pilot.view import View

BLIND_STEP = 0.5
"""The longest MOVE, in tiles, without a known map."""
_IN_AIR = frozenset({"EVADE", "HOLD", "JUMP"})
_HOLDING = frozenset({"PRIMARY_ATTACK", "EVADE", "JUMP"})
_AFRAID_WITHIN = 3.0
"""How far an EVADE of unknown direction may lead."""
_EXACT = 1e-9


def hazard(option: PilotOption, view: View) -> bool | str:
    """The whole way keeps clear of hazards; only in the air may it cross one, and it must land beyond it.

    A way out of a hazard may lead through the rest of it, and must end outside.
    """
    now = view.situation
    if now.ground is None:
        return False
    if option.name == "EVADE" and not option.ways:
        return _hazard_nearby(now.ground, now.me.place)
    for start, end in option.ways:
        if what := _meets(now.ground, now.me, start, end):
            return what
    return False


def wall(option: PilotOption, view: View) -> bool | str:
    """No way leads into a wall; an EVADE may end at one, if there is room to begin."""
    now = view.situation
    if now.ground is None:
        return False
    for start, end in option.ways:
        if option.name == "EVADE":
            x, y = start
            end = x + (end[0] - x) / 3, y + (end[1] - y) / 3  # noqa: PLW2901  the first third of the way
        if (met := now.ground.meets_wall(start, end)) is not None:
            return f"a wall at {met}"
        if now.me.in_air and (met := now.ground.meets_beam(start, end)) is not None:
            return f"a beam at {met}, in the air"
    return False


def blind(option: PilotOption, view: View) -> bool | str:
    """Without a known map the pilot takes short steps on the ground: no long way, no EVADE, no JUMP."""
    if view.situation.ground is not None:
        return False
    if option.name in {"EVADE", "JUMP"}:
        return "without a map its destination is unknown"
    if any(distance(*way) > BLIND_STEP + _EXACT for way in option.ways):
        return "longer than a step, without a map"
    return False


def posture(option: PilotOption, view: View) -> bool | str:
    """No intent that the state of the body rules out."""
    me, name = view.situation.me, option.name
    if name is None or name == "STOP":
        return False
    if not me.alive:
        return "the actor is dead"
    if me.busy and name != "RELEASE":
        return "the actor is in the middle of a maneuver"
    if me.in_air and name in _IN_AIR:
        return "the actor is in the air"
    if me.holding and name in _HOLDING:
        return "the actor is holding"
    if name == "RELEASE" and not me.holding:
        return "there is nothing to release"
    return "the actor is already holding" if name == "HOLD" and me.holding else False


def supported(option: PilotOption, view: View) -> bool | str:
    """Only intents that the executor supports or has declared."""
    known = option.name is None or option.name in view.supported or option.name in view.declared
    return not known and "the executor does not support it"


def retry(option: PilotOption, view: View) -> bool | str:
    """No attempt that the bridge would refuse because it failed too often."""
    return option.intent is not None and (view.memory.refusal(option.intent) or False)


CONSTRAINTS = tuple(Constraint(rule.__name__, rule) for rule in (hazard, wall, blind, posture, supported, retry))


def _meets(ground: Ground, me: Me, start: Place, end: Place) -> str:
    met = ground.meets_hazard(start, end)
    if not met:
        return ""
    length = distance(start, end)
    first = min(met, key=lambda meeting: (meeting.enters, meeting.tile))
    if me.in_air:
        # Where the body lands it must be outside all hazards, and stay outside.
        late = [meeting for meeting in met if meeting.leaves * length > me.flight + _EXACT or meeting.leaves >= 1.0]
        return f"it would land in the hazard at {late[0].tile}" if late else ""
    if not ground.is_hazard(tile_of(start)):
        return f"the way meets the hazard at {first.tile}"
    behind = 0.0
    for meeting in sorted(met, key=lambda meeting: meeting.enters):
        if meeting.enters > behind + _EXACT:
            return f"the way out meets another hazard at {meeting.tile}"
        behind = max(behind, meeting.leaves)
    return "the way does not lead out of the hazard" if behind >= 1.0 else ""


def _hazard_nearby(ground: Ground, place: Place) -> bool | str:
    """A hazard within reach of an EVADE of unknown direction, if there is one."""
    x, y = place
    near = [tile for tile in ground.hazards if max(abs(tile[0] + 0.5 - x), abs(tile[1] + 0.5 - y)) <= _AFRAID_WITHIN]
    return f"it may lead into the hazard at {min(near)}" if near else False
