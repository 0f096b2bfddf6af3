"""How tests are collected. Every worker collects all of them, so what this costs is paid several times."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from _pytest.doctest import DoctestModule

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, and never look again at what was collected: nearly all of it stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in docstrings only in files that have any."""
    found = yield
    if b">>>" in file_path.read_bytes():
        return found
    return [one for one in found if not isinstance(one, DoctestModule)]
