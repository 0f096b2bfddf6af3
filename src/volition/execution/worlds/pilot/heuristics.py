"""What a pilot prefers. Each heuristic votes with a score in [-1, 1], or abstains."""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING

from volition.arbitration import Heuristic
from volition.execution.worlds.arena.facing import facing_of
from volition.execution.worlds.pilot.ground import tile_of
from volition.execution.worlds.pilot.memory import kind_of
from volition.execution.worlds.pilot.situation import distance

if TYPE_CHECKING:
    from volition.execution.worlds.pilot.candidates import PilotOption
    from volition.execution.worlds.pilot.ground import Place
    from volition.execution.worlds.pilot.situation import Foe
    from volition.execution.worlds.pilot.view import View

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
