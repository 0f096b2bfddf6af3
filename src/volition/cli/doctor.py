"""`volition doctor`: play many evenings of a scenario, and say what is wrong with them and what to change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from volition.cli import completion
from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.progress import progress as _progress

if TYPE_CHECKING:
    from volition.drama.company.doctor import Report

_LARGEST = 2**53 - 1


@click.command()
@click.argument("scenario", metavar="NAME|FILE|DIR", shell_complete=completion.scenarios)
@click.option("--seeds", type=click.IntRange(1, 1_000_000), default=200, show_default=True, help="How many evenings.")
@click.option(
    "--first-seed", type=click.IntRange(0, _LARGEST), default=1, show_default=True, help="The seed of the first one."
)
@click.option("--workers", type=click.IntRange(1, 1024), help="How many processes; otherwise one for each core.")
@click.option(
    "--point", type=click.IntRange(min=0), help="Of an ensemble: the settings to look at; the first if not given."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.pass_context
def doctor(
    ctx: click.Context,
    scenario: str,
    seeds: int,
    first_seed: int,
    workers: int | None,
    point: int | None,
    as_json: bool,
) -> None:
    """Play many evenings of a scenario and name its symptoms, each with the settings to change.

    The folder of an ensemble is examined as it was played: nothing is played again.

    Ends with 0 where every target holds and there is no symptom, 3 where there is one, 2 where the scenario cannot be
    played. The same seeds give the same report, whatever the number of workers.

    \b
    Examples:
      volition doctor dinner-party
      volition doctor night-train.toml --seeds 40 --workers 2
      volition doctor dinner-party --first-seed 50001 --json > report.json
      volition doctor noise --point 2
    """
    report = (
        _examined(Path(scenario), point)
        if _is_ensemble(scenario, point)
        else _played(scenario, seeds, first_seed, workers)
    )
    if as_json:
        from volition.core.document import dump_json  # noqa: PLC0415

        click.echo(dump_json(report.to_data()), nl=False)
    else:
        click.echo(str(report))
    ctx.exit(DONE if report.healthy else NEEDS_A_PERSON)


def _is_ensemble(name: str, point: int | None) -> bool:
    return point is not None or (Path(name) / "manifest.json").is_file()


def _examined(folder: Path, point: int | None) -> Report:
    from volition.drama.company.ensemble import Ensemble  # noqa: PLC0415  only when it runs

    return Ensemble(folder).examine(point or 0)


def _played(name: str, seeds: int, first_seed: int, workers: int | None) -> Report:
    from volition.drama.company.doctor import examine  # noqa: PLC0415  only when it runs
    from volition.drama.company.ensemble import ensemble  # noqa: PLC0415
    from volition.drama.world.scenario import load_scenario  # noqa: PLC0415

    found = load_scenario(name)
    with _progress(found.id) as progress:
        records = ensemble(found, range(first_seed, first_seed + seeds), workers=workers, progress=progress)
    return examine(records, found)
