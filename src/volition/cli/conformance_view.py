"""A conformance report on a terminal: a table of laws, and below it each broken law with its frames."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from volition.cli.common import print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from volition.execution.conformance import Check, CheckResult, Report

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
class Listeners:
    """What is called while checks run: with each check that starts, and with the row of each that has ended."""

    trying: Callable[[Check], None] | None = None
    tell: Callable[[CheckResult], None] | None = None


@contextmanager
def progress(total: int, *, on: TextIO, lines: bool) -> Iterator[Listeners]:
    """On a terminal, a bar that names the running check and how long it has taken; with `lines`, every row on standard
    output as soon as it is known."""
    print_row = _print_row if lines else None
    if not on.isatty():
        yield Listeners(tell=print_row)
        return
    bar = Progress(
        BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
        console=Console(file=on), transient=True,
    )  # fmt: skip
    with bar:
        run = bar.add_task("", total=total)

        def tell(row: CheckResult) -> None:
            bar.update(run, advance=1)
            if print_row is not None:
                print_row(row)

        yield Listeners(lambda check: bar.update(run, description=check.name), tell)


def _print_row(row: CheckResult) -> None:
    """One row as text, flushed at once: the reader of a pipe sees the progress."""
    sys.stdout.write(f"{row}\n")
    sys.stdout.flush()


def print_checks(checks: Iterable[Check], *, as_json: bool) -> None:
    """Print the checks and their laws."""
    if as_json:
        print_json([{"check": each.name, "law": each.law, "section": each.section} for each in checks], indent=2)
        return
    for each in checks:
        click.echo(f"{each.name:<32} {each.law} ({each.section})")
