"""Snapshots notice every change that could matter, and none that does not."""

from __future__ import annotations

import itertools
import random
import threading
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from volition.arbitration.snapshot import reachable_parts, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable


class Slotted:
    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept = [1]


@dataclass
class Record:
    name: str
    cache: dict[str, int] = field(default_factory=dict, compare=False)


class Lazy:
    @cached_property
    def size(self) -> int:
        return 3


CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "list": (lambda: [1], lambda v: v.append(2)),
    "dict": (lambda: {"a": [1]}, lambda v: v["a"].append(2)),
    "order": (lambda: {"a": 1, "b": 2}, lambda v: v.update(a=v.pop("a"))),
    "set": (lambda: {1}, lambda v: v.add(2)),
    "tuple": (lambda: ([],), lambda v: v[0].append(1)),
    "namespace": (lambda: SimpleNamespace(a=1), lambda v: setattr(v, "a", 2)),
    "slots": (Slotted, lambda v: v.kept.append(2)),
    "dataclass": (lambda: Record("a"), lambda v: setattr(v, "name", "b")),
    "random": (lambda: random.Random(1), lambda v: v.random()),
    "counter": (itertools.count, next),
    "iterator": (lambda: iter([1, 2]), next),
    "deque": (lambda: deque([1]), lambda v: v.append(2)),
    "type": (lambda: [1], lambda v: v.__setitem__(0, True)),
    "bytearray": (lambda: bytearray(b"a"), lambda v: v.append(1)),
    "partial": (lambda: partial(max, [1]), lambda v: v.args[0].append(2)),
    "method": (lambda: [1].append, lambda v: v(2)),
}
"""Ways to make a value, and to change it."""


@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_seen(name: str) -> None:
    """A change at any depth of any common kind of value changes the snapshot; looking twice does not."""
    make, change = CHANGES[name]
    value = make()
    before = snapshot(value)
    assert snapshot(value) == before
    change(value)
    assert snapshot(value) != before


def test_caches_are_not_part_of_a_value() -> None:
    """A field that is not compared, a cached property and an lru_cache may fill without a change."""

    @lru_cache
    def double(number: int) -> int:
        return 2 * number

    record, lazy = Record("a"), Lazy()
    before = snapshot([record, lazy, double])
    record.cache["b"] = lazy.size + double(2)
    assert snapshot([record, lazy, double]) == before


def test_cycles_and_depth_end() -> None:
    """A value that holds itself, or is very deep, or cannot be taken apart, still has a snapshot."""
    knot: list[Any] = [1]
    knot.append(knot)
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    assert snapshot(knot) == snapshot(knot)
    assert snapshot(deep) == snapshot(deep)
    assert snapshot(threading.Lock()) == snapshot(threading.Lock())


def function(source: str, **names: Any) -> FunctionType:
    exec(source, names)  # the globals are the function's own
    found = names["f"]
    assert isinstance(found, FunctionType)
    return found


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("def f(x):\n    seen.append(x)", "global 'seen'"),
        ("def f(x):\n    return [seen.append(y) for y in [x]]", "global 'seen'"),
        ("def f(x, kept=[]):\n    kept.append(x)", "its defaults"),
        ("def f(x, *, kept=[]):\n    kept.append(x)", "its defaults"),
        ("def f(x):\n    f.calls = x", "its attributes"),
        ("def helper(x):\n    seen.append(x)\ndef f(x):\n    helper(x)", "global 'helper'"),
        (
            "def make():\n    kept = []\n    def f(x):\n        kept.append(x)\n    return f\nf = make()",
            "closure cell 'kept'",
        ),
        ("import random\ndef f(x):\n    return random.random()", "global 'random.random'"),
        ("class Kept:\n    count = 0\ndef f(x):\n    Kept.count += x", "global 'Kept'"),
    ],
)
def test_what_a_function_remembers_by(source: str, part: str) -> None:
    """Calling a function that keeps state changes exactly the part that it keeps it in, and that part has a name."""
    call = function(source, seen=[], __name__="a_users_module")
    before = reachable_parts(call)
    assert reachable_parts(call) == before
    call(1)
    after = reachable_parts(call)
    assert part in {name for name in after if before.get(name) != after[name]}


def test_a_callable_object_and_a_method() -> None:
    """State that an object keeps in itself is seen through its methods and if the object is callable."""

    class Counting:
        def __init__(self) -> None:
            self.count = 0

        def __call__(self, candidate: Any) -> None:
            self.count += 1

    counting = Counting()
    for subject, part in ((counting, "the object itself"), (counting.__call__, "its object")):
        before = reachable_parts(subject)[part]
        counting("a")
        assert reachable_parts(subject)[part] != before
