"""Evenings that another process plays: `volition play` in a terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

from tests.processes import PATIENCE, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def playing(folder: Path, seed: int, *, pace: float, ticks: int = 60) -> Iterator[subprocess.Popen[bytes]]:
    """Play an evening in a folder, a tick every `pace` seconds; at the end of the block the process is killed."""
    ours, theirs = pty.openpty()
    arguments = ["play", "--seed", str(seed), "--ticks", str(ticks), "--pace", str(pace)]
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [sys.executable, "-m", "volition.cli", *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": path, "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        reading = Thread(target=_drain, args=(ours,))
        reading.start()
        try:
            yield process
        finally:
            process.kill()
            process.wait(PATIENCE)
            reading.join(PATIENCE)
            os.close(ours)


@contextmanager
def frozen(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Pause the process, so that the evening cannot end before a slow test has looked at it."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


@contextmanager
def going_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Let a paused process go on inside the block."""
    process.send_signal(signal.SIGCONT)
    try:
        yield
    finally:
        process.send_signal(signal.SIGSTOP)


def has_begun(folder: Path, run: str) -> bool:
    """Whether an evening has a tick: its record has a header, an opening and one more line."""
    file = folder / "volition-runs" / run / "000001.jsonl"
    return file.is_file() and file.read_bytes().count(b"\n") >= 3


def _drain(terminal: int) -> None:
    """Read the terminal, so that the process never blocks on it."""
    with suppress(OSError):
        while os.read(terminal, 65536):
            pass
