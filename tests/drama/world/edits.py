"""Scenario data with one thing changed, for tests that plant errors."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

from volition.drama.world.rulebook import shipped_data

Path = tuple[str | int, ...]

MISSING: Final = object()
"""In place of a value: remove the entry."""


def party() -> dict[str, Any]:
    """The data of the dinner party's file, without the phrases beside it."""
    data: dict[str, Any] = shipped_data("dinner-party")
    return {section: entries for section, entries in data.items() if section != "phrases"}


def edited(data: Any, *changes: tuple[Path, Any]) -> Any:
    """A copy of `data` with a new value, or none, at the end of each path; a step past the end of a list appends."""
    data = deepcopy(data)
    for path, value in changes:
        inner = data
        for step in path[:-1]:
            inner = inner[step]
        last = path[-1]
        if value is MISSING:
            del inner[last]
        elif isinstance(inner, list) and last == len(inner):
            inner.append(value)
        else:
            inner[last] = value
    return data
