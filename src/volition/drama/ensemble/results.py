"""What was played of an ensemble: its evenings, its table, its figures, and any of its evenings, played again."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Any

from volition.core.errors import BrokenRecord, NotPossible, Problem, refuse
from volition.drama.batch.measures import digest_of_world
from volition.drama.doctor import examine
from volition.drama.ensemble.figures import (
    Cell,
    Differences,
    Figures,
    PointComparison,
    compare,
    differences,
    figures,
    means,
    paired_means,
)
from volition.drama.ensemble.folder import EnsembleFolder, read_part, report_full_disk
from volition.drama.ensemble.frames import Frame, Played, Span, evenings_of, read_frames
from volition.drama.ensemble.paths import PATHS
from volition.drama.ensemble.table import Column, Format, arrow_table, columns, numbers_of, table_name, write_table
from volition.drama.mind.mind import Mind
from volition.drama.minds.counsel import counsel_of
from volition.drama.playing.evening import Evening
from volition.drama.stage.run import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from pathlib import Path

    from volition.arbitration import Intention
    from volition.drama.doctor.report import DoctorReport
    from volition.drama.ensemble.plan import EnsemblePlan


class Ensemble:
    """An ensemble in its folder. `terms` are those it was played with; they are needed to open an evening.

    One that is not finished is refused, unless `so_far` is true: then its evenings are those that were played when it was
    opened, and its plan has all that are to be played.
    """

    def __init__(
        self, path: str | PathLike[str] | EnsembleFolder, terms: Sequence[Intention] = (), *, so_far: bool = False
    ) -> None:
        self.folder = path if isinstance(path, EnsembleFolder) else EnsembleFolder(path)
        self._terms = tuple(terms)
        self._hash = self.folder.manifest()["hash"]
        self._parts: list[tuple[Span, Path]] | None = None
        if so_far and not self.folder.finished:
            self._parts = self.folder.parts(self.plan, self._hash)
        if self._parts is None or self.folder.finished:  # which may have happened while the parts were looked at
            self._parts = None
            self.__dict__.pop("plan", None)
            self.folder.check(self.plan, self._hash)

    @property
    def finished(self) -> bool:
        """Whether all evenings were played when it was opened."""
        return self._parts is None

    @cached_property
    def played_at(self) -> tuple[int, ...]:
        """How many evenings of each point were played."""
        each = len(self.plan.seeds)
        if self._parts is None:
            return (each,) * len(self.plan.points)
        counts = Counter(row // each for span, _ in self._parts for row in range(span.first, span.last + 1))
        return tuple(counts[point] for point in range(len(self.plan.points)))

    @cached_property
    def plan(self) -> EnsemblePlan:
        """What was played."""
        return self.folder.plan(self._terms)

    @property
    def decided(self) -> str:
        """On which path evenings were played, and why, on one line; the column `path` shows rows that took the other one.

        Empty before it is finished.
        """
        return self.folder.decided if self.finished else ""

    @cached_property
    def paths(self) -> dict[str, int]:
        """The number of evenings on each path."""
        return dict(sorted(Counter(PATHS[frame.path] for frame in self._frames()).items()))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the table."""
        return columns(self.plan)

    def __len__(self) -> int:
        return sum(self.played_at)

    def __iter__(self) -> Iterator[Played]:
        """Every evening, in the order of the rows."""
        return evenings_of(self._frames(), self.plan)

    def _frames(self) -> Iterator[Frame]:
        if self._parts is None:
            with self.folder.evenings.open("rb") as stream:
                yield from read_frames(stream)
            return
        for span, file in self._parts:
            frames = read_part(file, self._hash, span)
            if frames is None:
                raise NotPossible.of(
                    f"the rows {span} are no longer where they were",
                    where=str(self.folder.path),
                    expected="an ensemble that is as it was when it was opened",
                    remedy="open it again: it went on",
                )
            yield from read_frames(BytesIO(frames))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every row of the table, by the names of its columns."""
        return ({column.name: column.cell(played) for column in self.columns} for played in self)

    def table(self) -> Any:
        """The table as a pyarrow.Table; MissingPart without pyarrow."""
        return arrow_table(self.columns, self)

    def write(self, format: Format) -> Path:
        """Write the table beside the evenings, and return its file."""
        file = self.folder.path / table_name(format)
        with report_full_disk(file):
            write_table(file, format, self.columns, self)
        return file

    def figures(self, by: str | None = None) -> tuple[Figures, ...]:
        """Every number with its interval, over all evenings or grouped by the values of a column."""
        return figures(self.columns, self, by)

    def at(self, point: int) -> Iterator[Played]:
        """The evenings of a point, in the order of their rows."""
        self._check("point", point, len(self.plan.points))
        return (played for played in self if played.point == point)

    def figures_at(self, point: int) -> Figures:
        """The figures of the evenings of a point; NotPossible where none of them was played yet."""
        self._check_played(point)
        (group,) = figures(self.columns, self.at(point), "point")
        return group

    def compare(self, first: int, second: int) -> PointComparison:
        """Compare two points: every mean of both, whether their intervals overlap, and the difference seed by seed."""
        numbers = numbers_of(self.columns)
        ours, theirs = (
            {played.measures.seed: [column.cell(played) for column in numbers] for played in self.at(point)}
            for point in (first, second)
        )
        paired = paired_means(numbers, [(ours[seed], theirs[seed]) for seed in ours if seed in theirs])
        return compare(self.figures_at(first), self.figures_at(second), paired)

    def differences(self, by: str) -> tuple[Differences, ...]:
        """How every value of a swept setting differs from the first one, in evenings of the same seed."""
        return differences(self.columns, self, by)

    def means(self, names: Sequence[str], by: Sequence[str]) -> tuple[Cell, ...]:
        """The means of some numbers for each combination of the values of some settings."""
        return means(self.columns, self, names, by)

    def examine(self, point: int = 0) -> DoctorReport:
        """The doctor's report on the evenings of a point; NotPossible where none of them was played yet."""
        self._check_played(point)
        return examine([played.measures for played in self.at(point)], self.plan.scenario_at(point))

    def evening(self, row: int) -> Evening:
        """The evening of a row, played again to the last bit; it answers every question like any other."""
        self._check("row", row, self.plan.size)
        if self.folder.whole_plan(self._terms).hash != self._hash:
            refuse(
                "the ensemble was played with custom terms",
                where=str(self.folder.path),
                expected="the same terms to play an evening again",
                remedy="pass them: Ensemble(DIR, terms) in Python, --with on the command line",
            )
        there = self._find_played(row)
        which = self.plan.evening(row)
        scenario = self.plan.scenario_at(which.point)
        mind = Mind(scenario, self._terms)
        evening = Evening(run(scenario, which.seed, mind=mind, counsel_of=counsel_of(mind)), mind)
        if self.digest(evening) != there.measures.state:
            raise BrokenRecord(
                Problem(
                    f"row {row} is not what happens when the evening is played again",
                    str(self.folder.path),
                    "the same last state",
                    "it was played by other rules, or with other terms: run the ensemble again",
                )
            )
        return evening

    def _find_played(self, row: int) -> Played:
        frame = next((frame for frame in self._frames() if frame.row == row), None)
        if frame is None:
            raise NotPossible.of(
                f"the evening of row {row} is not played yet",
                where=str(self.folder.path),
                expected="a row that was played",
                remedy="open another one, or let the ensemble go on",
            )
        return next(evenings_of([frame], self.plan))

    def digest(self, evening: Evening) -> str:
        """One short name for the last state of an evening, as the column `state` has it."""
        return digest_of_world(evening.state(evening.last))

    def _check_played(self, point: int) -> None:
        self._check("point", point, len(self.plan.points))
        if not self.played_at[point]:
            raise NotPossible.of(
                f"no evening of point {point} is played yet",
                where=str(self.folder.path),
                expected="a point of which evenings were played",
                remedy="choose another one, or let the ensemble go on",
            )

    def _check(self, what: str, number: int, count: int) -> None:
        if not 0 <= number < count:
            refuse(
                f"there is no {what} {number}",
                where=str(self.folder.path),
                expected=f"a {what} from 0 to {count - 1}",
                remedy=f"the column {what!r} of the table has them",
            )
