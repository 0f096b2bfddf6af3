"""The table of an ensemble: one row per evening, one number, word or flag per cell; and its files.

Parquet and Arrow are for data tools, CSV and JSON lines for everything else. Rows are written in groups of a fixed size: the
bytes do not depend on how the evenings were played, and writing a table needs no more memory than one group.
"""

from __future__ import annotations

import csv
import json
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from volition.core.errors import MissingPart, check_known
from volition.core.extras import install_line
from volition.drama.ensemble.axes import Names
from volition.drama.ensemble.folder import replace_atomically
from volition.drama.evening.look import HUNG
from volition.drama.rules.catalog import EventType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from volition.drama.ensemble.frames import Played
    from volition.drama.ensemble.plan import EnsemblePlan

Format = Literal["parquet", "arrow", "csv", "jsonl"]
FORMATS: Final[tuple[Format, ...]] = ("parquet", "arrow", "csv", "jsonl")
GROUP: Final = 10_000
"""Rows in a group."""
Kind = Literal["int", "float", "bool", "text"]
KINDS: Final = tuple(kind.name for kind in EventType)


class Column(Struct, frozen=True):
    """A column: its name, the kind of its cells, and how a cell is read. A `setting` identifies the evening."""

    name: str
    kind: Kind
    cell: Callable[[Played], Any]
    setting: bool = False


def columns(plan: EnsemblePlan) -> tuple[Column, ...]:
    """The columns of a plan's table; the same for every row."""
    return (*_which(plan), *_course(plan), *_people(plan), *_story(plan), *_decisions())


def numbers_of(columns: Iterable[Column]) -> list[Column]:
    """The columns that hold numbers measured of an evening."""
    return [column for column in columns if not column.setting and column.kind in ("int", "float")]


def find_column(columns: Iterable[Column], name: str, what: str = "column", *, where: str, expected: str) -> Column:
    """The column with this name; InvalidInput if there is none."""
    named = {column.name: column for column in columns}
    return named[check_known(what, name, named, where=where, expected=expected)]


def _which(plan: EnsemblePlan) -> Iterator[Column]:
    yield Column("row", "int", lambda played: played.row, setting=True)
    yield Column("point", "int", lambda played: played.point, setting=True)
    yield Column("seed", "int", lambda played: played.measures.seed, setting=True)
    yield Column("scenario", "text", lambda played: plan.hashes[played.point], setting=True)
    now = Names(plan.scenario).now
    points = [dict(point) for point in plan.points]
    for name in plan.names:
        cell = partial(lambda name, played: points[played.point][name], name)
        yield Column(name, _kind(now[name]), cell, setting=True)
    yield Column("path", "text", lambda played: played.path, setting=True)
    yield Column("state", "text", lambda played: played.measures.state, setting=True)


def _course(plan: EnsemblePlan) -> Iterator[Column]:
    yield Column("ending", "text", lambda played: played.measures.ending)
    yield Column("minutes", "float", lambda played: played.measures.minutes)
    yield Column("ticks", "int", lambda played: played.measures.ticks)
    yield Column("events", "int", lambda played: played.measures.event_count)
    yield from _each("events", "int", KINDS, lambda kind, played: played.measures.events.get(kind, 0))
    yield Column("moves", "int", lambda played: played.measures.events.get("SOCIAL_MOVE", 0))
    yield Column("dramatic", "int", lambda played: played.measures.dramatic_acts)
    yield Column("first_drama", "int", lambda played: played.measures.first_drama)
    yield Column("tension", "float", lambda played: played.measures.mood.tension)
    yield Column("tension.most", "float", lambda played: played.measures.mood.most_tension)
    yield Column("tension.first_half", "float", lambda played: played.measures.tension[0])
    yield Column("tension.second_half", "float", lambda played: played.measures.tension[1])
    yield Column("irony", "float", lambda played: played.measures.mood.irony)
    yield Column("irony.most", "float", lambda played: played.measures.mood.most_irony)
    yield Column("rooms", "int", lambda played: len(played.measures.rooms))
    yield from _each("rooms", "bool", plan.scenario.rooms, lambda room, played: room in played.measures.rooms)


def _people(plan: EnsemblePlan) -> Iterator[Column]:
    people = plan.scenario.people
    yield Column("left", "int", lambda played: len(played.measures.left))
    yield Column("glasses", "int", lambda played: played.measures.glasses)
    yield Column("catastrophes", "int", lambda played: len(played.measures.catastrophes))
    yield from _each("catastrophes", "int", people, _times_broken)
    yield from _each("composure", "float", people, lambda who, played: played.measures.composure[who])
    yield from _each("potential", "float", people, lambda who, played: played.measures.potential[who])


def _story(plan: EnsemblePlan) -> Iterator[Column]:
    """What makes an evening a story."""
    people, secrets = plan.scenario.people, plan.scenario.secrets
    yield Column("out", "int", lambda played: len(played.measures.story.out))
    yield from _each("out", "int", secrets, lambda id, played: int(id in played.measures.story.out))
    yield Column("stale", "int", lambda played: played.measures.story.stale)
    yield Column("conflicts", "int", _conflicts)
    yield from _each("conflicts", "int", people, lambda who, played: sum(played.measures.story.conflicts[who].values()))
    yield from _each("made", "int", people, lambda who, played: played.measures.story.made[who])
    yield Column("first_act", "text", _first_act)
    yield Column("driven_off", "int", lambda played: len(played.measures.story.driven_off))
    yield from _each("driven_off", "int", people, lambda who, played: int(who in played.measures.story.driven_off))
    yield Column("lies.seen_through", "int", lambda played: played.measures.story.seen_through)
    yield Column("lies.found_out", "int", lambda played: played.measures.story.found_out)
    yield Column("wrongs", "int", lambda played: sum(played.measures.story.answers))
    yield Column("wrongs.answered", "int", lambda played: sum(played.measures.story.answers[:-1]))
    yield Column("pours", "int", lambda played: played.measures.story.pours)
    yield Column("pours.amid_rows", "int", lambda played: played.measures.story.pours_amid_rows)


def _decisions() -> Iterator[Column]:
    yield Column("decisions", "int", lambda played: played.measures.looks.decisions)
    yield from _each("won", "int", KINDS, lambda kind, played: played.measures.looks.won.get(kind, 0))
    yield from _each("hung", "int", HUNG, lambda term, played: played.measures.looks.hung[term])
    yield Column("total.internal", "float", lambda played: played.measures.looks.internal.quantile(0.5))
    yield Column("total.winner", "float", lambda played: played.measures.looks.winners.quantile(0.5))
    yield Column("total.winner_95", "float", lambda played: played.measures.looks.winners.quantile(0.95))
    yield Column("total.dramatic", "float", lambda played: played.measures.looks.dramatic.quantile(0.5))
    yield Column("gap", "float", lambda played: played.measures.looks.gaps.quantile(0.5))
    yield Column("bias", "float", lambda played: played.measures.looks.biases.quantile(0.95))
    yield Column("repeated", "int", lambda played: played.measures.row.times)
    yield Column("repeats", "float", lambda played: played.measures.repeats)


def _each(prefix: str, kind: Kind, names: Iterable[str], cell: Callable[[str, Played], Any]) -> Iterator[Column]:
    """One column per name."""
    return (Column(f"{prefix}.{name}", kind, partial(cell, name)) for name in names)


def _times_broken(who: str, played: Played) -> int:
    return sum(broken == who for broken, _ in played.measures.catastrophes)


def _conflicts(played: Played) -> int:
    return sum(sum(rows.values()) for rows in played.measures.story.conflicts.values())


def _first_act(played: Played) -> str | None:
    first = played.measures.story.first
    return None if first is None else str(first)


def _kind(value: object) -> Kind:
    if isinstance(value, bool):
        return "bool"
    return "int" if isinstance(value, int) else "float" if isinstance(value, float) else "text"


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
        yield [[column.cell(played) for played in group] for column in columns]


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
