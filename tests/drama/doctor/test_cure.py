"""Cures: settings that are searched, judged on other evenings, and written down for people."""

from __future__ import annotations

import json
import tomllib
from math import ceil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.drama.doctor.records import PARTY
from tests.drama.doctor.test_doctor import HEALTHY
from tests.drama.doctor.writers import AUTHORS, untouched
from volition.core.document import dump_json
from volition.drama.doctor import examine, find_cure, search
from volition.drama.doctor.cure import count_targets, measure_evenings
from volition.drama.doctor.targets import CLOSE, FAILS, SHAPE, Target
from volition.drama.world.scenario import scenario_from_data, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings, value_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.sentences import Told
    from volition.drama.batch.measures import Measures
    from volition.drama.doctor.cure import Cure
    from volition.drama.world.model import Scenario

pytestmark = pytest.mark.req("DE-24")
SHORT = [replace(record, minutes=1.0) for record in HEALTHY]
TUNED, FRESH = [1, 2, 3], [11, 12]
SIGMA, PULL = PARTY.rules["noise"]["sigma"], PARTY.rules["departures"]["lie_pull"]
QUIET, LYING = 0.75 * SIGMA, 1.5 * PULL
"""The noise up to which, and the pull from which on, invented evenings are as they should be; the party has neither."""


class Invented:
    """Evenings that hang on two settings alone: too much noise above one bar, and lies only from another on."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []
        self.tried: list[str] = []

    def __call__(self, scenario: Scenario, seeds: Sequence[int]) -> Sequence[Measures]:
        self.asked.append(tuple(seeds))
        self.tried.append(scenario.hash)
        sigma, pull = scenario.rules["noise"]["sigma"], scenario.rules["departures"]["lie_pull"]
        looks = replace(HEALTHY[0].looks, hung={"bonds": 100, "flaws": 60, "noise": ceil(270 * sigma / QUIET)})
        events = {**HEALTHY[0].events, "LIE": int(pull >= LYING)}
        return [replace(record, looks=looks, events=events) for record in HEALTHY]


@pytest.fixture(scope="module", autouse=True)
def a_few_by_chance() -> Iterator[None]:
    """Fewer changes by chance than a user gets: invented evenings hang on none of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "DRIFTS", 10)
        yield


@pytest.fixture(scope="module")
def searched() -> tuple[Cure, list[str]]:
    """The cure of the party, and the scenarios that were tried for it."""
    play = Invented()
    return find_cure(PARTY, TUNED, FRESH, play=play), play.tried


@pytest.fixture(scope="module")
def cure(searched: tuple[Cure, list[str]]) -> Cure:
    return searched[0]


def test_what_is_wrong_is_found(cure: Cure) -> None:
    """The settings that evenings hang on are changed until every target holds; nothing else is."""
    assert not cure.before.healthy
    assert [target.id for target in cure.after.targets if not target.holds] == []
    assert {setting.path for setting in cure.settings} == {"rules.noise.sigma", "rules.departures.lie_pull"}
    assert cure.cured.rules["noise"]["sigma"] <= QUIET
    assert cure.cured.rules["departures"]["lie_pull"] >= LYING
    assert all(step.after.misfit < step.before.misfit for step in cure.steps)


def test_the_same_again(searched: tuple[Cure, list[str]]) -> None:
    """The same scenario and seeds are the same search, also where it goes by chance, and give the same text, data and patch."""
    (cure, tried), play = searched, Invented()
    again = find_cure(PARTY, TUNED, FRESH, play=play)
    assert play.tried == tried
    assert (str(again), again.patch()) == (str(cure), cure.patch())
    assert dump_json(again.to_data()) == dump_json(cure.to_data())


def test_judged_on_other_evenings() -> None:
    """Fresh seeds are played at the end, for the scenario and for what became of it, and never before."""
    play = Invented()
    find_cure(PARTY, TUNED, FRESH, play=play, rounds=1)
    assert [seeds for seeds in play.asked if seeds != tuple(TUNED)] == [tuple(FRESH)] * 2
    assert play.asked[-2:] == [tuple(FRESH)] * 2


def test_a_patch_for_people(cure: Cure, told: Told) -> None:
    """The patch is TOML, says of each number what it was and why, and gives the cured scenario."""
    patch = cure.patch()
    data = scenario_to_data(cure.scenario)
    _merge(data, tomllib.loads(patch))
    assert scenario_from_data(data) == cure.cured
    assert f"sigma = {cure.cured.rules['noise']['sigma']}  # was {SIGMA}\n" in patch
    assert f"lie_pull = {cure.cured.rules['departures']['lie_pull']}  # was {PULL}\n" in patch
    told(patch)


def _merge(data: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, value in changes.items():
        if isinstance(value, dict):
            _merge(data.setdefault(key, {}), value)
        else:
            data[key] = value


def test_nothing_to_cure() -> None:
    """A healthy scenario is left as it is after one look, and so is one that nothing helps."""
    healthy = apply_settings(
        PARTY, [Setting("rules.noise.sigma", None, QUIET), Setting("rules.departures.lie_pull", None, LYING)]
    )
    cure = find_cure(healthy, TUNED, FRESH, play=Invented())
    assert (cure.steps, cure.settings, cure.trials) == ((), (), 1)
    hopeless = find_cure(PARTY, TUNED, FRESH, play=lambda scenario, seeds: SHORT)
    assert (hopeless.steps, hopeless.cured) == ((), PARTY)


@pytest.mark.parametrize("name", AUTHORS)
def test_there_is_something_to_cure(name: str) -> None:
    """Of the sixteen targets of the shape, an untouched scenario holds at most twelve."""
    scenario = untouched(name)
    assert count_targets(examine(measure_evenings(scenario, range(24)), scenario))[SHAPE][0] <= 12


def test_an_authors_scenario() -> None:
    """On a handful of evenings a round makes an untouched scenario better, and leaves people and secrets alone.

    `benchmarks/cure.py` shows how far it comes on many.
    """
    scenario = untouched("inheritance")
    cure = find_cure(scenario, range(2), [90], rounds=1)
    assert cure.steps
    assert all(step.after.misfit < step.before.misfit for step in cure.steps)
    before, after = scenario_to_data(scenario), scenario_to_data(cure.cured)
    assert [before[part] for part in ("people", "secrets", "rooms", "known")] == [
        after[part] for part in ("people", "secrets", "rooms", "known")
    ]
    assert all(value_at(after, setting.path) == setting.to for setting in cure.settings)
    assert json.loads(dump_json(cure.to_data()))["scenario"] == scenario.id


def _target(value: float, least: float | None, most: float | None) -> Target:
    holds = (least is None or value >= least) and (most is None or value <= most)
    return Target("id", "name", value, "%", "", holds, "", SHAPE, least, most)


@given(st.floats(0, 100), st.floats(1, 99), st.booleans())
def test_misfit(value: float, bar: float, upwards: bool) -> None:
    """What fails costs more than anything that holds, and the further it fails the more; what holds by far costs nothing."""
    bounds = (bar, None) if upwards else (None, bar)
    one = _target(value, *bounds).misfit(100)
    worse = _target(value - 5 if upwards else value + 5, *bounds).misfit(100)
    assert 0.0 <= one <= 1.0
    assert (one >= FAILS) == (not _target(value, *bounds).holds)
    assert one <= CLOSE or one >= FAILS
    assert worse >= one
    assert _target(50.0, 20.0, None).misfit(100) == _target(50.0, None, 90.0).misfit(100) == 0.0
