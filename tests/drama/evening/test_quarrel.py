"""What a confrontation does, what it may bring out, and how it may end."""

from __future__ import annotations

import pytest

from tests.drama.evening.laws import around, drawing
from tests.drama.rules.numbers import near
from tests.drama.stage.scenes import (
    HALL,
    NOOK,
    WILL,
    act,
    asked,
    done,
    rules_in_force,
    scene,
    trusts,
)
from volition.drama.rules.catalog import (
    CONFLICT,
    Belief,
)


@pytest.mark.req("DE-17")
def test_a_confrontation_costs_trust_and_leaves_its_marks() -> None:
    """The accuser loses .2 to .4 of trust, the accused .2 to .3; anger, grievance, grounds, fatigue and memory follow."""
    for seed in range(60):
        world = scene(forced_truth=False)
        world.tick = 6
        world.agents["dov"].grievance["eve"] = 0.5
        before = dict(trusts(world))
        hand = done(world, act(world, "dov", CONFLICT, "eve"), seed)
        dov, eve = world.agents["dov"], world.agents["eve"]
        lost = {pair: before[pair] - trust for pair, trust in trusts(world).items() if trust != before[pair]}
        assert set(lost) == {("dov", "eve"), ("eve", "dov")}
        assert 0.2 <= lost["dov", "eve"] <= 0.4
        assert 0.2 <= lost["eve", "dov"] <= 0.3
        assert 0.1 <= dov.emotions["anger"] <= 0.3
        assert [eve.emotions[feeling] for feeling in ("anger", "fear", "shame")] == [0.15, 0.1, 0.08]
        assert (dov.grievance["eve"], eve.grievance["dov"]) == (near(0.4), near(0.2))
        assert (dov.grounds["eve"], eve.grounds["dov"]) == (0, 2)
        assert (dov.fatigue["eve"], eve.fatigue["dov"]) == (1.0, 0.5)
        assert (dov.confronted, eve.confronted_by, eve.challenged) == ({"eve": 6}, {"dov": 6}, 6)
        assert (asked(hand, "dov", "commitment"), asked(hand, "dov", "budget")) == (0.15, 0.35)
        assert {who: asked(hand, who, "stress") for who in world.agents} == {
            "ann": 0.05, "ben": 0.05, "cas": 0.05, "dov": 0.12, "eve": 0.12,
        }  # fmt: skip


@pytest.mark.req("DE-17")
def test_a_quarrel_may_bring_the_truth_out() -> None:
    """With .35 (1 - composure of the accused), before all present: what the accuser suspects, or knows and suffers by."""
    for drawn, comes_out in around(0.28):
        world = scene()
        world.agents["ann"].pacing.composure = 0.2
        world.agents["cas"].location = NOOK
        with drawing(drawn):
            hand = done(world, act(world, "eve", CONFLICT, "ann"))
        knowing = {me.id for me in world.agents.values() if me.beliefs[WILL] == Belief.BELIEVES_TRUE}
        assert hand.details.get("forced") == (WILL if comes_out else None)
        assert knowing == ({"ann", "ben", "dov", "eve"} if comes_out else {"ann", "dov"})


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(
    ("accuser", "belief", "topic"),
    [
        ("cas", Belief.UNKNOWN, False),
        ("cas", Belief.BELIEVES_FALSE, False),
        ("cas", Belief.BELIEVES_TRUE, True),
        ("dov", Belief.BELIEVES_TRUE, False),
        ("dov", Belief.SUSPECTS, True),
    ],
)
def test_only_what_the_accuser_is_after_comes_out(accuser: str, belief: Belief, topic: bool) -> None:
    """A suspicion, or knowledge of what harms them, is a topic; ignorance and unharmed knowledge are none."""
    forced = False
    for seed in range(60):
        world = scene()
        world.agents["ann"].pacing.composure = 0.05
        world.agents[accuser].beliefs[WILL] = belief
        forced |= "forced" in done(world, act(world, accuser, CONFLICT, "ann"), seed).details
        letter = scene(forced_truth=False)
        letter.agents["ann"].pacing.composure = 0.05
        letter.agents[accuser].beliefs[WILL] = belief
        assert "forced" not in done(letter, act(letter, accuser, CONFLICT, "ann"), seed).details
    assert forced is topic


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(
    ("accuser", "accused", "distrust", "held", "late", "out"),
    [
        ("ann", "eve", 0.0, 0.11, 0.5, True),
        ("ann", "eve", 0.0, 0.11, 0.0, False),
        ("ann", "eve", 0.0, 0.10, 0.5, False),
        ("ann", "eve", -0.45, 0.4, 9.0, False),
        ("ann", "ben", 0.2, 0.4, 9.0, False),
        ("eve", "ann", 0.2, 0.4, 9.0, False),
        ("dov", "eve", 0.2, 0.4, 9.0, False),
    ],
)
def test_a_resident_shows_a_guest_the_door(
    accuser: str, accused: str, distrust: float, held: float, late: float, out: bool
) -> None:
    """Late enough, with too little trust and too much of a grievance left after the quarrel: a resident, and a guest.

    The quarrel takes at least .2 of trust, and .1 of the grievance.
    """
    for seed in range(12):
        world = scene(forced_truth=False)
        table = rules_in_force(world).grievance
        world.minutes = table.throwing_out_from * world.scenario.evening.minutes + late
        world.agents[accuser].bonds[accused].trust = max(-1.0, table.throwing_out_trust - distrust)
        world.agents[accuser].grievance[accused] = table.throwing_out_grievance + held
        hand = done(world, act(world, accuser, CONFLICT, accused), seed)
        assert world.agents[accused].thrown_out is hand.details.get("thrown_out", False) is out
        assert world.agents[accused].location == HALL
        assert [me.id for me in world.agents.values() if me.thrown_out] == ([accused] if out else [])
    world = scene(throwing_out=False)
    world.minutes, world.agents["ann"].bonds["eve"].trust, world.agents["ann"].grievance["eve"] = 149.0, -1.0, 1.0
    done(world, act(world, "ann", CONFLICT, "eve"))
    assert not world.agents["eve"].thrown_out
