"""A conformance report on a terminal: a table of laws, and below it what broke, with its frames."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from volition.execution.conformance import Check, Report, Row

_STYLES = {"holds": "green", "breaks": "bold red", "not judged": "yellow", "not applicable": "dim"}


def show(report: Report, console: Console | None = None) -> None:
    """Print the table, the evidence, and the summary."""
    console = console or Console()
    table = Table("check", "law", "verdict", expand=True)
    for row in report.rows:
        law = Text(row.law, style="dim" if row.verdict == "not applicable" else "")
        if row.verdict in {"not applicable", "not judged"}:
            law.append(f"\n{row.found}", style="dim italic")
        table.add_row(Text(row.check), law, Text(row.verdict, style=_STYLES[row.verdict]))
    console.print(table)
    for row in report.rows:
        if row.verdict == "breaks":
            console.print(Text(row.check, style="bold red"), Text(f"docs/protocol.md, {row.section}", style="dim"))
            console.print(Text(f"  law:      {row.law}\n  found:    {row.found}\n  expected: {row.expected}"))
            for said in row.frames:
                console.print(Text(f"  {said}", style="cyan" if said.by == "kit" else "yellow"))
    verdict = "holds" if report.holds else "breaks" if report.broken else "not judged"
    console.print(Text(report.summary, style=_STYLES[verdict]))


@dataclass(frozen=True, slots=True)
class Shown:
    """What is said while checks run: which one is tried, and what came of it."""

    trying: Callable[[Check], None] | None = None
    tell: Callable[[Row], None] | None = None


@contextmanager
def progress(total: int, *, on: TextIO, lines: bool) -> Iterator[Shown]:
    """On a terminal, a bar that names the check that is tried and how long it has run; with `lines`, every row on
    standard output as soon as it is known."""
    say = _say if lines else None
    if not on.isatty():
        yield Shown(tell=say)
        return
    bar = Progress(
        BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
        console=Console(file=on), transient=True,
    )  # fmt: skip
    with bar:
        run = bar.add_task("", total=total)

        def tell(row: Row) -> None:
            bar.update(run, advance=1)
            if say is not None:
                say(row)

        yield Shown(lambda check: bar.update(run, description=check.name), tell)


def _say(row: Row) -> None:
    """One row as plain text, not held back: whoever reads the pipe sees how far it is."""
    sys.stdout.write(f"{row}\n")
    sys.stdout.flush()


def listed(checks: Iterable[Check], *, as_json: bool) -> str:
    """The checks and their laws."""
    if as_json:
        from volition.core.document import dump_json  # noqa: PLC0415  only where it is asked for

        return dump_json([{"check": each.name, "law": each.law, "section": each.section} for each in checks]).rstrip()
    return "\n".join(f"{each.name:<32} {each.law} ({each.section})" for each in checks)
