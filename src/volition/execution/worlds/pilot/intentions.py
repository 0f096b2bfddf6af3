"""What a pilot must not do, and what it prefers: the default intentions of `PILOT`.

Each constraint judges every option, and gives its reason as text. Safety is decided here, before anything is sent: the
executor is not expected to stop at the edge of a pit.
"""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING

from volition.arbitration import Constraint, Heuristic
from volition.execution.worlds.arena.rules import facing_of
from volition.execution.worlds.pilot.ground import Ground, distance, tile_of
from volition.execution.worlds.pilot.view import kind_of

if TYPE_CHECKING:
    from volition.execution.worlds.pilot.candidates import PilotOption
    from volition.execution.worlds.pilot.ground import Place
    from volition.execution.worlds.pilot.situation import Foe, Me
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


STANDOFF = (1.22, 1.45)
"""Tiles to the opponent, from and to: too far for its blow, close enough for an attack."""
CLEAR = 0.05
"""Tiles beyond its reach that count as out of it."""
HURT = 0.4
"""The share of health below which a pilot keeps away."""
WARY = 2.0
"""Tiles to the opponent that a hurt pilot prefers."""


def reach(option: PilotOption, view: View) -> float | None:
    """Towards the goal, along the way over the known ground: one tile closer is a full vote."""
    if view.target is None:
        return None
    place = view.situation.me.place
    if option.name == "JUMP":
        return 0.6 if view.leap is not None else -0.5
    if not option.ways:
        return 0.0
    if option.name == "EVADE" or view.far == inf:
        return None
    after = view.to_goal(option.end(place))
    return _clamp(_distance_off(view.far, view) - _distance_off(after, view)) if after < inf else -1.0


def attack(option: PilotOption, view: View) -> float | None:
    """Attack an opponent that is within reach and ahead; turn to one that is only within reach."""
    if not view.chases or view.target is None:
        return None
    me = view.situation.me
    can_hit = view.hits_from(me.place, me.facing)
    if option.name == "PRIMARY_ATTACK":
        return 1.0 if can_hit else -1.0
    if can_hit or option.name != "MOVE":
        return None
    start, end = option.ways[0]
    turned = facing_of(end[0] - start[0], end[1] - start[1])
    return 0.4 if view.hits_from(end, turned) else None


def danger(option: PilotOption, view: View) -> float | None:
    """Be out of reach when a visible blow lands; a guard reduces it."""
    now, foe = view.situation, view.situation.foe
    if foe is None or foe.blow_in is None or not foe.alive:
        return None
    if not _is_in_reach(now.me.place, foe) and not option.ways:
        return None
    if option.name == "HOLD" or (option.name is None and now.me.holding):
        return -0.25
    if option.name == "EVADE":
        # Nothing hits a body during the maneuver.
        return 0.0 if foe.blow_in <= option.ticks or not _is_in_reach(option.end(now.me.place), foe) else -0.5
    place, left = _place_after(option, now.me.place, foe.blow_in)
    if not _is_in_reach(place, foe):
        return 0.0
    speed = now.abilities.guarded_speed if now.me.holding else now.abilities.speed
    needed = ceil((foe.reach + CLEAR - distance(place, foe.place)) / speed) + 1
    if left < needed:
        return -1.0
    return 0.0 if option.name == "PRIMARY_ATTACK" else -0.3


def caution(option: PilotOption, view: View) -> float | None:
    """When hurt, keep away from an opponent that can strike."""
    now, foe = view.situation, view.situation.foe
    if now.me.health >= HURT or foe is None or not foe.alive or foe.harmless or not option.ways:
        return None
    before, after = distance(now.me.place, foe.place), distance(option.end(now.me.place), foe.place)
    return _clamp(min(after, WARY) - min(before, WARY))


def stamina(option: PilotOption, view: View) -> float | None:
    """Spend stamina while there is plenty, and never more than there is."""
    cost = view.situation.abilities.costs.get(option.name or "", 0.0)
    if not cost:
        return None
    have = view.situation.me.stamina
    return -1.0 if have < cost else -0.3 * cost / have


def guard(option: PilotOption, view: View) -> float | None:
    """Without a threat, release the guard and raise none: it costs stamina and slows the body."""
    now = view.situation
    threatened = now.foe is not None and now.foe.blow_in is not None and _is_in_reach(now.me.place, now.foe)
    if option.name == "RELEASE":
        return -0.5 if threatened else 1.0
    return None if option.name != "HOLD" or threatened else -1.0


def escape(option: PilotOption, view: View) -> float | None:
    """Leave a hazard by the shortest way."""
    now = view.situation
    if now.ground is None or not now.ground.is_hazard(tile_of(now.me.place)):
        return None
    if option.name != "MOVE":
        return -1.0
    return 1.0 - 0.2 * min(5.0, distance(*option.ways[0]))


def lately_failed(option: PilotOption, view: View) -> float | None:
    """Avoid what failed recently; the memory fades."""
    return -view.memory.failure_recency(option.id) or None


def repetition(option: PilotOption, view: View) -> float | None:
    """Do not repeat what was tried in this moment: the world has not changed since."""
    return -1.0 if view.memory.was_just_tried(option.id) else None


def persistence(option: PilotOption, view: View) -> float | None:
    """Continue what was chosen last."""
    last = view.memory.last
    return 1.0 if option.ways and last and kind_of(option.id) == kind_of(last) else None


def fresh_start(option: PilotOption, view: View) -> float | None:
    """STOP where the body slides, or where an intent has used up its retries: STOP resets them."""
    if option.name != "STOP":
        return None
    return 1.0 if view.situation.me.sliding or view.memory.exhausted else -0.1


HEURISTICS = (
    Heuristic("reach", reach, weight=1.0, priority=10),
    Heuristic("attack", attack, weight=2.0, priority=20),
    Heuristic("danger", danger, weight=3.0, priority=40),
    Heuristic("caution", caution, weight=0.6),
    Heuristic("stamina", stamina, weight=2.0),
    Heuristic("guard", guard, weight=1.0),
    Heuristic("escape", escape, weight=4.0, priority=50),
    Heuristic("lately_failed", lately_failed, weight=2.5, priority=30),
    Heuristic("repetition", repetition, weight=2.5),
    Heuristic("persistence", persistence, weight=0.05),
    Heuristic("fresh_start", fresh_start, weight=0.5),
)


def _clamp(score: float) -> float:
    return max(-1.0, min(1.0, score))


def _distance_off(far: float, view: View) -> float:
    """The distance to the preferred distance: at a place, or at a stand-off from the opponent."""
    nearest, farthest = STANDOFF if view.chases else (0.0, 0.0)
    return max(nearest - far, far - farthest, 0.0)


def _is_in_reach(place: Place, foe: Foe) -> bool:
    return distance(place, foe.place) <= foe.reach + CLEAR


def _place_after(option: PilotOption, place: Place, ticks: int) -> tuple[Place, int]:
    """Where the body is after an option, or when the ticks are over if that is earlier; and the ticks left by then."""
    if not option.ways or option.ticks <= ticks:
        return option.end(place), ticks - option.ticks
    (x, y), (to_x, to_y) = option.ways[0]
    share = ticks / option.ticks
    return (x + (to_x - x) * share, y + (to_y - y) * share), 0
