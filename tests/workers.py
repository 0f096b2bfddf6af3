"""How workers collect, order and report tests. Every worker collects all of them, so what that costs is paid several times."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING, Final

import pytest
from _pytest.doctest import DoctestModule
from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

FIRST: Final = (
    "tests/execution/conformance/",
    "tests/drama/evening/",
    "tests/studio/browser/",
    "tests/drama/ensemble/test_rays.py",
    "tests/test_examples.py",
    "tests/drama/ensemble/test_playing.py",
    "tests/test_readme.py",
    "tests/drama/doctor/",
)
"""What takes longest: executors work in real time, evenings may have to be compiled, browsers, Rays and programs start."""


RARELY: Final = (20_000, 20, 20)
"""Thresholds of the garbage collector: most of what tests make is freed without it. Five files took 3 and 9 % less in two
trials."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, and never look again at what was collected: nearly all of it stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*RARELY)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in docstrings only in files that have any."""
    found = yield
    if b">>>" in file_path.read_bytes():
        return found
    return [one for one in found if not isinstance(one, DoctestModule)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no worker is left with it at the end when the others have nothing to do."""
    ids = [item.nodeid for item in items]
    items[:] = [items[place] for place in deal(ids, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))]


if "PYTEST_XDIST_WORKER" in os.environ:

    def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test, and tell the controller how it ended: a set-up or tear-down that passes says nothing, and 3,000 empty
        tests take a quarter less without them."""
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def pytest_unconfigure() -> None:
    """Look once for what was never freed, and not five times, as pytest does next."""
    gc.collect()
    gc.freeze()


def deal(ids: Sequence[str], workers: int) -> list[int]:
    """The places of tests in the order in which they are run. Each worker gets an equal span of it, one after the other:
    these begin with the longest in turn, each kept together because its tests share what they start."""
    groups: list[list[int]] = [[] for _ in (*FIRST, "the rest")]
    for place, id in enumerate(ids):
        groups[next((n for n, part in enumerate(FIRST) if id.startswith(part)), len(FIRST))].append(place)
    rest, dealt = groups.pop(), list[int]()
    for worker in range(workers):
        first = [place for group in groups[worker::workers] for place in group]
        more = max(0, (len(ids) - len(dealt)) // (workers - worker) - len(first))
        dealt += first + rest[:more]
        rest = rest[more:]
    return dealt + rest
