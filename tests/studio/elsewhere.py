"""Evenings that another process plays: `volition play`, typed into a terminal of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

from tests.processes import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def playing(folder: Path, seed: int, *, pace: float, ticks: int = 60) -> Iterator[subprocess.Popen[bytes]]:
    """An evening that is being played in a folder, a tick every `pace` seconds; at the end it is broken off."""
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
            process.wait(10)
            reading.join(10)
            os.close(ours)


def has_begun(folder: Path, run: str) -> bool:
    """Whether an evening has a tick already: a header, an opening and one line more."""
    file = folder / "volition-runs" / run / "000001.jsonl"
    return file.is_file() and file.read_bytes().count(b"\n") >= 3


def _drain(terminal: int) -> None:
    """Read what is shown, so that whoever shows it never waits."""
    with suppress(OSError):
        while os.read(terminal, 65536):
            pass
