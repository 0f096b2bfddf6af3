"""`volition protocol` and `volition java`: what authors in other languages need, as files: schemas, test vectors, documents, and
the executor for games in Java."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.options import path_type

if TYPE_CHECKING:
    from pathlib import Path


@click.group()
def protocol() -> None:
    """Get the protocol's schemas, test vectors and documents.

    \b
    Example:
      volition protocol export intent-protocol
    """


@protocol.command()
@click.argument("directory", type=path_type, metavar="DIR")
def export(directory: Path) -> None:
    """Write the schemas of all frames, valid and hostile test vectors, a recorded session and the documents into DIR.

    DIR is new or empty; nothing is overwritten, and either all files are written or none.

    \b
    Example:
      volition protocol export intent-protocol
    """
    from volition.execution.conformance.protocol.export import export as write

    files = write(directory)
    click.echo(f"{directory}: {len(files)} files; start with {directory / 'README.md'}")


@click.group()
def java() -> None:
    """Get the executor for games in Java, and the arena as an example.

    \b
    Examples:
      volition java export volition
      volition java jar
    """


@java.command("export")
@click.argument("directory", type=path_type, metavar="DIR")
def export_java(directory: Path) -> None:
    """Write the Maven project into DIR, which is new or empty. Its README says how to connect a game.

    Its module `sdk` is what a game depends on, and `arena` is an example; its folder `protocol` holds what
    `volition protocol export` writes.

    \b
    Example:
      volition java export volition
    """
    from volition.execution.conformance.protocol.export import export_java as write

    files = write(directory)
    click.echo(f"{directory}: {len(files)} files; start with {directory / 'README.md'}")


@java.command()
def jar() -> None:
    """Print the path of the arena's jar, and build it first if needed. Exit code 4: there is no JDK.

    The jar that a game depends on, volition-executor.jar, is in the same folder.

    \b
    Example:
      java -jar "$(volition java jar)" --port 5001
    """
    from volition.execution.worlds.java import build

    click.echo(str(build()))
