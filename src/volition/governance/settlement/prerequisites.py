"""Prerequisites: which plans depend on one that will not be executed, so that somebody has to decide about them.

A plan depends on those that it declares, and on whichever plan makes what it needs. It has to do without one that lost,
was left out, or is not in the set; a resource that it needs is still made if another plan that is kept makes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from volition.governance.conflicts.order import REMOVAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from volition.governance.conflicts.order import Needs

Fate = Literal["absent", "lost", "left_out"]


class Gap(NamedTuple):
    """A plan that others depend on and have to do without: its id, why it is not there, and the numbers of the others."""

    needed: str
    fate: Fate
    dependents: tuple[int, ...]
    needs: tuple[str, ...]
    """What it makes that they need; empty where they declare that they depend on it."""


def gaps_in(needs: Needs, present: Collection[int], left_out: Collection[int]) -> list[Gap]:
    """What the present plans have to do without, those that are not in the set first."""
    absent: dict[str, list[int]] = {}
    for number in sorted(present):
        for name in needs.absent[number]:
            absent.setdefault(name, []).append(number)
    gone: dict[int, tuple[set[int], set[str]]] = {}
    for maker, taker, about in _unmet(needs, present):
        dependents, names = gone.setdefault(maker, (set(), set()))
        dependents.add(taker)
        names.update([about] if about else ())
    found = [Gap(name, "absent", tuple(dependents), ()) for name, dependents in sorted(absent.items())]
    for maker, (dependents, names) in sorted(gone.items()):
        fate: Fate = "left_out" if maker in left_out else "lost"
        found.append(Gap(needs.intents[maker].id, fate, tuple(sorted(dependents)), tuple(sorted(names))))
    return found


def _unmet(needs: Needs, present: Collection[int]) -> Iterable[tuple[int, int, str | None]]:
    """The needs of present plans that nothing present meets: the maker that is gone, the taker, and what is needed."""
    for taker in sorted(present):
        for maker in sorted(needs.declared[taker]):
            if maker not in present:
                yield maker, taker, None
    for about, blocks in needs.blocks.items():
        if about.startswith(REMOVAL):
            continue
        makers_of: dict[int, dict[int, None]] = {}
        for makers, takers in blocks:
            for taker in takers:
                if taker in present:
                    makers_of.setdefault(taker, {}).update(dict.fromkeys(makers))
        for taker, all_makers in makers_of.items():
            others = [maker for maker in all_makers if maker != taker]
            if not any(maker in present for maker in others):
                yield from ((maker, taker, about) for maker in others)


def all_dependents(needs: Needs, first: Iterable[int], present: Collection[int]) -> list[int]:
    """These plans, and all present ones that depend on them, directly or not."""
    found = set(first)
    while True:
        left = [number for number in present if number not in found]
        more = {taker for maker, taker, _ in _unmet(needs, left) if maker in found}
        if not more:
            return sorted(found)
        found |= more


def describe_gap(gap: Gap, ids: Sequence[str]) -> str:
    """A gap as the beginning of a sentence about those that have to do without."""
    who = ", ".join(ids[number] for number in gap.dependents[:4])
    more = f" and {len(gap.dependents) - 4} others" if len(gap.dependents) > 4 else ""
    verb = "depends" if len(gap.dependents) == 1 else "depend"
    what = {"absent": "is not in the set", "lost": "is dropped", "left_out": "is left out"}[gap.fate]
    made = f" ({', '.join(gap.needs[:3])})" if gap.needs else ""
    return f"{who}{more} {verb} on {gap.needed}{made}, which {what}"
