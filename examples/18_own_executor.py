"""A custom executor: a game in a few lines, driven over a socket, and tested against the laws of the contract."""

from dataclasses import dataclass, field
from typing import Any

from volition.execution import About, Ended, ExecutorServer, IncomingIntent, Move, StateSchema, connect, make_result
from volition.execution.conformance import check
from volition.execution.transports.endpoint import dial


@dataclass
class Lift:
    """A lift in a shaft of ten metres; it moves half a metre per tick, and MOVE says how far."""

    tick: int = 0
    episode: int = 1
    alive: bool = True
    height: float = 0.0
    under_way: dict[IncomingIntent, float] = field(default_factory=dict)

    @property
    def about(self) -> About:
        schema = StateSchema(name="lift", version="1", hash="height-in-metres")
        return About(name="lift", version="1.0.0", state_schema=schema, intents=("MOVE", "STOP"), tick_hz=100.0)

    def attempt(self, attempt: IncomingIntent) -> list[Ended]:
        stopped = self._interrupted()
        if isinstance(attempt.intent, Move):
            goal = self.height + attempt.intent.vector[2]
            if not 0 <= goal <= 10:
                return [*stopped, Ended(attempt, make_result("FAILURE", "BLOCKED"))]
            self.under_way[attempt] = goal
            return stopped
        return [*stopped, Ended(attempt, make_result())]

    def cancel(self, attempt: IncomingIntent) -> list[Ended]:
        return self._interrupted()

    def step(self) -> list[Ended]:
        self.tick += 1
        for attempt, goal in self.under_way.items():
            self.height += max(-0.5, min(0.5, goal - self.height))
            if self.height == goal:
                del self.under_way[attempt]
                return [Ended(attempt, make_result(engine_timestamp=self.tick, execution_time_ms=10.0))]
        return []

    def state(self, *, full: bool) -> Any:
        return {"height": self.height}

    def stop(self) -> None:
        self.under_way.clear()

    def _interrupted(self) -> list[Ended]:
        ended = [Ended(attempt, make_result("PARTIAL")) for attempt in self.under_way]
        self.under_way.clear()
        return ended


with ExecutorServer.listen("tcp://127.0.0.1:0", Lift()).running() as address:
    with connect(address) as body:
        for metres in (3, 4, 9):
            outcome = body.execute(Move((0, 0, metres)), deadline=2.0)
            print(f"up {metres}: {outcome.status} {outcome.reason}; the lift is at {body.refresh().data['height']} m")

    report = check(lambda: dial(address), only=["handshake", "ids", "stop"])
    print("\nlaws of the contract that were tried:")
    for row in report.rows:
        print(f"  {row.verdict:>14}  {row.check}")
