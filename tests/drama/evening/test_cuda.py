"""Laws of the engine for graphics processors: it fuses nothing, so its evenings are everybody's.

What is compiled for a device can be read without one. Both need the extra 'gpu', whose compiler is large; where it is not
installed the tests are skipped, and `make gpu` installs it and runs them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.drama.evening.casts import READINGS, bytes_of, invented, shipped
from volition.core.compiling import compiled_folder
from volition.core.errors import InvalidInput, MissingPart
from volition.drama.ensemble.terms import law_term
from volition.drama.evening import cuda_exact, grid
from volition.drama.evening.compiled import PACKED
from volition.drama.evening.cuda import COMPILES, compiled_grid, grid_made_of, is_grid_kept, kernel_of, sizes_in_kernel
from volition.drama.evening.device import GridColumns, LaunchedBatch, results_of
from volition.drama.evening.limits import SMALL
from volition.drama.evening.play_many import Engine, play_many
from volition.drama.evening.players import ALL_STEPS, CompiledPlayer
from volition.drama.evening.rows import TALLY, pack_rows

if TYPE_CHECKING:
    from pathlib import Path

    from volition.drama.world.model import Scenario

needs_compiler = pytest.mark.skipif(
    find_spec("numba_cuda") is None, reason="SKIPPED: numba-cuda is not installed; `make gpu` installs it and tests it"
)
_INEXACT = re.compile(r"\b(?:div|sqrt|rcp|sin|cos|ex2|lg2)\.(?:approx|full)\S*")
_ARITHMETIC = re.compile(r"\b(fma|mad|add|sub|mul|div)\.(?:\w+\.)*f(?:32|64)\b")


def _has_device() -> bool:
    return find_spec("numba_cuda") is not None and bool(cuda_exact.cuda_module().is_available())


def grid_code(monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int] = (9, 0)) -> str:
    """The kernel that measures, as PTX for a compute capability; no device need be there."""
    from numba import from_dtype

    cuda, types = cuda_exact.cuda_module(), PACKED[SMALL]
    numbers = cuda.types
    words, counts = numbers.uint64[::1], numbers.int64[::1]

    def records(*types: Any) -> list[Any]:
        return [from_dtype(type)[::1] for type in types]

    device = SimpleNamespace(compute_capability=capability)
    monkeypatch.setattr(import_module("numba.cuda.dispatcher"), "get_current_device", lambda: device)
    with cuda_exact.exact():
        taken = (
            *records(types.state, types.sheet, types.tables, types.log, types.moments, types.spreads),
            words, numbers.int64, counts, counts, counts, words,
            *records(types.measures, types.looks), counts, counts, numbers.uint8[::1],
        )  # fmt: skip
        return str(cuda.compile_ptx(kernel_of(SMALL, measured=True), taken, cc=capability)[0])


@needs_compiler
def test_the_whole_evening_fuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """In all that a device is given to do there are sums and products of reals, none of them is fused, and nothing is
    approximate.
    """
    code = grid_code(monkeypatch)
    done = Counter(_ARITHMETIC.findall(code))
    assert done["add"] > 100
    assert done["mul"] > 100
    assert done["fma"] == done["mad"] == 0
    assert not _INEXACT.findall(code)


@needs_compiler
def test_left_alone_the_compiler_fuses() -> None:
    """The option is what does it: the same product and sum is fused without it, and not with it."""
    cuda = cuda_exact.cuda_module()
    reals = cuda.types.float64[::1]

    def grow(numbers, factors, sums):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        at = cuda.grid(1)
        sums[at] += numbers[at] * factors[at]

    fused = str(cuda.compile_ptx(grow, (reals, reals, reals), cc=(9, 0))[0])
    with cuda_exact.exact():
        exact = str(cuda.compile_ptx(grow, (reals, reals, reals), cc=(9, 0))[0])
    assert "fma" in _ARITHMETIC.findall(fused)
    assert sorted(_ARITHMETIC.findall(exact)) == ["add", "mul"]


@needs_compiler
def test_a_terminal_is_told_that_a_kernel_is_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Before a kernel is compiled a terminal is told so, once in a process; where one is kept nothing is said."""
    screen = StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path))
    compiled_grid.cache_clear()
    assert compiled_grid() is compiled_grid()
    assert screen.getvalue() == f"{COMPILES}\n"
    (compiled_folder(grid_made_of()) / "grid.play_grid_small-1.py311.nbi").touch()
    assert is_grid_kept()
    assert not is_grid_kept(measured=True)
    compiled_grid.cache_clear()
    compiled_grid()
    assert screen.getvalue() == f"{COMPILES}\n"
    compiled_grid.cache_clear()


@needs_compiler
def test_what_has_moved_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where numba-cuda has no such function any more, nothing is compiled, and the error names the version to use."""
    monkeypatch.delattr(import_module(cuda_exact.COMPILER), cuda_exact.STEP)
    with pytest.raises(MissingPart, match=r"compile_ir[\s\S]*\.\[gpu\]"), cuda_exact.exact():
        pass


@pytest.mark.skipif(_has_device(), reason="there is a device")
def test_without_a_device_the_engine_says_so() -> None:
    """Without numba-cuda or a device, the engine says what is missing and what gives the same evenings."""
    pytest.importorskip("numba")
    with pytest.raises(MissingPart, match=r"gpu|graphics processor"):
        play_many(shipped("dinner-party"), [1], engine="cuda")


def test_terms_are_refused() -> None:
    """Evenings on a device have no custom terms, which is said before anything is played."""
    pytest.importorskip("numba")
    term = law_term("calm", lambda evening, tables, me, seen, act: 0.0)
    with pytest.raises(InvalidInput, match="compiled engine"):
        play_many(shipped("dinner-party"), [1], engine="cuda", terms=[term])


def test_what_comes_back_is_put_in_order() -> None:
    """Tallies are listed on a device in the order in which evenings end; rows have them in the order of the seeds.

    An evening that lacked room has none, and is named.
    """
    pytest.importorskip("numba")
    player, seeds = CompiledPlayer(shipped("dinner-party")), np.arange(4, dtype=np.uint64)
    states, stops, endings = player.open_evenings(seeds), np.zeros(4, np.int64), np.zeros(4, np.int64)
    measured = player.new_measures(4)
    player.play(states, player.new_log(logged=True, brief=True), 12, ALL_STEPS, True, stops, endings, measured)
    rows = pack_rows(*measured, np.zeros((4, 32), np.uint8), player.sizes)
    order, starts, listed = (2, 0, 3, 1), np.zeros(4, np.int64), b""
    for number in order:
        starts[number] = len(listed) // TALLY.itemsize
        listed += rows.part(number, number + 1).tally.tobytes()
    back = LaunchedBatch(
        GridColumns(stops, endings, seeds), measured.measures, measured.looks, rows.row["tallies"], starts,
        np.frombuffer(listed, np.uint8),
    )  # fmt: skip
    found = results_of(player, back, measured=True)
    assert found.rows is not None
    assert bytes_of(found.rows) == bytes_of(rows)
    assert not found.lacking.size
    measured.measures["overflow"][1] = 1
    lacking = results_of(player, back, measured=True)
    assert lacking.rows is not None
    assert lacking.lacking.tolist() == [1]
    assert lacking.rows.row["tallies"].tolist() == [0 if n == 1 else rows.row["tallies"][n] for n in range(4)]
    assert bytes_of(lacking.rows.part(2, 4)) == bytes_of(rows.part(2, 4))


needs_device = pytest.mark.skipif(not _has_device(), reason="SKIPPED: there is no graphics processor here")


def check_ticks(scenario: Scenario, engine: Engine = "cuda", ticks: int = 30, evenings: int = 100) -> None:
    """Evenings of an engine that are stopped after each of some ticks have the states of the compiled engine's.

    A checksum is of every field of a state.
    """
    engines: tuple[Engine, Engine] = (engine, "compiled")
    for last in range(ticks + 1):
        theirs, ours = (play_many(scenario, range(evenings), ticks=last, engine=way) for way in engines)
        assert np.array_equal(theirs.checksums, ours.checksums)
        assert np.array_equal(theirs.stops, ours.stops)


KEPT = """
from volition.drama.evening.cuda import compiled_grid
from volition.drama.evening.play_many import play_many
from volition.drama.world.scenario import load_scenario

print(play_many(load_scenario("dinner-party"), range(100), engine="cuda").checksums.tolist())
kept = compiled_grid("small", measured=False).stats
print(sum(kept.cache_misses.values()), sum(kept.cache_hits.values()))
"""


@needs_device
def test_a_kernel_is_compiled_once_on_a_machine(tmp_path: Path) -> None:
    """The first process compiles a kernel and keeps it, and the next one loads it: its evenings are the same."""
    env = {**os.environ, "VOLITION_CACHE": str(tmp_path)}
    said = [
        subprocess.run([sys.executable, "-c", KEPT], env=env, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    (first, compiled), (second, loaded) = (one.splitlines() for one in said)
    assert (compiled, loaded) == ("1 0", "0 1")
    assert first == second


@needs_device
@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_every_tick_on_a_device_is_the_processors(name: str, by_the_letter: bool) -> None:
    """Every field of a state is the compiled engine's after every tick."""
    check_ticks(shipped(name, by_the_letter=by_the_letter))


@needs_device
@pytest.mark.parametrize("most", [8, 16])
def test_so_it_is_for_invented_evenings(most: int) -> None:
    """So it is for invented scenarios up to the limits of small and of large records."""
    for seed in range(8):
        check_ticks(invented(seed, most_people=most, most_rooms=most), ticks=12, evenings=20)


@needs_device
@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_evenings_on_a_device_are_the_processors(name: str, by_the_letter: bool) -> None:
    """Checksums, stops and endings are the compiled engine's; a state that is asked for is too."""
    scenario = shipped(name, by_the_letter=by_the_letter)
    theirs, ours = (play_many(scenario, range(2000), engine=engine) for engine in ("cuda", "compiled"))
    assert np.array_equal(theirs.checksums, ours.checksums)
    assert np.array_equal(theirs.stops, ours.stops)
    assert np.array_equal(theirs.endings, ours.endings)
    assert theirs.digest(7) == ours.digest(7)


@needs_device
@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_measures_on_a_device_are_the_processors(name: str, by_the_letter: bool) -> None:
    """Every bit of every row is the compiled engine's, but for the digest of a state, which stays on the device."""
    scenario = shipped(name, by_the_letter=by_the_letter)
    theirs, ours = (play_many(scenario, range(2000), engine=engine, measures=True) for engine in ("cuda", "compiled"))
    kept = theirs.measures.row["state"].copy()
    theirs.measures.row["state"] = ours.measures.row["state"]
    assert bytes_of(theirs.measures) == bytes_of(ours.measures)
    assert not kept.any()


def test_nothing_is_left_open_in_the_kernel() -> None:
    """Every name that the module of the kernel leaves open is filled in where it is compiled, and no other."""
    pytest.importorskip("numba")
    used = {name for function in (grid.play_grid, *grid.HELPERS) for name in function.__code__.co_names}
    empty = {name for name in used if name.isupper() and not getattr(grid, name)}
    assert empty - {"GOES_ON", "MEASURED"} == set(sizes_in_kernel(SMALL))
