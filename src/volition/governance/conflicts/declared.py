"""The declared order: which plans come after which, because they say so, directly or through other plans of the set.

Two plans in a declared order may write the same thing: the second continues where the first ended. Plans that come after
each other in a circle of declarations are in no order.
"""

from __future__ import annotations

from functools import cached_property
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from volition.governance.conflicts.graphs import circles, reachable, unite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

SETTLED: Final = frozenset({"resource_write_write", "resource_many", "resource_shared_file", "effect_exclusive"})
"""Rules that a declared order settles: both plans have their way, one after the other. By any other rule the second would
undo or break the first, or was never to come."""


class DeclaredOrder:
    """For each plan by its number, those that it declares to come before it; and what follows from that.

    >>> order = DeclaredOrder([set(), {0}, {1}, set()])
    >>> order.comes_after(2, 0), order.comes_after(0, 2), order.free_parts([0, 1, 2], [0, 1, 2]), order.free_parts([0], [3])
    (True, False, [], [[0, 3]])
    """

    def __init__(self, before: Sequence[AbstractSet[int]] = ()) -> None:
        self._before = {number: earlier for number, earlier in enumerate(before) if earlier}

    def __bool__(self) -> bool:
        """Whether anything is declared."""
        return bool(self._before)

    @cached_property
    def _places(self) -> dict[int, int]:
        """The plans that take part in a declaration, each with its bit."""
        related = {*self._before, *(earlier for before in self._before.values() for earlier in before)}
        return {number: place for place, number in enumerate(sorted(related))}

    @cached_property
    def _earlier(self) -> dict[int, int]:
        """For each of these, those that come before it, as bits; those in a circle with it are not among them."""
        return self._reach(self._before)

    @cached_property
    def _related(self) -> dict[int, int]:
        """For each of these, all that come before or after it, and itself, as bits."""
        after: dict[int, set[int]] = {}
        for number, before in self._before.items():
            for earlier in before:
                after.setdefault(earlier, set()).add(number)
        later = self._reach(after)
        return {number: self._earlier[number] | later[number] | 1 << place for number, place in self._places.items()}

    def _reach(self, steps: Mapping[int, AbstractSet[int]]) -> dict[int, int]:
        """For each of these, all that some steps lead to, as bits, without those from which steps lead back."""
        places = self._places
        ahead = [[places[step] for step in sorted(steps.get(number, ()))] for number in places]
        head = list(range(len(ahead)))
        for circle in circles(ahead, len(ahead)):
            for place in circle:
                head[place] = circle[0]
        own: dict[int, int] = {}
        links: dict[int, set[int]] = {}
        for place, some in enumerate(ahead):
            own[head[place]] = own.get(head[place], 0) | 1 << place
            links.setdefault(head[place], set()).update({head[successor] for successor in some} - {head[place]})
        reached: dict[int, int] = {}
        for place in TopologicalSorter(links).static_order():
            reached[place] = 0
            for successor in links[place]:
                reached[place] |= reached[successor] | own[successor]
        return {number: reached[head[place]] for number, place in places.items()}

    def comes_after(self, later: int, earlier: int) -> bool:
        """Whether one plan comes after another, directly or through others, and not before it as well."""
        place = self._places.get(earlier)
        return place is not None and later in self._earlier and bool(self._earlier[later] >> place & 1)

    def decides(self, one: int, other: int) -> bool:
        """Whether one of the two comes after the other."""
        return self.comes_after(one, other) or self.comes_after(other, one)

    def is_said_among(self, later: int, earlier: int, present: AbstractSet[int]) -> bool:
        """Whether one plan comes after another by declarations of these alone."""
        return earlier in reachable(later, lambda number: self._before.get(number, frozenset()) & present)

    def chain(self, numbers: Iterable[int]) -> list[int]:
        """The numbers in their declared order; empty if some two of them are in none."""
        several = sorted(set(numbers), key=lambda number: (self._earlier.get(number, 0).bit_count(), number))
        return several if all(self.comes_after(b, a) for a, b in pairwise(several)) else []

    def free_parts(self, left: Sequence[int], right: Sequence[int]) -> list[list[int]]:
        """The plans that are in no order with one of the other side, in parts which such pairs connect.

        `left` and `right` are equal where all plans of one group are compared with each other. What was reached is not
        looked at again, so this costs no more than the orders that there are.
        """
        if not self or sum(number in self._places for number in {*left, *right}) < 2:
            several = list(dict.fromkeys((*left, *right)))
            return [several] if len(several) > 1 else []
        sides = (
            [_Side(left, self._places)] if left == right else [_Side(plans, self._places) for plans in (left, right)]
        )
        parts: list[list[int]] = []
        numbers = list(self._places)
        for at, side in enumerate(sides):
            for start in left if at == 0 else right:
                if not side.take(start):
                    continue
                part, ahead = {start: None}, [(at, start)]
                while ahead:
                    here, number = ahead.pop()
                    there = (here + 1) % len(sides)
                    for new in sides[there].take_all(~self._related.get(number, 0), number, numbers):
                        part[new] = None
                        ahead.append((there, new))
                if len(part) > 1:
                    parts.append(list(part))
        return unite(parts)


class _Side:
    """The plans of one side that were not reached yet: those of some declaration as bits, and the others."""

    def __init__(self, numbers: Iterable[int], places: dict[int, int]) -> None:
        self._places = places
        self._known = 0
        self._others: dict[int, None] = {}
        for number in numbers:
            if number in places:
                self._known |= 1 << places[number]
            else:
                self._others[number] = None

    def take(self, number: int) -> bool:
        """Whether a plan was not reached yet; it is then."""
        if number in self._others:
            del self._others[number]
            return True
        place = self._places.get(number)
        if place is None or not self._known >> place & 1:
            return False
        self._known &= ~(1 << place)
        return True

    def take_all(self, free: int, but: int, numbers: Sequence[int]) -> list[int]:
        """All plans that were not reached yet and are free, without one of them; they are reached then."""
        left = {but: None} if but in self._others else {}
        taken = [number for number in self._others if number != but]
        self._others = left
        place = self._places.get(but)
        free &= ~(1 << place) if place is not None else -1
        taken += [numbers[free_place] for free_place in _bits(self._known & free)]
        self._known &= ~free
        return taken


def _bits(mask: int) -> Iterator[int]:
    """The places of the bits of a mask."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
