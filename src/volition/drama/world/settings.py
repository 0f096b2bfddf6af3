"""Settings of a scenario, addressed by paths as its file and its checker name them, and changes to them.

A path leads through the data of the file: `rules.noise.sigma`, `people.ID.flaws[0].strength`, `evening.needs.NAME`.
Events and circumstances are addressed by their ids: `evening.events[ID].minute`. All rounds of wine together are the
event `wine`, and all courses the event `courses`, whatever the file calls them.
"""

from __future__ import annotations

import re
from copy import copy
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from volition.drama.world.scenario import scenario_from_data, scenario_to_data
from volition.drama.world.wording import PHRASES, without_events

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.world.model import Scenario

_STEP = re.compile(r"\w+")
_LISTED = ("events", "circumstances")
"""The lists whose entries have ids, and which may be missing."""


class Setting(Struct, frozen=True, order=True):
    """A change of one setting: its path, its current value and its new one. `now` is None where nothing is set yet."""

    path: str
    """Which setting, as a dotted path."""
    now: Any
    """Its present value."""
    to: Any
    """Its new value."""

    def __str__(self) -> str:
        return f"{self.path}  {_format_value(self.now)} -> {_format_value(self.to)}"


def apply_settings(scenario: Scenario, settings: Iterable[Setting]) -> Scenario:
    """The scenario with some settings changed, read and checked like a file; of events that it loses nobody speaks."""
    data = scenario_to_data(scenario)
    for setting in settings:
        *parents, last = split_path(setting.path)
        table = data
        for step in parents:
            if step in _LISTED:
                table.setdefault(step, [])
            key = _key(table, step)
            table[key] = copy(table[key])  # it may be the scenario's own
            table = table[key]
        if isinstance(table, list) and isinstance(last, str) and all(entry["id"] != last for entry in table):
            table.append(setting.to)
        else:
            table[_key(table, last)] = setting.to
    kept = {event.get("id") for event in data["evening"].get("events", ()) if isinstance(event, dict)}
    lost = [event.id for event in scenario.evening.events if event.id not in kept]
    if lost and PHRASES in data:
        data[PHRASES] = without_events(data[PHRASES], lost)
    return scenario_from_data(data)


def split_path(path: str) -> list[Any]:
    """The keys, ids and list positions that a path leads through.

    >>> split_path("people.emil.flaws[0].strength"), split_path("evening.events[cab].minute")
    (['people', 'emil', 'flaws', 0, 'strength'], ['evening', 'events', 'cab', 'minute'])
    """
    return [int(step) if step.isdecimal() else step for step in _STEP.findall(path)]


def value_at(data: Any, path: str) -> Any:
    """The value at a path of a scenario's data; KeyError if there is none."""
    for step in split_path(path):
        key = _key(data, step)
        if isinstance(key, str) and key not in data:
            raise KeyError(path)
        data = data[key]
    return data


def _key(data: Any, step: Any) -> Any:
    """What leads to the next part of the data: of a list with ids the position of an entry."""
    if not isinstance(data, list) or isinstance(step, int):
        return step
    position = next((number for number, entry in enumerate(data) if entry["id"] == step), None)
    if position is None:
        raise KeyError(step)
    return position


def _format_value(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_format_value(each) for each in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_format_value(inner)}" for key, inner in value.items()) + "}"
    return f"{value:g}" if isinstance(value, int | float) else str(value)
