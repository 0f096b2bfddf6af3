"""Hand-made events, and evenings played once, for the tests of the audience."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from msgspec import structs

from tests.drama.evening.casts import shipped
from tests.drama.evening.logged import play_logged
from volition.core.compiling import can_compile
from volition.drama.audience.narrator import transcript
from volition.drama.audience.tension import Components, EventTension
from volition.drama.audience.viewing import Collapse, Viewed
from volition.drama.rules.catalog import CATASTROPHE, CHAT, INTERNAL, OBSERVE, PHYSICAL, SOCIAL_MOVE, Belief, EventType
from volition.drama.stage.events import Delta, Event, Strain, TickRecord
from volition.drama.words.phrase import spoken_parts
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.record import Run

SCENARIOS = ("dinner-party", "winter-station")
ALONE = frozenset({OBSERVE, SOCIAL_MOVE, INTERNAL, PHYSICAL})


@cache
def evening(name: str = "dinner-party", seed: int = 1) -> Run:
    """An evening of a shipped scenario, played once per test session: compiled, where that is possible, as the stage plays it."""
    return play_logged(shipped(name), seed, compiled=can_compile())


@cache
def told_of(name: str = "dinner-party", seed: int = 1) -> str:
    """The transcript of such an evening, by the built-in narrator."""
    return transcript(evening(name, seed))


def event(type: EventType, source: str, targets: str = "", room: str = "dining_table", **fields: Any) -> Event:
    """An event two ticks into the evening, with defaults for everything that is not given."""
    plain: dict[str, Any] = {"id": "e0001", "tick": 2, "minutes": 2.0, "order": 0}
    plain |= {"causes": (), "deltas": (), "strains": ()}
    return Event(type=type, source=source, targets=tuple(targets.split()), room=room, **(plain | fields))


def made_evening(*events: Event) -> Run:
    """An evening of these events, a tick and a minute each; moves take people along, and all begin in the main room."""
    base, ticks = evening(), []
    main = base.scenario.evening.gathering
    start = tuple(
        Delta("location", agent.id, None, agent.location, main, "made by hand")
        for agent in base.opening_state().agents.values()
    )
    for number, one in enumerate(events):
        moved = (Delta("location", one.source, None, one.room, one.destination, "made by hand"),)
        deltas = moved if one.type == SOCIAL_MOVE else one.deltas
        placed = structs.replace(one, id=f"e{number}", tick=number, minutes=float(number), deltas=deltas)
        ticks.append(TickRecord(number, float(number), 1.0, {}, (placed,), (), start if number == 0 else ()))
    return replace(base, ticks=tuple(ticks), ending=None)


def bond(agent: str, other: str, before: float, after: float, attribute: str = "trust") -> Delta:
    return Delta("bond", agent, other, before, after, "made by hand", attribute)


def belief(agent: str, secret: str, before: Belief, after: Belief) -> Delta:
    return Delta("belief", agent, secret, int(before), int(after), "made by hand")


def viewed(event: Event, tension: float = 0.5, irony: float = 0.0, *, collapse: bool = False, **shift: float) -> Viewed:
    """A viewed event with a given tension."""
    moment = EventTension(event.id, event.minutes, Components(*[tension] * 8), tension, tension, tension)
    return Viewed(event, moment, irony, Collapse(event.id, 0.5, (), 0.1) if collapse else None, shift)


@st.composite
def events_in(draw: st.DrawFn, world: WorldState, id: str = "e0001") -> Event | None:
    """An event that could happen in a world, with changes of bonds and beliefs; None if everybody has left."""
    here = [agent.id for agent in world.agents.values() if agent.location != DEPARTED]
    if not here:
        return None
    source = draw(st.sampled_from(here))
    room = world.agents[source].location
    others = [other for other in here if other != source and world.agents[other].location == room]
    secrets = sorted(world.scenario.secrets)
    type = draw(st.sampled_from([kind for kind in EventType if others or kind in ALONE or kind == CATASTROPHE]))
    targets = (
        () if type in ALONE else tuple(others) if type in {CHAT, CATASTROPHE} else (draw(st.sampled_from(others)),)
    )
    secret = draw(st.sampled_from(secrets)) if secrets and type not in ALONE | {CHAT, CATASTROPHE} else None
    deltas = [
        bond(who, source, world.agents[who].bonds[source].trust, draw(st.sampled_from([-1.0, -0.4, 0.0, 0.3, 1.0])))
        for who in targets
    ]
    if secret is not None:
        deltas += [belief(who, secret, world.agents[who].beliefs[secret], Belief.BELIEVES_TRUE) for who in targets]
    if secret is None and type not in {CHAT, *ALONE, CATASTROPHE}:
        type = CHAT
    return Event(
        id,
        world.tick,
        draw(st.sampled_from([0.0, 10.0, 149.0, 150.0, 200.0])),
        0,
        type,
        source,
        targets,
        room,
        (),
        tuple(deltas),
        (Strain(source, "commitment", 0.1, "made by hand"),) if draw(st.booleans()) else (),
        destination=draw(st.sampled_from(sorted(world.scenario.rooms))) if type == SOCIAL_MOVE else None,
        secret=secret,
    )


def spoken_lines(*transcripts: str) -> Counter[str]:
    """What is said in some transcripts, and how often; the punctuation at the end of a line does not make it another one."""
    return Counter(piece.rstrip(".,!?") for text in transcripts for spoken, piece in spoken_parts(text) if spoken)
