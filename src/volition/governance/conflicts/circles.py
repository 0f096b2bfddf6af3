"""What comes before what: an order of numbers, and the circles that no order can satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def circles(after: Sequence[Sequence[int]], size: int) -> list[list[int]]:
    """The groups of two or more of the first `size` nodes in which each comes after each other one.

    >>> circles([[1], [0], [0]], 3)
    [[0, 1]]
    """
    parts = (sorted(node for node in part if node < size) for part in _strong_parts(after))
    return sorted(part for part in parts if len(part) > 1)


def in_order(waits: dict[int, set[int]]) -> list[int]:
    """The numbers, each after those that it waits for; among those that may come next, the smallest first.

    Where a circle is left, its smallest comes first. What is waited for outside of the numbers is ignored.

    >>> in_order({0: {2}, 1: set(), 2: set()}), in_order({0: {1}, 1: {0}})
    ([1, 2, 0], [0, 1])
    """
    left = {number: waits[number] & waits.keys() for number in sorted(waits)}
    ordered: list[int] = []
    while left:
        free = next((number for number, before in left.items() if not before), next(iter(left)))
        del left[free]
        ordered.append(free)
        for before in left.values():
            before.discard(free)
    return ordered


def _strong_parts(after: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The strongly connected components of what has something after it, by one search with two stacks (Gabow).

    `path` holds what is not yet in a component, `bounds` the nodes on it that may be the first of one.
    """
    numbers: dict[int, int] = {}
    done: set[int] = set()
    path, bounds = list[int](), list[int]()
    for start in range(len(after)):
        ahead = [(start, iter(after[start]))] if after[start] and start not in numbers else []
        while ahead:
            node, following = ahead[-1]
            if node not in numbers:
                numbers[node] = len(numbers)
                path.append(node)
                bounds.append(node)
            for step in following:
                if step not in numbers:
                    ahead.append((step, iter(after[step])))
                    break
                while step not in done and numbers[bounds[-1]] > numbers[step]:
                    bounds.pop()
            else:
                ahead.pop()
                if bounds[-1] == node:
                    bounds.pop()
                    part = [path.pop()]
                    while part[-1] != node:
                        part.append(path.pop())
                    done.update(part)
                    yield part
