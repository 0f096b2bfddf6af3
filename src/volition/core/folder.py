"""Folders: write one as a whole, make its names durable, and open files in one that is not trusted."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

OPEN_UNTRUSTED: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Flags for reading a file that somebody may have replaced: links are not followed, and pipes are not waited for."""


def write_folder(target: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Write files by their names under `target`, which must be new or an empty folder: all of them or none.

    InvalidInput if it is not empty or cannot be written; then nothing is left behind.
    """
    folder = Path(target)
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        refuse(
            "this name is taken",
            where=str(folder),
            expected="a folder that is new or empty",
            remedy="choose another one: nothing is overwritten",
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".volition-") as place:
            draft = Path(place) / "draft"
            draft.mkdir()
            for name, content in files.items():
                file = draft / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            if folder.exists():
                folder.rmdir()
            draft.rename(folder)
    except OSError as error:
        refuse(
            f"the folder cannot be written: {error.strerror or error}",
            where=str(folder),
            expected="a place that can be written",
            remedy="choose another one",
        )


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable; only POSIX systems can and need to."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
