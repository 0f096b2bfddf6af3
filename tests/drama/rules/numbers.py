"""Numbers for the rules: the tables of the literal specification, and random arguments for any rule by its signature."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin, get_type_hints

import pytest

import volition.drama
from volition.drama import rules
from volition.drama.rules import tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random
    from types import FunctionType

RULES: Final = Path(volition.drama.__path__[0]) / "scenarios" / "rules.toml"
RULES_DATA: Final[dict[str, dict[str, Any]]] = tomllib.loads(RULES.read_text(encoding="utf-8"))
LITERAL: Final = tables.tables_of(RULES_DATA)

_NO_RULES: Final = frozenset({"catalog", "tables", "stage_tables", "compiled"})
_BASES: Final[dict[type, Any]] = {type(table): table for table in LITERAL[1:]}
_LARGEST: Final = {"act": 9, "trigger": 8, "effect": 8, "flaw": 9, "emotion": 5, "belief": 3, "before": 3, "after": 3}
_MINUTES: Final = frozenset({"minute", "minutes_away", "since", "since_scene"})
_EDGES: Final = (0.0, -0.0, 1.0, -1.0, 0.05, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8)


def near(expected: Any) -> Any:
    """Equal to a number, or to a tuple of numbers, up to the grain of a score."""
    return pytest.approx(expected, abs=1e-12)


def rule_modules() -> list[str]:
    """The modules that hold rules, found on disk."""
    return [module.name for module in pkgutil.iter_modules(rules.__path__) if module.name not in _NO_RULES]


def public_rules() -> list[FunctionType]:
    """Every public rule, found by inspection."""
    found = []
    for name in rule_modules():
        module = importlib.import_module(f"{rules.__name__}.{name}")
        functions = inspect.getmembers(module, inspect.isfunction)
        found += [rule for key, rule in functions if not key.startswith("_") and rule.__module__ == module.__name__]
    return found


def rule_id(rule: Callable[..., Any]) -> str:
    return f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}"


@cache
def parameters(rule: Callable[..., Any]) -> dict[str, Any]:
    """A rule's parameters and their types, in order."""
    hints = get_type_hints(rule, localns=vars(tables))
    hints.pop("return")
    return hints


_fields = cache(get_type_hints)
"""The fields of a record and their types, in order."""


def arguments(rule: Callable[..., Any], random: Random) -> tuple[Any, ...]:
    """One random set of arguments: plausible numbers, thresholds and edges alike."""
    return tuple(_value(name, kind, random) for name, kind in parameters(rule).items())


def _value(name: str, kind: Any, random: Random) -> Any:
    if kind is bool:
        return random.random() < 0.5
    if kind is int:
        return random.randint(-1, _LARGEST.get(name, 9))
    if kind is float:
        if name in _MINUTES:
            return random.uniform(-20.0, 160.0)
        return random.choice(_EDGES) if random.random() < 0.3 else random.uniform(-1.0, 1.0)
    if kind in _BASES:
        return kind(*(_near(number, random) for number in _BASES[kind]))
    if get_origin(kind) is tuple:
        return tuple(_value(name, item, random) for item in get_args(kind))
    return kind(*(_value(key, item, random) for key, item in _fields(kind).items()))


def _near(number: float, random: Random) -> float:
    """A coefficient as it is, near it, or, where it is a switch, on."""
    if isinstance(number, int):
        return random.randint(0, 1) if number == 0 else random.choice((number, number + 1))
    if random.random() < 0.3:
        return number
    return random.uniform(0.0, 0.6) if number == 0.0 else number * random.uniform(0.5, 1.5)
