from __future__ import annotations

from itertools import pairwise
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.drama.audience import components
from tests.drama.audience.evenings import belief, bond, event, events_in
from tests.drama.party import AFFAIR, EMBEZZLE, IDS, LYDIA_KNOWS, TABLE, party
from tests.drama.worlds import worlds
from volition.drama.evening.world import WorldState, begin
from volition.drama.rules.catalog import (
    CATASTROPHE,
    CHAT,
    CONFIDE,
    CONFLICT,
    INTERNAL,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    Belief,
)
from volition.drama.stage.events import Strain
from volition.drama.world.model import DEPARTED


@pytest.fixture
def world() -> WorldState:
    return begin(party())


@given(st.data())
def test_every_component_is_a_share(data: st.DataObject) -> None:
    """In any world every component of any event is a number from 0 to 1."""
    world = data.draw(worlds())
    happened = data.draw(events_in(world))
    if happened is None:
        return
    room = data.draw(st.sampled_from([0.0, 0.4, 1.0]))
    now = components.changes(happened)
    values = {
        "danger": components.danger(world, happened, room),
        "clock": components.clock(world, happened),
        "pressure": components.time_pressure_without_clock(world, happened),
        "frustration": components.goal_frustration(world, happened, room),
        "volatility": components.relationship_volatility([*now, *now]),
        "gap": components.information_gap(world, happened),
        "scarcity": components.resource_scarcity(world, happened),
        "cost": components.moral_cost(world, happened),
        "irony": components.irony_density(world, happened),
    }
    assert {name: value for name, value in values.items() if not 0.0 <= value <= 1.0} == {}


def test_danger(world: WorldState) -> None:
    """Confrontations and outbursts are dangerous, so is a great loss of trust, and the smaller of the two adds a little."""
    lost = (bond("thorne", "marcus", 0.7, 0.3),)
    assert components.danger(world, event(CONFLICT, "victor", "marcus"), 0.0) == pytest.approx(0.8)
    assert components.danger(world, event(CATASTROPHE, "victor"), 0.0) == 1.0
    assert components.danger(world, event(CHAT, "marcus", "thorne", deltas=lost), 0.0) == pytest.approx(0.4)
    assert components.danger(world, event(CONFLICT, "marcus", "thorne", deltas=lost), 0.0) == pytest.approx(0.86)
    assert components.danger(world, event(INTERNAL, "marcus", deltas=lost), 0.0) == 0.0
    assert components.danger(world, event(OBSERVE, "marcus"), 0.8) == pytest.approx(0.4)


def test_a_small_loss_of_trust_is_no_danger(world: WorldState) -> None:
    """Only a loss of more than 0.3 is dangerous."""
    assert (
        components.danger(world, event(CHAT, "marcus", "thorne", deltas=(bond("thorne", "marcus", 0.5, 0.25),)), 0.0)
        == 0
    )


def test_a_name_made_public(world: WorldState) -> None:
    """Telling a secret about somebody aloud in a public room is dangerous; confiding it or telling it in private is not."""
    learned = (belief("thorne", AFFAIR, Belief.UNKNOWN, Belief.BELIEVES_TRUE),)
    aloud = event(REVEAL, "diana", "thorne", deltas=learned, secret=AFFAIR)
    assert components.danger(world, aloud, 0.0) == pytest.approx(0.7)
    assert components.danger(world, structs.replace(aloud, type=CONFIDE), 0.0) == 0.0
    assert components.danger(world, structs.replace(aloud, room="balcony"), 0.0) == 0.0


def test_time_pressure(world: WorldState) -> None:
    """The clock is the share of the evening squared; recovery, suspicion and lost composure add pressure."""
    assert components.clock(world, event(CHAT, "thorne", "elena", minutes=75.0)) == 0.25
    chat = event(CHAT, "thorne", "elena")
    assert components.time_pressure_without_clock(world, chat) == 0.0
    assert components.time_pressure_without_clock(world, event(CHAT, "marcus", "elena")) == 0.5  # two suspect him
    world.agents["thorne"].pacing.recovery_timer = 4
    assert components.time_pressure_without_clock(world, chat) == pytest.approx(0.36)
    world.agents["thorne"].pacing.recovery_timer = 0
    world.agents["thorne"].pacing.composure = 0.75
    assert components.time_pressure_without_clock(world, chat) == 0.0
    world.agents["thorne"].pacing.composure = 0.4
    assert components.time_pressure_without_clock(world, chat) == pytest.approx(0.3)
    world.agents["lydia"].location = DEPARTED
    assert components.time_pressure_without_clock(world, event(CHAT, "marcus", "elena")) == 0.0


def test_goal_frustration_by_hand(world: WorldState) -> None:
    """Frustration is half of 1 minus the cosine between goals and satisfaction."""
    wants = (0.8, 0.7, 1.0, 0.1, 0.6, 0.2)  # Marcus; both his secrets are suspected, and he has two commitments
    received = (0.7 + 0.7 - 0.2 + 0.1 - 0.1) / 5
    has = (1 - 0.25, (received + 1) / 2, 0.0, 2 / 5, 1 - 2 / 5, 1.0)
    cosine = sum(want * got for want, got in zip(wants, has, strict=True))
    cosine /= sqrt(sum(want**2 for want in wants)) * sqrt(sum(got**2 for got in has))
    assert components.goal_frustration(world, event(CHAT, "marcus", "elena"), 0.25) == pytest.approx((1 - cosine) / 2)


def test_relationship_volatility() -> None:
    """The mean change is divided by 0.5, and a bond that changes in both directions adds 0.3."""
    trust, other = ("a", "b", "trust"), ("b", "a", "trust")
    assert components.relationship_volatility([]) == 0.0
    assert components.relationship_volatility([(other, -0.1), (trust, 0.2)]) == pytest.approx(0.3)
    assert components.relationship_volatility([(trust, -0.1), (trust, 0.2)]) == pytest.approx(0.6)
    assert components.relationship_volatility([(trust, -0.9)]) == 1.0


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from([-0.2, 0.0, 0.1])), max_size=12))
def test_turns_are_counted_as_in_the_formula(steps: list[tuple[str, float]]) -> None:
    """Counting every reversal of every bond, a third each and 0.3 at most, gives the same volatility."""
    changes = [(("a", name, "trust"), size) for name, size in steps]
    turns = 0
    for name in "xyz":
        moved = [size for other, size in steps if other == name and size]
        turns += sum(before * after < 0 for before, after in pairwise(moved))
    mean = sum(abs(size) for _, size in steps) / max(1, len(steps))
    expected = min(mean / 0.5 + min(turns / 3, 0.3), 1.0)
    assert components.relationship_volatility(changes) == pytest.approx(expected)


def test_information_gap_by_hand(world: WorldState) -> None:
    """An unknown secret counts half, a suspected one a quarter, a false belief fully, times relevance."""
    world.agents["thorne"].location = world.agents["elena"].location = "balcony"
    talk = event(CHAT, "thorne", "elena", "balcony")
    thorne = 0.5 * 0.9 + 0.0  # the affair of somebody close; Elena knows it, and nothing else is relevant
    assert components.information_gap(world, talk) == pytest.approx(thorne / 2)
    world.agents["thorne"].beliefs[AFFAIR] = Belief.BELIEVES_FALSE
    assert components.information_gap(world, talk) == pytest.approx(0.9 / 2)


def test_resource_scarcity(world: WorldState) -> None:
    """Allies, a free place in the destination and privacy are resources."""
    assert components.resource_scarcity(world, event(PHYSICAL, "thorne")) == pytest.approx((1 - 4 / 5) / 2)
    assert components.resource_scarcity(world, event(PHYSICAL, "marcus")) == pytest.approx((1 - 1 / 5) / 2)
    world.agents["marcus"].bonds["victor"].trust = -0.5
    assert components.resource_scarcity(world, event(PHYSICAL, "marcus")) == pytest.approx((1 - 1 / 5 + 1 / 5) / 2)
    assert components.resource_scarcity(world, event(CONFLICT, "thorne", "marcus")) == pytest.approx(0.6)
    assert components.resource_scarcity(world, event(CONFLICT, "thorne", "marcus", "balcony")) < 0.6
    world.agents["thorne"].location = "balcony"
    assert components.resource_scarcity(
        world, event(SOCIAL_MOVE, "thorne", room="balcony", destination=TABLE)
    ) == pytest.approx(0.7)
    world.agents["elena"].location = "kitchen"
    assert components.resource_scarcity(world, event(SOCIAL_MOVE, "thorne", room="balcony", destination=TABLE)) < 0.6


def test_moral_cost(world: WorldState) -> None:
    """There is a moral cost for hurting or deceiving those who trust, for telling others' secrets, and for commitments of loyal people."""
    hurt = (bond("thorne", "marcus", 0.7, 0.4),)
    assert components.moral_cost(world, event(CONFLICT, "marcus", "thorne", deltas=hurt)) == pytest.approx(
        2 * 0.7 * 0.3
    )
    assert components.moral_cost(world, event(LIE, "marcus", "thorne", secret=EMBEZZLE)) == pytest.approx(0.49)
    assert components.moral_cost(world, event(REVEAL, "diana", "thorne", secret=AFFAIR)) == pytest.approx(0.8)
    assert components.moral_cost(world, event(REVEAL, "lydia", "victor", secret=LYDIA_KNOWS)) == 0.0
    assert components.moral_cost(world, event(CATASTROPHE, "diana", details={"told": AFFAIR})) == pytest.approx(0.8)
    bound = (Strain("lydia", "commitment", 0.1, "position"),)
    assert components.moral_cost(world, event(CHAT, "lydia", "victor", strains=bound)) == pytest.approx(0.6 * 0.9)
    assert components.moral_cost(world, event(CHAT, "victor", "lydia", strains=bound)) == 0.0


def test_irony_density_by_hand(world: WorldState) -> None:
    """The irony of all present is divided by twice the pairs of a person and a secret that concerns them."""
    points = 2.5 + 1.625 + 1.125 + 1.25 + 1.5 + 1.625
    pairs = len(IDS) * 5  # everybody's subject is at the table
    assert components.irony_density(world, event(CHAT, "thorne", "elena")) == pytest.approx(points / (2 * pairs))
