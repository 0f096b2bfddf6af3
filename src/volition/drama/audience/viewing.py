"""A run as its audience sees it: every event with its tension, irony and themes, computed in one pass.

Irony is what those present do not know, and the moment at which they learn it: every secret is true, so anybody who
believes it false is wrong. A theme is one of six axes along which an event shifts the story. Nothing here affects a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.drama.audience.tension import EventTension, Gauge
from volition.drama.evening.components import CLOSE, irony_of, mean_of, relevance_of
from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, LIE, REVEAL, Belief, EventType
from volition.drama.stage.replay import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Secret

COLLAPSE: Final = 0.5
"""The default for the least fall of a scene's irony that counts as a collapse."""

DENIAL: Final = "denial"

_, _, _TRUE, _FALSE = Belief
AXES: Final = (
    "order_chaos",
    "truth_deception",
    "loyalty_betrayal",
    "innocence_corruption",
    "freedom_control",
    "love_duty",
)
"""Each axis runs from its first word (+) to its second (-). Nothing shifts the last one yet."""

SHIFTS: Final[Mapping[EventType, Mapping[str, float]]] = {
    CONFLICT: {"order_chaos": -0.15},
    REVEAL: {"truth_deception": 0.2},
    LIE: {"truth_deception": -0.2},
    CONFIDE: {"truth_deception": 0.1, "loyalty_betrayal": 0.1},
    CATASTROPHE: {"order_chaos": -0.3, "innocence_corruption": -0.15},
}

LEAST: Final = 0.01
"""Smaller shifts are dropped."""


class Collapse(Struct, frozen=True):
    """A truth that came out: by which event, by how much irony fell, who learned it, and a score from 0 to 1."""

    event: str
    drop: float
    informed: tuple[str, ...]
    score: float


def relevance(world: WorldState, secret: Secret, agent: str) -> float:
    """How much a secret concerns `agent`, 0.2 to 1; the formula is that of `evening.components`."""
    about, me = secret.about, world.agents[agent]
    here = about is not None and world.agents[about].location == me.location
    close = about is not None and about in me.bonds and me.bonds[about].affection > CLOSE
    return relevance_of(about == agent, here, close, agent in secret.holders)


def agent_irony(world: WorldState, agent: str, after: Mapping[tuple[str, str], int] | None = None) -> float:
    """The irony points of one person over all secrets; beliefs in `after` override those of the world."""
    beliefs = world.agents[agent].beliefs
    total = 0.0
    for id, secret in world.scenario.secrets.items():
        belief = beliefs[id] if after is None else after.get((agent, id), beliefs[id])
        own = agent == secret.about or agent in secret.holders
        total += irony_of(belief, relevance(world, secret, agent), own)
    return total


def scene_irony(world: WorldState, present: Sequence[str], after: Mapping[tuple[str, str], int] | None = None) -> float:
    """The mean irony of those present; 0 if nobody is."""
    return mean_of(sum(agent_irony(world, agent, after) for agent in present), len(present))


def collapse(world: WorldState, event: Event, least: float = COLLAPSE) -> Collapse | None:
    """The collapse of irony in the room of an event; None if irony falls by less than `least`.

    `world` is the state before the event.
    """
    after = {(delta.agent, delta.key): int(delta.after) for delta in event.deltas if delta.kind == "belief"}
    if not after:
        return None
    present = present_in(world, event.room)
    drop = scene_irony(world, present) - scene_irony(world, present, after)
    if drop < least:
        return None
    informed = tuple(dict.fromkeys(agent for (agent, _), belief in after.items() if belief == _TRUE))
    return Collapse(event.id, drop, informed, collapse_score(drop, len(informed), _denial_share(world, informed)))


def collapse_score(drop: float, informed: int, denial: float) -> float:
    """How strong a collapse is, 0 to 1: by its depth, the number of people informed, and the share of them in denial.

    >>> collapse_score(2.0, 4, 1.0)
    1.0
    """
    return 0.5 * min(drop / 2.0, 1.0) + 0.3 * min(informed / 4.0, 1.0) + 0.2 * denial


def present_in(world: WorldState, room: str) -> tuple[str, ...]:
    """Who is in a room."""
    return tuple(agent.id for agent in world.agents.values() if agent.location == room)


def _denial_share(world: WorldState, informed: Sequence[str]) -> float:
    if not informed:
        return 0.0
    people = world.scenario.people
    return sum(any(flaw.kind == DENIAL for flaw in people[agent].flaws) for agent in informed) / len(informed)


def shift(event: Event) -> dict[str, float]:
    """The shift of an event: by its kind, by each large change of trust, and by commitment gained."""
    moved = dict(SHIFTS.get(event.type, {}))
    for delta in event.deltas:
        if delta.kind == "bond" and delta.attribute == "trust":
            change = delta.after - (delta.before or 0.0)
            step = -0.1 if change < -0.2 else 0.05 if change > 0.2 else 0.0
            moved["loyalty_betrayal"] = moved.get("loyalty_betrayal", 0.0) + step
    if any(strain.number == "commitment" and strain.amount > 0.0 for strain in event.strains):
        moved["freedom_control"] = moved.get("freedom_control", 0.0) - 0.1
    return {axis: moved[axis] for axis in AXES if abs(moved.get(axis, 0.0)) > LEAST}


def total_shift(shifts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The sum of shifts, axis by axis, in the order of AXES.

    >>> total_shift([{"order_chaos": -0.25}, {"order_chaos": -0.25, "truth_deception": 0.5}])
    {'order_chaos': -0.5, 'truth_deception': 0.5}
    """
    total: dict[str, float] = {}
    for moved in shifts:
        for axis, amount in moved.items():
            total[axis] = total.get(axis, 0.0) + amount
    return {axis: total[axis] for axis in AXES if axis in total}


def dominant_theme(shifts: Iterable[Mapping[str, float]]) -> str | None:
    """The axis with the largest total shift; the first of equals, and None without any shift."""
    total = total_shift(shifts)
    return max(total, key=lambda axis: abs(total[axis])) if total else None


class Viewed(Struct, frozen=True):
    """One event as the audience sees it; `irony` is that of its room before the event."""

    event: Event
    moment: EventTension
    irony: float
    collapse: Collapse | None
    shift: Mapping[str, float]

    @property
    def tension(self) -> float:
        return self.moment.value


def view(run: Run, genre: str = "default", *, least_collapse: float = COLLAPSE) -> tuple[Viewed, ...]:
    """All events of a run, in order; a fall of irony by `least_collapse` or more is a collapse."""
    return view_events(walk(run), genre, least_collapse=least_collapse)


def view_events(
    steps: Iterable[tuple[WorldState, Event]], genre: str = "default", *, least_collapse: float = COLLAPSE
) -> tuple[Viewed, ...]:
    """The same for events with the states before them; a state is not used after the next one is requested."""
    gauge = Gauge(genre)
    return tuple(
        Viewed(
            event,
            gauge.read(world, event),
            scene_irony(world, present_in(world, event.room)),
            collapse(world, event, least_collapse),
            shift(event),
        )
        for world, event in steps
    )
