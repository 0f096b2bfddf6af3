"""Measured evenings as frames of bytes, which workers send and folders store: the row, its path, and its measures.

A frame is complete by itself, so the frames of some rows are those of the first ones followed by those of the rest, however
they were played. Reading one back loses no bit.
"""

from __future__ import annotations

from itertools import islice
from struct import Struct as Packing
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

import numpy as np
from msgspec import Struct

from volition.drama.batch.reading import RowReader
from volition.drama.ensemble.paths import PATHS
from volition.drama.evening.rows import BROKE, TALLY, MeasureRows, row_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from volition.drama.batch.measures import Measures
    from volition.drama.ensemble.plan import EnsemblePlan

HEAD: Final = Packing("<4sQBI")
"""What a frame begins with: a mark, the row, its path, and how many bytes follow."""
MARK: Final = b"row\x02"
GROUP: Final = 256
"""How many frames are read at once."""


class Span(NamedTuple):
    """Consecutive rows of a plan: the first, and how many."""

    first: int
    rows: int

    @property
    def last(self) -> int:
        """The last of the rows."""
        return self.first + self.rows - 1

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"


class Played(Struct, frozen=True):
    """One evening that was played: its row and point, the path on which it was played, and its measures."""

    row: int
    point: int
    path: str
    measures: Measures


class Frame(Struct, frozen=True):
    """One row as it is stored."""

    row: int
    path: int
    body: bytes

    def to_bytes(self) -> bytes:
        """The frame as it is stored."""
        return HEAD.pack(MARK, self.row, self.path, len(self.body)) + self.body


def to_frames(first: int, path: str, rows: MeasureRows) -> bytes:
    """Consecutive rows as frames; equal evenings give equal bytes."""
    numbers, broke, tally = rows.row.tobytes(), rows.broke.tobytes(), rows.tally.tobytes()
    size, frames = rows.row.dtype.itemsize, list[bytes]()
    broke_from, tally_from = (rows.broke_from * BROKE.itemsize).tolist(), (rows.tally_from * TALLY.itemsize).tolist()
    for place in range(len(rows)):
        body = numbers[place * size : (place + 1) * size]
        body += broke[broke_from[place] : broke_from[place + 1]] + tally[tally_from[place] : tally_from[place + 1]]
        frames.append(Frame(first + place, PATHS.index(path), body).to_bytes())
    return b"".join(frames)


def covers_rows(frames: bytes, span: Span) -> bool:
    """Whether these are the complete frames of the rows of a span, in order, and no others."""
    at = 0
    for row in range(span.first, span.first + span.rows):
        if len(frames) < at + HEAD.size:
            return False
        mark, number, path, length = HEAD.unpack_from(frames, at)
        at += HEAD.size + length
        if mark != MARK or number != row or path >= len(PATHS):
            return False
    return at == len(frames)


def read_frames(stream: BinaryIO) -> Iterator[Frame]:
    """Every frame of a file; ValueError where it holds anything else, or a frame is cut."""
    while head := stream.read(HEAD.size):
        mark, row, path, length = HEAD.unpack(head) if len(head) == HEAD.size else (b"", 0, 0, 0)
        body = stream.read(length)
        if mark != MARK or len(body) != length or path >= len(PATHS):
            raise ValueError(f"the frame after row {row} is damaged")
        yield Frame(row, path, body)


def rows_of(frames: Iterable[Frame], people: int) -> MeasureRows:
    """The rows of some frames, of evenings with this many people."""
    kind = row_type(people)
    bodies = [frame.body for frame in frames]
    row = np.frombuffer(b"".join([body[: kind.itemsize] for body in bodies]), kind)
    ends = (row["breakdowns"] * BROKE.itemsize + kind.itemsize).tolist()
    broke = b"".join([body[kind.itemsize : end] for body, end in zip(bodies, ends, strict=True)])
    tally = b"".join([body[end:] for body, end in zip(bodies, ends, strict=True)])
    return MeasureRows(row, np.frombuffer(broke, BROKE), np.frombuffer(tally, TALLY))


def evenings_of(frames: Iterable[Frame], plan: EnsemblePlan) -> Iterator[Played]:
    """The evenings of some frames, in their order."""
    reader, people, left = RowReader(plan.scenario), len(plan.scenario.people), iter(frames)
    while group := list(islice(left, GROUP)):
        for frame, measures in zip(group, reader.read(rows_of(group, people)), strict=True):
            yield Played(frame.row, plan.evening(frame.row).point, PATHS[frame.path], measures)
