"""Many decisions at once, compared with a literal transcription of the specification that decides for one at a time.

Both start after perception: the transcription gets a perception, the kernel gets packed records. Records are packed
beforehand; the cost of packing is a separate row. The transcription is the oracle of the tests.

    python benchmarks/company.py --quick
"""

from __future__ import annotations

import dis
import sys
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import crowds
import numpy as np
from numba import njit
from rows import Row, interleaved, options, ratio, show, timed

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.drama import literal as oracle
from tests.drama import readings
from tests.drama.company.kernel.decided import SHIPPED, shipped, unsettled
from volition.drama.company.kernel import Kernel, engine, loop
from volition.drama.company.measures import Meter
from volition.drama.company.watch import Watch
from volition.drama.mind.mind import Mind
from volition.drama.rules.catalog import Belief
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from numpy.typing import NDArray

    from volition.drama.world.model import AgentState, WorldState

    Decider = tuple[WorldState, AgentState]

MANY = 1_000_000
FEW = 600
MOST_BYTES = 400
ONE_THREAD, TWO_THREADS, FEW_AGENTS = 300.0, 600.0, 400.0
FASTER = 1.4
"""How many times as fast an evening is at least through the kernel, which only speeds up deciding."""
LANES = 64
SPREAD = 2_654_435_761
"""Odd, so that its multiples reach all indices: a fixed way to select states, independent of any library."""
GOLDEN = "9a5ae870dc44d5f4de2eb28cb8d2b31a4f506f0bb06b201fb653e47b09d2da4d"
"""The SHA-256 of a million slots and totals: a quarter for each shipped scenario, by the letter and as shipped."""


class Crowd(NamedTuple):
    """Random states of a scenario, their records, and the decider of each record."""

    kernel: Kernel
    deciders: list[Decider]
    records: NDArray[Any]
    packing: float

    def many(self, count: int) -> NDArray[np.int64]:
        """The indices of `count` deciders."""
        return np.arange(count) * SPREAD % len(self.deciders)


def crowd(name: str, *, by_the_letter: bool, worlds: int) -> Crowd:
    scenario, draws = shipped(name, by_the_letter=by_the_letter), Random(5)
    kernel = Kernel(scenario)
    states = [gather(draws, unsettled(draws, scenario, departing=not by_the_letter)) for _ in range(worlds)]
    started = perf_counter()
    records = kernel.pack(states)
    packing = (perf_counter() - started) / len(records)
    deciders = [(state, me) for state in states for me in state.agents.values()]
    here = [number for number, (_, me) in enumerate(deciders) if me.location != DEPARTED]
    return Crowd(kernel, [deciders[number] for number in here], records[here], packing)


def gather(draws: Random, world: WorldState) -> WorldState:
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


def speed(rounds: int) -> list[Row]:
    """Decisions by the letter for a million agents and for a few, and by the transcription, in the same rounds."""
    party = crowd("dinner-party", by_the_letter=True, worlds=1_500)
    kernel, many = party.kernel, party.records[party.many(MANY)]
    few, draws = many[:FEW].copy(), Random(1)
    seen = [(state, me, readings.perceive(me, state)) for state, me in party.deciders[:FEW]]

    def by_the_letter() -> None:
        for state, me, perception in seen[:300]:
            oracle.select_action(me, perception, state, lambda _: draws.gauss(0.0, 0.1))

    def few_agents() -> None:
        for tick in range(100):
            kernel.decide(few, 7, tick)

    cases: dict[str, tuple[Callable[[], object], int]] = {
        "literal transcription": (by_the_letter, 300),
        "1 M agents, one thread": (lambda: kernel.decide(many, 7, 3, threads=1), MANY),
        "1 M agents, two threads": (lambda: kernel.decide(many, 7, 3, threads=2), MANY),
        "1 M agents, one thread, no noise": (lambda: kernel.decide(many, None, 3, threads=1), MANY),
        f"{FEW} agents": (few_agents, 100 * FEW),
    }
    taken = interleaved({name: case for name, (case, _) in cases.items()}, rounds)
    each = {name: [second / cases[name][1] for second in seconds] for name, seconds in taken.items()}
    base, one = each["literal transcription"], each["1 M agents, one thread"]
    counted = operations(party)
    return [
        *(timed(f"one decision, {name}", seconds) for name, seconds in each.items()),
        Row("decisions a second, two threads", round(1 / median(each["1 M agents, two threads"])), "1/s"),
        ratio("literal / 1 M agents, one thread", base, one, at_least=ONE_THREAD),
        ratio("literal / 1 M agents, two threads", base, each["1 M agents, two threads"], at_least=TWO_THREADS),
        ratio(f"literal / {FEW} agents", base, each[f"{FEW} agents"], at_least=FEW_AGENTS),
        Row("memory of one agent", many.itemsize, "bytes", f"<= {MOST_BYTES}", many.itemsize <= MOST_BYTES),
        timed("packing one agent, with its perception", [party.packing]),
        Row("acts weighed in one decision", round(acts_of(party), 1), "acts"),
        Row("arithmetic of one decision, counted", round(counted), "operations"),
        *roofline(median(one), counted, many, 1.0 - median(each["1 M agents, one thread, no noise"]) / median(one)),
    ]


def acts_of(party: Crowd) -> float:
    """The mean number of acts per decision."""
    mind = Mind(party.kernel.scenario)
    return float(np.mean([len(mind.decide(state, me.id).tally.survivors) for state, me in party.deciders[:300]]))


def operations(party: Crowd, sample: int = 60) -> float:
    """The number of additions, subtractions, multiplications and divisions per decision, including those for indices.

    They are counted while the loop runs as Python.
    """
    count = 0
    binary = dis.opmap["BINARY_OP"]
    places = {place for place, (_, sign) in enumerate(dis._nb_ops) if sign.rstrip("=") in {"+", "-", "*", "/"}}  # type: ignore[attr-defined]  # noqa: SLF001

    def watch(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        code, at = frame.f_code.co_code, frame.f_lasti
        if event == "opcode" and code[at] == binary and code[at + 1] in places:
            count += 1
        return watch

    records, before = party.records[party.many(sample)], sys.gettrace()
    with patch.object(engine, "_loop", lambda: loop.choose_many), np.errstate(over="ignore"):
        sys.settrace(watch)
        try:
            party.kernel.decide(records, 7, 3, threads=1)
        finally:
            sys.settrace(before)
    return count / sample


@njit(error_model="numpy")
def arithmetic(lanes: Any, times: int) -> None:
    """Multiplications and additions only, as many in parallel as the core can do."""
    for _ in range(times):
        for lane in range(LANES):
            lanes[lane] = lanes[lane] * 0.999 + 0.001


def roofline(second: float, counted: float, records: NDArray[Any], noise: float) -> list[Row]:
    """The share of a decision's time that one core needs for its bytes and its arithmetic, and the share of noise."""
    copy, lanes = np.empty_like(records), np.ones(LANES)
    cases: dict[str, Callable[[], object]] = {
        "bytes": lambda: np.copyto(copy, records),
        "flops": lambda: arithmetic(lanes, 20_000),
    }
    taken = {name: min(seconds) for name, seconds in interleaved(cases, 2).items()}
    per_byte = taken["bytes"] / (2 * records.nbytes)
    per_flop = taken["flops"] / (20_000 * 2 * LANES)
    needed = {
        "memory": (records.itemsize + 10) * per_byte,
        "arithmetic": counted * per_flop,
    }
    return [
        *(Row(f"share of one core's {name}", round(100 * time / second, 1), "%") for name, time in needed.items()),
        Row("share of the time that noise takes", round(100 * noise, 1), "%"),
    ]


def golden(sample: int) -> list[Row]:
    """A hash of a million decisions, and a sample of them compared with the mind."""
    total, wrong, seconds = sha256(), 0, 0.0
    quarter = MANY // (2 * len(SHIPPED))
    for name in SHIPPED:
        for by_the_letter in (True, False):
            party = crowd(name, by_the_letter=by_the_letter, worlds=300)
            which = party.many(quarter)
            ticks = np.array([state.tick for state, _ in party.deciders])[which]
            seeds = np.arange(quarter)
            records = party.records[which]
            started = perf_counter()
            slots, totals = party.kernel.decide(records, seeds, ticks)
            seconds += perf_counter() - started
            total.update(slots.astype("<i2").tobytes() + totals.astype("<f8").tobytes())
            mind = Mind(party.kernel.scenario)
            for number in range(0, quarter, quarter // sample):
                state, me = party.deciders[which[number]]
                tally = mind.decide(state, me.id, int(seeds[number])).tally
                assert tally.winner is not None
                same = party.kernel.slots[int(slots[number])].id == tally.survivors[tally.winner]
                wrong += not (same and float(totals[number]).hex() == tally.totals[tally.winner].hex())
    found = total.hexdigest()
    if found != GOLDEN:
        print(f"the golden hash is {found}", file=sys.stderr)
    return [
        Row("a million decisions, both scenarios, letter and departing", round(seconds, 3), "s"),
        Row("decisions of a sample in which the mind differs", wrong, "", "<= 0", wrong == 0),
        Row("the million has its golden hash", float(found == GOLDEN), "", ">= 1", found == GOLDEN),
    ]


def evenings(count: int) -> list[Row]:
    """Whole evenings with their measures, on both paths in turn, in CPU seconds of this process."""
    rows = []
    for name in SHIPPED:
        scalar = Meter(shipped(name, by_the_letter=False))
        paths = {"scalar": scalar, "kernel": Meter(scalar.scenario, watch=Watch(scalar.mind))}
        taken: dict[str, list[float]] = {path: [] for path in paths}
        wrong = 0
        for seed in range(1, count + 1):
            found = []
            for path, meter in paths.items():
                started = process_time()
                found.append(meter.measure(seed))
                taken[path].append(process_time() - started)
            wrong += found[0] != found[1]
        rows += [timed(f"evening of {name}, {path} path", seconds) for path, seconds in taken.items()]
        rows += [
            ratio(f"evening of {name}, scalar / kernel path", *taken.values(), at_least=FASTER),
            Row(f"evenings of {name} that differ between the paths", wrong, "", "<= 0", wrong == 0),
        ]
    return rows


def main() -> int:
    given = options(__doc__)
    rows = speed(4 if given.quick else 15)
    rows += evenings(5 if given.quick else 20)
    rows += golden(300 if given.quick else 2_500)
    return show("Company", [*rows, *crowds.rows(quick=given.quick)], as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
