"""Settings changed in a scenario's own file: nothing else in it is touched."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from volition.core.document import parse_toml
from volition.core.errors import InvalidInput
from volition.drama.world.amend import amend, diff_of
from volition.drama.world.draft import new_scenario
from volition.drama.world.layout import Layout
from volition.drama.world.rulebook import scenario_names
from volition.drama.world.scenario import scenario_from_data
from volition.drama.world.settings import Setting, apply_settings, value_at

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.drama.world.model import Scenario

pytestmark = pytest.mark.req("DE-14", "DE-18")
TEXT = new_scenario("night-train")
READ = scenario_from_data(parse_toml(TEXT))
SHIPPED = {
    name: files("volition.drama").joinpath("scenarios", name.replace("-", "_") + ".toml").read_text(encoding="utf-8")
    for name in scenario_names()
}
SMALL = """# A quarrel.
[scenario]
id = "small"
name = "Small"

[evening]
gathering = "hall"  # where else
exit = "hall"
needs = { air = "hall" }   # "rates = {" is no rate

[[evening.events]]  # the claret
id = "claret"
serve = "wine"
minutes = [
  20, # with the soup
  54,
]

[[evening.events]]
id = "port"
serve = "wine"
minutes = [100]

# The place.

[rooms.hall]
name = "the hall # not a comment"
privacy = 0.5
capacity = 4
adjacent = []

[rules.noise] # how much is chance
sigma = 0.05 # little

# The two of them.

[people.ann]
name = 'Ann "the [knife]"'
goals = { truth_seeking = 0.9 }
flaws = [{ kind = "pride", strength = 0.5, trigger = "rejection", effect = "overcommit" }]

[people.bob]
name = "Bob"
goals = { truth_seeking = 0.9 }
flaws = [
  { kind = "pride", strength = 0.5, trigger = "rejection", effect = "overcommit" }, # his only one
]

[secrets]
"""
SERVED = SMALL.replace('exit = "hall"\n', 'exit = "hall"\nservers = ["ann"]\n')


@cache
def shipped(name: str) -> tuple[dict[str, Any], Scenario]:
    """What a shipped file says, and the scenario that it is."""
    parsed = parse_toml(SHIPPED[name])
    return parsed, scenario_from_data(parsed)


def written(text: str, path: str, to: Any) -> str:
    return amend(text, [Setting(path, None, to)], "small.toml")


def changed_lines(before: str, after: str) -> list[str]:
    """The lines that differ, with their sign."""
    return [line for line in diff_of(before, after, "x").splitlines()[2:] if line[0] in "+-"]


@pytest.mark.parametrize(
    ("path", "to", "lines"),
    [
        ("rules.noise.sigma", 0.07, ["-sigma = 0.05 # little", "+sigma = 0.07 # little"]),
        ("rules.departures.subjects", True, ["+", "+[rules.departures]", "+subjects = true"]),
        ("evening.ticks", 400, ["+ticks = 400"]),
        (
            "evening.needs.errand",
            "hall",
            [
                '-needs = { air = "hall" }   # "rates = {" is no rate',
                '+needs = { air = "hall", errand = "hall" }   # "rates = {" is no rate',
            ],
        ),
        ("evening.need_rates.air", 0.01, ["+need_rates = { air = 0.01 }"]),
        ("evening.events[wine].minutes", [20, 54], ["-minutes = [100]", "+minutes = []"]),
        ("evening.events[wine].minutes", [20, 37, 54, 100], ["+  37, 54,", "-  54,"]),
        ("evening.events[wine].minutes", [54, 100], ["-  20, # with the soup", "+   # with the soup"]),
        (
            "people.bob.flaws[0].strength",
            0.6,
            [
                '-  { kind = "pride", strength = 0.5, trigger = "rejection", effect = "overcommit" }, # his only one',
                '+  { kind = "pride", strength = 0.6, trigger = "rejection", effect = "overcommit" }, # his only one',
            ],
        ),
        (
            "evening.circumstances[words_1]",
            {"id": "words_1", "chance": 0.3, "words": ["ann", "bob"]},
            ["+", "+[[evening.circumstances]]", '+id = "words_1"', "+chance = 0.3", '+words = ["ann", "bob"]'],
        ),
    ],
)
def test_only_what_is_changed_differs(path: str, to: Any, lines: list[str]) -> None:
    """A setting is changed in its place or gets a line in its section; every comment and every other line stays."""
    assert sorted(changed_lines(SERVED, written(SERVED, path, to))) == sorted(lines)


def test_a_comment_above_a_section_stays_above_it() -> None:
    """A key is added at the end of its section, before the blank line and the comment that belong to the next one."""
    after = written(SERVED, "evening.ticks", 400)
    assert "no rate\nticks = 400\n\n[[evening.events]]  # the claret" in after
    after = written(SERVED, "rules.departures.politeness", 0.8)
    assert "sigma = 0.05 # little\n\n[rules.departures]\npoliteness = 0.8\n\n# The two of them.\n" in after


@settings(deadline=None)
@given(st.sampled_from(sorted(SHIPPED)), st.data())
def test_it_reads_as_the_changed_scenario(name: str, data: st.DataObject) -> None:
    """Whatever numbers of a shipped scenario's rules are changed, the file reads as the scenario with those changes; changed
    back, rules that it had are as they were to the byte."""
    text, (parsed, read) = SHIPPED[name], shipped(name)
    paths = [f"rules.{section}.{rule}" for section, entries in parsed["rules"].items() for rule in entries]
    numbers = [path for path in paths if type(value_at(parsed, path)) is float]
    chosen = data.draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=5, unique=True))
    there = [Setting(path, None, 0.5 * value_at(parsed, path)) for path in chosen]
    after = amend(text, there, name)
    assert scenario_from_data(parse_toml(after)) == apply_settings(read, there)
    assert len(changed_lines(text, after)) <= 2 * len(chosen)
    back = amend(after, [Setting(path, None, value_at(parsed, path)) for path in chosen], name)
    assert parse_toml(back) == parsed


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_every_value_has_its_place(name: str) -> None:
    """The layout of a file has every value that a parser reads, with the text that means it."""
    text = SHIPPED[name]
    layout, data = Layout(text), parse_toml(text)
    for path in layout.values:
        value = data
        for step in path:
            value = value[step]
        assert parse_toml(f"value = {layout.value(path)}")["value"] == value
    assert len(layout.values) > 300


def test_what_cannot_be_written_is_refused(told: Told) -> None:
    """A value that the scenario cannot have is refused, and so is a file in which the change finds no place."""
    with pytest.raises(InvalidInput, match=r"rules\.noise\.sigma"):
        written(SERVED, "rules.noise.sigma", "much")
    dotted = SERVED.replace("[rules.noise] # how much is chance\nsigma", "[rules]\nphysics.stress_decay")
    assert "physics.stress_decay = 0.07 # little" in written(dotted, "rules.physics.stress_decay", 0.07)
    with told.raises(InvalidInput):
        written(dotted, "rules.physics.stress_direct", 0.07)
