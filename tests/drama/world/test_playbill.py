"""The playbill of a scenario, and the pattern for a new one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drama.world.edits import MISSING, edited, party
from volition.core.document import parse_toml
from volition.core.errors import InvalidInput
from volition.drama.rules.catalog import CLOCK
from volition.drama.stage.run import run
from volition.drama.world.draft import new_scenario
from volition.drama.world.playbill import WIDTH, own_rules, playbill
from volition.drama.world.scenario import literal, scenario, scenario_from_data, scenario_names, scenario_to_data

pytestmark = pytest.mark.req("DE-18")

PARTS = ("rooms", "people", "secrets")


def test_who_knows_what() -> None:
    """The matrix has a row for everybody and a column for every secret: holds, knows, suspects, nothing."""
    text = playbill(scenario("dinner-party"))
    matrix = text.partition("Who knows what")[2].split("\n\n")[0].splitlines()[1:]
    assert [line.split() for line in matrix] == [
        ["1", "2", "3", "4", "5"],
        ["diana", "K", "H", ".", ".", "."],
        ["elena", "H", "S", ".", ".", "."],
        ["lydia", "S", ".", "S", "H", "."],
        ["marcus", "H", "H", "H", ".", "S"],
        ["thorne", ".", ".", ".", ".", "."],
        ["victor", ".", ".", "S", ".", "H"],
    ]


@pytest.mark.parametrize("name", scenario_names())
def test_everything_is_shown(name: str) -> None:
    """Every person, room and secret is named, lines keep their width, and the hash is at the end."""
    read = scenario(name)
    text = playbill(read)
    said = " ".join(text.split())
    assert all(person.name in said and person.role in said for person in read.people.values())
    assert all(room.name in said for room in read.rooms.values())
    assert all(secret.id in said and secret.description in said for secret in read.secrets.values())
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert text.endswith(read.hash)


DRAWN = ("events", "circumstances")


def test_without_secrets_or_rules() -> None:
    """A scenario without secrets can be shown too, and the literal reading has no changed rules."""
    calm = edited(party(), (("secrets",), {}), (("known",), {}), *((("evening", key), MISSING) for key in DRAWN))
    for person in calm["people"].values():
        person.pop("commitments", None)
    assert "The dinner party" in playbill(literal(scenario_from_data(calm)))
    assert own_rules(literal(scenario("dinner-party"))) == {}
    changed = scenario_from_data(edited(party(), (("rules",), {"noise": {"sigma": 0.2}})))
    assert own_rules(changed) == {"noise": {"sigma": 0.2}}


@pytest.mark.parametrize("id", ["night-train", "x", "a_b-c9"])
def test_a_new_scenario_is_valid(id: str) -> None:
    """What a beginner starts from is accepted as it is, under the id that was asked for."""
    text = new_scenario(id)
    read = scenario_from_data(parse_toml(text))
    assert read.id == id
    assert read.name == id.replace("-", " ").replace("_", " ").capitalize()
    assert "@" not in text


@pytest.mark.parametrize("id", ["", "Night", "night train", "../x", 'x"\ny = "', "x" * 41])
def test_a_new_scenario_has_a_plain_id(id: str) -> None:
    """An invalid id is refused, with an example."""
    with pytest.raises(InvalidInput, match="night-train"):
        new_scenario(id)


def test_the_page_names_every_key() -> None:
    """docs/scenarios.md describes every section and key that a scenario file may have."""
    page = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    data = scenario_to_data(scenario("dinner-party"))
    entries = [data["scenario"], data["evening"], *(entry for part in PARTS for entry in data[part].values())]
    nested = [entry[key] for entry in data["people"].values() for key in ("goals", "pacing", "emotions")]
    flaws = [flaw for entry in data["people"].values() for flaw in entry["flaws"]]
    keys = {key for entry in (*entries, *nested, *flaws) for key in entry}
    assert len(keys) > 40
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []
    assert [section for section in data if f"[{section}" not in page] == []


def test_the_page_shows_what_the_checker_says() -> None:
    """The report printed on the page is the one that the checker gives."""
    page = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    planted = edited(
        parse_toml(new_scenario("night-train")),
        (("people", "emil", "flaws", 0, "strength"), 1.5),
        (("evening", "exit"), "hal"),
    )
    with pytest.raises(InvalidInput) as caught:
        scenario_from_data(planted)
    assert str(caught.value) in page


@pytest.mark.req("DE-31", "DE-33")
def test_the_example_on_the_page_can_be_played() -> None:
    """The events and circumstances on the page fit the starter, and in some evening each of the events happens."""
    page = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    example = next(block for block in page.split("```toml\n")[1:] if "[[evening.events]]" in block).partition("```")[0]
    read = scenario_from_data(parse_toml(f"{new_scenario('night-train')}\n{example}"))
    ids = {event.id for event in read.evening.events}
    happened = {
        event.details["clock"] for seed in range(1, 3) for event in run(read, seed).events if event.type == CLOCK
    }
    assert {"coat", "drawer", "taxi", "signature"} <= ids & happened
