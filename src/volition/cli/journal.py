"""`volition journal`: count what a journal holds, verify it, and hand it on to those who learn."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

path_argument = click.argument("path", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def journal() -> None:
    """Count, verify and export what was recorded of intents and their results.

    \b
    Examples:
      volition drive --journal runs/arena
      volition journal summary runs/arena
      volition journal verify runs/arena
    """


@journal.command()
@path_argument
@json_option
def summary(path: Path, as_json: bool) -> None:
    """Say what a journal holds: attempts by intent and label, breaches, latency, reward, connections.

    \b
    Example:
      volition journal summary runs/arena
    """
    from volition.execution.journal import summary as summarise  # noqa: PLC0415  only when it runs

    found = summarise(path)
    click.echo(_json(found.to_data()) if as_json else str(found))


@journal.command()
@path_argument
@click.option("--anchor", metavar="COUNT:HASH", help="An anchor that was kept elsewhere.")
@json_option
@click.pass_context
def verify(ctx: click.Context, path: Path, anchor: str | None, as_json: bool) -> None:
    """Check every byte, and the journal's laws: one final record for each ticket, every reference resolves.

    Ends with 0 where the journal is intact, 3 where it is not, 2 where there is none. Says what it cannot show.

    \b
    Example:
      volition journal verify runs/arena
    """
    from volition.core.ledger import Anchor  # noqa: PLC0415  only when it runs
    from volition.execution.journal import verify_journal  # noqa: PLC0415

    found = verify_journal(path, None if anchor is None else Anchor.parse(anchor.strip()))
    click.echo(_json(found.to_data()) if as_json else str(found))
    ctx.exit(DONE if found.intact else NEEDS_A_PERSON)


@journal.command()
@path_argument
@click.option("--to", "form", type=click.Choice(["minari", "parquet"]), required=True, help="The format.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="A folder of Minari datasets, or the Parquet file."
)
@click.option("--id", "dataset", default="volition/journal-v0", show_default=True, help="The Minari dataset's id.")
@json_option
def export(path: Path, form: str, out: Path, dataset: str, as_json: bool) -> None:
    """Write a journal as a Minari dataset (hdf5) or as a Parquet file, whole or not at all, and never over another.

    Parquet has a row for every attempt; Minari has the policy's own, by episodes. Ends with 4 where the extra `learn` is
    not installed.

    \b
    Examples:
      volition journal export runs/arena --to parquet --out arena.parquet
      volition journal export runs/arena --to minari --out datasets --id arena/first-v0
    """
    from volition.execution.experience import export_minari, export_parquet  # noqa: PLC0415  only when it runs

    with _progress(form) as progress:
        if form == "parquet":
            data: dict[str, object] = {"file": str(out), "rows": export_parquet(path, out, progress=progress)}
            text = f"{data['rows']} attempts written to {out}"
        else:
            made = export_minari(path, out, id=dataset, progress=progress)
            data = made.to_data()
            text = f"{made.steps} steps in {made.episodes} episodes written to {out / dataset}\n"
            text += (
                f"  read it: MINARI_DATASETS_PATH={out} python -c \"import minari; minari.load_dataset('{dataset}')\""
            )
            if made.left_out:
                text += f"\n  no numbers, left out of the observations: {', '.join(made.left_out[:12])}"
    click.echo(_json(data) if as_json else text)


@contextmanager
def _progress(title: str) -> Iterator[Callable[[int], None] | None]:
    """A count on stderr, where that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415  only for somebody who looks on
    from rich.progress import Progress, SpinnerColumn, TextColumn  # noqa: PLC0415

    columns = (SpinnerColumn(), TextColumn("{task.description}: {task.completed} attempts"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done: bar.update(task, completed=done)


def _json(data: object) -> str:
    import orjson  # noqa: PLC0415

    return orjson.dumps(data, option=orjson.OPT_INDENT_2).decode()
