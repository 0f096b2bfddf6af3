"""`volition protocol`: what authors in other languages need, as files."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def protocol() -> None:
    """Get the protocol's schemas, test vectors and documents.

    \b
    Example:
      volition protocol export intent-protocol
    """


@protocol.command()
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
def export(directory: Path) -> None:
    """Write schemas of all frames, golden and hostile vectors, a recorded session and the pages into DIR.

    DIR is new or empty; nothing is overwritten, and all files are written or none.

    \b
    Example:
      volition protocol export intent-protocol
    """
    from volition.execution.protocol.export import export as write  # noqa: PLC0415  only when it runs

    files = write(directory)
    click.echo(f"{directory}: {len(files)} files; begin with {directory / 'README.md'}")
