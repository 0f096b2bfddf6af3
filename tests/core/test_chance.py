"""Keyed chance: known bits, the same in Python, numpy and Numba, and nothing that depends on the process."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core import chance, chance_arrays, chance_numba
from volition.core.errors import MissingPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.sentences import Told

words_32 = st.integers(0, 2**32 - 1)
words_64 = st.integers(0, 2**64 - 1)

compiled_stream, compiled_word = chance_numba.stream, chance_numba.word
compiled_gauss, compiled_uniform = chance_numba.gauss, chance_numba.uniform


@numba.njit
def compiled_draws(inputs: Any, keys: Any, words: Any, normals: Any, uniforms: Any) -> None:
    for i in range(keys.size):
        keys[i] = compiled_stream(inputs[0, i], inputs[1, i], inputs[2, i], inputs[3, i])
        words[i] = compiled_word(keys[i], inputs[4, i])
        normals[i] = compiled_gauss(words[i])
        uniforms[i] = compiled_uniform(words[i])


def random_words(count: int, rows: int) -> NDArray[np.uint64]:
    """Rows of uint64, half of them random bits and half small numbers, as ticks and hand-made seeds are."""
    bits = np.random.default_rng(20).integers(0, 2**64, (rows, count), dtype=np.uint64)
    return np.where(np.arange(count) % 2, bits, bits >> np.uint64(54))


@pytest.mark.parametrize(
    ("name", "expected"), [("", 0x141CFC9842C4B0E3), ("a", 0xCABD1BCA128197CA), ("\u20ac", 0x2DF1263DED90CCC4)]
)
def test_known_ids(name: str, expected: int) -> None:
    """The id of a name never changes: it is the start of its SHA-256."""
    assert chance.uid(name) == expected
    assert expected.to_bytes(8, "little") == hashlib.sha256(name.encode()).digest()[:8]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((0, 0, 0, 0), 0x9A04B5983ED5A094),
        ((1, 0, 0, 0), 0x464185B5CF57AE7B),
        ((0, 1, 0, 0), 0x7C378533B23EC5F3),
        ((0, 0, 1, 0), 0x0F092E1D9B261695),
        ((0, 0, 0, 1), 0x3CEF5BB32E43A685),
        ((7, 25, 17098247691690884505, 13137428385601979343), 0x61C57D3AE19A4C34),
        ((-1, -1, 2**64 - 1, 2**64 - 1), 0x6F367B365A17B63B),
        ((2**200 + 3, 5, 6, 7), 0xE2F7C04AC8F0EDCA),
    ],
)
def test_known_keys(arguments: tuple[int, int, int, int], expected: int) -> None:
    """Keys never change, and every argument is taken modulo 2^64."""
    assert chance.stream(*arguments) == expected
    assert chance_arrays.stream(*arguments).tolist() == [expected]


@pytest.mark.parametrize(
    ("key", "slot", "expected"),
    [
        (0, 0, 0),
        (1, 0, 0x688990C0),
        (0, 1, 0xAF3CF609),
        (1 << 32, 0, 0x846C22E7),
        (0, 1 << 32, 0x9392EC66),
        (2**64 - 1, 2**64 - 1, 0xCC57CC17),
        (0x0123456789ABCDEF, 0xFEDCBA9876543210, 0x7B681BE5),
    ],
)
def test_known_words(key: int, slot: int, expected: int) -> None:
    """Words never change."""
    assert chance.word(key, slot) == expected
    assert chance_arrays.word(key, slot).tolist() == [expected]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (0, "-0x1.95a1199000000p+2"),
        (1, "-0x1.8aa6c7fe00000p+2"),
        (12345, "-0x1.22446917df000p+2"),
        (2**30, "-0x1.5956b874ddb43p-1"),
        (2**31 - 1, "-0x1.40da820000000p-32"),
        (2**31, "0x1.40da820000000p-32"),
        (3 * 2**30, "0x1.5956b87b2746ep-1"),
        (0xDEADBEEF, "0x1.2029ed911db7ep+0"),
        (2**32 - 1, "0x1.95a1199000000p+2"),
    ],
)
def test_known_normals(word: int, expected: str) -> None:
    """Normal draws never change."""
    assert chance.gauss(word).hex() == expected
    assert chance_arrays.gauss(word)[0].hex() == expected


def test_python_numpy_and_numba_give_the_same_bits() -> None:
    """On 40 000 inputs keys, words, normals and uniforms are equal to the last bit in all three forms."""
    count = 40_000
    inputs = random_words(count, 5)
    key = chance_arrays.stream(*inputs[:4])
    word = chance_arrays.word(key, inputs[4])
    normal, uniform = chance_arrays.gauss(word), chance_arrays.uniform(word)

    compiled = (np.empty_like(key), np.empty_like(word), np.empty_like(normal), np.empty_like(uniform))
    compiled_draws(inputs, *compiled)
    for ours, theirs in zip((key, word, normal, uniform), compiled, strict=True):
        assert ours.tobytes() == theirs.tobytes()

    rows = inputs.T.tolist()
    keys = [chance.stream(seed, tick, who, purpose) for seed, tick, who, purpose, _ in rows]
    assert keys == key.tolist()
    words = [chance.word(k, row[4]) for k, row in zip(keys, rows, strict=True)]
    assert words == word.tolist()
    assert np.array([chance.gauss(w) for w in words]).tobytes() == normal.tobytes()
    assert [chance.uniform(w) for w in words] == uniform.tolist()


def test_normals_agree_at_every_segment() -> None:
    """Python, numpy and Numba agree at both ends of every segment of the table, in both tails."""
    tails = {((chance.SEGMENTS + s) << octave) >> 7 for octave in range(chance.OCTAVES) for s in range(chance.SEGMENTS)}
    words = sorted({w ^ flip for tail in tails for w in (max(tail - 1, 0), tail) for flip in (0, chance.MASK_32)})
    normals = chance_arrays.gauss(words)
    assert np.array([chance.gauss(w) for w in words]).tobytes() == normals.tobytes()
    assert np.array([chance_numba.gauss(np.uint64(w)) for w in words]).tobytes() == normals.tobytes()
    assert (np.diff(normals) > 0).all()


@given(st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=5), words_64)
def test_arrays_take_any_integers(numbers: list[int], slot: int) -> None:
    """Negative and huge integers are taken modulo 2^64, in a list as well as alone."""
    expected = [chance.stream(number, 1, slot, number) for number in numbers]
    assert chance_arrays.stream(numbers, 1, slot, numbers).tolist() == expected
    assert chance_arrays.word(expected, slot).tolist() == [chance.word(key, slot) for key in expected]


def test_arrays_broadcast_and_refuse_floats() -> None:
    """Keys and slots broadcast to a table; signed arrays wrap; a float is not an id."""
    table = chance_arrays.word(np.array([[1], [-2]]), np.arange(3))
    assert table.tolist() == [[chance.word(key, slot) for slot in range(3)] for key in (1, 2**64 - 2)]
    with pytest.raises(TypeError):
        chance_arrays.word(1.5, 2)


def test_noise_is_made_of_its_parts() -> None:
    """The draw by names is the draw by ids, in Python and in arrays."""
    by_name = chance.noise(7, 25, "victor", "choice", "conflict:marcus")
    who, purpose, what = chance_arrays.uids(["victor", "choice", "conflict:marcus"])
    key = chance_arrays.stream(7, 25, who, purpose)
    assert chance_arrays.gauss(chance_arrays.word(key, what)).tolist() == [by_name]


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_bits_do_not_depend_on_the_process(hash_seed: str) -> None:
    """Another process with another hash seed draws the same bits."""
    program = (
        "import hashlib; from volition.core.chance import noise\n"
        "text = ''.join(noise(3, t, w, 'choice', s).hex() for t in range(50) for w in ('ann', 'bob') for s in 'xyz')\n"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    text = "".join(
        chance.noise(3, tick, who, "choice", slot).hex()
        for tick in range(50)
        for who in ("ann", "bob")
        for slot in "xyz"
    )
    assert run.stdout.strip() == hashlib.sha256(text.encode()).hexdigest()


@given(words_32, words_32)
def test_gauss_is_odd_bounded_and_grows_with_the_word(one: int, other: int) -> None:
    """Complementary words give opposite draws, a larger word a larger draw, and no draw leaves the bound."""
    assert chance.gauss(one ^ chance.MASK_32) == -chance.gauss(one)
    assert abs(chance.gauss(one)) <= chance.GAUSS_BOUND
    if one != other:
        assert (chance.gauss(one) < chance.gauss(other)) == (one < other)


@given(words_32)
def test_uniform_is_the_word_as_a_fraction(word: int) -> None:
    """A uniform draw is in [0, 1) and gives its word back."""
    assert 0 <= chance.uniform(word) < 1
    assert chance.uniform(word) * 2**32 == word


def test_gauss_is_the_inverse_of_the_normal_cdf() -> None:
    """The largest error of the table is at most 2e-5, looked for in the middle of every segment and at random."""
    middles = [((2 * (64 + s) + 1) << octave) >> 8 for octave in range(32) for s in range(64)]
    at_random = np.random.default_rng(5).integers(0, 2**31, 50_000).tolist()
    inverse = NormalDist().inv_cdf
    worst = max(abs(chance.gauss(w) - inverse((w + 0.5) / 2**32)) for w in {*middles, *at_random})
    assert 5e-6 < worst <= 2e-5


def test_knots_do_not_depend_on_the_last_bits_of_a_logarithm() -> None:
    """Every quantile is at least 100 ulps away from where it would round to another knot."""
    inverse = NormalDist().inv_cdf
    for index, knot in enumerate(chance.knots()[:-1]):
        octave, segment = divmod(index, chance.SEGMENTS)
        exact = -inverse((chance.SEGMENTS + segment) * 2.0 ** (octave - 39))
        room = 2.0**-31 - abs(exact - knot)
        assert room > 100 * math.ulp(max(exact, 0.25))


def test_products_of_the_table_are_exact() -> None:
    """A slope times any place in its segment needs at most 53 bits, so fused and separate arithmetic agree."""
    knots = chance.knots()
    falls = [after - before for before, after in pairwise(knots)]
    steps = [round(fall * 2**30) for fall in falls]
    assert [step / 2**30 for step in steps] == falls
    assert max(abs(step) for step in steps).bit_length() + chance.FRACTION_BITS <= 53


def test_another_table_is_refused(monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """If the platform computes another table, no draw is made from it."""
    real = NormalDist.inv_cdf
    monkeypatch.setattr(NormalDist, "inv_cdf", lambda self, p: real(self, p) * (1 + 1e-8))
    chance.knots.cache_clear()
    with told.raises(MissingPart):
        chance.knots()
    monkeypatch.undo()
    assert chance.knots()[0] == chance.GAUSS_BOUND


def test_without_numba_the_error_says_what_to_install() -> None:
    """Importing compiled chance without Numba names the extra that installs it; `chance` needs neither library."""
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "import volition.core.chance; assert 'numpy' not in sys.modules\n"
        "from volition.core.errors import MissingPart\n"
        "try:\n    import volition.core.chance_numba\n"
        "except MissingPart as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "'.[fast]'" in run.stdout
