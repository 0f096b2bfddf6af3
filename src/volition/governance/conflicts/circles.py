"""What comes before what: an order of numbers, and the circles that no order can satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def circles(after: Sequence[Sequence[int]], size: int) -> list[list[int]]:
    """The groups of two or more of the first `size` nodes in which each comes after each other one.

    >>> circles([[1], [0], [0]], 3)
    [[0, 1]]
    """
    left = _nodes_in_circles(after)
    return sorted(
        group for part in _strong_parts(after, left) if len(group := sorted(node for node in part if node < size)) > 1
    )


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


def _nodes_in_circles(after: Sequence[Sequence[int]]) -> set[int]:
    """The nodes that remain after repeatedly removing nodes without predecessors."""
    waiting = [0] * len(after)
    for ahead in after:
        for node in ahead:
            waiting[node] += 1
    free = [node for node, count in enumerate(waiting) if not count]
    for node in free:
        for following in after[node]:
            waiting[following] -= 1
            if not waiting[following]:
                free.append(following)
    return {node for node, count in enumerate(waiting) if count}


def _strong_parts(after: Sequence[Sequence[int]], nodes: set[int]) -> list[list[int]]:
    """The strongly connected components among `nodes`, by two depth-first searches (Kosaraju)."""
    order: list[int] = []
    seen: set[int] = set()
    for start in sorted(nodes):
        stack = [] if start in seen else [(start, iter(after[start]))]
        seen.add(start)
        while stack:
            node, ahead = stack[-1]
            step = next((n for n in ahead if n in nodes and n not in seen), None)
            if step is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(step)
                stack.append((step, iter(after[step])))
    return _collect_parts(_reverse(after, nodes), order)


def _reverse(after: Sequence[Sequence[int]], nodes: set[int]) -> Mapping[int, list[int]]:
    before: dict[int, list[int]] = {node: [] for node in nodes}
    for node in nodes:
        for following in after[node]:
            if following in nodes:
                before[following].append(node)
    return before


def _collect_parts(before: Mapping[int, list[int]], order: list[int]) -> list[list[int]]:
    parts: list[list[int]] = []
    taken: set[int] = set()
    for start in reversed(order):
        if start in taken:
            continue
        part = [start]
        taken.add(start)
        for node in part:
            for step in before[node]:
                if step not in taken:
                    taken.add(step)
                    part.append(step)
        parts.append(part)
    return parts
