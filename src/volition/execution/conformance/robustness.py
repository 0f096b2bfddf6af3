"""Robustness: random lines, floods of requests and storms of connections, reproducible by seed."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bed import expect
from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.law import Group

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.log import Frame

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
