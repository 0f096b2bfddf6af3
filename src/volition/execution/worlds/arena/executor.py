"""The arena as an executor: what `connect("embedded")` drives and `volition serve-arena` serves."""

from __future__ import annotations

from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from volition import __version__
from volition.core.canonical import digest
from volition.execution.executor.contract import About, Ended, Occurred
from volition.execution.wire.frames import Places, StateSchema
from volition.execution.worlds.arena.ground import SHIPPED_MAPS, ArenaMap, read_map, shipped_map
from volition.execution.worlds.arena.rules import RULES_VERSION, TICK_MS

if TYPE_CHECKING:
    from volition.execution.executor.contract import News
    from volition.execution.wire.frames import ProbeSight
    from volition.execution.wire.results import Result
    from volition.execution.wire.session.incoming import IncomingIntent
    from volition.execution.worlds.arena.arena import Arena
    from volition.execution.worlds.arena.attempts import ArenaReport

REAL_HZ: Final = 1000 / TICK_MS
"""Ticks per second in real time."""

_BODY: Final = {"x": "integer", "y": "integer", "facing": "text", "alive": "truth", "health": "integer"}
STATE_SHAPE: Final[dict[str, Any]] = {
    "rules": RULES_VERSION,
    "seq": "integer",
    "tick": "integer",
    "episode": "integer",
    "down": "integer",
    "actor": {
        **_BODY,
        "z": "integer",
        "velocity": ["integer", "integer", "integer"],
        "stamina": "integer",
        "holding": "truth",
        "dashing": "truth",
        "air": "integer",
        "cooldowns": {"attack": "integer", "evade": "integer", "jump": "integer"},
        "damage_dealt": "integer",
        "damage_received": "integer",
    },
    "opponent": {**_BODY, "velocity": ["integer", "integer"], "mode": "text", "timer": "integer"},
    "open": [{"id": "integer", "intent": "text", "since": "integer"}],
    "map": {"name": "text", "rows": ["text"]},
}
"""The contents of an arena's state, and the version of its rules; `map` is only in a full state."""

ARENA_PLACES: Final = Places(unit="tile", up="z", handed="left")
"""East, south and up, in tiles, and exact; states count thousandths of a tile."""
ARENA_SCHEMA: Final = StateSchema(
    name="arena", version=str(RULES_VERSION), hash=digest(STATE_SHAPE), places=ARENA_PLACES
)
"""The schema in the welcome of every implementation of the arena."""

_STOP_ID: Final = 0
"""The arena's id for a STOP that no bridge requested; ids of the wire begin at 1."""


class ArenaExecutor:
    """An arena that a bridge can drive. `hz` is its pace; 20 is real time. With `probe`, for tests, it answers probes.

    >>> from volition.execution.worlds.arena import Arena, shipped_map
    >>> ArenaExecutor(Arena(shipped_map("courtyard"))).about.state_schema.name
    'arena'
    """

    def __init__(self, arena: Arena, *, hz: float = REAL_HZ, probe: bool = False) -> None:
        self.arena = arena
        self.about = About(
            name="arena",
            version=__version__,
            engine="volition arena",
            state_schema=ARENA_SCHEMA,
            tick_hz=hz,
            ends_overdue=hz > 0,
            probe=probe,
            resets=True,
            deterministic=True,
        )
        self._open: dict[int, IncomingIntent] = {}
        self._seen: tuple[int, dict[str, Any]] = (-1, {})

    @property
    def tick(self) -> int:
        return self.arena.tick

    @property
    def episode(self) -> int:
        return self.arena.episode

    @property
    def alive(self) -> bool:
        alive: bool = self._now()["actor"]["alive"]
        return alive

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        # The host checks `based_on`: it numbers the states that were shown.
        self._open[attempt.id] = attempt
        intent, ticks = attempt.intent, self._ticks(attempt.ttl_ms)
        return self._news(self.arena.attempt(intent.name, intent.parameters, attempt.id, ticks=ticks))

    def cancel(self, attempt: IncomingIntent) -> list[News]:
        return self._news(self.arena.cancel(attempt.id))

    def step(self) -> list[News]:
        return self._news(self.arena.step())

    def state(self, *, full: bool) -> dict[str, Any]:
        return self.arena.state() if full else self._now()

    def probe(self, id: int) -> ProbeSight:
        from volition.execution.worlds.arena.probe import probe_sight  # noqa: PLC0415  for tests only

        return probe_sight(id, self.arena.state())

    def stop(self) -> None:
        self.arena.attempt("STOP", None, _STOP_ID)
        self._open.clear()

    def reset(self, seed: int) -> None:
        self.arena.reset(seed)
        self._open.clear()

    def _ticks(self, ttl_ms: int) -> int | None:
        """The ticks that fit into the time of an intent, at least one; None in a world that stands still."""
        hz = self.about.tick_hz
        return max(1, floor(ttl_ms * hz / 1000)) if hz else None

    def _measure(self, result: Result) -> Result:
        """A result whose duration is that of its ticks at this pace."""
        hz = self.about.tick_hz
        if hz in {0, REAL_HZ}:
            return result
        took = result.metadata.execution_time_ms * REAL_HZ / hz
        return replace(result, metadata=replace(result.metadata, execution_time_ms=took))

    def _now(self) -> dict[str, Any]:
        """The state without the map, cached until the next change."""
        if self._seen[0] != self.arena.seq:
            self._seen = (self.arena.seq, self.arena.state(full=False))
        return self._seen[1]

    def _news(self, report: ArenaReport) -> list[News]:
        news: list[News] = [Ended(self._open.pop(ended.id), self._measure(ended.result)) for ended in report.results]
        for event in report.events:
            data = {key: value for key, value in event.items() if key not in {"event", "tick", "id"}}
            news.append(Occurred(event["event"], data or None, event.get("id")))
        return news


def find_map(name: str) -> ArenaMap:
    """A shipped map by its name, or the map in a file."""
    is_path = "/" in name or "." in name or Path(name).exists()
    return shipped_map(name) if name in SHIPPED_MAPS or not is_path else read_map(Path(name))
