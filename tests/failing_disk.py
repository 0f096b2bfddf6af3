"""A disk that fails: at the n-th call that changes a folder, once or until it is repaired."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest

BY_HANDLE: Final = ("write", "pwrite", "fsync", "fdatasync", "ftruncate")
BY_NAME: Final = ("open", "replace", "rename")


class FailingDisk:
    """The calls of this process that change files in a folder, counted; from the `at`-th on they fail, or that one alone."""

    def __init__(self, folder: Path, at: int = 0, *, lasting: bool = False) -> None:
        self.calls = 0
        self._folder, self._at, self._lasting = os.path.realpath(folder), at, lasting

    def __repr__(self) -> str:
        return f"a disk that fails at call {self._at}"

    @contextmanager
    def in_force(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Have the calls of `os` go through this disk."""
        with monkeypatch.context() as patch:
            for name in (*BY_HANDLE, *BY_NAME):
                patch.setattr(os, name, self._through(name, getattr(os, name)))
            yield

    def repair(self) -> None:
        """From here on everything succeeds."""
        self._at = 0

    def _through(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(first: Any, *rest: Any, **named: Any) -> Any:
            if self._is_here(first, is_handle=name in BY_HANDLE) and not (name == "open" and not rest[0] & os.O_CREAT):
                self.calls += 1
                if self._at and (self.calls == self._at or (self._lasting and self.calls > self._at)):
                    if name in {"write", "pwrite"}:  # half of it fits
                        real(first, rest[0][: len(rest[0]) // 2], *rest[1:])
                    raise OSError(errno.ENOSPC, "No space left on device")
            return real(first, *rest, **named)

        return call

    def _is_here(self, first: Any, *, is_handle: bool) -> bool:
        if not is_handle:
            return str(os.path.realpath(first)).startswith(self._folder)
        try:
            return os.readlink(f"/proc/self/fd/{first}").startswith(self._folder)  # noqa: PTH115  at every call
        except OSError:
            return False
