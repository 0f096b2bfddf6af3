"""One simulation: a door, a bad network and a faulty game on a virtual clock, all from one seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.execution.door.door_laws import broken_laws
from tests.execution.door.doorway import Doorway
from tests.execution.simulation.game import Game
from tests.execution.simulation.world import Chance, Pipe, Weather
from volition.core.errors import Problem
from volition.execution.wire.codec import encode
from volition.execution.wire.session.handshake import NothingListening

if TYPE_CHECKING:
    from tests.execution.door.door_laws import Entry
    from volition.execution.wire.request import Outcome
    from volition.execution.wire.session.link import End

REQUESTS: tuple[tuple[Any, Any], ...] = (
    ("MOVE", {"vector": [1.0, 0.0, 0.0]}), ("MOVE", {"vector": [0.0, 1.0, 0.0]}), ("JUMP", None), ("EVADE", None),
    ("PRIMARY_ATTACK", None), ("HOLD", None), ("RELEASE", None),
)  # fmt: skip
NONSENSE: tuple[tuple[Any, Any], ...] = (("DANCE", None), ("MOVE", {"vector": [1, 2]}), ("JUMP", {"if": "grounded"}))
AGENTS = (None, "hero", "rival")
TTLS = (0.05, 0.3, 0.5, 0.5, 2.0)
_NOBODY = NothingListening(Problem("nobody listens", "simulation", "an executor", "wait for its restart"))


@dataclass(frozen=True)
class Report:
    """The result of a simulation: what happened how often, what was recorded, and every law that was broken."""

    seed: int
    intents: int
    happened: Counter[str]
    record: list[Entry]
    broken: list[str]

    def __str__(self) -> str:
        lines = [f"{count:8} {what}" for what, count in sorted(self.happened.items())]
        broken = [f"BROKEN {fault[:300]}" for fault in self.broken[:20]]
        again = f"again: python -m tests.execution.simulation --seed {self.seed} --intents {self.intents}"
        return "\n".join([*lines, *broken, again])


class Simulation:
    """Everything that happens, one thing after another."""

    def __init__(self, seed: int, intents: int, weather: Weather | None = None) -> None:
        self.seed, self.intents = seed, intents
        self.happened: Counter[str] = Counter()
        self._weather = weather or Weather()
        self._chance = Chance(seed)
        self._way = Doorway(seed=seed)
        self._game: Game | None = None
        self._up = self._down = Pipe(self._chance, self._weather, self.happened)
        self._back_at = 0.0
        self._ask_at = 0.0
        self._asked = 0
        self._last: tuple[Any, Any] = REQUESTS[0]
        self._faults: list[str] = []

    def run(self) -> Report:
        """Ask for so many intents, give what is open time to end, close, and look at the record."""
        way, over, steps = self._way, float("inf"), 0
        while way.now < over:
            self._step()
            steps += 1
            if steps > 20 * self.intents + 5_000:
                self._faults.append(f"stuck: it is {way.now} and will not be later")
                break
            if self._asked >= self.intents and over == float("inf"):
                over = way.now + 10.0
        way.close()
        self._drop_game("over")
        self.happened.update(f"label {outcome.label}" for outcome in way.outcomes)
        self.happened.update(f"told {type(event).__name__}" for event in way.told)
        broken = broken_laws(way.record) + self._faults
        broken += [f"waiting: {ticket}" for ticket in way.door.waiting]
        broken += [f"taken: ticket {outcome.ticket}" for outcome in way.outcomes if not self._given(outcome)]
        return Report(self.seed, self.intents, self.happened, way.record, broken)

    def _given(self, outcome: Outcome) -> bool:
        """Whether the caller gets the very outcome that was told; the door's own STOPs are given to nobody."""
        return self._way.door.outcome(outcome.ticket) is (outcome if outcome.purpose == "policy" else None)

    def _step(self) -> None:
        """Go to the next moment at which something happens, and let it happen."""
        way, door = self._way, self._way.door
        times = [self._up.next_at, self._down.next_at]
        times += [at for at in (door.wake_at, door.dial_at) if at is not None]
        if self._asked < self.intents:
            times.append(self._ask_at)
        if self._game is not None:
            times.append(self._game.wake_at)
        now = way.now = max(way.now, min(times))
        if door.dial_at is not None and door.dial_at <= now:
            self._dial()
        if self._up.next_at <= now:
            self._arrive_up()
        if self._down.next_at <= now:
            self._arrive_down()
        if self._game is not None:
            self._game.step(now)
            self._flush_game()
        if self._asked < self.intents and self._ask_at <= now:
            self._ask()
        if (due := door.wake_at) is not None and due <= now:
            door.poll(now)
            self._flush_door()
        if self._up.cut or self._down.cut:
            self._break()

    # The policy.

    def _ask(self) -> None:
        chance, door = self._chance, self._way.door
        kind = chance.draw("kind of request")
        if kind < 0.01:
            request = chance.pick("nonsense", NONSENSE)
        elif kind < 0.02:
            request = ("STOP", None)
        elif kind < 0.35:
            request = chance.pick("request", REQUESTS)
        else:
            request = self._last  # a stubborn policy
        self._last = request
        self._way.ask(*request, agent=chance.pick("agent", AGENTS), ttl=chance.pick("ttl", TTLS))
        self._send_up()
        self._asked += 1
        if chance.happens("cancel", 0.02) and door.waiting:
            door.cancel(chance.pick("which", door.waiting))
            self._flush_door()
        if chance.happens("refresh", 0.005):
            self._way.refresh()
            self._send_up()
        self._ask_at = self._way.now + (0.0 if chance.happens("burst", 0.5) else chance.between("pause", 0.0, 0.02))

    # The connection.

    def _dial(self) -> None:
        way, chance = self._way, self._chance
        self._drop_game("a new connection")
        if way.now < self._back_at:
            self.happened["nobody listens"] += 1
            way.door.connection_failed(_NOBODY, way.now)
            return
        self._up = Pipe(chance, self._weather, self.happened)
        self._down = Pipe(chance, self._weather, self.happened)
        self._game = Game(chance, self.happened, now=way.now)
        way.door.connection_made(way.now)
        self._flush_door()

    def _arrive_up(self) -> None:
        chunks, end = self._up.arrive(self._way.now)
        if self._game is None:
            return
        for data in chunks:
            self._game.receive(data, self._way.now)
        if end is not None:
            self._game.session.end(self._way.now, end)
        self._flush_game()

    def _arrive_down(self) -> None:
        chunks, end = self._down.arrive(self._way.now)
        for data in chunks:
            self._way.door.receive(data, self._way.now)
            self._flush_door()
        if end is not None:
            self._end_door(end)

    def _break(self) -> None:
        """The connection is cut, or the game dies with it; each side may hear of it or not."""
        self._up.cut = self._down.cut = False
        if self._chance.happens("crash", 0.5):
            self.happened["restart"] += 1
            self._back_at = self._way.now + self._chance.between("down for", 0.0, 1.0)
            self._drop_game("a crash")
        elif self._game is not None and self._chance.happens("game hears", 0.7):
            self._game.session.end(self._way.now, "reset")
            self._flush_game()
        if self._chance.happens("door hears", 0.7):
            self._end_door(self._chance.pick("how", ("eof", "reset")))
        else:
            self.happened["half open"] += 1
            self._up.silent = self._down.silent = True

    def _drop_game(self, why: str) -> None:
        if self._game is not None:
            self._faults += self._game.faults
            self._game.session.close(why)
            self._game = None

    def _end_door(self, how: End) -> None:
        self._way.door.connection_lost(self._way.now, how)
        self._flush_door()

    def _flush_door(self) -> None:
        self._way.flush()
        self._send_up()

    def _send_up(self) -> None:
        for frame in self._way.out:
            self._up.send(encode(frame), self._way.now)
        if self._way.door.dial_at is not None:
            self._up.close(self._way.now)

    def _flush_game(self) -> None:
        if self._game is not None:
            self._down.send(self._game.session.take(), self._way.now)
            if self._game.session.phase == "closed":
                self._down.close(self._way.now)
