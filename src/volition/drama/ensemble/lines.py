"""Measured evenings as lines of JSON: how ensembles of the first format are stored, which are still read."""

from __future__ import annotations

from typing import NamedTuple

import orjson
from msgspec import convert

from volition.drama.company.measures import Measures  # noqa: TC001  evenings are read by this type
from volition.drama.evening.look import SPREADS


class Played(NamedTuple):
    """One evening that was played: its row and point, the path on which it was played, and its measures."""

    row: int
    point: int
    path: str
    measures: Measures


def from_line(line: bytes) -> Played:
    """The evening of a line; anything else raises ValueError, KeyError or TypeError."""
    whole = orjson.loads(line)
    looks = whole["measures"]["looks"]
    looks |= {part: {"counts": dict(looks[part])} for part in SPREADS}
    return convert([whole[part] for part in Played._fields], Played)
