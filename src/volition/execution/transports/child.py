"""An executor as a child process: one that talks over its pipes, or one that prints where it listens."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import InvalidInput
from volition.execution.transports.address import Address, parse_address
from volition.execution.transports.stream import EndStream, PipeEnd, nothing_listening
from volition.execution.wire.session.handshake import NothingListening

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


class Launched:
    """A program whose first line of output is the address at which it listens; further output goes to standard error.

    `address` starts it if it is not running, so an executor that died is restarted on the next dial. Its standard input
    stays open as long as this process lives, so the program may exit when its input ends. The token, if any, is in its
    environment as VOLITION_TOKEN, where other users cannot read it.
    """

    def __init__(self, command: str | Sequence[str], *, token: str | None = None) -> None:
        self.command = tuple(shlex.split(command) if isinstance(command, str) else command)
        self._token = token
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._said = Event()
        self._first = ""

    @property
    def pid(self) -> int | None:
        """The id of the newest process; None before the first start."""
        return self._child.pid if self._child else None

    def address(self, timeout: float) -> Address:
        """Where it listens, as soon as it has printed that; NothingListening if it cannot run or prints nothing in
        time.

        A process that is slow to start is left running for the next call.
        """
        until = time.monotonic() + timeout
        with self._lock:
            if self._child is None or self._child.poll() is not None:
                self._start()
        if not self._said.wait(max(0.0, until - time.monotonic())):
            raise not_launched(self.command, f"has said nothing for {timeout:.3g} s")
        if not self._first:
            raise not_launched(self.command, "has ended without a word")
        try:
            return parse_address(self._first)
        except InvalidInput as error:
            raise not_launched(self.command, f"says {self._first!r}") from error

    def end(self) -> None:
        """Ask the process to end, and kill it if it does not."""
        child = self._child
        if child is None:
            return
        assert child.stdin is not None
        child.stdin.close()
        # At once: a program that listens at an address need not end with its input.
        end_child(child, patience=0.0)

    def _start(self) -> None:
        try:
            token = {"VOLITION_TOKEN": self._token} if self._token else {}
            child = start_child(self.command, env=os.environ | token)
        except OSError as error:
            raise not_launched(self.command, f"cannot be started: {error.strerror or error}") from error
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()
        self._child, self._said, self._first = child, Event(), ""
        Thread(target=self._listen, args=(child, self._said), name="volition-launched", daemon=True).start()

    def _listen(self, child: subprocess.Popen[bytes], has_spoken: Event) -> None:
        """Note the first line and forward the others, so that the process never blocks on a full pipe."""
        assert child.stdout is not None
        with child.stdout as lines:
            first = lines.readline().decode("utf-8", "replace").strip()
            if has_spoken is self._said:
                self._first = first
            has_spoken.set()
            for line in lines:
                sys.stderr.buffer.write(line)


def not_launched(command: Sequence[str], what: str) -> NothingListening:
    """The error for a program that does not say how to reach it."""
    return NothingListening.of(
        f"{shlex.join(command)!r} {what}",
        where="launch",
        expected="a program that prints the address at which it listens as its first line",
        remedy="run it by hand and see what it prints",
    )


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
