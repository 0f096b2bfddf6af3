"""Lines that are not frames, sent to the Java executor: it answers like the Python side, and continues."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.execution.hostile import HARMLESS, HOSTILE
from tests.execution.worlds.java.jvm import arena
from volition.execution.transports.endpoint import dial
from volition.execution.wire import frames as f
from volition.execution.wire.codec import FrameFault, decode, encode
from volition.execution.wire.session.handshake import Offer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.transports.stream import Stream


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with arena(busy=True, hz=100) as address:
        yield address


def hears(stream: Stream, line: bytes, n: int) -> list[f.Frame]:
    """What is answered to a line, up to the pong of the ping after it, or to the end of the connection."""
    stream.send(line + b"\n" + encode(f.Ping(n=n)))
    return _answers(stream, n)


def _answers(stream: Stream, n: int) -> list[f.Frame]:
    rest, found = b"", []
    while data := stream.receive(60.0):
        *whole, rest = (rest + data).split(b"\n")
        found += [decode(line) for line in whole]
        if any(isinstance(frame, f.Pong) and frame.n == n for frame in found):
            break
    return found


def greeted(address: str) -> Stream:
    stream = dial(address)
    stream.send(encode(Offer(features=()).hello()) + encode(f.Ping(n=0)))
    assert any(isinstance(frame, f.Welcome) for frame in _answers(stream, 0))
    return stream


@pytest.mark.req("EX-17")
def test_hostile_lines_are_answered_with_their_code(address: str) -> None:
    """Every line of the corpus gets its code, the good line after it is read, and an over-long one ends the session."""
    stream = greeted(address)
    for n, (name, line, code) in enumerate(HOSTILE, 1):
        frames = hears(stream, line, n)
        if code == "too_long":
            assert isinstance(frames[-1], f.Goodbye), name
            stream.close()
            stream = greeted(address)
            continue
        assert [frame.code for frame in frames if isinstance(frame, f.ErrorFrame)] == [code], name
    for n, (name, line) in enumerate(HARMLESS, len(HOSTILE) + 1):
        frames = hears(stream, line, n)
        assert {frame.code for frame in frames if isinstance(frame, f.ErrorFrame)} <= {"out_of_order"}, name
        if isinstance(decode(line), f.Goodbye):
            stream.close()
            stream = greeted(address)
    stream.close()


@pytest.mark.req("EX-17")
def test_both_sides_read_the_same_lines(address: str) -> None:
    """A spoilt line is a frame for the Java side exactly where it is one here, and breaks the same rule."""
    chance = random.Random(20)
    stream, noise = greeted(address), 0
    for n in range(1, 1500):
        line = _spoilt(chance)
        try:
            code, frame = "", decode(line)
        except FrameFault as fault:
            code, frame = fault.code, None
        if isinstance(frame, f.Goodbye):
            continue
        answers = hears(stream, line, 10_000 + n)
        codes = [answer.code for answer in answers if isinstance(answer, f.ErrorFrame)]
        assert ([] if code == "" else [code]) == [
            c for c in codes if c not in {"out_of_order", "stale_id", "unknown_id"}
        ], line
        noise += code != ""
        if noise == 90:
            stream.close()
            stream, noise = greeted(address), 0
    stream.close()


_PARTS = [
    b'{"v":1,"type":"intent","id":7,"intent":"MOVE","ttl_ms":500,"parameters":{"vector":[1.5,-0.0,2e1]},"agent":"h\xc3\xa9"}',
    b'{"v":1,"type":"state_request","id":3,"full":true}',
    b'{"v":1,"type":"event","name":"x","tick":1,"data":[{"a":[null,true,false,"\\ud83d\\ude00\\n",-1E-7]},{}]}',
    b'{"v":1,"type":"pong","n":4,"tick":5,"open":[1,2]}',
    b'{"v":1,"type":"hello","spec":"1.0.0","client":{"name":"a","version":""},"features":["events"],"token":null}',
    b'{"v":1,"type":"progress","id":7,"stage":"moving","done":0.25}',
]
_SCRAPS = [
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b".", b"e9", b"null", b'"v":1,', b"9" * 17, b"\xff", b"\xc3",
    b"\\u00e9", b"\\ud800", b" ", b"\t", b"\x00", b"true", b'"id":8,', b"1e400",
]  # fmt: skip


def _spoilt(chance: random.Random) -> bytes:
    line = bytearray(chance.choice(_PARTS))
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(line))
        match chance.randrange(3):
            case 0:
                del line[at : at + chance.randrange(1, 4)]
            case 1:
                line[at:at] = chance.choice(_SCRAPS)
            case _:
                line[at] = chance.choice(b'"\\{}[],:0-.eE truenl1')
    return bytes(line).replace(b"\n", b"")
