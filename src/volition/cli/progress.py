"""Progress on stderr, shown only where that is a terminal: a bar with rate and remaining time, or a plain count."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress(title: str, unit: str = "evenings") -> Iterator[Callable[[int, int], None] | None]:
    """A bar that is updated with how many of how many are done; None where stderr is not a terminal.

    Work that was done before the first update does not count towards the rate.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    first: list[int] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, rate="")

        def update(done: int, of: int) -> None:
            if not first:
                first.append(done)
                bar.reset(task, total=of, completed=done, rate="")
                return
            seconds = bar.tasks[0].elapsed or 0.0
            rate = f"{(done - first[0]) / seconds:.1f} {unit}/s" if seconds > 0.0 else ""
            bar.update(task, completed=done, total=of, rate=rate)

        yield update


@contextmanager
def counter(title: str, unit: str) -> Iterator[Callable[[int], None] | None]:
    """A count that is updated with how many are done, for work of unknown size; None where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn(f"{{task.description}}: {{task.completed}} {unit}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done: bar.update(task, completed=done)
