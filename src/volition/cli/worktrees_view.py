"""Lines of work in words, and as a table that can be redrawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from volition.agents.check.escaping import visible
from volition.cli.common import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.agents.worktrees.lines_of_work import WorkLine
    from volition.agents.worktrees.overview import WorkOverview, WorkPair

_COLOURS = {
    "undeclared conflict": "red",
    "declared conflict": "yellow",
    "contract conflict": "red",
    "complementary": "green",
    "apart": "",
}
_SHOWN = 4


def overview_text(seen: WorkOverview) -> str:
    """An overview as lines of text."""
    rows = [_row(seen, line) for line in seen.lines]
    lines = list(columns([("line", "changed", "strays", "plans", "worktree"), *rows])) if rows else ["no line of work"]
    return "\n".join([*lines, *map(_pair, seen.pairs), *_strays(seen), *map(visible, seen.notes)])


def overview_table(seen: WorkOverview) -> Table:
    """An overview as a table."""
    table = Table("line", "changed", "strays", "plans", "with the others", title="lines of work")
    for line in seen.lines:
        met = [pair for pair in seen.pairs if line.name in {pair.one, pair.other}]
        said = [f"[{_COLOURS[pair.state]}]{pair.state}[/]: {escape(visible(_other(pair, line)))}" for pair in met]
        table.add_row(*map(escape, _row(seen, line)[:4]), "\n".join(said))
    return table


def _other(pair: WorkPair, line: WorkLine) -> str:
    return pair.other if pair.one == line.name else pair.one


def _row(seen: WorkOverview, line: WorkLine) -> tuple[str, str, str, str, str]:
    changed = f"{len(line.changed)}{' (not committed)' if line.dirty else ''}"
    strays = str(len(seen.strays.get(line.name, ())))
    return visible(line.name), changed, strays, ", ".join(line.plans) or "-", visible(line.tree) or "-"


def _pair(pair: WorkPair) -> str:
    about = [*map(visible, pair.conflicts or pair.shared or pair.declared)]
    if pair.state == "contract conflict":
        about = [visible(f"{one.remover} removes or renames {one.part}, which {one.user} uses in {one.file}")
                 for one in pair.contracts]  # fmt: skip
    return f"{pair.state}: {visible(pair.one)} and {visible(pair.other)}: {_some(about)}"


def _strays(seen: WorkOverview) -> Iterator[str]:
    for name, paths in sorted(seen.strays.items()):
        if paths:
            yield f"stray: {visible(name)}: {_some([*map(visible, paths)])}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
