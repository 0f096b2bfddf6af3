"""Frames: a measured evening is read back to the last bit, whoever measured it."""

from __future__ import annotations

from io import BytesIO

import pytest

from tests.drama.batch.meter import Meter
from tests.drama.ensemble.plays import SHORT
from tests.drama.evening.casts import invented
from volition.drama.batch.reading import RowReader
from volition.drama.ensemble.frames import Played, Span, covers_rows, evenings_of, read_frames, rows_of, to_frames
from volition.drama.ensemble.paths import INTERPRETED
from volition.drama.ensemble.plan import EnsemblePlan
from volition.drama.evening.play_many import play_many


@pytest.mark.parametrize("number", range(4))
def test_round_trip(number: int) -> None:
    """All measures survive frames, together and one by one, and writing what was read gives the same bytes."""
    scenario = invented(number)
    rows = play_many(scenario, range(3), ticks=12, engine="interpreted", measures=True).measures
    reader, each = RowReader(scenario), [rows.part(number, number + 1) for number in range(len(rows))]
    measures = list(reader.read(rows))
    frames = to_frames(5, INTERPRETED, rows)
    assert frames == b"".join(to_frames(5 + number, INTERPRETED, row) for number, row in enumerate(each))
    assert covers_rows(frames, Span(5, len(each)))
    back = rows_of(read_frames(BytesIO(frames)), len(scenario.people))
    assert list(reader.read(back)) == measures
    assert to_frames(5, INTERPRETED, back) == frames


def test_frames_are_read_as_evenings() -> None:
    """What is read from frames is what a readable definition finds in the same evening, with its row and path."""
    rows = play_many(SHORT, [2], engine="interpreted", measures=True).measures
    (played,) = evenings_of(read_frames(BytesIO(to_frames(0, INTERPRETED, rows))), EnsemblePlan(SHORT, (2,)))
    assert played == Played(0, 0, INTERPRETED, Meter(SHORT).measure(2))


def test_damaged_frames() -> None:
    """Frames that are cut, out of order or something else cover no rows, and cannot be read."""
    rows = play_many(SHORT, [1, 2], engine="interpreted", measures=True).measures
    frames = to_frames(3, INTERPRETED, rows)
    assert covers_rows(frames, Span(3, 2))
    for wrong in (frames[:-1], frames + b"x", b"", frames[1:], b"y" * len(frames)):
        assert not covers_rows(wrong, Span(3, 2))
    assert not covers_rows(frames, Span(2, 2))
    assert not covers_rows(frames, Span(3, 1))
    for wrong in (frames[:-1], b"y" * len(frames)):
        with pytest.raises(ValueError, match="damaged"):
            list(read_frames(BytesIO(wrong)))
