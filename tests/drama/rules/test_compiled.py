"""Every rule compiles, and its twin has its bits."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.drama.rules.compiled_rule import compiled_rule
from tests.drama.rules.numbers import arguments, public_rules, rule_id, rule_modules
from volition.core.errors import MissingPart
from volition.drama.rules.compiled import MODULES, compiled_rules

if TYPE_CHECKING:
    from types import FunctionType

    from tests.sentences import Told

SETS: Final = 60
MOST_SETS: Final = 20_000
EXACT: Final = frozenset({ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitOr, ast.LShift})
STRANGE: Final = (
    ast.Dict,
    ast.Set,
    ast.List,
    ast.ListComp,
    ast.DictComp,
    ast.JoinedStr,
    ast.Lambda,
    ast.Match,
    ast.Try,
)
HARMLESS: Final = frozenset({"__future__", "enum", "typing", "catalog", "tables", "stage_tables"})


def bits(value: Any) -> Any:
    """A value by its bits: floats in hexadecimal, tuples by their items."""
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    return value.hex() if isinstance(value, float) else int(value)


@pytest.mark.req("DE-10")
@pytest.mark.parametrize("rule", public_rules(), ids=rule_id)
def test_a_compiled_rule_has_the_bits_of_the_plain_one(rule: FunctionType) -> None:
    """On random arguments a rule and its compiled twin give the same bits, and not always the same answer.

    A rule that hardly ever says yes is asked until it does.
    """
    copy, random = compiled_rule(rule), Random(rule.__name__)
    answers: set[Any] = set()
    for count in range(MOST_SETS):
        if count >= SETS and len(answers) > 1:
            break
        given = arguments(rule, random)
        answer = bits(rule(*given))
        assert bits(copy(*given)) == answer, given
        answers.add(answer)
    assert len(answers) > 1


def test_no_module_of_rules_is_forgotten() -> None:
    """What is compiled is what is there."""
    assert sorted(MODULES) == sorted(rule_modules())


@pytest.mark.parametrize("name", rule_modules())
def test_rules_use_numbers_and_exact_arithmetic_alone(name: str) -> None:
    """Rules add, subtract, multiply and divide; IEEE 754 gives these one answer everywhere. They build no containers.

    Sets are whole numbers that are put together bit by bit.
    """
    tree = ast.parse(inspect.getsource(importlib.import_module(f"volition.drama.rules.{name}")))
    nodes = list(ast.walk(tree))
    assert not any(isinstance(node, STRANGE) for node in nodes)
    operators = {node.op.__class__ for node in nodes if isinstance(node, ast.BinOp | ast.AugAssign)}
    assert operators <= EXACT
    imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert not any(isinstance(node, ast.Import) for node in nodes)
    assert {module.removeprefix("volition.drama.rules.") for module in imported} <= HARMLESS | set(rule_modules())


def test_without_numba_the_missing_part_is_named(monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """Where Numba is not installed, asking for compiled rules says what to install."""
    monkeypatch.setitem(sys.modules, "numba", None)
    with told.raises(MissingPart):
        compiled_rules.__wrapped__()
