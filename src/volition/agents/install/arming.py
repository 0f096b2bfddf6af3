"""Installing and uninstalling as a whole: what would change, and the change itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from volition.agents.guard.setting import FILE, GuardSetting
from volition.agents.install.clients import install_edits, uninstall_edits
from volition.agents.install.edits import FileEdit, apply_edits, read_text
from volition.agents.install.git_hooks import KEY, hook_edits, hooks_folder, hooks_path, set_hooks_path
from volition.agents.repository import failures_explained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.agents.repository import Repository


class Arming(NamedTuple):
    """Edits that arm or disarm some parts of a repository, and the hooks path of git before and after them."""

    repository: Repository
    edits: tuple[FileEdit, ...]
    hooks_path: tuple[str, str] | None
    arm: bool

    def __str__(self) -> str:
        shown = [
            edit.difference()
            for edit in self.edits
            if edit.changes and edit.path.parent != hooks_folder(self.repository)
        ]
        scripts = [edit for edit in self.edits if edit.changes and edit.path.parent == hooks_folder(self.repository)]
        if scripts:
            verb = "write" if self.arm else "remove"
            shown.append(f"{verb} {len(scripts)} hooks in {hooks_folder(self.repository)}\n")
        if self.hooks_path and self.hooks_path[0] != self.hooks_path[1]:
            shown.append(f"{KEY}: {self.hooks_path[0] or '(not set)'} -> {self.hooks_path[1] or '(not set)'}\n")
        return "".join(shown) or "nothing to change\n"

    def to_data(self) -> dict[str, Any]:
        paths = [str(edit.path) for edit in self.edits if edit.changes]
        return {"files": paths, "hooks_path": list(self.hooks_path) if self.hooks_path else None, "arm": self.arm}

    def apply(self) -> None:
        """Make the change: all files or none, and then the configuration of git."""
        if self.hooks_path and not self.arm:
            with failures_explained(str(self.repository.root)):
                set_hooks_path(self.repository, arm=False)
        apply_edits([edit for edit in self.edits if edit.changes])
        if self.hooks_path and self.arm:
            with failures_explained(str(self.repository.root)):
                set_hooks_path(self.repository, arm=True)


def arm(repository: Repository, setting: GuardSetting, parts: Sequence[str]) -> Arming:
    """What arming these parts would change."""
    edits = [_setting_edit(setting)]
    for part in parts:
        if part != "git":
            edits += install_edits(repository, setting, part)
    path = None
    if "git" in parts:
        with failures_explained(str(repository.root)):
            edits += hook_edits(repository, arm=True)
            path = (hooks_path(repository.root), str(hooks_folder(repository)))
    return Arming(repository, tuple(edits), path, arm=True)


def disarm(repository: Repository, setting: GuardSetting, parts: Sequence[str]) -> Arming:
    """What disarming these parts would change; the guard's setting and its journal stay."""
    edits: list[FileEdit] = []
    for part in parts:
        if part != "git":
            edits += uninstall_edits(repository, setting, part)
    path = None
    if "git" in parts:
        with failures_explained(str(repository.root)):
            edits += hook_edits(repository, arm=False)
            path = (hooks_path(repository.root), "")
    return Arming(repository, tuple(edits), path, arm=False)


def _setting_edit(setting: GuardSetting) -> FileEdit:
    path = Path(setting.home) / FILE
    return FileEdit(path, read_text(path), json.dumps(setting.to_data()))
