"""Bodies that answer late: a wire that takes its time, a process that gets hardly any, and the law that holds all the same."""

from __future__ import annotations

import os
import signal
import socket
import time
from contextlib import contextmanager, suppress
from math import dist
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from tests.execution.client.bridges import PATIENT
from volition.execution import Bridge, Journal, Move, read_journal, verify_journal
from volition.execution.journal.records import Attempt, LateAnswer
from volition.execution.transports.address import parse_address
from volition.execution.transports.endpoint import dial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from volition.execution import Outcome
    from volition.execution.transports.address import Address

Vector = tuple[float, float, float]


@contextmanager
def slowed(address: str | Address, seconds: float) -> Iterator[str]:
    """Where a proxy listens that hands everything on to an executor, and back, so many seconds late."""
    place = parse_address(address)

    def hand_on(source: socket.socket, goal: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                time.sleep(seconds)
                goal.sendall(data)
        for end in (source, goal):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                outer, _ = listening.accept()
                inner = socket.create_connection((place.host, place.port))
                ends.extend([outer, inner])
                for pair in ((outer, inner), (inner, outer)):
                    Thread(target=hand_on, args=pair, daemon=True).start()

    ends: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=accept, daemon=True).start()
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    for end in ends:
        end.close()


@contextmanager
def starved(process: int) -> Iterator[None]:
    """A process that gets a fifth of the time, in slices that are shorter than its ticks."""
    over = Event()

    def starve() -> None:
        while not over.is_set():
            os.kill(process, signal.SIGSTOP)
            over.wait(0.08)
            os.kill(process, signal.SIGCONT)
            over.wait(0.02)

    thread = Thread(target=starve)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def check_moves_have_one_truthful_outcome(
    address: str,
    folder: Path,
    moves: Sequence[tuple[Vector, float]],
    look: Callable[[Any], tuple[Vector, bool]],
    tolerance: float,
) -> list[Outcome]:
    """Every MOVE, with its deadline, has one outcome, and it is true: SUCCESS has arrived, FAILURE by the body has not moved, and
    what was given up is called so, whatever arrives afterwards. The journal has each once, and at most one late answer to it.
    `look` says of a state where the body is, and whether it moves.
    """
    journal = Journal(folder)
    with Bridge(lambda timeout: dial(address, timeout=timeout), journal=journal, timing=PATIENT) as body:
        outcomes = []
        for vector, deadline in moves:
            before = _rest(body, look)
            outcomes.append(outcome := body.execute(Move(vector), deadline=deadline))
            after = _rest(body, look)
            there = [then + part for then, part in zip(before, vector, strict=True)]
            if outcome.status == "SUCCESS":
                assert dist(after, there) <= tolerance
            elif outcome.status == "FAILURE" and outcome.answered:
                assert dist(after, before) <= tolerance
    journal.close()
    assert verify_journal(folder).intact
    records = [entry.record for entry in read_journal(folder)]
    attempts = [each for each in records if isinstance(each, Attempt) and each.requested.intent == "MOVE"]
    assert [each.label for each in attempts] == [each.label for each in outcomes]
    assert len({each.ticket for each in attempts}) == len(moves)
    late = [each.ticket for each in records if isinstance(each, LateAnswer)]
    assert len(late) == len(set(late))
    return outcomes


def _rest(body: Bridge, look: Callable[[Any], tuple[Vector, bool]]) -> Vector:
    """Where the body is once it has stopped: all that was sent before has arrived when the first state is asked for."""
    state: Any = body.refresh(60.0)
    while look(state.data)[1]:
        state = body.next_state(60.0) or state
    return look(state.data)[0]
