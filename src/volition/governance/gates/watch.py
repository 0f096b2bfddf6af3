"""The side effects of a function: files written, moved or removed, programs started, connections opened.

Python cannot remove an audit hook, so the function is called in a separate process, and no hook stays in the caller's:

    python -m volition.governance.gates.watch MODULE:FUNCTION ARGUMENT...
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    Deed = tuple[str, str]
    """What was done, and the path it was done to; the path is empty if there is none."""

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
_TWO_PATHS: Final = frozenset({"os.rename", "os.link", "os.symlink"})
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


def watch_call(function: str, *arguments: str) -> list[Deed]:
    """The side effects of `function`, written as MODULE:NAME, called with these arguments in a new process.

    subprocess.CalledProcessError says that it failed; its `stderr` says how. Python's own cache of compiled modules does
    not count.
    """
    process = subprocess.run(  # noqa: S603 - this Python, and a function that the caller names
        [sys.executable, "-m", __name__, function, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [(deed, path) for deed, path in json.loads(process.stdout)]


def _watch_here(function: str, *arguments: str) -> list[Deed]:
    """The side effects of a function called in this process, which keeps the hook until it ends."""
    module, _, name = function.partition(":")
    called = getattr(import_module(module), name)
    deeds: list[Deed] = []
    watching = True

    def notice(event: str, args: tuple[Any, ...]) -> None:
        if watching:
            deeds.extend(_deeds(event, args))

    sys.addaudithook(notice)
    with redirect_stdout(sys.stderr):
        called(*arguments)
    watching = False
    return deeds


def _deeds(event: str, args: tuple[Any, ...]) -> Iterator[Deed]:
    if event == "open":
        path, mode, flags = args
        if isinstance(path, str | bytes) and (flags & _WRITING or (mode and set(mode) & set("wax+"))):
            yield from _file("opened for writing", path)
    elif event in _CHANGES:
        for path in args[: 2 if event in _TWO_PATHS else 1]:
            yield from _file(event, path)
    elif event.startswith(_STARTS):
        yield event, ""


def _file(deed: str, path: Any) -> Iterator[Deed]:
    text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
    if "__pycache__" not in text:
        yield deed, text


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_watch_here(*sys.argv[1:])))
