"""Whole evenings of the shipped scenarios, played once and observed, for laws of the stage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

import orjson

from volition.drama.mind.mind import Mind
from volition.drama.stage.archive import tick_to_data
from volition.drama.stage.run import run
from volition.drama.stage.state import state_digest, state_to_data, write
from volition.drama.world.scenario import literal, load_scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario

DINNER, STATION = "dinner-party", "winter-station"
LITERAL_DINNER, LITERAL_STATION = "literal dinner-party", "literal winter-station"

EVENINGS = (
    *((DINNER, seed) for seed in (1, 12, 13)),
    (STATION, 1),
    (LITERAL_DINNER, 12),
    (LITERAL_STATION, 12),
)
"""Evenings with all kinds of events, among them two outbursts in one tick, lies found out, and people shown the door."""


@dataclass(frozen=True)
class Watched:
    """An evening that is played when it is asked for, and watched only where somebody wants to know its states: that takes
    longer than playing it."""

    name: str
    seed: int
    ticks: int | None

    @cached_property
    def run(self) -> Run:
        return run(scenario_of(self.name), self.seed, ticks=self.ticks, mind=mind_of(self.name))

    @cached_property
    def live(self) -> tuple[str, ...]:
        """The fingerprint of the live state at the beginning and after each tick."""
        states: list[str] = []
        played = run(
            scenario_of(self.name),
            self.seed,
            ticks=self.ticks,
            mind=mind_of(self.name),
            on_begin=lambda begun: states.append(fingerprint(begun.opening_state())),
            on_tick=lambda world, _: states.append(fingerprint(world)),
        )
        vars(self).setdefault("run", played)  # who asks for the states first has it played once
        return tuple(states)


def fingerprint(world: WorldState) -> str:
    """A fingerprint of a state that also distinguishes 1 from 1.0, and orders of entries."""
    return sha256(orjson.dumps(state_to_data(world))).hexdigest()


@cache
def scenario_of(name: str) -> Scenario:
    """A shipped scenario; with the rules to the letter if its name begins with "literal"."""
    shipped = load_scenario(name.removeprefix("literal "))
    return literal(shipped) if name.startswith("literal ") else shipped


@cache
def mind_of(name: str) -> Mind:
    return Mind(scenario_of(name))


def digests() -> list[str]:
    """The digests of all that is recorded of the first ticks of four evenings, and of every state in them."""
    return [_digest(scenario_of(name)) for name in (DINNER, LITERAL_DINNER, STATION, LITERAL_STATION)]


def _digest(scenario: Scenario) -> str:
    states: list[str] = []
    evening = run(scenario, 2, ticks=12, on_tick=lambda world, _: states.append(state_digest(world)))
    return sha256(repr((evening.opening, evening.ticks, evening.ending, states)).encode()).hexdigest()


@cache
def watched(name: str, seed: int, ticks: int | None = None) -> Watched:
    """An evening of a scenario, the same one for everybody who asks."""
    return Watched(name, seed, ticks)


def difference(ours: Run, theirs: Run) -> str | None:
    """Where two runs differ first, in bytes as a ledger holds them; None where they are the same."""
    for one, other in zip(ours.ticks, theirs.ticks, strict=False):
        mine, its = tick_to_data(one), tick_to_data(other)
        if orjson.dumps(mine) != orjson.dumps(its):
            return f"tick {one.tick}: {', '.join(key for key in its if mine[key] != its[key]) or 'order or type'}"
    if len(ours.ticks) != len(theirs.ticks):
        return f"{len(ours.ticks)} ticks, not {len(theirs.ticks)}"
    if orjson.dumps(ours.opening) != orjson.dumps(theirs.opening):
        return "the opening"
    return None if ours.ending == theirs.ending else "the ending"


def settling(run: Run) -> Iterator[tuple[WorldState, TickRecord]]:
    """The state after the events of each tick and before its end."""
    world = run.opening_state()
    for record in run.ticks:
        for event in record.events:
            for delta in event.deltas:
                write(world, delta)
        yield world, record
        for delta in record.after:
            write(world, delta)
