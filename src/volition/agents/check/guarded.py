"""The check that git hooks run in a guarded worktree. It reads the guard's index, and imports nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.agents.check.report import PlanCheck, compare
from volition.agents.guard.index import read_index
from volition.agents.guard.sessions import Identity, active_plans, everybodys_plans, plans_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.agents.check.changes import Changes
    from volition.agents.repository import Repository


def check_with_guard(changes: Changes, repository: Repository, plans: Sequence[str], session: str = "") -> PlanCheck:
    """Check changes against the active plans of a worktree: those of its sessions, and those it is bound to."""
    setting = repository.setting()
    tree = str(repository.root)
    index = read_index(setting)
    mine = plans or (*plans_of(setting, index, Identity(session), tree), *everybodys_plans(setting, index, tree))
    known = [plan for name in index.plans if (plan := index.active(name))]
    active = active_plans(index, dict.fromkeys(mine))
    return compare(changes, tree, active, known, ignore_case=index.ignore_case, generated=index.generated)
