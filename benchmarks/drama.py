"""What one decision of a dinner guest costs, compared with a literal transcription of the specification; and an evening.

All decide for all six guests at the table, over the same candidates and with noise; ours decide by the laws alone, as in
an evening, or by an arbitration that can explain itself afterwards. The transcription is the oracle of the tests. Evenings are compared with the decisions that they
contain, as the transcription makes them.

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
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from rows import Row, interleaved, options, ratio, show, timed

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


from tests.drama import literal as oracle
from tests.drama import readings
from tests.drama.mind.perceived import perceive
from volition.drama.evening import perceive as laws
from volition.drama.evening.choose import choose
from volition.drama.evening.perceive import Perceived
from volition.drama.evening.person import PACING_NUMBERS
from volition.drama.evening.record import new_plain
from volition.drama.evening.weigh import ScoreSheet
from volition.drama.evening.world import begin
from volition.drama.mind.mind import Mind
from volition.drama.playing.evening import Evening
from volition.drama.stage.archive import load_run
from volition.drama.stage.replay import walk
from volition.drama.stage.run import run
from volition.drama.world.scenario import literal, load_scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Scenario

BAR, BY_LAW = 1.0, 2.5
"""How many times as fast as the transcription a decision is at least: one that explains itself, and one by the laws alone."""
EVENING = 1.5
"""The most that playing an evening may cost, relative to making its decisions with the transcription."""
RECORD, REPLAY = 0.5, 0.5
"""The most that recording an evening, and reading and replaying it, may cost relative to playing it."""


def evenings(scenario: Scenario, mind: Mind, count: int, transcribed: Callable[[], float]) -> list[Row]:
    """Whole evenings to their endings, one after the other on one core; and what it costs to record and replay one.

    `transcribed` gives the seconds of one decision of the transcription; it is timed before each evening.
    """
    seconds: dict[str, list[float]] = {"transcribe": [], "play": [], "record": [], "replay": []}
    ticks = decisions = 0
    with TemporaryDirectory() as folder:
        for seed in range(1, count + 1):
            one = transcribed()
            started = perf_counter()
            done = run(scenario, seed, mind=mind)
            seconds["play"].append(perf_counter() - started)
            started = perf_counter()
            Evening(done, mind).save(f"{folder}/{seed}")
            seconds["record"].append(perf_counter() - started)
            started = perf_counter()
            assert len(list(walk(load_run(f"{folder}/{seed}")))) == len(done.events)
            seconds["replay"].append(perf_counter() - started)
            chosen = sum(len(record.choices) for record in done.ticks)
            seconds["transcribe"].append(one * chosen)
            ticks, decisions = ticks + len(done.ticks), decisions + chosen
    played = sum(seconds["play"])
    peak = getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return [
        timed(f"a whole evening, median of {count}", seconds["play"]),
        ratio("an evening / its decisions, transcribed", seconds["play"], seconds["transcribe"], at_most=EVENING),
        timed("recording it", seconds["record"]),
        ratio("recording / playing", seconds["record"], seconds["play"], at_most=RECORD),
        timed("reading and replaying it", seconds["replay"]),
        ratio("reading and replaying / playing", seconds["replay"], seconds["play"], at_most=REPLAY),
        Row("ticks a second", round(ticks / played), "1/s"),
        Row("decisions a second, played", round(decisions / played), "1/s"),
        Row("peak memory of this process", round(peak / 2**20, 1), "MiB"),
    ]


def objects_of(world: WorldState) -> Any:
    """A world as the specification has it: plain objects and dictionaries, so that views cost the transcription nothing."""
    agents = {
        id: SimpleNamespace(
            id=id,
            location=me.location,
            alcohol=me.alcohol,
            pacing=SimpleNamespace(**{number: getattr(me.pacing, number) for number in PACING_NUMBERS}),
            emotions=dict(me.emotions),
            beliefs=dict(me.beliefs),
            bonds={
                other: SimpleNamespace(trust=bond.trust, affection=bond.affection, obligation=bond.obligation)
                for other, bond in me.bonds.items()
            },
        )
        for id, me in world.agents.items()
    }
    return SimpleNamespace(scenario=world.scenario, tick=world.tick, recent=world.recent, agents=agents)


def main() -> int:
    given = options(__doc__)
    scenario = load_scenario("dinner-party")
    by_letter, calibrated = Mind(literal(scenario)), Mind(scenario)
    world, evening = begin(by_letter.scenario), begin(scenario)
    transcription, draws = objects_of(world), Random(1)

    def by_the_letter() -> None:
        for agent in transcription.agents.values():
            perception = readings.perceive(agent, transcription)
            oracle.select_action(agent, perception, transcription, lambda _: draws.gauss(0.0, 0.1))

    def ours() -> None:
        for name in world.agents:
            by_letter.decide(world, name, 7)

    def shipped() -> None:
        for name in evening.agents:
            calibrated.decide(evening, name, 7)

    state, record, sheet = (
        world.state(7),
        new_plain(Perceived, by_letter.sizes),
        new_plain(ScoreSheet, by_letter.sizes),
    )
    seen = {name: perceive(world, name) for name in world.agents}

    def perceiving() -> None:
        for name in world.agents:
            perceive(world, name)

    def by_law() -> None:
        for who in range(len(by_letter.names.people)):
            laws.perceive(state, by_letter.tables, who, record)
            choose(state, by_letter.tables, who, record, sheet)

    def weighing() -> None:
        for name, agent in world.agents.items():
            by_letter.appraise(agent, seen[name], 7)

    cases = {
        "literal transcription": by_the_letter,
        "by the laws": by_law,
        "arbitrated": ours,
        "arbitrated, all departures on": shipped,
        "arbitrated: perceiving alone": perceiving,
        "arbitrated: weighing alone": weighing,
    }
    taken = interleaved(cases, 15 if given.quick else 60, times=10)
    each = {name: [second / len(world.agents) for second in seconds] for name, seconds in taken.items()}
    rows = [timed(f"one decision, {name}", seconds) for name, seconds in each.items()]
    rows.append(Row("decisions a second, arbitrated", round(1 / median(each["arbitrated"])), "1/s"))
    rows.append(ratio("literal / by the laws", each["literal transcription"], each["by the laws"], at_least=BY_LAW))
    rows.append(ratio("literal / arbitrated", each["literal transcription"], each["arbitrated"], at_least=BAR))

    def transcribed() -> float:
        started = perf_counter()
        for _ in range(10):
            by_the_letter()
        return (perf_counter() - started) / (10 * len(world.agents))

    rows += evenings(scenario, calibrated, 5 if given.quick else 25, transcribed)
    return show("Drama", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
