"""The one place where the state of an evening changes: a delta is written, live and in replay alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.errors import BrokenRecord, Problem
from volition.drama.rules.catalog import EMOTIONS, Belief
from volition.drama.rules.physics import Pace
from volition.drama.world.model import DEPARTED, Happening, PacingState

if TYPE_CHECKING:
    from volition.drama.stage.events import Delta, Event
    from volition.drama.world.model import AgentState, WorldState

WORLD = "world"
MAPS = frozenset(
    {
        "grievance", "grounds", "fatigue", "confronted", "confronted_by", "questions", "planted", "needs", "peaks",
        "sightings",
    }
)  # fmt: skip
"""Parts of an agent that hold a value for a person, a secret or a need; None takes the entry out."""
SETS = frozenset({"knows", "lied", "wronged", "reconciled"})
"""Parts of an agent that hold an entry or do not."""
PLAIN = frozenset(
    {"location", "alcohol", "challenged", "task", "task_since", "moved", "away", "last_scene", "broken", "thrown_out"}
)
"""Parts of an agent that are one value."""
_STRANGE = (KeyError, AttributeError, TypeError, ValueError, AssertionError)
OF_THE_WORLD = frozenset({"tick", "minutes", "catastrophes", "course_served", "courses", "pours"})


def value(world: WorldState, kind: str, agent: str, key: Any = None, attribute: str | None = None) -> Any:
    """What a delta of this kind would find."""
    if kind == WORLD:
        return getattr(world, key)
    me = world.agents[agent]
    if kind in PLAIN:
        return getattr(me, kind)
    if kind in MAPS:
        return getattr(me, kind).get(key)
    if kind in SETS:
        return key in getattr(me, kind)
    match kind:
        case "bond":
            assert attribute is not None
            return getattr(me.bonds[key], attribute)
        case "emotion":
            return me.emotions[key]
        case "belief":
            return int(me.beliefs[key])
        case "pacing":
            return tuple(pace_of(me))
        case "emotions":
            return tuple([me.emotions[emotion] for emotion in EMOTIONS])
        case "recent":
            return tuple(me.recent)
    raise KeyError(kind)


def write(world: WorldState, delta: Delta) -> None:
    """Make the change."""
    kind, key, after = delta.kind, delta.key, delta.after
    if kind == WORLD:
        setattr(world, key, after)
        return
    me = world.agents[delta.agent]
    if kind in PLAIN:
        setattr(me, kind, after)
    elif kind in MAPS:
        _put(getattr(me, kind), key, after)
    elif kind in SETS:
        (getattr(me, kind).add if after else getattr(me, kind).discard)(key)
    elif kind == "bond":
        assert delta.attribute is not None
        setattr(me.bonds[key], delta.attribute, after)
    elif kind == "emotion":
        me.emotions[key] = after
    elif kind == "belief":
        me.beliefs[key] = Belief(after)
    elif kind == "pacing":
        me.pacing = PacingState(*after)
    elif kind == "emotions":
        me.emotions = dict(zip(EMOTIONS, after, strict=True))
    elif kind == "recent":
        me.recent = list(after)
    else:
        raise KeyError(kind)


def _put(entries: dict[Any, Any], key: Any, after: Any) -> None:
    if after is None:
        entries.pop(key, None)
    else:
        entries[key] = after


def replay(world: WorldState, delta: Delta, where: str) -> None:
    """Make a recorded change; BrokenRecord where it does not fit the state before it, or no state at all."""
    what = f"{delta.kind} of {delta.agent or 'the world'}" + (f" ({delta.key})" if delta.key is not None else "")
    try:
        found = value(world, delta.kind, delta.agent, delta.key, delta.attribute)
        if found == delta.before and isinstance(found, bool) == isinstance(delta.before, bool):
            _check(world, delta)
            write(world, delta)
            return
        said = f"{what} is said to have been {delta.before!r} and was {found!r}"
    except _STRANGE as error:
        said = f"{what} cannot become {delta.after!r} ({type(error).__name__}: {error})"
    raise BrokenRecord(
        Problem(
            said,
            where,
            "a change that begins where the state before it is",
            "the record was edited, or written by other rules: play the evening again",
        )
    )


def _check(world: WorldState, delta: Delta) -> None:
    """Refuse, as a ValueError, what would be written without being noticed."""
    kind, after = delta.kind, delta.after
    if kind == "location" and after != DEPARTED and after not in world.scenario.rooms:
        raise ValueError("there is no such room")
    if kind == "pacing" and (
        len(after) != len(Pace._fields) or not all(isinstance(part, int | float) for part in after)
    ):
        raise ValueError("pacing is six numbers")
    if kind == "recent" and not all(isinstance(tick, int) and isinstance(id, str) for tick, id in after):
        raise ValueError("an act is a tick and an id")


def remember(world: WorldState, event: Event) -> None:
    """Let those present remember an event: what minds know of the recent past."""
    out = event.secret or event.details.get("forced") or event.details.get("told")
    seen_by = (event.source, *event.targets, *event.witnesses)
    world.recent.append(
        Happening(event.tick, event.type, event.source, event.targets, event.room, out, event.destination, seen_by)
    )


def forget(world: WorldState) -> None:
    """Let go of what happened longer ago than anybody asks for."""
    memory = world.scenario.rules["memory"]
    ticks = max(memory["conflict"], memory["move"], memory["challenge"]) + 1
    world.recent = [happening for happening in world.recent if world.tick - happening.tick <= ticks]


def pace_of(me: AgentState) -> Pace:
    """The six numbers of somebody's pacing."""
    pacing = me.pacing
    return Pace(
        pacing.dramatic_budget,
        pacing.stress,
        pacing.composure,
        pacing.commitment,
        pacing.recovery_timer,
        pacing.suppression_count,
    )
