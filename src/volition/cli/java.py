"""`volition java`: the executor for games in Java, as a Maven module or as a jar."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def java() -> None:
    """Get the executor for games in Java.

    \b
    Examples:
      volition java export volition-executor
      volition java jar
    """


@java.command()
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
def export(directory: Path) -> None:
    """Write the Maven module into DIR, which is new or empty. Its README says how a game is made with it.

    The folder `protocol` in it has what `volition protocol export` writes.

    \b
    Example:
      volition java export volition-executor
    """
    from volition.execution.executor.java import export as write  # noqa: PLC0415  only when it runs

    files = write(directory)
    click.echo(f"{directory}: {len(files)} files; begin with {directory / 'README.md'}")


@java.command()
def jar() -> None:
    """Print where the jar is; it is built if it is not there. Ends with 4 where there is no JDK.

    \b
    Example:
      java -jar "$(volition java jar)" --port 5001
    """
    from volition.execution.executor.java import build  # noqa: PLC0415  only when it runs

    click.echo(str(build()))
