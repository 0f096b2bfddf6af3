"""Java arenas in separate processes, and a bridge's session driven over a real connection to them."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from msgspec.structs import replace

from tests.execution.client.bridges import PATIENT
from tests.processes import PATIENCE
from volition.core.errors import MissingPart
from volition.core.folder import cache_folder
from volition.execution.transports.endpoint import dial
from volition.execution.wire.frames import StateFrame
from volition.execution.wire.intents import parse_intent
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.events import Closed, Ready
from volition.execution.wire.session.session import Session
from volition.execution.worlds.java import LIGHT_JVM, arena_command, build, find_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from volition.execution.wire.session.events import SessionEvent
    from volition.execution.wire.session.handshake import Offer


@contextmanager
def needing_a_jdk() -> Iterator[None]:
    """Without a JDK the test fails, or is left out by NO_JAVA=1."""
    try:
        yield
    except MissingPart:
        if os.environ.get("NO_JAVA") == "1":
            pytest.skip("NO_JAVA=1 IS SET: the Java executor is NOT tested here")
        raise


def light(command: Sequence[str]) -> tuple[str, ...]:
    """The same command for a JVM that ends soon: with the quick compiler alone it needs half as much of a core."""
    return command[0], *LIGHT_JVM, *command[1:]


def brief(command: Sequence[str]) -> tuple[str, ...]:
    """The same for a JVM that has little to do: to compile its code would cost more than to interpret it."""
    return command[0], *LIGHT_JVM, "-Xint", *command[1:]


@contextmanager
def arena(*, busy: bool = False, **options: Any) -> Iterator[str]:
    """A Java arena while the block runs, by its address; `busy` where much is asked of it."""
    with needing_a_jdk():
        command = (light if busy else brief)(arena_command(leash=True, **options))
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        yield child.stdout.readline().decode().strip()
        assert child.poll() is None, "it is alive at the end"
    finally:
        child.stdin.close()
        child.stdout.close()
        try:
            child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def game(source: Path) -> tuple[str, ...]:
    """The command that runs a game in Java, of one file, with the library of the executor; like its jar it is compiled once."""
    with needing_a_jdk():
        java, javac, jar = find_tool("java"), find_tool("javac"), build()
    code = source.read_bytes()
    classes = cache_folder("games", sha256(jar.parent.name.encode() + code).hexdigest()[:32])
    if not classes.exists():
        classes.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=classes.parent, prefix="building-") as folder:
            draft = Path(folder) / "classes"
            options = [f"-J{option}" for option in LIGHT_JVM]
            subprocess.run([javac, *options, "-cp", jar, "-d", draft, source], check=True)
            with suppress(OSError):  # another process was faster
                draft.rename(classes)
    package = re.search(rb"^package (.+);", code, re.MULTILINE)
    name = f"{package[1].decode()}.{source.stem}" if package else source.stem
    return str(java), *LIGHT_JVM, "-Xint", "-cp", f"{jar}{os.pathsep}{classes}", name


class Driver:
    """A session on a real connection, which is read while a test waits for something."""

    def __init__(self, address: str, offer: Offer | None = None) -> None:
        self.stream = dial(address)
        self.session = Session(offer, now=time.monotonic(), timing=replace(PATIENT, grace=60.0))
        self.events: list[SessionEvent] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()

    def until(self, found: Callable[[SessionEvent], bool]) -> SessionEvent:
        """Wait for an event, from those not yet asked for."""
        end = time.monotonic() + PATIENCE
        while True:
            for position, event in enumerate(self.events):
                if found(event):
                    del self.events[position]
                    return event
            assert time.monotonic() < end, f"not in time; events: {self.events}"
            self.turn(0.05)

    def turn(self, wait: float) -> None:
        if data := self.session.take():
            self.stream.send(data)
        data = self.stream.receive(wait) or b""
        now = time.monotonic()
        if data:
            self.events += self.session.receive(data, now)
        self.events += self.session.poll(now)

    def ready(self) -> StateFrame:
        event = self.until(lambda event: isinstance(event, Ready | Closed))
        assert isinstance(event, Ready), event
        return event.state

    def send(self, name: str, *vector: float, ttl: float = 60.0) -> int:
        intent = parse_intent(name, {"vector": list(vector)} if vector else None)
        return self.session.send(intent, now=time.monotonic(), ttl=ttl)

    def result(self, id: int) -> Outcome:
        event = self.until(lambda event: isinstance(event, Outcome) and event.id == id)
        assert isinstance(event, Outcome)
        return event

    def attempt(self, name: str, *vector: float) -> Outcome:
        """Send one intent, and wait for its outcome; every answer is a good one."""
        finished = self.result(self.send(name, *vector))
        assert finished.answered
        assert finished.violations == ()
        return finished

    def end(self, name: str, *vector: float) -> tuple[str, str]:
        """The status and the reason with which an intent ended."""
        result = self.attempt(name, *vector).result
        return result.status, result.failure_reason

    def look(self, *, full: bool = False) -> dict[str, Any]:
        """The world now."""
        id = self.session.request_state(now=time.monotonic(), full=full)
        event = self.until(lambda event: isinstance(event, StateFrame) and event.id == id)
        assert isinstance(event, StateFrame)
        data: dict[str, Any] = event.data
        return data
