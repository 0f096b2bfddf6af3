"""Graphs of plans: what can be reached, what comes before what, and the circles that no order can satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    Node = TypeVar("Node", bound=Hashable)


def reachable(start: Node, steps: Callable[[Node], AbstractSet[Node]]) -> set[Node]:
    """A node and all that `steps` lead to from it, directly or not.

    >>> reachable(0, {0: {1}, 1: {2}, 2: {0}, 3: {0}}.__getitem__)
    {0, 1, 2}
    """
    seen, ahead = {start}, [start]
    while ahead:
        new = steps(ahead.pop()) - seen
        seen |= new
        ahead += new
    return seen


def components(near: Mapping[int, AbstractSet[int]]) -> list[list[int]]:
    """The numbers in parts that nothing connects, each in order, in the order of their first members.

    >>> components({0: {2}, 1: set(), 2: {0}})
    [[0, 2], [1]]
    """
    parts, left = [], sorted(near)
    while left:
        part = reachable(left[0], near.__getitem__)
        parts.append(sorted(part))
        left = [number for number in left if number not in part]
    return parts


def unite(groups: Iterable[Iterable[int]]) -> list[list[int]]:
    """The groups, those as one that have a member in common.

    >>> unite([[0, 1], [2, 3], [1, 2], [4]])
    [[0, 1, 2, 3], [4]]
    """
    united: list[dict[int, None]] = []
    for group in map(dict.fromkeys, groups):
        met = [other for other in united if not other.keys().isdisjoint(group)]
        united = [other for other in united if other not in met]
        united.append({number: None for other in (*met, group) for number in other})
    return [list(group) for group in united]


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
