"""What one decision of a dinner guest costs, beside a literal transcription of the specification's code; and an evening.

Both decide for all six guests at the table, over the same candidates and with noise; ours is an arbitration that can be
asked why afterwards. The transcription is the oracle of the tests.

    python benchmarks/drama.py --quick
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from resource import RUSAGE_SELF, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from rows import Row, interleaved, options, ratio, show, timed

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.drama import literal as oracle
from tests.drama import readings
from volition.drama.evening import Evening
from volition.drama.mind.mind import Mind
from volition.drama.mind.perception import perceive
from volition.drama.mind.terms import noise_key, noises
from volition.drama.stage.archive import load_run
from volition.drama.stage.replay import walk
from volition.drama.stage.run import run
from volition.drama.world.model import Scenario, begin
from volition.drama.world.scenario import literal, load_scenario

BAR = 1.5
EVENING = 1.0
"""Seconds that a whole evening may take."""


def evenings(scenario: Scenario, mind: Mind, count: int) -> list[Row]:
    """Whole evenings to their endings, one after the other on one core; and what it costs to record and to replay one."""
    seconds: dict[str, list[float]] = {"play": [], "record": [], "replay": []}
    ticks = decisions = 0
    with TemporaryDirectory() as folder:
        for seed in range(1, count + 1):
            started = perf_counter()
            done = run(scenario, seed, mind=mind)
            seconds["play"].append(perf_counter() - started)
            started = perf_counter()
            Evening(done, mind).save(f"{folder}/{seed}")
            seconds["record"].append(perf_counter() - started)
            started = perf_counter()
            assert len(list(walk(load_run(f"{folder}/{seed}")))) == len(done.events)
            seconds["replay"].append(perf_counter() - started)
            ticks += len(done.ticks)
            decisions += sum(len(record.choices) for record in done.ticks)
    played = sum(seconds["play"])
    longest = max(seconds["play"])
    peak = getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return [
        timed(f"a whole evening, median of {count}", seconds["play"]),
        Row("a whole evening, the longest", round(longest, 3), "s", f"<= {EVENING:g}", longest <= EVENING),
        timed("recording it", seconds["record"]),
        timed("reading and replaying it", seconds["replay"]),
        Row("ticks a second", round(ticks / played), "1/s"),
        Row("decisions a second, played", round(decisions / played), "1/s"),
        Row("peak memory of this process", round(peak / 2**20, 1), "MiB"),
    ]


def main() -> int:
    given = options(__doc__)
    scenario = load_scenario("dinner-party")
    plain, calibrated = Mind(literal(scenario)), Mind(scenario)
    world, evening = begin(plain.scenario), begin(scenario)
    draws = Random(1)

    def by_the_letter() -> None:
        for agent in world.agents.values():
            perception = readings.perceive(agent, world)
            oracle.select_action(agent, perception, world, lambda _: draws.gauss(0.0, 0.1))

    def ours() -> None:
        for name in world.agents:
            plain.decide(world, name, 7)

    def shipped() -> None:
        for name in evening.agents:
            calibrated.decide(evening, name, 7)

    seen = {name: perceive(world, name, plain.tables) for name in world.agents}
    ids = {name: plain.decide(world, name).tally.ids for name in world.agents}

    def perceiving() -> None:
        for name in world.agents:
            perceive(world, name, plain.tables)

    def offering() -> None:
        for name, agent in world.agents.items():
            plain.repertoire.offered(agent, seen[name])

    def drawing() -> None:
        for name in world.agents:
            noises(noise_key(7, world.tick, name), ids[name], plain.tables.noise.sigma)

    cases = {
        "literal transcription": by_the_letter,
        "arbitrated": ours,
        "arbitrated, all departures on": shipped,
        "arbitrated: perceiving alone": perceiving,
        "arbitrated: offering candidates alone": offering,
        "arbitrated: drawing noise alone": drawing,
    }
    taken = interleaved(cases, 15 if given.quick else 60, times=10)
    each = {name: [second / len(world.agents) for second in seconds] for name, seconds in taken.items()}
    rows = [timed(f"one decision, {name}", seconds) for name, seconds in each.items()]
    rows.append(Row("decisions a second, arbitrated", round(1 / median(each["arbitrated"])), "1/s"))
    rows.append(ratio("literal / arbitrated", each["literal transcription"], each["arbitrated"], at_least=BAR))
    rows += evenings(scenario, calibrated, 5 if given.quick else 25)
    return show("Drama", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
