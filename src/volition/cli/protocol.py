"""`volition protocol`: what authors in other languages need, as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.common import path_type

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
