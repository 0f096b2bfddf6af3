"""How people learn secrets, and what the truth does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.laws import Hand, around, drawing, hint, learn, lie, tell, watch
from tests.drama.rules.numbers import near
from tests.drama.stage.evenings import EVENINGS, watched
from tests.drama.stage.scenes import DEBT, HALL, NOOK, RING, WILL, act, asked, done, scene
from volition.drama.rules.catalog import CONFIDE, REVEAL, Belief, EventType
from volition.drama.stage.replay import walk
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState

UNKNOWN, SUSPECTS, TRUE, FALSE = Belief
ALLOWED = {(UNKNOWN, SUSPECTS), (UNKNOWN, TRUE), (UNKNOWN, FALSE), (SUSPECTS, TRUE), (SUSPECTS, FALSE), (FALSE, TRUE),
           (FALSE, SUSPECTS)}  # fmt: skip


def telling(world: WorldState, secret: str, speaker: str, *listeners: str) -> Hand:
    hand = Hand(world)
    tell(hand, world.scenario.secrets[secret], speaker, listeners)
    return hand


def lying(world: WorldState, liar: str, target: str, secret: str, drawn: float) -> tuple[bool, Hand]:
    hand = Hand(world)
    with drawing(drawn):
        return lie(hand, liar, target, world.scenario.secrets[secret]), hand


BELIEVED, SEEN_THROUGH = 0.0, 1.0
"""What is drawn for a lie that may be believed, and for one that is not."""


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("name", "seed"), EVENINGS)
def test_beliefs_move_only_where_they_may(name: str, seed: int) -> None:
    """Nothing is forgotten, who knows goes on knowing, and a belief only changes with its cause.

    The truth is known by telling, a suspicion begins by seeing, hearing or an unbelieved lie, and what is held false
    was believed of a lie, whose liar is remembered.
    """
    run = watched(name, seed).run
    seen = 0
    for world, event in walk(run):
        for delta in event.deltas:
            if delta.kind != "belief":
                continue
            seen += 1
            assert (delta.before, delta.after) in ALLOWED
            assert world.agents[delta.agent].location != DEPARTED
            if delta.after == FALSE:
                assert (event.type, event.details["believed"]) == (EventType.LIE, True)
                assert event.targets == (delta.agent,)
                planted = [other for other in event.deltas if other.kind == "planted" and other.agent == delta.agent]
                again = world.agents[delta.agent].planted.get(delta.key) == event.source
                assert [(other.key, other.after) for other in planted] == ([] if again else [(delta.key, event.source)])
            elif delta.after == SUSPECTS:
                hinted = delta.reason in ("stated", "hinted at", "implied")
                assert hinted or event.type in (EventType.OBSERVE, EventType.CONFIDE, EventType.LIE)
            else:
                assert event.type not in (EventType.OBSERVE, EventType.LIE, EventType.CHAT)
    assert seen
    assert not any(delta.kind == "belief" for record in run.ticks for delta in record.after)


@pytest.mark.req("DE-17")
def test_all_who_hear_it_know_it_and_know_who_knows() -> None:
    """A truth told makes every listener know, and all of that company, and nobody else, take each other to know."""
    world = scene()
    telling(world, WILL, "ann", "ben", "dov")
    assert [world.agents[who].beliefs[WILL] for who in world.agents] == [TRUE, TRUE, UNKNOWN, TRUE, SUSPECTS]
    for who in ("ann", "ben", "dov"):
        assert world.agents[who].knows == {(other, WILL) for other in ("ann", "ben", "dov") if other != who}
    assert world.agents["cas"].knows == world.agents["eve"].knows == set()


@pytest.mark.req("DE-17")
def test_old_news_do_nothing_but_show_who_knows() -> None:
    """Told to those who know already, a truth strains nobody and exposes nobody who thought so."""
    world = scene()
    world.agents["ann"].knows = {("dov", WILL)}
    hand = telling(world, WILL, "ann", "dov")
    assert hand.strains == []
    assert {delta.kind for delta in hand.deltas} == {"knows"}


@pytest.mark.req("DE-26")
def test_what_others_really_knew_does_not_show_in_a_holder() -> None:
    """A secret that comes out strains its holder by what they thought, the same whether the listener knew it or not."""
    strains = []
    for belief in (UNKNOWN, SUSPECTS, TRUE):
        world = scene()
        world.agents["ben"].beliefs[WILL] = belief
        hand = telling(world, WILL, "dov", "ben", "ann")
        strains.append([strain for strain in hand.strains if strain.agent == "ann"])
    assert strains[0] == strains[1] == strains[2] != []


@pytest.mark.req("DE-17")
def test_who_confides_is_not_exposed() -> None:
    """A holder who says it aloud, or hears it said, is exposed; one who confides it, or is near when it is, is not."""
    for kind, exposes in ((REVEAL, True), (CONFIDE, False)):
        for speaker, listener, holder in (("ann", "ben", "ann"), ("dov", "eve", "ann")):
            world = scene()
            world.agents["eve"].bonds["dov"].trust = 0.5
            hand = done(world, act(world, speaker, kind, listener, secret=WILL))
            reasons = {(strain.agent, strain.reason) for strain in hand.strains}
            assert ((holder, "exposed") in reasons) is exposes
            assert (world.agents[holder].emotions["shame"] > 0.0) is exposes
            assert world.agents[listener].beliefs[WILL] == TRUE


@pytest.mark.req("DE-17")
def test_a_disturbing_truth_stresses() -> None:
    """.08 for a secret about oneself, of weight .5 or more, or about somebody one likes more than .4; else nothing."""
    for who, secret, liking, expected in (
        ("cas", RING, 0.1, 0.08),
        ("eve", RING, 0.4, 0.0),
        ("eve", RING, 0.41, 0.08),
        ("eve", DEBT, 0.0, 0.08),
    ):
        world = scene(literal=True)
        if who != "cas":
            world.agents[who].bonds["cas"].affection = liking
        hand = Hand(world)
        learn(hand, who, world.scenario.secrets[secret])
        assert asked(hand, who, "stress") == near(expected)


@pytest.mark.req("DE-17")
def test_the_truth_turns_those_it_harms_against_its_holders() -> None:
    """Harm h and weight w: trust -.7wh, grievance +.8wh, anger +.4wh, resolve .2wh, betrayal .15 above a trust of .5."""
    for trust, betrayal in ((0.5, 0.0), (0.51, 0.15)):
        world = scene()
        ann = world.agents["ann"]
        for holder in ("ben", "cas"):
            ann.bonds[holder].trust = trust
        hand = Hand(world)
        learn(hand, "ann", world.scenario.secrets[DEBT])
        wh = 0.6 * 0.5
        for holder in ("ben", "cas"):
            assert ann.bonds[holder].trust == near(trust - 0.7 * wh)
            assert ann.grievance[holder] == near(0.8 * wh)
            assert ann.grounds[holder] == 2
        assert ann.emotions["anger"] == near(2 * 0.4 * wh)
        assert asked(hand, "ann", "commitment") == near(2 * 0.2 * wh)
        assert asked(hand, "ann", "stress") == near(0.08 + 2 * betrayal)


@pytest.mark.req("DE-17")
def test_the_unharmed_judge_by_affection() -> None:
    """Where there is no harm a holder loses .15w of trust, less with those who like them, and there is no grievance."""
    for affection, lost in ((-0.5, 0.06), (0.5, 0.03)):
        world = scene()
        eve = world.agents["eve"]
        eve.bonds["ben"].affection = affection
        hand = Hand(world)
        learn(hand, "eve", world.scenario.secrets[RING])
        assert eve.bonds["ben"].trust == near(0.2 - lost)
        assert eve.grievance == {}
        assert asked(hand, "eve", "commitment") == 0.0


@pytest.mark.req("DE-17")
def test_by_the_letter_the_truth_only_stresses() -> None:
    """Without consequences nobody's bonds, grievances or feelings change, but who was kept from it has a ground."""
    world = scene(literal=True)
    hand = telling(world, WILL, "dov", "ben")
    assert {delta.kind for delta in hand.deltas} == {"belief", "grounds", "knows"}
    assert [strain[:3] for strain in hand.strains] == [("ben", "stress", 0.08)]


@pytest.mark.req("DE-17")
def test_a_holder_lives_through_exposure() -> None:
    """Present when it comes out: stress .12w, fear .2w, shame .25w; if another told what is about them, a grievance."""
    world = scene()
    ann = world.agents["ann"]
    hand = telling(world, WILL, "dov", "ann", "ben", "eve")
    assert asked(hand, "ann", "stress") == near(0.12)
    assert (ann.emotions["fear"], ann.emotions["shame"]) == (near(0.2), near(0.25))
    assert ann.wronged == {"ben"}
    assert ann.grievance == {"dov": near(0.4)}
    assert ann.bonds["dov"].trust == near(0.2 - 0.3)
    assert ann.grounds["dov"] == 2
    own = scene()
    telling(own, WILL, "ann", "ben")
    assert own.agents["ann"].grievance == {}
    assert own.agents["ann"].emotions["shame"] == near(0.25)
    away = scene()
    telling(away, WILL, "dov", "ben")
    assert away.agents["ann"] == scene().agents["ann"]


@pytest.mark.req("DE-17")
def test_a_hint_makes_those_suspect_who_do_not_know() -> None:
    """From unknown or false to a suspicion; a suspicion and knowledge stay, and only a change is news."""
    for belief, after in ((UNKNOWN, SUSPECTS), (FALSE, SUSPECTS), (SUSPECTS, SUSPECTS), (TRUE, TRUE)):
        world = scene()
        world.agents["eve"].beliefs[RING] = belief
        assert hint(Hand(world), "eve", world.scenario.secrets[RING]) is (belief != after)
        assert world.agents["eve"].beliefs[RING] == after


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(
    ("trust", "composure", "belief", "chance"),
    [
        (0.2, 1.0, UNKNOWN, 0.7),
        (-0.4, 0.5, UNKNOWN, 0.25),
        (0.2, 1.0, SUSPECTS, 0.45),
        (0.9, 1.0, TRUE, 0.0),
        (1.0, 1.0, UNKNOWN, 1.0),
    ],
)
def test_a_lie_is_believed_as_often_as_its_credibility(
    trust: float, composure: float, belief: Belief, chance: float
) -> None:
    """.60 + .5 trust - .3 (1 - composure), .25 less where it is suspected, and never against certain knowledge."""
    for drawn, believed in around(chance):
        world = scene()
        world.agents["cas"].bonds["ann"].trust = trust
        world.agents["cas"].beliefs[WILL] = belief
        world.agents["ann"].pacing.composure = composure
        assert lying(world, "ann", "cas", WILL, drawn)[0] is believed


@pytest.mark.req("DE-17")
@pytest.mark.parametrize("belief", [UNKNOWN, SUSPECTS, FALSE])
def test_a_lie_that_is_believed(belief: Belief) -> None:
    """The target holds the secret false and remembers from whom; the liar wins a third of .05, the question is answered."""
    world = scene()
    ann, cas = world.agents["ann"], world.agents["cas"]
    cas.beliefs[WILL] = belief
    ann.questions["cas", WILL] = 0
    assert lying(world, "ann", "cas", WILL, BELIEVED)[0]
    assert cas.beliefs[WILL] == FALSE
    assert cas.planted == {WILL: "ann"}
    assert cas.bonds["ann"].trust == near(0.2 + 0.05 / 3)
    assert ann.questions == {}
    assert ann.lied == set()
    assert cas.grievance == {}


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("belief", "after"), [(UNKNOWN, SUSPECTS), (SUSPECTS, SUSPECTS), (FALSE, FALSE), (TRUE, TRUE)])
def test_a_lie_that_is_seen_through(belief: Belief, after: Belief) -> None:
    """Trust -.2, grievance +.2, suspicion +.2, a ground; the ignorant suspect now, and it is not tried on them again."""
    world = scene()
    ann, cas = world.agents["ann"], world.agents["cas"]
    cas.beliefs[WILL] = belief
    ann.questions["cas", WILL] = 0
    assert not lying(world, "ann", "cas", WILL, SEEN_THROUGH)[0]
    assert cas.beliefs[WILL] == after
    assert cas.planted == {}
    assert cas.bonds["ann"].trust == near(0.0)
    assert cas.grievance == {"ann": near(0.2)}
    assert cas.emotions["suspicion"] == near(0.2)
    assert cas.grounds["ann"] == 2
    assert ann.lied == {("cas", WILL)}
    assert ann.questions == {}


@pytest.mark.req("DE-17")
@pytest.mark.parametrize(("trust", "stress"), [(0.5, 0.18), (0.51, 0.33)])
def test_a_lie_is_found_out_with_the_truth(trust: float, stress: float) -> None:
    """Stress .10, and .15 more if the liar was trusted above .5; trust -.3, grievance +.3, a ground, and it is over."""
    world = scene()
    eve = world.agents["eve"]
    eve.beliefs[WILL], eve.planted[WILL] = FALSE, "cas"
    eve.bonds["cas"].trust = trust
    hand = Hand(world)
    learn(hand, "eve", world.scenario.secrets[WILL])
    assert asked(hand, "eve", "stress") == near(stress)
    assert eve.bonds["cas"].trust == near(trust - 0.3)
    assert eve.grievance == {"cas": near(0.3)}
    assert eve.grounds["cas"] == 2
    assert eve.planted == {}
    assert hand.details["lies_found"] == [["eve", "cas", WILL]]


@pytest.mark.req("DE-17")
def test_being_lied_to_stresses_nobody_yet() -> None:
    """The stress of a lie comes when it is found out, not when it is told."""
    for drawn in (BELIEVED, SEEN_THROUGH):
        world = scene()
        _, hand = lying(world, "ann", "cas", WILL, drawn)
        assert asked(hand, "cas", "stress") == 0.0


@pytest.mark.req("DE-17")
def test_watching_betrays_by_weight_composure_and_curiosity() -> None:
    """.12 w (.4 + 1.2 (1 - composure)) (.4 + truth_seeking): so often an unknown secret of theirs is suspected."""
    for drawn, found in around(0.12 * (0.4 + 1.2 * 0.95) * 0.9):
        world = scene()
        world.agents["ann"].pacing.composure = 0.05
        hand = Hand(world)
        with drawing(drawn):
            assert bool(watch(hand, "ben", "ann")) is found
        if found:
            assert world.agents["ben"].beliefs[WILL] == SUSPECTS
            assert world.agents["ben"].grounds["ann"] == 2
            assert world.agents["ben"].emotions["suspicion"] == near(0.2)
        else:
            assert hand.deltas == []


@pytest.mark.req("DE-17")
@pytest.mark.parametrize("belief", [SUSPECTS, TRUE, FALSE])
def test_watching_shows_only_what_is_unknown(belief: Belief) -> None:
    """What is suspected, known or held false is not found by watching."""
    world = scene()
    world.agents["ann"].pacing.composure = 0.05
    world.agents["ben"].beliefs[WILL] = belief
    with drawing(0.0):
        assert watch(Hand(world), "ben", "ann") == []


def test_only_those_in_the_company_learn() -> None:
    """Telling reaches the listeners that are named, wherever others are."""
    world = scene()
    world.agents["eve"].location = NOOK
    telling(world, RING, "ben", "ann")
    assert {who for who, me in world.agents.items() if me.beliefs[RING] == TRUE} == {"ann", "ben"}
    assert world.agents["eve"].location != HALL
