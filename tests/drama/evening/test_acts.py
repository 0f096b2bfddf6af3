"""What each act does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.laws import Hand, around, drawing, perform
from tests.drama.rules.numbers import near
from tests.drama.stage.scenes import (
    DEBT,
    HALL,
    NOOK,
    PORCH,
    RING,
    WILL,
    YARD,
    act,
    asked,
    done,
    scene,
    staged,
)
from volition.drama.rules.catalog import (
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
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState


@pytest.mark.req("DE-17")
def test_a_word_warms_its_listeners() -> None:
    """Each listener likes the speaker by .02 to .08 more, drawn for each; the speaker and bystanders stay as they are."""
    warmth = set()
    for seed in range(100):
        world = scene(literal=True)
        done(world, act(world, "eve", CHAT, "ann", "dov"), seed)
        gained = {who: world.agents[who].bonds["eve"].affection - 0.1 for who in ("ann", "ben", "cas", "dov")}
        assert 0.02 - 1e-9 <= gained["ann"] <= 0.08 + 1e-9
        assert 0.02 - 1e-9 <= gained["dov"] <= 0.08 + 1e-9
        assert gained["ann"] != gained["dov"]
        assert gained["ben"] == gained["cas"] == 0.0
        assert world.agents["eve"] == scene(literal=True).agents["eve"]
        warmth.add(round(gained["ann"], 2))
    assert warmth >= {0.02, 0.03, 0.05, 0.07, 0.08}


@pytest.mark.req("DE-17")
def test_a_suspicion_turns_a_word_into_a_question() -> None:
    """As often as somebody seeks the truth: about the weightiest secret of the other that they suspect."""
    for drawn, asks in around(0.5):
        world = scene()
        world.agents["dov"].beliefs[RING] = Belief.SUSPECTS
        with drawing(drawn):
            hand = done(world, act(world, "dov", CHAT, "ben"))
        ben = world.agents["ben"]
        if asks:
            assert hand.details["question"] == DEBT
            assert ben.questions == {("dov", DEBT): 0}
            assert ben.challenged == 0
            assert ben.emotions["fear"] == near(0.1)
            assert asked(hand, "ben", "stress") == near(0.03)
            assert asked(hand, "ben", "commitment") == near(0.05)
        else:
            assert "question" not in hand.details
            assert ben.questions == {}
            assert asked(hand, "ben", "stress") == 0.0


@pytest.mark.req("DE-17")
def test_there_is_no_question_in_a_crowd_without_suspicion_or_by_the_letter() -> None:
    """Only a word between two can ask, only about what one suspects, and only where people probe."""
    for world, words in (
        (scene(), ("dov", "ben", "cas")),
        (scene(), ("eve", "ben")),
        (scene(literal=True), ("dov", "ben")),
    ):
        speaker, *listeners = words
        with drawing(0.0):
            hand = done(world, act(world, speaker, CHAT, *listeners))
        assert "question" not in hand.details


@pytest.mark.req("DE-17")
def test_a_private_question_commits_nobody() -> None:
    """Asked in private, it stresses and does not commit."""
    for seed in range(30):
        world = scene()
        for who in ("dov", "ben"):
            world.agents[who].location = NOOK
        hand = done(world, act(world, "dov", CHAT, "ben"), seed)
        assert asked(hand, "dov", "commitment") == asked(hand, "ben", "commitment") == 0.0


def hurt(world: WorldState, held: float, peak: float, shame: float = 0.0, own: float = 0.0) -> None:
    """Let ben hold something against eve, who may be ashamed or bear a grudge of her own."""
    ben, eve = world.agents["ben"], world.agents["eve"]
    ben.grievance["eve"], ben.peaks["eve"] = held, peak
    eve.emotions["shame"] = shame
    if own:
        eve.grievance["ben"] = own


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(
    ("held", "shame", "own", "mends"),
    [
        (0.3, 0.0, 0.0, True),
        (0.1, 0.0, 0.0, False),
        (0.3, 0.0, 0.1, False),
        (0.3, 0.16, 0.5, True),
        (0.3, 0.15, 0.1, False),
    ],
)
def test_a_word_mends_what_is_held_against_an_ashamed_or_ungrudging_speaker(
    held: float, shame: float, own: float, mends: bool
) -> None:
    """Above .1, if the speaker's shame is above .15 or their own grievance below .1: by .12 (1 + .5 affection) x .6."""
    world = scene()
    hurt(world, held, held, shame, own)
    ben = world.agents["ben"]
    done(world, act(world, "eve", CHAT, "ben"))
    warmed = ben.bonds["eve"].affection
    step = 0.12 * (1 + 0.5 * warmed) * 0.6
    assert ben.grievance["eve"] == near(held - step if mends else held)
    assert ben.bonds["eve"].trust == near(0.2 + (step / 3 / 3 if mends else 0.0))


@pytest.mark.req("DE-17")
def test_mending_goes_faster_in_private_and_not_in_a_crowd_or_by_the_letter() -> None:
    """1.5 in private instead of .6 in public; a word to several mends nothing, nor does one under the literal rules."""
    world = scene()
    hurt(world, 0.5, 0.5)
    for who in ("ben", "eve"):
        world.agents[who].location = YARD
    done(world, act(world, "eve", CHAT, "ben"))
    ben = world.agents["ben"]
    assert ben.grievance["eve"] == near(0.5 - 0.12 * (1 + 0.5 * ben.bonds["eve"].affection) * 1.5)
    for other, targets in ((scene(), ("ben", "cas")), (scene(literal=True), ("ben",))):
        hurt(other, 0.5, 0.5)
        done(other, act(other, "eve", CHAT, *targets))
        assert other.agents["ben"].grievance["eve"] == 0.5


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("peak", "held", "reconciled"), [(0.4, 0.2, True), (0.39, 0.2, False), (0.9, 0.3, False)])
def test_a_great_grievance_that_becomes_small_is_made_up(peak: float, held: float, reconciled: bool) -> None:
    """Once .4 or more and now below .15: both are relieved of .10 stress, once."""
    world = scene()
    hurt(world, held, peak)
    hand = done(world, act(world, "eve", CHAT, "ben"))
    assert world.agents["ben"].reconciled == ({"eve"} if reconciled else set())
    assert ("reconciled" in hand.details) is reconciled
    for who in ("ben", "eve"):
        assert [strain.amount for strain in hand.strains if strain.agent == who and strain.reason == "made up"] == (
            [-0.1] if reconciled else []
        )
    world.agents["ben"].grievance["eve"] = 0.2
    again = done(world, act(world, "eve", CHAT, "ben"))
    assert ("reconciled" in again.details) is False or not reconciled


@pytest.mark.req("DE-17")
def test_a_move_leads_elsewhere_and_counts_from_the_gathering() -> None:
    """Location, tick of the move and .05 of the budget; away from the gathering since then, until one is back."""
    world = scene()
    world.tick, world.minutes = 7, 30.5
    hand = done(world, act(world, "eve", SOCIAL_MOVE, destination=YARD))
    eve = world.agents["eve"]
    assert (eve.location, eve.moved, eve.away) == (YARD, 7, 30.5)
    assert [strain[:3] for strain in hand.strains] == [("eve", "budget", 0.05)]
    world.tick, world.minutes = 9, 33.0
    done(world, act(world, "eve", SOCIAL_MOVE, destination=HALL))
    assert (eve.location, eve.moved, eve.away) == (HALL, 9, None)
    world.agents["dov"].location, world.agents["dov"].away = YARD, 12.0
    done(world, act(world, "dov", SOCIAL_MOVE, destination=PORCH))
    assert world.agents["dov"].away == 12.0


@pytest.mark.req("DE-17")
def test_what_is_revealed_is_heard_by_all_in_the_room() -> None:
    """A REVEAL informs everybody present, not its target alone, and nobody elsewhere; it commits by .20 and costs."""
    world = scene()
    world.agents["eve"].location = NOOK
    hand = done(world, act(world, "dov", REVEAL, "ben", secret=WILL))
    assert [me.id for me in world.agents.values() if me.beliefs[WILL] == Belief.BELIEVES_TRUE] == [
        "ann", "ben", "cas", "dov",
    ]  # fmt: skip
    assert (asked(hand, "dov", "commitment"), asked(hand, "dov", "budget")) == (0.2, 0.35)
    light = scene()
    assert asked(done(light, act(light, "ben", REVEAL, "eve", secret=RING)), "ben", "budget") == 0.15


@pytest.mark.req("DE-17")
def test_what_is_confided_is_between_two_and_leaks_to_a_tenth() -> None:
    """One learns it, trust grows on both sides, it relieves by .10; each bystander suspects it with a chance of .10."""
    for drawn, leaks in around(0.1):
        world = scene(literal=True)
        with drawing(drawn):
            hand = done(world, act(world, "ben", CONFIDE, "eve", secret=RING))
        assert [me.id for me in world.agents.values() if me.beliefs[RING] == Belief.BELIEVES_TRUE] == ["ben", "eve"]
        assert asked(hand, "ben", "stress") == near(-0.1)
        assert asked(hand, "ben", "budget") == 0.15
        assert asked(hand, "ben", "commitment") == 0.0
        assert world.agents["ben"].bonds["eve"].trust == near(0.2 + 0.1 / 3)
        assert world.agents["eve"].bonds["ben"].trust == near(0.2 + 0.15 / 3)
        suspecting = [me.id for me in world.agents.values() if me.beliefs[RING] == Belief.SUSPECTS]
        assert suspecting == hand.details.get("caught", []) == (["ann", "cas", "dov"] if leaks else [])
    full = scene()
    assert asked(done(full, act(full, "ben", CONFIDE, "eve", secret=RING)), "ben", "commitment") == 0.2


@pytest.mark.req("DE-17")
def test_a_lie_weighs_on_the_liar() -> None:
    """Stress .15, commitment .20 and budget .35, whether it is believed or not."""
    outcomes = set()
    for seed in range(20):
        world = scene()
        hand = done(world, act(world, "ann", LIE, "cas", secret=WILL), seed)
        outcomes.add(hand.details["believed"])
        assert [asked(hand, "ann", number) for number in ("stress", "commitment", "budget")] == [0.15, 0.2, 0.35]
    assert outcomes == {True, False}


def tasked(world: WorldState, who: str) -> tuple[str | None, float | None]:
    return world.agents[who].task, world.agents[who].task_since


@pytest.mark.req("DE-17")
def test_serving_and_pouring_fill_every_glass_at_the_table() -> None:
    """A glass for everybody in the room and nobody elsewhere; the task is done, and a course is on the table."""
    for manner in ("serve", "pour"):
        world = scene()
        world.minutes = 25.0
        ann = world.agents["ann"]
        ann.task, ann.task_since = manner, 20.0
        world.agents["eve"].location = YARD
        hand = done(world, act(world, "ann", PHYSICAL, manner=manner))
        assert {who: me.alcohol for who, me in world.agents.items()} == {
            "ann": 0.15, "ben": 0.15, "cas": 0.15, "dov": 0.15, "eve": 0.0,
        }  # fmt: skip
        assert {who: asked(hand, who, "drinks") for who in world.agents} == {
            "ann": 1, "ben": 1, "cas": 1, "dov": 1, "eve": 0,
        }  # fmt: skip
        assert tasked(world, "ann") == (None, None)
        assert world.course_served == (25.0 if manner == "serve" else None)


@pytest.mark.req("DE-17", "DE-25")
@pytest.mark.parametrize("manner", ["serve", "pour"])
def test_whoever_was_about_to_serve_waits_while_two_quarrel(manner: str) -> None:
    """Their row comes first in the tick: nobody pours into it, the task stays, and another room is not their concern."""
    for room, hush, waits in ((HALL, True, True), (HALL, False, False), (YARD, True, False)):
        world = scene(hush=hush)
        world.agents["ann"].task, world.agents["ann"].task_since = manner, 0.0
        for who in ("ben", "cas"):
            world.agents[who].location = room
        serving = act(world, "ann", PHYSICAL, manner=manner)
        record = staged(world, [serving, act(world, "ben", CONFLICT, "cas")])
        assert [event.manner for event in record.events] == ([None] if waits else [None, manner])
        assert (record.choices["ann"].became, record.choices["ann"].because) == (
            ("internal", "hushed") if waits else ("done", None)
        )
        assert world.agents["ann"].task == (manner if waits else None)


@pytest.mark.req("DE-17")
def test_a_feeling_that_was_confided_weighs_less() -> None:
    """Of anger, fear, shame and suspicion .4 is left, of hope and affection all; who hears it, and a secret, change none."""
    for secret in (None, RING):
        world = scene(confide_feelings=True)
        felt = dict.fromkeys(("anger", "fear", "hope", "shame", "affection", "suspicion"), 0.9)
        world.agents["ben"].emotions.update(felt)
        world.agents["eve"].emotions.update(felt)
        said = act(world, "ben", CONFIDE, "eve", secret=secret)
        done(world, said if secret else said._replace(id="confide:feeling:eve"))
        lighter = {name: near(0.36) for name in ("anger", "fear", "shame", "suspicion")}
        assert world.agents["ben"].emotions == (felt | lighter if secret is None else felt)
        assert secret is not None or world.agents["eve"].emotions == felt


@pytest.mark.req("DE-17")
def test_what_hands_do() -> None:
    """A drink is one glass for oneself, what is fetched is to be served, a need that is met is gone, and who leaves left."""
    world = scene()
    ann, eve = world.agents["ann"], world.agents["eve"]
    done(world, act(world, "ann", PHYSICAL, manner="drink"))
    assert [me.alcohol for me in world.agents.values()] == [0.15, 0, 0, 0, 0]
    ann.task, ann.task_since, ann.location = "fetch", 8.0, NOOK
    done(world, act(world, "ann", PHYSICAL, manner="fetch"))
    assert (ann.task, ann.task_since) == ("serve", 8.0)
    eve.location, eve.needs["air"] = YARD, 0.8
    done(world, act(world, "eve", PHYSICAL, manner="air"))
    assert eve.needs == {"air": 0.0}
    eve.location = PORCH
    done(world, act(world, "eve", PHYSICAL, manner="leave"))
    assert eve.location == DEPARTED


@pytest.mark.req("DE-17")
def test_a_slammed_door_relieves_one_and_frightens_the_others() -> None:
    """Stress -.05 at a cost of .15 and a short recovery, as a small drama; those in the room fear by .05 more."""
    world = scene(literal=True)
    world.agents["eve"].location = NOOK
    ann = world.agents["ann"]
    ann.pacing.suppression_count = 3
    record = staged(world, [act(world, "ann", PHYSICAL, manner="slam")])
    assert [strain[1:3] for strain in record.events[0].strains] == [("stress", -0.05), ("budget", 0.15)]
    assert (ann.pacing.stress, ann.pacing.dramatic_budget) == (near(0.2 - 0.05 - 0.03), near(0.85))
    assert (ann.pacing.recovery_timer, ann.pacing.suppression_count) == (1, 0)
    fears = {delta.agent: delta.after for delta in record.events[0].deltas if delta.key == "fear"}
    assert fears == dict.fromkeys(("ben", "cas", "dov"), near(0.05))


@pytest.mark.req("DE-17")
def test_thought_and_looking_around_change_nothing() -> None:
    """INTERNAL and a look at nobody in particular leave the state as it is."""
    world = scene()
    hand = Hand(world)
    for action in (act(world, "ann", INTERNAL), act(world, "ann", OBSERVE)):
        perform(hand, action)
    assert (hand.deltas, hand.strains, hand.details) == ([], [], {})
    assert world == scene()
