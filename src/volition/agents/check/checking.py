"""The check: which changed paths are in none of the plans, and whose they are.

Where the plans claim only parts of a file, the check goes by the parts that the change touches. A file that the policy
calls generated needs no claim. Git hooks run this in a guarded worktree, so nothing heavy is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from volition.agents.check.changes import touched_parts_of
from volition.agents.guard.index import read_index
from volition.agents.guard.sessions import Identity, active_plans, everybodys_plans, plans_of
from volition.governance.claims.algebra import covers, meets
from volition.governance.claims.spelling import spell_file
from volition.governance.paths.names import split_part
from volition.governance.paths.patterns import WHOLE_PROJECT, anchor_of, is_pattern, matches_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from volition.agents.check.changes import Changes
    from volition.agents.guard.index import PlanExtent
    from volition.agents.repository import Repository

T = TypeVar("T")


class UnplannedPath(msgspec.Struct, frozen=True):
    """A changed path, or a part of it, that is in none of the plans."""

    path: str
    held_by: tuple[str, ...]
    """The active plans of others that have it, with their holders."""
    file: str = ""
    """The file, where the path is a part of it."""


class PlanCheck(msgspec.Struct, frozen=True):
    """What was compared with which plans, and what came of it."""

    changed: int
    """How many files changed."""
    plans: tuple[str, ...]
    unplanned: tuple[UnplannedPath, ...]
    generated: tuple[str, ...] = ()
    """Files that needed no claim because they are generated."""


def check_with_guard(changes: Changes, repository: Repository, plans: Sequence[str], session: str = "") -> PlanCheck:
    """Check changes against the active plans of a worktree: those of its sessions, and those it is bound to."""
    setting = repository.setting()
    tree = str(repository.root)
    index = read_index(setting)
    mine = plans or (*plans_of(setting, index, Identity(session), tree), *everybodys_plans(setting, index, tree))
    known = [plan for name in index.plans if (plan := index.active(name))]
    active = active_plans(index, dict.fromkeys(mine))
    return compare(changes, tree, active, known, ignore_case=index.ignore_case, generated=index.generated)


def compare(
    changes: Changes,
    tree: str,
    mine: Sequence[PlanExtent],
    known: Iterable[PlanExtent],
    *,
    ignore_case: bool = False,
    generated: Sequence[str] = (),
) -> PlanCheck:
    """Check changes against plans; `known` are all plans, to say whose an unplanned path is, and `generated` are claims on
    files that need none."""
    names = {plan.plan for plan in mine}
    others = [plan for plan in known if plan.state == "active" and plan.plan not in names]
    spelled = {path: spell_file(path, ignore_case=ignore_case) for path in changes.paths}
    own = ClaimLookup((claim, plan) for plan in mine for claim in plan.writes)
    held = ClaimLookup((claim, plan) for plan in others for claim in (*plan.writes, *plan.locks))
    free = ClaimLookup((spell_file(claim, ignore_case=ignore_case), None) for claim in generated)
    claimed = {path: [claim for claim, _ in own.at(name)] for path, name in spelled.items()}
    apart = {path for path, name in spelled.items() if not claimed[path] and free.at(name)}
    in_parts = [path for path, claims in claimed.items() if claims and all(split_part(claim)[1] for claim in claims)]
    touched = touched_parts_of(tree, changes, in_parts) if in_parts else {}
    unplanned = []
    for path, name in spelled.items():
        if not claimed[path] and path not in apart:
            unplanned.append(UnplannedPath(path, _holders(plan for _, plan in held.at(name))))
    for path in in_parts:
        for part in touched.get(path, ()):
            spelled_part = spell_file(part, ignore_case=ignore_case)
            if not any(covers(claim, spelled_part) for claim in claimed[path]):
                having = (plan for claim, plan in held.at(spelled[path]) if meets(claim, spelled_part))
                unplanned.append(UnplannedPath(part, _holders(having), path))
    order = {path: place for place, path in enumerate(changes.paths)}
    unplanned.sort(key=lambda path: order[path.file or path.path])
    return PlanCheck(len(changes.paths), tuple(sorted(names)), tuple(unplanned), tuple(sorted(apart)))


def _holders(plans: Iterable[PlanExtent]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{plan.plan} ({plan.holder})" for plan in plans))


class ClaimLookup(Generic[T]):
    """Claims with whatever is known of each: a claim on a file, or a part of it, is found by the folders of the file.

    The answers are those of `claims_file` for every claim. 5 000 files beside 2 000 claims take 10 million of these.

    >>> ClaimLookup([("src", 1), ("src/*.py", 2), ("a.py#Cart", 3)]).at("src/a.py")
    [('src', 1), ('src/*.py', 2)]
    """

    def __init__(self, claims: Iterable[tuple[str, T]]) -> None:
        self._places: dict[str, list[tuple[int, str, str, T]]] = {}
        for number, (claim, about) in enumerate(claims):
            path = split_part(claim)[0]
            self._places.setdefault(anchor_of(path), []).append((number, claim, path, about))

    def at(self, file: str) -> list[tuple[str, T]]:
        """The claims on a file or a part of it, in the order in which they were given."""
        rows = [
            row
            for place in _with_folders(file)
            for row in self._places.get(place, ())
            if not is_pattern(row[2]) or matches_path(row[2], file)
        ]
        return [(claim, about) for _, claim, _, about in sorted(rows, key=lambda row: row[0])]


def _with_folders(file: str) -> Iterator[str]:
    yield WHOLE_PROJECT
    at = file.find("/")
    while at >= 0:
        yield file[:at]
        at = file.find("/", at + 1)
    if file != WHOLE_PROJECT:
        yield file
