"""A cache keeps what was used last, and no more."""

from __future__ import annotations

from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from volition.studio.cache import Cache


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 5))
@settings(max_examples=50)
def test_it_keeps_the_last_used(keys: list[int], most: int) -> None:
    """A value is made again exactly where its key is not among the last ones used."""
    cache, recent, made = Cache[int](most), list[int](), list[int]()
    for key in keys:
        before = len(made)
        assert cache.get(key, partial(_make, made, key)) == key
        assert (len(made) > before) == (key not in recent)
        recent = [*(one for one in recent if one != key), key][-most:]
        assert len(cache) == len(recent)
        assert all(one in cache for one in recent)


def _make(made: list[int], key: int) -> int:
    made.append(key)
    return key
