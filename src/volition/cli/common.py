"""What several commands share: options and arguments, answers as text or JSON, new files, and next steps to type."""

from __future__ import annotations

import sys
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import click

from volition.cli import completion
from volition.cli.exits import DONE, NEEDS_A_PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from volition.core.ledger import Anchor
    from volition.drama.playing import Evening

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


class CommandAnswer(NamedTuple):
    """What a command answers: data for programs, text for people, and its exit code."""

    data: Any
    text: str
    code: int = DONE
    indent: int | None = 2

    @classmethod
    def of(cls, found: Printable, *, holds: bool = True, indent: int | None = 2) -> CommandAnswer:
        """What was found; a person is needed unless it holds."""
        return cls(found.to_data(), str(found), DONE if holds else NEEDS_A_PERSON, indent)


def answering(command: Callable[..., CommandAnswer]) -> Callable[..., int]:
    """Give a command the option --json, and print what it returns."""

    @json_option
    @wraps(command)
    def run(*found: Any, as_json: bool, **given: Any) -> int:
        answer = command(*found, **given)
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


def parse_assignments(given: Iterable[str], option: str, form: str) -> dict[str, str]:
    """Options of the form NAME=VALUE as a dict; each name may be given once."""
    from volition.core.errors import refuse

    found: dict[str, str] = {}
    for text in given:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            refuse(
                f"{text!r} is not of the form {form}", where=option, expected=form, remedy="name both sides of the ="
            )
        if name in found:
            refuse(f"{name} is given twice", where=option, expected="each name once", remedy="leave one of them out")
        found[name] = value
    return found


def parse_anchor(given: str | None) -> Anchor | None:
    """The anchor that `--anchor` names."""
    from volition.core.ledger import Anchor

    return None if given is None else Anchor.parse(given.strip())


def find_run(run: str) -> Path:
    """Where the run is recorded that a RUN argument names, by id or by path."""
    from volition.drama.stage.library import Library

    return Library().find(run)


def new_run(out: Path | None, name: str) -> tuple[Path, str]:
    """A new folder for a run, which is `out` if that is given, and what RUN arguments call it."""
    from volition.drama.stage.library import Library

    if out is not None:
        return new_folder(out), str(out)
    path = Library().new(name)
    return path, path.name


def load_evening(run: str) -> tuple[Path, Evening]:
    """The evening that a RUN argument names, and where it is recorded."""
    from volition.drama.playing import Evening

    path = find_run(run)
    return path, Evening.load(path)


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
