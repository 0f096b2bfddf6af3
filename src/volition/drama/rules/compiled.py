"""The rules compiled by Numba: the same functions with the same bits, for use in compiled loops.

A compiled function cannot call an interpreted one. So every rule is copied, and the globals of a
copy contain compiled rules.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import FunctionType, SimpleNamespace
from typing import Any, Final

from volition.core.errors import MissingPart, Problem
from volition.core.extras import install_line

MODULES: Final = (
    "leaf",
    "utility",
    "flaws",
    "pacing",
    "situation",
    "physics",
    "catastrophe",
    "beliefs",
    "passing",
)
"""The modules of rules; every function in them is a rule."""


@cache
def compiled_rules(**options: Any) -> SimpleNamespace:
    """Every rule compiled, by module: `compiled_rules().utility.goal_pull`. Each is compiled when it is first called.

    `options` are more of Numba's.

    Raises MissingPart if Numba is not installed.
    """
    try:
        from numba import njit  # noqa: PLC0415  importing it takes half a second
    except ImportError as error:
        raise MissingPart(
            Problem("Numba is not installed", __name__, "numba 0.60 or newer", install_line("fast"))
        ) from error
    modules = [import_module(f"{__package__}.{name}") for name in MODULES]
    scopes = {module.__name__: dict(vars(module)) for module in modules}
    compiled: dict[FunctionType, Any] = {}
    for scope in scopes.values():
        for rule in list(scope.values()):
            if isinstance(rule, FunctionType) and rule.__module__ == scope["__name__"]:
                copy = FunctionType(rule.__code__, scope, rule.__name__, rule.__defaults__)
                compiled[rule] = njit(copy, error_model="numpy", fastmath=False, **options)
    for scope in scopes.values():
        scope.update({name: compiled[rule] for name, rule in scope.items() if _is_rule(rule, compiled)})
    return SimpleNamespace(
        **{
            name: SimpleNamespace(**{rule.__name__: copy for rule, copy in compiled.items() if rule.__module__ == path})
            for name, path in zip(MODULES, scopes, strict=True)
        }
    )


def _is_rule(thing: object, compiled: dict[FunctionType, Any]) -> bool:
    return isinstance(thing, FunctionType) and thing in compiled
