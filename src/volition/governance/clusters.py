"""Clusters: who is connected with whom by grave clashes, so that each cluster can be settled on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Clusters:
    """A union-find over the numbers 0 to `size` - 1.

    >>> clusters = Clusters(5)
    >>> clusters.join([3, 1])
    >>> clusters.join([1, 4])
    >>> clusters.groups()
    [[1, 3, 4]]
    """

    def __init__(self, size: int) -> None:
        self._above = list(range(size))

    def join(self, numbers: Iterable[int]) -> None:
        """Connect all of these."""
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
        """The smallest number with which this one is connected."""
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
