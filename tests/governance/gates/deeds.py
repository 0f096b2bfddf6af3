"""What an evaluation must not do, for gate E to watch in its own process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def leak(path: Path) -> None:
    path.write_text("x", encoding="utf-8")


DEEDS: dict[str, Callable[[Path], object]] = {
    "a file beside the folder": lambda out: leak(out.parent / "leak.txt"),
    "a path that leads out of the folder": lambda out: leak(out / ".." / "leak.txt"),
    "a folder elsewhere": lambda out: (out.parent / "new").mkdir(),
    "a file moved out": lambda out: (out / "result.json").rename(out.parent / "a"),
    "a file removed": lambda out: (out.parent / "kept.txt").unlink(),
    "an append": lambda out: (out.parent / "kept.txt").open("a").close(),
    "a program": lambda out: subprocess.run([sys.executable, "-c", ""], check=True),
    "a shell": lambda out: os.system("true"),
    "a connection": lambda out: socket.socket().connect_ex(("127.0.0.1", 9)),
}


def behave(out: str) -> None:
    """Write into the output folder, and read elsewhere."""
    leak(Path(out, "result.json"))
    Path(out, "inner").mkdir()
    Path(__file__).read_text(encoding="utf-8")
    sys.stdout.write("said to standard output")


def misbehave(out: str, deed: str) -> None:
    DEEDS[deed](Path(out))


def fail(out: str) -> None:
    raise ValueError("planted")
