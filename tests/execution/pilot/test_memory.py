"""What a pilot remembers: its retries are counted as the bridge counts them, and failures fade."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from volition.execution.door.guard import Guard, RefuseRetry
from volition.execution.door.outcome import Outcome, Requested
from volition.execution.intents import CANONICAL, Move
from volition.execution.pilot import Memory
from volition.execution.pilot.memory import FADES
from volition.execution.results import label_of, make_result

RESULTS = st.sampled_from(
    [
        ("SUCCESS", "NONE"),
        ("PARTIAL", "BLOCKED"),
        ("FAILURE", "BLOCKED"),
        ("FAILURE", "COOLDOWN"),
    ]
)
RUNS = st.lists(st.tuples(st.sampled_from(["MOVE", "STOP"]), RESULTS, st.integers(1, 5)), max_size=8)
"""What is attempted, what comes of it, and how often in a row."""


@pytest.mark.req("EX-08")
@given(RUNS)
@example([("MOVE", ("FAILURE", "BLOCKED"), 3), ("MOVE", ("FAILURE", "COOLDOWN"), 2)])
def test_a_pilot_asks_for_nothing_that_the_bridge_would_refuse(runs: list[tuple[str, Any, int]]) -> None:
    """Whatever was attempted and came of it, an intent is vetoed exactly when the guard would refuse it."""
    memory, guard = Memory(), Guard()
    attempts = [(name, result) for name, result, times in runs for _ in range(times)]
    for ticket, (name, (status, reason)) in enumerate(attempts, 1):
        for each in CANONICAL:
            intent = Move((1, 0, 0)) if each == "MOVE" else CANONICAL[each]()  # type: ignore[call-arg]
            assert bool(memory.refused(each)) == isinstance(guard.judge(intent, None, None), RefuseRetry), each
        if memory.refused(name):
            continue
        result = make_result(status, reason)
        memory.note(name.lower(), name, status, reason, label_of(result))
        guard.sent(ticket, name, None)
        guard.learned(_outcome(ticket, name, result))


def _outcome(ticket: int, name: str, result: Any) -> Outcome:
    return Outcome(
        ticket=ticket,
        purpose="policy",
        requested=Requested(name),
        sent=None,
        connection=1,
        id=ticket,
        state=None,
        result=result,
        label=label_of(result),
        detail="",
        elapsed=0.0,
        answered=True,
    )


def test_a_failure_fades() -> None:
    """A failure counts fully in its moment, less with each one after, and not at all in the end; a success ends it."""
    memory = Memory()
    memory.see(1, 0)
    memory.note("attack", "PRIMARY_ATTACK", "FAILURE", "COOLDOWN", "environmental_constraint")
    seen = [memory.lately_failed("attack")]
    for tick in range(1, FADES + 1):
        memory.see(1, tick)
        seen.append(memory.lately_failed("attack"))
    assert seen[0] == 1.0
    assert seen[-1] == 0.0
    assert seen == sorted(set(seen), reverse=True)
    memory.note("attack", "PRIMARY_ATTACK", "FAILURE", "COOLDOWN", "environmental_constraint")
    memory.note("attack", "PRIMARY_ATTACK", "SUCCESS", "NONE", "positive")
    assert memory.lately_failed("attack") == 0.0


def test_a_moment_lasts_a_tick() -> None:
    """States of one tick are one moment; what was tried in it counts as tried until the next."""
    memory = Memory()
    memory.see(1, 7)
    memory.note("move:east:1", "MOVE", "SUCCESS", "NONE", "positive")
    memory.see(1, 7)
    assert memory.just_tried("move:east:0.2")
    assert not memory.just_tried("move:west:1")
    memory.see(1, 8)
    assert not memory.just_tried("move:east:1")
