"""Keyed chance is random enough: each check gives the probability that true randomness looks as bad.

A check alarms below ALARM, one in a million; the inputs are fixed, so the answer never changes. Every check is also
shown a generator with the fault it exists for, and must alarm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from volition.core import chance, chance_arrays

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ALARM = 1e-6
U = np.uint64
ARGUMENTS = ("seed", "tick", "who", "purpose", "slot")


@dataclass(frozen=True, slots=True)
class Generator:
    """The three stages of a draw, each of which a bad generator can replace."""

    stream: Callable[..., NDArray[np.uint64]] = chance_arrays.stream
    word: Callable[..., NDArray[np.uint64]] = chance_arrays.word
    gauss: Callable[..., NDArray[np.float64]] = chance_arrays.gauss

    def words(self, inputs: Any) -> NDArray[np.uint64]:
        return self.word(self.stream(*inputs[:4]), inputs[4])

    def normals(self, inputs: Any) -> NDArray[np.float64]:
        return self.gauss(self.words(inputs))


@lru_cache(maxsize=1)
def small_inputs(count: int) -> NDArray[np.uint64]:
    """Inputs as weak as users give them: small seeds, ticks and slots, few agents and purposes."""
    index = np.arange(count, dtype=np.uint64)
    return np.stack([index % U(7), index // U(700), index % U(100), index % U(3), index // U(7) % U(100)])


@lru_cache(maxsize=2)
def random_inputs(count: int) -> NDArray[np.uint64]:
    return np.random.default_rng(1).integers(0, 2**64, (5, count), dtype=np.uint64)


def two_sided(z: float) -> float:
    """The probability that a standard normal is at least as far from 0 as `z`."""
    return math.erfc(abs(z) / math.sqrt(2))


@lru_cache(maxsize=1)
def million(generator: Generator) -> NDArray[np.float64]:
    """A million draws, which several checks look at in turn."""
    return generator.normals(small_inputs(1_000_000))


def distribution(generator: Generator) -> float:
    """Kolmogorov-Smirnov distance of a million draws from the normal distribution, looked at in every sixteenth draw."""
    draws = np.sort(million(generator))
    ranks = np.arange(0, draws.size, 16)
    below = np.array([math.erfc(draw) for draw in (draws[ranks] / -math.sqrt(2)).tolist()]) / 2 * draws.size
    distance = max((ranks + 1 - below).max(), (below - ranks).max()) / math.sqrt(draws.size)
    return min(1.0, 2 * math.exp(-2 * distance**2))


def mean(generator: Generator) -> float:
    """The mean of a million draws; its standard error is 0.001."""
    draws = million(generator)
    return two_sided(draws.mean() * math.sqrt(draws.size))


def variance(generator: Generator) -> float:
    """The variance of a million draws; its standard error is 0.0014."""
    draws = million(generator)
    return two_sided((draws.var() - 1) * math.sqrt(draws.size / 2))


def kurtosis(generator: Generator) -> float:
    """The excess kurtosis of a million draws; its standard error is 0.0049."""
    draws = million(generator)
    return two_sided(((draws**4).mean() / draws.var() ** 2 - 3) * math.sqrt(draws.size / 24))


def neighbours() -> list[NDArray[np.uint64]]:
    """What is added to the inputs to get their neighbours: one argument's next value, or one more here and less there."""
    unit = np.eye(5, dtype=np.uint64)
    single = list(unit)
    pairs = [unit[i] - unit[j] for i in range(5) for j in range(i)]
    return [offset[:, None] for offset in single + pairs]


def correlation(generator: Generator) -> float:
    """Correlation of 100 000 draws with those of neighbouring slots, ticks, seeds, agents, purposes, and of pairs."""
    inputs = random_inputs(100_000) >> U(40)
    draws = generator.normals(inputs)
    found = [np.corrcoef(draws, generator.normals(inputs + offset))[0, 1] for offset in neighbours()]
    return min(1.0, min(two_sided(r * math.sqrt(draws.size)) for r in found) * len(found))


def nibbles(generator: Generator) -> float:
    """Chi-square of the first, and of the last, four bits of 100 000 words jointly with those of their neighbours."""
    inputs = random_inputs(100_000) >> U(40)
    words = generator.words(inputs)
    found = []
    for offset in neighbours():
        others = generator.words(inputs + offset)
        for shift in (U(28), U(0)):
            joint = (words >> shift & U(15)) * U(16) + (others >> shift & U(15))
            counts = np.bincount(joint.astype(np.int64), minlength=256)
            chi_square = ((counts - words.size / 256) ** 2).sum() / (words.size / 256)
            # The cube root of chi-square over its degrees of freedom is normal to high accuracy (Wilson, Hilferty).
            scale = 2 / (9 * 255)
            found.append(two_sided(float(((chi_square / 255) ** (1 / 3) - (1 - scale)) / math.sqrt(scale))))
    return min(1.0, min(found) * len(found))


def avalanche(generator: Generator) -> float:
    """Each of the 320 input bits flips each of the 32 output bits in half of 2 000 cases."""
    inputs = random_inputs(2_000)
    words = generator.words(inputs)
    worst = 0.0
    for argument in range(5):
        for bit in range(64):
            changed = inputs.copy()
            changed[argument] ^= U(1 << bit)
            flipped = (words ^ generator.words(changed))[:, None] >> np.arange(32, dtype=np.uint64) & U(1)
            worst = max(worst, float(abs(flipped.mean(axis=0) - 0.5).max()))
    return min(1.0, two_sided(worst * 2 * math.sqrt(words.size)) * 320 * 32)


def one_round(key: NDArray[np.uint64], slot: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`word` without its second multiplication."""
    bits = slot * U(chance.FOLD) >> U(32) ^ key & U(chance.MASK_32)
    bits = (bits ^ bits >> U(16)) * U(chance.WORD_1) & U(chance.MASK_32)
    return np.asarray(bits ^ bits >> U(15) ^ key >> U(32))


def no_round(key: NDArray[np.uint64], slot: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`word` without any multiplication of the key."""
    return np.asarray((slot * U(chance.FOLD) >> U(32)) ^ (key & U(chance.MASK_32)))


def summed(*arguments: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`stream` that adds its arguments before it mixes them, so that one can undo another."""
    total = arguments[0] + arguments[1] + arguments[2] + arguments[3]
    return chance_arrays.stream(total, 0, 0, 0)


def unmixed(*arguments: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`stream` that only adds multiples."""
    factors = (chance.FOR_SEED, chance.FOR_TICK, chance.FOR_WHO, chance.FOR_PURPOSE)
    keys = np.zeros_like(arguments[0])
    for argument, factor in zip(arguments, factors, strict=True):
        keys += argument * U(factor)
    return keys


def half_a_slot(key: NDArray[np.uint64], slot: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return chance_arrays.word(key, slot & U(chance.MASK_32))


def stairs(word: NDArray[np.uint64]) -> NDArray[np.float64]:
    """`gauss` that forgets where in its segment a word lies."""
    tail = np.where(word >> U(31), word ^ U(chance.MASK_32), word) * U(2) + U(1)
    _, octave = np.frexp(tail.astype(np.float64))
    segment = (tail << (U(32) - octave.astype(np.uint64)) >> U(chance.FRACTION_BITS)).astype(np.int64) + (
        octave - 2
    ) * 64
    size = np.array(chance.knots())[segment]
    return np.asarray(np.where(word >> U(31), size, -size))


good = Generator()
CHECKS = [distribution, mean, variance, kurtosis, correlation, nibbles, avalanche]
FAULTS = [
    (distribution, "stairs", replace(good, gauss=stairs)),
    (distribution, "uniform", replace(good, gauss=lambda w: (chance_arrays.uniform(w) - 0.5) * math.sqrt(12))),
    (mean, "shifted", replace(good, gauss=lambda w: chance_arrays.gauss(w) + 0.01)),
    (variance, "wide", replace(good, gauss=lambda w: chance_arrays.gauss(w) * 1.01)),
    (kurtosis, "clipped", replace(good, gauss=lambda w: chance_arrays.gauss(w).clip(-3, 3))),
    (correlation, "summed", replace(good, stream=summed)),
    (correlation, "no round", replace(good, word=no_round)),
    (nibbles, "summed", replace(good, stream=summed)),
    (nibbles, "no round", replace(good, word=no_round)),
    (avalanche, "one round", replace(good, word=one_round)),
    (avalanche, "half a slot", replace(good, word=half_a_slot)),
    (avalanche, "unmixed", replace(good, stream=unmixed)),
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_draws_look_random(check: Callable[[Generator], float]) -> None:
    """No check finds anything that true randomness would not show once in a million times."""
    assert check(good) > ALARM


@pytest.mark.parametrize(
    ("check", "generator"),
    [(check, bad) for check, _, bad in FAULTS],
    ids=[f"{check.__name__}-{fault}" for check, fault, _ in FAULTS],
)
def test_every_check_can_fail(check: Callable[[Generator], float], generator: Generator) -> None:
    """A generator with a planted fault is caught by the check for it."""
    assert check(generator) < ALARM


def test_every_check_has_a_fault_that_it_catches() -> None:
    """No check is left that was never seen to fail."""
    assert {check for check, _, _ in FAULTS} == set(CHECKS)
