"""What the git hooks run: `python -m volition.agents.committing --staged` before a commit, `--pushed` before a push.

An agent's commit has to be in its plans. A person needs no plan: a person's commit is stopped only where it touches what
another has claimed, with the name of the holder, and goes through with the claim if the person says so. The files that
`volition agents install` writes need no plan either, and what a finished plan permitted can be pushed.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from volition.agents.check.changes import Changes, pushed_changes, staged_changes
from volition.agents.check.checking import check_with_guard
from volition.agents.check.formats import check_text, path_line
from volition.agents.guard import journal
from volition.agents.guard.git import ask_git, git
from volition.agents.guard.index import RegistryUnreachable
from volition.agents.guard.sessions import Identity, plans_of_tree, sessions
from volition.agents.guard.setting import GuardFailure, GuardSetting
from volition.agents.persons import agent_around
from volition.agents.repository import Repository, repository_of
from volition.core.errors import VolitionError
from volition.governance.claims.algebra import covers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.agents.check.checking import PlanCheck, UnplannedPath
    from volition.agents.guard.index import PlanExtent

VARIABLE: Final = "VOLITION_WITH_CLAIM"
SETTING: Final = "volition.withClaim"
"""How a person says, in the environment or with `git -c`, that another's claim is known and the work goes on."""
_CONFIGURED: Final = ("GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT")


def main(arguments: Sequence[str]) -> int:
    """The exit code of a git hook: 0 to go on."""
    try:
        repository = repository_of(Path())
        setting, tree = repository.setting(), str(repository.root)
        changes = pushed_changes(tree, sys.stdin) if "--pushed" in arguments else staged_changes(tree)
        return _check(repository, setting, _without_installed(changes), is_push="--pushed" in arguments)
    except (GuardFailure, VolitionError) as error:
        print(f"volition: {error}", file=sys.stderr)  # noqa: T201  git shows it
        return 1


def _check(repository: Repository, setting: GuardSetting, changes: Changes, *, is_push: bool) -> int:
    tree = str(repository.root)
    agent = agent_around()
    session = "" if agent is None else agent.id or "unknown"
    try:
        report = check_with_guard(changes, repository, (), session)
    except RegistryUnreachable as failure:
        return _without_registry(setting, session, str(failure))
    if is_push and report.unplanned:
        report = _without_finished(report, setting, tree, changes)
    if not report.unplanned:
        return 0
    if session:
        print(check_text(report))  # noqa: T201
        return 1
    return _of_a_person(setting, tree, report, "push" if is_push else "commit")


def _of_a_person(setting: GuardSetting, tree: str, report: PlanCheck, verb: str) -> int:
    """A person is stopped by others' claims alone, and goes on with them by saying so."""
    names = _own_names(tree)
    touched = [path for path in report.unplanned if _holders_besides(path, names)]
    if not touched:
        return 0
    if _goes_on_with_claims(tree):
        reasons = [f"{path_line(path)} was taken along by a person's {verb}" for path in touched[:12]]
        entry = {"at": int(time.time() * 1000), "client": "git", "what": "with-claim", "tree": tree, "tool": verb}
        journal.append(setting.home, {**entry, "targets": [path.path for path in touched[:50]], "reasons": reasons})
        return 0
    lines = [f"{len(touched)} of {report.changed} changed files are claimed by somebody else:"]
    lines += [f"  {path_line(path)}" for path in touched]
    how = f"ask the holder, leave them out, or take them along: git -c {SETTING}=true {verb} ..., or {VARIABLE}=1"
    print("\n".join([*lines, how]))  # noqa: T201
    return 1


def _without_registry(setting: GuardSetting, session: str, because: str) -> int:
    """Without a registry nobody's claims are known: a person goes on, an agent only if the guard's setting says so."""
    goes_on = not session or setting.lenient
    print(f"volition: {because}; claims were not checked", file=sys.stderr)  # noqa: T201
    return 0 if goes_on else 1


def _without_installed(changes: Changes) -> Changes:
    """The changes without the files that an installation writes: they are the guard's own, and looked at by it."""
    from volition.agents.install.clients import FILES  # noqa: PLC0415  it imports what most commits do not need

    own = {name for files in FILES.values() for name in (files.hooks, files.servers)}
    return msgspec.structs.replace(changes, paths=tuple(path for path in changes.paths if path not in own))


def _without_finished(report: PlanCheck, setting: GuardSetting, tree: str, changes: Changes) -> PlanCheck:
    """The report without what finished plans of this worktree, or plans that the commits name, permitted."""
    finished = _finished_plans(setting, tree, changes.plans)
    left = tuple(
        path
        for path in report.unplanned
        if not any(covers(claim, path.path) for plan in finished for claim in plan.writes)
    )
    plans = tuple(sorted({*report.plans, *(plan.plan for plan in finished)}))
    return msgspec.structs.replace(report, unplanned=left, plans=plans)


def _finished_plans(setting: GuardSetting, tree: str, named: Sequence[str]) -> list[PlanExtent]:
    from volition.agents.check.approval import plans_in_registry  # noqa: PLC0415  the registry is heavy
    from volition.workflow import Store, Team, parse_store_address  # noqa: PLC0415

    here = [data for data in sessions(setting) if data.get("tree") == tree]
    bound = {*plans_of_tree(setting, tree), *named, *(name for data in here for name in data.get("plans") or ())}
    people = [Identity(str(data.get("session")), str(data.get("agent") or "")) for data in here]
    with Store(parse_store_address(setting.registry), new=False, patience=2.0) as store:
        known = plans_in_registry(Team(store, setting.project)).plans
    return [
        plan
        for plan in known
        if plan.state == "finished" and (plan.plan in bound or any(who.holds(plan) for who in people))
    ]


def _own_names(tree: str) -> set[str]:
    """The names under which a person may hold a plan: as git and the system know them."""
    email = ask_git(tree, "config", "--get", "user.email") or ""
    names = [ask_git(tree, "config", "--get", "user.name"), email, email.partition("@")[0], os.environ.get("USER")]
    return {name for name in [*names, os.environ.get("VOLITION_HOLDER")] if name}


def _holders_besides(path: UnplannedPath, names: set[str]) -> list[str]:
    return [held for held in path.held_by if held.partition(" (")[2].removesuffix(")") not in names]


def _goes_on_with_claims(tree: str) -> bool:
    if os.environ.get(VARIABLE, "").lower() in {"1", "true", "yes"}:
        return True
    printed = git(tree, "config", "--bool", "--get", SETTING, keep=_CONFIGURED, fine=(0, 1, 128))
    return printed.strip() == b"true"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
