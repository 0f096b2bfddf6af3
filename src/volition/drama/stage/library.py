"""A folder of runs, found by their ids or paths."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import InvalidInput, Problem, VolitionError, did_you_mean
from volition.core.ledger import verify
from volition.core.ledger.reader import Reader
from volition.core.typed import DataStruct
from volition.drama.stage.archive import FORMATS, KIND

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from volition.core.ledger.line import Record
    from volition.core.ledger.signature import LedgerSignature


FOLDER: Final = "volition-runs"
"""Where runs are stored by default."""


class RunEntry(DataStruct, frozen=True):
    """A run in a library: its header, its length, and its ending. `fault` says why it cannot be read, if it cannot."""

    id: str
    path: Path
    scenario: str
    seed: int
    ticks: int
    ending: str | None
    rules: int
    interference: tuple[tuple[Any, ...], ...]
    fault: str | None = None
    signed: LedgerSignature | None = None
    """Who made it, if somebody signed that."""


class Library:
    """The runs in a folder."""

    def __init__(self, folder: str | PathLike[str] = FOLDER) -> None:
        self.folder = Path(folder)

    def new(self, name: str) -> Path:
        """The path for a new run of this name, with a number if the name is taken."""
        path, number = self.folder / name, 2
        while path.exists():
            path, number = self.folder / f"{name}.{number}", number + 1
        return path

    def find(self, run: str | PathLike[str]) -> Path:
        """The path of a run, given its id in this library or its path."""
        for path in (self.folder / str(run), Path(run)):
            if path.is_dir():
                return path
        ids = [path.name for path in self._paths()]
        raise InvalidInput(
            Problem(
                f"there is no run {str(run)!r}",
                str(self.folder),
                f"one of {', '.join(ids)}" if ids else "the path of a run",
                did_you_mean(str(run), ids) if ids else "volition play makes one",
            )
        )

    def entries(self) -> Iterator[RunEntry]:
        """Every run, sorted by id; anything else is skipped, and a broken run has a fault."""
        for path in self._paths():
            try:
                reader = Reader(path)
            except VolitionError as error:
                yield RunEntry(path.name, path, "", 0, 0, None, 0, (), str(error).splitlines()[0])
                continue
            if reader.header.kind == KIND:
                yield entry_of(path, reader)

    def _paths(self) -> list[Path]:
        return sorted(path for path in self.folder.glob("*") if (path / "000001.jsonl").is_file())


def entry_of(path: Path, reader: Reader) -> RunEntry:
    """The entry of a run; its records are counted while its chain is verified."""
    meta, ticks, ending = reader.header.meta, 0, None

    def look(record: Record) -> None:
        nonlocal ticks, ending
        if record.raw.startswith(b'{"record":"end"'):
            ending = record.body["kind"]
        elif record.raw.startswith(b'{"record":"tick"'):
            ticks += 1

    verified = verify(path, look=look)
    fault = None if verified.fault is None else str(verified.fault)
    if meta.get("format") not in FORMATS:
        return RunEntry(path.name, path, "", 0, ticks, ending, 0, (), f"it is written in format {meta.get('format')!r}")
    interference = tuple(map(tuple, meta["interference"]))
    return RunEntry(
        path.name,
        path,
        meta["scenario"],
        meta["seed"],
        ticks,
        ending,
        meta["rules"],
        interference,
        fault,
        verified.signed,
    )
