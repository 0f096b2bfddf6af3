"""Processes that register plans at the same time, and one that does so without a transaction on the project."""

from __future__ import annotations

import multiprocessing
import warnings
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select

from tests.workflow.plans import PROJECT, document
from volition.governance import ConflictIndex, IntentDocument, parse_document
from volition.workflow import Store, Team, parse_store_address
from volition.workflow.store.tables import PLAN
from volition.workflow.team.registration import grave_collisions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Won = list[tuple[int, int]]
"""The number of each contested file that a process got, and the token."""


def register(place: str, number: int, files: int) -> Won:
    """Register one plan for each file, in an order of this process; returns what was granted."""
    with Store(parse_store_address(place), patience=60) as store:
        team = Team(store, PROJECT)
        found = []
        for step in range(files):
            file = (step * 7 + number * 3) % files
            made = team.register(document(f"racer_{number}_{file}", f"contested/{file}.py"), f"racer {number}")
            if made.grant is not None:
                found.append((file, made.grant.token))
        return found


def register_without_locking(place: str, number: int, files: int) -> Won:
    """The control: the same check and the same insert, but whoever reads does not keep others from writing."""
    with Store(parse_store_address(place), patience=60) as store:
        found = []
        for file in range(files):
            content = document(f"racer_{number}_{file}", f"contested/{file}.py")
            with store.read() as connection:
                index = ConflictIndex()
                for text in connection.execute(select(PLAN.c.document)).scalars():
                    index.add(parse_document(text.encode(), IntentDocument))
            if grave_collisions(index.check(parse_document(content, IntentDocument))):
                continue
            with store.write() as connection:
                token = 1 + number + 1000 * file
                connection.execute(
                    insert(PLAN).values(
                        project=PROJECT, plan_id=f"intent_racer_{number}_{file}", checksum="", holder=str(number),
                        state="active", token=token, seq=token, lease_ms=1, lease_until=2**50, document=content.decode(),
                    )
                )  # fmt: skip
                found.append((file, token))
        return found


def race(act: Callable[[str, int, int], Won], place: str, processes: int, files: int) -> list[Won]:
    """What each of several processes won, all of them started together."""
    context = multiprocessing.get_context("fork")
    line, results = context.Barrier(processes), context.SimpleQueue()

    def run(number: int) -> None:
        line.wait()
        try:
            results.put((number, act(place, number, files)))
        except BaseException as error:
            results.put((number, repr(error)))
            raise

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no thread of this process holds a lock that a child needs
        runners = [context.Process(target=run, args=(number,)) for number in range(processes)]
        for runner in runners:
            runner.start()
    found: dict[int, Any] = dict(results.get() for _ in runners)
    for runner in runners:
        runner.join()
    assert all(isinstance(won, list) for won in found.values()), found
    return [found[number] for number in range(processes)]


def winners(won: Sequence[Won], files: int) -> list[int]:
    """How many winners each file has."""
    counts = [0] * files
    for each in won:
        for file, _ in each:
            counts[file] += 1
    return counts
