"""Laws of measures: the same numbers whoever plays, however many at once, and an evening that does not notice."""

from __future__ import annotations

import sys
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.drama.evening.casts import READINGS, bytes_of, invented, shipped
from volition.core.errors import InvalidInput
from volition.drama.evening.batches import CompiledBatches
from volition.drama.evening.building import sizes_of
from volition.drama.evening.limits import LIMITS, SMALL
from volition.drama.evening.look import HUNDREDTHS
from volition.drama.evening.measure import BREAKDOWNS
from volition.drama.evening.play_many import BATCH, EveningBatches, play_many
from volition.drama.evening.record import digest_of
from volition.drama.evening.rows import MeasureRows, digests_of
from volition.drama.evening.state import EveningState
from volition.drama.evening.tension import HAPPENINGS
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from volition.drama.evening.batches import Batches, PlayedEvenings
    from volition.drama.evening.play_many import Engine
    from volition.drama.world.model import Scenario


evenings = import_module("volition.drama.evening.play_many")


def _rows(scenario: Scenario, seeds: Iterable[int], engine: Engine, threads: int | None = None) -> MeasureRows:
    return play_many(scenario, seeds, engine=engine, threads=threads, measures=True, states=False).measures


@pytest.mark.parametrize(("name", "by_the_letter"), READINGS)
def test_compiled_measures_are_interpreted_ones(name: str, by_the_letter: bool) -> None:
    """Measured compiled or interpreted, evenings have the same bytes in every column, spread and catastrophe."""
    pytest.importorskip("numba")
    scenario = shipped(name, by_the_letter=by_the_letter)
    assert bytes_of(_rows(scenario, [5], "compiled")) == bytes_of(_rows(scenario, [5], "interpreted"))


@pytest.mark.parametrize("seed", range(5))
def test_so_they_are_for_invented_evenings(seed: int) -> None:
    """So they have for scenarios up to the limits and under odd rules."""
    pytest.importorskip("numba")
    scenario = invented(seed)
    assert bytes_of(_rows(scenario, [seed], "compiled")) == bytes_of(_rows(scenario, [seed], "interpreted"))


def test_strong_noise_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ten times the noise that ships, whole evenings are measured compiled: none lacks room and is interpreted."""
    pytest.importorskip("numba")
    monkeypatch.setattr(CompiledBatches, "_make_interpreted", None)
    noisy = apply_settings(shipped("dinner-party"), [Setting("rules.noise.sigma", None, 1.0)])
    assert len(_rows(noisy, range(100), "compiled")) == 100


def test_measuring_changes_no_evening() -> None:
    """With measures or without, an evening has the same last state, stop and ending."""
    pytest.importorskip("numba")
    scenario = shipped("dinner-party")
    plain, measured = (play_many(scenario, range(30), measures=measures) for measures in (False, True))
    for part in plain.states.dtype.names or ():
        assert plain.states[part].tobytes() == measured.states[part].tobytes()
    assert (plain.stops.tobytes(), plain.endings.tobytes()) == (measured.stops.tobytes(), measured.endings.tobytes())
    with pytest.raises(InvalidInput, match="measures=True"):
        _ = plain.measures
    assert [plain.digest(number) for number in range(30)] == [measured.digest(number) for number in range(30)]
    assert measured.measures.row["seed"].tolist() == list(range(30))


def test_threads_batches_and_order_change_no_measure() -> None:
    """However many threads, in batches or at once, in any order: each seed has its row."""
    pytest.importorskip("numba")
    scenario, seeds = shipped("winter-station"), list(range(BATCH + 20))
    whole = _rows(scenario, seeds, "compiled", 1)
    assert bytes_of(_rows(scenario, seeds, "compiled", 3)) == bytes_of(whole)
    backwards = _rows(scenario, reversed(seeds), "compiled", 2)
    turned = MeasureRows.together(backwards.part(number, number + 1) for number in reversed(range(len(seeds))))
    assert bytes_of(turned) == bytes_of(whole)
    parts = MeasureRows.together(_rows(scenario, seeds[first : first + 28], "compiled") for first in range(0, 84, 28))
    assert bytes_of(parts) == bytes_of(whole)


@pytest.mark.parametrize(
    ("count", "sizes"), [(0, [0]), (5, [5]), (20, [8, 8, 4]), (100, [25] * 4), (300, [64] * 4 + [44])]
)
def test_every_thread_has_evenings_to_play(count: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Evenings are shared out among the threads, in batches that are neither too small nor too large."""
    pytest.importorskip("numba")
    batches, played = EveningBatches(shipped("dinner-party"), ticks=1, engine="compiled"), list[int]()
    play = CompiledBatches.play

    def note_and_play(self: CompiledBatches, seeds: NDArray[np.uint64]) -> PlayedEvenings:
        played.append(len(seeds))
        return play(self, seeds)

    monkeypatch.setattr(CompiledBatches, "play", note_and_play)
    assert len(batches.play(range(count), threads=4)) == count
    assert sorted(played, reverse=True) == sizes


@pytest.mark.parametrize(
    ("size", "few", "ticks"), [(HUNDREDTHS, 64, 20), (HAPPENINGS, 12, 20), (BREAKDOWNS, 1, None), ("deltas", 30, 20)]
)
def test_measures_without_room_are_interpreted(
    size: str, few: int, ticks: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where packed measures have too little room, the evening is measured interpreted, with room, and nothing is lost."""
    pytest.importorskip("numba")
    make, made = CompiledBatches._make_interpreted, list[CompiledBatches]()

    def note_and_make(self: CompiledBatches) -> Batches:
        made.append(self)
        return make(self)

    def measured() -> bytes:
        scenario = shipped("dinner-party")
        return bytes_of(play_many(scenario, [1], ticks=ticks, engine="compiled", measures=True).measures)

    monkeypatch.setattr(CompiledBatches, "_make_interpreted", note_and_make)
    expected = measured()
    assert not made
    monkeypatch.setitem(LIMITS[SMALL], size, few)
    assert measured() == expected
    assert len(made) == 1


def test_digests_at_once_are_those_of_each() -> None:
    """The digest of a state is the same alone or among others, plain or packed, whatever the room around it."""
    for engine in ("compiled", "interpreted") if "numba" in sys.modules else ("interpreted",):
        scenario = shipped("dinner-party")
        played = play_many(scenario, [3, 4], engine=engine)
        sizes = sizes_of(scenario)
        together = [bytes(row).hex() for row in digests_of(played.states, EveningState, sizes)]
        assert together == [played.digest(0), played.digest(1)]
        assert together == [digest_of(played.state(number), EveningState, sizes) for number in range(2)]


def test_without_numba_evenings_are_measured_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Numba cannot be imported, evenings are played and measured all the same."""
    monkeypatch.setitem(sys.modules, "numba", None)
    played = play_many(shipped("dinner-party"), [1], ticks=5, measures=True)
    assert played.engine == "interpreted"
    assert played.measures.row["ticks"].tolist() == [5]


def test_nobody_is_measured() -> None:
    """No seeds give no rows, of the same type."""
    rows = _rows(shipped("dinner-party"), [], "interpreted")
    assert len(rows) == 0
    assert rows.row.dtype == _rows(shipped("dinner-party", by_the_letter=True), [], "interpreted").row.dtype


def test_some_rows() -> None:
    """A part of some rows is those of its evenings."""
    rows = play_many(shipped("dinner-party"), [1, 2], ticks=8, engine="interpreted", measures=True).measures
    assert np.array_equal(rows.part(1, 2).row["seed"], [2])


def test_a_few_evenings_are_not_worth_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is kept on disk, a few evenings are interpreted; many are compiled, and a terminal is told so."""
    pytest.importorskip("numba")
    screen = StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(evenings, "is_kept", lambda size: False)
    scenario = shipped("dinner-party")
    assert play_many(scenario, [1], ticks=2).engine == "interpreted"
    assert screen.getvalue() == ""
    monkeypatch.setattr(evenings, "ENOUGH", 2)
    assert play_many(scenario, [1, 2], ticks=2).engine == "compiled"
    assert screen.getvalue() == f"{evenings.COMPILES}\n"
