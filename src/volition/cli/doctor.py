"""`volition doctor`: play many evenings of a scenario, and say what is wrong with them and what to change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from volition.cli import completion
from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import SEED, load_custom, new_file, path_type, with_option
from volition.cli.printing import CommandAnswer, answering, warn
from volition.cli.printing import progress as _progress

if TYPE_CHECKING:
    from volition.drama.doctor.cure import Cure
    from volition.drama.doctor.report import DoctorReport


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
@click.option("--fix", is_flag=True, help="Search for settings that meet the targets, and write them to a file.")
@click.option(
    "--rounds", type=click.IntRange(1, 1000), default=12, show_default=True, help="With --fix: how many rounds at most."
)
@click.option("--out", type=path_type, metavar="FILE", help="With --fix: where to write; ID.fix.toml if not given.")
@click.option(
    "--apply", "apply_", is_flag=True, help="With --fix: change the scenario's own file instead, and show how."
)
@with_option
@answering
def doctor(
    scenario: str,
    seeds: int,
    first_seed: int,
    workers: int | None,
    point: int | None,
    fix: bool,
    rounds: int,
    out: Path | None,
    apply_: bool,
    custom: tuple[str, ...],
) -> CommandAnswer:
    """Play many evenings of a scenario and list its symptoms, each with the settings to change.

    The folder of an ensemble is examined as it is: nothing is played again. How evenings read (cuts between rooms, gestures
    that repeat) is judged by the first ten of them; not with --with, nor of an ensemble.

    With --fix it tries its own proposals and then numbers around them, on a quarter as many evenings, and judges what it
    found on other ones. It changes rules and the evening's setup, never people or secrets. The changed numbers are written
    to a new file, each with its reason; with --apply they are changed in the scenario's own file, in which every comment
    and every other line stays, and what differs is shown.

    Exit code 0: every target is met and there is no symptom; 3: there is one; 2: the scenario cannot be played. The
    same seeds give the same report, whatever the number of workers.

    \b
    Examples:
      volition doctor dinner-party
      volition doctor night-train.toml --seeds 40 --workers 2
      volition doctor dinner-party --first-seed 50001 --json > report.json
      volition doctor noise --point 2
      volition doctor night-train.toml --fix --rounds 20
      volition doctor night-train.toml --fix --apply
      volition doctor dinner-party --with victor=my_minds:careful --seeds 40
    """
    from volition.core.errors import refuse
    from volition.drama.ensemble import Ensemble

    in_folder = point is not None or (Path(scenario) / "manifest.json").is_file()
    if custom and (fix or in_folder):
        refuse(
            "--with is given together with --fix, or with the folder of an ensemble",
            where="--with",
            expected="a scenario that is played for the report",
            remedy="leave it out; an ensemble has its own: volition ensemble run --with",
        )
    if apply_:
        _check_own_file(scenario, fix=fix, out=out)
    if fix:
        return _find_cure(scenario, seeds, first_seed, rounds, out, apply_)
    report = (
        Ensemble(Path(scenario)).examine(point or 0)
        if in_folder
        else _play_and_examine(scenario, seeds, first_seed, workers, custom)
    )
    return CommandAnswer.of(report, holds=report.healthy)


def _play_and_examine(
    name: str, seeds: int, first_seed: int, workers: int | None, custom: tuple[str, ...]
) -> DoctorReport:
    from volition.drama.doctor import examine
    from volition.drama.doctor.told import TOLD, tell_evenings
    from volition.drama.ensemble import ensemble
    from volition.drama.world.scenario import load_scenario

    scenario = load_scenario(name)
    with _progress(scenario.id) as progress:
        records = ensemble(
            scenario,
            range(first_seed, first_seed + seeds),
            workers=workers,
            terms=load_custom(custom),
            progress=progress,
            notice=warn,
        )
    transcripts = list(tell_evenings(scenario, range(first_seed, first_seed + min(seeds, TOLD)))) if not custom else []
    return examine(records, scenario, transcripts)


def _check_own_file(name: str, *, fix: bool, out: Path | None) -> None:
    """Refuse --apply where there is nothing to apply, or no file of the author's to apply it to."""
    from volition.core.errors import InvalidInput, Problems
    from volition.drama.world.scenario import scenario_names

    problems = Problems()
    if not fix:
        problems.add(
            "there is nothing to apply",
            where="--apply",
            expected="--fix beside it",
            remedy="add --fix, or leave it out",
        )
    if out is not None:
        problems.add(
            "--out names another file to write",
            where="--out",
            expected="one file to write",
            remedy="leave out one of them",
        )
    if name in scenario_names():
        problems.add(
            f"{name} ships with the package, whose files are not yours",
            where="--apply",
            expected="the path of your file",
            remedy=f"copy it first: volition scenario new NAME --from {name}",
        )
    elif Path(name).suffix.lower() != ".toml":
        problems.add(
            f"{name} is not TOML",
            where="--apply",
            expected="a scenario in a .toml file, whose comments and order can be kept",
            remedy="leave out --apply, and copy the lines of the file that is written",
        )
    problems.raise_if_any(InvalidInput)


def _find_cure(name: str, seeds: int, first_seed: int, rounds: int, out: Path | None, apply_: bool) -> CommandAnswer:
    from volition.core.document import write_atomically
    from volition.drama.doctor import find_cure
    from volition.drama.world.scenario import load_scenario

    before = Path(name).read_bytes() if apply_ and Path(name).is_file() else b""
    scenario = load_scenario(name)
    file = Path(name) if apply_ else new_file(out or Path(f"{scenario.id}.fix.toml"))
    few = max(1, seeds // 4)
    with _progress(scenario.id, "trials") as progress:
        cure = find_cure(
            scenario,
            range(first_seed, first_seed + few),
            range(first_seed + few, first_seed + few + seeds),
            rounds=rounds,
            on_step=None if progress is None else lambda number, step: warn(f"round {number}: {step}"),
            progress=progress,
        )
    data, text = cure.to_data(), str(cure)
    if apply_:
        diff = _apply(cure, file, before)
        data |= {"file": str(file), "diff": diff}
        text += f"\n{diff}changed {file}" if diff else f"\n{file} stays as it is"
    elif cure.settings:
        write_atomically(file, cure.patch().encode())
        text += f"\nwrote {file}: copy its lines into the scenario, then ask the doctor again"
    return CommandAnswer(data, text, DONE if cure.after.healthy else NEEDS_A_PERSON)


def _apply(cure: Cure, file: Path, before: bytes) -> str:
    """Change the settings of a cure in a scenario's own file, unless it was changed meanwhile; what differs."""
    from volition.core.document import write_atomically
    from volition.core.errors import refuse
    from volition.drama.world.amend import amend, diff_of

    if not cure.settings:
        return ""
    text = before.decode()
    amended = amend(text, cure.settings, str(file))
    if file.read_bytes() != before:
        refuse(
            "the file was changed while its evenings were played",
            where=str(file),
            expected="the file that was examined",
            remedy="run it again",
        )
    write_atomically(file, amended.encode())
    return diff_of(text, amended, str(file))
