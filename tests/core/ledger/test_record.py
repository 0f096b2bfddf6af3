"""Records and verbatim bytes: what is written is read back, and anything else is refused."""

from __future__ import annotations

import json
import math
from base64 import b64decode
from dataclasses import dataclass
from enum import Enum
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from volition.core.errors import InvalidInput
from volition.core.ledger.line import encode, verbatim

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    return not isinstance(value, list) or all(map(finite, value))


@given(st.binary() | st.text().map(str.encode))
@example(b"")
@example(b"\x00\n\r\n\xe2\x80\xa8")
@example(b"\xed\xa0\x80")
@example(b"\xef\xbb\xbfbom")
@example(b"\xc0\x80")
@example("a\U0001f600".encode("utf-16-le"))
def test_verbatim_gives_every_byte_back(data: bytes) -> None:
    """All bytes survive the round trip through a record's JSON line, and UTF-8 stays readable in it."""
    raw = encode({"result": verbatim(data)})
    assert b"\n" not in raw
    assert orjson.loads(raw) == json.loads(raw) == {"result": verbatim(data)}
    try:
        assert verbatim(data) == {"text": data.decode()}
    except UnicodeDecodeError:
        assert b64decode(verbatim(data)["base64"]) == data


@given(st.dictionaries(st.text(), values, max_size=5))
@example({"a": float("nan"), "null": None})
@example({"a": [{"b": -math.inf}]})
@example({"a": [None, "null"]})
def test_a_record_comes_back_or_is_refused(record: dict[str, Any]) -> None:
    """A record of JSON values comes back equal; one with NaN or infinity anywhere is refused."""
    if finite(record):
        assert json.loads(encode(record)) == record
    else:
        with pytest.raises(InvalidInput, match=r"nan|inf"):
            encode(record)


class Odd(Enum):
    NAN = math.nan


@dataclass
class Point:
    x: float


@pytest.mark.parametrize(
    "record",
    [
        [],
        None,
        {1: "a"},
        {"a": {None: 1}},
        {"a": b"raw"},
        {"a": 2**64},
        {"a": "\ud800"},
        {"a": Odd.NAN},
        {"a": Point(math.nan)},
        {"a": {1, 2}},
    ],
    ids=repr,
)
def test_what_is_not_json_is_refused(record: Any) -> None:
    """Keys that are not text and values that JSON does not have are refused, and the error says what to do."""
    with pytest.raises(InvalidInput) as caught:
        encode(record)
    assert caught.value.problems[0].remedy
