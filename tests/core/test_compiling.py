"""Laws of compiled functions on disk: whoever asks first compiles, and everybody else waits and loads."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.processes import ROOT
from volition.core.compiling import compile_cached, compiled_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytest.importorskip("numba")

MADE = """
def twice(number):
    return number + number


def sum_up(count):
    total = 0
    for number in range(count):
        total += twice(number)
    return total
"""
ASK = """
import sys
import made
from volition.core.compiling import compile_cached

made.twice = compile_cached(made.twice, [made])
sum_up = compile_cached(made.sum_up, [made])
if "stuck" in sys.argv:
    sum_up._compiler.compile = lambda *types: print("compiling", flush=True) or sys.stdin.readline()
else:
    print("ready", flush=True)
    sys.stdin.readline()
assert sum_up(4) == 12
print(sum(sum_up.stats.cache_misses.values()), sum(sum_up.stats.cache_hits.values()), flush=True)
"""


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a process that asks for a compiled function, and that has a cache in common with the others."""
    (tmp_path / "made.py").write_text(MADE)
    path = os.pathsep.join([str(tmp_path), str(ROOT / "src")])
    env = {**os.environ, "PYTHONPATH": path, "VOLITION_CACHE": str(tmp_path / "cache")}
    pipe = subprocess.PIPE
    with ExitStack() as started:

        def start(*how: str) -> subprocess.Popen[str]:
            asking = subprocess.Popen([sys.executable, "-c", ASK, *how], env=env, stdin=pipe, stdout=pipe, text=True)
            started.enter_context(asking)
            started.callback(asking.kill)
            return asking

        yield start


def _said(asking: subprocess.Popen[str]) -> str:
    """The next line of a process."""
    assert asking.stdout is not None
    return asking.stdout.readline().strip()


def _let_go(*asking: subprocess.Popen[str]) -> None:
    for one in asking:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()


def test_of_many_processes_one_compiles(ask: Callable[..., subprocess.Popen[str]]) -> None:
    """Of processes that need the same function at once, one compiles it and the other loads it; one that dies while it compiles
    holds nobody up."""
    dies = ask("stuck")
    assert _said(dies) == "compiling"
    asking = [ask() for _ in range(2)]
    assert [_said(one) for one in asking] == ["ready"] * 2
    _let_go(*asking)
    dies.kill()
    assert sorted(_said(one) for one in asking) == ["0 1", "1 0"]


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
