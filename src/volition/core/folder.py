"""Writing a folder of files: whole or not at all, and never over anything else."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from volition.core.errors import refuse

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping


def write_folder(target: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Write the files, by their names under `target`, which is new or an empty folder.

    InvalidInput where it holds something or cannot be written; then nothing is left behind.
    """
    folder = Path(target)
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        refuse(
            "there is something already",
            where=str(folder),
            expected="a folder that is new or empty",
            remedy="name another one: nothing is overwritten",
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
            remedy="name another one",
        )
