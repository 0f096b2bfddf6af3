from __future__ import annotations

import re
import tomllib
from copy import deepcopy
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.errors import InvalidInput
from volition.drama.audience.phrasebook import (
    EXCHANGES,
    NEED,
    TEMPLATES,
    fill,
    phrasebook,
    phrasebook_from_data,
    placeholders,
)
from volition.drama.audience.pick import Picker
from volition.drama.world.scenario import scenario, scenario_names

DATA: dict[str, Any] = tomllib.loads(files("volition.drama.audience").joinpath("phrases.toml").read_text("utf-8"))
SINGLE = frozenset({"link.away", "link.back"})
PRONOUNS = re.compile(r"\b(he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)


def test_every_template_can_be_filled() -> None:
    """Every template of every pool can be filled with the facts of its pool, and no placeholder remains."""
    for name, pool in phrasebook().items():
        if name.startswith("physical.") or name in TEMPLATES:
            facts = {fact: f"<{fact}>" for fact in TEMPLATES.get(name, NEED).split()}
            for template in pool:
                assert not re.search("[{}]", fill(template, facts))


def test_everybody_in_it_is_named() -> None:
    """A template for an act of one person to another names both; so a transcript always says who did what to whom."""
    for name, facts in TEMPLATES.items():
        named = {"who", "whom"} & set(facts.split())
        if not name.startswith(("after.", "link.")):
            assert [template for template in phrasebook()[name] if not named <= placeholders(template)] == []


def test_there_is_enough_to_say() -> None:
    """Talk has at least a dozen frames, and every other kind of event half a dozen."""
    pools = {name: pool for name, pool in phrasebook().items() if name in TEMPLATES and name not in SINGLE}
    assert {name: len(pool) for name, pool in pools.items() if len(pool) < 6} == {}
    assert len(phrasebook()["chat.plain"]) >= 12
    assert len(phrasebook()["chat.group"]) >= 12


def test_no_phrase_stands_twice() -> None:
    """No pool contains a phrase twice."""
    for name, pool in phrasebook().items():
        if isinstance(pool, list):
            said = [tuple(entry) if name in EXCHANGES else entry for entry in pool]
            assert len(set(said)) == len(said), name


def test_nobody_is_named() -> None:
    """No phrase names a person, room or secret of a scenario, or uses a pronoun for a person."""
    text = " ".join(str(pool) for pool in phrasebook().values())
    assert PRONOUNS.search(text) is None
    for shipped in map(scenario, scenario_names()):
        names = [word for person in shipped.people.values() for word in person.name.split()]
        names += [room.name for room in shipped.rooms.values()]
        names += [secret.description for secret in shipped.secrets.values()]
        assert [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)] == []


def test_all_problems_at_once() -> None:
    """A broken phrasebook is refused with all of its problems and their places."""
    broken = deepcopy(DATA)
    broken["chat"]["plain"][1] = "{who} to {nobody}"
    broken["chat"]["cold"] = []
    del broken["observe"]["found"]
    broken["talk"]["plain"][0] = ["no answer"]
    broken["talk"]["group"][2] = 7
    broken["ending"]["heading"] = ""
    broken["chat"]["sings"] = ["la"]
    with pytest.raises(InvalidInput) as refused:
        phrasebook_from_data(broken)
    places = {problem.where for problem in refused.value.problems}
    assert places == {
        "chat.plain[1]", "chat.cold", "observe.found", "talk.plain[0]", "talk.group[2]", "ending.heading", "chat.sings"
    }  # fmt: skip


def test_no_phrasebook_at_all() -> None:
    """Data that is not a table is refused, without a crash."""
    with pytest.raises(InvalidInput):
        phrasebook_from_data(["la"])


def test_a_need_of_ones_own() -> None:
    """A phrasebook may have a pool for a need of its scenario."""
    data = deepcopy(DATA)
    data["physical"]["prayer"] = ["{who} kneels for {manner}."]
    assert phrasebook_from_data(data)["physical.prayer"] == ["{who} kneels for {manner}."]
    data["physical"]["prayer"] = ["{who} kneels before {whom}."]
    with pytest.raises(InvalidInput, match="whom"):
        phrasebook_from_data(data)


@pytest.mark.parametrize(("spoken", "expected"), [("So.", '"So," Al.'), ("So?", '"So?" Al.'), ("So!", '"So!" Al.')])
def test_a_full_stop_becomes_a_comma(spoken: str, expected: str) -> None:
    """Speech in the middle of a sentence ends with a comma instead of a full stop; a question mark stays."""
    assert fill('"{line,}" {who}.', {"line": spoken, "who": "Al"}) == expected
    assert placeholders('"{line,}" {who}.') == {"line", "who"}


@given(st.integers(0, 2**64 - 1), st.integers(1, 20), st.integers(1, 60))
def test_nothing_is_heard_twice_soon(seed: int, size: int, times: int) -> None:
    """A phrase is repeated only after two thirds of its pool were used."""
    picker = Picker(seed)
    heard = [picker.pick("pool", range(size), f"e{number}") for number in range(times)]
    rest = size * 2 // 3 + 1
    assert all(len(set(heard[at : at + rest])) == len(heard[at : at + rest]) for at in range(times))


def test_pools_do_not_disturb_each_other() -> None:
    """Picks from one pool do not depend on other pools."""
    alone, beside = Picker(7), Picker(7)
    picked = [alone.pick("a", range(9), f"e{number}") for number in range(20)]
    again = []
    for number in range(20):
        beside.pick("b", range(5), f"e{number}")
        again.append(beside.pick("a", range(9), f"e{number}"))
    assert picked == again
