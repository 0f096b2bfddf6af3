"""A stage on paper: an executor that does what it is asked at once, and notes it. To try a show, and to copy for another stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from volition.execution import About, Custom, Ended, IncomingIntent, Occurred, StateSchema, make_result
from volition.staging.protocol import BY_A_GUEST, STAGE_INTENTS

if TYPE_CHECKING:
    from collections.abc import Callable

Note = tuple[str, str | None, dict[str, Any]]
"""An intent, whose it is, and its parameters."""


@dataclass
class PaperStage:
    """Who stands where, and everything that was asked, in order, which `write` is given too. What those who watch do is put
    into `occurred`, and reported."""

    tick: int = 0
    episode: int = 1
    alive: bool = True
    guests: dict[str, list[float]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    occurred: list[Occurred] = field(default_factory=list)
    write: Callable[[Note], object] = lambda _note: None

    @property
    def about(self) -> About:
        schema = StateSchema(name="stage", version="1", hash="guests-and-where-they-stand")
        return About(
            name="paper",
            version="1.0.0",
            state_schema=schema,
            tick_hz=0.0,
            intents=("STOP",),
            declares=STAGE_INTENTS,
        )

    def attempt(self, attempt: IncomingIntent) -> list[Ended | Occurred]:
        """Note an intent; who is not there can do nothing."""
        told, self.occurred = self.occurred, []
        if not isinstance(attempt.intent, Custom):  # STOP: nothing takes time here
            return [Ended(attempt, make_result()), *told]
        intent, who = attempt.intent, attempt.agent
        result = make_result()
        if intent.name == "SET":
            self.guests.clear()
        elif intent.name == "ENTER":
            self.guests[intent.parameters["who"]] = intent.parameters["at"]
        elif intent.name in BY_A_GUEST and who not in self.guests:
            result = make_result("FAILURE", "INVALID_STATE")
        elif intent.name == "WALK" and who is not None:
            self.guests[who] = [self.guests[who], *intent.parameters["way"]][-1]
        elif intent.name == "LEAVE" and who is not None:
            del self.guests[who]
        self.notes.append((intent.name, who, intent.parameters))
        self.write(self.notes[-1])
        return [Ended(attempt, result), *told]

    def cancel(self, attempt: IncomingIntent) -> list[Ended]:
        return []

    def step(self) -> list[Ended | Occurred]:
        told, self.occurred = self.occurred, []
        return [*told]

    def state(self, *, full: bool) -> Any:
        return {"guests": self.guests}

    def stop(self) -> None:
        """Nothing goes on here."""
