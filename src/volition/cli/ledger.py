"""`volition ledger`: print a ledger, follow it, verify it, anchor it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import anchor_option, json_option, parse_anchor, record_argument
from volition.cli.printing import CommandAnswer, answering, warn

if TYPE_CHECKING:
    from pathlib import Path

    from volition.core.ledger.line import Record

from_option = click.option(
    "--from", "start", type=click.IntRange(min=1), default=1, show_default=True, help="The first record's number."
)


@click.group()
def ledger() -> None:
    """Print and verify a ledger.

    \b
    Examples:
      volition ledger verify runs/evening
      volition ledger show runs/evening --limit 5
    """


@ledger.command()
@record_argument
@anchor_option
@answering
def verify(path: Path, anchor: str | None) -> CommandAnswer:
    """Check every byte, and name the first record that is not as it was written.

    Exit code 0: the ledger is intact; 3: it is broken; 2: there is none. The output also says what a check cannot show.

    \b
    Example:
      volition ledger verify runs/evening --anchor "$(cat evening.anchor)"
    """
    from volition.core.ledger import verify as check

    verified = check(path, parse_anchor(anchor))
    return CommandAnswer.of(verified, holds=verified.intact)


@ledger.command()
@record_argument
@from_option
@click.option("--limit", type=click.IntRange(min=0), help="How many records to show; all, if not given.")
@json_option
def show(path: Path, start: int, limit: int | None, as_json: bool) -> None:
    """Print records, one to a line: number, hash, body.

    \b
    Example:
      volition ledger show runs/evening --from 120 --limit 5
    """
    from itertools import islice

    from volition.core.ledger.reader import Reader

    for record in islice(Reader(path).records(start=start), limit):
        click.echo(_line(record, as_json=as_json))


@ledger.command()
@record_argument
@from_option
@click.option("--timeout", type=click.FloatRange(min=0), help="Stop after this many seconds without a new record.")
@json_option
def follow(path: Path, start: int, timeout: float | None, as_json: bool) -> None:
    """Print records, then wait for new ones and print them as they are written.

    \b
    Example:
      volition ledger follow runs/evening --timeout 60
    """
    from volition.core.ledger.reader import Reader

    for record in Reader(path).follow(start=start, timeout=timeout):
        click.echo(_line(record, as_json=as_json))


@ledger.command()
@record_argument
def anchor(path: Path) -> int:
    """Print COUNT:HASH of an intact ledger. Keep it where the owner of the ledger cannot change it.

    \b
    Example:
      volition ledger anchor runs/evening > evening.anchor
    """
    from volition.core.ledger import Anchor
    from volition.core.ledger import verify as check

    verified = check(path)
    if not verified.intact:
        warn(str(verified))
        return NEEDS_A_PERSON
    click.echo(str(Anchor(verified.count, verified.head)))
    return DONE


def _line(record: Record, *, as_json: bool) -> str:
    if as_json:
        return f'{{"seq":{record.seq},"hash":"{record.hash}","body":{record.raw.decode()}}}'
    return f"{record.seq:>8}  {record.hash[:12]}  {record.raw.decode()}"
