"""Tables as files: Parquet and Arrow for data tools, CSV and JSON lines for everything else.

Rows are written in groups of a fixed size: the bytes do not depend on how the evenings were played, and writing a table
needs no more memory than one group.
"""

from __future__ import annotations

import csv
import json
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from volition.core.errors import MissingPart
from volition.core.extras import install_line
from volition.drama.ensemble.folder import replace_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from volition.drama.ensemble.columns import Column
    from volition.drama.ensemble.frames import Played

Format = Literal["parquet", "arrow", "csv", "jsonl"]
FORMATS: Final[tuple[Format, ...]] = ("parquet", "arrow", "csv", "jsonl")
GROUP: Final = 10_000
"""Rows in a group."""


def table_name(format: Format) -> str:
    return f"table.{format}"


def check_format(format: Format) -> None:
    """Refuse a format that cannot be written here, before anything is played."""
    if format in ("parquet", "arrow"):
        _arrow()


def write_table(file: Path, format: Format, columns: Sequence[Column], evenings: Iterable[Played]) -> None:
    """Write a table, completely or not at all."""
    write = {"parquet": _write_parquet, "arrow": _write_arrow, "csv": _write_csv, "jsonl": _write_jsonl}[format]
    with replace_atomically(file) as draft:
        write(draft, columns, _groups(columns, evenings))


def arrow_table(columns: Sequence[Column], evenings: Iterable[Played]) -> Any:
    """The table in memory, as a pyarrow.Table."""
    arrow, schema = _arrow(), _schema(columns)
    groups = [arrow.record_batch(cells, schema=schema) for cells in _groups(columns, evenings)]
    return arrow.Table.from_batches(groups, schema=schema)


def _groups(columns: Sequence[Column], evenings: Iterable[Played]) -> Iterator[list[list[Any]]]:
    """The cells of the table, group by group and column by column."""
    left = iter(evenings)
    while group := list(islice(left, GROUP)):
        yield [[column.cell(one) for one in group] for column in columns]


def _write_parquet(file: Path, columns: Sequence[Column], groups: Iterable[list[list[Any]]]) -> None:
    arrow, schema = _arrow(), _schema(columns)
    with import_module("pyarrow.parquet").ParquetWriter(file, schema) as writer:
        for cells in groups:
            writer.write_table(arrow.table(cells, schema=schema), row_group_size=GROUP)


def _write_arrow(file: Path, columns: Sequence[Column], groups: Iterable[list[list[Any]]]) -> None:
    arrow, schema = _arrow(), _schema(columns)
    with arrow.OSFile(str(file), "wb") as sink, arrow.ipc.new_file(sink, schema) as writer:
        for cells in groups:
            writer.write_batch(arrow.record_batch(cells, schema=schema))


def _write_csv(file: Path, columns: Sequence[Column], groups: Iterable[list[list[Any]]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(column.name for column in columns)
        for cells in groups:
            writer.writerows([_csv_cell(cell) for cell in row] for row in zip(*cells, strict=True))


def _write_jsonl(file: Path, columns: Sequence[Column], groups: Iterable[list[list[Any]]]) -> None:
    names = [column.name for column in columns]
    with file.open("w", encoding="utf-8") as stream:
        for cells in groups:
            for row in zip(*cells, strict=True):
                stream.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n")


def _csv_cell(cell: Any) -> Any:
    """A cell as other programs read it: flags as in JSON, and an empty cell for None."""
    return str(cell).lower() if isinstance(cell, bool) else cell


def _schema(columns: Sequence[Column]) -> Any:
    arrow = _arrow()
    kinds = {"int": arrow.int64(), "float": arrow.float64(), "bool": arrow.bool_(), "text": arrow.string()}
    return arrow.schema([(column.name, kinds[column.kind]) for column in columns])


def _arrow() -> Any:
    try:
        return import_module("pyarrow")
    except ModuleNotFoundError:
        raise MissingPart.of(
            "pyarrow is not installed",
            where="this Python environment",
            expected="the extra 'learn', for Parquet and Arrow tables",
            remedy=f"{install_line('learn')}; or write another format: --format csv",
        ) from None
