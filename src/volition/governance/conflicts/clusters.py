"""Clusters: which plans high or critical clashes connect, so that each cluster can be settled separately."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

from volition.governance.documents.intent_set import SET_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Clusters:
    """A union-find over the numbers 0 to `size` - 1.

    >>> clusters = Clusters(5)
    >>> clusters.join([3, 1])
    >>> clusters.join([1, 4])
    >>> clusters.groups(), clusters.near[1]
    ([[1, 3, 4]], {3, 4})
    """

    def __init__(self, size: int) -> None:
        self._above = list(range(size))
        self.near: list[set[int]] = [set() for _ in range(size if size <= SET_LIMIT else 0)]
        """For each number, those that it clashes with; empty in a set that is too large to be settled."""
        self.lasting: list[set[int]] = [set() for _ in self.near]
        """The same without clashes by nothing but a freeze, which ends for whoever wins over it."""

    def join(self, numbers: Iterable[int]) -> None:
        """Record that all of these clash with each other."""
        several = list(numbers)
        if self.near:
            self._note(combinations(several, 2))
        self.connect(several)

    def link(self, left: Sequence[int], right: Sequence[int], *, by_freeze: bool = False) -> None:
        """Record that each of `left` clashes with each of `right`, perhaps by nothing but a freeze."""
        if self.near:
            self._note(product(left, right), by_freeze=by_freeze)
        self.connect([*left, *right])

    def _note(self, pairs: Iterable[tuple[int, int]], *, by_freeze: bool = False) -> None:
        for one, other in pairs:
            for noted in (self.near,) if by_freeze else (self.near, self.lasting):
                if one != other:
                    noted[one].add(other)
                    noted[other].add(one)

    def connect(self, numbers: Iterable[int]) -> None:
        """Put all of these into one cluster, whether any two of them clash or not."""
        several = iter(numbers)
        first = next(several, None)
        if first is None:
            return
        root = self.root(first)
        above = self._above
        for number in several:
            other = self.root(number)
            if other != root:
                # The smaller number stays on top, so that the result does not depend on the order of joining.
                root, other = min(root, other), max(root, other)
                above[other] = root

    def root(self, number: int) -> int:
        """The smallest number that this one is connected to."""
        above = self._above
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    def groups(self) -> list[list[int]]:
        """The clusters of two or more, each in order, in the order of their first members."""
        found: dict[int, list[int]] = {}
        for number, above in enumerate(self._above):
            if above != number:
                found.setdefault(self.root(number), []).append(number)
        return sorted([root, *members] for root, members in found.items())
