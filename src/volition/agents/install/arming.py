"""Installing and uninstalling as a whole: what would change, and the change itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from volition.agents.guard.setting import FILE, GuardSetting
from volition.agents.install.clients import client_edits
from volition.agents.install.edits import FileEdit, apply_edits, read_text
from volition.agents.install.git_hooks import KEY, hook_edits, hooks_folder, hooks_path, set_hooks_path
from volition.agents.repository import Repository, failures_explained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.workflow import StoreAddress


class Arming(NamedTuple):
    """Edits that arm or disarm some parts of a repository, and the hooks path of git before and after them."""

    repository: Repository
    edits: tuple[FileEdit, ...]
    hooks_path: tuple[str, str] | None
    arm: bool
    registry: tuple[StoreAddress, str] | None = None
    """The registry to make, and its project; None if they exist."""

    def __str__(self) -> str:
        shown = [f"make the registry {self.registry[0]} with the project {self.registry[1]}\n"] if self.registry else []
        shown += [
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
        return {"files": paths, "hooks_path": list(self.hooks_path) if self.hooks_path else None, "arm": self.arm} | (
            {"registry": str(self.registry[0]), "project": self.registry[1]} if self.registry else {}
        )

    def apply(self) -> None:
        """Make the change: all files or none; git is pointed to our hooks after they are written, and away before."""
        if not self.arm:
            self._set_hooks_path()
        if self.registry:
            _make_registry(*self.registry)
        apply_edits([edit for edit in self.edits if edit.changes])
        if self.arm:
            self._set_hooks_path()

    def _set_hooks_path(self) -> None:
        if self.hooks_path:
            with failures_explained(str(self.repository.root)):
                set_hooks_path(self.repository, arm=self.arm)


def plan_arming(
    repository: Repository,
    setting: GuardSetting,
    parts: Sequence[str],
    *,
    arm: bool,
    registry: tuple[StoreAddress, str] | None = None,
) -> Arming:
    """What arming or disarming these parts would change, with the registry to make, if any; the guard's setting and its
    journal are never removed."""
    edits = [_setting_edit(setting)] if arm else []
    for part in parts:
        if part != "git":
            edits += client_edits(repository, setting, part, arm=arm)
    path = None
    if "git" in parts:
        with failures_explained(str(repository.root)):
            edits += hook_edits(repository, arm=arm)
            path = (hooks_path(repository.root), str(hooks_folder(repository)) if arm else "")
    return Arming(repository, tuple(edits), path, arm, registry)


def _make_registry(address: StoreAddress, project: str) -> None:
    """Make a registry with an empty project, if they do not exist."""
    from volition.workflow import Store  # noqa: PLC0415  only the first installation needs it
    from volition.workflow.law.transaction import begin_transaction  # noqa: PLC0415

    Path(address.place).parent.mkdir(mode=0o700, exist_ok=True)
    with Store(address) as store, begin_transaction(store, project):
        pass


def _setting_edit(setting: GuardSetting) -> FileEdit:
    path = Path(setting.home) / FILE
    return FileEdit(path, read_text(path), json.dumps(setting.to_data()))
