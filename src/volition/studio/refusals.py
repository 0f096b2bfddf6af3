"""What the guard refused today in the repository around the studio's folder, from the guard's journal, which is only read.

The journal is a file of JSON lines in git's common folder. `volition guard log` also verifies it; this does not.
"""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from volition.core.typed import decoder

if TYPE_CHECKING:
    from pathlib import Path

JOURNAL: Final = ("volition", "journal.jsonl")
"""Where the journal is, in git's common folder."""
READ_BYTES: Final = 2**20
"""How much of its end is read."""
MOST: Final = 200
"""How many refusals are listed, the newest first."""
REFUSED: Final = frozenset({"deny", "failure"})


class GuardRefusal(Struct, frozen=True):
    """A call of an agent that the guard refused."""

    at: float
    """When, in seconds since 1970."""
    session: str
    """The session of the agent; empty where it is not known."""
    client: str
    """The program that the agent runs in."""
    tool: str
    """The tool that was called."""
    files: list[str]
    """The files that it wanted to write, as far as they are known."""
    reasons: list[str]
    """Why it was refused."""


class _Line(Struct, frozen=True):
    what: str
    at: int
    session: str = ""
    client: str = ""
    tool: str = ""
    targets: list[str] = []
    reasons: list[str] = []
    tree: str = ""


_lines: Final = decoder(_Line)


def find_journal(folder: Path) -> Path | None:
    """The guard's journal of the repository that a folder is in; None if there is none."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.exists():
            file = _common_folder(git).joinpath(*JOURNAL)
            return file if file.is_file() and not file.is_symlink() else None
    return None


def _common_folder(git: Path) -> Path:
    """Git's common folder: of a linked worktree, `.git` is a file that leads to it."""
    if git.is_dir():
        return git
    try:
        own = git.parent / git.read_text(encoding="utf-8").strip().removeprefix("gitdir: ")
        return own / (own / "commondir").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return git


def refused_since(journal: Path, since: float) -> list[GuardRefusal]:
    """The refusals after a time, the newest first; lines that cannot be read are left out."""
    try:
        with journal.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - READ_BYTES))
            lines = file.read().splitlines()
    except OSError:
        return []
    refused = [line for each in reversed(lines) if (line := _read_line(each)) and line.what in REFUSED]
    return [_refusal(line) for line in refused[:MOST] if line.at / 1000 >= since]


def midnight() -> float:
    """When today began here, in seconds since 1970."""
    return datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def _refusal(line: _Line) -> GuardRefusal:
    root = f"{line.tree}/" if line.tree else ""
    files = [path.removeprefix(root) for path in line.targets]
    return GuardRefusal(line.at / 1000, line.session, line.client, line.tool, files, line.reasons)


def _read_line(line: bytes) -> _Line | None:
    try:
        return _lines.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
