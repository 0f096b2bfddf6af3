"""The schemas hold what the code holds: they take every frame that is sent, and refuse what the reader refuses."""

from __future__ import annotations

import contextlib
import json
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

import jsonschema_rs
import pytest
from hypothesis import given

from tests.execution.hostile import HARMLESS, HOSTILE
from tests.execution.wire.samples import payload
from tests.execution.wire.test_codec import every_frame
from tests.execution.wire.test_intents import SEVEN
from tests.execution.worlds.java.jvm import arena
from volition.execution.client.bridge import Bridge
from volition.execution.conformance.protocol.export import FEATURES, record_session
from volition.execution.conformance.protocol.schemas import UNSAYABLE, frame_schema
from volition.execution.transports.endpoint import dial
from volition.execution.wire import frames as f
from volition.execution.wire.codec import encode
from volition.execution.wire.intents import intent_problems
from volition.execution.wire.results import FAILURE_REASONS, STATUSES, interpret_result
from volition.execution.wire.session.handshake import Offer

if TYPE_CHECKING:
    from volition.execution.transports.stream import Stream

SCHEMA = frame_schema()
SAYS = jsonschema_rs.Draft202012Validator(SCHEMA)
INTENT: dict[str, Any] = {"v": 1, "type": "intent", "id": 1, "ttl_ms": 500}
WHOLE_FLOATS = {"a whole float as id", "an exponent in an id", "a whole float as token", "a whole float as seed"}


def value_of(line: bytes | bytearray) -> Any:
    """What a line holds, read as any JSON reader of another language might."""
    return json.loads(line)


def test_every_type_of_frame_has_a_schema() -> None:
    """The types in the schema are the types of the code: one that is added to `Frame` is there by itself."""
    tags = [kind.__struct_config__.tag for kind in get_args(f.Frame)]
    assert [entry["$ref"] for entry in SCHEMA["oneOf"]] == [f"#/$defs/{tag}" for tag in tags]
    jsonschema_rs.meta.validate(SCHEMA)
    assert r"\Z" not in json.dumps(SCHEMA)


@given(every_frame)
def test_every_frame_that_is_written_fits(frame: Any) -> None:
    """What the writer writes fits the schema; an intent and a result do where they keep the contract too."""
    value = value_of(encode(frame))
    fits = SAYS.is_valid(value)
    if isinstance(frame, f.IntentFrame):
        assert fits == (not intent_problems(frame.intent, frame.parameters))
    elif isinstance(frame, f.ResultFrame):
        assert fits == ("intent" in value and not interpret_result(frame.result)[2])
    else:
        assert fits, value


def test_a_hostile_line_is_refused() -> None:
    """A line that is refused for the shape of its value is refused by the schema; the rest is named beforehand."""
    for name, line, code in HOSTILE:
        if code in UNSAYABLE:
            with contextlib.suppress(ValueError, RecursionError):
                value_of(line)  # Many readers take such a line, and a schema sees only what they made of it.
        else:
            assert SAYS.is_valid(value_of(line)) == (name in WHOLE_FLOATS), name


def test_a_harmless_line_fits() -> None:
    """A line that only looks bad fits the schema."""
    assert [name for name, line in HARMLESS if not SAYS.is_valid(value_of(line))] == []


def test_it_says_what_agrees_in_a_result() -> None:
    """Over every combination of status, reason and flags the schema agrees with the reader of results."""
    truth = (False, True)
    for status, reason, partial, blocked, cooling in product(STATUSES, FAILURE_REASONS, truth, truth, truth):
        result = payload()
        result |= {"status": status, "failure_reason": reason, "partial_execution": partial}
        result["safety_flags"] |= {"is_blocked": blocked, "on_cooldown": cooling}
        frame = {"v": 1, "type": "result", "id": 1, "intent": "STOP", "result": result}
        assert SAYS.is_valid(frame) == (not interpret_result(result)[2]), result


def test_a_result_without_a_field_is_refused() -> None:
    """Every field of a result is needed, at every depth, as it is for the reader of results."""
    whole = {"v": 1, "type": "result", "id": 1, "intent": "STOP", "result": payload()}
    assert SAYS.is_valid(whole)
    for key, value in payload().items():
        inner = (
            [value | {"x": 1}, *({k: v for k, v in value.items() if k != name} for name in value)]
            if isinstance(value, dict)
            else []
        )
        for changed in [None, *inner[1:]]:
            result = payload() | {key: changed}
            assert not SAYS.is_valid(whole | {"result": result})
        assert not SAYS.is_valid(whole | {"result": {k: v for k, v in payload().items() if k != key}})


@pytest.mark.parametrize("name", [*SEVEN, "DANCE"])
@pytest.mark.parametrize(
    "parameters",
    [None, {}, {"vector": [1, 0, 0]}, {"vector": [1.5, 0]}, {"vector": [1, 0, "0"]}, {"vector": [1, 0, 0], "if": 1}, {"x": 1}],
)  # fmt: skip
def test_an_intent_has_its_parameters_and_no_other(name: str, parameters: Any) -> None:
    """The schema takes the canonical intents as the bridge does, and any other that an executor could have declared."""
    frame = INTENT | {"intent": name} | ({} if parameters is None else {"parameters": parameters})
    assert SAYS.is_valid(frame) == (name == "DANCE" or not intent_problems(name, parameters))
    assert not SAYS.is_valid(frame | {"intent": name.lower()})


def test_every_frame_of_an_embedded_session_fits() -> None:
    """The recorded session has what a session needs, in its order, and each frame of it fits."""
    notes = record_session()
    for note in notes:
        SAYS.validate(note["frame"])
    types = [note["frame"]["type"] for note in notes]
    assert types[:2] == ["hello", "welcome"]
    assert types[-1] == "goodbye"
    assert set(types) >= {"state_request", "state", "intent", "result", "cancel", "progress", "ping", "pong"}
    assert {note["frame"]["intent"] for note in notes if note["frame"]["type"] == "intent"} == set(SEVEN)
    assert notes == record_session()


class Ear:
    """A stream to a real process that keeps the bytes that pass."""

    def __init__(self, stream: Stream, heard: bytearray, said: bytearray) -> None:
        self._stream, self._heard, self._said = stream, heard, said

    def send(self, data: bytes) -> None:
        self._said += data
        self._stream.send(data)

    def receive(self, timeout: float | None) -> bytes | None:
        data = self._stream.receive(timeout)
        self._heard += data or b""
        return data

    def close(self) -> None:
        self._stream.close()


def test_every_frame_of_a_session_with_java_fits() -> None:
    """What the Java executor says, and what it is told, fits the schema, pushed states, events and errors included."""
    heard, said, refused = bytearray(), bytearray(), bytearray()
    with arena(hz=1000) as address:
        with Bridge(lambda timeout: Ear(dial(address), heard, said), offer=Offer(features=(*FEATURES, "state_push"))) as bridge:  # fmt: skip
            for intent in ("HOLD", "RELEASE", "JUMP", "EVADE", "PRIMARY_ATTACK", "STOP"):
                bridge.execute(intent, deadline=60.0)
            bridge.execute("MOVE", {"vector": [0, -1, 0]}, deadline=60.0)
            bridge.cancel(bridge.submit("MOVE", {"vector": [0, 1, 0]}, deadline=60.0))
            bridge.refresh()
        stream = dial(address)
        stream.send(
            b'?\n{"v":1,"type":"ping","n":1}\n{"v":1,"type":"hello","spec":"9.0.0","client":{"name":"t","version":"0"}}\n'
        )
        while (data := stream.receive(None)) != b"":
            refused += data or b""
        stream.close()
    # A bridge that closes leaves what comes after its goodbye, so its last line may have come in part.
    whole, _, _ = heard.rpartition(b"\n")
    lines = [*whole.splitlines(), *refused.splitlines(), *said.splitlines()]
    for line in lines:
        SAYS.validate(value_of(line))
    types = {value_of(line)["type"] for line in lines}
    assert types >= {
        "hello",
        "welcome",
        "intent",
        "result",
        "state",
        "state_request",
        "error",
        "pong",
        "reject",
        "goodbye",
    }
