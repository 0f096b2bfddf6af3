"""`volition ensemble`: play many evenings over seeds and settings, summarise them, and open any of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

import click

from volition.cli.options import (
    json_option,
    load_custom,
    minds_options,
    new_run,
    parse_assignments,
    path_type,
    run_out_option,
    scenario_argument,
    with_option,
)
from volition.cli.printing import print_json, program_name, warn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from volition.cli.options import MindsNamed

_MOST_SEEDS = 10_000_000
_SPAN = re.compile(r"(\d{1,16})(?:-(\d{1,16}))?")
_RANGE = re.compile(r"(.+?)\.\.(.+)")

folder_argument = click.argument("folder", metavar="DIR", type=path_type)


@click.group()
def ensemble() -> None:
    """Play many evenings over seeds and settings, summarise them, and open any of them.

    \b
    Examples:
      volition ensemble run dinner-party --seeds 1-50 --grid rules.noise.sigma=0.05,0.1 --out noise
      volition ensemble show noise --by rules.noise.sigma
      volition ensemble measures tension
      volition ensemble open noise 17
    """


@ensemble.command()
@scenario_argument
@click.option("--seeds", required=True, metavar="1-200", help="Seeds: numbers and ranges, such as 1-200 or 3,7,20-29.")
@click.option(
    "--grid", multiple=True, metavar="NAME=A,B,C", help="Play every one of these values of a setting; may be repeated."
)
@click.option("--random", multiple=True, metavar="NAME=LOW..HIGH", help="Draw a setting at random; may be repeated.")
@click.option("--draws", type=click.IntRange(min=1), help="How many times the random settings are drawn.")
@click.option(
    "--draw-seed", type=click.IntRange(min=0), default=1, show_default=True, help="The random seed of the draws."
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "here", "process", "ray"]),
    default="auto",
    show_default=True,
    help="What plays them: threads of this process where evenings are compiled, and processes where they are not.",
)
@click.option("--workers", type=click.IntRange(1, 1024), help="How many workers; one for each core if not given.")
@click.option(
    "--until",
    metavar="COLUMN=WIDTH",
    help="Play seeds in order until the 95 % interval of a column is at most this wide at every combination of settings.",
)
@click.option(
    "--format",
    type=click.Choice(["parquet", "arrow", "csv", "jsonl"]),
    default="parquet",
    show_default=True,
    help="The format of the table.",
)
@with_option
@minds_options
@click.option("--out", required=True, type=path_type, metavar="DIR", help="The folder for all results.")
@json_option
def run(
    scenario: str,
    seeds: str,
    grid: tuple[str, ...],
    random: tuple[str, ...],
    draws: int | None,
    until: str | None,
    custom: tuple[str, ...],
    outside: MindsNamed,
    out: Path,
    as_json: bool,
    **how: Any,
) -> None:
    """Play every seed with every combination of settings. SCENARIO is a file or the name of a built-in scenario.

    A setting is named by its path in the scenario file: rules.noise.sigma, people.victor.flaws[0].strength. Run an
    interrupted command again and it continues where it stopped. The table is the same for every engine and any number
    of workers.

    Compiled evenings are played a hundred times as fast as interpreted ones. Compiling takes half a minute, once on a
    machine, and is worth it from some hundreds of evenings on; a line says when it is done. Where it is not worth it, or
    Numba is not installed, the same evenings are interpreted.

    \b
    Examples:
      volition ensemble run dinner-party --seeds 1-200 --out party
      volition ensemble run dinner-party --seeds 1-20000 --until tension=0.002 --out tense
      volition ensemble run dinner-party --seeds 1-50 --grid rules.noise.sigma=0.05,0.1,0.2 --out noise
      volition ensemble run dinner-party --seeds 1-20 --random rules.pacing.masking=0..0.6 --draws 30 --out masks
    """
    from volition.cli.printing import progress
    from volition.cli.show.drama import describe_paths, describe_plan
    from volition.drama.ensemble import EnsemblePlan, sweep
    from volition.drama.world.scenario import load_scenario

    named = load_scenario(scenario)
    plan = EnsemblePlan.of(
        named,
        parse_seeds(seeds),
        grid={name: values.split(",") for name, values in parse_assignments(grid, "--grid", "NAME=A,B,C").items()},
        random={
            name: _range(name, span) for name, span in parse_assignments(random, "--random", "NAME=LOW..HIGH").items()
        },
        draws=draws,
        draw_seed=how.pop("draw_seed"),
        terms=load_custom(custom) + outside.of(named),
        until=_until(until),
    )
    try:
        with progress(plan.scenario.id) as bar:
            finished = sweep(plan, out, **how, progress=bar, notice=warn)
    except KeyboardInterrupt:
        warn(f"stopped; what was played is in {out}: run the same command again to continue")
        raise
    table = out / f"table.{how['format']}"
    if as_json:
        played = finished.plan
        counts = {"evenings": played.size, "seeds": len(played.seeds), "points": len(played.points)}
        how_decided = {"decided": finished.decided, "paths": finished.paths}
        print_json({"out": str(out), "table": str(table), "plan": plan.hash, **how_decided, **counts})
    else:
        click.echo(describe_plan(finished.plan))
        if len(finished.plan.seeds) < len(plan.seeds):
            click.echo(
                f"stopped after {len(finished.plan.seeds)} of {len(plan.seeds)} seeds: --until {until} is reached"
            )
        click.echo(describe_paths(finished))
        click.echo(f"wrote {table}; to summarise it, or open an evening:")
        click.echo(f"  {program_name()} ensemble show {out}" + (f" --by {plan.names[0]}" if plan.names else ""))
        click.echo(f"  {program_name()} ensemble open {out} 0")


@ensemble.command()
@folder_argument
@click.option("--by", metavar="NAME", help="Compare by a setting, or by another column of the table.")
@json_option
def show(folder: Path, by: str | None, as_json: bool) -> None:
    """Summarise an ensemble: every figure with its 95 % interval, over all evenings or compared by a column.

    \b
    Example:
      volition ensemble show noise --by rules.noise.sigma
    """
    from volition.cli.show.drama import summarise
    from volition.drama.ensemble import Ensemble

    sweep = Ensemble(folder)
    groups = sweep.figures(by)
    if as_json:
        plan = {"hash": sweep.folder.manifest()["hash"], "scenario": sweep.plan.scenario.id, "evenings": len(sweep)}
        how_decided = {"decided": sweep.decided, "paths": sweep.paths}
        paired = [difference.to_data() for difference in sweep.differences(by)] if by is not None else []
        data = {"by": by, "groups": [group.to_data() for group in groups], "differences": paired}
        print_json({"plan": plan, **how_decided, **data})
    else:
        for line in summarise(sweep, groups, sweep.differences(by) if by is not None else ()):
            click.echo(line)


@ensemble.command()
@click.argument("column", required=False, metavar="[COLUMN]")
@json_option
def measures(column: str | None, as_json: bool) -> None:
    """Say what the columns of an ensemble's table mean, or what one of them means.

    \b
    Examples:
      volition ensemble measures
      volition ensemble measures catastrophes.victor
    """
    from volition.core.errors import check_known
    from volition.drama.ensemble.meanings import MEANINGS, SETTING, meaning_of

    meanings = dict(MEANINGS) if column is None else {column: meaning_of(column)}
    if column is not None and meanings[column] == SETTING and "." not in column:
        check_known("column", column, MEANINGS, where="COLUMN")
    if as_json:
        print_json(meanings)
        return
    width = max(map(len, meanings))
    for name, meaning in meanings.items():
        click.echo(f"{name:<{width}}  {meaning}")


@ensemble.command("open")
@folder_argument
@click.argument("row", type=click.IntRange(min=0))
@with_option
@minds_options
@run_out_option
@json_option
def open_(
    folder: Path, row: int, custom: tuple[str, ...], outside: MindsNamed, out: Path | None, as_json: bool
) -> None:
    """Play the evening of a row again and record it for explain, transcript, fork and replay.

    It ends in the same state as the first time, or an error says that it does not.

    \b
    Examples:
      volition ensemble open noise 17
      volition ensemble open own 3 --with my_minds:calm
    """
    from volition.cli.show.drama import print_next_steps
    from volition.drama.ensemble import Ensemble

    sweep = Ensemble(folder, load_custom(custom) + outside.of(Ensemble(folder).plan.scenario))
    evening = sweep.evening(row)
    settings = dict(sweep.plan.points[sweep.plan.evening(row).point])
    path, called = new_run(out, f"{evening.scenario.id}-{folder.name}-{row}")
    evening.save(path)
    if as_json:
        data = {"run": path.name, "path": str(path), "row": row, "seed": evening.seed, "settings": settings}
        print_json(data | {"scenario_hash": evening.scenario.hash, "state": sweep.digest(evening)})
        return
    values = "".join(f", {name}={value}" for name, value in settings.items())
    click.echo(f"row {row}: {evening.scenario.id}, seed {evening.seed}{values}")
    print_next_steps(evening.run, path, called)


def parse_seeds(text: str) -> Iterator[int]:
    """The seeds of a text such as 3,7,20-29.

    >>> list(parse_seeds("3,7-9"))
    [3, 7, 8, 9]
    """
    spans = []
    for part in text.split(","):
        match = _SPAN.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            _refuse(f"{part.strip()!r} is neither a seed nor a range of seeds", "--seeds", "such as 1-200 or 3,7,20-29")
        spans.append(range(first, last + 1))
    if sum(map(len, spans)) > _MOST_SEEDS:
        _refuse("there are too many seeds", "--seeds", f"at most {_MOST_SEEDS}")
    return (seed for span in spans for seed in span)


def _until(text: str | None) -> tuple[str, float] | None:
    if text is None:
        return None
    column, _, width = text.partition("=")
    try:
        return column.strip(), float(width)
    except ValueError:
        _refuse(
            f"{text!r} does not say how wide the interval of which column may be",
            "--until",
            "COLUMN=WIDTH, such as tension=0.01",
        )


def _range(name: str, text: str) -> tuple[str, str]:
    match = _RANGE.fullmatch(text)
    if match is None:
        _refuse(f"{text!r} is not a range", f"--random {name}", "LOW..HIGH, such as 0.1..0.5")
    return match[1], match[2]


def _refuse(what: str, where: str, expected: str) -> NoReturn:
    from volition.core.errors import refuse

    refuse(what, where=where, expected=expected, remedy="see volition ensemble run --help")
