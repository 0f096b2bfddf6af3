"""Whole evenings with all their measures, compiled and interpreted; and many decisions at once, beside a literal
transcription of the specification that decides for one at a time.

Evenings and decisions are timed in CPU seconds of this process, but for two threads, which are timed by the clock. Both
the transcription and a company perceive and decide. The transcription is the oracle of the tests.

    python benchmarks/company.py --quick
"""

from __future__ import annotations

import dis
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import crowds
import numpy as np
from numba import njit
from rows import Row, interleaved, options, ratio, show, timed

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.drama import literal as oracle
from tests.drama import readings
from tests.drama.company.decided import SHIPPED, shipped, unsettled
from volition.drama.company.batch import Company
from volition.drama.evening.play_many import BATCH, EveningBatches, play_many
from volition.drama.mind.mind import Mind
from volition.drama.rules.catalog import Belief
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from numpy.typing import NDArray

    from volition.drama.world.model import AgentState, Scenario, WorldState

    Decider = tuple[WorldState, AgentState]

COMPILED, TWO_THREADS, DECISIONS = 100.0, 1.7, 500.0
"""How many times as fast at least: a compiled evening as an interpreted one, two threads as one, a decision as literally."""
DIGEST = 3.0
"""How many times as long as a SHA-256 of its bytes the digest of a packed state may take."""
LANES = 64
SPREAD = 2_654_435_761
"""Odd, so that its multiples reach all indices: a fixed way to select states, independent of any library."""
GOLDEN = "ba20d555557fc063360936deb3923e80e30cf50222857cce99149c19679950e3"
"""The SHA-256 of the acts and totals of a million decisions: both shipped scenarios, read literally and as shipped."""

FRESH = """
from time import process_time
import numpy
from volition.drama.evening import play_many
from volition.drama.world.scenario import scenario
party, began = scenario("dinner-party"), process_time()
play_many.play_many(party, [1], ticks=0, engine="compiled", threads=1)
print(process_time() - began)
"""


def evenings(rounds: int) -> list[Row]:
    """Whole evenings of both shipped scenarios with their measures, interpreted and compiled in turn."""
    rows = []
    for name in SHIPPED:
        scenario = shipped(name, by_the_letter=False)
        plain, fast = (
            EveningBatches(scenario, engine=engine, measures=True, states=False)
            for engine in ("interpreted", "compiled")
        )
        bare = EveningBatches(scenario, engine="compiled")
        seeds = range(4 * BATCH)
        fast.play(seeds, 1)
        taken: dict[str, list[float]] = {path: [] for path in ("interpreted", "compiled", "bare", "one", "two")}
        wrong = 0
        for seed in range(rounds):
            found = []
            for path, batches, some in (("interpreted", plain, [seed]), ("compiled", fast, range(seed, seed + BATCH))):
                began = process_time()
                found.append(batches.play(some, 1).measures)
                taken[path].append((process_time() - began) / len(some))
            began = process_time()
            bare.play(range(seed, seed + BATCH), 1)
            taken["bare"].append((process_time() - began) / BATCH)
            for path, threads in (("one", 1), ("two", 2)):
                began = perf_counter()
                fast.play(seeds, threads)
                taken[path].append((perf_counter() - began) / len(seeds))
            wrong += found[0].to_bytes() != found[1].part(0, 1).to_bytes()
        row = found[1].to_bytes()
        rows += [
            *(timed(f"evening of {name}, measured, {path}", taken[path]) for path in ("interpreted", "compiled")),
            timed(f"evening of {name}, compiled, not measured", taken["bare"]),
            ratio(
                f"evening of {name}, interpreted / compiled", taken["interpreted"], taken["compiled"], at_least=COMPILED
            ),
            ratio(f"evening of {name}, one thread / two", taken["one"], taken["two"], at_least=TWO_THREADS),
            Row(f"evenings of {name} a second, one thread", round(1 / median(taken["one"])), "1/s"),
            Row(f"evenings of {name} a second, two threads", round(1 / median(taken["two"])), "1/s"),
            Row(f"evenings of {name} that differ", wrong, "", "<= 0", wrong == 0),
            Row(f"bytes of a packed row of {name}", round(len(row) / BATCH), "bytes"),
        ]
    return [*rows, *digests(scenario), *roofline(scenario, median(taken["compiled"]))]


def digests(scenario: Scenario) -> list[Row]:
    """What naming an evening by its last state costs, and how large that state is."""
    from volition.drama.evening.building import sizes_of
    from volition.drama.evening.digest import digests_of
    from volition.drama.evening.state import EveningState

    states, sizes = play_many(scenario, range(BATCH)).states, sizes_of(scenario)
    cases = {
        "digest": lambda: digests_of(states, EveningState, sizes),
        "hash": lambda: [sha256(state.tobytes()).digest() for state in states],
    }
    taken = interleaved(cases, 5, clock=process_time)
    return [
        timed("digest of one evening", [seconds / BATCH for seconds in taken["digest"]]),
        ratio("digest of one evening / SHA-256 of its packed state", taken["digest"], taken["hash"], at_most=DIGEST),
        Row("bytes of a packed state", states.itemsize, "bytes"),
    ]


def roofline(scenario: Scenario, second: float) -> list[Row]:
    """The share of an evening's time that one core needs for its arithmetic, counted where it is interpreted."""
    ticks = 3
    counted = operations(scenario, ticks) / ticks
    whole = counted * float(play_many(scenario, range(BATCH), measures=True).measures.row["ticks"].mean())
    lanes = np.ones(LANES)
    taken = min(interleaved({"flops": lambda: arithmetic(lanes, 20_000)}, 2)["flops"])
    per_flop = taken / (20_000 * 2 * LANES)
    return [
        Row("arithmetic of one evening, counted", round(whole), "operations"),
        Row("share of one core's arithmetic", round(100 * whole * per_flop / second, 1), "%"),
    ]


def operations(scenario: Scenario, ticks: int) -> int:
    """The number of additions, subtractions, multiplications and divisions of some ticks, those for indices included."""
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

    batches, before = EveningBatches(scenario, engine="interpreted", measures=True, ticks=ticks), sys.gettrace()
    sys.settrace(watch)
    try:
        batches.play([1], 1)
    finally:
        sys.settrace(before)
    return count


@njit(error_model="numpy")
def arithmetic(lanes: Any, times: int) -> None:
    """Multiplications and additions only, as many in parallel as the core can do."""
    for _ in range(times):
        for lane in range(LANES):
            lanes[lane] = lanes[lane] * 0.999 + 0.001


def starting(*, quick: bool) -> list[Row]:
    """What a new process takes until it plays compiled evenings, from the cache and, unless quick, from nothing."""
    loaded = median(fresh(None) for _ in range(2 if quick else 5))
    rows = [timed("loading compiled evenings in a new process", [loaded])]
    if not quick:
        with TemporaryDirectory() as cache:
            rows.append(timed("compiling them, once on a machine", [fresh(cache) - loaded]))
    return rows


def fresh(cache: str | None) -> float:
    """The CPU seconds that a new process takes until it has compiled evenings, with this cache or the user's."""
    env = {**os.environ, **({} if cache is None else {"VOLITION_CACHE": cache})}
    return float(subprocess.run([sys.executable, "-c", FRESH], env=env, capture_output=True, check=True).stdout)


class Crowd(NamedTuple):
    """Random states of a scenario, packed, and the deciders in them."""

    company: Company
    worlds: list[WorldState]
    states: NDArray[Any]
    packing: float

    @property
    def deciders(self) -> list[Decider]:
        """Everybody who is there."""
        return [(world, me) for world in self.worlds for me in world.agents.values() if me.location != DEPARTED]


def crowd(name: str, *, by_the_letter: bool, worlds: int) -> Crowd:
    scenario, draws = shipped(name, by_the_letter=by_the_letter), Random(5)
    company = Company(scenario)
    states = [gather(draws, unsettled(draws, scenario, departing=not by_the_letter)) for _ in range(worlds)]
    started = perf_counter()
    packed = company.pack(states)
    return Crowd(company, states, packed, (perf_counter() - started) / worlds)


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


def decisions(rounds: int) -> list[Row]:
    """Literal decisions for many agents, and by the transcription, in the same rounds."""
    party = crowd("dinner-party", by_the_letter=True, worlds=1_500)
    company, draws, deciders = party.company, Random(1), party.deciders
    some = deciders[:300]

    def by_the_letter() -> None:
        for state, me in some:
            oracle.select_action(me, readings.perceive(me, state), state, lambda _: draws.gauss(0.0, 0.1))

    def many(seed: int | None, threads: int) -> Callable[[], object]:
        return lambda: company.decide(party.states, seed, threads=threads)

    cases: dict[str, tuple[Callable[[], object], int, Callable[[], float]]] = {
        "literal transcription": (by_the_letter, len(some), process_time),
        "one thread": (many(7, 1), len(deciders), process_time),
        "one thread, no noise": (many(None, 1), len(deciders), process_time),
        "one thread, by the clock": (many(7, 1), len(deciders), perf_counter),
        "two threads, by the clock": (many(7, 2), len(deciders), perf_counter),
    }
    each: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, (case, count, clock) in cases.items():
            began = clock()
            case()
            each[name] += [(clock() - began) / count] if number else []
    base, one = each["literal transcription"], each["one thread"]
    mind = Mind(company.scenario)
    acts = np.mean([len(mind.decide(state, me.id).tally.survivors) for state, me in deciders[:300]])
    noise = 1.0 - median(each["one thread, no noise"]) / median(one)
    return [
        *(timed(f"one decision, {name}", seconds) for name, seconds in each.items()),
        Row("decisions a second, two threads", round(1 / median(each["two threads, by the clock"])), "1/s"),
        ratio("one decision, literal / one thread", base, one, at_least=DECISIONS),
        ratio("one decision, one thread / two", each["one thread, by the clock"], each["two threads, by the clock"]),
        timed("packing one world", [party.packing]),
        Row("acts weighed in one decision", round(float(acts), 1), "acts"),
        Row("share of the time that noise takes", round(100 * noise, 1), "%"),
    ]


def golden(sample: int) -> list[Row]:
    """A hash of a million decisions, and a sample of them compared with the mind."""
    total, wrong, made, seconds = sha256(), 0, 0, 0.0
    for name in SHIPPED:
        for by_the_letter in (True, False):
            party = crowd(name, by_the_letter=by_the_letter, worlds=300)
            mind, people = Mind(party.company.scenario), party.company.people
            for seed in range(140):
                started = perf_counter()
                acts, totals = party.company.decide(party.states, seed)
                seconds += perf_counter() - started
                made += acts.size
                total.update(acts.astype("<i2").tobytes() + totals.astype("<f8").tobytes())
            for number in range(sample // 4):
                place = number * SPREAD % len(party.worlds)
                world, who = party.worlds[place], number % len(people)
                if world.agents[people[who]].location != DEPARTED:
                    tally = mind.decide(world, people[who], 139).tally
                    assert tally.winner is not None
                    same = party.company.acts[acts[place, who]] == tally.survivors[tally.winner]
                    wrong += not (same and float(totals[place, who]).hex() == tally.totals[tally.winner].hex())
    found = total.hexdigest()
    if found != GOLDEN:
        print(f"the golden hash is {found}", file=sys.stderr)
    return [
        Row(f"{made} decisions, both scenarios, letter and departing", round(seconds, 3), "s"),
        Row("decisions of a sample in which the mind differs", wrong, "", "<= 0", wrong == 0),
        Row("the million has its golden hash", float(found == GOLDEN), "", ">= 1", found == GOLDEN),
    ]


def main() -> int:
    given = options(__doc__)
    rows = evenings(4 if given.quick else 15)
    rows += starting(quick=given.quick)
    rows += decisions(4 if given.quick else 15)
    rows += golden(300 if given.quick else 2_500)
    return show("Company", [*rows, *crowds.rows(quick=given.quick)], as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
