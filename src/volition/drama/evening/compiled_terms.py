"""Custom terms compiled: their laws become one function whose address the compiled loop takes.

So an evening is not compiled again for a term: a term takes a second, and another term is another address.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from volition.core.errors import refuse
from volition.drama.evening.compiled import INNER, compiled_laws, numbers_in, record_types
from volition.drama.evening.terms import BoundedLaw, add_after, add_nothing
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from collections.abc import Callable

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False}


@cache
def compiled_terms(size: str, laws: tuple[BoundedLaw, ...]) -> Any:
    """What laws add to a score sheet, compiled for a size of packed records; InvalidInput where they cannot be compiled."""
    from numba import cfunc, njit  # noqa: PLC0415

    signature = record_types(size)["AddTerms"].signature
    if not laws:
        return _nowhere(signature)
    known = dict(compiled_laws(size))
    add = njit(add_nothing, **_OPTIONS, **INNER)
    for law, most in laws:
        add = njit(add_after(add, _compile_over(law, known), most, known[leaf]), **_OPTIONS, **INNER)
    try:
        return cfunc(signature, **_OPTIONS)(add.py_func)
    except Exception as error:  # noqa: BLE001 - Numba raises whatever it stumbles on
        refuse(
            f"a custom term cannot be compiled: {type(error).__name__}: {str(error).strip().partition(chr(10))[0]}",
            where=", ".join(getattr(law, "__qualname__", repr(law)) for law, _ in laws),
            expected="a function of numbers, as docs/ensembles.md describes it",
            remedy="keep to what Numba compiles, or give the ensemble a Heuristic, which minds ask",
        )


def _compile_over(function: Callable[..., Any], known: dict[Any, Any]) -> Any:
    """A function compiled to call compiled copies: of laws and rules, and of other functions that it names."""
    from numba import njit  # noqa: PLC0415

    if function not in known:
        assert isinstance(function, FunctionType)
        scope = numbers_in(function.__globals__)
        for name in function.__code__.co_names:
            if isinstance(scope.get(name), FunctionType):
                scope[name] = _compile_over(scope[name], known)
        copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
        known[function] = njit(copy, **_OPTIONS, **INNER)
    return known[function]


def _nowhere(signature: Any) -> Any:
    """The address of no function, for the loop to take where nothing is added."""
    protocol: Any = import_module("numba.experimental.function_type").WrapperAddressProtocol

    class Nowhere(protocol):  # type: ignore[misc]
        def __wrapper_address__(self) -> int:
            return 1  # Numba takes no 0; nobody goes there

        def signature(self) -> Any:
            return signature

    return Nowhere()
