"""`volition ledger`: look into a ledger, follow it, verify it, anchor it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from volition.core.ledger import Record

BROKEN = 3

path_argument = click.argument("path", type=click.Path(path_type=Path))
from_option = click.option(
    "--from", "start", type=click.IntRange(min=1), default=1, show_default=True, help="The first record's number."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def ledger() -> None:
    """Look into a ledger and verify it.

    \b
    Examples:
      volition ledger verify runs/evening
      volition ledger show runs/evening --limit 5
    """


@ledger.command()
@path_argument
@click.option("--anchor", metavar="COUNT:HASH", help="An anchor that was kept elsewhere.")
@json_option
@click.pass_context
def verify(ctx: click.Context, path: Path, anchor: str | None, as_json: bool) -> None:
    """Check every byte, and name the first record that is not as it was written.

    Ends with 0 where the ledger is intact, 3 where it is broken, 2 where there is none. Says what it cannot show.

    \b
    Example:
      volition ledger verify runs/evening --anchor "$(cat evening.anchor)"
    """
    from volition.core.ledger import Anchor  # noqa: PLC0415
    from volition.core.ledger import verify as check  # noqa: PLC0415

    found = check(path, None if anchor is None else Anchor.parse(anchor.strip()))
    click.echo(_json(found.to_data()) if as_json else str(found))
    ctx.exit(0 if found.intact else BROKEN)


@ledger.command()
@path_argument
@from_option
@click.option("--limit", type=click.IntRange(min=0), help="How many records to show; all, if not given.")
@json_option
def show(path: Path, start: int, limit: int | None, as_json: bool) -> None:
    """Print records, one to a line: number, hash, body.

    \b
    Example:
      volition ledger show runs/evening --from 120 --limit 5
    """
    from itertools import islice  # noqa: PLC0415

    from volition.core.ledger import Reader  # noqa: PLC0415

    for record in islice(Reader(path).records(start=start), limit):
        click.echo(_line(record, as_json=as_json))


@ledger.command()
@path_argument
@from_option
@click.option("--timeout", type=click.FloatRange(min=0), help="End after so many seconds without a new record.")
@json_option
def follow(path: Path, start: int, timeout: float | None, as_json: bool) -> None:
    """Print records, then wait for new ones and print them as they are written.

    \b
    Example:
      volition ledger follow runs/evening --timeout 60
    """
    from volition.core.ledger import Reader  # noqa: PLC0415

    for record in Reader(path).follow(start=start, timeout=timeout):
        click.echo(_line(record, as_json=as_json))


@ledger.command()
@path_argument
@click.pass_context
def anchor(ctx: click.Context, path: Path) -> None:
    """Print COUNT:HASH of an intact ledger, to be kept where the ledger's owner cannot reach it.

    \b
    Example:
      volition ledger anchor runs/evening > evening.anchor
    """
    from volition.core.ledger import Anchor  # noqa: PLC0415
    from volition.core.ledger import verify as check  # noqa: PLC0415

    found = check(path)
    if not found.intact:
        click.echo(str(found), err=True)
        ctx.exit(BROKEN)
    click.echo(str(Anchor(found.count, found.head)))


def _line(record: Record, *, as_json: bool) -> str:
    if as_json:
        return f'{{"seq":{record.seq},"hash":"{record.hash}","body":{record.raw.decode()}}}'
    return f"{record.seq:>8}  {record.hash[:12]}  {record.raw.decode()}"


def _json(data: object) -> str:
    import orjson  # noqa: PLC0415

    return orjson.dumps(data, option=orjson.OPT_INDENT_2).decode()
