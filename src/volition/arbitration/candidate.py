"""Candidates: each of those offered together has a unique id, by which votes, vetoes and questions name it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

from volition.core.errors import InvalidInput, Problem, refuse


def as_list(candidates: Iterable[Any]) -> list[Any]:
    """The candidates in the order offered, which is part of the input: it is the last tie-break."""
    if isinstance(candidates, (str, bytes, set, frozenset)) or not isinstance(candidates, Iterable):
        refuse(
            f"the candidates are a {type(candidates).__name__}",
            where="candidates",
            expected="a list, or another iterable with a defined order",
            remedy="pass a list; sort a set first: its order changes from run to run",
        )
    return list(candidates)


def identify(candidates: Sequence[Any], key: Callable[[Any], str] | None = None) -> list[str]:
    """Give each candidate its id: `key(candidate)`, or the text itself, or its `id`, or how it prints.

    A dataclass prints as all that it holds, which is not an id: it goes by its `id`, its `name`, or what its own `__str__`
    says.

    >>> identify(["a", "b"])
    ['a', 'b']
    >>> identify([{"id": "north", "cost": 1}, {"id": "south", "cost": 2}])
    ['north', 'south']
    >>> identify([(0, 1), (1, 0)])
    ['(0, 1)', '(1, 0)']
    """
    try:
        if key is not None:
            ids = [key(candidate) for candidate in candidates]
        elif candidates and not isinstance(candidates[0], str):
            ids = [candidate.id for candidate in candidates]
        else:
            ids = list(candidates)
        "".join(ids)  # the quickest way to know that all of them are texts
    except Exception:  # noqa: BLE001  the slow path says which candidate it was
        ids = [_identify(candidate, index, key) for index, candidate in enumerate(candidates)]
    distinct = {*ids}
    if len(distinct) != len(ids) or "" in distinct:
        _refuse_ids(ids)
    return ids


def _identify(candidate: Any, index: int, key: Callable[[Any], str] | None) -> str:
    where = f"candidates[{index}]"
    if key is not None:
        try:
            id = key(candidate)
        except Exception as error:
            raise InvalidInput.of(
                f"key raised {type(error).__name__}: {error}".removesuffix(": "),
                where=where,
                expected="a text for every candidate",
                remedy="fix the key function",
            ) from error
        if isinstance(id, str):
            return id
        refuse(f"key gave {id!r}", where=where, expected="a text", remedy="let key return a str")
    if isinstance(candidate, str):
        return candidate
    named: Any = candidate.get("id") if isinstance(candidate, Mapping) else getattr(candidate, "id", None)
    record = is_dataclass(candidate) and type(candidate).__str__ is object.__str__
    if named is None and record:
        named = getattr(candidate, "name", None)
    if isinstance(named, (str, int)) and not isinstance(named, bool):
        return str(named)
    if record:
        refuse(
            f"a {type(candidate).__name__} has no id and no name",
            where=where,
            expected="a dataclass with a text or a whole number as its `id` or `name`",
            remedy="give it one, or pass key=, a function from a candidate to its id",
        )
    printed = str(candidate)
    if " at 0x" in printed:
        refuse(
            f"a {type(candidate).__name__} has no id, and prints as an address that changes from run to run",
            where=where,
            expected="a text, something with an `id`, or something that prints as itself",
            remedy="give it an `id`, or pass key=",
        )
    return printed


def _refuse_ids(ids: Sequence[str]) -> None:
    problems = [
        Problem(f"the id {name!r} is used {count} times", "candidates", "ids used once", "offer each candidate once")
        for name, count in Counter(ids).items()
        if count > 1
    ]
    if "" in ids:
        problems.append(
            Problem("an id is empty", f"candidates[{ids.index('')}]", "a text that is not empty", "name the candidate")
        )
    raise InvalidInput(*problems)
