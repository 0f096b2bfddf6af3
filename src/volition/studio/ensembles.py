"""Ensembles on disk: opened once, and what was counted is kept."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from volition.core.errors import refuse
from volition.drama.ensemble import Cell, Ensemble, Figures
from volition.drama.stage.library import FOLDER
from volition.studio.cache import Cache
from volition.studio.shapes.ensembles import (
    Cells,
    ColumnShape,
    ComparisonOfPoints,
    DoctorFindings,
    EnsembleShape,
    Means,
    TargetShape,
)
from volition.studio.shapes.plays import Started

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from volition.drama.ensemble.table import Column
    from volition.studio.store import Found, RecordStore

ROWS: Final = 20_000
"""How many rows of a table, or means over settings, are returned at once."""
COLUMNS: Final = 64
"""How many columns of a table are returned at once: as many as a scenario may have people."""


class OpenEnsemble:
    """A finished ensemble under an id."""

    def __init__(self, found: Found) -> None:
        self.id = found.id
        self.ensemble = Ensemble(found.path)
        self._figures = Cache[list[Figures]](16)
        self._findings = Cache[DoctorFindings](16)
        self._compared = Cache[ComparisonOfPoints](16)
        self._means = Cache[Means](8)

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

    def figures(self, by: str | None) -> list[Figures]:
        """The numbers of all evenings, or of those with the same value of a column."""
        return self._figures.get(by, lambda: list(self.ensemble.figures(by)))

    def figures_at(self, point: int) -> list[Figures]:
        """The numbers of the evenings of a point, as a list of one."""
        return self._figures.get(point, lambda: [self.ensemble.figures_at(point)])

    def compare(self, first: int, second: int) -> ComparisonOfPoints:
        """Two points side by side."""
        return self._compared.get((first, second), lambda: self._compare(first, second))

    def _compare(self, first: int, second: int) -> ComparisonOfPoints:
        found = self.ensemble.compare(first, second)
        return ComparisonOfPoints(found.first, found.second, found.pairs, found.apart)

    def means(self, names: list[str], by: list[str]) -> Means:
        """The means of some numbers over some of the swept settings, or for each point."""
        _check_columns("columns", names, {column.name for column in self.ensemble.columns})
        _check_columns("by", by, {"point", *self.ensemble.plan.names})
        return self._means.get((tuple(names), tuple(by)), lambda: _means(self.ensemble.means(names, by)))

    def cells(self, names: list[str], point: int | None) -> Cells:
        """Columns of the table, of all rows or those of a point."""
        known = {column.name: column for column in self.ensemble.columns}
        _check_columns("columns", names, known)
        wanted: list[Column] = [known[name] for name in dict.fromkeys(names)]
        evenings = iter(self.ensemble) if point is None else self.ensemble.at(point)
        rows = [[column.cell(one) for column in wanted] for one in islice(evenings, ROWS)]
        cells = {column.name: [row[place] for row in rows] for place, column in enumerate(wanted)}
        count = len(self.ensemble) if point is None else len(self.ensemble.plan.seeds)
        return Cells(cells, max(0, count - ROWS))

    def findings(self, point: int) -> DoctorFindings:
        """What the doctor finds in the evenings of a point."""
        return self._findings.get(point, lambda: self._examine(point))

    def _examine(self, point: int) -> DoctorFindings:
        report = self.ensemble.examine(point)
        data = report.to_data()
        targets = zip(data["targets"], report.targets, strict=True)
        return DoctorFindings(
            point=point,
            settings=dict(self.ensemble.plan.points[point]),
            healthy=report.healthy,
            text=str(report),
            targets=[TargetShape(one["id"], target.holds, one) for one, target in targets],
            symptoms=data["symptoms"],
        )

    def record(self, row: int, store: RecordStore) -> Started:
        """Play the evening of a row again and record it as a run."""
        evening = self.ensemble.evening(row)
        path = store.new(FOLDER, f"{evening.scenario.id}-{evening.seed}")
        evening.save(path)
        id = store.id_of(path)
        return Started(id, f"/api/v1/runs/{id}/live")


def _check_columns(where: str, names: list[str], known: Container[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown or not 1 <= len(names) <= COLUMNS:
        refuse(
            f"there is no column {unknown[0][:80]!r}" if unknown else f"{len(names)} columns are asked for",
            where=where,
            expected=f"1 to {COLUMNS} names of columns, separated by commas",
            remedy="GET the ensemble itself: it lists them",
        )


def _means(found: Sequence[Cell]) -> Means:
    cells = tuple(found[:ROWS])
    return Means(cells, len(found) - len(cells))
