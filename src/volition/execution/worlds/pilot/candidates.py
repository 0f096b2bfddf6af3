"""What a pilot may do next: canonical intents with the way that the body would take, and waiting.

Ids follow a fixed grammar: `move:east:0.5`, `move:way`, `move:leap`, `move:out`, `move:turn`, `attack`, `evade`,
`hold`, `release`, `jump`, `stop`, `wait`.
"""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING

from msgspec import Struct

from volition.execution.wire import intents
from volition.execution.worlds.arena.rules import AHEAD, facing_of, opposite
from volition.execution.worlds.pilot.ground import Ground, Place, centre, distance, tile_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.wire.frames import MoveFrame
    from volition.execution.worlds.pilot.situation import PilotSituation
    from volition.execution.worlds.pilot.view import View

LENGTHS = (0.2, 0.5, 1.0)
"""Tiles of a MOVE: a step, half a stride, a stride."""
NUDGE = 0.02
"""Tiles of a MOVE that only turns the body."""
LONGEST = 1.5
"""Tiles of a MOVE along the way, after which the pilot looks again."""
_SLANT = 0.7
"""A little less than sqrt(1/2): a body that rounds its steps down needs a tick more for the whole of it."""
HEADINGS: dict[str, Place] = {
    "east": (1.0, 0.0),
    "south-east": (_SLANT, _SLANT),
    "south": (0.0, 1.0),
    "south-west": (-_SLANT, _SLANT),
    "west": (-1.0, 0.0),
    "north-west": (-_SLANT, -_SLANT),
    "north": (0.0, -1.0),
    "north-east": (_SLANT, -_SLANT),
}
_ROUNDING = 1e-6
_FOE_MOVES = 0.3
"""How far the opponent may move before an EVADE arrives, which changes its direction."""


class PilotOption(Struct, frozen=True):
    """One option: its intent, None for waiting, and every way that the body may take because of it.

    `ways` are straight and begin at the body; the first is the likely one. `ticks` is the duration.
    """

    id: str
    intent: intents.AnyIntent | None
    ways: tuple[tuple[Place, Place], ...] = ()
    ticks: int = 0

    @property
    def name(self) -> str | None:
        """The intent's name on the wire; None for waiting."""
        return None if self.intent is None else self.intent.name

    def end(self, start: Place) -> Place:
        """Where the body is likely to be afterwards."""
        return self.ways[0][1] if self.ways else start


def options(view: View) -> list[PilotOption]:
    """Everything a pilot may consider now; the composite decides what is forbidden or unwise."""
    now = view.situation
    place = now.me.place
    return [
        PilotOption("wait", None, ticks=1),
        PilotOption("attack", intents.PrimaryAttack()),
        *(
            _move(f"move:{heading}:{length:g}", place, (place[0] + dx * length, place[1] + dy * length), view)
            for heading, (dx, dy) in HEADINGS.items()
            for length in LENGTHS
        ),
        *_guided_moves(view),
        *_turns(view),
        PilotOption("evade", intents.Evade(), tuple(_evasions(now)), 3),
        PilotOption("hold", intents.Hold()),
        PilotOption("release", intents.Release()),
        PilotOption("jump", intents.Jump(), ticks=1),
        PilotOption("stop", intents.Stop()),
    ]


def _guided_moves(view: View) -> Iterator[PilotOption]:
    """The moves that the ground suggests: along the way to the goal, over a hazard, and out of one."""
    now, place = view.situation, view.situation.me.place
    ground = now.ground
    if ground is None:
        return
    if ground.is_hazard(tile_of(place)):
        if (out := nearest_safe(ground, place)) is not None:
            yield _move("move:out", place, out, view)
        return
    if (leap := view.leap) is not None:
        dx, dy = AHEAD[leap.heading]
        far = (leap.landing[0] - place[0]) * dx + (leap.landing[1] - place[1]) * dy
        yield _move("move:leap", place, (place[0] + far * dx, place[1] + far * dy), view)
    if (next_one := view.waypoint) is not None:
        far = distance(place, next_one)
        share = min(1.0, LONGEST / far)
        end = place[0] + (next_one[0] - place[0]) * share, place[1] + (next_one[1] - place[1]) * share
        yield _move("move:way", place, end, view)


def _turns(view: View) -> Iterator[PilotOption]:
    """A nudge towards an opponent that is in reach but not ahead.

    In a corner, with the opponent on the diagonal, every longer move would end with the opponent beside the body again.
    """
    (x, y), can = view.situation.me.place, view.situation.abilities
    if not view.chases or view.target is None or distance((x, y), view.target) > can.reach:
        return
    heading = facing_of(view.target[0] - x, view.target[1] - y)
    if heading != view.situation.me.facing:
        dx, dy = AHEAD[heading]
        yield _move("move:turn", (x, y), (x + dx * NUDGE, y + dy * NUDGE), view)


def _move(id: str, start: Place, end: Place, view: View) -> PilotOption:
    me, can = view.situation.me, view.situation.abilities
    speed = can.guarded_speed if me.holding else can.speed
    ticks = max(1, ceil(distance(start, end) / speed - _ROUNDING))
    return PilotOption(id, intents.Move(_vector(start, end, view.move_frame)), ((start, end),), ticks)


def _vector(start: Place, end: Place, frame: MoveFrame) -> tuple[float, float, float]:
    """Rounded to a thousandth of a tile, so that the same choice is the same number everywhere."""
    if frame == "absolute":
        return round(end[0], 3), round(end[1], 3), 0.0
    return round(end[0] - start[0], 3), round(end[1] - start[1], 3), 0.0


def _evasions(now: PilotSituation) -> Iterator[tuple[Place, Place]]:
    """Every way that an EVADE may take: away from the opponent along the longer axis, wherever the opponent is by then."""
    length = now.abilities.evade
    if length is None:
        return
    x, y = now.me.place
    headings: list[str] = []
    if now.foe is None or not now.foe.alive:
        facing = now.me.facing
        headings = [opposite(facing)] if facing is not None and facing in AHEAD else list(AHEAD)
    else:
        dx, dy = x - now.foe.place[0], y - now.foe.place[1]
        for by_x, by_y in ((0.0, 0.0), (_FOE_MOVES, 0.0), (-_FOE_MOVES, 0.0), (0.0, _FOE_MOVES), (0.0, -_FOE_MOVES)):
            heading = facing_of(dx + by_x, dy + by_y)
            if heading not in headings:
                headings.append(heading)
        if (dx, dy) == (0.0, 0.0):
            headings = list(AHEAD)
    for heading in headings:
        yield (x, y), (x + AHEAD[heading][0] * length, y + AHEAD[heading][1] * length)


def nearest_safe(ground: Ground, place: Place) -> Place | None:
    """The middle of the nearest safe tile that can be reached straight, without a wall; None where there is none."""
    nearest: tuple[float, Place] = (inf, place)
    for tile in sorted(ground.safe):
        far = distance(place, centre(tile))
        if far < nearest[0] and ground.meets_wall(place, centre(tile)) is None:
            nearest = (far, centre(tile))
    return nearest[1] if nearest[0] < inf else None
