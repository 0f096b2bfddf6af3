"""Measured evenings as lines of JSON: what workers send and folders keep, and back to the last bit."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from volition.drama.company.measures import Measures, Mood, Row
from volition.drama.company.onlooker import Looks
from volition.drama.company.spread import Spread

if TYPE_CHECKING:
    from volition.drama.company.ensemble.plan import Evening

_PLAIN: Final = tuple(part.name for part in fields(Measures) if part.name != "looks")
_SPREADS: Final = ("internal", "winners", "all", "dramatic", "gaps", "biases")


class Played(NamedTuple):
    """One evening that was played: its row and point, the path by which its people decided, and its measures."""

    row: int
    point: int
    path: str
    measures: Measures


def to_line(evening: Evening, path: str, measures: Measures) -> bytes:
    """One evening as a line; equal evenings give equal bytes."""
    looks = measures.looks
    seen: dict[str, Any] = {"decisions": looks.decisions, "won": looks.won, "hung": looks.hung}
    seen |= {part: list(getattr(looks, part).counts.items()) for part in _SPREADS}
    data: dict[str, Any] = {part: getattr(measures, part) for part in _PLAIN}
    data |= {"row": list(measures.row), "mood": list(measures.mood), "looks": seen}
    line = {"row": evening.row, "point": evening.point, "path": path, "measures": data}
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def holds(lines: bytes, first: int, rows: int) -> bool:
    """Whether lines are those of so many rows from the first on: each of them once, in order, whole, and no other."""
    each = lines.split(b"\n")
    return (
        len(each) == rows + 1
        and not each[-1]
        and all(
            line.startswith(b'{"row":%d,' % row) and line.endswith(b"}") for row, line in enumerate(each[:-1], first)
        )
    )


def from_line(line: bytes) -> Played:
    """The evening that a line holds; whatever is no such line raises ValueError, KeyError or TypeError."""
    whole = orjson.loads(line)
    data = whole["measures"]
    seen = data.pop("looks")
    spreads = (Spread(dict(seen[part])) for part in _SPREADS)
    data |= {part: tuple(data[part]) for part in ("rooms", "left", "tension")}
    data["catastrophes"] = tuple(map(tuple, data["catastrophes"]))
    data |= {"row": Row(*data["row"]), "mood": Mood(*data["mood"])}
    looks = Looks(seen["decisions"], seen["won"], seen["hung"], *spreads)
    return Played(whole["row"], whole["point"], whole["path"], Measures(**data, looks=looks))
