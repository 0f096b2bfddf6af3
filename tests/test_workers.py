"""Workers: every test is run once, those that take longest first; however tests or workers end, the run says it in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.processes import PATIENCE, ROOT
from tests.workers import FIRST, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = (*(f"{folder}/test_{name}.py" for folder in (*FIRST, "tests/core", "src") for name in "ab"), "test_root.py")
NAMES = st.lists(st.tuples(st.sampled_from(FILES), st.integers(1, 4)), max_size=30)

OUTCOMES = """
import pytest

@pytest.fixture
def broken():
    raise RuntimeError

@pytest.fixture
def closing():
    yield
    raise RuntimeError

def test_passes(): pass
def test_fails():
    print("what it printed")
    assert False
def test_begins(broken): pass
def test_ends(closing): pass
def test_skips(): pytest.skip("not here")
"""
SHARED = """
import atexit
import os
import pytest
from pathlib import Path

@pytest.fixture(scope="session")
def kept():
    yield
    Path(f"ended-{os.getpid()}").touch()

@pytest.fixture(scope="module", autouse=True)
def file(kept, request):
    atexit.register(Path(f"left-{os.getpid()}").touch)
    with open("files", "a") as files:
        files.write(f"{request.path.name}\\n")

@pytest.fixture(autouse=True)
def folder(tmp_path):
    with open("folders", "a") as folders:
        folders.write(f"{tmp_path}\\n")
"""
DYING = """
import os
import signal
import pytest

def test_before(): pass
def test_dies(): os.kill(os.getpid(), signal.SIGKILL)
@pytest.mark.parametrize("number", range(20))
def test_after(number): pass
"""
LASTING = """
import time
from pathlib import Path

def test_lasts():
    Path("begun").touch()
    try:
        time.sleep(1000)
    finally:
        Path("ended").touch()
"""
WAITING = """
import os
import signal
import time
from pathlib import Path

def wait_for(name):
    while not Path(name).exists():
        time.sleep(0.01)
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pytest.RunResult]:
    """Runs the tests of a folder with two workers, in a process that has nothing of this one."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def call(*words: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess("-p", "tests.workers", "--workers", "2", *words, timeout=PATIENCE)

    return call


@given(NAMES)
def test_every_test_is_run_once(names: list[tuple[str, int]]) -> None:
    """Every test is in one part. What was collected in a row from one folder is one part, and the parts that take longest come
    first."""
    ids = [f"{name}::test_{number}" for name, count in names for number in range(count)]
    parts = parts_of(ids)
    assert sorted(place for part in parts for place in part) == list(range(len(ids)))
    folders = [id[: id.index("test_")].rstrip("/") if "/" in id else "" for id in ids]
    assert all(len({folders[place] for place in part}) == 1 for part in parts)
    assert len(parts) == sum(folder != before for folder, before in zip(folders, [None, *folders], strict=False))
    ranks = [[folders[part[0]] == name for name in FIRST] for part in parts]
    assert ranks == sorted(ranks, reverse=True)


def test_every_outcome_is_reported(pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    """Failures and skips are counted wherever they happen: in a set-up, in a test or in a tear-down. What a test printed is
    shown where it failed."""
    pytester.makepyfile(OUTCOMES)
    found = run()
    found.assert_outcomes(passed=2, failed=1, errors=2, skipped=1)
    found.stdout.fnmatch_lines(["*Captured stdout call*", "what it printed"])


def test_workers_share_nothing(pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    """Every worker has temporary folders that no other one has, sets up what a file needs once, and tears down what it has set up
    and does what is left to do at its exit."""
    pytester.makeconftest(SHARED)
    pytester.makepyfile(**{f"{name}/test_{name}": "def test_one(): pass\ndef test_two(): pass" for name in "abcdef"})
    run().assert_outcomes(passed=12)
    folders = (pytester.path / "folders").read_text(encoding="utf-8").split()
    assert len(set(folders)) == len(folders) == 12
    assert sorted((pytester.path / "files").read_text(encoding="utf-8").split()) == [
        f"test_{name}.py" for name in "abcdef"
    ]
    ended, left = (
        {path.name.partition("-")[2] for path in pytester.path.glob(f"{kind}-*")} for kind in ("ended", "left")
    )
    assert ended == left
    assert 1 <= len(ended) <= 2


def test_a_worker_that_dies(pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    """The test in which a worker is killed has failed, and another worker goes on after it."""
    pytester.makepyfile(DYING)
    found = run()
    found.assert_outcomes(passed=21, failed=1)
    found.stdout.fnmatch_lines(["*the worker that ran this test died: -9*", "FAILED *::test_dies*"])


def test_the_first_failure_may_end_the_run(pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    """With -x a failure ends the run: what the other worker is at is interrupted, and torn down."""
    failing = f"{WAITING}\ndef test_fails():\n    wait_for('begun')\n    assert False"
    pytester.makepyfile(**{"a/test_a": LASTING, "b/test_b": failing})
    assert run("-x").ret == pytest.ExitCode.TESTS_FAILED
    assert (pytester.path / "ended").exists()


def test_a_run_that_is_interrupted(pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    """Ctrl-C ends the controller, and with it all workers, which tear down what they have set up."""
    stopping = f"{WAITING}\ndef test_stops():\n    wait_for('begun')\n    os.kill(os.getppid(), signal.SIGINT)\n    wait_for('never')"
    pytester.makepyfile(**{"a/test_a": LASTING, "b/test_b": stopping})
    assert run("-s").ret == pytest.ExitCode.INTERRUPTED
    assert (pytester.path / "ended").exists()
