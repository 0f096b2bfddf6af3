"""What changed: between two commits, in what is about to be committed, and in what is pushed or received.

Between two commits that means since the branch parted from its base. In a shallow clone the history is cut at some commits.
If one of these lies between the branch and its base, git finds no common commit or an old one, and what others changed in
the base would be blamed on the branch: such a clone is refused.
"""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from msgspec import Struct

from volition.agents.guard.git import ask_git, git, names_in
from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


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
    common = (ask_git(tree, "merge-base", "--all", base, head) or "").split()
    cut = cut_commits(tree)
    if cut and (len(common) != 1 or cut & _commits(tree, f"{base}...{head}")):
        refuse_shallow(tree)
    if not common:
        refuse(
            "the branch and its base have no commit in common",
            where=f"{base[:12]} and {head[:12]}",
            expected="a branch that began in its base",
            remedy="name the base that it began in, or bring the branch onto this one: git rebase",
        )
    return common


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


def _commits(tree: str, *revisions: str) -> frozenset[str]:
    return frozenset(git(tree, "rev-list", *revisions, "--").decode().split())


PLAN_TRAILER: Final = "Volition-Plan"
"""The trailer of a commit message that names the plan."""
_NAMES: Final = ("--name-only", "--no-renames", "--ignore-submodules=none", "-z")
"""A branch may say in its .gitmodules that a submodule is ignored; here none is."""
_LOG: Final = ("log", "--diff-merges=combined", "--format=", *_NAMES)
_LOT: Final = 200
"""How many names one command line gets; each may have 4096 bytes."""
_INDEX: Final = ("GIT_INDEX_FILE",)
_USUAL_BASES: Final = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


class Changes(Struct, frozen=True):
    """The paths that changed, and the plans that the messages of the commits name; `base` is what they are compared
    with."""

    paths: tuple[str, ...]
    plans: tuple[str, ...] = ()
    base: str = ""
    diffs: tuple[tuple[str, ...], ...] = ()
    """How to ask git for the changes line by line: a command with its arguments for each."""


def changes_between(tree: str, wanted: str) -> Changes:
    """What BASE..HEAD changed since the two parted; InvalidInput if one of them is not a commit."""
    base, dots, head = wanted.partition("..")
    head = head.removeprefix(".") or "HEAD"
    if not dots or not base:
        refuse(
            f"{wanted!r} is not a range", where="BASE..HEAD", expected="two commits", remedy="such as origin/main..HEAD"
        )
    one, other = commit_of(tree, base), commit_of(tree, head)
    parted, *more = parting_commits(tree, one, other)
    paths = dict.fromkeys(names_in(git(tree, "diff-tree", "-r", *_NAMES, parted, other)))
    if more:
        # Base and branch were merged into each other: what differs from one common commit may come from the other one, so
        # what counts has also been changed by a commit that only the branch has.
        for commit in more:
            paths |= dict.fromkeys(names_in(git(tree, "diff-tree", "-r", *_NAMES, commit, other)))
        own = set(names_in(git(tree, *_LOG, other, "--not", one, "--")))
        paths = dict.fromkeys(path for path in sorted(paths) if path in own)
    return Changes(tuple(paths), _trailers(tree, other, "--not", one), one, (("diff", parted, other),))


def staged_changes(tree: str) -> Changes:
    """What the next commit would change; everything that is staged, before the first one."""
    has_head = ask_git(tree, "rev-parse", "--verify", "--quiet", "HEAD")
    listing = ("diff", "--cached", *_NAMES) if has_head else ("ls-files", "--cached", "-z")
    return Changes(tuple(names_in(git(tree, *listing, keep=_INDEX))), diffs=(("diff", "--cached"),) if has_head else ())


def pushed_changes(tree: str, lines: Iterable[str]) -> Changes:
    """What a push would add to what is known of all remotes, from the lines that git gives to a pre-push hook."""
    refs = [words for line in lines if len(words := line.split()) == 4]
    return _new_commits(tree, [(words[3], words[1]) for words in refs], "--remotes")


def received_changes(tree: str, lines: Iterable[str]) -> Changes:
    """What a push adds here, from the lines that git gives to a pre-receive hook."""
    refs = [words for line in lines if len(words := line.split()) == 3]
    return _new_commits(tree, [(words[0], words[1]) for words in refs], "--all")


def touched_parts_of(tree: str, changes: Changes, paths: Sequence[str]) -> dict[str, list[str]]:
    """Path -> what a change touches in it, as claims; a path is missing where git was not asked line by line."""
    from volition.governance.outline.diffs import WHOLE_DIFF, read_diff, whole_texts  # noqa: PLC0415
    from volition.governance.outline.touched import touched_by  # noqa: PLC0415
    from volition.governance.paths.names import split_part  # noqa: PLC0415  most checks need none of this

    by_path: dict[str, list[str]] = {}
    for (command, *arguments), some in product(changes.diffs, batched_names(paths)):
        printed = git(tree, command, *WHOLE_DIFF, *arguments, "--", *(f":(literal){path}" for path in some))
        touched = touched_by(read_diff(printed), whole_texts)
        renamed = [path for names in touched.renames.items() for path in names]
        for claim in (*touched.files, *touched.removes, *renamed):
            by_path.setdefault(split_part(claim)[0], []).append(claim)
    return {path: list(dict.fromkeys(claims)) for path, claims in by_path.items()}


def batched_names(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Names in lots that one command line has room for."""
    for first in range(0, len(names), _LOT):
        yield names[first : first + _LOT]


def commit_of(tree: str, name: str) -> str:
    """The id of the commit that a name means; InvalidInput if there is none."""
    commit = ask_git(tree, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if not commit:
        remedy = "fetch it, or check its name"
        if cut_commits(tree):
            remedy = f"this clone is shallow: {full_history_setting()}; or check the name"
        refuse(f"{name!r} is not a commit", where=tree, expected="a branch, a tag or a commit", remedy=remedy)
    return commit


def base_commit(tree: str, wanted: str) -> str:
    """The commit of the base that is given, or else of the first usual one; InvalidInput if there is none."""
    if wanted:
        return commit_of(tree, wanted)
    for name in _USUAL_BASES:
        if commit := ask_git(tree, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
            return commit
    expected = f"one of {', '.join(_USUAL_BASES)}"
    return refuse("no base was found", where=tree, expected=expected, remedy="name it with --base")


def _new_commits(tree: str, updates: list[tuple[str, str]], known: str) -> Changes:
    """What commits change that were not known before, and what a branch loses that is moved away from its commits.

    Where nothing is known yet, and nothing is replaced, there is nothing to compare with: a first push changes nothing.
    """
    if not git(tree, "rev-parse", known) and not any(old.strip("0") for old, _ in updates):
        return Changes(())
    paths: dict[str, None] = {}
    plans: dict[str, None] = {}
    diffs: dict[tuple[str, ...], None] = {}
    for old, new in updates:
        if not new.strip("0"):
            continue
        paths |= dict.fromkeys(names_in(git(tree, *_LOG, new, "--not", known, "--")))
        plans |= dict.fromkeys(_trailers(tree, new, "--not", known))
        refuse_if_cut(tree, git(tree, "rev-list", new, "--not", known, "--").decode().split())
        commits = git(tree, "rev-list", "--no-merges", new, "--not", known, "--").decode().split()
        diffs |= dict.fromkeys(("show", "--format=", commit) for commit in commits)
        if old.strip("0"):
            is_here = ask_git(tree, "cat-file", "-e", f"{old}^{{commit}}") is not None
            if is_here and ask_git(tree, "merge-base", "--is-ancestor", old, new) is None:
                paths |= dict.fromkeys(names_in(git(tree, "diff-tree", "-r", *_NAMES, old, new)))
    return Changes(tuple(sorted(paths)), tuple(plans), diffs=tuple(diffs))


def _trailers(tree: str, *commits: str) -> tuple[str, ...]:
    wanted = f"--format=%(trailers:key={PLAN_TRAILER},valueonly,separator=%x00)%x00"
    lines = git(tree, "log", wanted, *commits, "--").decode(errors="replace").replace("\n", "\0").split("\0")
    return tuple(dict.fromkeys(name.strip() for name in lines if name.strip()))
