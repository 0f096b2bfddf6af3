"""Compile the laws of an evening for small and for large records, and each rule, side by side.

Tests load what this leaves on the disk.
"""

from __future__ import annotations

import sys
from multiprocessing import Process
from random import Random

from tests.drama.evening.casts import DINNER, invented, shipped
from tests.drama.rules.compiled_rule import compiled_rule
from tests.drama.rules.numbers import arguments, public_rules
from volition.core.compiling import can_compile
from volition.drama.batch.decider import BatchDecider
from volition.drama.evening.play_many import play_many
from volition.drama.evening.world import begin


def compile_small() -> None:
    """Compile what plays, measures and decides in small records."""
    scenario = shipped(DINNER)
    play_many(scenario, [1], ticks=1, engine="compiled", measures=True)
    decider = BatchDecider(scenario)
    decider.decide(decider.pack([begin(scenario)]), 1)


def compile_large() -> None:
    """Compile what plays in large records."""
    play_many(invented(0, most_people=16, most_rooms=16), [1], ticks=1, engine="compiled")


def compile_rules() -> None:
    """Compile every rule by itself."""
    for rule in public_rules():
        compiled_rule(rule)(*arguments(rule, Random(1)))


def main() -> int:
    """Compile all of them, where there is Numba."""
    if not can_compile():
        return 0
    compiling = [Process(target=one) for one in (compile_small, compile_large, compile_rules)]
    for one in compiling:
        one.start()
    for one in compiling:
        one.join()
    return max(abs(one.exitcode or 0) for one in compiling)


if __name__ == "__main__":
    sys.exit(main())
