"""`volition doctor`: play many evenings of a scenario, and say what is wrong with them and what to change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from volition.cli import completion
from volition.cli.common import SEED, json_option, print_answer
from volition.cli.custom import load_custom, with_option
from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.progress import progress as _progress

if TYPE_CHECKING:
    from volition.drama.doctor import DoctorReport


@click.command()
@click.argument("scenario", metavar="NAME|FILE|DIR", shell_complete=completion.scenarios)
@click.option("--seeds", type=click.IntRange(1, 1_000_000), default=200, show_default=True, help="How many evenings.")
@click.option("--first-seed", type=SEED, default=1, show_default=True, help="The seed of the first evening.")
@click.option(
    "--workers", type=click.IntRange(1, 1024), help="How many threads or processes; one for each core if not given."
)
@click.option(
    "--point",
    type=click.IntRange(min=0),
    help="Of an ensemble: the combination of settings to examine; the first if not given.",
)
@with_option
@json_option
def doctor(
    scenario: str,
    seeds: int,
    first_seed: int,
    workers: int | None,
    point: int | None,
    custom: tuple[str, ...],
    as_json: bool,
) -> int:
    """Play many evenings of a scenario and list its symptoms, each with the settings to change.

    The folder of an ensemble is examined as it is: nothing is played again.

    Exit code 0: every target is met and there is no symptom; 3: there is one; 2: the scenario cannot be played. The
    same seeds give the same report, whatever the number of workers.

    \b
    Examples:
      volition doctor dinner-party
      volition doctor night-train.toml --seeds 40 --workers 2
      volition doctor dinner-party --first-seed 50001 --json > report.json
      volition doctor noise --point 2
      volition doctor dinner-party --with victor=my_minds:careful --seeds 40
    """
    report = (
        _examine_ensemble(Path(scenario), point)
        if point is not None or (Path(scenario) / "manifest.json").is_file()
        else _play_and_examine(scenario, seeds, first_seed, workers, custom)
    )
    print_answer(report, as_json=as_json)
    return DONE if report.healthy else NEEDS_A_PERSON


def _examine_ensemble(folder: Path, point: int | None) -> DoctorReport:
    from volition.drama.ensemble import Ensemble

    return Ensemble(folder).examine(point or 0)


def _play_and_examine(
    name: str, seeds: int, first_seed: int, workers: int | None, custom: tuple[str, ...]
) -> DoctorReport:
    from volition.drama.doctor import examine
    from volition.drama.ensemble import ensemble
    from volition.drama.world.scenario import load_scenario

    found = load_scenario(name)
    with _progress(found.id) as progress:
        records = ensemble(
            found,
            range(first_seed, first_seed + seeds),
            workers=workers,
            terms=load_custom(custom),
            progress=progress,
            notice=_notice,
        )
    return examine(records, found)


def _notice(text: str) -> None:
    click.echo(text, err=True)
