"""`volition journal`: count what a journal holds, verify it, play it again, and hand it on to those who learn."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from volition.cli import completion
from volition.cli.exits import DONE, NEEDS_A_PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.execution.journal.replay import Pace

path_argument = click.argument("path", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def journal() -> None:
    """Count, verify, replay and export what was recorded of intents and their results.

    \b
    Examples:
      volition drive --journal runs/arena
      volition journal summary runs/arena
      volition journal verify runs/arena
      volition journal replay runs/arena embedded
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
@click.argument("executor", metavar="EXECUTOR")
@click.option(
    "--pace",
    type=click.Choice(["recorded", "fast"]),
    default="recorded",
    show_default=True,
    help="Each intent in its recorded tick, or as soon as the one before is answered.",
)
@click.option("--run", type=click.IntRange(min=1), help="Which run of the journal; the last one if not given.")
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True, help="The arena's chance.")
@click.option(
    "--map", "map_", shell_complete=completion.maps, metavar="FILE|NAME", help="The arena's map, for embedded and java."
)
@click.option(
    "--token", envvar="VOLITION_TOKEN", show_envvar=True, help="The token that the executor was started with."
)
@json_option
@click.pass_context
def replay(
    ctx: click.Context,
    path: Path,
    executor: str,
    pace: Pace,
    run: int | None,
    seed: int,
    map_: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Send the recorded intents again to EXECUTOR, and say which results differ: embedded, java, tcp://HOST:PORT,
    unix:PATH or stdio:COMMAND.

    EXECUTOR should be at the beginning of its world, with the seed and map of the recording. Results are compared without
    the engine's clock and the time that they took. Ends with 0 where all are the same, and with 3 where one differs.

    \b
    Examples:
      volition journal replay runs/arena embedded
      volition journal replay runs/arena embedded --run 1 --json
    """
    from volition.execution.bridge.connect import connect  # noqa: PLC0415  only when it runs
    from volition.execution.journal.replay import recorded_intents  # noqa: PLC0415
    from volition.execution.journal.replay import replay as play  # noqa: PLC0415

    number, intents = recorded_intents(path, run)
    with connect(executor, token=token, map=map_, seed=seed) as bridge, _progress("replay") as progress:
        found = play(intents, bridge, run=number, pace=pace, progress=progress)
    click.echo(_json(found.to_data()) if as_json else str(found))
    ctx.exit(DONE if found.same else NEEDS_A_PERSON)


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
