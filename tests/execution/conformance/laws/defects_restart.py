"""Executors that forget with a restart what they have promised to remember."""

from __future__ import annotations

import json
from typing import ClassVar

from tests.execution.conformance.laws.defect import Defect


class Amnesiac(Defect):
    """Some lines of its memory are lost with the restart."""

    def keeps(self, entry: dict[str, object]) -> bool:
        """Whether a line of the memory outlives the restart."""
        return True

    def start(self) -> None:
        first, *entries = self.file.read_bytes().splitlines(keepends=True) or [b""]
        self.file.write_bytes(first + b"".join(line for line in entries if self.keeps(json.loads(line))))
        super().start()


class ForgetsRequestsWithARestart(Amnesiac):
    """What was done for a request is forgotten with the restart."""

    caught_by: ClassVar = {"restart.requests_remembered", "restart.interrupted"}

    def keeps(self, entry: dict[str, object]) -> bool:
        return "fence" in entry


class ForgetsTokensWithARestart(Amnesiac):
    """The highest tokens are forgotten with the restart."""

    caught_by: ClassVar = {"restart.tokens_remembered"}

    def keeps(self, entry: dict[str, object]) -> bool:
        return "fence" not in entry


class AttemptsTheInterruptedAgain(Amnesiac):
    """A request that began and has no result is taken for one that never began."""

    caught_by: ClassVar = {"restart.interrupted"}

    def start(self) -> None:
        lines = self.file.read_bytes().splitlines()[1:]
        self.finished = {entry["end"] for entry in map(json.loads, lines) if "end" in entry}
        super().start()

    def keeps(self, entry: dict[str, object]) -> bool:
        return "begin" not in entry or entry["begin"] in self.finished


class ForgetsResultsWithARestart(Amnesiac):
    """Every request that was done counts as interrupted after the restart."""

    caught_by: ClassVar = {"restart.requests_remembered"}

    def keeps(self, entry: dict[str, object]) -> bool:
        return "end" not in entry
