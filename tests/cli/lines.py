"""Every command of `volition`, and command lines from texts: read, parsed, run."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import pytest

from volition.cli.main import app, main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Ended(NamedTuple):
    """How a command line ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


def commands() -> dict[str, click.Command]:
    """The whole tree, by the words that call each command: `volition`, `volition play`, `volition govern new`, ..."""
    return dict(_below("volition", app))


def _below(called: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield called, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=called)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _below(f"{called} {name}", found)


def words(line: str) -> list[str]:
    """The arguments of `volition` in a line of shell: without pipes, redirections, comments and other programs."""
    inner = re.search(r"\$\((volition [^)]*)\)", line)
    lexer = shlex.shlex(inner[1] if inner else line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    found = list(lexer)
    end = next((n for n, word in enumerate(found) if word in {"|", ">"}), len(found))
    assert found[0] == "volition", line
    return found[1:end]


def parsed(line: str) -> click.Context:
    """Parse a line down to its command, and run nothing; click's error if it is not valid."""
    rest = words(line)
    context = click.Context(app, info_name="volition")
    while isinstance(context.command, click.Group) and rest:
        name, found, rest = context.command.resolve_command(context, rest)
        assert found is not None
        context = click.Context(found, info_name=name, parent=context)
    return context.command.make_context(context.info_name, rest, parent=context.parent)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> Ended:
    """Run one command line in this process."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert "this is a bug" not in err, err
    return Ended(code, out, err)


def run_in(folder: Path, *arguments: object, stdin: str = "") -> Ended:
    """Run one command line in a folder, in this process; modules that it loads from there are forgotten."""
    with (
        chdir(folder),
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as err,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin.encode())))
        patch.setattr(sys, "path", list(sys.path))
        code = main([str(argument) for argument in arguments])
    inside = f"{folder}{os.sep}"
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(inside):
            del sys.modules[name]
    assert "Traceback" not in err.getvalue()
    assert "this is a bug" not in err.getvalue(), err.getvalue()
    return Ended(code, out.getvalue(), err.getvalue())


def run_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any]:
    """Run one command line with --json in this process: its exit code and what it answers."""
    done = run(capsys, *arguments, "--json")
    return done.code, json.loads(done.out)
