"""Ensembles on disk as pages draw them: opened once, and what was counted is kept.

One that is not finished is shown as far as it was played when it was last asked for as a whole, so that all answers about it
are about the same evenings.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from volition.core.errors import refuse
from volition.drama.doctor.case import Symptom  # noqa: TC001  msgspec reads the annotations
from volition.drama.doctor.targets import Target  # noqa: TC001
from volition.drama.ensemble import Ensemble
from volition.drama.ensemble.figures import Cell, Figures, PointComparison
from volition.drama.ensemble.folder import EnsembleFolder
from volition.drama.ensemble.meanings import meaning_of
from volition.drama.stage.library import FOLDER
from volition.studio.background import Started
from volition.studio.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from volition.drama.ensemble.table import Column
    from volition.studio.store import RecordStore, StoredRecord


Value = float | bool | str | None
"""A value of a setting or a cell; whole numbers are numbers."""
KEPT: Final = 4
"""How many ensembles are kept in memory, and as many that are not finished."""
ROWS: Final = 20_000
"""How many rows of a table, or means over settings, are returned at once."""
COLUMNS: Final = 64
"""How many columns of a table are returned at once: as many as a scenario may have people."""


class ColumnShape(Struct, frozen=True):
    """A column of the table; a `setting` identifies the evening, and can be grouped by."""

    name: str
    """The name of the column."""
    kind: Literal["int", "float", "bool", "text"]
    """The type of its values."""
    setting: bool
    """Whether it identifies the evening, so that it can be grouped by."""
    about: str
    """What it means, in one sentence."""


class EnsembleShape(Struct, frozen=True):
    """An ensemble as far as it was played: `settings` were swept, those `varied` take more than one value, and `points` are
    their combinations, in the order of their numbers."""

    id: str
    """The id of the ensemble."""
    scenario: str
    """The id of the scenario."""
    scenario_name: str
    """The name of the scenario."""
    people: list[str]
    """The ids of the people."""
    rooms: list[str]
    """The ids of the rooms."""
    finished: bool
    """Whether all evenings were played."""
    evenings: int
    """How many evenings were played."""
    planned: int
    """How many evenings it has when it is finished."""
    played_at: list[int]
    """How many evenings were played of each point."""
    seeds: int
    """How many seeds each point has."""
    settings: list[str]
    """The settings that were swept."""
    varied: list[str]
    """Those that take more than one value."""
    points: list[dict[str, Value]]
    """The combinations of settings, in the order of their numbers."""
    columns: list[ColumnShape]
    """The columns of the table."""
    figures: Figures
    """The figures of all evenings."""


class Means(Struct, frozen=True):
    """Means over settings, in the order in which the values first occur; `left_out` counts those beyond the limit."""

    cells: tuple[Cell, ...]
    """The means for each combination of values."""
    left_out: int
    """How many combinations are beyond the limit."""


class Cells(Struct, frozen=True):
    """Columns of the table, in the order of the rows; `left_out` counts the rows beyond the limit."""

    columns: dict[str, list[Value]]
    """The values of each column, in the order of the rows."""
    left_out: int
    """How many rows are beyond the limit."""


class DoctorFindings(Struct, frozen=True):
    """What the doctor finds in the evenings of one point."""

    point: int
    """The number of the point."""
    settings: dict[str, Value]
    """Its settings."""
    healthy: bool
    """Whether all targets hold."""
    text: str
    """The findings, in words."""
    targets: tuple[Target, ...]
    """Every target with its number."""
    symptoms: tuple[Symptom, ...]
    """What is wrong."""


class OpenEnsemble:
    """An ensemble under an id, as far as it is played now; `recorded` are its evenings that were recorded before, by rows."""

    def __init__(self, stored: StoredRecord, recorded: dict[int, str] | None = None) -> None:
        self.id = stored.id
        self.fingerprint = stored.fingerprint
        self.ensemble = Ensemble(stored.path, so_far=True)
        self.recorded = {} if recorded is None else recorded
        self._figures = Cache[list[Figures]](16)
        self._findings = Cache[DoctorFindings](16)
        self._compared = Cache[PointComparison](16)
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
            finished=self.ensemble.finished,
            evenings=len(self.ensemble),
            planned=plan.size,
            played_at=list(self.ensemble.played_at),
            seeds=len(plan.seeds),
            settings=list(plan.names),
            varied=list(plan.varied),
            points=[dict(point) for point in plan.points],
            columns=[_column(column) for column in self.ensemble.columns],
            figures=self.figures(None)[0],
        )

    def figures(self, by: str | None) -> list[Figures]:
        """The numbers of all evenings, or of those with the same value of a column."""
        return self._figures.get(by, lambda: list(self.ensemble.figures(by)))

    def figures_at(self, point: int) -> list[Figures]:
        """The numbers of the evenings of a point, as a list of one."""
        return self._figures.get(point, lambda: [self.ensemble.figures_at(point)])

    def compare(self, first: int, second: int) -> PointComparison:
        """Two points side by side."""
        return self._compared.get((first, second), lambda: self.ensemble.compare(first, second))

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
        rows = [[column.cell(evening) for column in wanted] for evening in islice(evenings, ROWS)]
        cells = {column.name: [row[place] for row in rows] for place, column in enumerate(wanted)}
        count = len(self.ensemble) if point is None else self.ensemble.played_at[point]
        return Cells(cells, max(0, count - ROWS))

    def findings(self, point: int) -> DoctorFindings:
        """What the doctor finds in the evenings of a point."""
        return self._findings.get(point, lambda: self._examine(point))

    def _examine(self, point: int) -> DoctorFindings:
        report = self.ensemble.examine(point)
        settings: dict[str, Value] = dict(self.ensemble.plan.points[point])
        return DoctorFindings(point, settings, report.healthy, str(report), report.targets, report.symptoms)

    def record(self, row: int, store: RecordStore) -> Started:
        """Play the evening of a row again and record it as a run; one that was recorded before is opened."""
        id = self.recorded.get(row)
        if id is None or not store.has(id):
            evening = self.ensemble.evening(row)
            path = store.new(FOLDER, f"{evening.scenario.id}-{evening.seed}")
            evening.save(path)
            id = self.recorded[row] = store.id_of(path)
        return Started(id, f"/api/v1/runs/{id}/live")


class OpenEnsembles:
    """The ensembles that were opened last."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        self._finished = Cache[OpenEnsemble](KEPT)
        self._so_far: OrderedDict[str, OpenEnsemble] = OrderedDict()
        self._lock = Lock()

    def find(self, id: str, *, newest: bool = False) -> OpenEnsemble:
        """An ensemble by its id; one that is not finished is opened again only where the `newest` is asked for."""
        stored = self._store.find(id)
        held = self._so_far.get(id)
        if EnsembleFolder(stored.path).finished:
            return self._finished.get((id, stored.fingerprint), lambda: OpenEnsemble(stored))
        if held is not None and (not newest or held.fingerprint == stored.fingerprint):
            return held
        opened = OpenEnsemble(stored, None if held is None else held.recorded)
        with self._lock:
            self._so_far[id] = opened
            self._so_far.move_to_end(id)
            while len(self._so_far) > KEPT:
                self._so_far.popitem(last=False)
        return opened


def _column(column: Column) -> ColumnShape:
    return ColumnShape(column.name, column.kind, column.setting, meaning_of(column.name))


def _check_columns(where: str, names: list[str], known: Container[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown or not 1 <= len(names) <= COLUMNS:
        refuse(
            f"there is no column {unknown[0][:80]!r}" if unknown else f"{len(names)} columns are asked for",
            where=where,
            expected=f"1 to {COLUMNS} names of columns, separated by commas",
            remedy="GET the ensemble itself: it lists them",
        )


def _means(means: Sequence[Cell]) -> Means:
    cells = tuple(means[:ROWS])
    return Means(cells, len(means) - len(cells))
