"""Stages for tests: one that is called directly, and fails as it is told to."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from volition.execution.wire.declared import DeclaredIntents
from volition.staging import STAGE_INTENTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution import Occurred

CHECK = DeclaredIntents(STAGE_INTENTS)


@dataclass
class DirectStage:
    """A stage without a wire. `fails` says which cue it does not carry out; `watch` is asked, after every cue, what those who
    watch do."""

    fails: Callable[[int, str], bool] = lambda _number, _intent: False
    watch: Callable[[int, str], list[Occurred]] = lambda _number, _intent: []
    guests: dict[str, list[float]] = field(default_factory=dict)
    sent: list[tuple[str, str | None, dict[str, Any]]] = field(default_factory=list)
    happened: list[Occurred] = field(default_factory=list)

    def submit(self, intent: str, parameters: Any = None, *, deadline: float = 0.5, agent: str | None = None) -> int:
        assert deadline > 0
        assert not CHECK.problems(intent, parameters)
        self.sent.append((intent, agent, parameters))
        number = len(self.sent) - 1
        self.happened += self.watch(number, intent)
        if not self.fails(number, intent):
            self._do(intent, agent, parameters)
        return number

    def _do(self, intent: str, agent: str | None, parameters: dict[str, Any]) -> None:
        if agent is not None:
            assert agent in self.guests, "who is not there is asked for nothing"
        if intent == "ENTER":
            self.guests[parameters["who"]] = parameters["at"]
        elif intent == "WALK" and agent is not None:
            self.guests[agent] = parameters["way"][-1]
        elif intent == "LEAVE" and agent is not None:
            del self.guests[agent]

    def wait(self, ticket: int) -> Any:
        failed = self.fails(ticket, self.sent[ticket][0])
        return SimpleNamespace(status="PARTIAL" if failed else "SUCCESS")

    def events(self) -> list[Any]:
        happened, self.happened = self.happened, []
        return happened

    def asked_for(self, intent: str) -> list[tuple[str | None, dict[str, Any]]]:
        """Whose cues of this kind came, and with what."""
        return [(who, parameters) for name, who, parameters in self.sent if name == intent]
