"""Lines of work in words, and as a table that can be redrawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from volition.cli.common import columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.agents.worktrees.lines_of_work import WorkLine
    from volition.agents.worktrees.overview import WorkOverview, WorkPair

_COLOURS = {"undeclared conflict": "red", "declared conflict": "yellow", "complementary": "green", "apart": ""}
_SHOWN = 4


def overview_text(seen: WorkOverview) -> str:
    """An overview as lines of text."""
    rows = [_row(seen, line) for line in seen.lines]
    lines = list(columns([("line", "changed", "strays", "plans", "worktree"), *rows])) if rows else ["no line of work"]
    return "\n".join([*lines, *(f"{_pair(pair)}" for pair in seen.pairs), *_strays(seen)])


def overview_table(seen: WorkOverview) -> Table:
    """An overview as a table."""
    table = Table("line", "changed", "strays", "plans", "with the others", title="lines of work")
    for line in seen.lines:
        met = [pair for pair in seen.pairs if line.name in {pair.one, pair.other}]
        said = [
            f"[{_COLOURS[pair.state]}]{pair.state}[/]: {pair.other if pair.one == line.name else pair.one}"
            for pair in met
        ]
        table.add_row(*_row(seen, line)[:4], "\n".join(said))
    return table


def _row(seen: WorkOverview, line: WorkLine) -> tuple[str, str, str, str, str]:
    changed = f"{len(line.changed)}{' (not committed)' if line.dirty else ''}"
    return line.name, changed, str(len(seen.strays.get(line.name, ()))), ", ".join(line.plans) or "-", line.tree or "-"


def _pair(pair: WorkPair) -> str:
    about = pair.conflicts or pair.shared or pair.declared
    more = f" and {len(about) - _SHOWN} more" if len(about) > _SHOWN else ""
    return f"{pair.state}: {pair.one} and {pair.other}: {', '.join(about[:_SHOWN])}{more}"


def _strays(seen: WorkOverview) -> Iterator[str]:
    for name, paths in sorted(seen.strays.items()):
        if paths:
            more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
            yield f"stray: {name}: {', '.join(paths[:_SHOWN])}{more}"
