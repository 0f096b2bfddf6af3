"""What a piece of code does to the world outside it: files written, moved or removed, programs started, connections."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    Deeds = list[tuple[str, str]]

_CHANGES: Final = frozenset(
    [
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.mkdir",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.chmod",
        "os.chown",
        "os.utime",
    ]
)
_STARTS: Final = (
    "subprocess.",
    "os.system",
    "os.exec",
    "os.spawn",
    "os.posix_spawn",
    "os.fork",
    "socket.connect",
    "pty.",
)
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_watching: list[Deeds] = []
_installed: list[bool] = []


@contextmanager
def watched() -> Iterator[Deeds]:
    """The deeds of the code inside, as they happen: (what, path), the path being empty for what is no file.

    Python's own cache of compiled modules does not count.
    """
    if not _installed:
        sys.addaudithook(_notice)  # cannot be taken away again, so there is one for all
        _installed.append(True)
    deeds: Deeds = []
    _watching.append(deeds)
    try:
        yield deeds
    finally:
        _watching.remove(deeds)


def _notice(event: str, args: tuple[Any, ...]) -> None:
    if not _watching:
        return
    for deed in _deeds(event, args):
        for deeds in _watching:
            deeds.append(deed)


def _deeds(event: str, args: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
    if event == "open":
        path, mode, flags = args
        if isinstance(path, str | bytes) and (flags & _WRITING or (mode and set(mode) & set("wax+"))):
            yield from _file("opened for writing", path)
    elif event in _CHANGES:
        for path in args[: 2 if event in {"os.rename", "os.link", "os.symlink"} else 1]:
            yield from _file(event, path)
    elif event.startswith(_STARTS):
        yield event, ""


def _file(deed: str, path: Any) -> Iterator[tuple[str, str]]:
    text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
    if "__pycache__" not in text:
        yield deed, text
