"""Laws of compiled functions on disk: whoever asks first compiles, and everybody else waits and loads."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from multiprocessing import Pipe, get_context
from typing import TYPE_CHECKING

import pytest

from volition.core.compiling import compile_cached, compiled_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess
    from pathlib import Path

numba = pytest.importorskip("numba")

MADE = """
def twice(number):
    return number + number


def sum_up(count):
    total = 0
    for number in range(count):
        total += twice(number)
    return total
"""


def ask_for(folder: Path, test: Connection, is_stuck: bool) -> None:
    """Ask for a compiled function once the test says so, or compile it forever; say how often it was compiled and loaded."""
    sys.path.insert(0, str(folder))
    os.environ["VOLITION_CACHE"] = str(folder / "cache")
    made = importlib.import_module("made")
    made.twice = compile_cached(made.twice, [made])  # type: ignore[attr-defined]
    sum_up = compile_cached(made.sum_up, [made])
    if is_stuck:
        sum_up._compiler.compile = lambda *_: stick(test)
    else:
        test.send("ready")
        test.recv()
    assert sum_up(4) == 12
    test.send((sum(sum_up.stats.cache_misses.values()), sum(sum_up.stats.cache_hits.values())))


def stick(test: Connection) -> None:
    """Compile for as long as the test waits."""
    test.send("compiling")
    test.recv()


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[..., tuple[ForkProcess, Connection]]]:
    """Start a process that asks for a compiled function, and that has a cache in common with the others."""
    (tmp_path / "made.py").write_text(MADE)
    numba.njit(lambda number: number + number)(1)  # a compiler that was in use is ready in every process that is forked
    started: list[ForkProcess] = []

    def start(*, is_stuck: bool = False) -> tuple[ForkProcess, Connection]:
        here, there = Pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # no thread of a test holds a lock that is needed
            process = get_context("fork").Process(target=ask_for, args=(tmp_path, there, is_stuck))
            process.start()
        there.close()
        started.append(process)
        return process, here

    yield start
    for process in started:
        process.kill()
        process.join()


def test_of_many_processes_one_compiles(ask: Callable[..., tuple[ForkProcess, Connection]]) -> None:
    """Of processes that need the same function at once, one compiles it and the other loads it; one that dies while it compiles
    holds nobody up."""
    dies, dying = ask(is_stuck=True)
    assert dying.recv() == "compiling"
    asking = [ask()[1] for _ in range(2)]
    assert [one.recv() for one in asking] == ["ready"] * 2
    for one in asking:
        one.send("go")
    dies.kill()
    assert sorted(one.recv() for one in asking) == [(0, 1), (1, 0)]


def test_without_locks_everybody_compiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the system has no file locks, or none can be made, code is compiled as if alone."""

    def twice(number: int) -> int:
        return number + number

    module = sys.modules[__name__]
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, "fcntl", None)
    assert compile_cached(twice, [module])(4) == 8
    monkeypatch.undo()
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path / "other"))
    function = compile_cached(twice, [module])
    (compiled_folder([module]) / "twice.lock").mkdir()
    assert function(4) == 8
