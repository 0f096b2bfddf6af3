"""The golden hashes: what evenings and decisions are, as long as nobody changes the rules.

Whoever changes them raises RULES_VERSION and writes all hashes again; the tests and the benchmark read them from one file:

    python -m tests.drama.golden

A hash says that something changed, and not what. Beside it, one evening of each scenario and reading is recorded tick by
tick, and every hashed evening has a mark of two bytes: `what_changed` and `which_changed` compare with these.
"""

from __future__ import annotations

import json
import lzma
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import orjson

from tests.drama.batch.decided import shipped, unsettled
from tests.drama.evening.casts import READINGS
from tests.drama.stage.evenings import watched
from volition.drama.batch.decider import BatchDecider
from volition.drama.evening.building import sizes_of
from volition.drama.evening.play_many import play_many
from volition.drama.evening.rows import digests_of
from volition.drama.evening.state import EveningState
from volition.drama.rules.catalog import Belief
from volition.drama.stage.archive import tick_to_data
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from volition.drama.evening.batches import PlayedEvenings
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import TickRecord

FILE, RECORDED = Path(__file__).with_suffix(".json"), Path(__file__).with_suffix(".xz")
SEED = 12
"""The seed of the evenings that are recorded."""
DIGITS = 4
"""How many digits of a number are recorded; a checksum for each tick holds the rest."""
EVENINGS = 500
"""How many evenings of each scenario and reading are hashed: two thousand in all."""
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


def play(name: str, *, by_the_letter: bool) -> PlayedEvenings:
    """The first evenings of a scenario and reading, compiled."""
    return play_many(shipped(name, by_the_letter=by_the_letter), range(EVENINGS), engine="compiled")


def evenings(played: PlayedEvenings) -> str:
    """The hash of the last states and endings of evenings."""
    return sha256("".join(_names_of(played)).encode()).hexdigest()


def marks_of(played: PlayedEvenings) -> str:
    """Four hexadecimal digits of each evening, enough to tell which of them changed."""
    return "".join([sha256(name.encode()).hexdigest()[:4] for name in _names_of(played)])


def _names_of(played: PlayedEvenings) -> list[str]:
    """The digest of the last state of each evening, and its ending; all at once take a tenth of the time."""
    digests = digests_of(played.states, EveningState, sizes_of(played.scenario))
    return [bytes(digest).hex() + played.ending(number) for number, digest in enumerate(digests)]


@cache
def recorded() -> dict[str, Any]:
    """The recorded ticks and the marks of every scenario and reading."""
    read: dict[str, Any] = json.loads(lzma.decompress(RECORDED.read_bytes()))
    return read


def which_changed(played: PlayedEvenings, name: str, *, by_the_letter: bool) -> str:
    """Which of the hashed evenings are not what they were, and what changed in the recorded one."""
    was, now = recorded()[name_of(name, by_the_letter=by_the_letter)]["marks"], marks_of(played)
    seeds = [n for n in range(EVENINGS) if was[4 * n : 4 * n + 4] != now[4 * n : 4 * n + 4]]
    first = ", ".join(f"{n} ({played.ending(n)})" for n in seeds[:5])
    return f"{len(seeds)} of {EVENINGS} evenings changed, the first {first}; {what_changed(name, by_the_letter=by_the_letter)}"


def what_changed(name: str, *, by_the_letter: bool) -> str:
    """The first difference between the recorded evening of a scenario and reading, and the one that is played now."""
    was = recorded()[name_of(name, by_the_letter=by_the_letter)]["ticks"]
    played = _ticks_now(name, by_the_letter=by_the_letter)
    where = f"{name}{', read literally' if by_the_letter else ''}, seed {SEED}"
    for (checksum, expected), record in zip(was, played, strict=False):
        found_checksum, found = _summary(record)
        if checksum != found_checksum:
            path, one, other = next(_differences(expected, found), ("", "the same", "different after the fourth digit"))
            return f"{where}, tick {record.tick}{path}: recorded {one!r}, played {other!r}"
    if len(was) != len(played):
        return f"{where}: recorded {len(was)} ticks, played {len(played)}"
    return f"{where}: as recorded"


def _ticks_now(name: str, *, by_the_letter: bool) -> tuple[TickRecord, ...]:
    """The ticks of the recorded evening of a scenario and reading, as they are played now."""
    return watched(f"literal {name}" if by_the_letter else name, SEED).run.ticks


def _summary(record: TickRecord) -> tuple[int, Any]:
    """A tick as it is recorded: its checksum, and what happened, without what each change replaced."""
    data = tick_to_data(record)
    short = {"choices": data["choices"], "events": [dict(event) for event in data["events"]]}
    for event, whole in zip(short["events"], record.events, strict=True):
        event["deltas"] = [[one.kind, one.agent, one.key, one.after, one.reason] for one in whole.deltas]
    short["after"] = [[one.kind, one.agent, one.key, one.after] for one in record.after]
    return crc32(orjson.dumps(data)), _rounded(json.loads(orjson.dumps(short)))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(held) for key, held in value.items()}
    if isinstance(value, list):
        return [_rounded(held) for held in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def _differences(expected: Any, found: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two values differ, in their order: the path of each difference, and both sides of it."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in dict.fromkeys([*expected, *found]):
            yield from _differences(expected.get(key), found.get(key), f"{path}, {key}")
    elif (
        isinstance(expected, list)
        and isinstance(found, list)
        and any(isinstance(held, list | dict) for held in expected)
    ):
        for place in range(max(len(expected), len(found))):
            sides = [side[place] if place < len(side) else None for side in (expected, found)]
            yield from _differences(sides[0], sides[1], f"{path} {place}")
    elif expected != found:
        yield path, expected, found


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
    """Write all hashes again, and what was recorded beside them."""
    hashes, beside = dict[str, str](), dict[str, Any]()
    for name, by_the_letter in READINGS:
        played, called = play(name, by_the_letter=by_the_letter), name_of(name, by_the_letter=by_the_letter)
        ticks = _ticks_now(name, by_the_letter=by_the_letter)
        hashes[called] = evenings(played)
        beside[called] = {"marks": marks_of(played), "ticks": list(map(_summary, ticks))}
    hashes |= {"few decisions": decisions(*FEW), "a million decisions": decisions(*MILLION)}
    FILE.write_text(json.dumps(hashes, indent=2) + "\n")
    RECORDED.write_bytes(lzma.compress(orjson.dumps(beside), preset=9))
    return 0


if __name__ == "__main__":
    sys.exit(main())
