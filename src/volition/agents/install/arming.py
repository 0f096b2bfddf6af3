"""Installing and uninstalling as a whole: what would change, and the change itself, git hooks among it.

Git hooks are in a folder of ours, named by an absolute path, in which every hook goes on to the one that was there.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.agents.guard.git import ask_git, git
from volition.agents.guard.setting import FILE, GuardSetting, read_object
from volition.agents.install.clients import client_edits
from volition.agents.install.edits import FileEdit, apply_edits, read_text
from volition.agents.repository import Repository, failures_explained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.workflow.store.address import StoreAddress


KEY: Final = "core.hooksPath"
_HEAD: Final = "#!/bin/sh\n# Made by `volition agents install git`; `volition agents uninstall git` removes it.\n"
_OTHERS: Final = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-merge-commit", "prepare-commit-msg", "commit-msg",
    "post-commit", "pre-rebase", "post-checkout", "post-merge", "post-rewrite", "pre-auto-gc", "reference-transaction",
    "sendemail-validate",
)  # fmt: skip
_REFUSED: Final = '|| { echo "volition: this was not let through, or could not be checked, so no" >&2; exit 1; }'


def hooks_folder(repository: Repository) -> Path:
    """Where our hooks are."""
    return repository.home / "hooks"


def hooks_path(folder: Path, *scope: str) -> str:
    """The hooks path that is in force in a worktree, or that one scope of the configuration sets; empty if there is none."""
    return ask_git(str(folder), "config", *scope, "--get", KEY) or ""


def previous_path(repository: Repository) -> str:
    """The hooks path that was in force before ours; empty for git's own folder."""
    ours = str(hooks_folder(repository))
    now = hooks_path(repository.root)
    if now != ours:
        return now
    return str((read_object(str(repository.home / "hooks.json")) or {}).get("previous") or "")


def hook_edits(repository: Repository, *, arm: bool) -> list[FileEdit]:
    """The scripts to write, or to remove."""
    folder, previous = hooks_folder(repository), previous_path(repository)
    before = previous or str(repository.common / "hooks")
    texts = {name: _script("", name, before) for name in _OTHERS}
    check = f"{shlex.quote(sys.executable)} -I -m volition.agents.committing"
    texts["pre-commit"] = _script(f"{check} --staged {_REFUSED}\n", "pre-commit", before)
    texts["pre-push"] = _pushing(check, before)
    edits = [
        FileEdit(folder / name, read_text(folder / name), text if arm else None, executable=True)
        for name, text in sorted(texts.items())
    ]
    note = repository.home / "hooks.json"
    note_text = json.dumps({"previous": previous, "own": hooks_path(repository.root, "--local") if arm else ""})
    if arm and hooks_path(repository.root) == str(folder):
        note_text = read_text(note) or note_text
    return [*edits, FileEdit(note, read_text(note), note_text if arm else None)]


def set_hooks_path(repository: Repository, *, arm: bool) -> None:
    """Name our folder in the repository's configuration, or what it said before."""
    if arm:
        git(str(repository.root), "config", "--local", KEY, str(hooks_folder(repository)))
        return
    if hooks_path(repository.root, "--local") != str(hooks_folder(repository)):
        return
    own = str((read_object(str(repository.home / "hooks.json")) or {}).get("own") or "")
    if own:
        git(str(repository.root), "config", "--local", KEY, own)
    else:
        git(str(repository.root), "config", "--local", "--unset", KEY, fine=(0, 5))


def _script(check: str, name: str, before: str) -> str:
    there = f"{shlex.quote(before)}/{name}"
    return f'{_HEAD}{check}if [ -x {there} ]; then exec {there} "$@"; fi\nexit 0\n'


def _pushing(check: str, before: str) -> str:
    """A pre-push hook gets lines on stdin, which both need."""
    there = f"{shlex.quote(before)}/pre-push"
    return (
        f'{_HEAD}lines=$(cat)\nprintf "%s\\n" "$lines" | {check} --pushed {_REFUSED}\n'
        f'if [ -x {there} ]; then if [ -n "$lines" ]; then printf "%s\\n" "$lines"; fi | {there} "$@"; exit; fi\nexit 0\n'
    )


class Arming(Struct, frozen=True):
    """Edits that arm or disarm some parts of a repository, and the hooks path of git before and after them."""

    repository: Repository
    edits: tuple[FileEdit, ...]
    hooks_path: tuple[str, str] | None
    arm: bool
    registry: tuple[StoreAddress, str] | None = None
    """The registry to make, and its project; None if they exist."""

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
