"""Dispatching: whoever plays, however work is shared and whichever workers die, every row is played once."""

from __future__ import annotations

from io import BytesIO
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.ensemble.plays import SHORT, plan
from volition.core.errors import BrokenRecord, InvalidInput, MissingPart
from volition.drama.ensemble.dispatch import LOSSES, play_spans, pool_of
from volition.drama.ensemble.frames import Frame, read_frames
from volition.drama.ensemble.plan import EnsemblePlan
from volition.drama.ensemble.processes import WorkerLost
from volition.drama.ensemble.work import Done, Player, Span

if TYPE_CHECKING:
    from collections.abc import Sequence


def frame(row: int) -> bytes:
    """The frame of a row, as far as it is checked here."""
    return Frame(row, 0, b"measures").to_bytes()


class Chancy:
    """A crew that answers in any order, does any part of a span, and loses answers: one, or all that are open."""

    def __init__(self, chance: Random, most: int, losses: int, *, all_at_once: bool) -> None:
        self.chance, self.most, self.losses, self.all_at_once = chance, most, losses, all_at_once
        self.asked = 0
        self.open: dict[int, Span] = {}
        self.closed = False

    def ask(self, span: Span, seconds: float) -> Any:
        if self.losses and self.chance.random() < 0.1:
            self.losses -= 1
            raise WorkerLost
        self.asked += 1
        self.open[self.asked] = span
        assert len(self.open) <= self.most
        return self.asked

    def first(self, handles: Sequence[int]) -> int:
        assert set(handles) == set(self.open)
        return self.chance.choice(handles)

    def answer(self, handle: int) -> Done:
        span = self.open.pop(handle)
        if self.losses and self.chance.random() < 0.4:
            self.losses -= 1
            raise WorkerLost(handle)
        rows = self.chance.randint(1, span.rows)
        return Done(rows, b"".join(map(frame, range(span.first, span.first + rows))))

    def renew(self) -> bool:
        if self.all_at_once:
            self.open.clear()
        return self.all_at_once

    def close(self) -> None:
        self.closed = True


@given(
    st.randoms(use_true_random=False),
    st.integers(1, 6),
    st.integers(0, LOSSES),
    st.booleans(),
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, 40)), max_size=4),
)
def test_every_row_once(
    chance: Random, most: int, losses: int, all_at_once: bool, steps: list[tuple[int, int]]
) -> None:
    """Spans are played completely, in whatever order answers come and whichever workers die; the frames are those of the rows."""
    spans, first = [], 0
    for gap, rows in steps:
        spans.append(Span(first + gap, rows))
        first += gap + rows
    pool, notices = Chancy(chance, most, losses, all_at_once=all_at_once), list[str]()
    done: dict[int, bytes] = {}
    for span, frames in play_spans(pool, spans, notice=notices.append):
        found = list(read_frames(BytesIO(frames)))
        assert [one.row for one in found] == [*range(span.first, span.last + 1)]
        for one in found:
            assert one.row not in done
            done[one.row] = one.to_bytes()
    assert done == {row: frame(row) for first, rows in spans for row in range(first, first + rows)}
    assert pool.closed
    assert len(notices) == losses - pool.losses


class Doomed(Chancy):
    """A crew whose workers always die."""

    def answer(self, handle: int) -> Done:
        del self.open[handle]
        raise WorkerLost(handle)


@pytest.mark.parametrize("all_at_once", [True, False])
def test_whoever_is_always_lost(all_at_once: bool) -> None:
    """A span that kills its worker again and again becomes an error, and the crew is closed."""
    pool = Doomed(Random(1), 2, 0, all_at_once=all_at_once)
    with pytest.raises(MissingPart, match="died"):
        list(play_spans(pool, [Span(0, 5)]))
    assert pool.closed


class Losing(Chancy):
    """A crew whose workers do not return what they claim."""

    def __init__(self, answer: Done) -> None:
        super().__init__(Random(1), 1, 0, all_at_once=False)
        self.given = answer

    def answer(self, handle: int) -> Done:
        del self.open[handle]
        return self.given


@pytest.mark.parametrize(
    "answer",
    [
        Done(3, frame(7) + frame(8)),  # the last is lost,
        Done(3, frame(7) + frame(9)),  # or the middle,
        Done(3, frame(7) + frame(7) + frame(9)),  # or one is there twice in its place
        Done(2, frame(7) + frame(8) + frame(9)),
        Done(3, frame(8) + frame(9) + frame(10)),
        Done(3, frame(7) + frame(8) + frame(9)[:-1]),
        Done(3, frame(7) + frame(8) + frame(9) + frame(10)[:9]),
        Done(3, frame(7) + frame(8)[:12] + frame(9)),
        Done(4, frame(7) + frame(8) + frame(9) + frame(10)),  # nobody asked for the fourth
        Done(0, b""),
        Done(-1, b""),
    ],
)
def test_whoever_loses_an_evening(answer: Done) -> None:
    """An answer that does not contain each of its rows once is an error, never fewer evenings; the crew is closed."""
    whole = Done(3, frame(7) + frame(8) + frame(9))
    assert list(play_spans(Losing(whole), [Span(7, 3)])) == [(Span(7, 3), whole.frames)]
    pool = Losing(answer)
    with pytest.raises(BrokenRecord, match="returned other ones, or fewer"):
        list(play_spans(pool, [Span(7, 3)]))
    assert pool.closed


def test_seconds() -> None:
    """A player stops when its time is up, but not before one evening is played, nor after its span."""
    player = Player(plan())
    assert player.play(Span(0, 3), 0.0).rows == 1
    assert player.play(Span(1, 2), 60.0).rows == 2
    frames = player.play(Span(0, 3), 60.0).frames
    assert frames == b"".join(player.play(Span(row, 1), 0.0).frames for row in range(3))


@pytest.mark.parametrize(("engine", "workers"), [("thread", None), ("process", 0), ("here", -1)])
def test_refused(engine: Any, workers: int | None) -> None:
    """An engine that does not exist, and no workers at all, are refused."""
    with pytest.raises(InvalidInput):
        pool_of(EnsemblePlan.of(SHORT, [1]), engine, workers)
