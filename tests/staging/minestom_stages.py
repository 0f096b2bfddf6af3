"""The stage in the Minestom world as a process, for tests; skipped, and loudly, where it cannot run."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from volition.core.errors import MissingPart
from volition.execution.worlds import minestom

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from volition.execution import Bridge


class ServedStage:
    """A stage that runs: the bridge's address, the port of the game, and the file of its log."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        assert process.stdout is not None
        self.process, self.log = process, log
        self.address = process.stdout.readline().strip()
        self.game_port = int(process.stdout.readline().strip().rpartition(":")[2])


@contextmanager
def serving_stage(folder: Path) -> Iterator[ServedStage]:
    """A stage of its own, whose log is a file in a folder."""
    try:
        minestom.find_java()
    except MissingPart:
        pytest.skip("NO JAVA 25: the stage in the Minestom world is NOT TESTED here; make minestom gets it")
    if minestom.find_built() is None:
        pytest.skip("NOT BUILT: the stage in the Minestom world is NOT TESTED here; make minestom builds it")
    command, log = minestom.server_command(stage=True), folder / "log"
    with (
        log.open("w") as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            yield ServedStage(process, log)
        finally:
            process.kill()


class NotingBridge:
    """A bridge that notes what was asked and how it ended."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        self.sent: list[tuple[str, str | None, Any]] = []
        self.ended: list[tuple[str, str]] = []
        self._open: dict[int, str] = {}

    def submit(self, intent: str, parameters: Any = None, *, deadline: float = 0.5, agent: str | None = None) -> int:
        ticket = self.bridge.submit(intent, parameters, deadline=deadline, agent=agent)
        self.sent.append((intent, agent, parameters))
        self._open[ticket] = intent
        return ticket

    def wait(self, ticket: int) -> Any:
        outcome = self.bridge.wait(ticket)
        self.ended.append((self._open.pop(ticket), outcome.status))
        return outcome

    def events(self) -> list[Any]:
        return self.bridge.events()
