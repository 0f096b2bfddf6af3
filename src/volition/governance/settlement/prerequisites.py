"""Prerequisites: which plans depend on one that will not be executed, so that somebody has to decide about them.

A plan depends on those that it declares, on those that its evidence names by their ids, and on whichever plan produces
or creates what it needs; what another would only change is there anyway. It has to do without one that lost, was left out,
or is not in the set; what it needs is still made if another plan that is kept makes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from volition.governance.conflicts.order import REMOVAL
from volition.governance.documents.effects import CREATE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from volition.governance.conflicts.order import Needs

Fate = Literal["absent", "lost", "left_out"]


class Gap(Struct, frozen=True):
    """A plan that others depend on and have to do without: its id, why it is not there, and the numbers of the others."""

    needed: str
    fate: Fate
    dependents: tuple[int, ...]
    needs: tuple[str, ...]
    """What it makes that they need; empty where they declare that they depend on it."""


class Prerequisites:
    """Which plans of a set depend on which; `claims` are what each of them claims."""

    def __init__(self, needs: Needs, claims: Sequence[Mapping[str, int]]) -> None:
        self._needs, self._claims = needs, claims

    def gaps(self, present: Collection[int], left_out: Collection[int]) -> list[Gap]:
        """What the present plans have to do without, those that are not in the set first."""
        absent: dict[str, list[int]] = {}
        for number in sorted(present):
            for name in self._needs.absent[number]:
                absent.setdefault(name, []).append(number)
        gone: dict[int, tuple[set[int], set[str]]] = {}
        for maker, taker, about in self._unmet(present):
            dependents, names = gone.setdefault(maker, (set(), set()))
            dependents.add(taker)
            names.update([about] if about else ())
        all_gaps = [Gap(name, "absent", tuple(dependents), ()) for name, dependents in sorted(absent.items())]
        for maker, (dependents, names) in sorted(gone.items()):
            fate: Fate = "left_out" if maker in left_out else "lost"
            needed = self._needs.intents[maker].id
            all_gaps.append(Gap(needed, fate, tuple(sorted(dependents)), tuple(sorted(names - {needed}))))
        return all_gaps

    def dependents_of(self, number: int) -> list[str]:
        """The ids of the plans that depend on one, directly."""
        everybody = set(range(len(self._needs.intents)))
        dependents = {taker for maker, taker, _ in self._unmet(everybody - {number}) if maker == number}
        return [self._needs.intents[taker].id for taker in sorted(dependents)]

    def all_dependents(self, first: Iterable[int], present: Collection[int]) -> list[int]:
        """These plans, and all present ones that depend on them, directly or not."""
        dependents = set(first)
        while True:
            left = [number for number in present if number not in dependents]
            more = {taker for maker, taker, _ in self._unmet(left) if maker in dependents}
            if not more:
                return sorted(dependents)
            dependents |= more

    def _unmet(self, present: Collection[int]) -> Iterable[tuple[int, int, str | None]]:
        """The needs of present plans that nothing present meets: the maker that is gone, the taker, and what is needed."""
        for taker in sorted(present):
            for maker in sorted(self._needs.depends[taker]):
                if maker not in present:
                    yield maker, taker, None
        for about, blocks in self._needs.blocks.items():
            for makers, takers in blocks if not about.startswith(REMOVAL) else ():
                for taker in takers:
                    others = [maker for maker in makers if maker != taker and self._provides(maker, about)]
                    if taker in present and others and not any(maker in present for maker in others):
                        yield from ((maker, taker, about) for maker in others)

    def _provides(self, maker: int, about: str) -> bool:
        """Whether what is needed would not be there without its maker."""
        if about.startswith("artifact:") or about == self._needs.intents[maker].id:
            return True
        return bool(self._claims and self._claims[maker].get(about, 0) & CREATE)


def describe_gap(gap: Gap, ids: Sequence[str], lost_to: str = "") -> str:
    """A gap as the beginning of a sentence about those that have to do without; `lost_to` is what it gave way to."""
    who = ", ".join(ids[number] for number in gap.dependents[:4])
    more = f" and {len(gap.dependents) - 4} others" if len(gap.dependents) > 4 else ""
    verb = "depends" if len(gap.dependents) == 1 else "depend"
    what = {"absent": "is not in the set", "lost": "is dropped", "left_out": "is left out"}[gap.fate]
    what = f"gives way to {lost_to}" if lost_to else what
    products = f" ({', '.join(gap.needs[:3])})" if gap.needs else ""
    return f"{who}{more} {verb} on {gap.needed}{products}, which {what}"
