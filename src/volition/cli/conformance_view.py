"""A conformance report on a terminal: a table of laws, and below it what broke, with its frames."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from volition.execution.conformance import Check, Report, Row

_STYLES = {"holds": "green", "breaks": "bold red", "not applicable": "dim"}


def show(report: Report, console: Console | None = None) -> None:
    """Print the table, the evidence, and the summary."""
    console = console or Console()
    table = Table("check", "law", "verdict", expand=True)
    for row in report.rows:
        law = Text(row.law, style="dim" if row.verdict == "not applicable" else "")
        if row.verdict == "not applicable":
            law.append(f"\n{row.found}", style="dim italic")
        table.add_row(Text(row.check), law, Text(row.verdict, style=_STYLES[row.verdict]))
    console.print(table)
    for row in report.rows:
        if row.verdict == "breaks":
            console.print(Text(row.check, style="bold red"), Text(f"docs/protocol.md, {row.section}", style="dim"))
            console.print(Text(f"  law:      {row.law}\n  found:    {row.found}\n  expected: {row.expected}"))
            for said in row.frames:
                console.print(Text(f"  {said}", style="cyan" if said.by == "kit" else "yellow"))
    console.print(Text(report.summary, style=_STYLES["holds" if report.holds else "breaks"]))


@contextmanager
def progress(total: int, *, shown: bool) -> Iterator[Callable[[Row], None] | None]:
    """A bar on stderr that names the check just tried."""
    if not shown:
        yield None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda row: bar.update(task, advance=1, description=row.check)


def listed(checks: Iterable[Check], *, as_json: bool) -> str:
    """The checks and their laws."""
    if as_json:
        from volition.core.document import dump_json  # noqa: PLC0415  only where it is asked for

        return dump_json([{"check": each.name, "law": each.law, "section": each.section} for each in checks]).rstrip()
    return "\n".join(f"{each.name:<32} {each.law} ({each.section})" for each in checks)
