"""The quick way of a usual request and its answer is held to the general way: same events, same bytes."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.execution.door.doorway import Doorway
from tests.execution.test_intents import SEVEN
from tests.execution.wire import answer, limited, payload, state
from volition.execution import CANONICAL, Hold, Jump, Move, Release, encode, make_result
from volition.execution.codec import encode as general_line
from volition.execution.door.guard import Guard
from volition.execution.door.outbound import Outbound
from volition.execution.frames import IntentFrame
from volition.execution.intents import CanonicalIntent, read_intent
from volition.execution.session.open_intents import OpenIntents
from volition.execution.session.plain import plain_line

numbers = st.floats(allow_nan=False, allow_infinity=False)
intents: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([Jump(), Hold(), Release(), Jump(), *SEVEN, "DANCE", 7, None]),
    st.tuples(numbers, numbers, numbers).map(Move),
)
terms = st.fixed_dictionaries(
    {"ttl": st.sampled_from([0.5, 0.001, 2, 0.2])},
    optional={"agent": st.sampled_from([None, "hero"]), "based_on": st.sampled_from([None, 0, 5])},
)
answers = st.sampled_from(
    [
        payload(),
        payload(),
        make_result("FAILURE", "BLOCKED").to_data(),
        make_result("FAILURE", "COOLDOWN").to_data(),
        make_result("FAILURE", "INVALID_STATE").to_data(),
        payload(status="DONE"),
    ]
)
steps = st.one_of(
    st.tuples(st.just("ask"), intents, terms),
    st.tuples(st.just("ask"), intents, terms),
    st.tuples(st.just("answer"), st.integers(0, 3), answers, st.booleans(), st.sampled_from([None, None, "HOLD"])),
    st.tuples(st.just("answer"), st.integers(0, 3), answers, st.booleans(), st.none()),
    st.tuples(st.just("wait"), st.sampled_from([0.001, 0.3, 1.0])),
    st.tuples(st.just("state"), st.integers(0, 20)),
    st.tuples(st.just("insist"), st.sampled_from([Jump(), "JUMP", "HOLD"]), answers, st.integers(1, 6)),
    st.tuples(st.just("refresh")),
    st.tuples(st.just("lose")),
)


def play(script: list[Any], *, pieces: int) -> tuple[list[str], list[Any]]:
    """Go through a script; what was told and sent, and what was handed out."""
    way, given_out = Doorway(seed=3).ready(limited(max_inflight=3)), []
    tickets: list[int] = []
    asked: list[tuple[int, str]] = []
    seen = 0

    def gather() -> None:
        nonlocal asked
        asked += [(frame.id, frame.intent) for frame in way.out if isinstance(frame, IntentFrame)]

    for number, (kind, *what) in enumerate(script):
        if kind == "ask":
            tickets.append(way.ask(what[0], **what[1]))
            gather()
        elif kind == "answer" and asked:
            id, name = asked.pop(what[0] % len(asked))
            after = {"next_state": state(30 + number)} if what[2] else {}
            data = answer(id, what[3] or name, what[1], **after)
            for start in range(0, len(data), len(data) // pieces + 1):
                way.receive(data[start : start + len(data) // pieces + 1])
                gather()
        elif kind == "insist":
            for _ in range(what[2]):
                tickets.append(way.ask(what[0], ttl=0.5))
                for frame in [frame for frame in way.out if isinstance(frame, IntentFrame)]:
                    way.receive(answer(frame.id, frame.intent, what[1]))
                    gather()
        elif kind == "wait":
            way.wait(what[0])
            gather()
        elif kind == "state":
            seen += what[0]
            way.receive(encode(state(seen)))
        elif kind == "refresh":
            way.refresh()
        elif kind == "lose":
            way.end()
            asked.clear()
            way.now = max(way.now, way.door.dial_at or 0.0)
            way.ready(limited(max_inflight=3))
        given_out += [way.door.outcome(ticket) for ticket in tickets]
    return [repr(entry) for entry in way.record], given_out


def only_the_general_way() -> ExitStack:
    stack = ExitStack()
    stack.enter_context(mock.patch.object(Outbound, "request_plain", return_value=0))
    stack.enter_context(mock.patch.object(OpenIntents, "well_answered", return_value=None))
    return stack


@settings(max_examples=60)
@given(st.lists(steps, max_size=25), st.integers(1, 3))
def test_quick_is_general(script: list[Any], pieces: int) -> None:
    """Whatever is asked, answered or lost, the quick way tells, sends and hands out what the general way does."""
    quick = play(script, pieces=pieces)
    with only_the_general_way():
        assert play(script, pieces=1) == quick


def test_the_usual_exchange_takes_the_quick_way() -> None:
    """A canonical intent of an agent that has not failed is neither judged nor held, and its answer not looked up twice."""
    way = Doorway().ready()
    usual: tuple[CanonicalIntent | str, ...] = (Jump(), "HOLD", Move((1, 0, 0)))
    with (
        mock.patch.object(Guard, "judge", side_effect=AssertionError),
        mock.patch.object(OpenIntents, "objection", side_effect=AssertionError),
    ):
        for id, intent in enumerate(usual, start=3):
            ticket = way.ask(intent, ttl=0.5)
            way.receive(answer(id, intent if isinstance(intent, str) else intent.name))
            outcome = way.door.outcome(ticket)
            assert outcome is not None
            assert outcome.status == "SUCCESS"


@given(
    st.sampled_from(SEVEN),
    st.tuples(numbers, numbers, numbers),
    st.integers(1, 2**53 - 1),
    st.integers(1, 3_600_000),
    st.integers(0, 2**53 - 1),
)
def test_the_template_is_the_codec(name: str, vector: Any, id: int, ttl_ms: int, based_on: int) -> None:
    """A line from a template is the line that the codec writes, byte by byte."""
    intent = Move(vector) if CANONICAL[name] is Move else read_intent(name)
    frame = IntentFrame(id=id, intent=name, ttl_ms=ttl_ms, parameters=intent.parameters, based_on=based_on)
    assert plain_line(intent, id, ttl_ms, based_on) == general_line(frame)
