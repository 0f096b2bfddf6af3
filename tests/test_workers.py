"""The order of the tests: none is lost, and every worker begins with some of the longest. The reports: no failure is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tests.workers import FIRST, deal

if TYPE_CHECKING:
    import pytest

NAMES = st.lists(st.sampled_from([*FIRST, "tests/core/test_chance.py", "tests/cli/test_help.py"]), max_size=60)


@given(NAMES, st.integers(1, 70))
def test_every_test_is_run_once(names: list[str], workers: int) -> None:
    """Whatever is collected and however many workers there are, every test has one place in the order."""
    assert sorted(deal(names, workers)) == list(range(len(names)))


@given(st.integers(1, len(FIRST)), st.integers(0, 50))
def test_every_worker_begins_with_the_longest(workers: int, more: int) -> None:
    """Cut into equal spans, one for each worker, every span begins with what takes longest, and has the rest behind it."""
    others = workers * (len(FIRST) + more)
    names = [*["tests/core/test_chance.py"] * others, *FIRST]
    order = [names[place] for place in deal(names, workers)]
    for worker in range(workers):
        size = len(order) // (workers - worker)
        span, order = order[:size], order[size:]
        turn = FIRST[worker::workers]
        assert tuple(span[: len(turn)]) == turn
        assert not set(span[len(turn) :]) & set(FIRST)


def test_every_outcome_is_reported(pytester: pytest.Pytester) -> None:
    """Failures and skips are counted wherever they happen: in a set-up, in a test or in a tear-down."""
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def broken():
            raise RuntimeError

        @pytest.fixture
        def closing():
            yield
            raise RuntimeError

        def test_passes(): pass
        def test_fails(): assert False
        def test_begins(broken): pass
        def test_ends(closing): pass
        def test_skips(): pytest.skip("not here")
        """
    )
    found = pytester.runpytest("-p", "tests.workers", "-n", "2")
    found.assert_outcomes(passed=2, failed=1, errors=2, skipped=1)
