"""The critical log: the first of a kind at once, then counts."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.door.doorway import Doorway
from volition.execution.door.events import MOST_KINDS, CriticalLog, Lost
from volition.execution.wire.session.events import Breach

INTERVAL = 10.0


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, 4.5, 5.5, 9.5, 10.0, 25.0]), st.sampled_from("abc"), st.booleans()),
        max_size=60,
    )
)
def test_lines_are_rare_and_counts_are_whole(steps: list[tuple[float, str, bool]]) -> None:
    """The first of a kind is written at once, two lines of a kind are an interval apart, and every event is counted."""
    written: list[tuple[float, str]] = []
    now, noted = 0.0, dict.fromkeys("abc", 0)
    log = CriticalLog(lambda line: written.append((now, line)), interval=INTERVAL)
    for wait, kind, event in steps:
        now += wait
        if event:
            first = not any(line.startswith(kind) for _, line in written)
            log.note(kind, "it broke", now)
            noted[kind] += 1
            assert not first or written[-1] == (now, f"{kind}: it broke")
        else:
            log.poll(now)
    before = len(written)
    log.close(now)
    for kind in "abc":
        times = [at for at, line in written[:before] if line.startswith(kind)]
        assert all(later - sooner >= INTERVAL for sooner, later in pairwise(times))
        lines = [line for _, line in written if line.startswith(kind)]
        assert sum(int(more[1]) if (more := re.search(r"(\d+) more", line)) else 1 for line in lines) == noted[kind]


def test_it_never_grows() -> None:
    """However many kinds there are, memory is bounded, and every entry is one line of bounded length."""
    written: list[str] = []
    log = CriticalLog(written.append)
    for n in range(4 * MOST_KINDS):
        log.note(f"kind {n}\n" + "x" * 1000, "what\n" * 1000, now=0.0)
    assert len(log._kinds) == MOST_KINDS == len(written)
    log.close(0.0)
    assert all(len(line) <= 300 and line.isprintable() for line in written)
    assert written[-1].startswith(f"others: {3 * MOST_KINDS} more")


@pytest.mark.req("EX-05", "EX-06")
def test_breaches_of_the_contract_are_critical() -> None:
    """What a door tells of breaches, and of executors given up, is noted; a clean end is not."""
    written: list[str] = []
    log = CriticalLog(written.append)
    way = Doorway().ready()
    way.receive(b"nonsense\n" * 100)
    for event in way.told:
        log.hear(event, 0.0)
    log.hear(Lost(connection=2, reason="goodbye"), 0.0)
    log.hear(Breach(connection=1, kind="repeated", what="twice"), 0.0)
    log.close(1.0)
    assert [line.split(":")[0] for line in written] == [
        "contract violation (bad_frame)", "executor given up", "contract violation (repeated)",
        "contract violation (bad_frame)",
    ]  # fmt: skip
    assert "99 more" in written[-1]
