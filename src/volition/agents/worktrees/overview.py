"""The overview: lines of work in pairs, with what git says about merging them and what their plans declare.

Declared: one changed what the plan of the other may write or locks, or both plans may write the same. A conflict that
nobody declared speaks against both plans; a declared one that merges is evidence that the plans complement each other. Lines
that merge may still break a contract: one removes a part that the other uses.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from volition.agents.guard.index import PlanExtent, is_claimed, read_index
from volition.agents.guard.sessions import active_plans
from volition.agents.worktrees.contracts import ContractBreak, contract_breaks
from volition.agents.worktrees.lines_of_work import WorkLine, work_lines
from volition.agents.worktrees.merging import ChangedPlaces, conflicts_of_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.agents.repository import Repository

PairState: TypeAlias = Literal[
    "undeclared conflict", "declared conflict", "contract conflict", "complementary", "apart"
]
MOST_PAIRS: Final = 20_000
"""How many pairs git is asked to merge: those of 200 branches that all change one file; lines in worktrees come first."""


class WorkPair(msgspec.Struct, frozen=True):
    """Two lines of work beside each other."""

    one: str
    other: str
    conflicts: tuple[str, ...]
    """The paths in which git cannot merge them."""
    shared: tuple[str, ...]
    """The paths that both changed."""
    declared: tuple[str, ...]
    """The paths that the plan of the one and the work or the plan of the other share."""
    contracts: tuple[ContractBreak, ...] = ()
    """Parts that one of them removes or renames and the other uses."""

    @property
    def state(self) -> PairState:
        """How the two relate."""
        undeclared = [path for path in self.conflicts if not is_claimed(self.declared, path)]
        if undeclared:
            return "undeclared conflict"
        if self.conflicts:
            return "declared conflict"
        if self.contracts:
            return "contract conflict"
        return "complementary" if self.shared or self.declared else "apart"


class WorkOverview(msgspec.Struct, frozen=True):
    """All lines of work side by side."""

    lines: tuple[WorkLine, ...]
    pairs: tuple[WorkPair, ...]
    """Those that touch each other."""
    unplanned: dict[str, tuple[str, ...]]
    """Line with a plan -> the paths that it changed and its plans do not have."""
    notes: tuple[str, ...] = ()
    """What could not be compared, and why."""

    @property
    def calm(self) -> bool:
        """Whether nobody has to do anything."""
        return not any(self.unplanned.values()) and all("conflict" not in pair.state for pair in self.pairs)


def look_at_work(
    repository: Repository, base: str, *, guarded: bool, progress: Callable[[int, int], None] | None = None
) -> WorkOverview:
    """Compare every line of work with every other; with `guarded`, also with the plans that the guard knows. `progress` is
    called with how many merges of how many were tried."""
    setting = repository.setting() if guarded else None
    index = read_index(setting) if setting else None
    lines, unrelated = work_lines(repository, base, setting, index)
    root = str(repository.root)
    extents = {line.name: active_plans(index, line.plans) if index else [] for line in lines}
    asked, left = _pairs_to_merge(lines)
    conflicts = conflicts_of_pairs(root, asked, progress)
    breaks, unread = contract_breaks(root, lines)
    contracts: dict[frozenset[str], list[ContractBreak]] = {}
    for broken in breaks:
        contracts.setdefault(frozenset((broken.remover, broken.user)), []).append(broken)
    pairs = []
    for one, other in combinations(lines, 2):
        of_both = contracts.get(frozenset((one.name, other.name)), ())
        unmerged = conflicts.get((one.commit, other.commit), ())
        pair = _pair(one, other, extents[one.name], extents[other.name], unmerged, of_both)
        if pair.state != "apart":
            pairs.append(pair)
    unplanned = {
        line.name: tuple(
            sorted(path for path in line.changed if not any(plan.may_write(path) for plan in extents[line.name]))
        )
        for line in lines
        if line.plans
    }
    notes = [f"{name} has no commit in common with the base: it was not compared" for name in unrelated]
    notes += [f"{name} changed too many source files to read all their parts" for name in unread]
    notes += [f"{left} pairs were not tried: there are more than {MOST_PAIRS}"] if left else []
    return WorkOverview(tuple(lines), tuple(pairs), unplanned, tuple(notes))


def _pairs_to_merge(lines: Sequence[WorkLine]) -> tuple[list[tuple[str, str]], int]:
    """The pairs of commits that may conflict, those of worktrees first, and how many more there are."""
    places = [ChangedPlaces.of(line.changed, line.removed) for line in lines]
    ranked = [
        (not (one.tree or other.tree), one.commit, other.commit)
        for (one, mine), (other, yours) in combinations(zip(lines, places, strict=True), 2)
        if one.commit != other.commit and mine.may_conflict(yours)
    ]
    ranked.sort(key=lambda pair: pair[0])
    pairs = list(dict.fromkeys((one, other) for _, one, other in ranked))
    return pairs[:MOST_PAIRS], len(pairs[MOST_PAIRS:])


def _pair(
    one: WorkLine,
    other: WorkLine,
    mine: Sequence[PlanExtent],
    theirs: Sequence[PlanExtent],
    conflicts: Sequence[str],
    contracts: Sequence[ContractBreak],
) -> WorkPair:
    shared = sorted(one.changed & other.changed)
    declared = {
        path
        for left, right, changed in ((mine, theirs, one.changed), (theirs, mine, other.changed))
        for plan in right
        for path in (*changed, *(path for own in left for path in own.writes))
        if plan.keeps(path)
    }
    return WorkPair(one.name, other.name, tuple(conflicts), tuple(shared), tuple(sorted(declared)), tuple(contracts))
