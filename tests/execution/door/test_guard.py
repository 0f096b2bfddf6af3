"""The guard: seven intents and no other, and a failing one no more than three times again."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from math import atan2, cos, degrees, hypot, radians, sin
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.wire.test_intents import JSON
from volition.execution import Evade, Jump, Move, Stop, make_result
from volition.execution.door.guard import Admit, Guard, Intercept, RefuseRetry, Wait, alike
from volition.execution.wire.intents import CANONICAL, CanonicalIntent, intent_problems
from volition.execution.wire.results import FailureReason, Result, Status

if TYPE_CHECKING:
    from tests.sentences import Told

AGENTS = ("hero", None)
RESULTS = [
    make_result("SUCCESS"),
    make_result("PARTIAL"),
    make_result("PARTIAL", "BLOCKED"),
    make_result("FAILURE", "BLOCKED"),
    make_result("FAILURE", "COOLDOWN"),
]


def towards(degrees: float, length: float = 1.0) -> Move:
    """A MOVE in a direction of the compass."""
    return Move((length * cos(radians(degrees)), length * sin(radians(degrees)), 0.0))


INTENTS = (
    Jump(),
    Evade(),
    Stop(),
    *(towards(degrees) for degrees in (0, 10, 20, 90)),
    towards(5, 9.0),
    Move((0, 0, 0)),
)


@dataclass(frozen=True)
class Tried:
    ticket: int
    agent: str | None
    intent: CanonicalIntent


@dataclass(frozen=True)
class Heard:
    ticket: int
    result: Result


def same(one: CanonicalIntent, other: CanonicalIntent) -> bool:
    """Whether two intents are one attempt, by the angle between them."""
    if not (isinstance(one, Move) and isinstance(other, Move)):
        return type(one) is type(other)
    a, b = one.vector, other.vector
    if not any(a) or not any(b):
        return any(a) == any(b)
    across = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return degrees(atan2(hypot(*across), sum(x * y for x, y in zip(a, b, strict=True)))) <= 15


def fails(result: Result) -> bool:
    return result.status != "SUCCESS" and result.failure_reason != "NONE"


def row_of(history: list[Tried | Heard], agent: str | None) -> tuple[list[Tried], list[Result]]:
    """The newest attempts of an agent that are the same as the first of them, and what was heard of them, in order."""
    row: list[Tried] = []
    heard: list[tuple[int, Result]] = []
    for event in history:
        if isinstance(event, Heard):
            heard += [(event.ticket, event.result)] if event.ticket in {each.ticket for each in row} else []
        elif event.agent == agent:
            over = len(heard) == len([each for each in row if each.intent != Stop()])
            over = over and not (heard and fails(heard[-1][1]))
            if over or not same(row[0].intent, event.intent):
                row, heard = [], []
            row.append(event)
    return row, [result for _, result in heard]


def rule_of(history: list[Tried | Heard], intent: CanonicalIntent, agent: str | None, retries: int) -> str:
    """The rule of retries, read from the whole history each time."""
    row, heard = row_of(history, agent)
    if isinstance(intent, Stop) or not row or not same(row[0].intent, intent):
        return "Admit"
    in_a_row = 0
    for result in reversed(heard):
        if not fails(result) or result.failure_reason != heard[-1].failure_reason:
            break
        in_a_row += 1
    if in_a_row > retries:
        return "RefuseRetry"
    return "Admit" if in_a_row + len(row) - len(heard) <= retries else "Wait"


MOVES = st.lists(
    st.tuples(
        st.sampled_from(AGENTS),
        st.sampled_from(INTENTS),
        st.one_of(st.none(), st.tuples(st.integers(0, 99), st.sampled_from(RESULTS))),
    ),
    max_size=40,
)


@pytest.mark.req("EX-08")
@given(MOVES, st.integers(0, 4))
def test_the_rule_of_retries_is_the_plain_one(
    moves: list[tuple[str | None, CanonicalIntent, tuple[int, Result] | None]], retries: int
) -> None:
    """Whatever is asked, sent and answered in whatever order, the guard says what the whole history says."""
    guard, history, open = Guard(retries), list[Tried | Heard](), list[Tried]()
    for ticket, (agent, intent, news) in enumerate(moves):
        if news and open:
            one, result = open.pop(news[0] % len(open)), news[1]
            guard.note_result(one.ticket, one.agent, result)
            history.append(Heard(one.ticket, result))
        verdict = guard.judge(intent, None, agent)
        assert type(verdict).__name__ == rule_of(history, intent, agent, retries)
        if isinstance(verdict, Admit):
            guard.note_sent(ticket, intent, agent)
            history.append(Tried(ticket, agent, intent))
            if not isinstance(intent, Stop):
                open.append(Tried(ticket, agent, intent))


def fail(
    guard: Guard, *intents: CanonicalIntent, status: Status = "FAILURE", reason: FailureReason = "BLOCKED"
) -> None:
    """Send intents that fail, one after the other, each of which the guard must admit."""
    for ticket, intent in enumerate(intents):
        assert guard.judge(intent, None, None) == Admit(intent)
        guard.note_sent(ticket, intent, None)
        guard.note_result(ticket, None, make_result(status, reason))


@pytest.mark.req("EX-08")
@pytest.mark.parametrize("reason", [reason for reason in get_args(FailureReason) if reason != "NONE"])
def test_a_failing_intent_is_tried_four_times_in_all(reason: FailureReason) -> None:
    """One attempt and three retries pass; the fifth is refused with the same reason, and stays refused."""
    guard = Guard()
    fail(guard, *(Move((float(n), 0.0, 0.0)) for n in range(1, 5)), reason=reason)
    move = Move((9, 0, 0))
    assert guard.judge(move, None, None) == guard.judge(move, None, None) == RefuseRetry(move, reason, 4)
    assert guard.judge(move, None, "other") == Admit(move)
    assert guard.judge("JUMP", None, None) == Admit(Jump())


@pytest.mark.req("EX-08")
def test_trembling_is_the_same_and_turning_away_is_not() -> None:
    """In front of a wall, jitter of up to 15 degrees to either side is the same attempt; what turns farther is
    another, and so are a MOVE to nowhere and one upwards."""
    guard = Guard()
    fail(guard, towards(0), towards(14), towards(-14, 3.0), towards(7, 0.01))
    for angle in (0, 15, -15):
        assert isinstance(guard.judge(towards(angle), None, None), RefuseRetry)
    away = (*map(towards, (16, -16, 90, 180)), Move((0, 0, 0)), Move((1, 0, 1)))
    for move in away:
        assert guard.judge(move, None, None) == Admit(move)
    guard.note_sent(9, towards(180), None)
    assert guard.judge(towards(0), None, None) == Admit(towards(0))


@pytest.mark.req("EX-08")
def test_a_refusal_says_what_ends_it(told: Told) -> None:
    """A refusal says how often the intent failed, why, and what may be sent instead."""
    guard = Guard()
    fail(guard, *[Jump()] * 4, reason="COOLDOWN")
    verdict = guard.judge(Jump(), None, None)
    assert isinstance(verdict, RefuseRetry)
    assert verdict == RefuseRetry(Jump(), "COOLDOWN", 4)
    told(verdict.detail, RefuseRetry(towards(0), "BLOCKED", 4).detail)


@pytest.mark.req("EX-08")
def test_what_failed_in_part_has_failed() -> None:
    """PARTIAL with a reason counts as the failure that it is, alone and among others; without one the count starts again."""
    guard = Guard()
    fail(guard, *[towards(0)] * 3)
    fail(guard, towards(0), status="PARTIAL")
    assert guard.judge(towards(0), None, None) == RefuseRetry(towards(0), "BLOCKED", 4)
    partial = Guard()
    fail(partial, *[towards(0)] * 4, status="PARTIAL")
    assert isinstance(partial.judge(towards(0), None, None), RefuseRetry)


@given(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 3))
def test_no_number_breaks_a_direction(vector: tuple[float, float, float]) -> None:
    """Any MOVE is like itself and, where it has a direction, unlike the one back; the largest and smallest included."""
    move = Move(vector)
    assert alike(move, move)
    back = Move(tuple(-number for number in vector))  # type: ignore[arg-type]
    assert alike(move, back) == (not any(vector))


@pytest.mark.req("EX-08")
@pytest.mark.parametrize(
    ("status", "reason", "intent"),
    [("SUCCESS", "NONE", Jump()), ("PARTIAL", "NONE", Jump()), ("FAILURE", "COOLDOWN", Jump()),
     ("FAILURE", "BLOCKED", Stop()), ("FAILURE", "BLOCKED", Evade())],
)  # fmt: skip
def test_what_begins_a_new_row(status: Status, reason: FailureReason, intent: CanonicalIntent) -> None:
    """Success, something done in part, another reason and another intent of the policy each begin a new count."""
    guard = Guard()
    for ticket in range(4):
        if ticket == 3:
            guard.note_sent(9, intent, None)
            guard.note_result(9, None, make_result(status, reason))
        guard.note_sent(ticket, Jump(), None)
        guard.note_result(ticket, None, make_result("FAILURE", "BLOCKED"))
    assert guard.judge("JUMP", None, None) == Admit(Jump())


@pytest.mark.req("EX-08")
def test_what_is_in_flight_counts_before_a_failure_is_known() -> None:
    """No more attempts are in flight than may fail in a row: the next one waits until it is known how they end."""
    guard = Guard()
    for ticket in range(4):
        assert guard.judge("JUMP", None, None) == Admit(Jump())
        guard.note_sent(ticket, Jump(), None)
    assert guard.judge("JUMP", None, None) == Wait(Jump())
    guard.note_result(0, None, make_result("FAILURE", "BLOCKED"))
    assert guard.judge("JUMP", None, None) == Wait(Jump())
    guard.note_result(1, None, make_result())
    assert guard.judge("JUMP", None, None) == Admit(Jump())


@pytest.mark.req("EX-08")
@given(st.lists(st.tuples(st.integers(0, 63), st.booleans()), max_size=120))
def test_a_full_window_fails_no_more_often_than_one_after_the_other(answers: list[tuple[int, bool]]) -> None:
    """However many similar intents a policy has in flight, and in whatever order they are answered, at most four fail in a
    row."""
    guard = Guard()
    open: list[int] = []
    tickets = count()
    in_a_row = 0
    for which, succeeds in answers:
        while len(open) < 64 and isinstance(guard.judge("JUMP", None, None), Admit):
            open.append(next(tickets))
            guard.note_sent(open[-1], Jump(), None)
        if not open:
            break
        result = make_result() if succeeds else make_result("FAILURE", "BLOCKED")
        guard.note_result(open.pop(which % len(open)), None, result)
        in_a_row = 0 if succeeds else in_a_row + 1
        assert in_a_row <= 4


@pytest.mark.req("EX-03", "EX-02")
@given(st.one_of(st.sampled_from([*CANONICAL]), st.text(max_size=12), JSON), st.one_of(st.none(), JSON))
def test_what_is_no_canonical_intent_is_intercepted(name: Any, parameters: Any) -> None:
    """A name and parameters are admitted exactly where they make a canonical intent, else every reason is given."""
    verdict = Guard().judge(name, parameters, None)
    problems = intent_problems(name, parameters)
    assert verdict == Intercept(problems) if problems else isinstance(verdict, Admit)


@pytest.mark.req("EX-03")
def test_no_object_makes_the_guard_raise() -> None:
    """An object that raises when inspected is intercepted like any other nonsense."""

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
