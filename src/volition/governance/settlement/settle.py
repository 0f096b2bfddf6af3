"""Settlement: which plans are kept, which give way to which, and which outcomes a person can choose from.

A plan that wins over every plan that it still clashes with is kept, and those give way. A plan that gave way no longer
blocks others, so this is repeated until nothing changes. The rest is open: parts of a cluster in which no key decides,
and circles of plans that need each other, with all plans that clash with them.
"""

from __future__ import annotations

from collections import deque
from itertools import chain, combinations
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.governance.conflicts.graphs import circles, components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from volition.governance.conflicts.order import Needs

OUTCOMES: Final = 32
"""How many outcomes one question offers; a question with more of them says so."""
LOOKS: Final = 1000
"""How many choices are tried when the smallest ones that fit are searched."""


class Relations:
    """Which plans clash and which need each other, by their numbers."""

    def __init__(self, near: Sequence[AbstractSet[int]], needs: Needs) -> None:
        self.near = [set(some) for some in near]
        self.after: list[set[int]] = [set() for _ in near]
        """For each number, those that come after it."""
        for _, maker, taker in needs.each():
            self.after[maker].add(taker)

    def let_through(self, one: int, other: int) -> None:
        """Let two plans clash no more: one of them may do what the other has frozen."""
        self.near[one].discard(other)
        self.near[other].discard(one)

    def circles(self, among: AbstractSet[int]) -> list[list[int]]:
        """The groups among these that need each other in a circle."""
        if not any(self.after[n] for n in among):
            return []
        after = [sorted(self.after[n] & among) if n in among else [] for n in range(len(self.after))]
        return circles(after, len(after))

    def circle_through(self, number: int, among: AbstractSet[int]) -> list[int]:
        """The others on a shortest circle of needs through a number and these; empty if there is none."""
        ways = {n: [n] for n in sorted(self.after[number] & among) if n != number}
        ahead = deque(ways.values())
        while ahead:
            way = ahead.popleft()
            if number in self.after[way[-1]]:
                return way
            for step in sorted((self.after[way[-1]] & among) - ways.keys() - {number}):
                ways[step] = [*way, step]
                ahead.append(ways[step])
        return []


class Settlement(Struct, frozen=True):
    """Which plans are kept, which gave way to which by which key, and the open parts."""

    kept: frozenset[int]
    lost: dict[int, tuple[int, str]]
    open: list[list[int]]


def settle(group: Iterable[int], field: Relations, decides: Callable[[int, int], str | None]) -> Settlement:
    """Settle a cluster as far as `decides` does; it returns the key by which one number wins over another."""
    live, kept = set(group), set[int]()
    near = field.near
    stuck = {number for circle in field.circles(live) for number in circle}
    while True:
        ready = (n for n in live - kept - stuck if near[n].isdisjoint(stuck))
        winners = {n for n in ready if all(decides(n, other) for other in near[n] & live)}
        if not winners:
            break
        kept |= winners
        live -= {other for n in winners for other in near[n]}
    lost = {}
    for loser in sorted(set(group) - live):
        # A loser may clash with several that are kept; the first one that wins over it is named.
        keys = ((winner, decides(winner, loser)) for winner in sorted(near[loser] & kept))
        lost[loser] = next((winner, key) for winner, key in keys if key)
    return Settlement(frozenset(kept), lost, _open_parts(live - kept, field))


def _open_parts(open: set[int], field: Relations) -> list[list[int]]:
    """The open numbers in parts that neither a clash nor a circle connects."""
    linked = {n: field.near[n] & open for n in open}
    for circle in field.circles(open):
        for number in circle:
            linked[number] = linked[number] | set(circle)
    return components(linked)


def possible_choices(part: Sequence[int], field: Relations, most: int = OUTCOMES) -> tuple[list[tuple[int, ...]], bool]:
    """The maximal choices of a part that can be kept together, the largest first, and whether there are more.

    Every such choice can be reached from any other by adding a plan, removing what it excludes, and filling up again; so
    all are found, and the search ends after `most`.
    """
    first = _fill_up((), part, field)
    choices, ahead = {first}, deque([first])
    while ahead:
        choice = ahead.popleft()
        for newcomer in part:
            if newcomer in choice:
                continue
            rest = set(choice) - field.near[newcomer]
            for some in _without_circles(rest, newcomer, field):
                other = _fill_up(some, part, field)
                if other not in choices:
                    if len(choices) == most:
                        return sorted(choices, key=_largest_first), True
                    choices.add(other)
                    ahead.append(other)
    return sorted(choices, key=_largest_first), False


def _largest_first(choice: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return -len(choice), choice


def _fill_up(some: Iterable[int], part: Sequence[int], field: Relations) -> tuple[int, ...]:
    """These, and of the others in order all that can still be kept with them."""
    kept = set(some)
    for number in part:
        if number not in kept and field.near[number].isdisjoint(kept) and not field.circle_through(number, kept):
            kept.add(number)
    return tuple(sorted(kept))


def _without_circles(rest: AbstractSet[int], newcomer: int, field: Relations) -> Iterator[set[int]]:
    """The newcomer with as many of the rest as possible without a circle, in every way."""
    seen = {frozenset(rest)}
    ahead = [frozenset(rest)]
    while ahead:
        some = ahead.pop()
        circle = field.circle_through(newcomer, some)
        if not circle:
            yield {*some, newcomer}
        for number in circle:
            fewer = some - {number}
            if fewer not in seen:
                seen.add(fewer)
                ahead.append(fewer)


def smallest_choices(
    numbers: Sequence[int], fits: Callable[[tuple[int, ...]], bool], most: int = OUTCOMES, looks: int = LOOKS
) -> tuple[list[tuple[int, ...]], bool]:
    """The minimal choices that fit, and whether there may be more.

    The search goes by size and ends after `most` results or `looks` tries; all numbers together are not a choice.
    """
    choices: list[tuple[int, ...]] = [(number,) for number in numbers if len(numbers) > 1 and fits((number,))]
    # A number that fits alone is in no larger minimal choice.
    others = [number for number in numbers if (number,) not in choices]
    sized = chain.from_iterable(combinations(others, size) for size in range(2, min(len(others) + 1, len(numbers))))
    for count, some in enumerate(sized):
        if count == looks or len(choices) > most:
            return choices[:most] or _one_that_fits(numbers, fits), True
        if not any(set(smaller) <= set(some) for smaller in choices) and fits(some):
            choices.append(some)
    return choices[:most], len(choices) > most


def _one_that_fits(numbers: Sequence[int], fits: Callable[[tuple[int, ...]], bool]) -> list[tuple[int, ...]]:
    """One minimal choice that fits, found by removing one number after the other."""
    choice = tuple(numbers)
    for number in numbers:
        fewer = tuple(n for n in choice if n != number)
        if fits(fewer):
            choice = fewer
    return [choice] if len(choice) < len(numbers) else []
