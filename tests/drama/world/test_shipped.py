"""The shipped scenarios have the right content, are in the package, and are not named in its code."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import volition.drama
from volition.core.document import parse_toml
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import EMOTIONS, GOALS, Belief
from volition.drama.world.model import Condition, EveningSetup, Scenario
from volition.drama.world.rulebook import default_rules
from volition.drama.world.scenario import literal, scenario, scenario_names

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.req("DE-18")

CODE = Path(volition.drama.__file__).parent
PEOPLE = ("thorne", "elena", "marcus", "lydia", "diana", "victor")
SECRETS = (
    "secret_affair_01",
    "secret_embezzle_01",
    "secret_diana_debt",
    "secret_lydia_knows",
    "secret_victor_investigation",
)


def table(text: str) -> dict[str, list[str]]:
    """The rows of a table drawn with blanks, each under its first word."""
    rows = [line.split() for line in text.strip().splitlines()]
    return {row[0]: row[1:] for row in rows}


GOLDEN_GOALS = table("""
    thorne .4 .9 .3 .6 .7 .8
    elena  .7 .4 .9 .3 .8 .3
    marcus .8 .7 1  .1 .6 .2
    lydia  .8 .3 .4 .8 .5 .9
    diana  .6 .5 .7 .4 .6 .7
    victor .3 .6 .6 1  .8 .4
""")
GOLDEN_CLOSENESS = table("""
    thorne -   .7  .6 .3 .4  .5
    elena  .1  -   .8 .2 .6  .2
    marcus .3  .6  -  .1 .2 -.3
    lydia  .5  .1 -.2 -  .3  .4
    diana  .3  .7 -.1 .3 -   .2
    victor .5  .1 -.2 .3 .1  -
""")
GOLDEN_BONDS = table("""
    thorne -        .8/.6/.3 .7/.4/.2   .3/.2/0 .5/.3/.1 .6/.3/.1
    elena  .3/.1/.6 -        .7/.8/.2   .2/.1/0 .7/.5/.1 .3/.1/0
    marcus .2/.1/.5 .5/.5/.3 -          .1/0/0  .2/.1/0  -.3/-.2/0
    lydia  .7/.4/.6 .2/.1/0  -.2/-.1/0  -       .4/.3/0  .5/.2/0
    diana  .4/.3/.1 .7/.6/.2 .1/-.1/.7  .3/.2/0 -        .3/.2/0
    victor .5/.4/.1 .3/.1/0  -.1/0/0    .3/.1/0 .2/.1/0  -
""")
GOLDEN_START = table("""
    thorne 1.03 .10 .90 .0 0  0  .3 0  .4 .1
    elena  1.1 .30 .70 .4 0  .2 .2 .3 .3 0
    marcus 0.86 .40 .80 .6 0  .3 .1 .1 .2 .2
    lydia  1.85 .20 .80 .3 .1 .2 .1 0  .2 .5
    diana  1.9 .15 .85 .3 0  .1 .2 .2 .3 .1
    victor 0.9 .10 .90 .2 0  0  .3 0  .1 .3
""")
GOLDEN_FLAWS = table("""
    thorne pride/.8/status_threat/overweight_status
    elena  guilt/.7/intimacy_offered/self_sacrifice cowardice/.5/conflict_nearby/avoid_confrontation
    marcus ambition/.8/loss_imminent/overcommit denial/.6/betrayal_detected/deny_evidence
    lydia  cowardice/.7/conflict_nearby/avoid_confrontation loyalty/.6/betrayal_detected/self_sacrifice
    diana  guilt/.6/intimacy_offered/self_sacrifice jealousy/.4/rejection/escalate_conflict
    victor obsession/.8/secret_exposure/fixate_on_target/marcus vanity/.4/authority_challenge/seek_validation
""")
GOLDEN_COMMITMENTS = {
    "thorne": [],
    "elena": [("conceal", SECRETS[0])],
    "marcus": [("conceal", SECRETS[0]), ("conceal", SECRETS[1])],
    "lydia": [],
    "diana": [("conceal", SECRETS[0]), ("conceal", SECRETS[2])],
    "victor": [("conceal", SECRETS[4]), ("expose", SECRETS[1])],
}
GOLDEN_BELIEFS = table("""
    thorne U U U U U
    elena  T U S U U
    marcus T T T U S
    lydia  S S U T U
    diana  T U T U U
    victor U S U U T
""")
GOLDEN_ROOMS = table("""
    dining_table .1 6 kitchen,balcony,foyer,bathroom
    kitchen      .5 3 dining_table dining_table:.30
    balcony      .7 3 dining_table
    foyer        .2 4 dining_table dining_table:.15
    bathroom     .9 2 dining_table
""")
GOLDEN_HARM = table("""
    secret_affair_01 thorne:1
    secret_embezzle_01 thorne:1 elena:.3 lydia:.3
    secret_diana_debt elena:.6 thorne:.2
    secret_lydia_knows marcus:.8 thorne:.4
    secret_victor_investigation marcus:1 thorne:.4
""")
GOLDEN_SECRETS = table("""
    secret_affair_01 elena,marcus elena affair 1.0
    secret_embezzle_01 marcus marcus financial .9
    secret_diana_debt diana,marcus diana financial .6
    secret_lydia_knows lydia lydia knowledge .5
    secret_victor_investigation victor victor investigation .7
""")
LETTERS = {"U": Belief.UNKNOWN, "S": Belief.SUSPECTS, "T": Belief.BELIEVES_TRUE}


@pytest.fixture(scope="module")
def party() -> Scenario:
    return scenario("dinner-party")


def numbers(words: list[str]) -> tuple[float, ...]:
    return tuple(map(float, words))


def pairs(words: list[str]) -> dict[str, float]:
    return {name: float(value) for name, _, value in (word.partition(":") for word in words)}


def toward(row: list[str]) -> dict[str, str]:
    return {other: cell for other, cell in zip(PEOPLE, row, strict=True) if cell != "-"}


@pytest.mark.parametrize("id", PEOPLE)
def test_people(party: Scenario, id: str) -> None:
    """Goals, closeness, bonds, pacing, emotions, flaws and commitments are those of the tables."""
    person = party.people[id]
    assert person.goals == numbers(GOLDEN_GOALS[id])
    assert person.closeness == {other: float(cell) for other, cell in toward(GOLDEN_CLOSENESS[id]).items()}
    assert person.bonds == {other: numbers(cell.split("/")) for other, cell in toward(GOLDEN_BONDS[id]).items()}
    start = (person.sensitivity, person.stress, person.composure, person.commitment)
    assert (*start, *person.emotions.values()) == numbers(GOLDEN_START[id])
    assert tuple(person.emotions) == EMOTIONS
    flaws = [
        "/".join(
            [flaw.kind, f"{flaw.strength:g}"[1:], flaw.trigger.name.lower(), flaw.effect.name.lower()]
            + ([flaw.target] if flaw.target else [])
        )
        for flaw in person.flaws
    ]
    assert flaws == GOLDEN_FLAWS[id]
    assert [(commitment.kind, commitment.secret) for commitment in person.commitments] == GOLDEN_COMMITMENTS[id]
    assert person.resident == (id in ("thorne", "elena"))
    assert person.room == "dining_table"


def test_rooms(party: Scenario) -> None:
    """Privacy, places, doors and what is overheard are those of the table."""
    assert set(party.rooms) == set(GOLDEN_ROOMS)
    for id, (privacy, capacity, doors, *heard) in GOLDEN_ROOMS.items():
        room = party.rooms[id]
        assert (room.privacy, room.capacity, room.adjacent) == (float(privacy), int(capacity), tuple(doors.split(",")))
        assert room.overhears == pairs(heard)


def test_secrets(party: Scenario) -> None:
    """Holders, subject, content, weight and harm are those of the tables."""
    assert set(party.secrets) == set(GOLDEN_SECRETS) == set(GOLDEN_HARM)
    for id, (holders, about, content, weight) in GOLDEN_SECRETS.items():
        secret = party.secrets[id]
        assert (secret.holders, secret.about) == (tuple(holders.split(",")), about)
        assert (secret.content, secret.weight) == (content, float(weight))
        assert secret.harm == pairs(GOLDEN_HARM[id])


def test_the_first_beliefs(party: Scenario) -> None:
    """An evening begins with the belief matrix of the table, where the lender knows of the debt."""
    agents = begin(party).agents
    for id, row in GOLDEN_BELIEFS.items():
        assert [agents[id].beliefs[secret] for secret in SECRETS] == [LETTERS[cell] for cell in row]


def test_who_is_thought_to_know(party: Scenario) -> None:
    """Those who share a secret know that the other knows it, and the confidante knows it of both."""
    affair, debt = SECRETS[0], SECRETS[2]
    assert party.known == {
        ("elena", "marcus", affair),
        ("marcus", "elena", affair),
        ("elena", "diana", affair),
        ("diana", "elena", affair),
        ("diana", "marcus", affair),
        ("diana", "marcus", debt),
        ("marcus", "diana", debt),
    }
    assert begin(party).agents["marcus"].knows == {("elena", affair), ("diana", debt)}


def test_the_evening(party: Scenario) -> None:
    """Courses, wine, needs, time and places are those of the calibrated evening; the clock brings the rest."""
    assert replace(party.evening, events=(), circumstances=()) == EveningSetup(
        gathering="dining_table",
        exit="foyer",
        kitchen="kitchen",
        minutes=150.0,
        ticks=300,
        time_scale=2.0,
        servers=("elena", "thorne", "lydia", "diana"),
        courses=(8.0, 40.0, 88.0),
        pours=(20.0, 54.0, 66.0, 76.0, 98.0, 108.0, 118.0, 128.0),
        needs={"relief": "bathroom", "air": "balcony", "telephone": "foyer"},
        need_rates={"relief": 0.0078, "air": 0.0126, "telephone": 0.0138},
        glass_need="relief",
    )


@pytest.mark.parametrize("name", scenario_names())
def test_they_are_in_the_package(name: str) -> None:
    """Every scenario is a resource of the installed package, under the name that it has itself."""
    file = files("volition.drama").joinpath("scenarios", name.replace("-", "_") + ".toml")
    assert parse_toml(file.read_bytes())["scenario"]["id"] == name == scenario(name).id


@pytest.mark.parametrize("name", scenario_names())
def test_they_can_be_played_either_way(name: str) -> None:
    """Every scenario decides from perception, and calibrates; its literal reading is the specification's. None changes what
    acts do for goals, what drink does, what draws people to rooms, how long things take or how they are served."""
    read = scenario(name)
    assert read.rules["departures"]["knowledge"] == "perceived"
    assert literal(read).rules == default_rules()
    changed = {key for key, value in default_rules()["departures"].items() if read.rules["departures"][key] != value}
    assert {"grounds", "leaving", "courses", "needs", "manners", "opening_restraint", "recency"} <= changed


def test_the_second_is_different() -> None:
    """The second scenario has other people, rooms and secrets, and its rooms do not form a star."""
    first, second = scenario("dinner-party"), scenario("winter-station")
    for part in ("people", "rooms", "secrets"):
        assert not set(getattr(first, part)) & set(getattr(second, part))
    assert 5 <= len(second.people) <= 7
    assert 4 <= len(second.rooms) <= 6
    assert 4 <= len(second.secrets) <= 6
    far = set(second.rooms) - {second.evening.gathering, *second.rooms[second.evening.gathering].adjacent}
    assert far
    assert sum(len(room.adjacent) for room in second.rooms.values()) > 2 * (len(second.rooms) - 1)
    assert {flaw.kind for person in second.people.values() for flaw in person.flaws} - {
        flaw.kind for person in first.people.values() for flaw in person.flaws
    }


@pytest.mark.req("DE-33")
@pytest.mark.parametrize("name", scenario_names())
def test_the_clock_has_consequences(name: str) -> None:
    """Every scenario has people who leave together, news that comes by itself, and six to ten circumstances; what is out
    decides who leaves."""
    evening = scenario(name).evening
    assert 6 <= len(evening.circumstances) <= 10
    assert any(event.news for event in evening.events)
    assert sum(bool(event.depart and (event.when.known or event.when.out)) for event in evening.events) >= 3
    for part in ("late", "words", "rooms", "suspects"):
        assert any(getattr(circumstance, part) for circumstance in evening.circumstances)


@pytest.mark.req("DE-33")
def test_deadlines() -> None:
    """Three premises have a deadline that ends the evening: a flight that nobody takes, a beach where somebody waits, and
    a page that is not closed in time."""
    ends = {
        name: {event.ends: (event.unless, event.when) for event in scenario(name).evening.events if event.ends}
        for name in scenario_names()
    }
    assert {name: set(found) for name, found in ends.items()} == {
        "dinner-party": set(),
        "newsroom": {"missed"},
        "night-tide": {"caught"},
        "winter-station": {"grounded"},
    }
    assert all(unless or when.carries for found in ends.values() for unless, when in found.values())


@pytest.mark.req("DE-33")
@pytest.mark.parametrize(("name", "leads"), [("winter-station", "aldo"), ("night-tide", "silas")])
def test_a_passage_is_sure(name: str, leads: str) -> None:
    """The pilot and the man with the boat leave at their hour, with or without others, unless they have already left."""
    sure = [event for event in scenario(name).evening.events if event.depart and event.when == Condition()]
    assert [leads in event.depart and event.unless == Condition(gone=(leads,)) for event in sure] == [True]


def test_no_dinner() -> None:
    """The newspaper serves no courses and has no kitchen, and its own needs draw people to its own rooms."""
    evening = scenario("newsroom").evening
    assert (evening.courses, evening.kitchen, evening.glass_need) == ((), None, None)
    assert set(evening.needs) == {"smoke", "proof", "cutting", "wire"}


@pytest.mark.req("DE-27", "DE-30")
@pytest.mark.parametrize("name", scenario_names())
def test_every_secret_has_its_words(name: str) -> None:
    """What can be said of a secret is in the scenario's own words: who knows it accuses, and who suspects it hints."""
    read = scenario(name)
    for secret in read.secrets:
        assert {"matter", "asked", "evaded", "denied", "hinted", "accused", "confessed", "told", "overheard"} <= set(
            read.phrases["secrets"][secret]
        )


@pytest.mark.req("DE-34")
@pytest.mark.parametrize("name", scenario_names())
def test_everybody_has_small_talk(name: str) -> None:
    """Everybody has at least twelve exchanges of their own."""
    read, counts = scenario(name), Counter[str]()
    for phrases in read.phrases["talk"].values():
        for phrase in phrases:
            if isinstance(phrase, dict):
                who = phrase["when"].get("who", [])
                counts.update({each: len(phrase["say"]) for each in ([who] if isinstance(who, str) else who)})
    assert min(counts[who] for who in read.people) >= 12


def names_of(read: Scenario) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The ids and names in a scenario that code must not know, and their patterns; the format's own words do not count."""
    words = {field.name for kind in (EveningSetup, Scenario) for field in fields(kind)}
    for id, part in {**read.people, **read.rooms, **read.secrets}.items():
        if id not in words:
            for name in (id, getattr(part, "name", id)):
                yield name, re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    for person in read.people.values():
        yield from ((word, re.compile(rf"\b{word}\b")) for word in person.name.split())


@cache
def names() -> list[tuple[str, re.Pattern[str]]]:
    return [named for name in scenario_names() for named in names_of(scenario(name))]


def named_in(text: str) -> list[str]:
    """The people, rooms and secrets of shipped scenarios that a text names."""
    small = text.lower()  # most names stand nowhere in it, which is found out much sooner than what stands there
    return [name for name, pattern in names() if name.lower() in small and pattern.search(text)]


@pytest.mark.parametrize("path", sorted(CODE.rglob("*.py")), ids=lambda path: str(path.relative_to(CODE)))
def test_no_code_names_anybody(path: Path) -> None:
    """No person, room or secret of a scenario is named anywhere in the code: everything comes from data."""
    assert named_in(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text", ["if id == 'victor':", "# as Hale does", "DINING_TABLE = 1", "'the ice lab'", "reveal:sold_fuel:joon"]
)
def test_a_name_in_code_is_noticed(text: str) -> None:
    """Ids and names are found in code, comments and texts, in any case."""
    assert named_in(text)


def test_goals_stand_in_the_order_of_the_catalog(party: Scenario) -> None:
    """The vector of goals follows the catalog, whatever the order in the file."""
    assert dict(zip(GOALS, party.people["victor"].goals, strict=True))["truth_seeking"] == 1.0
