"""Large files written completely or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def replace_atomically(file: Path) -> Iterator[Path]:
    """Give a draft to write to; it takes the file's place when it is complete and on the disk, and is else removed."""
    draft = file.with_name(f".{file.name}.tmp")
    try:
        yield draft
        with draft.open("rb") as stream:
            os.fsync(stream.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
