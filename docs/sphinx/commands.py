"""The page of commands: what `volition COMMAND --help` prints, for every command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 100


def commands_page() -> str:
    """Every command and every command of a group, under a heading, with its help."""
    blocks = [f"{'#' * min(len(words) + 1, 3)} {' '.join(words)}\n\n```text\n{text}\n```\n" for words, text in helps()]
    intro = "What `volition COMMAND --help` prints, for every command. [Exit codes](../exit-codes.md) are the same for all.\n"
    return "\n".join(["# Commands\n", intro, *blocks])


def helps() -> Iterator[tuple[tuple[str, ...], str]]:
    """The words of every command, and its help."""
    yield from _helps(app, ("volition",), None)


def _helps(
    command: click.Command, words: tuple[str, ...], parent: click.Context | None
) -> Iterator[tuple[tuple[str, ...], str]]:
    context = click.Context(
        command, info_name=words[-1], parent=parent, terminal_width=WIDTH, **command.context_settings
    )
    yield words, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from _helps(inner, (*words, name), context)
