"""Keyed chance over numpy arrays: the functions of `chance`, element by element and bit for bit.

The rules (names with an underscore) are written once, in the subset of Python that numpy runs over uint64 arrays and
Numba compiles for uint64 scalars; `chance_numba` compiles them. Every constant in them is a uint64: a signed integer
next to a uint64 would turn both into floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from volition.core import chance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Reals = NDArray[np.float64]

_1, _2, _15, _16, _27, _30, _31, _32 = (np.uint64(n) for n in (1, 2, 15, 16, 27, 30, 31, 32))
_0 = np.uint64(0)
_MASK_31, _MASK_32 = np.uint64(2**31 - 1), np.uint64(chance.MASK_32)
_START = np.uint64(chance.START)
_FOR_SEED, _FOR_TICK = np.uint64(chance.FOR_SEED), np.uint64(chance.FOR_TICK)
_FOR_WHO, _FOR_PURPOSE = np.uint64(chance.FOR_WHO), np.uint64(chance.FOR_PURPOSE)
_MIX_1, _MIX_2 = np.uint64(chance.MIX_1), np.uint64(chance.MIX_2)
_FOLD = np.uint64(chance.FOLD)
_WORD_1, _WORD_2 = np.uint64(chance.WORD_1), np.uint64(chance.WORD_2)

# A double consists of its exponent (biased by 1023) and 52 bits of fraction. So the bits of a tail as a double begin
# with its octave and its segment, followed by the place in the segment.
_SEGMENT_SHIFT = np.uint64(46)
_FIRST_SEGMENT = np.uint64(1023 * chance.SEGMENTS)
_PLACE_SHIFT = np.uint64(46 - chance.FRACTION_BITS)
_PLACE_MASK = np.uint64(2**chance.FRACTION_BITS - 1)
_STARTS = np.array(chance.knots()[:-1])
_SLOPES = np.diff(chance.knots()) * 2.0**-chance.FRACTION_BITS


def uids(names: Iterable[str]) -> Words:
    """The ids of names."""
    return np.array([chance.uid(name) for name in names], dtype=np.uint64)


def stream(seed: Any, tick: Any, who: Any, purpose: Any) -> Words:
    """The keys of many decisions: integers or integer arrays that broadcast together, each taken modulo 2^64."""
    return np.asarray(_stream(_lanes(seed), _lanes(tick), _lanes(who), _lanes(purpose)))


def word(key: Any, slot: Any) -> Words:
    """32 random bits for each pair of a key and a slot.

    >>> word([1, 2], 3).tolist() == [chance.word(1, 3), chance.word(2, 3)]
    True
    """
    return np.asarray(_word(_lanes(key), _lanes(slot)))


def uniform(word: Any) -> Reals:
    """32-bit words as numbers in [0, 1)."""
    return np.asarray(_uniform(_lanes(word)))


def gauss(word: Any) -> Reals:
    """32-bit words as standard normal draws, within `chance.GAUSS_BOUND`."""
    return np.asarray(_gauss(_lanes(word)))


def _lanes(values: Any) -> Words:
    """`values` modulo 2^64 as an array of at least one dimension: numpy warns when a lone scalar overflows."""
    if not (isinstance(values, np.ndarray) and values.dtype.kind in "iu"):
        values = np.asarray(values, dtype=object) & chance.MASK_64
    return np.atleast_1d(np.asarray(values).astype(np.uint64, copy=False))


def _mix(bits: Any) -> Any:
    bits = (bits ^ (bits >> _30)) * _MIX_1
    bits = (bits ^ (bits >> _27)) * _MIX_2
    return bits ^ (bits >> _31)


def _stream(seed: Any, tick: Any, who: Any, purpose: Any) -> Any:
    key = _mix(_START + seed * _FOR_SEED)
    key = _mix(key + tick * _FOR_TICK)
    key = _mix(key + who * _FOR_WHO)
    return _mix(key + purpose * _FOR_PURPOSE)


def _word(key: Any, slot: Any) -> Any:
    bits = ((slot * _FOLD) >> _32) ^ (key & _MASK_32)
    bits = ((bits ^ (bits >> _16)) * _WORD_1) & _MASK_32
    bits = ((bits ^ (bits >> _15) ^ (key >> _32)) * _WORD_2) & _MASK_32
    return bits ^ (bits >> _16)


def _uniform(word: Any) -> Any:
    return word * 2.0**-32


def _gauss(word: Any) -> Any:
    upper = word >> _31
    tail = ((word ^ (_0 - upper)) & _MASK_31) * _2 + _1
    bits = np.float64(tail).view(np.uint64)  # an array stays an array
    segment = (bits >> _SEGMENT_SHIFT) - _FIRST_SEGMENT
    place = (bits >> _PLACE_SHIFT) & _PLACE_MASK
    size = _STARTS[segment] + _SLOPES[segment] * place
    return size * (upper * 2.0 - 1.0)
