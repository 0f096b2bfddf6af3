"""Times of answers: each in one bin, and quantiles of those that were given at once."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from volition.execution.worlds.pilot.course import AT_ONCE, TIMES_KEPT, Latency, Times

answers = st.lists(
    st.tuples(st.floats(1e-7, 20.0), st.sampled_from([0.0, 0.5, AT_ONCE, 250.0])), min_size=1, max_size=60
)


def _times(some: list[tuple[float, float]]) -> Times:
    times = Times()
    for seconds, attempt in some:
        times.add(seconds, attempt)
    return times


@given(answers)
def test_every_answer_is_in_one_bin(some: list[tuple[float, float]]) -> None:
    """Bins are powers of two without a gap; each counts the answers between its bounds, and those that lasted."""
    bins = _times(some).bins
    assert all(one.high == 2 * one.low == other.low for one, other in pairwise(bins)) or len(bins) == 1
    assert bins[0].count
    assert bins[-1].count
    assert sum(one.count for one in bins) == len(some)
    for one in bins:
        inside = [attempt for seconds, attempt in some if one.low <= max(1.0, seconds * 1e6) < one.high]
        assert (one.count, one.lasting) == (len(inside), sum(attempt >= AT_ONCE for attempt in inside))


@given(answers)
def test_quantiles_are_of_those_given_at_once(some: list[tuple[float, float]]) -> None:
    """The middle and the worst of a hundred are times of answers whose attempts took no time; None where there is none."""
    at_once = sorted(seconds for seconds, attempt in some if attempt < AT_ONCE)
    found = _times(some).latency
    if not at_once:
        assert found is None
        return
    assert found is not None
    assert sum(time <= found.p50 for time in at_once) * 2 >= len(at_once)
    assert sum(time < found.p50 for time in at_once) * 2 < len(at_once)
    assert sum(time <= found.p99 for time in at_once) * 100 >= len(at_once) * 99
    assert sum(time < found.p99 for time in at_once) * 100 < len(at_once) * 99


def test_it_does_not_grow() -> None:
    """Quantiles speak of the latest answers alone, bins of all; nothing was timed before the first."""
    assert (Times().bins, Times().latency) == ((), None)
    times = _times([(1.0, 0.0), *((0.001, 0.0),) * TIMES_KEPT])
    assert times.latency == Latency(0.001, 0.001)
    assert sum(one.count for one in times.bins) == TIMES_KEPT + 1
