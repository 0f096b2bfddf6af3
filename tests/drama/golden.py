"""The golden hashes: what evenings and decisions are, as long as nobody changes the rules.

Whoever changes them raises RULES_VERSION and writes all hashes again; the tests and the benchmark read them from one file:

    python -m tests.drama.golden
"""

from __future__ import annotations

import json
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.drama.batch.decided import shipped, unsettled
from tests.drama.evening.casts import READINGS
from volition.drama.batch.decider import BatchDecider
from volition.drama.evening.play_many import play_many
from volition.drama.rules.catalog import Belief
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from volition.drama.world.model import AgentState, WorldState

FILE = Path(__file__).with_suffix(".json")
EVENINGS = 2_500
"""How many evenings of each scenario and reading are hashed: ten thousand in all."""
FEW, MILLION = (6, 1), (75, 560)
"""How many states of each scenario and reading are decided in, and with how many seeds: for a test, and for a benchmark."""


@cache
def golden() -> dict[str, str]:
    """All hashes, by what they are of."""
    read: dict[str, str] = json.loads(FILE.read_text())
    return read


def name_of(scenario: str, *, by_the_letter: bool) -> str:
    """What the evenings of a scenario and reading are called."""
    return f"{EVENINGS} evenings of {scenario}{', read literally' if by_the_letter else ''}"


def evenings(name: str, *, by_the_letter: bool) -> str:
    """The hash of the last states and endings of the first evenings of a scenario and reading."""
    played = play_many(shipped(name, by_the_letter=by_the_letter), range(EVENINGS), engine="compiled")
    return sha256("".join([played.digest(n) + played.ending(n) for n in range(EVENINGS)]).encode()).hexdigest()


class Crowd(NamedTuple):
    """Random states of a scenario, packed."""

    decider: BatchDecider
    worlds: list[WorldState]
    states: NDArray[Any]

    @property
    def deciders(self) -> list[tuple[WorldState, AgentState]]:
        """Everybody who is there."""
        return [(world, me) for world in self.worlds for me in world.agents.values() if me.location != DEPARTED]


@cache
def crowd(name: str, *, by_the_letter: bool, worlds: int) -> Crowd:
    """This many random states of a scenario that ships."""
    scenario, draws = shipped(name, by_the_letter=by_the_letter), Random(5)
    decider = BatchDecider(scenario)
    states = [_gather(draws, unsettled(draws, scenario, departing=not by_the_letter)) for _ in range(worlds)]
    return Crowd(decider, states, decider.pack(states))


def _gather(draws: Random, world: WorldState) -> WorldState:
    """Gather most people, with secrets to tell and open gates: decisions with many acts."""
    for me in world.agents.values():
        if draws.random() < 0.8:
            me.location = world.scenario.evening.gathering
        if draws.random() < 0.8:
            me.pacing.dramatic_budget, me.pacing.recovery_timer = draws.uniform(0.2, 1.0), 0
        for secret in me.beliefs:
            if draws.random() < 0.2:
                me.beliefs[secret] = Belief.BELIEVES_TRUE
    return world


def decisions(worlds: int, seeds: int) -> str:
    """The hash of the acts and totals of many decisions: all scenarios that ship, as they are and read literally."""
    total = sha256()
    for name, by_the_letter in READINGS:
        party = crowd(name, by_the_letter=by_the_letter, worlds=worlds)
        for seed in range(seeds):
            acts, totals = party.decider.decide(party.states, seed)
            total.update(acts.astype("<i2").tobytes() + totals.astype("<f8").tobytes())
    return total.hexdigest()


def main() -> int:
    """Write all hashes again."""
    hashes = {}
    for name, by_the_letter in READINGS:
        hashes[name_of(name, by_the_letter=by_the_letter)] = evenings(name, by_the_letter=by_the_letter)
    hashes |= {"few decisions": decisions(*FEW), "a million decisions": decisions(*MILLION)}
    FILE.write_text(json.dumps(hashes, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
