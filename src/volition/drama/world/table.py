"""One table of a scenario file: its values are read and checked, and every problem is noted with its place.

A method that finds a problem notes it, returns a harmless default and goes on. So callers have to check for problems
before they use what was read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from volition.core.canonical import json_path
from volition.core.errors import Problems, did_you_mean, format_value

MOST: Final = 64
"""The largest number of people, rooms, secrets or entries of one list."""

LONGEST_ID: Final = 40
LONGEST_TEXT: Final = 2000

RESERVED: Final = ("all", "departed", "feeling", "room", "wrong")
"""Words that candidate ids and locations use."""

_ID = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


class Known(Struct, frozen=True):
    """The names of one kind that a scenario defines, to check references to them."""

    kind: str
    ids: tuple[str, ...]


class Table(Struct, frozen=True):
    """One table of the file, its path, and the collector of its problems."""

    data: Mapping[Any, Any]
    path: tuple[str | int, ...]
    problems: Problems

    def note(self, what: str, *steps: str | int, expected: str, remedy: str) -> None:
        """Note a problem with the value at the path `steps` below this table."""
        where = json_path([*self.path, *steps]).removeprefix("$").removeprefix(".") or "the scenario"
        self.problems.add(what, where=where, expected=expected, remedy=remedy)

    def keys(self, required: Collection[str], optional: Collection[str] = ()) -> Table:
        """Note every missing and every unknown key, and return the table."""
        allowed = [*required, *optional]
        for key in required:
            if key not in self.data:
                self.note(
                    f"{key!r} is missing", key, expected="the keys " + _join_quoted(required), remedy=f"add {key!r}"
                )
        for key in self.data:
            if key not in allowed:
                self.note(
                    f"{format_value(key)} is not known here",
                    _step(key),
                    expected="only " + _join_quoted(allowed),
                    remedy=_suggest(key, allowed),
                )
        return self

    def text(self, key: str, default: str = "", *, prose: bool = False) -> str:
        """A line of text; prose may have several lines, or be empty."""
        if key not in self.data:
            return default
        value = self.data[key]
        line = value.replace("\n", "") if isinstance(value, str) and prose else value
        if isinstance(line, str) and line.isprintable() and (prose or line.strip()) and len(value) <= LONGEST_TEXT:
            return str(value)
        self.note(
            f"this is {format_value(value)}",
            key,
            expected=f"a text of at most {LONGEST_TEXT} letters" if prose else "a text on one line",
            remedy="write it between quotes, without control characters",
        )
        return default

    def flag(self, key: str, default: bool = False) -> bool:
        value = self.data.get(key, default)
        if not isinstance(value, bool):
            self.note(f"this is {format_value(value)}", key, expected="true or false", remedy="write it without quotes")
        return value is True

    def whole(self, key: str, low: int, high: int, default: int = 0) -> int:
        """A whole number within bounds."""
        value = self.data.get(key, default)
        if key not in self.data or (type(value) is int and low <= value <= high):
            return value  # type: ignore[no-any-return]
        expected = f"a whole number from {low} to {high}"
        self.note(f"this is {format_value(value)}", key, expected=expected, remedy="write it without quotes or a point")
        return default

    def number(self, key: str, low: float, high: float, default: float = 0.0) -> float:
        """A number within bounds."""
        value = self._number(self.data[key], (key,), low, high) if key in self.data else default
        return default if value is None else value

    def numbers(self, key: str, bounds: tuple[tuple[float, float], ...], meaning: str) -> tuple[float, ...]:
        """A list with exactly one number for each of the bounds."""
        value = self.data[key]
        if isinstance(value, list | tuple) and len(value) == len(bounds):
            pairs = enumerate(zip(value, bounds, strict=True))
            return tuple(self._number(item, (key, index), *bound) or 0.0 for index, (item, bound) in pairs)
        expected = f"a list of {len(bounds)} numbers: {meaning}"
        self.note(f"this is {format_value(value)}", key, expected=expected, remedy=f"write [{meaning}]")
        return (0.0,) * len(bounds)

    def series(self, key: str, low: float, high: float) -> tuple[float, ...]:
        """A list of numbers, each above the one before."""
        numbers: list[float] = []
        for index, item in self.items(key):
            value = self._number(item, (key, index), low, high)
            if value is None:
                continue
            if numbers and value <= numbers[-1]:
                what = f"{value:g} does not come after {numbers[-1]:g}"
                self.note(what, key, index, expected="numbers in rising order", remedy="put them in order, each once")
            numbers.append(value)
        return tuple(numbers)

    def choice(self, key: str, allowed: Collection[str]) -> str:
        """One of a fixed list of words."""
        value = self.data.get(key)
        if isinstance(value, str) and value in allowed:
            return value
        if key in self.data:
            expected = "one of " + _join_quoted(allowed)
            self.note(f"this is {format_value(value)}", key, expected=expected, remedy=_suggest(value, allowed))
        return next(iter(allowed))

    def identifier(self, key: str) -> str | None:
        """A new name, as ids are written; None if the key is missing."""
        value = self.data.get(key)
        if isinstance(value, str) and len(value) <= LONGEST_ID and _ID.fullmatch(value):
            return value
        if key in self.data:
            expected = f"lower-case words joined by '_', at most {LONGEST_ID} letters"
            self.note(f"this is {format_value(value)}", key, expected=expected, remedy="rename it")
        return None

    def name(self, key: str, known: Known) -> str | None:
        """The name of something that the scenario defines; None if the key is missing."""
        return self._name(self.data[key], (key,), known) if key in self.data else None

    def names(self, key: str, known: Known) -> tuple[str, ...]:
        """A list of such names, each once."""
        names: list[str] = []
        for index, item in self.items(key):
            name = self._name(item, (key, index), known)
            if name in names:
                self.note(f"{name!r} is duplicated", key, index, expected="each name once", remedy="remove one")
            elif name is not None:
                names.append(name)
        return tuple(names)

    def known_keys(self, known: Known) -> list[str]:
        """The keys of this table that are such names, sorted; other keys are noted."""
        if not self.data:  # most tables of a file are left out
            return []
        return sorted(key for key in self.data if self._name(key, (_step(key),), known) is not None)

    def shares(self, known: Known, low: float, high: float) -> dict[str, float]:
        """This table as a map from such names to numbers."""
        return {name: self.number(name, low, high) for name in self.known_keys(known)}

    def ids(self, reserved: Collection[str] = RESERVED) -> tuple[str, ...]:
        """The names that this table defines, sorted; names that cannot be part of a candidate id are noted."""
        for id in self.data:
            fits = isinstance(id, str) and len(id) <= LONGEST_ID and _ID.fullmatch(id)
            if not fits or id in reserved:
                what = "is a reserved word" if fits else "cannot be part of a candidate id"
                self.note(
                    f"{format_value(id)} {what}",
                    _step(id),
                    expected=f"lower-case words joined by '_', at most {LONGEST_ID} letters, and not a reserved word: "
                    + ", ".join(reserved),
                    remedy="rename it, here and wherever it is named",
                )
        return tuple(sorted(id for id in self.data if isinstance(id, str)))

    def items(self, key: str) -> Iterator[tuple[int, Any]]:
        """The entries of a list, numbered; a missing list has none."""
        value = self.data.get(key, ())
        if isinstance(value, list | tuple) and len(value) <= MOST:
            return enumerate(value)
        what = f"it has {len(value)} entries" if isinstance(value, list | tuple) else f"this is {format_value(value)}"
        self.note(what, key, expected=f"a list of at most {MOST} entries", remedy="write [ ... ], with commas")
        return enumerate(())

    def table(self, key: str, most: int = MOST) -> Table:
        """The table under a key; a missing one is empty."""
        return self._table(self.data.get(key, {}), (key,), most)

    def tables(self, key: str) -> Iterator[Table]:
        """The tables in a list."""
        for index, item in self.items(key):
            yield self._table(item, (key, index), MOST)

    def _table(self, value: Any, steps: tuple[str | int, ...], most: int) -> Table:
        if not isinstance(value, Mapping) or len(value) > most:
            what = f"it has {len(value)} entries" if isinstance(value, Mapping) else f"this is {format_value(value)}"
            expected = f"a table of at most {most} entries"
            self.note(what, *steps, expected=expected, remedy="write { name = value, ... } or a [section]")
            value = {}
        return Table(value, (*self.path, *steps), self.problems)

    def _number(self, value: Any, steps: tuple[str | int, ...], low: float, high: float) -> float | None:
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        remedy = "write it without quotes" if isinstance(value, str) else "write a number in that range"
        self.note(
            f"this is {format_value(value)}", *steps, expected=f"a number from {low:g} to {high:g}", remedy=remedy
        )
        return None

    def _name(self, value: Any, steps: tuple[str | int, ...], known: Known) -> str | None:
        if isinstance(value, str) and value in known.ids:
            return value
        what, expected = (
            f"there is no {known.kind} {format_value(value)}",
            f"{_with_article(known.kind)} of this scenario",
        )
        self.note(what, *steps, expected=expected, remedy=_suggest(value, known.ids))
        return None


def _suggest(value: Any, words: Iterable[str]) -> str:
    return did_you_mean(value[:LONGEST_ID] if isinstance(value, str) else "", words)


def _step(key: Any) -> str:
    return key if isinstance(key, str) and len(key) <= 2 * LONGEST_ID else format_value(key)


def _join_quoted(words: Iterable[str]) -> str:
    return ", ".join(map(repr, words))


def _with_article(kind: str) -> str:
    return kind.replace("other", "another", 1) if kind.startswith("other ") else f"a {kind}"
