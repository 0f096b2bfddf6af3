"""What several commands share: options and arguments, JSON output, new files, and next steps to type."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import click

from volition.cli import completion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROGRAM: Final = "volition"
SEED: Final = click.IntRange(0, 2**53 - 1)
"""Every integer that JSON readers keep exact."""

path_type = click.Path(path_type=Path)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
run_argument = click.argument("run", metavar="RUN", shell_complete=completion.runs)
scenario_argument = click.argument("scenario", metavar="SCENARIO", shell_complete=completion.scenarios)
record_argument = click.argument("path", type=path_type)
anchor_option = click.option("--anchor", metavar="COUNT:HASH", help="An anchor that was kept elsewhere.")
run_out_option = click.option(
    "--out", type=path_type, metavar="DIR", help="Where to record it; volition-runs/ID if not given."
)
map_option = click.option(
    "--map", "map_", shell_complete=completion.maps, metavar="FILE|NAME", help="The arena's map, for embedded and java."
)
arena_seed_option = click.option("--seed", type=SEED, default=0, show_default=True, help="The arena's random seed.")
token_option = click.option(
    "--token", envvar="VOLITION_TOKEN", show_envvar=True, help="The token that the executor was started with."
)


def print_json(data: Any, *, indent: int | None = None) -> None:
    """Print one JSON value: on one line for programs that read lines, or indented for people too."""
    import json

    click.echo(json.dumps(data, ensure_ascii=False, indent=indent))


class Printable(Protocol):
    """What a command found: `str` gives text for people, `to_data` data for programs."""

    def to_data(self) -> Any: ...


def print_answer(answer: Printable, *, as_json: bool, indent: int | None = 2) -> None:
    """Print an answer as text, or as JSON where that was asked for."""
    print_found(answer.to_data(), str(answer), as_json=as_json, indent=indent)


def print_found(data: Any, text: str, *, as_json: bool, indent: int | None = 2) -> None:
    """Print the text for people, or the data where JSON was asked for."""
    if as_json:
        print_json(data, indent=indent)
    else:
        click.echo(text)


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines, in columns as wide as their widest cell.

    >>> list(columns([("plan", "risk"), ("a", "low")]))
    ['plan  risk', 'a     low']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def new_file(file: Path) -> Path:
    """The path itself; InvalidInput where something exists there."""
    from os.path import lexists

    if lexists(file):
        _refuse_existing(file, "a new file")
    return file


def new_folder(folder: Path) -> Path:
    """The path itself; InvalidInput where something other than an empty folder exists there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        _refuse_existing(folder, "a new folder")
    return folder


def _refuse_existing(path: Path, expected: str) -> None:
    from volition.core.errors import refuse

    refuse("this name is taken", where=str(path), expected=expected, remedy="choose another name, or remove it first")


def load_reference(reference: str, option: str) -> Any:
    """What MODULE:NAME names; modules in the current folder are found too."""
    from volition.arbitration.reference import find

    sys.path.insert(0, str(Path.cwd()))
    return find(reference, option)


def program_name() -> str:
    """What to type to run this program again, so that suggested commands can be copied.

    `volition` where the shell finds it under that name; otherwise the path it was started by, such as
    .venv/bin/volition in an environment that is not active.
    """
    from shutil import which

    program = sys.argv[0]
    if Path(program).name != PROGRAM or not Path(program).is_file():
        return PROGRAM
    found = which(PROGRAM)
    return PROGRAM if found is not None and Path(found).samefile(program) else program
