"""Attempts from templates are held to those that are written field by field: same records, same bytes."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.execution.journal.journals import CONNECTED, answered
from tests.execution.test_results import good_results
from tests.execution.wire import answer, state
from volition.execution import Result, make_result
from volition.execution.door.outcome import Outcome, Requested
from volition.execution.intents import CanonicalIntent, Hold, Jump, Move, Stop
from volition.execution.journal.records import Attempt, parse
from volition.execution.journal.scribe import Scribe
from volition.execution.journal.templates import Templates
from volition.execution.reward import Reward

INTENTS: tuple[CanonicalIntent, ...] = (Hold(), Jump(), Stop(), Move((1, 0, 0)))
SAME, OTHER = state(4), state(5, episode=1)
NESTED = b', "more": {"a":1,"result":%b}}' % answer(1)[:-1]
"""A field that no frame has, and in it a result that is not the answer's."""
results = st.builds(
    make_result, engine_timestamp=st.integers(-(2**53) + 1, 2**53 - 1), execution_time_ms=st.floats(0, 1e6)
)
unusual = st.fixed_dictionaries(
    {},
    optional={
        "result": st.one_of(
            good_results(),
            st.sampled_from(
                [
                    make_result(action_wasted=True),
                    make_result(damage_dealt=2.0),
                    make_result(damage_received=2.0),
                    make_result(is_alive=False),
                    make_result("FAILURE", "BLOCKED"),
                ]
            ),
        ),
        "intent": st.sampled_from(INTENTS),
        "parameters": st.just({}),
        "agent": st.just("hero"),
        "state": st.sampled_from([None, state(1, tick=9), OTHER]),
        "next_state": st.sampled_from([OTHER, state(4, tick=7)]),
        "purpose": st.just("fallback"),
        "connection": st.just(2),
        "detail": st.just("so"),
        "extra": st.just({"result": 1}),
        "nested": st.just(True),
    },
)


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    """Two of three are usual; the others differ from these in a few ways."""
    odd: dict[str, Any] = draw(unusual) if draw(st.integers(0, 2)) == 0 else {}
    odd.setdefault("result", draw(results))
    odd.setdefault("next_state", draw(st.sampled_from([None, SAME])))
    return attempt(draw(st.integers(1, 2**40)), elapsed=draw(st.floats(0, 10)), **odd)


def attempt(ticket: int, *, elapsed: float = 0.0, **odd: Any) -> Outcome:
    """A usual attempt but for what is given."""
    result: Result = odd.get("result") or make_result()
    intent = odd.get("intent", Hold())
    after = odd.get("next_state")
    detail: str = odd.get("detail", "")
    said = result.to_data() | ({"extra": odd["extra"]} if "extra" in odd else {})
    more = ({} if after is None else {"next_state": after}) | ({"detail": detail} if detail else {})
    line = answer(7, intent.name, said, **more)[:-1]
    return answered(
        ticket,
        result,
        purpose=odd.get("purpose", "policy"),
        requested=Requested(intent.name, odd.get("parameters"), odd.get("agent")),
        sent=intent,
        state=odd.get("state", state(1)),
        next_state=after,
        connection=odd.get("connection", 1),
        line=line[:-1] + NESTED if "nested" in odd else line,
        detail=detail,
        elapsed=elapsed,
    )


def written(told: list[Outcome], **terms: Any) -> list[bytes]:
    scribe = Scribe(**terms)
    scribe.begin(1, {})
    scribe.write(CONNECTED)
    for event in told:
        scribe.write(event)
    scribe.end()
    return scribe.out


def constant(outcome: Outcome) -> Reward:
    """A reward of somebody's own, which sees more than the usual one does."""
    return Reward.of({"ticket": -float(outcome.ticket)})


@settings(max_examples=50)
@given(st.lists(outcomes(), max_size=12), st.sampled_from([{}, {"reward": constant}]))
def test_filled_is_written(told: list[Outcome], terms: dict[str, Any]) -> None:
    """With and without templates a scribe writes the same records, byte by byte."""
    filled = written(told, **terms)
    with mock.patch.object(Templates, "fill", return_value=None):
        assert written(told, **terms) == filled


@pytest.mark.parametrize(
    "odd",
    [
        {"result": make_result(action_wasted=True)},
        {"result": make_result(damage_dealt=2.0)},
        {"result": make_result(damage_received=2.0)},
        {"result": make_result(is_alive=False)},
        {"next_state": OTHER},
        {"next_state": state(1, tick=7)},
        {"state": state(1, tick=7)},
        {"state": None},
        {"parameters": {}},
        {"agent": "hero"},
        {"detail": "so"},
        {"extra": 1},
    ],
    ids=str,
)
def test_what_is_odd_is_not_filled_in(odd: dict[str, Any]) -> None:
    """Whatever sets an attempt apart from those before it stands in its record."""
    told = [attempt(1), attempt(2, next_state=SAME), attempt(3, **odd), attempt(4, **({"next_state": SAME} | odd))]
    filled = written(told)
    with mock.patch.object(Templates, "fill", return_value=None):
        assert written(told) == filled


def test_the_usual_attempt_is_filled_in() -> None:
    """Of attempts that are alike only the first is written field by field, next states or not."""
    usual: dict[str, Any] = {"requested": Requested("HOLD"), "sent": Hold()}
    told = []
    for ticket in range(1, 9):
        after = state(5) if ticket % 2 else None
        more = {} if after is None else {"next_state": after}
        line = answer(ticket, "HOLD", make_result().to_data(), **more)[:-1]
        told.append(answered(ticket, next_state=after, line=line, **usual))
    with mock.patch("volition.execution.journal.scribe.Attempt", wraps=Attempt) as general:
        bodies = written(told)
    assert general.call_count == 2
    attempts = [record for record in map(parse, bodies) if isinstance(record, Attempt)]
    assert [attempt.ticket for attempt in attempts] == list(range(1, 9))
    assert {attempt.reward for attempt in attempts} == {0.05}
