"""Minds from outside in an evening: how long a tick waits for six of them, and whether a record replays without them."""

from __future__ import annotations

import sys
import tempfile
import time

from rows import Row, interleaved, options, ratio, show

from volition.drama import Evening, play, scenario
from volition.drama.minds import Consulted, OutsideMinds
from volition.minds import MindSituation, MindVote
from volition.minds.contract import question_hash

ANSWER_S = 0.3
PARTY = scenario("dinner-party")


def slow(situation: MindSituation) -> MindVote:
    time.sleep(ANSWER_S)
    return MindVote(situation.own)


def moody(situation: MindSituation) -> MindVote:
    return MindVote(situation.ids[int(question_hash(situation), 16) % len(situation.ids)])


def minds(mind: object, people: list[str]) -> OutsideMinds:
    return OutsideMinds({who: Consulted(mind, kinds=None) for who in people}, deadline_s=60.0)  # type: ignore[arg-type]


def silent(situation: MindSituation) -> None:
    """Leave it to the person."""


def differences(seeds: range) -> int:
    """How many of these evenings, recorded and loaded without their minds, are not the same when they are played again."""
    wrong = 0
    for seed in seeds:
        evening = play(PARTY, seed, outside=minds(moody, ["victor", "elena"]))
        with tempfile.TemporaryDirectory() as folder:
            evening.save(f"{folder}/run")
            loaded = Evening.load(f"{folder}/run")
            wrong += loaded.run != evening.run or loaded.verify() != len(evening.run.ticks)
    return wrong


def main() -> int:
    """Measure everything."""
    given = options(__doc__)
    everybody, rounds = list(PARTY.people), 3 if given.quick else 9
    waited = interleaved(
        {"one": lambda: play(PARTY, 24, ticks=3, outside=minds(slow, ["victor"])),
         "six": lambda: play(PARTY, 24, ticks=3, outside=minds(slow, everybody))},
        rounds,
    )  # fmt: skip
    played = interleaved(
        {"alone": lambda: play(PARTY, 24), "asked": lambda: play(PARTY, 24, outside=minds(silent, ["victor"]))}, rounds
    )
    replayed = 10 if given.quick else 50
    wrong = differences(range(1, replayed + 1))
    rows = [
        ratio("six minds that take 0.3 s each, against one", waited["six"], waited["one"], at_most=1.33),
        Row(f"{replayed} evenings replayed without their minds", wrong, "differ", "= 0", wrong == 0),
        ratio("an evening with a mind at every choice, against none", played["asked"], played["alone"]),
    ]
    return show("Minds from outside", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
