"""Snapshots of values, all the way down, to tell later whether a value has changed.

Two snapshots are equal if nothing that they cover has changed. Fields that a dataclass does not compare, and what
`cached_property` and `lru_cache` keep, count as caches, not as parts of the value.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from types import BuiltinMethodType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Snapshot = tuple[Any, ...]

_DEEPEST = 100
_MOST = 100_000
_ATOMS = (type(None), bool, int, float, complex, str, bytes, Enum)


def snapshot(value: Any) -> Snapshot:
    """The snapshot of a value as it is now.

    >>> basket = {"apples": [1, 2]}
    >>> before = snapshot(basket)
    >>> basket["apples"].append(3)
    >>> snapshot(basket) == before
    False
    """
    return _Walk().look(value, 0)


def reachable_parts(subject: Any) -> dict[str, Snapshot]:
    """Everything in which a function or an object can keep state: each part by name, with its snapshot.

    For a function: the globals that it names, its closure cells, its defaults and its attributes.
    """
    if isinstance(subject, MethodType):
        return {"its object": snapshot(subject.__self__), **reachable_parts(subject.__func__)}
    if isinstance(subject, FunctionType):
        return {name: snapshot(value) for name, value in _parts(subject)}
    return {"the object itself": snapshot(subject)}


def _parts(function: FunctionType) -> Iterator[tuple[str, Any]]:
    names = sorted(_names(function.__code__))
    for name in names:
        if name in function.__globals__:
            value = function.__globals__[name]
            if isinstance(value, ModuleType):
                inside = [inner for inner in names if inner in vars(value)]
                yield from ((f"global '{name}.{inner}'", getattr(value, inner)) for inner in inside)
            else:
                yield f"global {name!r}", value
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f"closure cell {name!r}", cell.cell_contents
        except ValueError:  # not filled yet
            continue
    yield "its defaults", (function.__defaults__, function.__kwdefaults__)
    yield "its attributes", function.__dict__


def _names(code: CodeType) -> set[str]:
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)


class _Walk:
    """One walk through a value. An object that was met before is replaced by its number, so cycles end."""

    def __init__(self) -> None:
        self.met: dict[int, tuple[int, Any]] = {}  # keeping the value keeps its id from being reused during the walk

    def look(self, value: Any, depth: int) -> Snapshot:
        kind = type(value)
        if isinstance(value, _ATOMS):
            return (kind.__qualname__, repr(value))
        if id(value) in self.met:
            return ("met", self.met[id(value)][0])
        if depth > _DEEPEST or len(self.met) > _MOST:
            return ("beyond",)
        self.met[id(value)] = (len(self.met), value)
        if isinstance(value, (list, tuple)):
            return (kind.__qualname__, *self._all(value, depth))
        if isinstance(value, (dict, MappingProxyType)):
            return (kind.__qualname__, *self._all(value.items(), depth))
        if isinstance(value, (set, frozenset)):
            return (kind.__qualname__, *sorted(map(repr, self._all(value, depth))))
        if isinstance(value, type):
            return self._class(value, depth)
        if isinstance(value, FunctionType):
            return ("function", value.__qualname__, *(self._all(_parts(value), depth) if _is_users(value) else ()))
        if isinstance(value, (MethodType, BuiltinMethodType)):
            owner = None if isinstance(value.__self__, ModuleType) else value.__self__
            return ("method", value.__qualname__, self.look(owner, depth + 1))
        if isinstance(value, ModuleType):
            return ("module", value.__name__)
        if is_dataclass(value):
            compared = [(field.name, getattr(value, field.name, None)) for field in fields(value) if field.compare]
            return (kind.__qualname__, *self._all(compared, depth))
        return (kind.__qualname__, *self._all(_state(value), depth))

    def _all(self, values: Iterable[Any], depth: int) -> list[Snapshot]:
        return [self.look(value, depth + 1) for value in values]

    def _class(self, value: type, depth: int) -> Snapshot:
        data = [
            (name, kept)
            for name, kept in vars(value).items()
            if _is_users(value) and not name.startswith("__") and not hasattr(kept, "__get__") and not callable(kept)
        ]
        return ("class", value.__qualname__, *self._all(data, depth))


def _is_users(value: Any) -> bool:
    """Whether a function or class is neither Python's own nor ours."""
    top = str(getattr(value, "__module__", "")).partition(".")[0]
    return top not in sys.stdlib_module_names and top != "volition"


def _state(value: Any) -> Iterable[Any]:
    """What pickle would rebuild an object from; failing that, its attributes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reduced = value.__reduce_ex__(4)
    except Exception:  # noqa: BLE001  an object that cannot be pickled
        return _drop_caches(value, getattr(value, "__dict__", {}))
    if isinstance(reduced, str):
        return ()
    arguments, state, listed, paired = (*reduced[1:5], None, None, None)[:4]
    kept = _drop_caches(value, state or {}) if state is None or isinstance(state, dict) else [state]
    return [arguments, *kept, list(listed or ()), list(paired or ())]


def _drop_caches(value: Any, attributes: dict[str, Any]) -> list[Any]:
    caches = {
        name for base in type(value).__mro__ for name, kept in vars(base).items() if isinstance(kept, cached_property)
    }
    return [(name, kept) for name, kept in attributes.items() if name not in caches]
