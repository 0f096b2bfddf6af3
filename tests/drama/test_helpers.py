"""The helpers that the specification names and leaves undefined: each is documented, implemented, and tested."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from tests.drama.evening.laws import Hand, learn, mind_of, perform, resolved, watch
from tests.drama.mind.perceived import perceive
from tests.drama.readings import action_of
from volition.drama import begin, scenario
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.audience.telling import sentences_of
from volition.drama.evening.changes import in_room
from volition.drama.evening.tables import CONSISTENT, CONTRADICTING
from volition.drama.mind.mind import Mind
from volition.drama.rules.beliefs import evidence_chance, is_disturbing
from volition.drama.rules.catalog import Belief, EventType, Trigger
from volition.drama.rules.flaws import active_triggers
from volition.drama.rules.physics import is_major
from volition.drama.rules.tables import tables_of
from volition.drama.stage.events import Event
from volition.drama.world.model import DEPARTED, Happening

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import Action

pytestmark = pytest.mark.req("DE-22")

PAGE = Path(__file__).parents[2] / "docs" / "evenings.md"
HEADING = "## Helpers that the specification leaves undefined"

PARTY = scenario("dinner-party")
TABLES = tables_of(PARTY.rules)
AFFAIR, EMBEZZLE, DEBT = "secret_affair_01", "secret_embezzle_01", "secret_diana_debt"
LYDIA_KNOWS, INVESTIGATION = "secret_lydia_knows", "secret_victor_investigation"
TABLE, BALCONY, KITCHEN, FOYER, BATHROOM = "dining_table", "balcony", "kitchen", "foyer", "bathroom"
CHAT, OBSERVE, MOVE, REVEAL, CONFLICT, INTERNAL, PHYSICAL, CONFIDE, LIE, CATASTROPHE, _ = EventType

HELPERS = {
    "perceived_as_status_threat", "secret_at_risk", "challenged_by", "is_obsession_target", "should_consider_lying",
    "is_consistent_with_commitments", "contradicts_commitments", "has_pending_dramatic_action",
    "get_agents_who_recently_moved", "generate_physical_options", "generate_chat_content", "get_destination",
    "count_agents_at", "recent_conflict_at_location", "is_major_reveal", "is_disturbing_to", "is_lie_discovery_event",
    "is_betrayal_event", "contains_opinion_or_position", "is_taking_sides", "determine_observable_info",
    "is_incompatible_pair", "location_near_capacity",
}  # fmt: skip


def rows() -> dict[str, list[str]]:
    """The documented helpers, each with the places in the code that its row names."""
    section = PAGE.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    cells = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return {
        helper: re.findall(r"`([\w.]+:[\w.]+)`", row[-1]) for row in cells for helper in re.findall(r"`(\w+)`", row[0])
    }


def at_table(tick: int = 10, minutes: float = 60.0) -> WorldState:
    """The evening as it begins, all at the table, at some later time."""
    world = begin(PARTY)
    world.tick, world.minutes = tick, minutes
    return world


def seen(world: WorldState, who: str) -> PerceivedState:
    return perceive(world, who)


def act(world: WorldState, who: str, kind: EventType, *targets: str, score: float = 0.5, **fields: Any) -> Action:
    action = action_of(world.agents[who], kind, *targets, **fields)
    return action._replace(utility_score=score, priority_class=2 if action.is_dramatic else 1)


def offered(world: WorldState, who: str) -> list[Action]:
    return list(mind_of(PARTY).decide(world, who).tally.candidates)


def stance_of(who: str, kind: EventType, secret: str | None) -> int:
    """How an act stands to somebody's commitments, as the house has it."""
    tables, names = mind_of(PARTY).tables, mind_of(PARTY).names
    if secret is None:
        return tables.stance[names.person[who]][kind]
    return tables.telling_stance[names.person[who]][(REVEAL, CONFIDE, LIE).index(kind)][names.secret[secret]]


def says(world: WorldState, who: str, *listeners: str) -> set[str]:
    """What a word of somebody is beside a word: "stance" where it states a position, "sides" where it takes a side."""
    hand = Hand(deepcopy(world))
    perform(hand, act(world, who, CHAT, *listeners))
    return {"stance", "sides"} & hand.details.keys()


def strain(hand: Hand, who: str, number: str, reason: str) -> list[float]:
    return [one.amount for one in hand.strains if (one.agent, one.number, one.reason) == (who, number, reason)]


def test_every_helper_is_documented_and_tested_here() -> None:
    """The page has a row for every helper and for nothing else, and each has a test of its name in this file."""
    assert set(rows()) == HELPERS
    assert {f"test_{helper}" for helper in HELPERS} <= set(globals())


@pytest.mark.parametrize("helper", sorted(HELPERS))
def test_the_code_that_a_row_names_is_there(helper: str) -> None:
    """Every place that a helper's row names can be imported."""
    places = rows()[helper]
    assert places
    for place in places:
        module, _, name = place.partition(":")
        reduce(getattr, name.split("."), import_module(f"volition.drama.{module}"))


def test_perceived_as_status_threat() -> None:
    """A threat is what recently lowered me in others' eyes here: a quarrel or an outburst of mine, a lie of mine that was
    not believed, a truth about me, mine, or at my cost; shame, anger and company are none.

    So is the presence of somebody who recently challenged me and wants status at least as much as I do.
    """
    everybody = tuple(PARTY.people)
    for kind, targets, secret, threat in (
        (CONFLICT, ("marcus",), None, True),
        (CONFLICT, ("elena",), None, False),
        (CHAT, ("marcus",), None, False),
        (REVEAL, ("thorne",), EMBEZZLE, True),
        (CATASTROPHE, (), EMBEZZLE, True),
        (CONFLICT, ("elena",), EMBEZZLE, True),
        (CONFIDE, ("thorne",), EMBEZZLE, False),
        (REVEAL, ("thorne",), AFFAIR, True),
        (REVEAL, ("thorne",), LYDIA_KNOWS, True),
    ):
        world = at_table()
        world.agents["marcus"].emotions.update(anger=1.0, shame=1.0)
        assert not seen(world, "marcus").status_threat
        world.recent = [Happening(9, kind, "victor", targets, TABLE, secret, seen_by=everybody)]
        assert seen(world, "marcus").status_threat == threat
        world.tick = 9 + TABLES.memory.challenge
        assert seen(world, "marcus").status_threat == threat
        world.tick += 1
        assert not seen(world, "marcus").status_threat
    world.tick, world.recent = 10, [Happening(9, REVEAL, "victor", ("thorne",), TABLE, EMBEZZLE, seen_by=("thorne",))]
    assert not seen(world, "marcus").status_threat, "it was not seen"


def test_a_challenge_by_somebody_of_standing_is_a_threat() -> None:
    """Somebody who recently confronted or questioned me threatens me while they are here, if they want status as much as I do."""
    for rival, of_standing in (("thorne", True), ("victor", False)):
        for entries in ("questions", "confronted_by"):
            world = at_table()
            getattr(world.agents["marcus"], entries)[(rival, EMBEZZLE) if entries == "questions" else rival] = (
                world.tick
            )
            assert seen(world, "marcus").status_threat == of_standing
            world.agents[rival].location = BALCONY
            assert not seen(world, "marcus").status_threat
            world.agents[rival].location = TABLE
            world.tick += TABLES.memory.challenge + 1
            assert not seen(world, "marcus").status_threat


def test_secret_at_risk() -> None:
    """A secret is at risk where somebody asked, knows it and is not trusted, or would be harmed; holders are no risk."""
    world = at_table()
    elena = world.agents["elena"]
    assert seen(world, "elena").secret_at_risk
    world.agents["thorne"].location = BALCONY
    assert not seen(world, "elena").secret_at_risk
    for asked in (("lydia", EMBEZZLE), ("marcus", AFFAIR)):
        elena.questions[asked] = world.tick
        assert not seen(world, "elena").secret_at_risk
    elena.questions["lydia", AFFAIR] = world.tick
    assert seen(world, "elena").secret_at_risk
    world.tick += TABLES.memory.question + 1
    assert not seen(world, "elena").secret_at_risk
    assert ("diana", AFFAIR) in elena.knows
    elena.bonds["marcus"].trust = -1.0
    elena.bonds["diana"].trust = TABLES.movement.pending_trust + 0.01
    assert not seen(world, "elena").secret_at_risk
    elena.bonds["diana"].trust = TABLES.movement.pending_trust
    assert seen(world, "elena").secret_at_risk
    world.agents["diana"].location = BALCONY
    assert not seen(world, "elena").secret_at_risk


@pytest.mark.parametrize("kind", [CONFLICT, CHAT], ids=["confronted", "asked"])
def test_challenged_by(kind: EventType) -> None:
    """Somebody who was confronted or asked is challenged for a few ticks; company alone challenges nobody."""
    for seed in range(50):
        world = at_table()
        assert not seen(world, "marcus").challenged
        hand = Hand(world, seed)
        perform(hand, act(world, "victor", kind, "marcus"))
        if kind == CONFLICT or "question" in hand.details:
            break
    for passed in range(TABLES.memory.challenge + 2):
        assert seen(world, "marcus").challenged == (passed <= TABLES.memory.challenge)
        assert not seen(world, "diana").challenged
        world.tick += 1


def test_is_obsession_target() -> None:
    """A fixation is on the person whom the flaw names, and on nobody else, watched or spoken to."""
    world = at_table()
    for target in ("marcus", "lydia"):
        fixed = replace(PARTY.people["victor"].flaws[0], target=target)
        people = {**PARTY.people, "victor": replace(PARTY.people["victor"], flaws=(fixed,))}
        me = world.agents["victor"]
        me.grievance = dict.fromkeys(me.bonds, 1.0)
        sheet = Mind(replace(PARTY, people=people)).appraise(me, seen(world, "victor"), None)
        ids = [
            act.id
            for act in sheet.actions
            if act.action_type in (CHAT, CONFLICT, OBSERVE) and act.id.endswith((":marcus", ":lydia"))
        ]
        assert {id.rpartition(":")[2] for id in ids} == {"marcus", "lydia"}
        for id, bias in zip(ids, sheet.column("flaws", ids), strict=True):
            assert (bias > 0.0) == id.endswith(f":{target}")


def test_should_consider_lying() -> None:
    """Only the secretive lie, to somebody who recently asked, is thought not to know, and did not see through it before."""
    world = at_table()
    asked = ("victor", EMBEZZLE)
    marcus = world.agents["marcus"]
    assert seen(world, "marcus").curious == set()
    marcus.questions[asked] = world.tick
    assert seen(world, "marcus").curious == {asked}
    for entries in (marcus.knows, marcus.lied):
        entries.add(asked)
        assert seen(world, "marcus").curious == set()
        entries.remove(asked)
    world.agents["lydia"].questions["victor", LYDIA_KNOWS] = world.tick
    assert seen(world, "lydia").curious == set()
    world.tick += TABLES.departures.lie_ticks + 1
    assert seen(world, "marcus").curious == set()


@pytest.mark.parametrize(
    ("who", "kind", "secret", "serves"),
    [
        ("marcus", LIE, EMBEZZLE, True),
        ("marcus", LIE, DEBT, False),
        ("victor", REVEAL, EMBEZZLE, True),
        ("victor", CONFIDE, EMBEZZLE, True),
        ("victor", REVEAL, INVESTIGATION, False),
        ("thorne", LIE, AFFAIR, False),
        ("marcus", CHAT, None, False),
    ],
)
def test_is_consistent_with_commitments(who: str, kind: EventType, secret: str | None, serves: bool) -> None:
    """Consistent is a lie about what one conceals, and telling what one exposes; all else serves no commitment."""
    assert bool(stance_of(who, kind, secret) & CONSISTENT) == serves


@pytest.mark.parametrize(
    ("who", "kind", "secret", "breaks"),
    [
        ("diana", REVEAL, AFFAIR, True),
        ("diana", CONFIDE, DEBT, True),
        ("diana", LIE, DEBT, False),
        ("victor", REVEAL, INVESTIGATION, True),
        ("victor", REVEAL, EMBEZZLE, False),
        ("thorne", REVEAL, AFFAIR, False),
    ],
)
def test_contradicts_commitments(who: str, kind: EventType, secret: str, breaks: bool) -> None:
    """Revealing or confiding a secret contradicts a commitment to conceal it; without the commitment it does not."""
    assert bool(stance_of(who, kind, secret) & CONTRADICTING) == breaks


def test_has_pending_dramatic_action() -> None:
    """Something is pending with somebody trusted, here or elsewhere, who may be told and is thought not to know.

    It is so for a keeper of secrets where one is at risk as well; and it is not early on, nor where the gates are closed.
    """
    world = at_table(minutes=TABLES.departures.pending_share * PARTY.evening.minutes)
    lydia, elena = world.agents["lydia"], world.agents["elena"]
    assert seen(world, "lydia").pending
    world.minutes -= 1.0
    assert not seen(world, "lydia").pending
    world.minutes += 1.0
    lydia.knows = {(other, LYDIA_KNOWS) for other in PARTY.people if other != "thorne"}
    assert seen(world, "lydia").pending
    world.agents["thorne"].location = BALCONY
    for room, confidant in (("kitchen", True), (DEPARTED, False)):
        lydia.sightings = {"thorne": (room, 9)}
        assert seen(world, "lydia").pending == confidant
    lydia.sightings = {}
    assert not seen(world, "lydia").pending
    assert not seen(world, "elena").pending, "nobody asks, and nobody who knows is distrusted"
    elena.questions["victor", AFFAIR] = world.tick
    assert seen(world, "elena").pending
    elena.pacing.recovery_timer = 1
    assert not seen(world, "elena").pending
    elena.pacing.recovery_timer, elena.pacing.dramatic_budget = 0, TABLES.pacing.budget_minimum - 0.01
    assert not seen(world, "elena").pending


def test_get_agents_who_recently_moved() -> None:
    """Movers are those whom one saw leave this room for that one within two ticks; who came in later did not see it."""
    world = at_table()
    world.agents["elena"].location = BALCONY
    world.agents["diana"].location = KITCHEN
    world.recent = [
        Happening(9, MOVE, "elena", (), TABLE, destination=BALCONY, seen_by=("elena", "marcus")),
        Happening(9, MOVE, "lydia", (), FOYER, destination=TABLE, seen_by=("lydia",)),
    ]
    assert seen(world, "marcus").movers[BALCONY] == ("elena",)
    assert seen(world, "victor").movers[BALCONY] == ()
    assert seen(world, "diana").movers[TABLE] == ()
    world.tick = 9 + TABLES.memory.move + 1
    assert seen(world, "marcus").movers[BALCONY] == ()


def test_generate_physical_options() -> None:
    """One may drink where there is a glass; do one's task where it is done; use a room for a need; leave; and, angry, slam a door.

    Nothing of it is dramatic but the last.
    """
    world = at_table()

    def manners(who: str) -> list[str | None]:
        acts = [action for action in offered(world, who) if action.action_type == PHYSICAL]
        assert all(action.is_dramatic == (action.manner == "slam") for action in acts)
        return [action.manner for action in acts]

    elena, marcus = world.agents["elena"], world.agents["marcus"]
    assert manners("elena") == ["drink"]
    elena.alcohol, elena.task = TABLES.candidates.drink_below, "pour"
    assert manners("elena") == ["pour"]
    elena.task = "fetch"
    assert manners("elena") == []
    elena.location = KITCHEN
    assert manners("elena") == ["fetch"]
    marcus.location, marcus.needs["relief"] = BATHROOM, 1.0
    assert manners("marcus") == ["relief"]
    marcus.alcohol = 0.1
    assert manners("marcus") == ["drink", "relief"]
    marcus.location, marcus.thrown_out = FOYER, True
    assert manners("marcus") == ["drink", "leave"]
    marcus.emotions["anger"] = TABLES.departures.slam
    assert manners("marcus") == ["drink", "leave"]
    marcus.emotions["anger"] += 0.01
    assert manners("marcus") == ["drink", "slam", "leave"]


def test_generate_chat_content() -> None:
    """What is said comes from templates, by the event: small talk, or a question about the secret that was asked about."""
    world = at_table()
    plain = Event("e0001", 10, 60.0, 0, CHAT, "victor", ("marcus",), TABLE, (), (), ())
    asking = structs.replace(plain, details={"question": EMBEZZLE})
    assert [part.secret for part in sentences_of(world, plain, lambda _: 0.5)] == [None]
    (part,) = sentences_of(world, asking, lambda _: 0.5)
    assert (part.pool, part.whom, part.secret) == ("chat.question", "marcus", EMBEZZLE)
    told = [TemplateNarrator(seed).tell(world, asking) for seed in (7, 7)]
    assert told[0] == told[1] != []


def test_get_destination() -> None:
    """A move says where it leads in a field, to every adjacent room, and no other act leads anywhere."""
    world = at_table()
    moves = {action.destination: action for action in offered(world, "victor") if action.action_type == MOVE}
    assert set(moves) == set(PARTY.rooms[TABLE].adjacent)
    others = [action for action in offered(world, "victor") if action.action_type != MOVE]
    assert {action.destination for action in others} == {None}


def test_count_agents_at() -> None:
    """Those in a room are counted by where they are, and who has left is nowhere."""
    world = at_table()
    world.agents["thorne"].location = DEPARTED
    world.agents["lydia"].location = BALCONY
    evening, tables, names = Hand(world).state(), mind_of(PARTY).tables, mind_of(PARTY).names
    assert len(names.members(in_room(evening, tables, names.place[TABLE]))) == 4
    assert names.members(in_room(evening, tables, names.place[BALCONY])) == ("lydia",)
    assert seen(world, "victor").occupants[TABLE] == ("diana", "elena", "marcus")


def test_recent_conflict_at_location() -> None:
    """There was a scene here if one saw one in this room within three ticks; one's own stress is none."""
    world = at_table()
    world.agents["diana"].location = BALCONY
    there = ("victor", "marcus", "lydia", "diana")
    world.recent = [Happening(9, CONFLICT, "victor", ("marcus",), TABLE, seen_by=there)]
    for tick in range(10, 10 + TABLES.memory.conflict + 1):
        world.tick = tick
        assert seen(world, "lydia").recent_conflict_at_location == (tick - 9 <= TABLES.memory.conflict)
        assert not seen(world, "diana").recent_conflict_at_location
        assert not seen(world, "thorne").recent_conflict_at_location
    state = (0.0, 0.0, 1.0, 0.0, False, False, False)
    for scene in (False, True):
        assert active_triggers(*state, scene, TABLES.flaws) >> Trigger.CONFLICT_NEARBY & 1 == scene


def test_is_major_reveal() -> None:
    """A revelation is major from a weight of .8 on; a confidence never is."""
    assert TABLES.physics.major_weight == 0.8
    assert [is_major(REVEAL, weight, TABLES.physics) for weight in (0.79, 0.8)] == [False, True]
    assert not is_major(CONFIDE, 1.0, TABLES.physics)


def test_is_disturbing_to() -> None:
    """A secret disturbs by weight, by being about oneself, or about somebody one likes."""
    table = TABLES.consequences
    assert not is_disturbing(False, 0.49, 0.4, table)
    assert is_disturbing(True, 0.0, 0.0, table)
    assert is_disturbing(False, 0.5, 0.0, table)
    assert is_disturbing(False, 0.0, 0.41, table)


@pytest.mark.parametrize(("trust", "betrayed"), [(0.5, False), (0.51, True)])
def test_is_lie_discovery_event(trust: float, betrayed: bool) -> None:
    """To learn the truth where a lie was believed finds the liar out; from somebody trusted it is a betrayal too."""
    world = at_table()
    me = world.agents["thorne"]
    me.beliefs[AFFAIR], me.planted[AFFAIR], me.bonds["diana"].trust = Belief.BELIEVES_FALSE, "diana", trust
    hand = Hand(world)
    learn(hand, "thorne", PARTY.secrets[AFFAIR])
    physics = TABLES.physics
    expected = physics.stress_lied_to + (physics.stress_betrayal if betrayed else 0.0)
    assert strain(hand, "thorne", "stress", "lie found out") == [expected]
    assert hand.details["lies_found"] == [["thorne", "diana", AFFAIR]]
    assert me.planted == {}


@pytest.mark.parametrize(("trust", "betrayals"), [(0.5, 0), (0.51, 1)])
def test_is_betrayal_event(trust: float, betrayals: int) -> None:
    """To be harmed by what somebody trusted above .5 has kept is a betrayal; where nothing harms there is none."""
    world = at_table()
    world.agents["thorne"].bonds["marcus"].trust = trust
    hand = Hand(world)
    learn(hand, "thorne", PARTY.secrets[EMBEZZLE])
    assert strain(hand, "thorne", "stress", "betrayed") == [TABLES.physics.stress_betrayal] * betrayals
    world.agents["diana"].bonds["marcus"].trust = trust
    learn(hand, "diana", PARTY.secrets[EMBEZZLE])
    assert strain(hand, "diana", "stress", "betrayed") == []


def test_contains_opinion_or_position() -> None:
    """A word is a position in public, when asked, or to the face of somebody whom what one keeps would harm."""
    world = at_table()
    marcus = world.agents["marcus"]
    assert "stance" in says(world, "marcus", "thorne")
    assert "stance" not in says(world, "marcus", "diana")
    assert "stance" not in says(world, "marcus", "thorne", "diana")
    marcus.questions["victor", EMBEZZLE] = world.tick
    assert "stance" in says(world, "marcus", "diana")
    marcus.location = BALCONY
    assert "stance" not in says(world, "marcus", "thorne")


def test_is_taking_sides() -> None:
    """A public chat with one party of a recent quarrel takes a side, if the speaker saw it and was no party of it."""
    world = at_table()
    world.recent = [Happening(9, CONFLICT, "victor", ("marcus",), TABLE, seen_by=("victor", "marcus", "lydia"))]
    sides = {who: "sides" in says(world, who, "marcus") for who in ("lydia", "victor", "elena")}
    assert sides == {"lydia": True, "victor": False, "elena": False}
    assert "sides" not in says(world, "lydia", "diana")
    world.tick = 9 + TABLES.memory.conflict + 1
    assert "sides" not in says(world, "lydia", "marcus")


def test_determine_observable_info() -> None:
    """Watching may betray a secret that the watched one holds and the watcher knows nothing of: by chance, never more."""
    found: set[str] = set()
    for seed in range(200):
        world = at_table()
        world.agents["lydia"].beliefs[AFFAIR] = Belief.BELIEVES_FALSE
        betrayed = watch(Hand(world, seed), "lydia", "marcus")
        assert all(world.agents["lydia"].beliefs[secret] == Belief.SUSPECTS for secret in betrayed)
        found |= set(betrayed)
    assert found == {DEBT}, "of the two others she has an opinion"
    masked, unmasked = (evidence_chance(0.5, composure, 0.5, TABLES.information) for composure in (1.0, 0.2))
    assert 0.0 < masked < unmasked


def test_is_incompatible_pair() -> None:
    """A confrontation and a confidence that need the same person do not both happen; the stronger one does."""
    for strong, weak in (("victor", "elena"), ("elena", "victor")):
        world = at_table()
        score = {strong: 0.9, weak: 0.1}
        proposals = [
            act(world, "victor", CONFLICT, "marcus", score=score["victor"]),
            act(world, "elena", CONFIDE, "marcus", secret=AFFAIR, score=score["elena"]),
        ]
        first, second = resolved(world, proposals, (), 1)
        assert (first.proposed.agent_id, first.because) == (strong, None)
        assert (second.proposed.agent_id, second.became, second.because) == (weak, "internal", "engaged")


def test_location_near_capacity() -> None:
    """Where more people move than there are places, the last stay; a room that looks full is not offered at all."""
    world = at_table()
    world.agents["diana"].location = BATHROOM
    proposals = [
        act(world, who, MOVE, destination=BATHROOM, score=score) for who, score in (("elena", 0.1), ("lydia", 0.9))
    ]
    settled = {one.proposed.agent_id: one.because for one in resolved(world, proposals, (), 1)}
    assert settled == {"lydia": None, "elena": "full"}
    world.agents["lydia"].location = BATHROOM
    world.agents["thorne"].sightings = dict.fromkeys(("diana", "lydia"), (BATHROOM, 9))
    assert f"move:{BATHROOM}" not in [action.id for action in offered(world, "thorne")]
