"""Where a branch parted from its base; a clone that does not have the history to say so is refused.

In a shallow clone the history is cut at some commits. If one of these lies between the branch and its base, git finds no
common commit or an old one, and what others changed in the base would be blamed on the branch.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from volition.agents.guard.git import ask_git, git
from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CI_SETTINGS: Final = {
    "GITHUB_ACTIONS": "set fetch-depth: 0 under `with:` of actions/checkout",
    "GITLAB_CI": 'set the variable GIT_DEPTH: "0" of the job',
    "TF_BUILD": "set fetchDepth: 0 of the step `checkout: self`",
    "BITBUCKET_BUILD_NUMBER": "set depth: full under `clone:`",
    "TRAVIS": "set depth: false under `git:`",
    "APPVEYOR": "remove clone_depth",
    "DRONE": "remove depth under `clone:`",
    "CIRRUS_CI": "remove CIRRUS_CLONE_DEPTH",
    "BUILDKITE": "remove --depth from BUILDKITE_GIT_CLONE_FLAGS",
    "CIRCLECI": "choose the method `full` of the step checkout",
    "JENKINS_URL": "untick `Shallow clone` of the Git plugin, or set shallow: false",
}
"""The variable by which a CI system is known -> its setting for the whole history."""
_ANYWHERE: Final = "get all of it: git fetch --unshallow; in GitHub Actions fetch-depth: 0, in GitLab GIT_DEPTH: 0, in Azure fetchDepth: 0"


def full_history_setting(environment: Mapping[str, str] = os.environ) -> str:
    """What to do about a shallow clone, in the words of the CI system that runs this.

    >>> full_history_setting({"GITLAB_CI": "true"})
    'set the variable GIT_DEPTH: "0" of the job'
    """
    return next((words for name, words in CI_SETTINGS.items() if environment.get(name)), _ANYWHERE)


def parting_commits(tree: str, base: str, head: str) -> list[str]:
    """The best common commits of two; InvalidInput if they have none, or the history does not reach that far."""
    found = (ask_git(tree, "merge-base", "--all", base, head) or "").split()
    cut = cut_commits(tree)
    if cut and (len(found) != 1 or cut & _commits(tree, f"{base}...{head}")):
        refuse_shallow(tree)
    if not found:
        refuse(
            "the branch and its base have no commit in common",
            where=f"{base[:12]} and {head[:12]}",
            expected="a branch that began in its base",
            remedy="name the base that it began in, or bring the branch onto this one: git rebase",
        )
    return found


def cut_commits(tree: str) -> frozenset[str]:
    """The commits at which the history of a shallow clone is cut; none in a whole one."""
    if ask_git(tree, "rev-parse", "--is-shallow-repository") != "true":
        return frozenset()
    place = ask_git(tree, "rev-parse", "--path-format=absolute", "--git-path", "shallow") or ""
    try:
        return frozenset(Path(place).read_text(encoding="ascii").split())
    except OSError:
        return frozenset({""})


def refuse_if_cut(tree: str, commits: Iterable[str]) -> None:
    """InvalidInput if the history is cut at one of these commits, which then seems to change every file."""
    if cut_commits(tree).intersection(commits):
        refuse_shallow(tree)


def refuse_shallow(tree: str) -> NoReturn:
    """InvalidInput: the clone is shallow."""
    refuse(
        "this clone is shallow, and its history ends before the branch parted from its base",
        where=tree,
        expected="the history of both, so that nothing of the base is blamed on the branch",
        remedy=full_history_setting(),
    )


def _commits(tree: str, *given: str) -> frozenset[str]:
    return frozenset(git(tree, "rev-list", *given, "--").decode().split())
