"""The codec: each side reads what the other writes, and nothing else is a frame."""

from __future__ import annotations

import contextlib
import json
import math
import pickle
from itertools import pairwise
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.execution.hostile import HARMLESS, HOSTILE
from tests.execution.scribble import scribbled, slowly_read
from tests.execution.wire.samples import WELCOME, answer, payload, state
from tests.execution.wire.test_intents import SEVEN
from volition.execution.wire import frames as f
from volition.execution.wire.codec import MAX_DEPTH, MAX_FRAME, FrameFault, Lines, decode, encode, read_object
from volition.execution.wire.session.handshake import Offer

pytestmark = pytest.mark.req("EX-17")

ids = st.integers(1, 2**53 - 1)
counts = st.integers(0, 2**53 - 1)
texts = st.text(st.characters(codec="utf-8"), max_size=12)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
data = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
maybe_agent = st.none() | names
states = st.builds(
    f.StateFrame, seq=counts, tick=counts, episode=counts, full=st.booleans(), data=data, id=st.none() | ids, agent=maybe_agent
)  # fmt: skip
every_frame: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([WELCOME, Offer(token="t", state_schema=WELCOME.state_schema).hello()]),
    st.builds(f.Reject, code=st.sampled_from(get_args(f.RejectCode)), message=texts, supported=st.just("1.2.3")),
    st.builds(
        f.IntentFrame, id=ids, intent=st.sampled_from(SEVEN), ttl_ms=st.integers(1, 3_600_000),
        parameters=st.dictionaries(texts, data, max_size=3), based_on=st.none() | counts, agent=maybe_agent,
    ),
    st.builds(f.ResultFrame, id=ids, intent=texts, result=data, detail=st.none() | texts, next_state=st.none() | states),
    st.builds(f.Progress, id=ids, stage=st.sampled_from(["started", "moving", "cancelling"]), done=st.none() | st.floats(0, 1)),
    st.builds(f.Cancel, id=ids),
    st.builds(f.StateRequest, id=ids, full=st.booleans(), agent=maybe_agent),
    st.builds(f.Reset, id=ids, seed=counts),
    states,
    st.builds(f.GameEvent, name=names, tick=counts, data=data, id=st.none() | ids, agent=maybe_agent),
    st.builds(f.Ping, n=counts),
    st.builds(f.Pong, n=counts, tick=st.none() | counts, open=st.lists(ids, max_size=3).map(tuple)),
    st.builds(f.ErrorFrame, code=names, message=texts, id=st.none() | ids),
    st.builds(f.Goodbye, reason=texts),
    st.builds(f.ProbeRead, id=ids),
    st.builds(
        f.ProbeSight, id=ids, sight=st.dictionaries(texts, data, max_size=3), precision=st.floats(0, 1),
        ways=st.lists(st.tuples(*[st.floats(-9, 9)] * 3), max_size=2).map(tuple),
    ),
)  # fmt: skip


@given(every_frame)
def test_round_trip(frame: f.Frame) -> None:
    """Every frame is one line of JSON with v and type, and reads back to itself."""
    line = encode(frame)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line)["v"] == 1
    assert decode(line) == decode(line[:-1]) == frame


def test_every_type_of_frame_is_tried() -> None:
    """The strategy above makes each member of the union: a new one cannot be forgotten."""
    made = {"Hello", "Welcome", "Reject", "IntentFrame", "ResultFrame", "Progress", "Cancel", "StateRequest", "Reset",
            "StateFrame", "GameEvent", "Ping", "Pong", "ErrorFrame", "Goodbye", "ProbeRead", "ProbeSight"}  # fmt: skip
    assert {member.__name__ for member in get_args(f.Frame)} == made


@given(every_frame, st.dictionaries(texts.map(lambda text: f"x-{text}"), data, max_size=3))
def test_unknown_fields_are_ignored(frame: f.Frame, more: dict[str, Any]) -> None:
    """A field that a later minor version adds changes nothing for this one."""
    wide = json.dumps({**json.loads(encode(frame)), **more}, ensure_ascii=False).encode()
    assert decode(wide) == frame


def test_hostile_lines() -> None:
    """Each rule that a line breaks has its code, and FrameFault is all that is ever raised."""
    for name, line, code in HOSTILE:
        found: list[str] = []
        try:
            decode(line)
        except FrameFault as fault:
            found = [fault.code, pickle.loads(pickle.dumps(fault)).code]
        assert found == [code, code], name


def test_harmless_lines() -> None:
    """What only looks bad is a frame, and reads back to itself."""
    for name, line in HARMLESS:
        assert decode(encode(decode(line))) == decode(line), name


@settings(max_examples=100)
@given(every_frame.flatmap(lambda frame: scribbled(encode(frame)[:-1])))
@example(answer(1).replace(b'"type":"result",', b"").replace(b"{", b'{"x":1,', 1)[:-1])
@example(answer(1).replace(b'"execution_time_ms":2.5', b'"execution_time_ms":9007199254740992')[:-1])
@example(answer(1).replace(b'"id":1', b'"id":1,"id" :2')[:-1])
@example(answer(1).replace(b'"id":1', b'"id":1,"detail":null')[:-1])
@example(answer(1, next_state=state(1, data="deep")).replace(b'"deep"', b"[" * 30 + b"]" * 30)[:-1])
@example(answer(1, next_state=state(1, data="deep")).replace(b'"deep"', b"[" * 31 + b"]" * 31)[:-1])
@example(answer(1, next_state=state(1)).replace(b'"seq":1', b'"seq":1,"seq":2')[:-1])
@example(answer(1, next_state=state(1, data="a:b")).replace(b'"seq":1', b'"seq":1,"seq" :2')[:-1])
@example(b'{"a":' + b"[" * 1010 + b"]" * 1010 + b' ,"a":1}')
def test_a_line_is_read_as_a_slow_reader_reads_it(line: bytes) -> None:
    """Whatever is done to a line, it is taken or refused as a slow and obvious reader does, with the same data."""
    expected = slowly_read(line)
    try:
        found: Any = read_object(line)
    except FrameFault:
        found = None
    assert repr(found) == repr(expected)


def test_the_corpus_is_read_as_a_slow_reader_reads_it() -> None:
    """The corpus too is taken or refused as the slow reader does."""
    for name, line in [*((name, line) for name, line, _ in HOSTILE), *HARMLESS]:
        expected = slowly_read(line)
        try:
            found: Any = read_object(line)
        except FrameFault:
            found = None
        assert repr(found) == repr(expected), name


@given(every_frame, st.data())
def test_broken_frames_raise_nothing_else(frame: f.Frame, draw: st.DataObject) -> None:
    """Any frame with some bytes changed, cut or put in is a frame or a FrameFault."""
    line = bytearray(encode(frame)[:-1])
    for _ in range(draw.draw(st.integers(1, 3))):
        at = draw.draw(st.integers(0, len(line)))
        line[at : at + draw.draw(st.integers(0, 3))] = draw.draw(
            st.binary(max_size=3) | st.sampled_from([b'"', b"{", b",", b"1e999"])
        )
    with contextlib.suppress(FrameFault):
        again = decode(bytes(line).replace(b"\n", b" "))
        assert decode(encode(again)) == again


@given(st.text(max_size=8), st.text(max_size=8), st.sampled_from([b'":', b'" :', b'":"', b'\\":']))
def test_what_looks_like_a_key_is_none(one: str, two: str, trap: bytes) -> None:
    """Text that looks like the end of a key does not make a line invalid, and hides no duplicate key."""
    line = json.dumps({"v": 1, "type": "event", "name": "x", "tick": 0, "data": {"k": [one, two, trap.decode()]}})
    if any("\ud800" <= character <= "\udfff" for character in one + two):
        return
    assert decode(line.encode())
    twice = line.replace('"tick": 0', '"tick": 0, "tick": 0')
    with pytest.raises(FrameFault) as caught:
        decode(twice.encode())
    assert caught.value.code == "duplicate_key"


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=8), st.integers(1, 20))
def test_any_cut_of_the_stream_gives_the_same_lines(stream: bytes, cuts: list[int], limit: int) -> None:
    """Lines, the loss of the stream and what is pending do not depend on the pieces."""
    stream = stream.replace(b"\x00", b"\n")
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    whole, pieces = Lines(limit), Lines(limit)
    expected = list(whole.feed(stream))
    found = [line for a, b in pairwise(edges) for line in pieces.feed(stream[a:b])]
    assert found == expected
    assert (pieces.overrun, pieces.pending) == (whole.overrun, whole.pending)
    plain = stream.split(b"\n")
    fitting = next((n for n, line in enumerate(plain) if len(line) > limit), None)
    assert found == (plain[:-1] if fitting is None else plain[:fitting])
    assert whole.overrun is (fitting is not None)


def test_a_whole_line_in_one_piece() -> None:
    """A read that is exactly one line meets the same limit as any other, and nothing comes after an overrun."""
    lines = Lines(4)
    assert [list(lines.feed(piece)) for piece in (b"1234\n", b"\n", b"12", b"34\n")] == [
        [b"1234"],
        [b""],
        [],
        [b"1234"],
    ]
    assert list(lines.feed(b"12345\n")) == []
    assert lines.overrun
    assert [list(lines.feed(piece)) for piece in (b"1\n", b"", b"1\n2\n")] == [[], [], []]


@pytest.mark.parametrize(
    "wrong",
    [math.nan, math.inf, 2**53, {1: 2}, {"a": {1, 2}}, b"bytes", "\ud800", object()],
    ids=lambda value: type(value).__name__,
)
def test_what_the_wire_cannot_hold_is_not_written(wrong: Any) -> None:
    """No side writes what the other would have to refuse, at any depth."""
    for frame in (state(data=wrong), f.ResultFrame(id=1, intent="STOP", result=payload(outcomes=[wrong]))):
        with pytest.raises(FrameFault):
            encode(frame)
    with pytest.raises(FrameFault):
        encode(f.ResultFrame(id=1, next_state=state(data=wrong)))


def test_limits_are_met_exactly() -> None:
    """The longest line and the deepest data pass both ways, and one more does not."""
    longest = f.Goodbye(reason="x" * (MAX_FRAME - len(encode(f.Goodbye(reason="x"))) + 2))
    assert decode(encode(longest)) == longest
    assert len(encode(longest)) == MAX_FRAME + 1
    with pytest.raises(FrameFault):
        encode(msgspec.structs.replace(longest, reason=longest.reason + "x"))
    nested: Any = 0
    for _ in range(MAX_DEPTH - 1):
        nested = [nested]
    assert decode(encode(state(data=nested))) == state(data=nested)
    with pytest.raises(FrameFault) as caught:
        encode(state(data=[nested]))
    assert caught.value.code == "too_deep"


def test_a_token_is_not_shown() -> None:
    """Neither an offer nor a greeting prints its token."""
    offer = Offer(token="open sesame")
    assert "sesame" not in repr(offer) + repr(offer.hello())
