"""The handshake: two-way, versioned, first, and with six different ways to fail."""

from __future__ import annotations

import hmac
from typing import Any

import msgspec
import pytest

from tests.execution.wire.samples import SCHEMA, WELCOME, Pair, lines, of, serving, state
from volition.execution import HandshakeFailed
from volition.execution.wire import frames as f
from volition.execution.wire.codec import decode, encode
from volition.execution.wire.frames import SPEC, Hello, Welcome
from volition.execution.wire.session import handshake
from volition.execution.wire.session.events import Closed, Ready
from volition.execution.wire.session.executor import ExecutorSession
from volition.execution.wire.session.handshake import (
    BadToken,
    NoAnswer,
    NothingListening,
    NotReady,
    Offer,
    SchemaMismatch,
    VersionMismatch,
)
from volition.execution.wire.session.session import Session

pytestmark = pytest.mark.req("EX-13")

OTHER = msgspec.structs.replace(SCHEMA, hash="b2" * 32)


def welcome(**changes: Any) -> f.Welcome:
    return msgspec.structs.replace(WELCOME, **changes)


def refused(session: Session, executor: ExecutorSession) -> HandshakeFailed:
    pair = Pair(session, executor)
    (closed,) = of(Closed, pair.exchange())
    assert closed.reason == "refused"
    assert closed.error is not None
    assert not of(Welcome, pair.told)
    assert not of(Hello, pair.heard)
    return closed.error


def test_six_failures_are_six_errors() -> None:
    """No two of the six causes share an error, and none is a kind of another."""
    six = {NothingListening, NoAnswer, VersionMismatch, SchemaMismatch, NotReady, BadToken}
    assert len(six) == 6
    assert all(kind.__bases__ == (HandshakeFailed,) for kind in six)


def test_the_executor_turns_a_bridge_down() -> None:
    """A wrong token, another schema and a world that is not loaded arrive as their own errors."""
    plain, token = Session(now=0), Offer(token="wrong")
    assert type(refused(Session(token, now=0), ExecutorSession(WELCOME, now=0, token="right"))) is BadToken
    assert type(refused(plain, ExecutorSession(WELCOME, now=0, token="right"))) is BadToken
    assert type(refused(Session(now=0), ExecutorSession(WELCOME, now=0, ready=False))) is NotReady
    picky = Session(Offer(state_schema=OTHER), now=0)
    assert type(refused(picky, ExecutorSession(WELCOME, now=0))) is SchemaMismatch


def test_a_schema_mismatch_says_what_differs() -> None:
    """Two schemas of one name and version are told apart by their hashes, whichever side notices."""
    mine = f.StateSchema(name=SCHEMA.name, version=SCHEMA.version, hash="b" * 64)
    theirs = f.StateSchema(name=SCHEMA.name, version=SCHEMA.version, hash="a" * 64)
    picky = Session(Offer(state_schema=mine), now=0)
    told = [str(refused(picky, ExecutorSession(welcome(state_schema=theirs), now=0)))]
    session = Session(Offer(state_schema=mine), now=0)
    (closed,) = of(Closed, session.receive(encode(welcome(state_schema=theirs)), 0))
    for words in [*told, str(closed.error)]:
        assert "(hash aaaaaaaaaaaa...)" in words
        assert "(hash bbbbbbbbbbbb...)" in words


@pytest.mark.parametrize("near", ["", "rig", "rightly", "right ", "Right", "right\0", "\u0440ight"])
def test_a_token_fits_whole_or_not_at_all(near: str) -> None:
    """Less of a token, more of it, or something that looks like it, is another token."""
    assert not handshake.same_token("right", near)
    assert type(refused(Session(Offer(token=near), now=0), ExecutorSession(WELCOME, now=0, token="right"))) is BadToken
    pair = Pair(Session(Offer(token="right"), now=0), ExecutorSession(WELCOME, now=0, token="right"))
    assert of(Ready, pair.exchange())


def test_checks_come_in_their_order() -> None:
    """Of several reasons the first of version, token, schema and readiness is given, so that no later one leaks."""
    hello = Offer(token="wrong", state_schema=OTHER).hello()
    told: list[str] = []
    for spec, token, schema in [
        ("2.0.0", "right", SCHEMA), ("1.0.0", "right", SCHEMA), ("1.0.0", "wrong", SCHEMA), ("1.0.0", "wrong", OTHER),
    ]:  # fmt: skip
        answer = handshake.answer_hello(hello, welcome(spec=spec, state_schema=schema), token=token, ready=False)
        assert isinstance(answer, f.Reject)
        told.append(answer.code)
    assert told == ["version", "token", "schema", "not_ready"]


@pytest.mark.parametrize("spec", ["2.0.0", "0.9.0", "10.0.0"])
def test_the_major_version_must_match(spec: str) -> None:
    """Another major version is refused by whichever side sees it first."""
    executor = ExecutorSession(welcome(spec=spec), now=0)
    assert type(refused(Session(now=0), executor)) is VersionMismatch
    session = Session(now=0)
    (closed,) = of(Closed, session.receive(encode(welcome(spec=spec)), 0))
    assert type(closed.error) is VersionMismatch


@pytest.mark.parametrize("spec", ["1.0.0", "1.7.3"])
def test_the_minor_version_may_differ(spec: str) -> None:
    """Within a major version both sides go on."""
    pair = Pair(executor=ExecutorSession(welcome(spec=spec), now=0))
    assert of(Ready, pair.exchange())


def test_another_wire_is_another_version() -> None:
    """A frame of another version of the wire, in the greeting, is a version mismatch on both sides."""
    session, executor = Session(now=0), ExecutorSession(WELCOME, now=0)
    (closed,) = of(Closed, session.receive(b'{"v":2,"type":"welcome"}\n', 0))
    assert type(closed.error) is VersionMismatch
    executor.receive(b'{"v":2,"type":"hello"}\n', 0)
    (answer,) = lines(executor.take())
    assert isinstance(answer, f.Reject)
    assert (answer.code, answer.supported, executor.phase) == ("version", SPEC, "closed")


def test_the_bridge_checks_for_itself() -> None:
    """A welcome with other states, without STOP, or with intents that nobody knows is not trusted."""
    for answer, error in [
        (WELCOME, SchemaMismatch),
        (welcome(intents=("MOVE",), state_schema=OTHER), VersionMismatch),
        (welcome(intents=("STOP", "DANCE"), state_schema=OTHER), VersionMismatch),
    ]:
        session = Session(Offer(state_schema=OTHER), now=0)
        session.take()
        (closed,) = of(Closed, session.receive(encode(answer), 0))
        assert type(closed.error) is error
        assert [type(frame) for frame in lines(session.take())] == [f.Goodbye]


@pytest.mark.parametrize("noise", [b"", b"HTTP/1.1 400 Bad Request\n", b'{"v":1,"type":"state"'])
def test_silence_is_no_answer(noise: bytes) -> None:
    """An executor that does not answer in this protocol within the time is given up, and the error mentions noise."""
    session = Session(now=0)
    session.receive(noise, 0)
    assert session.wake_at == 5.0
    assert session.poll(4.99) == []
    (closed,) = session.poll(5.0)
    assert isinstance(closed, Closed)
    assert type(closed.error) is NoAnswer
    assert ("1 unreadable" in str(closed.error)) is noise.endswith(b"\n")


@pytest.mark.parametrize("how", ["eof", "reset", "goodbye"])
def test_an_end_in_the_greeting_is_no_answer(how: Any) -> None:
    """A connection that ends before the welcome is reported as such."""
    session = Session(now=0)
    told = session.receive(encode(f.Goodbye()), 0) if how == "goodbye" else session.end(0, how)
    (closed,) = of(Closed, told)
    assert closed.reason == how
    assert type(closed.error) is NoAnswer


def test_nothing_precedes_the_handshake() -> None:
    """Before the welcome the bridge sends its greeting alone; before the greeting the executor does nothing."""
    session = Session(now=0)
    (hello,) = lines(session.take())
    assert isinstance(hello, f.Hello)
    noise = encode(state(3)) + b"?\n" + encode(f.Ping(n=4)) + encode(f.ResultFrame(id=1, intent="STOP"))
    session.receive(noise, 0)
    assert {type(frame) for frame in lines(session.take())} == {f.Pong, f.ErrorFrame}

    executor = ExecutorSession(WELCOME, now=0)
    early = encode(f.IntentFrame(id=1, intent="JUMP", ttl_ms=100)) + encode(f.StateRequest(id=2, full=True))
    assert executor.receive(early, 0) == []
    assert executor.take_attempt(0) is None
    assert [frame.code for frame in lines(executor.take()) if isinstance(frame, f.ErrorFrame)] == ["out_of_order"] * 2
    executor.poll(5.0)
    assert executor.phase == "closed"


def test_features_are_what_both_have() -> None:
    """A feature that one side lacks is used by neither."""
    pair = Pair(Session(Offer(features=("progress", "magic")), now=0))
    assert len(of(Welcome, pair.exchange())) == 1
    assert pair.session.features == pair.executor.features == {"progress"}
    pair.executor.show_state(state(9))
    assert pair.executor.take() == b""

    session = Session(Offer(features=("progress", "magic")), now=0)
    session.receive(encode(welcome(features=("events", "progress"))), 0)
    assert session.features == frozenset({"progress"})


def test_a_second_greeting_is_refused() -> None:
    """A session is greeted once."""
    executor = serving()
    assert executor.receive(encode(Offer().hello()), 0) == []
    assert isinstance(decode(executor.take()), f.ErrorFrame)


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every token, even a missing one, goes whole through the comparison that takes the same time for all."""
    seen: list[tuple[bytes, bytes]] = []

    def compare(a: bytes, b: bytes) -> bool:
        seen.append((a, b))
        return hmac.compare_digest(a, b)

    class Spy:
        compare_digest = staticmethod(compare)

    monkeypatch.setattr(handshake, "hmac", Spy)
    assert handshake.same_token("right", "right")
    assert not handshake.same_token("right", "r")
    assert not handshake.same_token("right", None)
    assert not handshake.same_token("right", "ri\ud800")
    assert [a for a, _ in seen] == [b"right"] * 4
