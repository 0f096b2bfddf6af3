"""Contests: which plans meet on which resource, found by an index instead of comparing pairs.

Two intents meet where both claim a resource, or one claims it and the other something that meets it. The place of the
meeting is the larger of the two, so a folder that one intent claims is one contest however many work inside it, and
the cost follows the claims and not the pairs. Plans that only claim something inside do not meet there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from volition.governance.documents.effects import BITS, MASK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from volition.governance.claims.index import PlaceIndex

    Index = dict[str, list[int]]
    """Resource -> the codes of those who claim it."""
    Profile = tuple[int, ...]

BY_WORDS: Final = 18
"""By how many bits the flags of a clash are shifted that follows from the words of a text alone."""
SHIFT: Final = BITS + 7
"""A code is a claim with the number of its intent above these bits; an intent has at most 80 commands."""


def plain_flags(flags: int) -> int:
    """The flags of a clash, whether it follows from words alone or not."""
    return (flags | flags >> BY_WORDS) & ((1 << BY_WORDS) - 1)


class ClaimClash(NamedTuple):
    """Two groups of codes whose owners clash, each of one group with each of the other, and how.

    `left` and `right` are the same list where the members of one group clash among themselves.
    """

    flags: int
    left: list[int]
    right: list[int]
    complementary: bool = False


class Contest(Struct, frozen=True):
    """A resource with the codes of those who claim it, and of those who claim something inside it or across its edge."""

    resource: str
    direct: list[int]
    inside: list[int]


def add_claims(index: Index, number: int, claims: dict[str, int]) -> None:
    """Add what the plan with this number claims."""
    for resource, claim in claims.items():
        index.setdefault(resource, []).append(number << SHIFT | claim)


def inside_of(index: Index, places: PlaceIndex) -> tuple[Index, dict[str, list[str]]]:
    """Resource -> the codes of the claims on what meets it there, and resource -> the others at which it meets something;
    only resources with such claims."""
    inside: Index = {}
    outside: dict[str, list[str]] = {}
    for outer, inner in places.pairs():
        inside.setdefault(outer, []).extend(index[inner])
        outside.setdefault(inner, []).append(outer)
    return inside, outside


def contests_in(index: Index, inside: Index) -> Iterator[Contest]:
    """Every resource on which two plans may meet."""
    for resource, codes in index.items():
        if len(codes) > 1 or resource in inside:
            yield Contest(resource, codes, inside.get(resource, []))


def meetings(
    contest: Contest,
    clash: Callable[[int, int], int],
    hinted: AbstractSet[int] = frozenset(),
    complementary: AbstractSet[tuple[int, int]] = frozenset(),
) -> list[ClaimClash]:
    """All clashes of a contest, between groups of plans that do the same there."""
    groups = _groups(profiles(contest), hinted)
    met: list[ClaimClash] = []
    for at, (profile, codes) in enumerate(groups):
        if len(codes) > 1 and (flags := clashes(profile, profile, clash)):
            met.append(ClaimClash(flags, codes, codes))
        for other, others in groups[at + 1 :]:
            if flags := clashes(profile, other, clash):
                pair = (codes[0] >> SHIFT, others[0] >> SHIFT)
                met.append(ClaimClash(flags, codes, others, pair in complementary))
    return met


def profiles(contest: Contest) -> dict[int, tuple[Profile, int]]:
    """Intent -> what it does on the resource itself (0: nothing), then what it does inside; and its gravest code."""
    by_plan: dict[int, tuple[Profile, int]] = {code >> SHIFT: ((code & MASK,), code) for code in contest.direct}
    if contest.inside:
        within: dict[int, set[int]] = {}
        codes: dict[int, int] = {}
        for code in contest.inside:
            number = code >> SHIFT
            within.setdefault(number, set()).add(code & MASK)
            codes[number] = max(codes.get(number, 0), code)
        for number, masks in within.items():
            mine, code = by_plan.get(number, ((0,), codes[number]))
            by_plan[number] = ((*mine, *sorted(masks)), code)
    return by_plan


def clashes(one: Profile, other: Profile, clash: Callable[[int, int], int]) -> int:
    """How two profiles clash; what both do only inside the resource belongs to another contest."""
    mine, yours = one[0], other[0]
    flags = clash(mine, yours) if mine and yours else 0
    if mine:
        for mask in other[1:]:
            flags |= clash(mine, mask)
    if yours:
        for mask in one[1:]:
            flags |= clash(mask, yours)
    return flags


def _groups(by_plan: dict[int, tuple[Profile, int]], hinted: AbstractSet[int]) -> list[tuple[Profile, list[int]]]:
    """The plans grouped by profile; a plan that a hint names is in a group by itself."""
    together: dict[Profile, list[int]] = {}
    alone: list[tuple[Profile, list[int]]] = []
    for number, (profile, code) in by_plan.items():
        if number in hinted:
            alone.append((profile, [code]))
        else:
            together.setdefault(profile, []).append(code)
    return [*together.items(), *alone]
