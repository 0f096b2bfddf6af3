"""Every command of `volition`, and command lines as they stand in texts: read, parsed, run."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import click

from volition.cli.main import app, main

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


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
    """What `volition` is given by a line of shell: without pipes, redirections, comments, and who else it is for."""
    inner = re.search(r"\$\((volition [^)]*)\)", line)
    lexer = shlex.shlex(inner[1] if inner else line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    found = list(lexer)
    end = next((n for n, word in enumerate(found) if word in {"|", ">"}), len(found))
    assert found[0] == "volition", line
    return found[1:end]


def parsed(line: str) -> click.Context:
    """Parse a line down to its command, and run nothing; click's own error where it is not understood."""
    rest = words(line)
    context = click.Context(app, info_name="volition")
    while isinstance(context.command, click.Group) and rest:
        name, found, rest = context.command.resolve_command(context, rest)
        assert found is not None
        context = click.Context(found, info_name=name, parent=context)
    return context.command.make_context(context.info_name, rest, parent=context.parent)


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run one command line here: its exit code and what it printed."""
    capsys.readouterr()
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert "this is a bug" not in err, err
    return code, out, err
