"""The settings of a scenario by their paths, as its file and its checker name them, and changes to them.

A path leads through the data of the file: `rules.noise.sigma`, `people.ID.flaws[0].strength`, `evening.needs.NAME`.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from volition.drama.world.rulebook import default_rules
from volition.drama.world.scenario import scenario_from_data, scenario_to_data

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.world.model import Scenario

_STEP = re.compile(r"\w+")


class Setting(NamedTuple):
    """A change that is proposed: where, from what, to what. `now` is None where nothing stands yet."""

    path: str
    now: Any
    to: Any

    def __str__(self) -> str:
        return f"{self.path}  {_shown(self.now)} -> {_shown(self.to)}"


def applied(scenario: Scenario, settings: Iterable[Setting]) -> Scenario:
    """The scenario with changes made, read and checked as a file would be."""
    data = deepcopy(scenario_to_data(scenario))
    for setting in settings:
        *way, last = steps(setting.path)
        table = data
        for step in way:
            table = table[step]
        table[last] = setting.to
    return scenario_from_data(data)


def steps(path: str) -> list[Any]:
    """The keys and places that a path leads through.

    >>> steps("people.emil.flaws[0].strength")
    ['people', 'emil', 'flaws', 0, 'strength']
    """
    return [int(step) if step.isdecimal() else step for step in _STEP.findall(path)]


class Settings:
    """What a scenario says, to propose changes to it. Whoever names a setting that does not exist gets a KeyError.

    A proposal is None where there is nothing to change.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._data = scenario_to_data(scenario)
        self._default = {"rules": default_rules()}

    def now(self, path: str) -> Any:
        return _found(self._data, path)

    def put(self, path: str, to: Any) -> Setting | None:
        """Another value."""
        now = self.now(path)
        return Setting(path, now, to) if to != now else None

    def add(self, path: str, to: Any) -> Setting:
        """An entry of one's own in a table that has none of this name."""
        table, _, name = path.rpartition(".")
        assert name not in _found(self._data, table)
        return Setting(path, None, to)

    def rate(self, path: str, usual: float, factor: float) -> Setting:
        """A larger number in a table of rates, where what is not named has the usual one."""
        table, _, name = path.rpartition(".")
        named = _found(self._data, table)
        return Setting(path, named.get(name), _rounded(factor * named.get(name, usual)))

    def more(self, path: str, factor: float, usual: float | None = None, most: float = 1000.0) -> Setting | None:
        """A larger size: the usual one where it is below that, else so many times what it is.

        The usual size of a rule is the specification's, unless it says otherwise.
        """
        now, usual = float(self.now(path)), self._usual(path, usual)
        to = usual if abs(now) < abs(usual) else now * factor
        return self.put(path, _rounded(min(most, to)))

    def less(self, path: str, factor: float, usual: float | None = None) -> Setting | None:
        """A smaller size, in the same way: the usual one where it is above that."""
        now, usual = float(self.now(path)), self._usual(path, usual)
        to = usual if usual and abs(now) > abs(usual) else now * factor
        return self.put(path, _rounded(to))

    def _usual(self, path: str, usual: float | None) -> float:
        if usual is None:
            return float(_found(self._default, path)) if path.startswith("rules.") else 0.0
        return usual


def _found(data: Any, path: str) -> Any:
    for step in steps(path):
        if isinstance(step, str) and step not in data:
            raise KeyError(path)
        data = data[step]
    return data


def _rounded(value: float) -> float:
    """Four digits that matter."""
    return float(f"{value:.4g}")


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_shown(one) for one in value) + "]"
    return f"{value:g}" if isinstance(value, int | float) else str(value)
