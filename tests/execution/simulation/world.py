"""Chance and the network of a simulated world: two pipes of lines that come late, twice, out of order or never."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from volition.core.chance import stream, uid, uniform, word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.execution.wire.session.link import End

T = TypeVar("T")


class Chance:
    """Draws that depend on the seed, their purpose, and how often it was drawn for: nothing else can shift them."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._keys: dict[str, int] = {}
        self._drawn: Counter[str] = Counter()

    def draw(self, purpose: str) -> float:
        """A number in [0, 1)."""
        if purpose not in self._keys:
            self._keys[purpose] = stream(self._seed, 0, uid("simulation"), uid(purpose))
        self._drawn[purpose] += 1
        return uniform(word(self._keys[purpose], self._drawn[purpose]))

    def happens(self, purpose: str, share: float) -> bool:
        return self.draw(purpose) < share

    def between(self, purpose: str, least: float, most: float) -> float:
        return least + (most - least) * self.draw(purpose)

    def pick(self, purpose: str, choices: Sequence[T]) -> T:
        return choices[int(self.draw(purpose) * len(choices))]


@dataclass(frozen=True)
class Weather:
    """How often, per line, the network does what."""

    delay: tuple[float, float] = (0.0001, 0.003)
    duplicate: float = 0.003
    reorder: float = 0.005
    garbage: float = 0.001
    malform: float = 0.004
    vanish: float = 0.0004
    cut: float = 0.0006


FAIR = Weather(duplicate=0, reorder=0, garbage=0, malform=0, vanish=0, cut=0)
GARBAGE = (
    b"\n",
    b"nonsense\n",
    b'{"v":1,"type":"ping","n":NaN}\n',
    b"\xff\xfe\n",
    b'{"v":1,"v":1}\n',
    b"[" * 99 + b"\n",
)
_STATUS = b'"status":"'


class Pipe:
    """One direction of one connection; lines arrive in order unless the weather is bad."""

    def __init__(self, chance: Chance, weather: Weather, happened: Counter[str]) -> None:
        self._chance, self._weather, self._happened = chance, weather, happened
        self._lines: list[tuple[float, int, bytes]] = []
        self._count = 0
        self._last = 0.0
        self._end: tuple[float, End] | None = None
        self.silent = False
        self.cut = False

    @property
    def next_at(self) -> float:
        """When something arrives next; infinite where nothing is on the way."""
        if self._lines:
            return self._lines[0][0]
        return self._end[0] if self._end else float("inf")

    def send(self, data: bytes, now: float) -> None:
        """Whole lines set out; a line may be the one after which nothing more arrives, or the connection breaks."""
        chance, weather = self._chance, self._weather
        for line in data.splitlines(keepends=True):
            if self.silent or self._end:
                self._happened["lost line"] += 1
                continue
            fate = chance.draw("fate")
            for mishap in ("duplicate", "reorder", "garbage", "malform", "vanish", "cut"):
                fate -= getattr(weather, mishap)
                if fate < 0:
                    self._happened[mishap] += 1
                    self._strike(mishap, line, now)
                    break
            else:
                self._put(line, now)

    def close(self, now: float, how: End = "eof") -> None:
        """The sender ends the stream; where the pipe is silent nobody hears of it."""
        if not self.silent and self._end is None:
            self._end = (max(self._last, now + self._chance.between("delay", *self._weather.delay)), how)

    def arrive(self, now: float) -> tuple[list[bytes], End | None]:
        """What arrives until now, perhaps cut somewhere, and whether the stream ends."""
        arrived = []
        while self._lines and self._lines[0][0] <= now:
            arrived.append(heapq.heappop(self._lines)[2])
        data = b"".join(arrived)
        ended = None
        if self._end and self._end[0] <= now and not self._lines:
            ended, self._end, self.silent = self._end[1], None, True
        if data and self._chance.happens("split", 0.05):
            middle = int(self._chance.draw("split at") * len(data))
            return [data[:middle], data[middle:]], ended
        return [data] if data else [], ended

    def _put(self, line: bytes, now: float, *, more: float = 0.0) -> None:
        at = max(self._last, now + self._chance.between("delay", *self._weather.delay)) + more
        if not more:
            self._last = at
        self._count += 1
        heapq.heappush(self._lines, (at, self._count, line))

    def _strike(self, mishap: str, line: bytes, now: float) -> None:
        match mishap:
            case "duplicate":
                self._put(line, now)
                self._put(line, now, more=self._chance.between("twice", 0.0, 0.05))
            case "reorder":
                self._put(line, now, more=self._chance.between("late", 0.001, 0.05))
            case "garbage":
                self._put(self._chance.pick("garbage", GARBAGE), now)
                self._put(line, now)
            case "malform":
                self._put(line.replace(_STATUS, _STATUS + b"NEARLY_"), now)
            case "vanish":
                self.silent = True
            case _:
                self.cut = True
