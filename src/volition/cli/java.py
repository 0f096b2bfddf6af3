"""`volition java`: the executor for games in Java, as a Maven module or as a jar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.common import path_type

if TYPE_CHECKING:
    from pathlib import Path


@click.group()
def java() -> None:
    """Get the executor for games in Java.

    \b
    Examples:
      volition java export volition-executor
      volition java jar
    """


@java.command()
@click.argument("directory", type=path_type, metavar="DIR")
def export(directory: Path) -> None:
    """Write the Maven module into DIR, which is new or empty. Its README says how to connect a game.

    Its folder `protocol` holds what `volition protocol export` writes.

    \b
    Example:
      volition java export volition-executor
    """
    from volition.execution.conformance.protocol.export import export_java as write

    files = write(directory)
    click.echo(f"{directory}: {len(files)} files; start with {directory / 'README.md'}")


@java.command()
def jar() -> None:
    """Print the path of the jar, and build it first if needed. Exit code 4: there is no JDK.

    \b
    Example:
      java -jar "$(volition java jar)" --port 5001
    """
    from volition.execution.worlds.java import build

    click.echo(str(build()))
