"""Budgets: what is sent follows from the limits, the order of the names and the answers, as in a plain reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.minds.questions import PATIENT_S, rain
from volition.core.clock import ManualClock
from volition.core.errors import InvalidInput
from volition.minds import Budget, MindSituation, MindVote, Spending, Unanswered, ask_all

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-35")

LIMITS = st.none() | st.integers(0, 12)
ANSWERS = st.tuples(st.sampled_from(["answers", "late", "unreachable", "silent"]), st.integers(0, 4))
TICKS = st.lists(st.dictionaries(st.sampled_from("abcd"), ANSWERS, min_size=1), max_size=8)


def mind_of(tick: dict[str, tuple[str, int]], called: list[str]) -> Any:
    """A mind that does what its tick says for whoever it decides."""

    def mind(situation: MindSituation) -> MindVote:
        called.append(situation.who)
        way, tokens = tick[situation.who]
        if way == "answers":
            return MindVote("stay", tokens=tokens)
        raise Unanswered(way, "as it was told", tokens=tokens)  # type: ignore[arg-type]

    return mind


def expected(ticks: list[dict[str, tuple[str, int]]], calls: int | None, tokens: int | None) -> list[list[str]]:
    """What each tick comes to, by name: counted one question after the other, in plain words."""
    used_calls = used_tokens = 0
    misses = dict.fromkeys("abcd", 0)
    found = []
    for tick in ticks:
        row, cost = [], 0
        for who in sorted(tick):
            way, price = tick[who]
            if misses[who] == 3:
                row.append("unreachable")
            elif (calls is not None and used_calls >= calls) or (tokens is not None and used_tokens >= tokens):
                row.append("over_budget")
            else:
                used_calls += 1
                cost += price
                row.append("" if way == "answers" else way)
                misses[who] = misses[who] + 1 if way in {"late", "unreachable"} else 0
        used_tokens += cost
        found.append(row)
    return found


@given(ticks=TICKS, calls=LIMITS, tokens=LIMITS)
def test_the_budget_is_a_plain_count(
    ticks: list[dict[str, tuple[str, int]]], calls: int | None, tokens: int | None
) -> None:
    """Fallbacks, calls and tokens are those of a reference that counts by hand, and nobody else is called."""
    spending, called = Spending(Budget(calls, tokens)), list[str]()
    found, paid = [], 0
    for tick in ticks:
        minds = dict.fromkeys(tick, mind_of(tick, called))
        asked = ask_all(minds, {who: rain(who) for who in tick}, deadline_s=PATIENT_S, spending=spending)
        found.append([one.fallback for one in asked.values()])
        paid += sum(one.tokens for one in asked.values())
    assert found == expected(ticks, calls, tokens)
    assert (spending.calls, spending.tokens) == (len(called), paid)
    assert calls is None or spending.calls <= calls


@given(pauses=st.lists(st.integers(0, 5), max_size=10), limit=st.integers(0, 12))
def test_seconds_are_those_of_the_clock(pauses: list[int], limit: int) -> None:
    """A question is sent while less than the limit was waited, and answered in time if it fits into what is left."""
    clock, spending = ManualClock(), Spending(Budget(seconds=limit))
    found, expected = list[str](), list[str]()
    waited = misses = 0
    for pause in pauses:

        def mind(situation: MindSituation, pause: int = pause) -> MindVote:
            clock.advance(pause)
            return MindVote("stay")

        if misses == 3:
            expected.append("unreachable")
        elif waited >= limit:
            expected.append("over_budget")
        else:
            fits = pause <= min(4, limit - waited)
            expected.append("" if fits else "late")
            misses = 0 if fits else misses + 1
            waited += pause
        asked = ask_all({"ada": mind}, {"ada": rain()}, deadline_s=4, spending=spending, clock=clock)
        found.append(asked["ada"].fallback)
    assert found == expected
    assert spending.seconds == waited


@pytest.mark.parametrize("limits", [{"calls": -1}, {"tokens": 1.5}, {"seconds": float("inf")}, {"calls": True}])
def test_a_budget_is_made_of_limits(limits: dict[str, Any], told: Told) -> None:
    """A limit is a number that can be reached."""
    with told.raises(InvalidInput):
        Budget(**limits)
