"""The good executor with intents of its own: one that ends at once, and one that lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.execution.conformance.subject import TOKEN, Subject
from volition.execution import Declaration, make_result, object_schema
from volition.execution.executor.contract import Ended
from volition.execution.executor.host import Host
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from volition.execution import IncomingIntent, Result
    from volition.execution.executor.contract import News

SALUTE = Declaration(
    name="SALUTE",
    parameters=object_schema(
        "to",
        times={"type": "integer", "minimum": 1, "maximum": 3},
        to={"type": "string", "enum": ["king", "crowd"]},
        words={"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 8}, "maxItems": 2},
    ),
    results=("SUCCESS/NONE", "FAILURE/COOLDOWN"),
    examples=({"times": 2, "words": ["hail"]},),
)
LURK = Declaration(name="LURK", description="Stay in the shadows until somebody says otherwise.")


class OwnArena(ArenaExecutor):
    """An arena whose actor also salutes, at most three times in an episode with one word, and lurks."""

    lurking: list[IncomingIntent]

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        name = attempt.intent.name
        lurking: list[IncomingIntent] = self.__dict__.setdefault("lurking", [])
        if name == "LURK":
            lurking.append(attempt)
            # The first look of the kit wants to see it succeed: it does where nobody waits for long.
            return [self.end(attempt, "SUCCESS")] if attempt.ttl_ms <= 2000 else []
        if name == "SALUTE":
            return [Ended(attempt, self.salute(attempt))]
        ended: list[News] = [self.end(each, "PARTIAL") for each in [*lurking]] if name == "STOP" else []
        return [*ended, *super().attempt(attempt)]

    def salute(self, attempt: IncomingIntent) -> Result:
        return make_result(engine_timestamp=self.tick)

    def cancel(self, attempt: IncomingIntent) -> list[News]:
        if attempt.intent.name == "LURK":
            return [self.end(attempt, "PARTIAL")]
        return super().cancel(attempt)

    def reset(self, seed: int) -> None:
        self.__dict__.setdefault("lurking", []).clear()
        super().reset(seed)

    def end(self, attempt: IncomingIntent, status: str) -> Ended:
        self.lurking.remove(attempt)
        return Ended(attempt, make_result(status, engine_timestamp=self.tick))  # type: ignore[arg-type]


class OwnSubject(Subject):
    """A good executor that declares what it can do beside the seven."""

    game = OwnArena
    declares = (SALUTE, LURK)

    def start(self) -> None:
        super().start()
        self.executor.about = replace(self.executor.about, declares=self.declares, ends_overdue=False)
        self.host = Host(self.executor, now=self.now, token=TOKEN, timing=self.timing, requests=self.memory)
