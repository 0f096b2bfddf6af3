"""Contests: who meets whom on which resource, found by looking resources up instead of comparing pairs.

Two intents meet where both claim a resource, or one claims it and the other something that it holds. The place of the
meeting is the larger of the two, so a folder that one intent claims is one contest however many work inside it, and
the cost follows the claims and not the pairs. Those who only claim something inside do not meet there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from volition.governance.claims import BITS, MASK
from volition.governance.resources import MODULE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from volition.governance.resources import Holders
    from volition.governance.spelling import Crossings

    Index = dict[str, "int | list[int]"]
    Profile = tuple[int, ...]

SHIFT: Final = BITS + 7
"""A code is a claim with the number of its intent above so many bits; an intent has at most 80 commands."""
UNMET: Final[tuple[int, ...]] = ()
_MODULE: Final = len(MODULE)


class Meeting(NamedTuple):
    """Two groups of codes whose owners clash, each of one group with each of the other, and how.

    `left` and `right` are the same list where the members of one group clash among themselves.
    """

    flags: int
    left: list[int]
    right: list[int]
    complementary: bool = False


class Contest(NamedTuple):
    """A resource with the codes of those who claim it, and of those who claim something inside it."""

    resource: str
    direct: list[int]
    inside: list[int] | tuple[int, ...]


def index_of(claims: Iterable[dict[str, int]]) -> Index:
    """Resource -> the codes of those who claim it; a single one stands alone, because most do."""
    index: Index = {}
    for number, claimed in enumerate(claims):
        owner = number << SHIFT
        for resource, claim in claimed.items():
            code = owner | claim
            held = index.get(resource)
            if held is None:
                index[resource] = code
            elif type(held) is list:
                held.append(code)
            else:
                index[resource] = [held, code]  # type: ignore[list-item]
    return index


def inside_of(index: Index, holders: Holders, crossings: Crossings) -> dict[str, list[int]]:
    """Resource -> the codes of those who claim something inside it, where somebody does."""
    inside: dict[str, list[int]] = {}
    known, of = holders.known, holders.of
    for resource, held in index.items():
        # Most are files in a folder that was asked for before; a call for each would cost as much as the rest.
        outers = known.get(resource.rpartition("/")[0]) if resource[:_MODULE] != MODULE else None
        outers = of(resource) if outers is None else outers
        for outer in (*outers, *crossings.of(resource)) if crossings.any else outers:
            found = inside.setdefault(outer, [])
            if type(held) is list:
                found += held
            else:
                found.append(held)  # type: ignore[arg-type]
    return inside


def contests_in(index: Index, inside: dict[str, list[int]]) -> Iterator[Contest]:
    """Every resource on which somebody may meet somebody."""
    for resource, held in index.items():
        if type(held) is list:
            yield Contest(resource, held, inside.get(resource, UNMET))
        elif resource in inside:
            yield Contest(resource, [held], inside[resource])  # type: ignore[list-item]


def meetings(
    contest: Contest,
    clash: Callable[[int, int], int],
    hinted: AbstractSet[int] = frozenset(),
    complementary: AbstractSet[tuple[int, int]] = frozenset(),
) -> list[Meeting]:
    """All clashes of a contest, between groups of those who do the same there."""
    direct, inside = contest.direct, contest.inside
    if len(direct) == 2 and not inside and not hinted:
        flags = clash(direct[0] & MASK, direct[1] & MASK)
        return [Meeting(flags, direct[:1], direct[1:])] if flags else []
    groups = _groups(profiles(contest), hinted)
    met: list[Meeting] = []
    for at, (profile, codes) in enumerate(groups):
        if len(codes) > 1 and (flags := clashes(profile, profile, clash)):
            met.append(Meeting(flags, codes, codes))
        for other, others in groups[at + 1 :]:
            if flags := clashes(profile, other, clash):
                pair = (codes[0] >> SHIFT, others[0] >> SHIFT)
                met.append(Meeting(flags, codes, others, pair in complementary))
    return met


def profiles(contest: Contest) -> dict[int, tuple[Profile, int]]:
    """Intent -> what it does on the resource itself (0: nothing), then what it does inside; and its gravest code."""
    found: dict[int, tuple[Profile, int]] = {code >> SHIFT: ((code & MASK,), code) for code in contest.direct}
    if contest.inside:
        within: dict[int, set[int]] = {}
        codes: dict[int, int] = {}
        for code in contest.inside:
            number = code >> SHIFT
            within.setdefault(number, set()).add(code & MASK)
            codes[number] = max(codes.get(number, 0), code)
        for number, masks in within.items():
            mine, code = found.get(number, ((0,), codes[number]))
            found[number] = ((*mine, *sorted(masks)), code)
    return found


def clashes(one: Profile, other: Profile, clash: Callable[[int, int], int]) -> int:
    """How two profiles clash; what both do only inside the resource is another contest's matter."""
    mine, yours = one[0], other[0]
    flags = clash(mine, yours) if mine and yours else 0
    if mine:
        for mask in other[1:]:
            flags |= clash(mine, mask)
    if yours:
        for mask in one[1:]:
            flags |= clash(mask, yours)
    return flags


def _groups(found: dict[int, tuple[Profile, int]], hinted: AbstractSet[int]) -> list[tuple[Profile, list[int]]]:
    """Those of one profile together; who is spoken of in a hint stands alone."""
    together: dict[Profile, list[int]] = {}
    alone: list[tuple[Profile, list[int]]] = []
    for number, (profile, code) in found.items():
        if number in hinted:
            alone.append((profile, [code]))
        else:
            together.setdefault(profile, []).append(code)
    return [*together.items(), *alone]
