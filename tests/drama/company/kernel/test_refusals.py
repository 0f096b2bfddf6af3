"""The kernel refuses scenarios that are too large, unsuitable records and unsuitable terms, and names the reason."""

from __future__ import annotations

import ast
import importlib
import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.drama.company.kernel.decided import shipped
from volition.core.errors import InvalidInput
from volition.drama.company.kernel import RECORD, SLOTS, Kernel, decide_many, dramatic, engine, look, loop, pack, quiet
from volition.drama.world.model import Scenario, begin

PARTY = shipped("dinner-party", by_the_letter=False)


def grown(scenario: Scenario, part: str, count: int) -> Scenario:
    """The same scenario with more people, rooms or secrets, each like the last."""
    entries: dict[str, Any] = dict(getattr(scenario, part))
    last = list(entries.values())[-1]
    for number in range(count - len(entries)):
        entries[f"more_{number}"] = replace(last, id=f"more_{number}")
    changed: dict[str, Any] = {part: entries}
    return replace(scenario, **changed)


def departing(scenario: Scenario, **departures: float) -> Scenario:
    rules = {**scenario.rules, "departures": {**scenario.rules["departures"], **departures}}
    return replace(scenario, rules=rules)


@pytest.mark.parametrize("part", ["people", "rooms", "secrets"])
def test_a_scenario_that_is_too_large(part: str) -> None:
    """Eight people, rooms and secrets fit the slots; a ninth is refused, with its place and the limit."""
    Kernel(grown(PARTY, part, 8))
    with pytest.raises(InvalidInput, match=rf"9 are too many[^$]*where: +{part}\n[^$]*at most 8"):
        Kernel(grown(PARTY, part, 9))


def test_everything_that_is_too_much_is_named_at_once() -> None:
    """Needs, flaws and the ticks that are remembered have limits too, and all problems are reported together."""
    needs = {f"need_{number}": "kitchen" for number in range(5)}
    people = {id: replace(person, flaws=person.flaws * 4) for id, person in PARTY.people.items()}
    scenario = replace(PARTY, evening=replace(PARTY.evening, needs=needs), people=people)
    with pytest.raises(InvalidInput) as caught:
        Kernel(departing(scenario, recency_ticks=5, move_again_ticks=255))
    places = {problem.where for problem in caught.value.problems}
    assert {"evening.needs", "people.thorne.flaws", "rules.departures.recency_ticks"} < places
    assert "rules.departures.move_again_ticks" in places
    Kernel(departing(PARTY, recency_ticks=5, recency=0.0, recency_dramatic=0.0))


@pytest.mark.parametrize(
    ("records", "seed", "term", "match"),
    [
        (np.zeros(3), 7, None, "dtype RECORD"),
        (np.zeros((2, 3), dtype=RECORD), 7, None, "one dimension"),
        (None, [1, 2, 3], None, "one for all, or one for each of 6"),
        (None, 7, lambda given: np.zeros((len(given), 3)), rf"\(6, {SLOTS}\)"),
        (None, 7, lambda given: np.full((len(given), SLOTS), np.nan), "says nan of slot 0"),
        (None, 7, lambda given: np.full((len(given), SLOTS), 65.0), "within 64 of 0"),
    ],
)
def test_strange_arguments(records: Any, seed: Any, term: Any, match: str) -> None:
    """Arrays of another kind, seeds that do not fit and terms that are no numbers are refused before anything is decided."""
    given = pack([begin(PARTY)]) if records is None else records
    with pytest.raises(InvalidInput, match=match):
        decide_many(PARTY, given, seed, 0, term=term)


def test_no_threads() -> None:
    """Fewer threads than one are refused."""
    with pytest.raises(InvalidInput, match="threads"):
        decide_many(PARTY, pack([begin(PARTY)]), 7, 0, threads=0)


def test_records_of_another_scenario() -> None:
    """Somebody who is not in the scenario, or in no room of it, is refused by the number of the record."""
    records = pack([begin(PARTY)])
    for part, number in (("person", 6), ("room", 5)):
        strange = records.copy()
        strange[part][4] = number
        with pytest.raises(InvalidInput, match=r"records\[4\]"):
            decide_many(PARTY, strange, 7, 0)


def test_worlds_that_do_not_fit() -> None:
    """A world of another scenario, and people or secrets in another order, are refused: the order decides ties."""
    kernel, world = Kernel(PARTY), begin(PARTY)
    with pytest.raises(InvalidInput, match=r"worlds\[1\]"):
        kernel.pack([world, begin(shipped("winter-station", by_the_letter=False))])
    turned = replace(world, agents=dict(reversed(world.agents.items())))
    with pytest.raises(InvalidInput, match=r"worlds\[0\]\.agents"):
        kernel.pack([turned])
    elena = world.agents["elena"]
    elena.beliefs = dict(reversed(elena.beliefs.items()))
    with pytest.raises(InvalidInput, match=r"agents\.elena\.beliefs"):
        kernel.pack([world])


def test_too_much_remembered() -> None:
    """More different recent acts than a record holds are refused, not forgotten."""
    world = begin(departing(PARTY, recency_ticks=4))
    world.tick = 9
    acts = ["internal", "observe:room", "chat:elena", "chat:marcus", "chat:all"]
    world.agents["thorne"].recent = [(8, act) for act in acts[:4]]
    assert len(pack([world])) == 6
    world.agents["thorne"].recent = [(8, act) for act in acts]
    with pytest.raises(InvalidInput, match=r"agents\.thorne\.recent"):
        pack([world])


def test_a_record_is_small() -> None:
    """A decider takes at most 400 bytes."""
    assert RECORD.itemsize <= 400


@pytest.mark.parametrize("module", [loop, look, quiet, dramatic])
def test_what_is_compiled_is_compiled_anew_when_it_changes(module: Any) -> None:
    """Every module that the compiled loop uses is part of the key of its cache."""
    known = {part.__name__ for part in engine.source_modules()}
    assert module.__name__ in known
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("volition."):
            assert importlib.import_module(node.module or "").__name__ in known
