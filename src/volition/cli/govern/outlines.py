"""`volition govern parts`, and the targets of a plan from a diff: claims that are finer than files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from volition.cli.exits import DONE, INVALID_INPUT
from volition.cli.options import json_option, path_type
from volition.cli.printing import print_json, warn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from volition.core.errors import VolitionError
    from volition.governance.outline.diffs import FileChange
    from volition.governance.outline.parts import Outline
    from volition.governance.outline.touched import Texts, Touched

MOST_BYTES: Final = 16 << 20
MOST_TARGETS: Final = 200
"""How many files a plan can name."""
_STAGED: Final = frozenset({"--cached", "--staged"})
from_diff_option = click.option(
    "--from-diff",
    metavar="RANGE",
    help="Add as targets the parts that a change touches: a range as git diff takes it, such as main...HEAD, "
    "--cached for what is staged, or - for a diff on standard input.",
)


@click.command()
@click.argument("paths", metavar="PATH...", type=path_type, nargs=-1, required=True)
@json_option
def parts(paths: Sequence[Path], as_json: bool) -> int:
    """List the parts of source files, as a plan can claim them: classes, functions, methods, constants at the top level.

    Of a folder, the source files are listed that git tracks. Python needs nothing else; JavaScript, TypeScript, Java, Go,
    Rust, C, C++, C#, Ruby and PHP need the extra 'outline'. Exit code 2: a file that was named cannot be read or does not
    parse; 4: nothing could be listed because a grammar is not installed.

    \b
    Example:  volition govern parts mine.py
    """
    from volition.cli.show.governance import parts_data, print_parts
    from volition.core.errors import InvalidInput, MissingPart, VolitionError
    from volition.governance.documents.loading import read_file
    from volition.governance.outline.languages import outline_of

    outlines: dict[str, Outline] = {}
    faults: dict[str, VolitionError] = {}
    for name, file in _files(paths):
        try:
            outlines[name] = outline_of(name, read_file(file, MOST_BYTES))
        except VolitionError as error:
            faults[name] = error
    if not outlines:
        kind = MissingPart if any(isinstance(fault, MissingPart) for fault in faults.values()) else InvalidInput
        raise kind(*(problem for fault in faults.values() for problem in fault.problems))
    if as_json:
        print_json(parts_data(outlines, faults), indent=2)
    else:
        print_parts(outlines, faults)
    named = {path.as_posix() for path in paths}
    wrong = any(name in named and isinstance(fault, InvalidInput) for name, fault in faults.items())
    return INVALID_INPUT if wrong else DONE


def _files(paths: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """The named files, and the tracked source files of the named folders."""
    from volition.core.errors import refuse
    from volition.governance.outline.languages import language_of

    for path in paths:
        if not path.is_dir():
            yield path.as_posix(), path
            continue
        listed = ask_git(path, "ls-files", "-z").split(b"\0")
        files = [path / name.decode(errors="surrogateescape") for name in dict.fromkeys(listed) if name]
        files = [file for file in files if language_of(file.name) and file.is_file() and not file.is_symlink()]
        if not files:
            what, remedy = "git tracks no source file here", "name files, or add them to git"
            refuse(what, where=str(path), expected="a folder with source files in it", remedy=remedy)
        yield from ((file.as_posix(), file) for file in files)


def add_touched(options: dict[str, Any], diff: str) -> dict[str, Any]:
    """The options of a draft with what a diff touches added: its targets, a command that writes them where none is
    given, and how many files it may change."""
    from volition.core.errors import refuse
    from volition.governance.outline.touched import touched_by

    changes, texts = _changes(diff)
    if not changes:
        refuse(
            "the diff is empty",
            where="--from-diff",
            expected="a change",
            remedy="name a range in which something changed",
        )
    touched = touched_by(changes, texts)
    arguments = plan_arguments(touched)
    if len(arguments["files"]) + len(options["files"]) > MOST_TARGETS:
        warn(f"note: more than {MOST_TARGETS} parts are touched; their files are claimed whole")
        touched = touched_by(changes, lambda _: None)
        arguments = plan_arguments(touched)
    else:
        for path, why in touched.whole.items():
            warn(f"note: {path} is claimed whole: {why}")
    paths = {path for change in changes for path in (change.old, change.new) if path}
    return {
        **options,
        **arguments,
        "files": tuple(dict.fromkeys([*options["files"], *arguments["files"]])),
        "removes": tuple(dict.fromkeys([*options["removes"], *arguments["removes"]])),
        "commands": options["commands"] or ("make_change: write: make the change",),
        "max_files": len({*paths, *options["files"]}) if options["max_files"] is None else options["max_files"],
    }  # fmt: skip


def plan_arguments(touched: Touched) -> dict[str, Any]:
    """The arguments of `Plan` for what a change touches."""
    return {"files": touched.files, "removes": touched.removes, "renames": touched.renames}


def _changes(diff: str) -> tuple[list[FileChange], Texts]:
    """The changes of a diff, and how to get at the texts of their files."""
    import sys

    from volition.core.errors import refuse
    from volition.governance.outline.diffs import WHOLE_DIFF, read_diff, whole_texts

    if diff == "-":
        return read_diff(sys.stdin.buffer.read()), _found_texts
    words = diff.split()
    if not words or any(word.startswith("-") and word not in _STAGED for word in words):
        refuse(
            f"{diff!r} is not a range of commits",
            where="--from-diff",
            expected="commits, --cached, or - for standard input",
            remedy="such as main...HEAD, or HEAD for what is not committed yet",
        )
    return read_diff(ask_git(Path(), "diff", *WHOLE_DIFF, *words, "--")), whole_texts


def _found_texts(change: FileChange) -> tuple[bytes, bytes] | None:
    """The texts of a file in the working tree, whether the diff is applied there or not; None if neither fits."""
    from volition.core.errors import InvalidInput
    from volition.governance.documents.loading import read_file

    root = Path(ask_git(Path(), "rev-parse", "--show-toplevel", fine=(0, 128)).decode().rstrip("\n") or ".").resolve()
    file = (root / change.path).resolve()
    if not file.is_relative_to(root):
        return None
    try:
        content = read_file(file, MOST_BYTES)
    except InvalidInput:
        return None
    if (new := change.apply(content)) is not None:
        return content, new
    old = change.apply(content, backwards=True)
    return None if old is None else (old, content)


def ask_git(folder: Path, *arguments: str, fine: tuple[int, ...] = (0,)) -> bytes:
    """What git prints in a folder; InvalidInput with its complaint if it fails, MissingPart if there is none."""
    from volition.agents.guard.git import end_git, start_git
    from volition.agents.guard.setting import GuardFailure
    from volition.core.errors import MissingPart, Problem, refuse

    try:
        code, out, err = end_git(start_git(str(folder), *arguments))
    except GuardFailure as failure:
        raise MissingPart(Problem(str(failure), str(folder), "git", "install git")) from None
    if code not in fine:
        refuse(
            f"git {arguments[0]} failed: {err.splitlines()[0] if err else f'exit code {code}'}",
            where=str(folder),
            expected="a folder in a git repository, and commits that exist",
            remedy="go to the repository, or check the names",
        )
    return out
