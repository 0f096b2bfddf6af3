"""What a pilot remembers: its retries are counted as the bridge counts them, and failures fade."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from volition.execution.door.guard import Guard, RefuseRetry
from volition.execution.wire.intents import CANONICAL, AnyIntent, Move, PrimaryAttack, Stop
from volition.execution.wire.results import make_result
from volition.execution.worlds.pilot.view import FADES, AttemptMemory

RESULTS = st.sampled_from(
    [
        ("SUCCESS", "NONE"),
        ("PARTIAL", "BLOCKED"),
        ("FAILURE", "BLOCKED"),
        ("FAILURE", "COOLDOWN"),
    ]
)
RUNS = st.lists(
    st.tuples(
        st.sampled_from([Move((1, 0, 0)), Move((1, 0.1, 0)), Move((0, 1, 0)), Stop()]), RESULTS, st.integers(1, 5)
    ),
    max_size=8,
)
"""What is attempted, with which outcome, and how often in a row."""


@pytest.mark.req("EX-08")
@given(RUNS)
@example([(Move((1, 0, 0)), ("FAILURE", "BLOCKED"), 3), (Move((1, 0, 0)), ("FAILURE", "COOLDOWN"), 2)])
def test_a_pilot_asks_for_nothing_that_the_bridge_would_refuse(runs: list[tuple[AnyIntent, Any, int]]) -> None:
    """Whatever was attempted, with whatever outcome, an intent is vetoed exactly when the guard would refuse it."""
    memory, guard = AttemptMemory(), Guard()
    attempts = [(intent, result) for intent, result, times in runs for _ in range(times)]
    for ticket, (intent, (status, reason)) in enumerate(attempts, 1):
        for each in CANONICAL:
            other = intent if each == "MOVE" else CANONICAL[each]()  # type: ignore[call-arg]
            assert bool(memory.refusal(other)) == isinstance(guard.judge(other, None, None), RefuseRetry), each
        result = make_result(status, reason)
        refused = bool(memory.refusal(intent))
        memory.note(intent.name.lower(), intent, result, sent=not refused)
        if not refused:
            guard.note_sent(ticket, intent, None)
            guard.note_result(ticket, None, result)


def test_a_failure_fades() -> None:
    """A failure counts fully in its moment, less with each one after, and not at all in the end; a success ends it."""
    memory = AttemptMemory()
    memory.see(1, 0)
    memory.note("attack", PrimaryAttack(), make_result("FAILURE", "COOLDOWN"))
    seen = [memory.failure_recency("attack")]
    for tick in range(1, FADES + 1):
        memory.see(1, tick)
        seen.append(memory.failure_recency("attack"))
    assert seen[0] == 1.0
    assert seen[-1] == 0.0
    assert seen == sorted(set(seen), reverse=True)
    memory.note("attack", PrimaryAttack(), make_result("FAILURE", "COOLDOWN"))
    memory.note("attack", PrimaryAttack(), make_result())
    assert memory.failure_recency("attack") == 0.0


def test_a_moment_lasts_a_tick() -> None:
    """States of one tick are one moment; what was tried in it counts as tried until the next."""
    memory = AttemptMemory()
    memory.see(1, 7)
    memory.note("move:east:1", Move((1, 0, 0)), make_result())
    memory.see(1, 7)
    assert memory.was_just_tried("move:east:0.2")
    assert not memory.was_just_tried("move:west:1")
    memory.see(1, 8)
    assert not memory.was_just_tried("move:east:1")
