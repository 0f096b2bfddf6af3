"""Lines: what is not a frame is answered with an error and the session continues; a line that is too long ends it.

`framing` tries one rule after the other, `robustness` random lines, floods of requests and storms of connections,
reproducible by seed.
"""

from __future__ import annotations

import json
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.law import Group, expect, expect_errors, in_time
from volition.execution.conformance.verdict import Breaks

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame


FRAMING: Final = Group("framing")

FAULTS: Final = frozenset({
    "too_long", "not_utf8", "not_json", "not_object", "too_deep", "bad_number", "duplicate_key",
    "bad_version", "unknown_type", "bad_field", "out_of_order", "stale_id", "unknown_id",
})  # fmt: skip

_PING: Final = b'{"v":1,"type":"ping","n":1'
_MOST_FAULTS: Final = 100
_DEEP: Final = b"[" * 10_000

RULES: Final[tuple[tuple[str, str, tuple[bytes, ...]], ...]] = (
    ("not_json", "A line that is not JSON is answered with error.", (
        b"", b"   ", b"GET / HTTP/1.1\r", _PING, b"{'v':1,'type':'ping','n':1}", b'{v:1,type:"ping",n:1}',
        _PING + b",}", _PING + b"/**/}", b'{"v":1,"type":"ping","n":01}', b'\xef\xbb\xbf{"v":1,"type":"ping","n":1}',
        b'{"v":1,"type":"error","code":"x","message":"\x01"}',
    )),
    ("trailing_text", "Nothing may follow the object on its line.", (
        _PING + b"} ok", _PING + b"}" + _PING + b"}", _PING + b"}\x00", _PING + b"}]",
    )),
    ("no_nan", "NaN and infinity are not numbers.", (
        b'{"v":1,"type":"ping","n":NaN}', b'{"v":1,"type":"ping","n":Infinity}', _PING + b',"x":-Infinity}',
        _PING + b',"x":[NaN]}', _PING + b',"x":1e999}',
    )),
    ("duplicate_keys", "No key is duplicated in one object, at any depth and however it is escaped.", (
        _PING + b',"n":2}', _PING + b',"\\u006e":2}', _PING + b', "n" : 2}', _PING + b',"x":{"y":0,"y":0}}',
    )),
    ("surrogates", "Half of a surrogate pair, escaped, is not text.", (
        _PING + b',"x":"\\ud800"}', _PING + b',"x":"\\udc00"}', _PING + b',"x":"\\ude00\\ud83d"}', _PING + b',"\\ud800":1}',
        b'{"v":1,"type":"intent","id":900006,"intent":"\\udfff","ttl_ms":100}',
    )),
    ("utf8", "A line is UTF-8.", (
        b'{"v":1,"type":"error","code":"x","message":"\xff\xfe"}', _PING + b',"x":"\xc3"}', _PING + b',"x":"\xed\xa0\x80"}',
    )),
    ("whole_numbers", "Integers beyond 2^53 - 1 either way are refused.", (
        b'{"v":1,"type":"ping","n":9007199254740992}', _PING + b',"x":18446744073709551616}',
        _PING + b',"x":-9007199254740992}', _PING + b',"x":' + b"9" * 300 + b"}",
    )),
    ("integers", "An integer has neither a fraction nor an exponent.", (
        b'{"v":1,"type":"ping","n":1.0}', b'{"v":1,"type":"ping","n":1e0}', b'{"v":1,"type":"cancel","id":7.0}',
        b'{"v":1,"type":"cancel","id":7e0}', b'{"v":1,"type":"intent","id":900007.0,"intent":"STOP","ttl_ms":100}',
        b'{"v":1,"type":"intent","id":900008,"intent":"STOP","ttl_ms":1E2}',
        b'{"v":1,"type":"state_request","id":900009.0,"full":true}',
    )),
    ("depth", "More than 32 arrays and objects inside one another are refused.", (
        _PING + b',"x":' + b"[" * 32 + b"]" * 32 + b"}", _DEEP, _PING + b',"x":' + _DEEP + b"]" * 10_000 + b"}",
    )),
    ("objects_only", "A line holds an object and nothing else.", (b"[1]", b"null", b'"ping"', b"1", b"[" + _PING + b"}]")),
    ("wire_version", 'Every frame has "v":1.', (
        b'{"type":"ping","n":1}', b'{"v":2,"type":"ping","n":1}', b'{"v":true,"type":"ping","n":1}',
        b'{"v":"1","type":"ping","n":1}',
    )),
    ("known_types", "An unknown type is answered with error.", (
        b'{"v":1}', b'{"v":1,"type":"exec"}', b'{"v":1,"type":["ping"]}', b'{"v":1,"type":"PING","n":1}',
    )),
    ("fields", "A frame with a missing or ill-typed field is answered with error.", (
        b'{"v":1,"type":"ping"}', b'{"v":1,"type":"ping","n":"1"}', b'{"v":1,"type":"ping","n":-1}',
        b'{"v":1,"type":"ping","n":1.5}', b'{"v":1,"type":"cancel","id":0}', b'{"v":1,"type":"cancel","id":"2"}',
        b'{"v":1,"type":"intent","id":900000,"intent":"STOP"}',
        b'{"v":1,"type":"intent","id":900001,"intent":"STOP","ttl_ms":0}',
        b'{"v":1,"type":"intent","id":900002,"intent":"STOP","ttl_ms":3600001}',
        b'{"v":1,"type":"intent","id":900003,"intent":"STOP","ttl_ms":100,"parameters":[]}',
        b'{"v":1,"type":"state_request","id":900004}',
    )),
)  # fmt: skip
"""Lines that break a rule of the wire, by rule. A careless reader takes most of them for a ping."""


def _refuses(lines: tuple[bytes, ...], bed: TestBed) -> None:
    try:
        _send(bed.session(), lines)
    except Breaks:
        # Again one by one, to show which line it was.
        for line in lines:
            _send(bed.session(), (line,))
        raise


def _send(connection: KitConnection, lines: tuple[bytes, ...]) -> None:
    since = len(connection.heard)
    connection.write(b"".join(line + b"\n" for line in lines))
    connection.state()
    wrong = [*connection.frames("pong", since=since, n=1), *connection.frames("result", since=since)]
    errors = connection.frames("error", since=since)
    found = (
        f"an answer as if it were a frame: {wrong[0]}" if wrong else f"{len(errors)} errors to {len(lines)} bad lines"
    )
    expect(not wrong and len(errors) == len(lines), found, "one error for each bad line, and a session that continues")
    for error in errors:
        code = error.get("code")
        expect(code in FAULTS, f"an error with the code {code!r}", "a code of the list")


for _name, _law, _lines in RULES:
    FRAMING.add(_name, _law, "Lines", partial(_refuses, _lines))


@FRAMING.law("Lines")
def any_cut(bed: TestBed) -> None:
    """Frames end at line feeds, however the bytes are split into packets."""
    connection = bed.session()
    since = len(connection.heard)
    first, second, third = (_request(connection) for _ in range(3))
    last = third[1] + b"\n"
    connection.write(first[1] + b"\n" + second[1] + b"\n" + last[:10])
    connection.gather(0.05)
    connection.write(last[10:-1])
    connection.gather(0.05)
    expect(
        not connection.frames("state", since=since, id=third[0]), "an answer to half a line", "one to the whole line"
    )
    connection.write(b"\n")
    for id, _ in (first, second, third):
        connection.await_frame("state", since=since, id=id)


@FRAMING.law("Lines")
def unknown_fields(bed: TestBed) -> None:
    """Unknown fields are ignored."""
    connection = bed.session()
    id, mood = connection.next_id(), {"good": [1, 2.5, None, "\u00fc\u2028\U0001f600"]}
    connection.say({"type": "state_request", "id": id, "full": True, "mood": mood})
    connection.await_frame("state", id=id)


@FRAMING.law("Lines")
def longest_line(bed: TestBed) -> None:
    """A line of exactly the maximal length is a frame."""
    connection = bed.open_session()
    id, line = _request(connection, _limit(bed))
    connection.write(line + b"\n")
    connection.await_frame("state", id=id)


@FRAMING.law("Lines")
def line_too_long(bed: TestBed) -> None:
    """A line over the length limit ends the session."""
    _expect_end_after(bed, _limit(bed) + 1, "x")


@FRAMING.law("Lines")
def length_in_bytes(bed: TestBed) -> None:
    """The length of a line is counted in bytes, not in characters."""
    _expect_end_after(bed, _limit(bed) + 2, "\u00fc")


@FRAMING.law("Lines")
def too_many_faults(bed: TestBed) -> None:
    """The hundredth bad line on one connection ends the session, after its error, and no earlier one does."""
    connection = bed.open_session()
    since = len(connection.heard)
    connection.write(b"?\n" * (_MOST_FAULTS - 1))
    connection.state()
    connection.write(b"?\n")
    in_time(connection.wait_for_end(ANSWER), "the session continues", "the end of the connection")
    count = len(connection.frames("error", since=since))
    expect(count == _MOST_FAULTS, f"{count} errors to {_MOST_FAULTS} bad lines", "one error for each")


@FRAMING.law("Lines")
def refused_do_not_count(bed: TestBed) -> None:
    """Frames that can be read and are refused end nothing, however many there are."""
    connection = bed.open_session()
    since = connection.exchange(*[{"type": "cancel", "id": 2**50}] * (_MOST_FAULTS + 1))
    expect_errors(connection, since, *["unknown_id"] * (_MOST_FAULTS + 1))


@FRAMING.law("Lines")
def error_unanswered(bed: TestBed) -> None:
    """An error is never answered."""
    connection = bed.session()
    expect_errors(
        connection, connection.exchange({"type": "error", "code": "not_json", "message": "a line was not JSON"})
    )


@FRAMING.law("Lines")
def garbage_then_valid(bed: TestBed) -> None:
    """After a bad line, reading continues at the next line feed, before the greeting too."""
    connection = bed.connect()
    connection.write(bytes(range(256)).replace(b"\n", b"") + b"\n")
    answer = bed.greet(connection)
    expect(answer["type"] == "welcome" or answer.get("code") == "not_ready", f"{answer}", "error, then the welcome")


def _limit(bed: TestBed) -> int:
    return min(bed.limit("max_frame", 2**20), 2**20)


def _request(connection: KitConnection, length: int = 0, character: str = "x") -> tuple[int, bytes]:
    """A request for a state: its id and its line, padded to this many bytes in an ignored field."""
    frame: dict[str, Any] = {"v": 1, "type": "state_request", "id": connection.next_id(), "full": False, "x": ""}
    room, size = max(0, length - len(json.dumps(frame))), len(character.encode())
    frame["x"] = character * (room // size) + "x" * (room % size)
    return frame["id"], json.dumps(frame, ensure_ascii=False).encode()


def _expect_end_after(bed: TestBed, length: int, character: str) -> None:
    connection = bed.open_session()
    since = len(connection.heard)
    id, line = _request(connection, length, character)
    connection.write(line + b"\n")
    ended = connection.wait_for_end(ANSWER)
    expect(not connection.frames("state", since=since, id=id), "it was read", "the end of the session")
    in_time(ended, "the session continues", "the end of the connection")


ROBUSTNESS: Final = Group("robustness")

_ROUNDS: Final = 5
_LINES: Final = 40
_PINGS: Final = 300
_CALLERS: Final = 12

_WORDS: Final = (
    "v", "type", "id", "intent", "ttl_ms", "parameters", "vector", "n", "full", "based_on", "agent",
    "ping", "STOP", "MOVE", "cancel", "state_request", "", "\u0000", "\u00fc", "\U0001f600", "__proto__",
)  # fmt: skip
_FRAMES: Final[tuple[Frame, ...]] = (
    {"v": 1, "type": "ping", "n": 5},
    {"v": 1, "type": "intent", "id": 700_000, "intent": "MOVE", "ttl_ms": 50, "parameters": {"vector": [0, 0, 0]}},
    {"v": 1, "type": "cancel", "id": 3},
    {"v": 1, "type": "state_request", "id": 700_001, "full": False},
    {"v": 1, "type": "pong", "n": 5},
)


@ROBUSTNESS.law("Lines")
def random_lines(bed: TestBed) -> None:
    """No line, however malformed, ends or blocks the session: it is answered or ignored, and the next request is read."""
    chance = Random(bed.seed)  # noqa: S311  for tests, not for secrets
    for _ in range(_ROUNDS):
        connection = bed.open_session()
        # In one write: bad lines are no sign of life, and a kit without a core may take seconds for many writes.
        connection.write(b"".join(_line(chance) + b"\n" for _ in range(_LINES)))
        connection.say({"type": "state_request", "id": 2**52, "full": True})
        connection.await_frame("state", 2 * ANSWER, id=2**52)


@ROBUSTNESS.law("Lines")
def random_bytes(bed: TestBed) -> None:
    """Random bytes before the greeting do not keep the next bridge out."""
    chance = Random(bed.seed + 1)  # noqa: S311  as above
    for _ in range(_ROUNDS):
        connection = bed.connect()
        connection.write(chance.randbytes(chance.randrange(1, 2000)))
        connection.close()
    bed.open_session()


@ROBUSTNESS.law("Heartbeat")
def flood(bed: TestBed) -> None:
    """Many requests in one write are all answered, in order."""
    connection = bed.open_session()
    since = len(connection.heard)
    ids = [connection.next_id() for _ in range(_PINGS)]
    connection.say(*({"type": "state_request", "id": id, "full": False} for id in ids))
    connection.await_frame("state", 2 * ANSWER, id=ids[-1])
    answered = [frame["id"] for frame in connection.frames("state", since=since) if frame.get("id") is not None]
    expect(answered == ids, f"{len(answered)} answers to {len(ids)} requests", "one for each, in order")


@ROBUSTNESS.law("Handshake")
def storm(bed: TestBed) -> None:
    """Connections that come and go do not keep the next bridge out."""
    for position in range(_CALLERS):
        connection = bed.connect(beside=True)
        if position % 3 == 1:
            connection.say(bed.hello())
        elif position % 3 == 2:
            connection.write(b'{"v":1,"type":"hello","sp')
        connection.close()
    bed.open_session()


def _line(chance: Random) -> bytes:
    """One line: random bytes, random JSON, or a modified frame."""
    kind = chance.randrange(3)
    if kind == 0:
        return chance.randbytes(chance.randrange(60)).replace(b"\n", b" ")
    if kind == 1:
        return json.dumps(_value(chance, 4)).encode()
    frame = dict(chance.choice(_FRAMES))
    frame[chance.choice([*frame, chance.choice(_WORDS)])] = _value(chance, 2)
    text = json.dumps(frame, ensure_ascii=False).encode()
    if chance.random() < 0.5:
        at = chance.randrange(len(text))
        text = text[:at] + chance.randbytes(1) + text[at + chance.randrange(3) :]
    return b" " if b"goodbye" in text else text.replace(b"\n", b" ")


def _value(chance: Random, depth: int) -> Any:
    kind = chance.randrange(9 if depth else 6)
    if kind < 6:
        return (
            None, chance.random() < 0.5, chance.choice(_WORDS), chance.randrange(-5, 2**60),
            chance.uniform(-1e9, 1e9), float(chance.choice(["nan", "inf", "1e308"])),
        )[kind]  # fmt: skip
    if kind < 8:
        return [_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {chance.choice(_WORDS): _value(chance, depth - 1) for _ in range(chance.randrange(4))}
