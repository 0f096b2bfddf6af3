"""A command group that knows its commands by name and one line of help, and imports one only when it is called; and the
examples in the help of a command.

So `volition --help`, `--version` and shell completion stay fast, and a command whose extra is not installed does not
break the others.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from volition.cli.exits import PIPE_CLOSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Lazy(NamedTuple):
    """Where a command is defined (`.module:name` in this package), and its line in the list of commands."""

    target: str
    help: str


class LazyGroup(click.Group):
    """A click group over a table of `Lazy` commands; `exits` is printed under the commands in `--help`."""

    def __init__(
        self, *args: Any, table: Mapping[str, Lazy], exits: Sequence[tuple[int, str]] = (), **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self.table = table
        self.exits = exits

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        with _exit_when_pipe_closes():
            return super().make_context(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        with _exit_when_pipe_closes():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        module, _, name = self.table[cmd_name].target.partition(":")
        command = getattr(import_module(module, "volition.cli"), name)
        assert isinstance(command, click.Command), f"{self.table[cmd_name].target} is not a command"
        from volition.cli.entitled import let_entitled

        return let_entitled(command, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.table and not args[0].startswith("-") and not ctx.resilient_parsing:
            from volition.core.errors import did_you_mean

            ctx.fail(f"there is no command {args[0]!r}; {did_you_mean(args[0], self.table)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.help) for name, lazy in self.table.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.exits:
            with formatter.section("Exit codes"):
                formatter.write_dl([(str(code), meaning) for code, meaning in self.exits])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        named = [
            CompletionItem(name, help=lazy.help) for name, lazy in self.table.items() if name.startswith(incomplete)
        ]
        return named + click.Command.shell_complete(self, ctx, incomplete)


@contextmanager
def _exit_when_pipe_closes() -> Iterator[None]:
    """Exit with PIPE_CLOSED if the reader went away; click would exit with 1, which here means a bug."""
    try:
        yield
    except BrokenPipeError as closed:
        raise click.exceptions.Exit(PIPE_CLOSED) from closed


_EXAMPLES = re.compile(r"^Examples?:((?: +\S.*)?(?:\n +\S.*)*)", re.MULTILINE)


def examples(command: click.Command) -> list[str]:
    """The example lines of a command's help, continuation lines joined.

    >>> import click
    >>> examples(click.Command("play", help="Play.\\n\\nExamples:\\n  play one \\\\\\n    --seed 8\\n  play two"))
    ['play one --seed 8', 'play two']
    """
    match = _EXAMPLES.search(cleandoc(command.help or ""))
    whole = re.sub(r" *\\\n *", " ", match[1]) if match else ""
    return [line.strip() for line in whole.splitlines() if line.strip()]
