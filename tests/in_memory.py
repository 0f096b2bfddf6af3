"""Where tests keep files whose laws are not about what a disk keeps."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 1 << 30
"""Bytes that have to be free there."""


@cache
def place_in_memory() -> Path | None:
    """A folder of a file system in memory; None if there is none, or no room in it."""
    return MEMORY if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM else None
