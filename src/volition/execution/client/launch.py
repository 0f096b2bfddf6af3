"""An executor in a separate process that prints where it listens: started when it is first dialled, ended with the
bridge."""

from __future__ import annotations

import os
import shlex
import sys
import time
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from volition.core.errors import InvalidInput
from volition.execution.transports import Address, parse_address
from volition.execution.transports.stdio import end_child, start_child
from volition.execution.wire.session.refusals import NothingListening

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence


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

    def _listen(self, child: subprocess.Popen[bytes], said: Event) -> None:
        """Note the first line and forward the others, so that the process never blocks on a full pipe."""
        assert child.stdout is not None
        with child.stdout as lines:
            first = lines.readline().decode("utf-8", "replace").strip()
            if said is self._said:
                self._first = first
            said.set()
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
