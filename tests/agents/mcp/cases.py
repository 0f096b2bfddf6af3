"""Agents in processes that want the same thing at the same moment, round after round, whatever registry they use.

Only the standard library is used: it also runs in the environment of a peer.
"""

from __future__ import annotations

import multiprocessing
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Claim = Callable[[str, int], str]
    """Claim a path in a round; returns how that ended."""

CASES = {
    "the same path": ("{round}/a.py", "{round}/a.py"),
    "a folder against a file": ("{round}", "{round}/a.py"),
    "a pattern against a file": ("{round}/*.py", "{round}/a.py"),
}
"""What agents with an even number want, and what those with an odd number want: any two of them collide."""
NAMES = ("one name", "several names", "one session")


def race(
    make: Callable[[str, int, str], Claim], place: str, processes: int, rounds: Sequence[tuple[str, str]]
) -> list[list[str]]:
    """How each round ended for every process. A round is a case and how the agents are named; all start it together."""
    context = multiprocessing.get_context("fork")
    line, results = context.Barrier(processes), context.SimpleQueue()

    def run(number: int) -> None:
        ended: list[str] = []
        try:
            agents = {names: make(place, number, names) for names in NAMES}
            for count, (case, names) in enumerate(rounds):
                path = CASES[case][number % 2 if names != "one session" else 0].format(round=f"round_{count}")
                line.wait()
                try:
                    ended.append(agents[names](path, count))
                except Exception as error:  # noqa: BLE001  an agent that was told of an error has won nothing
                    ended.append(f"{type(error).__name__}: {error}"[:200])
        except BaseException:
            line.abort()
            raise
        finally:
            results.put((number, ended))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no thread of this process holds a lock that a child needs
        runners = [context.Process(target=run, args=(number,)) for number in range(processes)]
        for runner in runners:
            runner.start()
    found: dict[int, Any] = dict(results.get() for _ in runners)
    for runner in runners:
        runner.join()
    return [[found[number][count] for number in range(processes)] for count in range(len(rounds))]


def all_rounds(count: int) -> list[tuple[str, str]]:
    """So many rounds, over all cases and ways of naming in turn."""
    kinds = [(case, names) for case in CASES for names in NAMES]
    return [kinds[number % len(kinds)] for number in range(count)]
