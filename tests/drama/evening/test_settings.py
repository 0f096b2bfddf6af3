"""Settings: every number and switch of the rules does something."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.drama.evening.casts import DINNER, STATION, shipped
from volition.drama.evening.batches import CompiledBatches
from volition.drama.evening.building import build_tables
from volition.drama.evening.record import write_packed
from volition.drama.evening.tables import ScenarioTables
from volition.drama.world.rulebook import WORDS, default_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.world.model import Scenario

FEW, MANY = range(2), range(16)
OF_SIZE = frozenset({("departures", "recency_ticks"), ("memory", "move")})
"""They decide how long records are, so that laws are compiled for each value; other tests hold what they do."""
UNREACHED = frozenset({("leaving", "spent_stress")})
"""By the letter an evening is over when everybody recovers at once, which none of these does; a test of endings does."""


@pytest.mark.req("DE-14")
def test_every_setting_changes_some_evening() -> None:
    """For every setting there is a scenario, as it is shipped, without its departures, or with a few of them off, some
    evening of which is another with another value."""
    pytest.importorskip("numba")
    party, station = shipped(DINNER), shipped(STATION)
    literal = shipped(DINNER, by_the_letter=True)
    rules = _idle(party, _rules(), FEW)
    for tables, seeds in (
        (station, FEW),
        (party, MANY),
        (_plain(), MANY),
        (literal, MANY),
    ):
        rules = _idle(tables, rules, seeds)
    assert rules == []


def _rules() -> list[tuple[str, str]]:
    every = [(section, rule) for section, rules in default_rules().items() for rule in rules]
    return [rule for rule in every if rule not in WORDS and rule not in OF_SIZE | UNREACHED]


def _idle(scenario: Scenario, rules: list[tuple[str, str]], seeds: range) -> list[tuple[str, str]]:
    """The rules with another value of which each of these evenings is what it was.

    One player plays them all: rules are in the tables, and in nothing else that it has of a scenario.
    """
    batches = CompiledBatches(scenario, scenario.evening.ticks, measured=False, laws=())
    player, every = batches.player, np.array(seeds, np.uint64)

    def checksums(scenario: Scenario) -> tuple[list[int], list[int]]:
        write_packed(player.packed_tables[0], build_tables(scenario), ScenarioTables, player.sizes)
        played = batches.play(every)
        return played.checksums.tolist(), played.endings.tolist()

    before = checksums(scenario)

    def changes(rule: tuple[str, str], value: Any) -> bool:
        return checksums(_with(scenario, rule, value)) != before

    return [
        rule for rule in rules if not any(changes(rule, other) for other in _others(scenario.rules[rule[0]][rule[1]]))
    ]


def _plain() -> Scenario:
    """The dinner party without theory of mind and rates of needs, and with secrets of little weight."""
    party = shipped(DINNER)
    secrets = {id: replace(secret, weight=0.4) for id, secret in party.secrets.items()}
    plain = replace(party, secrets=secrets, evening=replace(party.evening, need_rates={}))
    return _with(plain, ("departures", "theory_of_mind"), False)


def _with(scenario: Scenario, rule: tuple[str, str], value: Any) -> Scenario:
    section, name = rule
    return replace(scenario, rules={**scenario.rules, section: {**scenario.rules[section], name: value}})


def _others(value: Any) -> Iterator[Any]:
    """Values that are far from one."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 40, 0)
    elif isinstance(value, list):
        yield [number + 0.3 for number in value]
    else:
        yield from (2.0 * value + 0.4, 0.0, 9.0, -1.0)
