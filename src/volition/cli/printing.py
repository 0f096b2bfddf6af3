"""How commands print: answers as text or JSON, columns, warnings, next steps to type, and progress.

Progress is on stderr, and shown only where that is a terminal: a bar with rate and remaining time, or a plain count.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import json_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


PROGRAM: Final = "volition"


def print_json(data: Any, *, indent: int | None = None) -> None:
    """Print one JSON value: on one line for programs that read lines, or indented for people too."""
    import json

    click.echo(json.dumps(data, ensure_ascii=False, indent=indent))


class Printable(Protocol):
    """What a command found: `str` gives text for people, `to_data` data for programs."""

    def to_data(self) -> Any: ...


class CommandAnswer(NamedTuple):
    """What a command answers: data for programs, text for people, and its exit code."""

    data: Any
    text: str
    code: int = DONE
    indent: int | None = 2

    @classmethod
    def of(cls, answer: Printable, *, holds: bool = True, indent: int | None = 2) -> CommandAnswer:
        """What was found; a person is needed unless it holds."""
        return cls(answer.to_data(), str(answer), DONE if holds else NEEDS_A_PERSON, indent)


def answering(command: Callable[..., CommandAnswer]) -> Callable[..., int]:
    """Give a command the option --json, and print what it returns."""

    @json_option
    @wraps(command)
    def run(*arguments: Any, as_json: bool, **options: Any) -> int:
        answer = command(*arguments, **options)
        print_found(answer.data, answer.text, as_json=as_json, indent=answer.indent)
        return answer.code

    return run


def print_found(data: Any, text: str, *, as_json: bool, indent: int | None = 2) -> None:
    """Print the text for people, or the data where JSON was asked for."""
    if as_json:
        print_json(data, indent=indent)
    else:
        click.echo(text)


def warn(text: str) -> None:
    """Print a text on stderr."""
    click.echo(text, err=True)


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines, in columns as wide as their widest cell.

    >>> list(columns([("plan", "risk"), ("a", "low")]))
    ['plan  risk', 'a     low']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def program_name() -> str:
    """What to type to run this program again, so that suggested commands can be copied.

    `volition` where the shell finds it under that name; otherwise the path it was started by, such as
    .venv/bin/volition in an environment that is not active.
    """
    from shutil import which

    program = sys.argv[0]
    if Path(program).name != PROGRAM or not Path(program).is_file():
        return PROGRAM
    installed = which(PROGRAM)
    return PROGRAM if installed is not None and Path(installed).samefile(program) else program


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
