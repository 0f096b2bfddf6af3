"""Command lines that were just started: processes that know nothing of a registry with many plans, all at once."""

from __future__ import annotations

import multiprocessing
import warnings
from typing import TYPE_CHECKING

from tests.workflow.plans import PROJECT, document
from volition.workflow import Store, Team, parse_store_address

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier


def fill(place: str, plans: int) -> None:
    """Register so many plans, each touching another file."""
    with Store(parse_store_address(place)) as store:
        team = Team(store, PROJECT)
        for number in range(plans):
            team.register(document(f"number_{number}", f"x/{number}.py"), "ann", lease=10**6)


def register_cold(place: str, processes: int) -> list[str]:
    """Let so many processes, started together, register one plan each; what each of them came to."""
    context = multiprocessing.get_context("fork")
    line, results = context.Barrier(processes), context.SimpleQueue()

    def run(number: int, line: Barrier) -> None:
        line.wait()
        try:
            with Store(parse_store_address(place)) as store:
                made = Team(store, PROJECT).register(document(f"comer_{number}", f"y/{number}.py"), f"comer {number}")
            results.put(made.outcome)
        except BaseException as error:  # noqa: BLE001  whatever it is, it is what this process came to
            results.put(repr(error))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no thread of this process holds a lock that a child needs
        runners = [context.Process(target=run, args=(number, line)) for number in range(processes)]
        for runner in runners:
            runner.start()
    found = [results.get() for _ in runners]
    for runner in runners:
        runner.join()
    return sorted(found)
