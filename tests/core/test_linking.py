"""Laws of linking late: the same numbers, with every function optimised once."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from volition.core import linking
from volition.core.linking import linked_late

pytest.importorskip("numba")
_NOT_FROM_PYTHON: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _tree() -> tuple[Any, list[Any]]:
    """A function that Python calls, and the two beneath it, one of which calls the other."""
    njit: Any = import_module("numba").njit
    least: Any = njit(lambda number: min(number, 3.0) + 1.0, **_NOT_FROM_PYTHON)
    twice: Any = njit(lambda number: least(number) + least(number + 1.0), **_NOT_FROM_PYTHON)
    top: Any = njit(lambda number: twice(number) * least(number))
    return top, [least, twice]


def _library(function: Any) -> Any:
    (overload,) = function.overloads.values()
    return overload.library


def test_what_python_cannot_call_waits() -> None:
    """Functions beneath another are done once, with it: the numbers are right, and they alone have no code of their own."""
    top, beneath = _tree()
    with linked_late():
        assert top(1.0) == 10.0
    assert [_library(function).waits for function in (top, *beneath)] == [False, True, True]


def test_what_is_linked_in_belongs_to_its_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is linked in can be called from elsewhere, so it can be made part of its caller, which still can."""
    library: Any = import_module("numba.core.codegen").CPUCodeLibrary
    optimise, linkages = library._optimize_final_module, set[str]()

    def watch(self: Any) -> None:
        linkages.update(one.linkage.name for one in self._final_module.functions if not one.is_declaration)
        optimise(self)

    monkeypatch.setattr(library, "_optimize_final_module", watch)
    top, _ = _tree()
    with linked_late():
        top(1.0)
    assert "internal" in linkages
    assert "linkonce_odr" not in linkages
    later = import_module("numba").njit(lambda number: top(number) + 0.5)
    assert later(1.0) == 10.5


def test_what_waited_can_be_called_later() -> None:
    """A function that waited for one caller is there for the next, which Numba compiles as it always does."""
    top, (_, twice) = _tree()
    with linked_late():
        top(1.0)
    later = import_module("numba").njit(lambda number: twice(number) + 0.5)
    assert later(1.0) == 5.5
    assert not hasattr(_library(later), "waits")


def test_where_numba_has_other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Numba's own names have moved, it compiles as it always does."""
    monkeypatch.setattr(linking, "_NEEDED", ("no_such_name",))
    top, beneath = _tree()
    with linked_late():
        assert top(1.0) == 10.0
    assert not any(hasattr(_library(function), "waits") for function in (top, *beneath))
