"""Pools: whoever plays, however work is shared and whichever workers die, every row is played once; workers are kept."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.ensemble.own_terms import Thief
from tests.drama.ensemble.plays import SHORT, difference, plan
from volition.arbitration import Heuristic
from volition.core.errors import BrokenRecord, InvalidInput, MissingPart
from volition.drama.ensemble import EnsemblePlan, playing, pools, sweep
from volition.drama.ensemble.frames import Frame, Span, read_frames
from volition.drama.ensemble.paths import COMPILED, INTERPRETED
from volition.drama.ensemble.pools import LOSSES, ProcessPool, WorkersLost, play_spans, pool_of
from volition.drama.ensemble.work import Done, Player, pack_job
from volition.drama.evening.play_many import COMPILES
from volition.drama.world.wording import own_phrases

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told


def frame(row: int) -> bytes:
    """The frame of a row, as far as it is checked here."""
    return Frame(row, 0, b"measures").to_bytes()


class Chancy:
    """A pool that answers in any order, does any part of a span, and loses spans: one, or all that are out."""

    def __init__(self, chance: Random, most: int, losses: int, *, all_at_once: bool) -> None:
        self.chance, self.most, self.losses, self.all_at_once = chance, most, losses, all_at_once
        self.out: list[Span] = []
        self.closed = False

    def submit(self, span: Span, seconds: float) -> None:
        self.out.append(span)
        assert len(self.out) <= self.most

    def next_done(self) -> Done:
        span = self.take_any()
        if self.losses and self.chance.random() < 0.4:
            self.losses -= 1
            raise WorkersLost(self.lose(span))
        done = Span(span.first, self.chance.randint(1, span.rows))
        return Done(done, b"".join(map(frame, range(done.first, done.last + 1))))

    def take_any(self) -> Span:
        return self.out.pop(self.chance.randrange(len(self.out)))

    def lose(self, span: Span) -> list[Span]:
        others = self.out if self.all_at_once else []
        self.out = [] if self.all_at_once else self.out
        return [span, *others]

    def close(self, *, keep: bool = False) -> None:
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
    for answer in play_spans(pool, spans, notice=notices.append):
        frames = list(read_frames(BytesIO(answer.frames)))
        assert [one.row for one in frames] == [*range(answer.span.first, answer.span.last + 1)]
        for one in frames:
            assert one.row not in done
            done[one.row] = one.to_bytes()
    assert done == {row: frame(row) for first, rows in spans for row in range(first, first + rows)}
    assert pool.closed
    assert len(notices) == losses - pool.losses


class Doomed(Chancy):
    """A pool whose workers always die."""

    def next_done(self) -> Done:
        raise WorkersLost(self.lose(self.take_any()))


@pytest.mark.parametrize("all_at_once", [True, False])
def test_whoever_is_always_lost(all_at_once: bool) -> None:
    """A span that kills its worker again and again becomes an error, and the pool is closed."""
    pool = Doomed(Random(1), 2, 0, all_at_once=all_at_once)
    with pytest.raises(MissingPart, match="died"):
        list(play_spans(pool, [Span(0, 5)]))
    assert pool.closed


class Losing(Chancy):
    """A pool whose workers do not return what they claim."""

    def __init__(self, answer: Done) -> None:
        super().__init__(Random(1), 1, 0, all_at_once=False)
        self.answer = answer

    def next_done(self) -> Done:
        self.take_any()
        return self.answer


@pytest.mark.parametrize(
    ("rows", "frames"),
    [
        (3, frame(7) + frame(8)),  # the last is lost,
        (3, frame(7) + frame(9)),  # or the middle,
        (3, frame(7) + frame(7) + frame(9)),  # or one is there twice in its place
        (2, frame(7) + frame(8) + frame(9)),
        (3, frame(8) + frame(9) + frame(10)),
        (3, frame(7) + frame(8) + frame(9)[:-1]),
        (3, frame(7) + frame(8) + frame(9) + frame(10)[:9]),
        (3, frame(7) + frame(8)[:12] + frame(9)),
        (4, frame(7) + frame(8) + frame(9) + frame(10)),  # nobody asked for the fourth
        (0, b""),
        (-1, b""),
    ],
)
def test_whoever_loses_an_evening(rows: int, frames: bytes, told: Told) -> None:
    """An answer that does not contain each of its rows once is an error, never fewer evenings; the pool is closed."""
    whole = Done(Span(7, 3), frame(7) + frame(8) + frame(9))
    assert list(play_spans(Losing(whole), [Span(7, 3)])) == [whole]
    for answer in (Done(Span(7, rows), frames), Done(Span(8, 2), frame(8) + frame(9))):
        pool = Losing(answer)
        with told.raises(BrokenRecord):
            list(play_spans(pool, [Span(7, 3)]))
        assert pool.closed


def test_seconds() -> None:
    """A player stops when its time is up, but not before one evening is played, nor after its span."""
    player = Player(plan())
    assert player.play(Span(0, 3), 0.0).span == Span(0, 1)
    assert player.play(Span(1, 2), 60.0).span == Span(1, 2)
    frames = player.play(Span(0, 3), 60.0).frames
    assert frames == b"".join(player.play(Span(row, 1), 0.0).frames for row in range(3))


@pytest.mark.parametrize(("engine", "workers"), [("thread", None), ("process", 0), ("here", -1)])
def test_refused(engine: Any, workers: int | None) -> None:
    """An engine that does not exist, and no workers at all, are refused."""
    with pytest.raises(InvalidInput):
        pool_of(EnsemblePlan.of(SHORT, [1]), engine, workers)


def test_workers_are_kept_for_the_next_sweep(tmp_path: Path) -> None:
    """Two sweeps with as many workers have the same ones; the bytes are those of this process; others end them."""
    sweep(plan(1), tmp_path / "first", engine="process", workers=2, format="csv")
    executor = pools._executors[2]
    workers = set(executor._processes)
    sweep(plan(2), tmp_path / "second", engine="process", workers=2, format="csv")
    assert pools._executors == {2: executor}
    assert set(executor._processes) == workers
    sweep(plan(2), tmp_path / "here", engine="here", format="csv")
    assert not difference(tmp_path / "second", tmp_path / "here")
    pools._end_executor()
    assert not pools._executors


def test_words_stay_here() -> None:
    """What is sent to a worker has no phrases, and plays the same evenings; where a custom term takes part, they are sent."""
    told = EnsemblePlan.of(SHORT, [1, 2], grid={"rules.noise.sigma": [0.0, 0.1]})
    sent, path = pickle.loads(pack_job(told, COMPILED))
    assert own_phrases(SHORT)
    assert (own_phrases(sent.scenario), sent.hash, sent.hashes, path) == ({}, told.hash, told.hashes, COMPILED)
    rows = Span(0, told.size)
    assert Player(sent).play(rows, 1e6) == Player(told).play(rows, 1e6)
    with_term, _ = pickle.loads(pack_job(EnsemblePlan.of(SHORT, [1], terms=[Heuristic("thief", Thief(5))]), COMPILED))
    assert with_term.scenario == SHORT


def test_a_scenario_made_by_hand_is_sent_as_it_is() -> None:
    """A scenario is not read again before it is sent, so a worker plays what was asked for, and not what a reader fills in."""
    sent, _ = pickle.loads(pack_job(EnsemblePlan.of(replace(SHORT, rules={}), [1]), INTERPRETED))
    assert (sent.scenario.rules, sent.scenario.hash) == ({}, SHORT.hash)


def test_workers_that_answered_wrongly_are_not_kept() -> None:
    """A worker that loses an evening is not asked again, not even if nothing else was out when it was found out."""
    losing = plan(terms=[Heuristic("thief", Thief(1))])
    with pytest.raises(BrokenRecord):
        list(play_spans(ProcessPool(losing, 1), [Span(0, 2)]))
    assert sum(done.span.rows for done in play_spans(ProcessPool(plan(), 1), [Span(0, 2)])) == 2
    pools._end_executor()


def test_workers_inherit_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker begins with modules as they are imported, whatever this process has changed in them since."""
    monkeypatch.setattr(pools, "LOSSES", 99)
    with ProcessPoolExecutor(1, pools.process_context()) as workers:
        assert workers.submit(losses_allowed).result() == LOSSES


def losses_allowed() -> int:
    """What this process believes of a number that a test changes."""
    return pools.LOSSES


def test_compiling_is_notices_before_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where something must be compiled first, a line says so, once, and what it is worth."""
    pytest.importorskip("numba")
    notices: list[str] = []
    monkeypatch.setattr(playing, "is_compiled", lambda plan: False)
    two = EnsemblePlan.of(SHORT, [1, 2])
    sweep(two, tmp_path / "out", engine="here", path="compiled", format="csv", notice=notices.append)
    assert notices == [COMPILES]
    sweep(two, tmp_path / "plain", engine="here", path="interpreted", format="csv", notice=notices.append)
    assert notices == [COMPILES]
