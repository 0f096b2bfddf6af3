"""Measured evenings as lines of JSON, which workers send and folders store; reading one back loses no bit."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson
from msgspec import convert

from volition.drama.company.measures import Measures

if TYPE_CHECKING:
    from volition.drama.ensemble.plan import PlannedEvening

_NUMBERS: Final = tuple(part.name for part in fields(Measures) if part.name != "looks")
_SPREADS: Final = ("internal", "winners", "all", "dramatic", "gaps", "biases")


class Played(NamedTuple):
    """One evening that was played: its row and point, the path on which its people decided, and its measures."""

    row: int
    point: int
    path: str
    measures: Measures


def to_line(evening: PlannedEvening, path: str, measures: Measures) -> bytes:
    """One evening as a line; equal evenings give equal bytes."""
    looks = measures.looks
    seen: dict[str, Any] = {"decisions": looks.decisions, "won": looks.won, "hung": looks.hung}
    seen |= {part: list(getattr(looks, part).counts.items()) for part in _SPREADS}
    data: dict[str, Any] = {part: getattr(measures, part) for part in _NUMBERS}
    data |= {"row": list(measures.row), "mood": list(measures.mood), "looks": seen}
    line = {"row": evening.row, "point": evening.point, "path": path, "measures": data}
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def covers_rows(lines: bytes, first: int, rows: int) -> bool:
    """Whether these are the complete lines of so many rows from the first on, in order, and no others."""
    each = lines.split(b"\n")
    return (
        len(each) == rows + 1
        and not each[-1]
        and all(
            line.startswith(b'{"row":%d,' % row) and line.endswith(b"}") for row, line in enumerate(each[:-1], first)
        )
    )


def from_line(line: bytes) -> Played:
    """The evening of a line; anything else raises ValueError, KeyError or TypeError."""
    whole = orjson.loads(line)
    looks = whole["measures"]["looks"]
    looks |= {part: {"counts": dict(looks[part])} for part in _SPREADS}
    return convert([whole[part] for part in Played._fields], Played)
