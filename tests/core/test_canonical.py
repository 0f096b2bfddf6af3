"""Canonical bytes: RFC 8785 exactly, for all plain data and for nothing else."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import hashlib
import json
import random
import struct
import uuid
from collections import OrderedDict, namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from volition.core.canonical import MAX_DEPTH, MAX_INTEGER, _encode_exactly, canonical, digest, json_path, number
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.sentences import Told

HARD_FLOATS = [
    0.0, -0.0, 1.0, -1.0, 59.0, 0.1, 1e-5, 9.999999999999999e-6, 1e-6, 1e-7, 1.5e-7, 1e15, 1e16, 1e20, 1e21, 1e22, 1.5e21,
    123456789012345680000.0, 9007199254740991.0, 9007199254740992.0, 9007199254740993.0, 1500000000000000.5,
    5e-324, 1.7976931348623157e308, -2.2250738585072014e-308, 333333333.33333329, 4.35, 2e-3, 295147905179352830000.0,
]  # fmt: skip
HARD_KEYS = [
    "",
    "a",
    "aa",
    "Z",
    "\u20ac",
    "\r",
    "\ue000",
    "\uffff",
    "\U0001f600",
    "\U0010ffff",
    "\x7f",
    "\x80",
    '"',
    "\\",
    "1",
]

floats = st.sampled_from(HARD_FLOATS) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.sampled_from(HARD_KEYS) | st.text(max_size=6)
leaves = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | floats | texts
documents = st.recursive(leaves, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5))


class Colour(enum.Enum):
    RED = 1


class Size(enum.IntEnum):
    SMALL = 1


class Text(str):
    __slots__ = ()


@dataclasses.dataclass
class Point:
    x: int = 0


Pair = namedtuple("Pair", "a b")  # noqa: PYI024 - an untyped subclass of tuple is the point here


@given(documents)
@example({"\U0001f600": "quick", "\ue000": "way"})
@example([{"\U0001f600": 1, "\ue000": 2, "\r": 3}, 59.0, 1e-7])
def test_equals_an_independent_implementation(document: Any) -> None:
    """The bytes equal those of another implementation of RFC 8785, on the fast path and on the exact one."""
    assert canonical(document) == rfc8785.dumps(document) == _encode_exactly(document)


def test_hard_floats_equal_an_independent_implementation() -> None:
    """A float is written as ECMAScript writes it, over all magnitudes and the known edges."""
    chance = random.Random(8785)
    random_bits = (struct.unpack("<d", chance.randbytes(8))[0] for _ in range(5_000))
    decimal_scale = (chance.choice([1, -1]) * chance.random() * 10.0 ** chance.randint(-12, 25) for _ in range(5_000))
    short = (float(f"{chance.randint(-999, 999)}e{chance.randint(-30, 30)}") for _ in range(2_500))
    for value in [*HARD_FLOATS, *(x for x in random_bits if abs(x) < float("inf")), *decimal_scale, *short]:
        assert number(value).encode() == rfc8785.dumps(value) == canonical(value)


@given(documents)
def test_is_idempotent(document: Any) -> None:
    """Reading canonical bytes and writing them again gives the same bytes, if numbers are read as doubles."""
    once = canonical(document)
    assert canonical(json.loads(once, parse_int=float)) == once


@given(st.dictionaries(texts, leaves, max_size=8), st.randoms(use_true_random=False))
def test_order_of_keys_never_matters(document: dict[str, Any], chance: random.Random) -> None:
    """Two dicts with the same items have the same bytes and digest, whatever the order of insertion."""
    items = list(document.items())
    chance.shuffle(items)
    assert canonical(dict(items)) == canonical(document)
    assert digest(dict(items)) == digest(document)


def test_digest_is_the_sha256_of_the_bytes() -> None:
    """A digest can be checked with nothing but a SHA-256 tool."""
    assert digest({"b": 2, "a": 1}) == hashlib.sha256(b'{"a":1,"b":2}').hexdigest()


def test_the_example_of_the_rfc() -> None:
    """The sample of RFC 8785, section 3.2.2, gives the bytes of its section 3.2.4."""
    sample = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '\u20ac$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical(sample) == expected.encode()


def test_tuples_are_arrays_and_bools_are_not_numbers() -> None:
    """A tuple is written like a list; True is true and never 1."""
    assert canonical((1, (2.5, True))) == canonical([1, [2.5, True]]) == b"[1,[2.5,true]]"
    assert canonical((1.0, True)) == b"[1,true]"


@pytest.mark.parametrize("value", [MAX_INTEGER, -MAX_INTEGER, 10**15, 0])
def test_integers_up_to_the_exact_limit_are_written_in_full(value: int) -> None:
    """Every integer that JSON readers keep exact is written with all its digits."""
    assert canonical(value) == str(value).encode()


@pytest.mark.parametrize(
    "value",
    [
        MAX_INTEGER + 1, -MAX_INTEGER - 1, 10**400, float("nan"), float("inf"), -float("inf"),
        "\ud800", "a\udfff", b"bytes", bytearray(b"x"), {1, 2}, frozenset(), 1j, ..., object(), int,
        Colour.RED, Size.SMALL, Text("a"), Point(), Pair(1, 2), OrderedDict(a=1), uuid.UUID(int=1),
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.date(2020, 1, 1), dt.time(1), decimal.Decimal(1),
        orjson.Fragment(b"1"), np.float64(1.5), np.int64(1), np.zeros(2),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
@pytest.mark.parametrize("neighbour", ["plain", 59.0, "\U0001f600"], ids=["quick", "exact", "astral"])
def test_what_is_not_json_is_refused_with_its_path(value: Any, neighbour: Any) -> None:
    """Nothing is converted silently: the first value that is not JSON data is named by its path."""
    with pytest.raises(InvalidInput) as caught:
        canonical({"z": neighbour, "a": [0, 1, 2, value]})
    (problem,) = caught.value.problems
    assert problem.where == "$.a[3]"
    assert problem.expected
    assert problem.remedy


@pytest.mark.parametrize("key", [1, None, True, 1.5, b"a", ("a",), Colour.RED, Text("a")], ids=repr)
def test_keys_that_are_not_text_are_refused(key: Any, told: Told) -> None:
    """A key is text: 1 and "1" never become the same key."""
    with told.raises(InvalidInput):
        canonical({"outer": {key: 1}})


def test_a_key_with_half_a_character_is_refused() -> None:
    """A lone surrogate has no UTF-8 bytes, in a key as in a value."""
    with pytest.raises(InvalidInput, match="surrogate"):
        canonical({"a\ud800": 1})


def test_cycles_are_refused_and_shared_parts_are_not() -> None:
    """Data that contains itself is refused; data that shares a part is fine."""
    loop: dict[str, Any] = {"a": []}
    loop["a"].append(loop)
    with pytest.raises(InvalidInput, match="contains itself"):
        canonical(loop)
    part = [1.5]
    assert canonical([part, part]) == b"[[1.5],[1.5]]"
    assert canonical([[1.0], part, part]) == b"[[1],[1.5],[1.5]]"


@pytest.mark.parametrize("leaf", ["plain", 59.0])
def test_depth_is_bounded_alike_on_both_ways(leaf: Any) -> None:
    """Data nested to the limit is written, one level more is refused, a hundred thousand do not crash."""

    def nested(levels: int) -> Any:
        data = leaf
        for _ in range(levels):
            data = [data]
        return data

    assert canonical(nested(MAX_DEPTH)).startswith(b"[" * MAX_DEPTH)
    for levels in (MAX_DEPTH + 1, 100_000):
        with pytest.raises(InvalidInput, match="nested deeper"):
            canonical(nested(levels))


def test_a_path_can_be_read() -> None:
    """Plain names are joined by dots, other keys are quoted, positions are in brackets."""
    assert json_path([]) == "$"
    assert json_path(["a", 0, 'b"c', "d-e"]) == '$.a[0]["b\\"c"]["d-e"]'
