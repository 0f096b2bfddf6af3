"""Answers: the quick way takes exactly what the slow way takes, and the usual line takes the quick way."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.execution.hostile import HARMLESS, HOSTILE
from tests.execution.scribble import scribbled
from tests.execution.test_codec import states
from tests.execution.test_intents import SEVEN
from tests.execution.test_results import good_results
from tests.execution.wire import answer, limited, of, opened, payload, state
from volition.execution import FrameFault, Jump, Result, decode, encode
from volition.execution.frames import ResultFrame, StateFrame
from volition.execution.session import session as session_module
from volition.execution.session.answers import answer_of, good_answer
from volition.execution.session.events import Finished

pytestmark = pytest.mark.req("EX-04", "EX-17")

details = st.none() | st.just("EXPIRED") | st.sampled_from(["a:b", "é", '"', "", "\x7f"])
ids = st.sampled_from([1, 2, 3, 4, 5, 2**53 - 1])
results = st.builds(Result.to_data, good_results())
next_states = st.none() | st.just(state(3)) | states
good_frames = st.builds(
    ResultFrame, id=ids, intent=st.sampled_from(SEVEN), result=results, detail=details, next_state=next_states
)


def slowly(line: bytes) -> Any:
    """What the strict reader makes of a line: an answer without violations, or None."""
    try:
        frame = decode(line)
    except FrameFault:
        return None
    read = answer_of(frame, line, strict=True) if isinstance(frame, ResultFrame) else None
    return None if read is None or read.violations else read


def assert_same(line: bytes) -> None:
    quick = good_answer(line)
    assert quick is None or repr(quick) == repr(slowly(line))


@settings(max_examples=150)
@given(good_frames.flatmap(lambda frame: scribbled(encode(frame)[:-1])))
@example(answer(1).replace(b'"type":"result",', b"").replace(b"{", b'{"x":1,', 1)[:-1])
@example(
    answer(1, result=payload(metadata={"engine_timestamp": 0, "execution_time_ms": 2.5})).replace(
        b"2.5", b"9007199254740992"
    )[:-1]
)
@example(answer(1).replace(b'"id":1', b'"id":1,"id" :2')[:-1])
@example(answer(1).replace(b'"id":1', b'"id":1,"detail":null')[:-1])
@example(answer(1).replace(b'"result",', b'"goodbye",')[:-1])
@example(answer(1).replace(b'"v":1', b'"v":2')[:-1])
@example(answer(1, next_state=state(1, data="deep")).replace(b'"deep"', b"[" * 30 + b"]" * 30)[:-1])
@example(answer(1, next_state=state(1, data="deep")).replace(b'"deep"', b"[" * 31 + b"]" * 31)[:-1])
@example(answer(1, next_state=state(1)).replace(b'"seq":1', b'"seq":1,"seq":2')[:-1])
@example(answer(1, next_state=state(1, data="a:b")).replace(b'"seq":1', b'"seq":1,"seq" :2')[:-1])
def test_quick_is_slow(line: bytes) -> None:
    """Whatever is done to the line of a result, the quick way gives what the slow way gives, or leaves it alone."""
    assert_same(line)


@pytest.mark.parametrize("line", [*(line for _, line, _ in HOSTILE), *(line for _, line in HARMLESS)])
def test_the_corpus_is_no_answer(line: bytes) -> None:
    """No hostile line is an answer, nor one that holds a good result in a bad place."""
    assert good_answer(line) is None
    at = line.find(b"{") + 1
    if at:
        assert_same(line[:at] + answer(1)[1:-2] + b"," + line[at:])
        assert_same(answer(1)[:-2] + b"," + line[at:])


@given(good_results(), st.sampled_from(SEVEN), st.none() | st.just("EXPIRED"), st.none() | st.just(state(3)))
def test_the_usual_line_is_quick(
    result: Result, intent: str, detail: str | None, next_state: StateFrame | None
) -> None:
    """A good result as this package writes it, with its detail and its state, is never in doubt."""
    line = encode(ResultFrame(id=7, intent=intent, result=result, detail=detail, next_state=next_state))[:-1]
    huge = any(amount > 2**53 - 1 for amount in (result.outcomes.damage_dealt, result.outcomes.damage_received, result.metadata.execution_time_ms))  # fmt: skip
    assert (good_answer(line) is None) is huge
    assert_same(line)


@settings(max_examples=100)
@given(st.lists(good_frames.flatmap(lambda frame: scribbled(encode(frame)[:-1])), max_size=4), st.booleans())
def test_a_session_that_is_always_slow_says_the_same(arriving: list[bytes], strict: bool) -> None:
    """Without the quick way a session tells the same events and sends the same bytes."""

    def run() -> tuple[Any, ...]:
        session = opened(welcome=limited(max_inflight=8), strict=strict)
        for _ in range(3):
            session.send(Jump(), now=0, ttl=1)
        told = [session.receive(line.replace(b"\n", b" ") + b"\n", 0) for line in arriving]
        return repr(told), session.take(), session.state, session.wake_at

    quick = run()
    with mock.patch.object(session_module, "good_answer", return_value=None):
        assert run() == quick


def test_a_good_answer_takes_the_quick_way() -> None:
    """A session does not read the usual line twice."""
    session = opened()
    id = session.send(Jump(), now=0, ttl=1)
    with mock.patch.object(session._link, "read", side_effect=AssertionError):
        (finished,) = of(Finished, session.receive(answer(id, "JUMP"), 0))
    assert finished.payload == payload()
