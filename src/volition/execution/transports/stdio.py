"""An executor as a child process: launched by the bridge, connected over pipes, ended with the stream."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING, Any, Final

from volition.execution.transports.address import Address
from volition.execution.transports.ends import PipeEnd
from volition.execution.transports.stream import EndStream, nothing_listening

if TYPE_CHECKING:
    from collections.abc import Sequence

FAREWELL: Final = 2.0
"""Seconds that a child has to end after its input is closed, and again after SIGTERM."""


class StdioStream(EndStream):
    """A Stream to the standard input and output of a program that it launches; standard error is inherited."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self.child: Final = start_child(command)
        except OSError as error:
            address = Address("stdio", command=tuple(command))
            raise nothing_listening(address, error.strerror or str(error)) from error
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        super().__init__(PipeEnd(os.dup(self.child.stdout.fileno()), os.dup(self.child.stdin.fileno())))
        self.child.stdin.close()
        self.child.stdout.close()

    def close(self, patience: float | None = None) -> None:
        """Hang up, and end the child if it does not end with its input within `patience` seconds."""
        if not self.closed:
            self.closed = True
            self.end.finish()
            try:
                end_child(self.child, patience)
            finally:
                self.end.close()


def start_child(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program with pipes, in a new session: Ctrl-C is for the bridge, which then hangs up."""
    pipe = subprocess.PIPE
    return subprocess.Popen(list(command), stdin=pipe, stdout=pipe, start_new_session=True, **options)  # noqa: S603  the caller's


def end_child(child: subprocess.Popen[bytes], patience: float | None = None) -> None:
    """Wait for a child whose input is closed; after `patience` seconds send SIGTERM, and SIGKILL if that does not help.

    The signals reach its descendants too: they form a process group with the child's id.
    """
    for number in (0, signal.SIGTERM, signal.SIGKILL):
        if number and child.poll() is None:
            os.killpg(child.pid, number)
        try:
            child.wait(patience if patience is not None and not number else FAREWELL)
        except subprocess.TimeoutExpired:
            continue
        return
