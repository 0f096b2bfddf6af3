"""The repository that a command is about, and failures of the guard as errors for people."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from volition.agents.guard.git import ask_git, end_git, start_git
from volition.agents.guard.setting import FILE, FOLDER, GuardFailure, GuardSetting, read_setting
from volition.core.errors import InvalidInput, MissingPart, Problem, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator


class Repository(Struct, frozen=True):
    """A worktree by its root, git's common directory, and where the guard keeps what it knows. A bare repository has no
    worktree: its root is itself."""

    root: Path
    common: Path

    @property
    def home(self) -> Path:
        """The guard's folder."""
        return self.common / FOLDER

    def setting(self) -> GuardSetting:
        """The guard's setting; InvalidInput if none was installed."""
        if not (self.home / FILE).exists():
            refuse(
                "no guard is installed here",
                where=str(self.root),
                expected=f"the file {self.home / FILE}",
                remedy="install one: volition agents install",
            )
        with failures_explained(str(self.home)):
            return read_setting(str(self.home))


def repository_of(folder: Path) -> Repository:
    """The repository that a folder is in; InvalidInput if it is in none."""
    code, out, err = 1, b"", "there is no such folder"
    if folder.is_dir():
        with failures_explained(str(folder)):
            code, out, err = end_git(
                start_git(
                    str(folder), "rev-parse", "--path-format=absolute", "--git-common-dir", "--is-bare-repository"
                )
            )
    if code:
        refuse(
            f"this is not a git repository ({err.splitlines()[0] if err else code})",
            where=str(folder),
            expected="a folder in a git repository",
            remedy="name one with --repository, or go there",
        )
    common, bare = (os.fsdecode(line) for line in out.splitlines())
    if bare == "true":
        return Repository(Path(common), Path(common))
    with failures_explained(str(folder)):
        root = ask_git(str(folder), "rev-parse", "--show-toplevel") or ""
    return Repository(Path(root).resolve(), Path(common).resolve())


def guard_around(folder: Path | None = None) -> str:
    """The folder of the guard that was named, or that is installed in the repository around the current folder; empty if
    there is none."""
    if folder is not None:
        return str(folder.resolve()) if (folder / FILE).exists() else ""
    try:
        home = repository_of(Path()).home
    except (InvalidInput, MissingPart):
        return ""
    return str(home) if (home / FILE).exists() else ""


@contextmanager
def failures_explained(where: str) -> Iterator[None]:
    """Turn what the guard cannot do into an error for people."""
    try:
        yield
    except GuardFailure as failure:
        what = "a repository, a registry and a guard that can be read"
        raise MissingPart(Problem(str(failure), where, what, "run: volition agents doctor")) from None
