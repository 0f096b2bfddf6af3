"""Keyed chance: a random number is a pure function of who draws it, when, why and for what.

No draw depends on another, so adding a candidate or an agent changes no other draw, and two runs that differ in one
choice share all other draws. Only integer operations and IEEE additions and multiplications are used, so the bits are
the same on every platform: here in Python integers, in `chance_arrays` over numpy, and in `chance_numba` compiled.

`uid` turns a name into an integer, `stream` makes the key of one decision, `word` draws 32 bits for one slot of it, and
`uniform` or `gauss` turns the bits into a number. Not for secrets: keys can be computed from draws.
"""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import sha256
from itertools import pairwise
from struct import pack

from volition.core.errors import MissingPart

GAUSS_BOUND = 6.337957754731178
"""The largest absolute value that `gauss` returns: the quantile of 2^-33."""

MASK_64 = 2**64 - 1
MASK_32 = 2**32 - 1

START = 0x243F6A8885A308D3  # the first bits of pi
# The bits of the golden ratio, sqrt(2), sqrt(3) and sqrt(5), made odd: one for each argument of a stream.
FOR_SEED, FOR_TICK, FOR_WHO, FOR_PURPOSE = (
    0x9E3779B97F4A7C15,
    0x6A09E667F3BCC909,
    0xBB67AE8584CAA73B,
    0x3C6EF372FE94F82B,
)
MIX_1, MIX_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
FOLD = 0xD6E8FEB86659FD93
WORD_1, WORD_2 = 0x7FEB352D, 0x846CA68B

SEGMENTS = 64
OCTAVES = 32
FRACTION_BITS = 25
_KNOT_GRID = 2.0**30
_KNOTS_SHA256 = "79bfae3f796c91f499e0d6c08477b0d8d41e82c6a024fd15a6a829ac03fe57ae"


@lru_cache(maxsize=65536)  # a draw by names is 1.7 times as fast: `benchmarks/tricks.py`
def uid(text: str) -> int:
    """The 64-bit id of a name: the first 8 bytes, little endian, of the SHA-256 of its UTF-8.

    >>> hex(uid("victor"))
    '0xed492daf68e0bd99'
    """
    return int.from_bytes(sha256(text.encode()).digest()[:8], "little")


def stream(seed: int, tick: int, who: int, purpose: int) -> int:
    """The 64-bit key of all draws of one decision; each argument is taken modulo 2^64.

    Every argument is mixed before the next one is added, so a change of one is not undone by a small change of another.
    """
    key = _mix((START + seed * FOR_SEED) & MASK_64)
    key = _mix((key + tick * FOR_TICK) & MASK_64)
    key = _mix((key + who * FOR_WHO) & MASK_64)
    return _mix((key + purpose * FOR_PURPOSE) & MASK_64)


def word(key: int, slot: int) -> int:
    """32 random bits for one slot of a stream: `key` and `slot` have 64 bits, and every bit of both matters."""
    bits = ((slot * FOLD & MASK_64) >> 32) ^ (key & MASK_32)
    bits = (bits ^ (bits >> 16)) * WORD_1 & MASK_32
    bits = (bits ^ (bits >> 15) ^ (key >> 32)) * WORD_2 & MASK_32
    return bits ^ (bits >> 16)


def uniform(word: int) -> float:
    """32 random bits as a number in [0, 1), evenly spread.

    >>> uniform(2**31)
    0.5
    """
    return word * 2.0**-32


def gauss(word: int) -> float:
    """32 random bits as a draw from the standard normal distribution, within GAUSS_BOUND.

    It is the inverse CDF at (word + 1/2) / 2^32, to within 2e-5: it increases with the word, and the words 0 and
    2^32 - 1 give the bounds.

    >>> gauss(0), gauss(2**32 - 1)
    (-6.337957754731178, 6.337957754731178)
    """
    starts, slopes = _segments()
    upper = word >> 31
    tail = 2 * (word ^ MASK_32 if upper else word) + 1  # the tail probability is tail / 2^33
    octave = tail.bit_length()
    tail <<= OCTAVES - octave
    segment = (octave - 2) * SEGMENTS + (tail >> FRACTION_BITS)
    size = starts[segment] + slopes[segment] * (tail & 0x1FFFFFF)
    return size if upper else -size


def noise(seed: int, tick: int, who: str, purpose: str, what: str) -> float:
    """One standard normal draw, by names.

    >>> noise(7, 25, "victor", "choice", "conflict:marcus")
    0.7103683814181374
    """
    return gauss(word(stream(seed, tick, uid(who), uid(purpose)), uid(what)))


@cache
def knots() -> tuple[float, ...]:
    """The sizes of the normal quantiles at the ends of all segments, from the far tail to 0.

    There are 64 segments in each of 32 octaves of tail probability, [2^-33, 2^-32) to [1/4, 1/2). Knots are rounded to
    multiples of 2^-30. So every platform's logarithm gives the same knots, and a slope times a fraction is exact: it
    makes no difference whether a compiler fuses the multiplication with the addition.
    """
    from statistics import NormalDist  # noqa: PLC0415  slower to import than the rest of this module

    inverse = NormalDist().inv_cdf
    tails = ((SEGMENTS + s) * 2.0 ** (octave - 39) for octave in range(OCTAVES) for s in range(SEGMENTS))
    sizes = (*(round(-inverse(tail) * _KNOT_GRID) / _KNOT_GRID for tail in tails), 0.0)
    if sha256(pack(f"<{len(sizes)}d", *sizes)).hexdigest() != _KNOTS_SHA256:
        raise MissingPart.of(
            "the table of normal quantiles is not the one that every platform should compute",
            where="statistics.NormalDist().inv_cdf",
            expected=f"values whose SHA-256 is {_KNOTS_SHA256}",
            remedy="use a Python whose floats are IEEE doubles and whose math library is accurate to a few ulps",
        )
    return sizes


@cache
def _segments() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Where each segment starts, and how much it falls for each of its 2^25 steps."""
    sizes = knots()
    return sizes[:-1], tuple((after - before) * 2.0**-FRACTION_BITS for before, after in pairwise(sizes))


def _mix(bits: int) -> int:
    """A bijection of 64 bits: every input bit flips about half of the output bits."""
    bits = (bits ^ (bits >> 30)) * MIX_1 & MASK_64
    bits = (bits ^ (bits >> 27)) * MIX_2 & MASK_64
    return bits ^ (bits >> 31)
