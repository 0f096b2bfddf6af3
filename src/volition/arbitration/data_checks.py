"""Checks of data that becomes intents: each names the place of every problem and continues.

Each takes the place it reads (`where`) and a collector of problems; each returns None, or fewer entries, for what it
could not use.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final, TypeVar

from volition.core.errors import did_you_mean, format_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from volition.core.errors import Problems

T = TypeVar("T")
MOST_KEYS: Final = 20
"""How many unknown keys of one mapping are explained."""


def member(where: str, key: object) -> str:
    """The place of a member of a mapping.

    >>> member("intentions[2].intent.scores", "a"), member("scores", "go home")
    ('intentions[2].intent.scores.a', "scores['go home']")
    """
    return f"{where}.{key}" if isinstance(key, str) and key.isidentifier() else f"{where}[{key!r}]"


def is_number(value: Any) -> bool:
    """Whether this is a finite real number that a float can hold, of whatever type; a truth value is not a number.

    >>> from fractions import Fraction
    >>> [is_number(value) for value in (1, 0.5, Fraction(1, 3), Decimal("0.1"), True, "1", float("nan"), 10**400)]
    [True, True, True, True, False, False, False, False]
    """
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        return False
    try:
        return isfinite(value)
    except (OverflowError, ValueError):  # too large, or a Decimal that signals
        return False


def is_truth(value: Any) -> bool:
    """Whether this is a truth value: a bool, or the one number of an array of them (which says so by its dtype)."""
    return isinstance(value, bool) or (
        getattr(getattr(value, "dtype", None), "kind", None) == "b" and getattr(value, "ndim", None) == 0
    )


def is_whole(value: Any) -> bool:
    """Whether this is a whole number of whatever type; a truth value is not one."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def data_number(value: Any) -> int | float:
    """A number as data can hold it: an int or a float as it is, any other as the nearest float."""
    return value if type(value) is int or type(value) is float else float(value)


def mapping(value: Any, where: str, problems: Problems) -> Mapping[Any, Any] | None:
    """A mapping, or a problem."""
    if isinstance(value, Mapping):
        return value
    expected = "a mapping (an object in JSON, a table in TOML)"
    _add_misfit(value, where, problems, expected, "write it as name: value pairs")
    return None


def record(
    value: Any, where: str, problems: Problems, *, required: Iterable[str], optional: Iterable[str] = ()
) -> Mapping[str, Any] | None:
    """A mapping that has every required key and no unknown one, or its problems."""
    data = mapping(value, where, problems)
    if data is None:
        return None
    needed, known = list(required), [*required, *optional]
    before = len(problems)
    for key in needed:
        if key not in data:
            problems.add(
                f"{key!r} is missing",
                where=where,
                expected="the keys " + ", ".join(map(repr, needed)),
                remedy=f"add {key!r}",
            )
    only = "only " + ", ".join(map(repr, known))
    for key in explained_keys([key for key in data if key not in known], where, only, problems):
        problems.add(
            f"{format_value(key)} is not known here",
            where=member(where, key),
            expected=only,
            remedy=did_you_mean(str(key), known),
        )
    return data if len(problems) == before else None


def explained_keys(unknown: list[Any], where: str, expected: str, problems: Problems) -> Iterator[Any]:
    """The unknown keys that are explained one by one; the others are one problem, because similar names cost a search each."""
    yield from unknown[:MOST_KEYS]
    if len(unknown) > MOST_KEYS:
        what = f"{len(unknown) - MOST_KEYS} more keys are not known here"
        problems.add(what, where=where, expected=expected, remedy="remove them")


def read_member(data: Any, key: str, make: Callable[[Any], T], where: str, problems: Problems) -> T | None:
    """What `make` makes of the value of a mapping that has this key alone, or the problems of both."""
    fields = record(data, where, problems, required=(key,))
    return None if fields is None else problems.attempt(lambda: make(fields[key]), under=f"{where}.")


def number(value: Any, where: str, problems: Problems) -> float | None:
    """A finite number as it was written, or a problem."""
    if is_number(value):
        return data_number(value)
    remedy = "write a number; leave the entry out to say nothing"
    _add_misfit(value, where, problems, "a finite number", remedy)
    return None


def text(value: Any, where: str, problems: Problems) -> str | None:
    """A text that is not empty, or a problem."""
    if isinstance(value, str) and value:
        return value
    _add_misfit(value, where, problems, "a text that is not empty", "write it between quotes")
    return None


def numbers_by_id(value: Any, where: str, problems: Problems) -> dict[str, float]:
    """The usable entries of a mapping from candidate ids to finite numbers; null entries are dropped."""
    numbers: dict[str, float] = {}
    for key, entry in (mapping(value, where, problems) or {}).items():
        if text(key, member(where, key), problems) is None or entry is None:
            continue
        converted = number(entry, member(where, key), problems)
        if converted is not None:
            numbers[key] = converted
    return numbers


def _add_misfit(value: Any, where: str, problems: Problems, expected: str, remedy: str) -> None:
    what = f"this is {format_value(value)} ({type(value).__name__})"
    problems.add(what, where=where, expected=expected, remedy=remedy)
