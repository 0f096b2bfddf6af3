"""What every test may use: requirement tracing, pytest's test bench for plugins, folders in memory, and Hypothesis profiles.

A run is the same every time, so that a failure means a change and not bad luck. `HYPOTHESIS_PROFILE=search make test`
looks at new examples instead, and more of them.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from hypothesis import settings

from tests import warm
from tests.in_memory import place_in_memory
from tests.keys import use_test_key

if TYPE_CHECKING:
    import pytest

pytest_plugins = ["pytester", "tests.workers", "tests.conformance", "tests.sentences"]
use_test_key()

# A small file in memory takes a seventh of the time of one on a disk, and nothing waits for it to be removed.
if (in_memory := place_in_memory()) is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(in_memory))

settings.register_profile("same", max_examples=15, derandomize=True, deadline=None, print_blob=True)
settings.register_profile("search", max_examples=1000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# If the parent ignores Ctrl-C (nohup, or a background job), every child would too, and could not be tested with it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Workers share one warm process, which warms up while tests are collected."""
    if config.getoption("workers") and not config.option.collectonly:
        warm.begin()


def pytest_collection_finish(session: pytest.Session) -> None:
    """It is warm before workers are forked: each would wait for the one line that says so."""
    if session.config.getoption("workers") and not session.config.option.collectonly:
        warm.warm()
