"""An ensemble as pages draw it: what was played, every number with its interval, columns of its table, and the doctor."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from volition.drama.ensemble import Cell, Figures, Pair  # noqa: TC001  msgspec reads the annotations

Value = float | bool | str | None
"""A value of a setting or a cell; whole numbers are numbers."""


class ColumnShape(Struct, frozen=True):
    """A column of the table; a `setting` identifies the evening, and can be grouped by."""

    name: str
    kind: Literal["int", "float", "bool", "text"]
    setting: bool


class EnsembleShape(Struct, frozen=True):
    """A finished ensemble: `settings` were swept, those `varied` take more than one value, and `points` are their
    combinations, in the order of their numbers."""

    id: str
    scenario: str
    scenario_name: str
    people: list[str]
    rooms: list[str]
    evenings: int
    seeds: int
    settings: list[str]
    varied: list[str]
    points: list[dict[str, Value]]
    columns: list[ColumnShape]
    figures: Figures


class ComparisonOfPoints(Struct, frozen=True):
    """Two points side by side: every mean that both have, those that are apart first, and how many are apart."""

    first: Figures
    second: Figures
    pairs: tuple[Pair, ...]
    apart: int


class Means(Struct, frozen=True):
    """Means over settings, in the order in which the values first occur; `left_out` counts those beyond the limit."""

    cells: tuple[Cell, ...]
    left_out: int


class Cells(Struct, frozen=True):
    """Columns of the table, in the order of the rows; `left_out` counts the rows beyond the limit."""

    columns: dict[str, list[Value]]
    left_out: int


class TargetShape(Struct, frozen=True):
    """A target for a scenario's evenings, and whether it holds."""

    id: str
    holds: bool
    data: dict[str, Any]


class DoctorFindings(Struct, frozen=True):
    """What the doctor finds in the evenings of one point."""

    point: int
    settings: dict[str, Value]
    healthy: bool
    text: str
    targets: list[TargetShape]
    symptoms: list[dict[str, Any]]
