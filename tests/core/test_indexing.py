"""Laws of indices taken as they are: the same numbers, and no code for what does not happen."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from volition.core import indexing
from volition.core.indexing import counted_from_the_start

pytest.importorskip("numba")
TABLE = np.array([2.0, 3.0, 5.0])


def _look_up() -> Any:
    return import_module("numba").njit(lambda table, place: table[place])


def _compiled(function: Any) -> str:
    (text,) = function.inspect_llvm().values()
    return str(text)


def test_indices_are_taken_as_they_are() -> None:
    """Every place of a table is read as ever, with less code; what is compiled later counts from the end again."""
    plain, taken, later = _look_up(), _look_up(), _look_up()
    assert plain(TABLE, -1) == 5.0
    with counted_from_the_start():
        assert [taken(TABLE, place) for place in range(3)] == TABLE.tolist()
    assert later(TABLE, -1) == 5.0
    assert len(_compiled(taken)) < len(_compiled(plain))


def test_where_numba_has_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Numba's own name has moved, it compiles as it always does."""
    monkeypatch.setattr(indexing, "FIX", "no_such_name")
    look_up = _look_up()
    with counted_from_the_start():
        assert look_up(TABLE, -1) == 5.0
