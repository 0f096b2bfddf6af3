"""The guard: seven intents and no other, and a failing one no more than three times again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.test_intents import JSON
from volition.execution import CANONICAL, Jump, Move, Stop, make_result
from volition.execution.door.guard import Admit, Guard, Intercept, RefuseRetry, Wait
from volition.execution.door.outcome import Outcome, Requested
from volition.execution.intents import intent_problems
from volition.execution.results import FailureReason, Result, Status, label_of

AGENTS = ("hero", None)
NAMES = ("JUMP", "EVADE", "STOP")
RESULTS = [
    make_result("SUCCESS"),
    make_result("PARTIAL", "BLOCKED"),
    make_result("FAILURE", "BLOCKED"),
    make_result("FAILURE", "COOLDOWN"),
]


def outcome(ticket: int, name: str, agent: str | None, result: Result) -> Outcome:
    sent = None if name == "nothing" else (Stop() if name == "STOP" else Jump())
    label = label_of(result)
    return Outcome(ticket, "policy", Requested(name, None, agent), sent, 1, ticket, None, result, label, "", 0.0, True)


@dataclass(frozen=True)
class Tried:
    ticket: int
    agent: str | None
    name: str


@dataclass(frozen=True)
class Heard:
    ticket: int
    result: Result


def plainly(history: list[Tried | Heard], name: str, agent: str | None, retries: int) -> str:
    """The rule of retries, read from the whole history each time."""
    if name == "STOP":
        return "Admit"
    tried = [one for one in history if isinstance(one, Tried) and one.agent == agent]
    like_it = set()
    for attempt in reversed(tried):
        if attempt.name != name:
            break
        like_it.add(attempt.ticket)
    heard = [one for one in history if isinstance(one, Heard) and one.ticket in like_it]
    in_a_row = 0
    for one in reversed(heard):
        if one.result.status != "FAILURE" or one.result.failure_reason != heard[-1].result.failure_reason:
            break
        in_a_row += 1
    if in_a_row > retries:
        return "RefuseRetry"
    return "Admit" if not in_a_row or in_a_row + len(like_it) - len(heard) <= retries else "Wait"


MOVES = st.lists(
    st.tuples(
        st.sampled_from(AGENTS),
        st.sampled_from(NAMES),
        st.one_of(st.none(), st.tuples(st.integers(0, 99), st.sampled_from(RESULTS))),
    ),
    max_size=40,
)


@pytest.mark.req("EX-08")
@given(MOVES, st.integers(0, 4))
def test_the_rule_of_retries_is_the_plain_one(
    moves: list[tuple[str | None, str, tuple[int, Result] | None]], retries: int
) -> None:
    """Whatever is asked, sent and answered in whatever order, the guard says what the whole history says."""
    guard, history, open = Guard(retries), list[Tried | Heard](), list[Tried]()
    for ticket, (agent, name, news) in enumerate(moves):
        if news and open:
            one, result = open.pop(news[0] % len(open)), news[1]
            guard.learned(outcome(one.ticket, one.name, one.agent, result))
            history.append(Heard(one.ticket, result))
        verdict = guard.judge(name, None, agent)
        assert type(verdict).__name__ == plainly(history, name, agent, retries)
        if isinstance(verdict, Admit):
            guard.sent(ticket, name, agent)
            open.append(Tried(ticket, agent, name))
            history.append(open[-1])


@pytest.mark.req("EX-08")
@pytest.mark.parametrize("reason", [reason for reason in get_args(FailureReason) if reason != "NONE"])
def test_a_failing_intent_is_tried_four_times_in_all(reason: FailureReason) -> None:
    """One attempt and three retries pass; the fifth is refused with the same reason, and stays refused."""
    guard = Guard()
    for ticket in range(4):
        vector = (float(ticket), 0.0, 0.0)
        assert guard.judge(Move(vector), None, "hero") == Admit(Move(vector))
        guard.sent(ticket, "MOVE", "hero")
        guard.learned(outcome(ticket, "MOVE", "hero", make_result("FAILURE", reason)))
    move = Move((9, 9, 9))
    assert guard.judge(move, None, "hero") == guard.judge(move, None, "hero") == RefuseRetry(move, reason, 4)
    assert guard.judge(move, None, "other") == Admit(move)
    assert guard.judge("JUMP", None, "hero") == Admit(Jump())


@pytest.mark.req("EX-08")
@pytest.mark.parametrize(
    ("status", "reason", "name"),
    [("SUCCESS", "NONE", "JUMP"), ("PARTIAL", "NONE", "JUMP"), ("FAILURE", "COOLDOWN", "JUMP"), ("FAILURE", "BLOCKED", "STOP"),
     ("FAILURE", "BLOCKED", "EVADE")],
)  # fmt: skip
def test_what_begins_anew(status: Status, reason: FailureReason, name: str) -> None:
    """Success, something done in part, another reason and another intent of the policy each begin the count anew."""
    guard = Guard()
    for ticket in range(4):
        if ticket == 3:
            guard.sent(9, name, None)
            guard.learned(outcome(9, name, None, make_result(status, reason)))
        guard.sent(ticket, "JUMP", None)
        guard.learned(outcome(ticket, "JUMP", None, make_result("FAILURE", "BLOCKED")))
    assert guard.judge("JUMP", None, None) == Admit(Jump())


@pytest.mark.req("EX-08")
def test_what_is_in_flight_counts_once_a_failure_is_known() -> None:
    """Attempts that went out together before any failed are not held against anybody; then the rest wait."""
    guard = Guard()
    for ticket in range(6):
        assert guard.judge("JUMP", None, None) == Admit(Jump())
        guard.sent(ticket, "JUMP", None)
    guard.learned(outcome(0, "JUMP", None, make_result("FAILURE", "BLOCKED")))
    assert guard.judge("JUMP", None, None) == Wait(Jump())
    guard.learned(outcome(1, "JUMP", None, make_result()))
    assert guard.judge("JUMP", None, None) == Admit(Jump())


@pytest.mark.req("EX-03", "EX-02")
@given(st.one_of(st.sampled_from([*CANONICAL]), st.text(max_size=12), JSON), st.one_of(st.none(), JSON))
def test_what_is_no_canonical_intent_is_intercepted(name: Any, parameters: Any) -> None:
    """A name and parameters are admitted exactly where they make a canonical intent, else every reason is given."""
    verdict = Guard().judge(name, parameters, None)
    problems = intent_problems(name, parameters)
    assert verdict == Intercept(problems) if problems else isinstance(verdict, Admit)


@pytest.mark.req("EX-03")
def test_no_object_makes_the_guard_raise() -> None:
    """An object that breaks when it is looked at is intercepted like any other nonsense."""

    class Hostile(dict[str, Any]):
        def __iter__(self) -> Any:
            raise RuntimeError("no")

        def __str__(self) -> str:
            raise RuntimeError("no")

    nonsense: list[tuple[Any, Any]] = [
        (Hostile(), None),
        ("JUMP", Hostile()),
        (Hostile(), Hostile()),
        (Jump(), {}),
        (Jump, None),
    ]
    for name, parameters in nonsense:
        assert isinstance(Guard().judge(name, parameters, None), Intercept)
