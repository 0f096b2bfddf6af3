"""The two worked traces: what the specification prints, what its formulas give, and the states they are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tests.drama.party import AFFAIR, EMBEZZLE, TABLE, party
from tests.drama.readings import action_of
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import EventType
from volition.drama.world.model import Happening

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Action


class Numbers(NamedTuple):
    """The columns of a trace; the total holds the noise and, like the trace, no movement."""

    utility: float
    flaws: float
    pacing: float
    bonds: float
    noise: float
    total: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a trace: as printed, and as the formulas have it with the noise that is printed."""

    id: str
    printed: Numbers
    computed: Numbers
    legal: bool = True


def victor_probes() -> WorldState:
    """Trace 5.1: tick 25, everybody at the table."""
    world = begin(party())
    world.tick = 25
    pacing = world.agents["victor"].pacing
    pacing.stress, pacing.composure, pacing.dramatic_budget, pacing.commitment = 0.15, 0.88, 0.92, 0.2
    return world


def elena_under_pressure(*, conflict: bool = True) -> WorldState:
    """Trace 5.2: tick 52, Diana on the balcony; with the recent conflict that the trace's cowardice asks for, or without."""
    world = begin(party())
    world.tick = 52
    world.agents["diana"].location = "balcony"
    elena = world.agents["elena"]
    pacing = elena.pacing
    pacing.stress, pacing.composure, pacing.dramatic_budget, pacing.commitment = 0.55, 0.42, 0.60, 0.45
    elena.emotions.update(fear=0.4, shame=0.5, affection=0.3)
    if conflict:
        world.recent.append(Happening(50, EventType.CONFLICT, "thorne", ("victor",), TABLE))
    return world


@dataclass(frozen=True, slots=True)
class Trace:
    """Who decides, in which state, and the rows."""

    agent: str
    world: Callable[[], WorldState]
    rows: tuple[Row, ...]


VICTOR = Trace(
    "victor",
    victor_probes,
    (
        Row(
            "chat:thorne",
            Numbers(0.42, 0.12, 0.0, 0.10, 0.03, 0.67),
            Numbers(0.23, 0.12, 0.0, 0.08, 0.03, 0.46),
        ),
        Row(
            "observe:marcus",
            Numbers(0.55, 0.40, 0.0, 0.0, -0.05, 0.90),
            Numbers(0.50, 0.0, 0.0, 0.0, -0.05, 0.45),
        ),
        Row(
            "chat:marcus",
            Numbers(0.35, 0.40, 0.0, -0.06, 0.08, 0.77),
            Numbers(0.09, 0.52, 0.0, 0.0, 0.08, 0.69),
        ),
        Row(
            "chat:lydia",
            Numbers(0.38, 0.0, 0.0, 0.06, -0.02, 0.42),
            Numbers(0.19, 0.0, 0.0, 0.02, -0.02, 0.19),
        ),
        Row(
            "move:balcony",
            Numbers(0.25, 0.0, 0.0, 0.0, 0.01, 0.26),
            Numbers(0.358, 0.0, 0.0, 0.0, 0.01, 0.368),
        ),
        Row(
            "observe:room",
            Numbers(0.45, 0.0, 0.0, 0.0, 0.04, 0.49),
            Numbers(0.50, 0.0, 0.0, 0.0, 0.04, 0.54),
        ),
        Row(
            "conflict:marcus",
            Numbers(0.30, 0.40, -0.35, -0.02, -0.07, 0.26),
            Numbers(0.60, 0.40, -0.396, 0.03, -0.07, 0.564),
        ),
        Row(
            f"reveal:{EMBEZZLE}:thorne",
            Numbers(0.48, 0.40, -0.35, 0.15, 0.02, 0.70),
            Numbers(0.848, 0.0, -0.396, 0.15, 0.02, 0.622),
            legal=False,
        ),
        Row(
            "internal",
            Numbers(0.35, 0.0, 0.0, 0.0, 0.06, 0.41),
            Numbers(0.53, 0.0, 0.0, 0.0, 0.06, 0.59),
        ),
    ),
)

ELENA = Trace(
    "elena",
    elena_under_pressure,
    (
        Row(
            "chat:thorne",
            Numbers(0.32, 0.21, 0.0, -0.04, 0.05, 0.54),
            Numbers(0.16, 0.0, 0.0, 0.02, 0.05, 0.23),
        ),
        Row(
            "move:balcony",
            Numbers(0.28, 0.25, 0.17, 0.0, 0.02, 0.72),
            Numbers(0.517, 0.15, 0.165, 0.0, 0.02, 0.852),
        ),
        Row(
            "move:bathroom",
            Numbers(0.30, 0.25, 0.17, 0.0, -0.03, 0.69),
            Numbers(0.599, 0.15, 0.165, 0.0, -0.03, 0.884),
        ),
        Row(
            "chat:marcus",
            Numbers(0.38, 0.21, 0.0, 0.22, 0.01, 0.82),
            Numbers(0.30, 0.0, 0.0, 0.16, 0.01, 0.47),
        ),
        Row(
            "confide:marcus",
            Numbers(0.35, 0.21, -0.27, 0.35, -0.02, 0.62),
            Numbers(0.03, 0.21, -0.079, 0.39, -0.02, 0.531),
            legal=False,
        ),
        Row(
            "confide:marcus",
            Numbers(0.35, 0.21, -0.08, 0.39, -0.02, 0.85),
            Numbers(0.03, 0.21, -0.079, 0.39, -0.02, 0.531),
            legal=False,
        ),
        Row(
            f"lie:{AFFAIR}:thorne",
            Numbers(0.28, 0.0, -0.19, -0.12, 0.04, 0.01),
            Numbers(0.07, 0.0, -0.189, -0.09, 0.04, -0.169),
            legal=False,
        ),
        Row(
            "observe:thorne",
            Numbers(0.30, 0.0, 0.0, 0.0, -0.01, 0.29),
            Numbers(0.40, 0.0, 0.0, 0.0, -0.01, 0.39),
        ),
        Row(
            "internal",
            Numbers(0.40, 0.0, 0.0, 0.0, 0.03, 0.43),
            Numbers(0.67, 0.0, 0.0, 0.0, 0.03, 0.70),
        ),
        Row(
            "physical:drink",
            Numbers(0.25, 0.0, 0.08, 0.0, 0.01, 0.34),
            Numbers(0.12, 0.0, 0.0825, 0.0, 0.01, 0.2125),
        ),
    ),
)


def action_named(agent: AgentState, id: str) -> Action:
    """The action that an id of the traces means, whether or not it would be generated."""
    word, *rest = id.split(":")
    match word, rest:
        case "move", [room]:
            return action_of(agent, EventType.SOCIAL_MOVE, destination=room)
        case "observe", [whom]:
            return action_of(agent, EventType.OBSERVE, focus=None if whom == "room" else whom)
        case "physical", [manner]:
            return action_of(agent, EventType.PHYSICAL, manner=manner)
        case (("reveal" | "confide" | "lie"), [secret, whom]):
            return action_of(agent, EventType[word.upper()], whom, secret=secret)
    return action_of(agent, EventType[word.upper()], *rest)


GOLDEN = {
    "thorne": (18, {"chat:all": 1.070, "chat:elena": 0.470, "chat:marcus": 0.410, "internal": 0.410}),
    "elena": (
        23,
        {"chat:all": 0.840, "internal": 0.670, "move:bathroom": 0.599, "move:balcony": 0.517, "chat:marcus": 0.460},
    ),
    "marcus": (32, {"internal": 0.790, "move:bathroom": 0.719, "move:balcony": 0.627, "chat:all": 0.570}),
    "lydia": (
        26,
        {"confide:secret_lydia_knows:thorne": 0.730, "chat:all": 0.600, "internal": 0.540, "observe:thorne": 0.490},
    ),
    "diana": (32, {"chat:all": 0.700, "internal": 0.550, "move:bathroom": 0.462, "chat:elena": 0.440}),
    "victor": (
        27,
        {
            "reveal:secret_victor_investigation:marcus": 0.679,
            "conflict:marcus": 0.625,
            "chat:marcus": 0.610,
            "chat:all": 0.550,
        },
    ),
}
"""Tick 0, everybody at the table: how many candidates each has, and their leading totals without noise and movement."""

PULL = {
    "thorne": (),
    "elena": ("bathroom", "balcony", "kitchen", "foyer"),
    "marcus": ("bathroom", "balcony", "kitchen", "foyer"),
    "lydia": (),
    "diana": ("bathroom", "balcony", "kitchen", "foyer"),
    "victor": (),
}
"""Whom movement pulls away at tick 0: the secretive, each room by 0.3 times its privacy."""
