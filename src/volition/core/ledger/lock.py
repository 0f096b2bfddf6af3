"""One writer at a time: an advisory lock that the system releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING, Final

from volition.core.errors import refuse

if TYPE_CHECKING:
    from pathlib import Path

LOCK: Final = "writer.lock"
_LOOK: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class WriterLock:
    """Held from the moment it is made until `release`, or until the process ends, however it ends.

    The file says who holds it while it is held and is empty afterwards. It is never removed: a lock on a file that
    lost its name would let two writers in.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            refuse(
                f"the ledger is being written by {_named(holder)}",
                where=str(path),
                expected="one writer at a time",
                remedy="close that writer or wait until it ends, write to another ledger, or read this one",
            )
        except BaseException:
            os.close(self._descriptor)
            raise
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let the next writer in."""
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


def is_written(folder: Path) -> bool:
    """Whether a process, this one or another, is writing the ledger in a folder now.

    An empty lock is nobody's; one that names a holder is asked for without waiting and let go at once.
    """
    try:
        descriptor = os.open(folder / LOCK, _LOOK)
    except OSError:
        return False
    try:
        if not os.read(descriptor, 1):
            return False
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def _named(holder: str) -> str:
    if not holder:
        return "another process"
    return f"process {holder}" + (" (this one)" if holder == str(os.getpid()) else "")
