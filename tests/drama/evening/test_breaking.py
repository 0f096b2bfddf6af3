"""Who breaks, and what an outburst does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.laws import Hand, burst, find_breaking, kind_of_breakdown
from tests.drama.rules.numbers import near
from tests.drama.stage.evenings import EVENINGS, watched
from tests.drama.stage.oracle import breakers
from tests.drama.stage.scenes import DEBT, HALL, NOOK, RING, WILL, YARD, asked, scene, staged, trusts
from volition.drama.rules.catalog import CATASTROPHE, Belief
from volition.drama.stage.replay import steps
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState


def strained(world: WorldState, who: str, stress: float = 0.9, commitment: float = 1.0, composure: float = 0.2) -> None:
    pacing = world.agents[who].pacing
    pacing.stress, pacing.commitment, pacing.composure = stress, commitment, composure


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_those_break_who_must_and_nobody_else(name: str, seed: int) -> None:
    """Over whole evenings: by potential, gate, timer and rising threshold, at most two in a tick; who breaks chooses nothing."""
    count = 0
    for world, record in steps(watched(name, seed).run):
        broken = [event.source for event in record.events if event.type == CATASTROPHE]
        assert broken == breakers(world)
        assert len(broken) <= 2
        assert not set(broken) & set(record.choices)
        assert [event.type for event in record.events[: len(broken)]].count(CATASTROPHE) >= min(1, len(broken))
        assert world.catastrophes == count
        count += len(broken)


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(
    ("stress", "commitment", "composure", "timer", "suppression", "breaks"),
    [
        (0.35, 1.0, 0.29, 0, 0, True),
        (0.349, 1.0, 0.29, 0, 0, False),
        (0.35, 1.0, 0.30, 0, 0, False),
        (0.35, 1.0, 0.29, 1, 0, False),
        (1.0, 0.5, 0.29, 0, 0, False),
        (1.0, 0.5, 0.29, 0, 4, True),
        (1.0, 0.5, 0.29, 0, 3, False),
        (1.0, 0.6, 0.29, 0, 0, True),
    ],
)
def test_the_gate_and_the_threshold(
    stress: float, commitment: float, composure: float, timer: int, suppression: int, breaks: bool
) -> None:
    """Stress x commitment^2 + .03 x suppression at .35 or more, below a composure of .30, not recovering."""
    world = scene()
    strained(world, "eve", stress, commitment, composure)
    world.agents["eve"].pacing.recovery_timer = timer
    world.agents["eve"].pacing.suppression_count = suppression
    assert find_breaking(world) == (["eve"] if breaks else [])
    world.agents["eve"].location = DEPARTED
    assert find_breaking(world) == []


@pytest.mark.req("DE-17")
def test_the_threshold_rises_with_every_outburst() -> None:
    """Each catastrophe of the house asks for .30 more where the scenario says so, and not by the letter."""
    for seen, stress, breaks in ((1, 0.66, True), (1, 0.64, False), (2, 0.96, True), (2, 0.94, False)):
        world = scene()
        world.catastrophes = seen
        strained(world, "eve", stress)
        assert find_breaking(world) == (["eve"] if breaks else [])
        letter = scene(literal=True)
        letter.catastrophes = seen
        strained(letter, "eve", 0.36)
        assert find_breaking(letter) == ["eve"]


@pytest.mark.req("DE-17")
def test_two_at_most_and_the_likelier_first() -> None:
    """Of three at their limits two break, by potential; a third waits for another tick."""
    world = scene(literal=True)
    strained(world, "ann", 0.5)
    strained(world, "ben", 0.9)
    strained(world, "cas", 0.7)
    assert find_breaking(world) == ["ben", "cas"]


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("place", "breaks"), [(HALL, True), (NOOK, False), (YARD, False)])
def test_the_second_feels_the_first(place: str, breaks: bool) -> None:
    """The first outburst's stress counts for the second: .12 in its room, .03 within earshot, times sensitivity."""
    world = scene(literal=True)
    strained(world, "ann", 0.9)
    strained(world, "cas", 0.30)
    world.agents["cas"].location = place
    assert find_breaking(world) == (["ann", "cas"] if breaks else ["ann"])
    strained(world, "cas", 0.336)
    assert find_breaking(world) == (["ann", "cas"] if place in (HALL, NOOK) else ["ann"])
    alone = scene(literal=True)
    strained(alone, "cas", 0.336)
    assert find_breaking(alone) == []


@pytest.mark.req("DE-17")
def test_an_outburst_hurts_all_present() -> None:
    """Trust falls by .10 to .25 and .15 to .30, others fear, the breaker rages and is ashamed; the house counts it."""
    for seed in range(40):
        world = scene()
        world.minutes = 70.0
        world.agents["dov"].location = YARD
        before = dict(trusts(world))
        hand = Hand(world, seed)
        burst(hand, "eve")
        eve, present = world.agents["eve"], ("ann", "ben", "cas")
        lost = {pair: before[pair] - trust for pair, trust in trusts(world).items() if trust != before[pair]}
        assert set(lost) == {(one, other) for who in present for one, other in ((who, "eve"), ("eve", who))}
        assert all(0.10 <= lost["eve", who] <= 0.25 and 0.15 <= lost[who, "eve"] <= 0.30 for who in present)
        assert (eve.emotions["anger"], eve.emotions["shame"]) == (near(0.6), near(0.3))
        assert [world.agents[who].emotions["fear"] for who in present] == [near(0.2)] * 3
        assert {who: asked(hand, who, "stress") for who in world.agents} == {
            "ann": 0.12, "ben": 0.12, "cas": 0.12, "dov": 0.0, "eve": 0.12,
        }  # fmt: skip
        assert (eve.broken, world.catastrophes) == (True, 1)
        assert {who: me.last_scene for who, me in world.agents.items()} == {
            "ann": 70.0, "ben": 70.0, "cas": 70.0, "dov": None, "eve": 70.0,
        }  # fmt: skip
        assert asked(hand, "eve", "budget") == 0.0


@pytest.mark.req("DE-17")
def test_an_outburst_tells_the_weightiest_untold_secret() -> None:
    """Of what the breaker knows and takes somebody present not to know, the weightiest; told to all present."""
    world = scene()
    world.agents["eve"].location = YARD
    hand = Hand(world)
    burst(hand, "ben")
    assert hand.details["told"] == DEBT
    assert {who for who, me in world.agents.items() if me.beliefs[DEBT] == Belief.BELIEVES_TRUE} == {
        "ann", "ben", "cas", "dov",
    }  # fmt: skip
    aware = scene()
    aware.agents["ben"].knows = {(who, DEBT) for who in aware.agents}
    hand = Hand(aware)
    burst(hand, "ben")
    assert hand.details["told"] == RING
    silent = scene()
    hand = Hand(silent)
    burst(hand, "eve")
    assert "told" not in hand.details
    assert silent.agents["eve"].beliefs[WILL] == Belief.SUSPECTS


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(
    ("who", "feeling", "kind"),
    [
        ("ann", None, "explosion"),
        ("ann", "shame", "explosion"),
        ("ben", "fear", "collapse"),
        ("ben", "anger", "explosion"),
        ("cas", "fear", "desperate_gambit"),
        ("cas", "shame", "collapse"),
        ("dov", "hope", "flight"),
        ("eve", "fear", "flight"),
        ("eve", "suspicion", "accusation"),
        ("eve", None, "collapse"),
    ],
)
def test_how_somebody_breaks(who: str, feeling: str | None, kind: str) -> None:
    """The strongest flaw and the strongest feeling decide."""
    world = scene()
    if feeling is not None:
        world.agents[who].emotions[feeling] = 0.4
    assert kind_of_breakdown(world, who) == kind


@pytest.mark.req("DE-17")
def test_what_an_outburst_leaves() -> None:
    """Stress halved, composure .30, commitment +.10 below .80, timer 8, nothing suppressed, budget -.50: once."""
    for commitment, after in ((0.7, 0.8), (0.8, 0.8), (0.95, 0.95)):
        world = scene(literal=True)
        strained(world, "eve", 0.6, commitment)
        pacing = world.agents["eve"].pacing
        pacing.suppression_count, pacing.dramatic_budget = 9, 0.9
        record = staged(world)
        assert [event.type for event in record.events] == [CATASTROPHE]
        pacing = world.agents["eve"].pacing
        assert pacing.stress == near((0.6 + 2.0 * 0.12) / 2)
        assert (pacing.composure, pacing.commitment) == (0.3, near(after))
        assert (pacing.recovery_timer, pacing.suppression_count) == (8, 0)
        assert pacing.dramatic_budget == near(0.4)
        record = staged(world)
        assert record.events == ()
        assert world.agents["eve"].pacing.recovery_timer == 7


@pytest.mark.req("DE-17")
def test_one_who_is_alone_breaks_alone() -> None:
    """An outburst without company tells nothing and hurts nobody else."""
    world = scene()
    world.agents["ben"].location = YARD
    hand = Hand(world)
    burst(hand, "ben")
    assert "told" not in hand.details
    assert {strain.agent for strain in hand.strains} == {"ben"}
    assert {delta.agent for delta in hand.deltas} == {"ben", ""}
