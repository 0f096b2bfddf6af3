"""Ensembles on disk, as pages look at them: opened once, and what was counted is kept."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import refuse
from volition.drama.company.ensemble import Cell, Comparison, Ensemble, Figures, Interval
from volition.drama.stage.library import FOLDER
from volition.studio.memory import Memory
from volition.studio.shapes.ensembles import (
    Cells,
    ColumnShape,
    ComparisonOfPoints,
    EnsembleShape,
    FiguresShape,
    Findings,
    IntervalShape,
    Means,
    MeansAt,
    PairShape,
    TargetShape,
)
from volition.studio.shapes.plays import Started

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from volition.drama.company.ensemble.columns import Column
    from volition.studio.shelf import Found, Shelf

ROWS: Final = 20_000
"""How many rows of a table, or means over settings, are given at once."""
COLUMNS: Final = 64
"""How many columns of a table are given at once: as many as a scenario may have people."""


class Opened:
    """A finished ensemble under an id."""

    def __init__(self, found: Found) -> None:
        self.id = found.id
        self.ensemble = Ensemble(found.path)
        self._figures = Memory[list[FiguresShape]](16)
        self._findings = Memory[Findings](16)
        self._compared = Memory[ComparisonOfPoints](16)
        self._means = Memory[Means](8)

    def shape(self) -> EnsembleShape:
        """What was played, and every number of all evenings."""
        plan = self.ensemble.plan
        scenario = plan.scenario
        return EnsembleShape(
            id=self.id,
            scenario=scenario.id,
            scenario_name=scenario.name,
            people=list(scenario.people),
            rooms=list(scenario.rooms),
            evenings=plan.size,
            seeds=len(plan.seeds),
            settings=list(plan.names),
            varied=list(plan.varied),
            points=[dict(point) for point in plan.points],
            columns=[ColumnShape(column.name, column.kind, column.setting) for column in self.ensemble.columns],
            figures=self.figures(None)[0],
        )

    def figures(self, by: str | None) -> list[FiguresShape]:
        """The numbers of all evenings, or of those with the same value of a column."""
        return self._figures.get(by, lambda: [_figures(one) for one in self.ensemble.figures(by)])

    def figures_at(self, point: int) -> list[FiguresShape]:
        """The numbers of the evenings of a point, alone in a list."""
        return self._figures.get(point, lambda: [_figures(self.ensemble.figures_at(point))])

    def compare(self, first: int, second: int) -> ComparisonOfPoints:
        """Two points side by side."""
        return self._compared.get((first, second), lambda: _comparison(self.ensemble.compare(first, second)))

    def means(self, names: list[str], by: list[str]) -> Means:
        """The means of some numbers over some of what was swept, or for each point; at most so many."""
        _check("columns", names, {column.name for column in self.ensemble.columns})
        _check("by", by, {"point", *self.ensemble.plan.names})
        return self._means.get((tuple(names), tuple(by)), lambda: _means(self.ensemble.means(names, by)))

    def cells(self, names: list[str], point: int | None) -> Cells:
        """Columns of the table, of all rows or those of a point; at most so many, and so many rows."""
        known = {column.name: column for column in self.ensemble.columns}
        _check("columns", names, known)
        wanted: list[Column] = [known[name] for name in dict.fromkeys(names)]
        evenings = iter(self.ensemble) if point is None else self.ensemble.at(point)
        rows = [[column.cell(one) for column in wanted] for one in islice(evenings, ROWS)]
        cells = {column.name: [row[place] for row in rows] for place, column in enumerate(wanted)}
        count = len(self.ensemble) if point is None else len(self.ensemble.plan.seeds)
        return Cells(cells, max(0, count - ROWS))

    def findings(self, point: int) -> Findings:
        """What the doctor says of the evenings of a point."""
        return self._findings.get(point, lambda: self._examined(point))

    def _examined(self, point: int) -> Findings:
        report = self.ensemble.examine(point)
        data = report.to_data()
        return Findings(
            point=point,
            settings=dict(self.ensemble.plan.points[point]),
            healthy=report.healthy,
            text=str(report),
            targets=[
                TargetShape(one["id"], told.holds, one)
                for one, told in zip(data["targets"], report.targets, strict=True)
            ],
            symptoms=data["symptoms"],
        )

    def record(self, row: int, shelf: Shelf) -> Started:
        """The evening of a row, played again and recorded: a run like any other."""
        evening = self.ensemble.evening(row)
        path = shelf.new(FOLDER, f"{evening.scenario.id}-{evening.seed}")
        evening.save(path)
        id = shelf.id_of(path)
        return Started(id, f"/api/v1/runs/{id}/live")


def _check(where: str, names: list[str], known: Container[str]) -> None:
    strange = [name for name in names if name not in known]
    if strange or not 1 <= len(names) <= COLUMNS:
        refuse(
            f"there is no column {strange[0][:80]!r}" if strange else f"{len(names)} columns are asked for",
            where=where,
            expected=f"1 to {COLUMNS} names of columns, with commas between",
            remedy="the ensemble's own page lists them",
        )


def _comparison(found: Comparison) -> ComparisonOfPoints:
    pairs = [
        PairShape(name, IntervalShape(*first), IntervalShape(*second), apart)
        for name, first, second, apart in found.pairs
    ]
    return ComparisonOfPoints(_figures(found.first), _figures(found.second), pairs, found.apart)


def _means(found: Sequence[Cell]) -> Means:
    cells = [MeansAt(list(cell.at), cell.evenings, dict(cell.means)) for cell in found[:ROWS]]
    return Means(cells, len(found) - len(cells))


def _figures(one: Figures) -> FiguresShape:
    return FiguresShape(
        one.of, one.evenings, dict(one.paths), _intervals(one.endings), _intervals(one.flags), _intervals(one.means)
    )


def _intervals(found: Mapping[str, Interval]) -> dict[str, Any]:
    return {name: IntervalShape(*interval) for name, interval in found.items()}
