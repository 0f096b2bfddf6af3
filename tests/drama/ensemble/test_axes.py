"""Swept settings: every existing one can be swept, no other, each with values of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.ensemble.plays import SHORT, SIGMA, STRENGTH
from volition.core.errors import InvalidInput
from volition.drama.doctor.case import Proposals
from volition.drama.ensemble.axes import Names, draw_value
from volition.drama.world.scenario import scenario_to_data
from volition.drama.world.wording import without_words

if TYPE_CHECKING:
    from tests.sentences import Told

NAMES = Names(SHORT)


def test_every_number_has_a_name() -> None:
    """Everything in the scenario's data can be found under its name, and nothing else can."""
    settings = Proposals(SHORT)
    assert all(settings.now(name) == value for name, value in NAMES.now.items())
    played = without_words(scenario_to_data(SHORT))
    assert len(NAMES.now) == _count({key: part for key, part in played.items() if key != "scenario"})


def _count(data: Any) -> int:
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else None
    return 1 if inner is None else sum(map(_count, inner))


@pytest.mark.parametrize("name", [SIGMA, STRENGTH, "rules.departures.leaving", "rules.departures.knowledge"])
def test_names(name: str) -> None:
    """A name stays as it is; an index of a list may be written with a dot."""
    assert NAMES.check_name(name) == NAMES.check_name(name.replace("[0]", ".0")) == name


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("rules.noise.sigmaa", "did you mean 'rules.noise.sigma'"),
        ("people.viktor.flaws[0].strength", "people.victor.flaws[0].strength"),
        ("people.victor.flaws[9].strength", "people.victor.flaws[0].strength"),
        ("", "use one of"),
        ("rules.noise", "did you mean"),
        ("scenario.id", "did you mean|use one of"),
        ("people.victor.name", "change the text"),
    ],
)
def test_unknown(name: str, remedy: str) -> None:
    """A setting that does not exist, or is not a number, flag or rule, is refused with what to write instead."""
    with pytest.raises(InvalidInput, match=remedy.replace("[", r"\[")):
        NAMES.check_name(name)


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        (SIGMA, "1", 1.0),
        (SIGMA, 0.25, 0.25),
        ("evening.ticks", "40", 40),
        ("rules.departures.leaving", "false", False),
        ("rules.departures.knowledge", "perceived", "perceived"),
    ],
)
def test_values(name: str, given: object, value: object) -> None:
    """A value has the kind of the setting, from a command line as from Python."""
    found = NAMES.value(name, given)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        (SIGMA, "much"),
        (SIGMA, True),
        (SIGMA, "nan"),
        (SIGMA, float("inf")),
        (SIGMA, None),
        (SIGMA, [0.1]),
        ("rules.departures.leaving", "1"),
        ("rules.departures.leaving", 0),
        ("rules.departures.knowledge", 3),
    ],
)
def test_values_of_another_kind(name: str, given: object) -> None:
    """What is not of the setting's kind is refused."""
    with pytest.raises(InvalidInput, match="cannot be"):
        NAMES.value(name, given)


@pytest.mark.parametrize("span", [(0.5, 0.5), (0.5, 0.1), ("x", 1)])
def test_ranges(span: tuple[object, object]) -> None:
    """The upper bound of a range must be above the lower one."""
    with pytest.raises(InvalidInput):
        NAMES.span(SIGMA, *span)


def test_flags_are_not_drawn(told: Told) -> None:
    """Only numbers can be drawn."""
    with told.raises(InvalidInput):
        NAMES.span("rules.departures.leaving", False, True)


@given(st.integers(-50, 50), st.integers(1, 9), st.integers(0, 10**6), st.integers(0, 2**53 - 1), st.booleans())
def test_draws(low: int, wide: int, draw: int, seed: int, whole: bool) -> None:
    """A draw is within its bounds, is whole where they are, and depends on name, draw and seed alone."""
    span = (low, low + wide) if whole else (low / 7, (low + wide) / 7)
    found = draw_value(span, SIGMA, draw, seed)
    assert isinstance(found, int if whole else float)
    assert span[0] <= float(found) <= span[1]
    assert draw_value(span, SIGMA, draw, seed) == found


def test_draws_are_even() -> None:
    """Every whole number of a range is drawn equally often, and names, draws and seeds are independent."""
    found = [draw_value((1, 5), SIGMA, draw, 1) for draw in range(5000)]
    assert all(900 < found.count(number) < 1100 for number in range(1, 6))
    other = [draw_value((1, 5), STRENGTH, draw, 1) for draw in range(5000)]
    assert 800 < sum(one == two for one, two in zip(found, other, strict=True)) < 1200
