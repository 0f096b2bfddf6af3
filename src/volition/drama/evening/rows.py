"""Measured evenings as packed rows: an array with one entry for each evening, and two for what varies in length.

Rows are as long as the scenario needs, whatever room the evenings were played with, so they have the same bytes
whichever engine played them. Workers send rows as frames, and folders store them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from volition.drama.evening.look import EveningLooks
from volition.drama.evening.measure import EveningMeasures
from volition.drama.evening.record import parts_of
from volition.drama.evening.state import PEOPLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

DIGEST_BYTES: Final = 32
BROKE: Final = np.dtype([("who", "<i2"), ("minute", "<f8")])
"""Who broke, and at which minute."""
TALLY: Final = np.dtype([("spread", "u1"), ("hundredth", "<i4"), ("count", "<u4")])
"""How many numbers of a spread lie in a hundredth."""

_MEASURES_KEPT: Final = [part for part in parts_of(EveningMeasures) if not part.scratch]
_LOOKS_KEPT: Final = parts_of(EveningLooks)


def row_type(people: int) -> np.dtype[Any]:
    """The numpy type of a row, for a scenario with this many people."""
    sizes = {PEOPLE: people}
    fields: list[Any] = [
        (part.name, f"<{part.kind.code}", part.shape_for(sizes)) for part in (*_MEASURES_KEPT, *_LOOKS_KEPT)
    ]
    return np.dtype([*fields, ("tallies", "<i8"), ("state", "u1", (DIGEST_BYTES,))])


@dataclass(frozen=True)
class MeasureRows:
    """The measures of some evenings; `row` has one entry for each, with the digest of its last state.

    The digest is zeros where an evening was played on a graphics processor, which keeps its state.
    `broke` has the catastrophes of all of them and `tally` their spreads, evening after evening: how many entries an
    evening has there is in the columns `breakdowns` and `tallies` of its row.
    """

    row: NDArray[Any]
    broke: NDArray[Any]
    tally: NDArray[Any]

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def broke_from(self) -> NDArray[np.int64]:
        """Where the catastrophes of each evening begin, and at last where they end."""
        return _edges(self.row["breakdowns"])

    @cached_property
    def tally_from(self) -> NDArray[np.int64]:
        """Where the spreads of each evening begin, and at last where they end."""
        return _edges(self.row["tallies"])

    def part(self, first: int, end: int) -> Self:
        """Some consecutive evenings."""
        broke = slice(self.broke_from[first], self.broke_from[end])
        tally = slice(self.tally_from[first], self.tally_from[end])
        return type(self)(self.row[first:end], self.broke[broke], self.tally[tally])

    @classmethod
    def together(cls, parts: Iterable[Self]) -> Self:
        """The evenings of several parts, one after the other; there must be at least one part."""
        every = list(parts)
        return cls(*(join_records([getattr(rows, name) for rows in every]) for name in ("row", "broke", "tally")))


def join_records(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The records of some arrays of one type, one after the other.

    They are copied as bytes: numpy would copy every field of every record on its own, 9 times as slowly
    (`benchmarks/tricks.py`).
    """
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([part.view(np.uint8) for part in parts]).view(parts[0].dtype)


def no_rows(people: int) -> MeasureRows:
    """The rows of no evening of a scenario with this many people."""
    return MeasureRows(np.zeros(0, row_type(people)), np.zeros(0, BROKE), np.zeros(0, TALLY))


def pack_rows(
    measures: NDArray[Any],
    looks: NDArray[Any],
    spreads: NDArray[Any],
    digests: NDArray[np.uint8],
    sizes: Mapping[str, int],
) -> MeasureRows:
    """Rows of the packed measures, looks and spreads of some evenings."""
    _, kinds, hundredths = spreads["spread"].shape
    counts = spreads["spread"].reshape(-1)
    there = np.flatnonzero(counts != 0).astype(np.int32)
    line = there // hundredths
    evening = line // kinds
    tally = np.zeros(len(there), TALLY)
    tally["spread"] = line % kinds
    tally["hundredth"] = there % hundredths - spreads["hundredths"][evening] // 2
    tally["count"] = counts[there]
    rows = join_rows(measures, looks, np.bincount(evening, minlength=len(measures)), tally, sizes)
    rows.row["state"] = digests
    return rows


def join_rows(
    measures: NDArray[Any], looks: NDArray[Any], tallies: NDArray[Any], tally: NDArray[Any], sizes: Mapping[str, int]
) -> MeasureRows:
    """Rows of packed measures and looks, with this many tallies for each evening, and without digests."""
    row = np.zeros(len(measures), row_type(sizes[PEOPLE]))
    for held, parts in ((measures, _MEASURES_KEPT), (looks, _LOOKS_KEPT)):
        for part in parts:
            corner = tuple(slice(size) for size in part.shape_for(sizes))
            row[part.name] = held[part.name][:, *corner]
    row["tallies"] = tallies
    happened = np.arange(measures["broke"].shape[1]) < measures["breakdowns"][:, np.newaxis]
    broke = np.zeros(int(happened.sum()), BROKE)
    broke["who"], broke["minute"] = measures["broke"][happened], measures["broke_at"][happened]
    return MeasureRows(row, broke, tally)


def _edges(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def digests_of(states: NDArray[Any], cls: type, sizes: Mapping[str, int]) -> NDArray[np.uint8]:
    """The digest of each packed state, 32 bytes in a row: of all parts that a log rebuilds, without their padding."""
    count = len(states)
    columns: list[NDArray[np.uint8]] = []
    for part in parts_of(cls):
        if part.delta is not None:
            name = np.frombuffer(part.name.encode(), np.uint8)
            corner = tuple(slice(size) for size in part.shape_for(sizes))
            held = np.ascontiguousarray(states[part.name][:, *corner], part.kind.code)
            columns += [np.broadcast_to(name, (count, len(name))), held.view(np.uint8).reshape(count, held[:1].nbytes)]
    whole = np.ascontiguousarray(np.concatenate(columns, axis=1))
    digests = b"".join([sha256(row).digest() for row in whole])
    return np.frombuffer(digests, np.uint8).reshape(count, sha256().digest_size)
