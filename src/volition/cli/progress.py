"""A bar for somebody who looks on: how far it is, how fast it goes, and how long it will take."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress(title: str, unit: str = "evenings") -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr, where that is a terminal; None elsewhere. It is told how many of how many are done.

    What was done before the bar began is not counted in its rate.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415  only for somebody who looks on
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    begun: list[int] = []
    parts = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, rate="")

        def told(done: int, of: int) -> None:
            if not begun:
                begun.append(done)
                bar.reset(task, total=of, completed=done, rate="")
                return
            seconds = bar.tasks[0].elapsed or 0.0
            rate = f"{(done - begun[0]) / seconds:.1f} {unit}/s" if seconds > 0.0 else ""
            bar.update(task, completed=done, total=of, rate=rate)

        yield told
