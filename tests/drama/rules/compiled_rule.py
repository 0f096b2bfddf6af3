"""The compiled twins of the rules, kept on disk until a rule changes."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.rules.numbers import rule_id, rule_modules
from volition.core.compiling import compiled_folder
from volition.drama.rules.compiled import compiled_rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType, SimpleNamespace


def compiled_rule(rule: FunctionType) -> Callable[..., Any]:
    """The compiled twin of a rule."""
    module, _, name = rule_id(rule).partition(".")
    copy: Callable[..., Any] = getattr(getattr(_compiled_rules(), module), name)
    return copy


@cache
def _compiled_rules() -> SimpleNamespace:
    config: Any = importlib.import_module("numba").config
    modules = [importlib.import_module(f"volition.drama.rules.{name}") for name in rule_modules()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "CACHE_DIR", str(compiled_folder(modules)))
        return compiled_rules(cache=True)
