"""Executors that answer as the contract has it, and succeed at nothing, or not at everything that they offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tests.execution.conformance.laws.defect import Defect
from volition.execution import make_result
from volition.execution.executor.contract import Ended
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News


class Unable(ArenaExecutor):
    """Fails some intents, always."""

    of: ClassVar[frozenset[str]] = frozenset()

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        if attempt.intent.name not in self.of:
            return super().attempt(attempt)
        return [Ended(attempt, make_result("FAILURE", "INVALID_STATE", engine_timestamp=self.tick))]


class FailsAllButStop(Defect):
    """Everything but STOP fails."""

    game = type(
        "", (Unable,), {"of": frozenset({"MOVE", "JUMP", "EVADE", "PRIMARY_ATTACK", "HOLD", "RELEASE"})}
    )  # fmt: skip
    caught_by: ClassVar = {"conduct.each_succeeds"}


class NeverEvades(Defect):
    """EVADE is offered, and always fails."""

    game = type("", (Unable,), {"of": frozenset({"EVADE"})})
    caught_by: ClassVar = {"conduct.each_succeeds"}


class NeverReleases(Defect):
    """RELEASE is offered, and always fails."""

    game = type("", (Unable,), {"of": frozenset({"RELEASE"})})
    caught_by: ClassVar = {"conduct.each_succeeds"}
