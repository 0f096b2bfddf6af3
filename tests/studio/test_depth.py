"""The depth of a body is measured without parsing it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.studio.depth import too_deep

values = st.recursive(
    st.none() | st.integers() | st.text(alphabet='[]{}"\\a'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='[]{}"\\a'), inner, max_size=3),
    max_leaves=20,
)


def depth(value: Any) -> int:
    """The depth of a value, by its definition."""
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@given(values, st.integers(0, 6))
def test_it_agrees_with_the_definition(value: Any, most: int) -> None:
    """A JSON text is too deep exactly where the value that it holds is, whatever brackets its texts contain."""
    assert too_deep(json.dumps(value).encode(), most) == (depth(value) > most)


@pytest.mark.parametrize("bomb", [b"[" * 1000, b"{" * 1000, b'[{"a":' * 500, b"[" * 65, b"[]" * 9 + b"[" * 65])
def test_what_nothing_closes_is_too_deep(bomb: bytes) -> None:
    """Brackets that are opened and never closed are as deep as they are many."""
    assert too_deep(bomb)


@given(st.binary())
def test_any_bytes_are_judged(body: bytes) -> None:
    """No bytes at all make it fail."""
    too_deep(body, 3)


@pytest.mark.parametrize("piece", [b'"\\"', b'\\"', b"[", b"]", b'["', b'"', b"\\", b"[}"])
def test_no_text_makes_it_look_twice(piece: bytes) -> None:
    """A megabyte of anything is judged: a pattern that looked twice at a text would not come to an end."""
    too_deep(b"[" * 65 + piece * (2**20 // len(piece)))
