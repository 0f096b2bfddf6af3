"""One writer at a time: an advisory lock that the operating system releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from volition.core.errors import refuse
from volition.core.folder import OPEN_UNTRUSTED

if TYPE_CHECKING:
    from pathlib import Path

LOCK: Final = "writer.lock"


class WriterLock:
    """Held from its creation until `release`, or until the process ends, however it ends.

    The file names the holder while the lock is held, and is empty afterwards. It is never removed: a lock on a removed
    file would let two writers in.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
            here = " (this one)" if holder == str(os.getpid()) else ""
            os.close(self._descriptor)
            refuse(
                f"the ledger is being written by {f'process {holder}' if holder else 'another process'}{here}",
                where=str(path),
                expected="one writer at a time",
                remedy="close that writer or wait until it ends, write to another ledger, or read this one",
            )
        except BaseException:
            os.close(self._descriptor)
            raise
        with suppress(OSError):  # on a full disk the lock holds without a name
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Allow the next writer."""
        with suppress(OSError):  # a name that stays says nothing without the lock
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


def is_written(folder: Path) -> bool:
    """Whether any process is writing the ledger in a folder now.

    An empty lock file is held by nobody; if it names a holder, the lock is tried without waiting and released at once.
    """
    try:
        descriptor = os.open(folder / LOCK, OPEN_UNTRUSTED)
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
