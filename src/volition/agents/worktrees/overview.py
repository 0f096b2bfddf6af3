"""The overview: lines of work in pairs, with what git says about merging them and what their plans declare.

Declared: one changed what the plan of the other may write or locks, or both plans may write the same. A conflict that
nobody declared speaks against both plans; a declared one that merges is evidence that the plans complement each other.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from volition.agents.guard.extent import PlanExtent, is_claimed
from volition.agents.guard.index import read_index
from volition.agents.guard.sessions import active_plans
from volition.agents.worktrees.lines_of_work import WorkLine, merge_conflicts, work_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.agents.repository import Repository

PairState: TypeAlias = Literal["undeclared conflict", "declared conflict", "complementary", "apart"]


class WorkPair(NamedTuple):
    """Two lines of work: the paths in which they conflict, those that both changed, and those that their plans share."""

    one: str
    other: str
    conflicts: tuple[str, ...]
    shared: tuple[str, ...]
    declared: tuple[str, ...]

    @property
    def state(self) -> PairState:
        """How the two relate."""
        undeclared = [path for path in self.conflicts if not is_claimed(self.declared, path)]
        if undeclared:
            return "undeclared conflict"
        if self.conflicts:
            return "declared conflict"
        return "complementary" if self.shared or self.declared else "apart"


class WorkOverview(NamedTuple):
    """All lines of work, the pairs of them that touch each other, and the strays of each line that has a plan."""

    lines: tuple[WorkLine, ...]
    pairs: tuple[WorkPair, ...]
    strays: dict[str, tuple[str, ...]]

    @property
    def calm(self) -> bool:
        """Whether nobody has to do anything."""
        return not any(self.strays.values()) and all("conflict" not in pair.state for pair in self.pairs)

    def to_data(self) -> dict[str, Any]:
        return {
            "lines": [
                {"name": line.name, "worktree": line.tree, "commit": line.commit, "plans": list(line.plans),
                 "changed": sorted(line.changed), "dirty": line.dirty, "strays": list(self.strays.get(line.name, ()))}
                for line in self.lines
            ],
            "pairs": [{**pair._asdict(), "state": pair.state} for pair in self.pairs],
        }  # fmt: skip


def look_at_work(repository: Repository, base: str, *, guarded: bool) -> WorkOverview:
    """Compare every line of work with every other; with `guarded`, also with the plans that the guard knows."""
    setting = repository.setting() if guarded else None
    index = read_index(setting) if setting else None
    lines = work_lines(repository, base, setting, index)
    extents = {line.name: active_plans(index, line.plans) if index else [] for line in lines}
    pairs = []
    for one, other in combinations(lines, 2):
        pair = _pair(str(repository.root), one, other, extents[one.name], extents[other.name])
        if pair.state != "apart":
            pairs.append(pair)
    strays = {
        line.name: tuple(
            sorted(path for path in line.changed if not any(plan.may_write(path) for plan in extents[line.name]))
        )
        for line in lines
        if line.plans
    }
    return WorkOverview(tuple(lines), tuple(pairs), strays)


def _pair(
    root: str, one: WorkLine, other: WorkLine, mine: Sequence[PlanExtent], theirs: Sequence[PlanExtent]
) -> WorkPair:
    conflicts = merge_conflicts(root, one.commit, other.commit) if one.commit != other.commit else []
    shared = sorted(one.changed & other.changed)
    declared = {
        path
        for left, right, changed in ((mine, theirs, one.changed), (theirs, mine, other.changed))
        for plan in right
        for path in (*changed, *(path for own in left for path in own.writes))
        if plan.keeps(path)
    }
    return WorkPair(one.name, other.name, tuple(conflicts), tuple(shared), tuple(sorted(declared)))
