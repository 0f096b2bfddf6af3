"""A game with intents of its own: it digs, listens, and begins again with a seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from volition.core.clock import ManualClock
from volition.execution import About, Bridge, Custom, Declaration, Ended, IncomingIntent, Stop, make_result
from volition.execution.executor.host import Host
from volition.execution.wire.frames import StateSchema
from volition.execution.wire.parameter_schema import object_schema

if TYPE_CHECKING:
    from volition.execution.executor.contract import News

DIG = Declaration(
    name="DIG",
    parameters=object_schema(
        "tool",
        at={"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3},
        tool={"type": "string", "enum": ["pick", "spade"]},
    ),
    results=("SUCCESS/NONE", "FAILURE/BLOCKED"),
    description="Dig out one block.",
)
LISTEN = Declaration(name="LISTEN")
QUARRY = StateSchema(name="quarry", version="1", hash="quarry-1")


@dataclass
class Quarry:
    """Blocks at integer places; which of them are granite depends on the seed. DIG takes a tick, LISTEN never ends."""

    seed: int = 0
    tick: int = 0
    episode: int = 1
    alive: bool = True
    dug: list[tuple[int, ...]] = field(default_factory=list)
    under_way: list[IncomingIntent] = field(default_factory=list)
    ends_as: Any = None

    @property
    def about(self) -> About:
        return About(
            name="quarry",
            version="1",
            state_schema=QUARRY,
            intents=("STOP",),
            declares=(DIG, LISTEN),
            resets=True,
            deterministic=True,
        )

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        if isinstance(attempt.intent, Stop):
            news: list[News] = [Ended(each, make_result("PARTIAL")) for each in self.under_way]
            self.under_way.clear()
            return [*news, Ended(attempt, make_result())]
        self.under_way.append(attempt)
        return []

    def cancel(self, attempt: IncomingIntent) -> list[News]:
        self.under_way.remove(attempt)
        return [Ended(attempt, make_result("PARTIAL"))]

    def step(self) -> list[News]:
        self.tick += 1
        digging = [each for each in self.under_way if each.intent.name == "DIG"]
        self.under_way = [each for each in self.under_way if each not in digging]
        return [Ended(each, self.ends_as or self._dig(each.intent.parameters["at"])) for each in digging]

    def state(self, *, full: bool) -> Any:
        return {"dug": self.dug, "seed": self.seed}

    def stop(self) -> None:
        self.under_way.clear()

    def reset(self, seed: int) -> None:
        self.seed, self.dug, self.under_way = seed, [], []
        self.episode += 1

    def _dig(self, at: list[int]) -> Any:
        if (sum(at) + self.seed) % 3 == 0:
            return make_result("FAILURE", "BLOCKED")
        self.dug.append(tuple(at))
        return make_result()


def driving(game: Any, **options: Any) -> Bridge:
    """A bridge that drives a game in this process, on a manual clock."""
    clock = ManualClock()
    host = Host(game, requests=options.pop("requests", None))
    return Bridge(lambda timeout: host.connect(clock), clock=clock, keep=False, **options)


def dig(x: int, **more: Any) -> Custom:
    return Custom("DIG", {"at": [x, 0, 0], **more})
