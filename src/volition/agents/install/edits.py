"""Edits of settings: all are made before one is written, each can be shown, and all or none are applied."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from volition.core.document import parse_json
from volition.core.errors import InvalidInput, Problem, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class FileEdit(Struct, frozen=True):
    """What a file holds and what it will hold; None for no file."""

    path: Path
    before: str | None
    after: str | None
    executable: bool = False

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    def difference(self) -> str:
        """The edit as people read it."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True),
            (self.after or "").splitlines(keepends=True),
            "/dev/null" if self.before is None else str(self.path),
            "/dev/null" if self.after is None else str(self.path),
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def read_text(path: Path) -> str | None:
    """The text of a settings file; None if there is none, InvalidInput if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        return refuse(
            f"the file cannot be read ({error})", where=str(path), expected="a text file", remedy="correct or move it"
        )


def read_settings(path: Path) -> tuple[str | None, dict[str, Any]]:
    """The text of a JSON settings file and what it says; InvalidInput for comments and everything that is not JSON, so
    that nothing is lost by writing it again."""
    text = read_text(path)
    if text is None or not text.strip():
        return text, {}
    try:
        data = parse_json(text, where=str(path))
    except InvalidInput as error:
        first = error.problems[0]
        what = f"{first.what}: a file with comments or errors is not overwritten"
        raise InvalidInput(Problem(what, first.where, "plain JSON", "correct it, or add the hooks by hand")) from None
    if not isinstance(data, dict):
        refuse("the settings are not an object", where=str(path), expected="a JSON object", remedy="correct the file")
    return text, data


def settings_edit(path: Path, before: str | None, data: dict[str, Any]) -> FileEdit:
    """An edit that makes a settings file say this, indented as it was; one that says nothing any more is removed."""
    if not data:
        return FileEdit(path, before, None)
    if before is not None and before.strip() and parse_json(before) == data:
        return FileEdit(path, before, before)
    indent = re.search(r"^([ \t]+)\S", before or "", re.MULTILINE)
    return FileEdit(path, before, json.dumps(data, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n")


def apply_edits(edits: Sequence[FileEdit]) -> None:
    """Write all edits; if one cannot be written, the others are taken back, and InvalidInput says why."""
    applied: list[FileEdit] = []
    try:
        for edit in edits:
            if read_text(edit.path) != edit.before:
                refuse(
                    "the file has changed meanwhile",
                    where=str(edit.path),
                    expected="no other writer",
                    remedy="try again",
                )
            _write(edit.path, edit.after, executable=edit.executable)
            applied.append(edit)
    except (OSError, InvalidInput) as error:
        for edit in reversed(applied):
            with contextlib.suppress(OSError):
                _write(edit.path, edit.before, executable=edit.executable)
        if isinstance(error, InvalidInput):
            raise
        refuse(
            f"the file cannot be written ({error.strerror}), and nothing was changed",
            where=str(edit.path),
            expected="a folder that can be written",
            remedy="check its rights, and the room on the disk",
        )


def _write(path: Path, text: str | None, *, executable: bool) -> None:
    if text is None:
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            path.parent.rmdir()  # a folder that held nothing else
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o755 if executable else 0o644
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.chmod(mode)
        draft.replace(path.resolve() if path.is_symlink() else path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
