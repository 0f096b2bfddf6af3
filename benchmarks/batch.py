"""Whole evenings with all their measures, compiled and interpreted; and many decisions at once, beside a literal
transcription of the specification that decides for one at a time.

Evenings and decisions are timed in CPU seconds of this process, but for two threads, which are timed by the clock. Both
the transcription and a batch perceive and decide, literally. The transcription is the oracle of the tests.

Two threads cannot be faster than the machine lets them: where its two cores share one, they are not twice as fast as one
whatever they do. So the bar of their gain is a share of what two threads gain that do nothing but run the compiled loop.

    python benchmarks/batch.py --quick
"""

from __future__ import annotations

import dis
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import crowds
import numpy as np
from numba import njit
from rows import Row, interleaved, options, ratio, show, timed

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.drama import golden as kept
from tests.drama import literal as oracle
from tests.drama import readings
from tests.drama.batch.decided import SHIPPED, shipped
from tests.drama.evening.casts import READINGS, bytes_of
from volition.drama.evening.play_many import BATCH, EveningBatches, play_many
from volition.drama.evening.players import ALL_STEPS, CompiledPlayer
from volition.drama.mind.mind import Mind
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from tests.drama.golden import Crowd
    from volition.drama.world.model import Scenario

COMPILED, TWO_THREADS, DECISIONS = 100.0, 1.7 / 2.0, 250.0
"""How many times as fast at least: a compiled evening as an interpreted one, two threads as the machine lets two be, a
decision as literally."""
PAIRS = 3
"""How often one thread and two are timed in a round: the clock counts whatever else runs on the machine."""
DIGEST = 3.0
"""How many times as long as a SHA-256 of its bytes the digest of a packed state may take."""
LANES = 64
SPREAD = 2_654_435_761
"""Odd, so that its multiples reach all indices: a fixed way to select states, independent of any library."""
ALIKE = 4
"""How many evenings of a round are played both interpreted and compiled: the same, since some are longer than others."""

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
        seeds = range(2 * BATCH)
        fast.play(seeds, 1)
        taken: dict[str, list[float]] = {path: [] for path in ("interpreted", "compiled", "bare", "one", "two")}
        loops = {hands: list[float]() for hands in (1, 2)}
        wrong = 0
        for number in range(rounds):
            alike = range(ALIKE * number, ALIKE * (number + 1))
            cases = (("interpreted", plain, list(alike)), ("compiled", fast, list(alike) * (BATCH // ALIKE)))
            found = []
            for path, batches, some in (*cases, ("bare", bare, cases[1][2])):
                began = process_time()
                found.append(batches.play(some, 1))
                taken[path].append((process_time() - began) / len(some))
            for path, threads in (("one", 1), ("two", 2)) * PAIRS:
                began = perf_counter()
                fast.play(seeds, threads)
                taken[path].append((perf_counter() - began) / len(seeds))
                loops[threads].append(loop_alone(scenario, threads))
            wrong += bytes_of(found[0].measures) != bytes_of(found[1].measures.part(0, ALIKE))
        row = bytes_of(found[1].measures)
        rows += [
            *(timed(f"evening of {name}, measured, {path}", taken[path]) for path in ("interpreted", "compiled")),
            timed(f"evening of {name}, compiled, not measured", taken["bare"]),
            ratio(
                f"evening of {name}, interpreted / compiled", taken["interpreted"], taken["compiled"], at_least=COMPILED
            ),
            *gains(name, taken, loops),
            Row(f"evenings of {name} a second, one thread", round(1 / median(taken["one"])), "1/s"),
            Row(f"evenings of {name} a second, two threads", round(1 / median(taken["two"])), "1/s"),
            Row(f"evenings of {name} that differ", wrong, "", "<= 0", wrong == 0),
            Row(f"bytes of a packed row of {name}", round(len(row) / BATCH), "bytes"),
        ]
    return [*rows, *digests(scenario), *roofline(scenario, median(taken["compiled"]))]


def gains(name: str, taken: dict[str, list[float]], loops: dict[int, list[float]]) -> list[Row]:
    """What two threads gain over one, in evenings and in the compiled loop alone, and the share of the one in the other."""
    alone = [one / two for one, two in zip(loops[1], loops[2], strict=True)]
    gained = [one / two for one, two in zip(taken["one"], taken["two"], strict=True)]
    return [
        ratio(f"evening of {name}, one thread / two", taken["one"], taken["two"]),
        ratio(f"evening of {name}, the compiled loop alone, one thread / two", loops[1], loops[2]),
        ratio(f"evening of {name}, gain of two threads / the loop's", gained, alone, at_least=TWO_THREADS),
    ]


def loop_alone(scenario: Scenario, hands: int) -> float:
    """The seconds on the clock for an evening where each of this many threads plays some, and there is nothing but the loop."""
    player = CompiledPlayer(scenario)

    def prepare(first: int) -> Callable[[], None]:
        states, log = (
            player.open_evenings(np.arange(first, first + BATCH, dtype=np.uint64)),
            player.new_log(logged=True, brief=True),
        )
        stops, endings, measures = np.zeros(BATCH, np.int64), np.zeros(BATCH, np.int64), player.new_measures(BATCH)
        return lambda: player.play(states, log, scenario.evening.ticks, ALL_STEPS, True, stops, endings, measures)

    parts = [prepare(BATCH * hand) for hand in range(hands)]
    with ThreadPoolExecutor(max_workers=hands) as pool:
        list(pool.map(lambda _: None, range(hands)))
        began = perf_counter()
        list(pool.map(lambda part: part(), parts))
        return (perf_counter() - began) / (BATCH * hands)


def digests(scenario: Scenario) -> list[Row]:
    """What naming an evening by its last state costs, and how large that state is."""
    from volition.drama.evening.building import sizes_of
    from volition.drama.evening.rows import digests_of
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
    sys._getframe().f_trace_opcodes = True  # noqa: SLF001 - Python 3.12 traces opcodes if a frame asked for it before
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


def decisions(rounds: int, *, quick: bool) -> list[Row]:
    """Decisions for many agents and by the transcription, both literal; and by all rules that ship."""
    worlds = 300 if quick else 1_500
    letter, rich = (kept.crowd(SHIPPED[0], by_the_letter=reading, worlds=worlds) for reading in (True, False))
    some, draws = letter.deciders[: 100 if quick else 300], Random(1)
    packing = min(interleaved({"pack": lambda: letter.decider.pack(letter.worlds[:50])}, 2)["pack"]) / 50

    def by_the_letter() -> None:
        for state, me in some:
            oracle.select_action(me, readings.perceive(me, state), state, lambda _: draws.gauss(0.0, 0.1))

    def many(party: Crowd, seed: int | None, threads: int) -> Callable[[], object]:
        return lambda: [party.decider.decide(party.states, seed, threads=threads) for _ in range(1_500 // worlds)]

    made, more = len(letter.deciders) * 1_500 // worlds, len(rich.deciders) * 1_500 // worlds
    cases: dict[str, tuple[Callable[[], object], int, Callable[[], float]]] = {
        "literal transcription": (by_the_letter, len(some), process_time),
        "one thread": (many(letter, 7, 1), made, process_time),
        "one thread, no noise": (many(letter, None, 1), made, process_time),
        "one thread, all rules": (many(rich, 7, 1), more, process_time),
        "one thread, by the clock": (many(letter, 7, 1), made, perf_counter),
        "two threads, by the clock": (many(letter, 7, 2), made, perf_counter),
    }
    each: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, (case, count, clock) in cases.items():
            began = clock()
            case()
            each[name] += [(clock() - began) / count] if number else []
    base, one = each["literal transcription"], each["one thread"]
    noise = 1.0 - median(each["one thread, no noise"]) / median(one)
    return [
        *(timed(f"one decision, {name}", seconds) for name, seconds in each.items()),
        Row("decisions a second, two threads", round(1 / median(each["two threads, by the clock"])), "1/s"),
        ratio("one decision, literal / one thread", base, one, at_least=DECISIONS),
        ratio("one decision, literal / one thread, all rules", base, each["one thread, all rules"]),
        ratio("one decision, one thread / two", each["one thread, by the clock"], each["two threads, by the clock"]),
        timed("packing one world", [packing]),
        *(
            Row(f"acts weighed in one decision, {what}", weighed(party), "acts")
            for what, party in (("read literally", letter), ("all rules", rich))
        ),
        Row("share of the time that noise takes", round(100 * noise, 1), "%"),
    ]


def weighed(party: Crowd) -> float:
    """How many acts somebody weighs, on average."""
    mind = Mind(party.decider.scenario)
    every = [len(mind.decide(state, me.id).tally.survivors) for state, me in party.deciders[:100]]
    return round(float(np.mean(every)), 1)


def golden(sample: int) -> list[Row]:
    """A hash of a million decisions, and a sample of them compared with the mind."""
    worlds, seeds = kept.MILLION
    wrong, made = 0, 0
    kept.decisions(worlds, 1)  # makes the states
    began = perf_counter()
    found = kept.decisions(worlds, seeds)
    seconds = perf_counter() - began
    for name, by_the_letter in READINGS:
        party = kept.crowd(name, by_the_letter=by_the_letter, worlds=worlds)
        mind, people = Mind(party.decider.scenario), party.decider.people
        acts, totals = party.decider.decide(party.states, seeds - 1)
        made += acts.size * seeds
        for number in range(sample // len(READINGS)):
            place = number * SPREAD % len(party.worlds)
            world, who = party.worlds[place], number % len(people)
            if world.agents[people[who]].location != DEPARTED:
                tally = mind.decide(world, people[who], seeds - 1).tally
                assert tally.winner is not None
                same = party.decider.acts[acts[place, who]] == tally.survivors[tally.winner]
                wrong += not (same and float(totals[place, who]).hex() == tally.totals[tally.winner].hex())
    same = found == kept.golden()["a million decisions"]
    if not same:
        print(f"the hash is {found}; `python -m tests.drama.golden` writes all hashes again", file=sys.stderr)
    return [
        Row(f"{made} decisions, both scenarios, letter and departing", round(seconds, 3), "s"),
        Row("decisions of a sample in which the mind differs", wrong, "", "<= 0", wrong == 0),
        Row("the million has its golden hash", float(same), "", ">= 1", same),
    ]


def main() -> int:
    given = options(__doc__)
    rows = evenings(3 if given.quick else 15)
    rows += starting(quick=given.quick)
    rows += decisions(3 if given.quick else 15, quick=given.quick)
    rows += golden(200 if given.quick else 2_500)
    return show("batch", [*rows, *crowds.rows(quick=given.quick)], as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
