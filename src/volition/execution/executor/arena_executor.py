"""The arena as an executor: what `connect("embedded")` drives and `volition serve-arena` serves."""

from __future__ import annotations

from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition import __version__
from volition.core.canonical import digest
from volition.execution.arena import RULES_VERSION, SHIPPED_MAPS, TICK_MS, ArenaMap, read_map, shipped_map
from volition.execution.executor.host import About, Ended, Occurred
from volition.execution.frames import StateSchema
from volition.execution.results import Result

if TYPE_CHECKING:
    from volition.execution.arena import Arena, Report
    from volition.execution.executor.host import News
    from volition.execution.frames import ProbeSight
    from volition.execution.session.executor import Attempt

REAL_HZ: Final = 1000 / TICK_MS
"""Ticks per second at which the arena's time is ours."""

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
"""What the data of an arena's state holds, and the rules it goes by; `map` is in a full state only."""

ARENA_SCHEMA: Final = StateSchema(name="arena", version=str(RULES_VERSION), hash=digest(STATE_SHAPE))
"""The schema that every implementation of the arena names in its welcome."""

_STOP_ID: Final = 0
"""The arena's id for a STOP that nobody asked for; those of the wire begin at 1."""


class ArenaExecutor:
    """An arena that a bridge may drive. `hz` is its pace; 20 is real time. With `probe`, for tests, it answers probes.

    >>> from volition.execution.arena import Arena, shipped_map
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
        )
        self._open: dict[int, Attempt] = {}
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

    def attempt(self, attempt: Attempt) -> list[News]:
        # What the decision rests on is the host's to check, which counts the states that were shown.
        self._open[attempt.id] = attempt
        intent, ticks = attempt.intent, self._ticks(attempt.ttl_ms)
        return self._news(self.arena.attempt(intent.name, intent.parameters, attempt.id, ticks=ticks))

    def cancel(self, attempt: Attempt) -> list[News]:
        return self._news(self.arena.cancel(attempt.id))

    def step(self) -> list[News]:
        return self._news(self.arena.step())

    def state(self, *, full: bool) -> dict[str, Any]:
        return self.arena.state() if full else self._now()

    def probe(self, id: int) -> ProbeSight:
        from volition.execution.conformance.arena_probe import probe_sight  # noqa: PLC0415  for tests only

        return probe_sight(id, self.arena.state())

    def stop(self) -> None:
        self.arena.attempt("STOP", None, _STOP_ID)
        self._open.clear()

    def _ticks(self, ttl_ms: int) -> int | None:
        """The ticks that fit into the time that an intent has, and one at least; None in a world that stands still."""
        hz = self.about.tick_hz
        return max(1, floor(ttl_ms * hz / 1000)) if hz else None

    def _now(self) -> dict[str, Any]:
        """The state without the map, looked at once between two changes."""
        if self._seen[0] != self.arena.seq:
            self._seen = (self.arena.seq, self.arena.state(full=False))
        return self._seen[1]

    def _news(self, report: Report) -> list[News]:
        news: list[News] = [
            Ended(self._open.pop(ended.id), msgspec.convert(ended.result, Result)) for ended in report.results
        ]
        for event in report.events:
            data = {key: value for key, value in event.items() if key not in {"event", "tick", "id"}}
            news.append(Occurred(event["event"], data or None, event.get("id")))
        return news


def find_map(name: str) -> ArenaMap:
    """A map that comes along, by its name, or the one in a file."""
    return shipped_map(name) if name in SHIPPED_MAPS or not _is_path(name) else read_map(Path(name))


def _is_path(name: str) -> bool:
    return "/" in name or "." in name or Path(name).exists()
