"""What one decision of a dinner guest costs, beside a literal transcription of the specification's code.

Both decide for all six guests at the table, over the same candidates and with noise; ours is an arbitration that can be
asked why afterwards. The transcription is the oracle of the tests.

    python benchmarks/drama.py --quick
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from statistics import median

from rows import Row, interleaved, options, ratio, show, timed

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.drama import literal as oracle
from tests.drama import readings
from volition.drama.mind.mind import Mind
from volition.drama.mind.perception import perceive
from volition.drama.mind.terms import noise_key, noises
from volition.drama.world.model import begin
from volition.drama.world.scenario import literal, load_scenario

BAR = 1.5


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
    return show("Drama", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
