"""A cache for what is expensive to make and asked for repeatedly; the least recently used entry goes first."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

V = TypeVar("V")


class Cache(Generic[V]):
    """At most `most` values by key, safe for several threads.

    Two threads that ask at the same time may both make a value; the first one is kept.

    >>> lengths = Cache[int](2)
    >>> [lengths.get(key, lambda: len(key)) for key in ("a", "bb", "a", "ccc")], "bb" in lengths
    ([1, 2, 1, 3], False)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of a key, made now where it is not in the cache."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()  # outside the lock: making may take long
        with self._lock:
            value = self._values.setdefault(key, made)
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
            return value

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)
