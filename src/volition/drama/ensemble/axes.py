"""What a sweep varies: settings of a scenario, named by their paths, and the values that each of them takes."""

from __future__ import annotations

from math import floor, isfinite
from typing import TYPE_CHECKING, Any

from volition.core.chance import stream, uid, uniform, word
from volition.core.errors import check_known, format_value, refuse
from volition.drama.world.scenario import scenario_to_data
from volition.drama.world.settings import split_path
from volition.drama.world.wording import without_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from volition.drama.world.model import Scenario

Value = bool | int | float | str


class Names:
    """The settings that a sweep over a scenario may change: its numbers and flags, and every rule."""

    def __init__(self, scenario: Scenario) -> None:
        self.now = dict(_leaves(without_words(scenario_to_data(scenario)), ""))

    def check_name(self, name: str) -> str:
        """The name in its canonical form; an unknown name is refused, with similar ones as a hint."""
        path = _join_path(split_path(name))
        expected = "a number, a flag or a rule of the scenario, such as rules.noise.sigma"
        check_known("setting", path, self.now, where="the settings of the sweep", expected=expected)
        if isinstance(self.now[path], str) and not path.startswith("rules."):
            refuse(
                f"{path} is a text",
                where="the settings of the sweep",
                expected="a number, a flag or a rule",
                remedy="change the text in the scenario's file",
            )
        return path

    def value(self, name: str, value: object) -> Value:
        """A value for a setting, of the same kind as the current one; a text is parsed as on the command line."""
        now = self.now[name]
        read = _parse(value) if isinstance(value, str) and not isinstance(now, str) else value
        kind = "true or false" if isinstance(now, bool) else "a number" if isinstance(now, int | float) else "a word"
        if isinstance(now, bool) or isinstance(read, bool):
            fits = isinstance(now, bool) and isinstance(read, bool)
        elif isinstance(now, str):
            fits = isinstance(read, str)
        else:
            fits = isinstance(read, int | float) and isfinite(read)
        if not fits:
            refuse(
                f"{format_value(value)} cannot be {name}",
                where=f"the values of {name}",
                expected=f"{kind}, like the current {format_value(now)}",
                remedy="correct the value",
            )
        assert isinstance(read, bool | int | float | str)
        return float(read) if isinstance(now, float) else read

    def span(self, name: str, low: object, high: object) -> tuple[float, float]:
        """The bounds of a setting that is drawn at random, which must be a number."""
        if isinstance(self.now[name], bool | str):
            refuse(
                f"{name} is not a number",
                where=f"the range of {name}",
                expected="a number to draw",
                remedy="sweep it by a grid of its values",
            )
        first, last = self.value(name, low), self.value(name, high)
        assert not isinstance(first, str)
        assert not isinstance(last, str)
        if not first < last:
            refuse(
                f"the range goes from {first} to {last}",
                where=f"the range of {name}",
                expected="a lower number, then a higher one",
                remedy="write LOW..HIGH",
            )
        return first, last


def draw_value(span: Sequence[float], name: str, draw: int, seed: int) -> Value:
    """A number between two bounds, by keyed chance: it depends on the setting's name, the draw and the seed alone.

    Whole bounds give whole numbers, bounds included; other numbers are drawn to six significant digits.

    >>> draw_value((0.0, 1.0), "rules.noise.sigma", 0, 1) == draw_value((0.0, 1.0), "rules.noise.sigma", 0, 1)
    True
    """
    low, high = span
    part = uniform(word(stream(seed, draw, uid(name), uid("sweep")), 0))
    if isinstance(low, int) and isinstance(high, int):
        return low + floor(part * (high - low + 1))
    return min(high, max(low, float(f"{low + part * (high - low):.6g}")))


def _leaves(data: Any, path: str) -> Iterator[tuple[str, Value]]:
    """Every value that is neither a table nor a list, with its path."""
    entries: Iterable[tuple[str, Any]] = ()
    if isinstance(data, dict):
        parts: Mapping[str, Any] = {key: value for key, value in data.items() if path or key != "scenario"}
        entries = ((f"{path}.{key}" if path else key, value) for key, value in parts.items())
    elif isinstance(data, list):
        entries = ((f"{path}[{place}]", value) for place, value in enumerate(data))
    else:
        yield path, data
    for inner, value in entries:
        yield from _leaves(value, inner)


def _join_path(steps: Sequence[Any]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _parse(text: str) -> object:
    """A value as written on a command line."""
    flags = {"true": True, "false": False}
    if text in flags:
        return flags[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
