"""What is asked again and again is made once; the least recently asked goes first."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

V = TypeVar("V")


class Memory(Generic[V]):
    """At most `most` values by key, for several threads.

    Two threads that ask at the same time may both make a value; the first one stays.

    >>> kept = Memory[int](2)
    >>> [kept.get(key, lambda: len(key)) for key in ("a", "bb", "a", "ccc")], "bb" in kept
    ([1, 2, 1, 3], False)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of a key, made now where it is not kept."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        made = make()
        with self._lock:
            kept = self._held.setdefault(key, made)
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)
            return kept

    def __contains__(self, key: Hashable) -> bool:
        return key in self._held

    def __len__(self) -> int:
        return len(self._held)
