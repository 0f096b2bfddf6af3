"""Changes are written down as they are made, and draws are keyed."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.evening.laws import Hand, mind_of
from tests.drama.stage.scenes import DEBT, HALL, NOOK, RING, WILL, YARD, asked, house, scene
from volition.core.chance import stream, uid, uniform, word
from volition.drama.stage.state import write
from volition.drama.world.model import DEPARTED

steps = st.lists(
    st.tuples(
        st.sampled_from(["trust", "affection", "grievance", "anger", "ground", "glass"]),
        st.sampled_from([("ann", "ben"), ("ben", "ann"), ("ann", "cas")]),
        st.floats(-1.5, 1.5),
    ),
    max_size=12,
)


@pytest.mark.req("DE-17")
@given(steps)
def test_what_is_written_down_is_what_changed(steps: list[tuple[str, tuple[str, str], float]]) -> None:
    """The deltas of changes, applied to the state before, give the state after; each begins where the last ended."""
    world = scene()
    copy = deepcopy(world)
    hand = Hand(world)
    for what, (who, whom), change in steps:
        match what:
            case "anger":
                hand.emotion(who, "anger", change)
            case "ground":
                hand.ground(who, whom)
            case "glass":
                hand.glass(who)
            case _:
                getattr(hand, what)(who, whom, change)
    for delta in hand.deltas:
        assert delta.before != delta.after
        write(copy, delta)
    assert copy == world
    for me in world.agents.values():
        assert all(0.0 <= emotion <= 1.0 for emotion in me.emotions.values())
        assert all(0.0 < held <= 1.0 for held in me.grievance.values())
        assert all(-1.0 <= number <= 1.0 for bond in me.bonds.values() for number in (bond.trust, bond.affection))
        assert 0.0 <= me.alcohol <= 1.0


def test_what_stays_as_it_is_is_not_written() -> None:
    """A change to the same value, and a strain of 0, are not recorded."""
    world = scene()
    hand = Hand(world)
    hand.room("ann", HALL)
    hand.affection("ann", "ben", 0.0)
    hand.grievance("ann", "ben", -0.5)
    hand.stress("ann", 0.0)
    assert hand.deltas == []
    assert hand.strains == []


@pytest.mark.req("DE-17")
def test_trust_is_regained_a_third_as_fast() -> None:
    """A gain of trust counts a third, a loss in full, and neither leaves -1 to 1."""
    world = scene()
    bond = world.agents["ann"].bonds["ben"]
    hand = Hand(world)
    hand.trust("ann", "ben", 0.3)
    assert bond.trust == pytest.approx(0.3)
    hand.trust("ann", "ben", -0.3)
    assert bond.trust == pytest.approx(0.0)
    hand.trust("ann", "ben", -9.0)
    assert bond.trust == -1.0


def test_a_grievance_remembers_its_peak_and_vanishes_at_nothing() -> None:
    """The peak is the most it ever was; what is nothing has no entry."""
    world = scene()
    ann = world.agents["ann"]
    hand = Hand(world)
    hand.grievance("ann", "ben", 0.6)
    hand.grievance("ann", "ben", -0.2)
    assert ann.grievance == {"ben": pytest.approx(0.4)}
    assert ann.peaks == {"ben": 0.6}
    hand.grievance("ann", "ben", -2.0)
    assert ann.grievance == {}
    assert ann.peaks == {"ben": 0.6}


@pytest.mark.req("DE-17")
def test_a_glass_goes_to_the_head_and_to_its_need() -> None:
    """Each glass is .15 alcohol up to 1, one drink to be paid, and .03 of the need that glasses add to."""
    world = scene()
    hand = Hand(world)
    for _ in range(8):
        hand.glass("ann")
    assert world.agents["ann"].alcohol == 1.0
    assert asked(hand, "ann", "drinks") == 8
    assert world.agents["ann"].needs["air"] == pytest.approx(0.24)
    sober = scene(needs=0.0)
    Hand(sober).glass("ann")
    assert sober.agents["ann"].needs["air"] == 0.0


@pytest.mark.req("DE-17")
def test_a_clash_is_felt_where_it_is_and_where_it_is_heard() -> None:
    """.12 for those in it, .05 in its room, .03 within earshot, nothing elsewhere or for the departed."""
    world = scene()
    places = {"ann": HALL, "ben": HALL, "cas": NOOK, "dov": YARD, "eve": DEPARTED}
    for who, place in places.items():
        world.agents[who].location = place
    hand = Hand(world)
    hand.clash(HALL, frozenset({"ann"}))
    assert {strain.agent: strain.amount for strain in hand.strains} == {"ann": 0.12, "ben": 0.05, "cas": 0.03}


def test_secrets_of_a_holder_stand_by_weight() -> None:
    """The weightiest secret comes first, and only those one holds are there."""
    mind = mind_of(house())
    held = {
        id: [mind.names.secrets[place] for place in mind.tables.held[who][: mind.tables.held_count[who]]]
        for who, id in enumerate(mind.names.people)
    }
    assert (held["ben"], held["ann"], held["eve"]) == ([DEBT, RING], [WILL], [])


def drawn(seed: int, tick: int, who: str, purpose: str, what: str) -> float:
    return uniform(word(stream(seed, tick, uid(who), uid(purpose)), uid(what)))


@pytest.mark.req("DE-08")
def test_a_draw_belongs_to_what_it_is_for() -> None:
    """A draw is the same whoever else drew before, and another for another seed, tick, person, purpose or thing."""
    world = scene()
    hand = Hand(world, 5)
    first = hand.share("ann", "chat", "ben")
    for other in world.agents:
        hand.share(other, "chat", "cas")
    assert hand.share("ann", "chat", "ben") == first == Hand(scene(), 5).share("ann", "chat", "ben")
    assert first == drawn(5, 0, "ann", "chat", "ben")
    others = [(6, 0, "ann", "chat", "ben"), (5, 1, "ann", "chat", "ben"), (5, 0, "eve", "chat", "ben"),
              (5, 0, "ann", "ask", "ben"), (5, 0, "ann", "chat", "eve")]  # fmt: skip
    draws = [drawn(*key) for key in others]
    assert len({first, *draws}) == 6
    world.tick = 1
    assert hand.share("ann", "chat", "ben") == draws[1]


@pytest.mark.req("DE-08")
@given(st.integers(0, 2**64), st.integers(0, 300), st.floats(-1, 1), st.floats(-1, 1))
def test_a_draw_lies_between_its_ends(seed: int, tick: int, one: float, other: float) -> None:
    """A share is in [0, 1), and a number drawn between two is not outside them."""
    least, most = sorted((one, other))
    world = scene()
    world.tick = tick
    hand = Hand(world, seed)
    assert 0.0 <= hand.share("ann", "chat", "ben") < 1.0
    assert least - 1e-12 <= hand.between(least, most, "ann", "chat", "ben") <= most + 1e-12
