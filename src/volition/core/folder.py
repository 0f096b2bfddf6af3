"""Files and folders written as a whole, durable names, files in a folder that is not trusted, and the cache of what can be rebuilt."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping


OPEN_UNTRUSTED: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Flags for reading a file that somebody may have replaced: links are not followed, and pipes are not waited for."""

DRAFTS: Final = ".volition-*.tmp"
"""The names of files that are not written yet; a crash may leave one behind."""


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


def replace_file(file: Path, data: bytes) -> None:
    """Replace a file as a whole, with its mode, by content that is on disk; its name is durable when the folder is synced."""
    draft = file.with_name(DRAFTS.replace("*", secrets.token_hex(8)))
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as stream:  # noqa: PTH123
            stream.write(data)
            stream.flush()
            if file.exists():
                draft.chmod(stat.S_IMODE(file.stat().st_mode))
            os.fsync(stream.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable; only POSIX systems can and need to."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def cache_folder(*parts: str) -> Path:
    """A folder under the user's cache, or under VOLITION_CACHE if that is set; it may not exist yet.

    >>> cache_folder("compiled").name
    'compiled'
    """
    chosen = os.environ.get("VOLITION_CACHE")
    if chosen:
        return Path(chosen).joinpath(*parts)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache").joinpath("volition", *parts)
