"""`volition ensemble`: many evenings of a scenario, over seeds and settings; what they show; and any of them opened."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from volition.cli import completion
from volition.cli.called import called
from volition.cli.exits import DONE

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_SEEDS = 10_000_000
_SPAN = re.compile(r"(\d{1,16})(?:-(\d{1,16}))?")
_RANGE = re.compile(r"(.+?)\.\.(.+)")

folder_argument = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def ensemble() -> None:
    """Play many evenings over seeds and settings, show what they are like, and open any of them.

    \b
    Examples:
      volition ensemble run dinner-party --seeds 1-50 --grid rules.noise.sigma=0.05,0.1 --out noise
      volition ensemble show noise --by rules.noise.sigma
      volition ensemble open noise 17
    """


@ensemble.command()
@click.argument("scenario", metavar="SCENARIO", shell_complete=completion.scenarios)
@click.option("--seeds", required=True, metavar="1-200", help="Seeds: numbers and spans, as 1-200 or 3,7,20-29.")
@click.option("--grid", multiple=True, metavar="NAME=A,B,C", help="Play every value of a setting; may be repeated.")
@click.option("--random", multiple=True, metavar="NAME=LOW..HIGH", help="Draw a setting; may be repeated.")
@click.option("--draws", type=click.IntRange(min=1), help="How many draws of the random settings.")
@click.option("--draw-seed", type=click.IntRange(min=0), default=1, show_default=True, help="The chance of the draws.")
@click.option(
    "--engine", type=click.Choice(["process", "ray", "here"]), default="process", show_default=True, help="Who plays."
)
@click.option("--workers", type=click.IntRange(1, 1024), help="How many workers; otherwise one for each core.")
@click.option(
    "--format",
    type=click.Choice(["parquet", "arrow", "csv", "jsonl"]),
    default="parquet",
    show_default=True,
    help="What the table is written as.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where everything is kept.")
@json_option
def run(
    scenario: str,
    seeds: str,
    grid: tuple[str, ...],
    random: tuple[str, ...],
    draws: int | None,
    out: Path,
    as_json: bool,
    **how: Any,
) -> int:
    """Play every seed with every combination of settings. SCENARIO is a file, or the name of one that ships.

    A setting is named as it stands in the scenario's file: rules.noise.sigma, people.victor.flaws[0].strength. The same
    line again goes on where an interrupted one stopped. The table is the same whatever the engine and the workers.

    \b
    Examples:
      volition ensemble run dinner-party --seeds 1-200 --out party
      volition ensemble run dinner-party --seeds 1-50 --grid rules.noise.sigma=0.05,0.1,0.2 --out noise
      volition ensemble run dinner-party --seeds 1-20 --random rules.pacing.masking=0..0.6 --draws 30 --out masks
    """
    from volition.cli.ensemble_view import decided, planned  # noqa: PLC0415  only when it runs
    from volition.cli.progress import progress  # noqa: PLC0415
    from volition.drama.company.ensemble import Plan, sweep  # noqa: PLC0415
    from volition.drama.world.scenario import load_scenario  # noqa: PLC0415

    plan = Plan.of(
        load_scenario(scenario),
        parse_seeds(seeds),
        grid={name: values.split(",") for name, values in _named(grid, "--grid").items()},
        random={name: _range(name, span) for name, span in _named(random, "--random").items()},
        draws=draws,
        draw_seed=how.pop("draw_seed"),
    )
    try:
        with progress(plan.scenario.id) as bar:
            done = sweep(plan, out, **how, progress=bar, notice=_say)
    except KeyboardInterrupt:
        _say(f"stopped; what was played is kept in {out}: the same line again goes on from there")
        raise
    table = out / f"table.{how['format']}"
    if as_json:
        counts = {"evenings": plan.size, "seeds": len(plan.seeds), "points": len(plan.points)}
        how_decided = {"decided": done.decided, "paths": done.paths}
        _print_json({"out": str(out), "table": str(table), "plan": plan.hash, **how_decided, **counts})
    else:
        click.echo(planned(plan))
        click.echo(decided(done))
        click.echo(f"wrote {table}; look at it, or open an evening:")
        click.echo(f"  {called()} ensemble show {out}" + (f" --by {plan.names[0]}" if plan.names else ""))
        click.echo(f"  {called()} ensemble open {out} 0")
    return DONE


@ensemble.command()
@folder_argument
@click.option("--by", metavar="NAME", help="Compare by a setting, or by another column of the table.")
@json_option
def show(folder: Path, by: str | None, as_json: bool) -> int:
    """Show what an ensemble is like: every figure with its 95 % interval, of all evenings or side by side.

    \b
    Example:
      volition ensemble show noise --by rules.noise.sigma
    """
    from volition.cli.ensemble_view import shown  # noqa: PLC0415  only when it runs
    from volition.drama.company.ensemble import Ensemble  # noqa: PLC0415

    found = Ensemble(folder)
    groups = found.figures(by)
    if as_json:
        plan = {"hash": found.folder.manifest()["hash"], "scenario": found.plan.scenario.id, "evenings": len(found)}
        how_decided = {"decided": found.decided, "paths": found.paths}
        _print_json({"plan": plan, **how_decided, "by": by, "groups": [group.to_data() for group in groups]})
    else:
        for line in shown(found, groups):
            click.echo(line)
    return DONE


@ensemble.command("open")
@folder_argument
@click.argument("row", type=click.IntRange(min=0))
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Where to record it; volition-runs/ID if not given."
)
@json_option
def open_(folder: Path, row: int, out: Path | None, as_json: bool) -> int:
    """Play the evening of a row again and record it, so that explain, transcript, fork and replay can ask it.

    It is the same evening to the last state, or an error says that it is not.

    \b
    Example:
      volition ensemble open noise 17
    """
    from volition.cli.evening import new_place  # noqa: PLC0415  only when it runs
    from volition.drama.company.ensemble import Ensemble  # noqa: PLC0415
    from volition.drama.stage.library import Library  # noqa: PLC0415
    from volition.drama.stage.state import state_digest  # noqa: PLC0415

    found = Ensemble(folder)
    evening = found.evening(row)
    settings = dict(found.plan.points[found.plan.evening(row).point])
    path = new_place(out) if out is not None else Library().new(f"{evening.scenario.id}-{folder.name}-{row}")
    evening.save(path)
    named = path.name if out is None else str(path)
    if as_json:
        data = {"run": path.name, "path": str(path), "row": row, "seed": evening.seed, "settings": settings}
        state = state_digest(evening.state(evening.last))
        _print_json(data | {"scenario_hash": evening.scenario.hash, "state": state})
        return DONE
    told = ", ".join(f"{name}={value}" for name, value in settings.items())
    click.echo(f"row {row}: {evening.scenario.id}, seed {evening.seed}" + (f", {told}" if told else ""))
    click.echo(f"recorded in {path}; ask it:")
    click.echo(f"  volition transcript {named}")
    who = next(
        (who for record in evening.run.ticks[-1:] for who in record.choices), next(iter(evening.scenario.people))
    )
    click.echo(f"  {called()} explain {named} --tick {evening.last - 1} --agent {who}")
    return DONE


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
            _refuse(f"{part.strip()!r} is no seed and no span of seeds", "--seeds", "as 1-200 or 3,7,20-29")
        spans.append(range(first, last + 1))
    if sum(map(len, spans)) > _MOST_SEEDS:
        _refuse("there are too many seeds", "--seeds", f"at most {_MOST_SEEDS}")
    return (seed for span in spans for seed in span)


def _named(options: tuple[str, ...], option: str) -> dict[str, str]:
    """What every setting is set to, by its name."""
    found: dict[str, str] = {}
    for text in options:
        name, _, rest = text.partition("=")
        if not (name.strip() and rest.strip()):
            _refuse(f"{text!r} does not say what is set to what", option, "NAME=A,B,C or NAME=LOW..HIGH")
        if name.strip() in found:
            _refuse(f"{name.strip()} is named twice", option, "each setting once, with all its values")
        found[name.strip()] = rest.strip()
    return found


def _range(name: str, text: str) -> tuple[str, str]:
    match = _RANGE.fullmatch(text)
    if match is None:
        _refuse(f"{text!r} is no range", f"--random {name}", "LOW..HIGH, as 0.1..0.5")
    return match[1], match[2]


def _refuse(what: str, where: str, expected: str) -> NoReturn:
    from volition.core.errors import refuse  # noqa: PLC0415  only when it runs

    refuse(what, where=where, expected=expected, remedy="see volition ensemble run --help")


def _say(text: str) -> None:
    click.echo(text, err=True)


def _print_json(data: Any) -> None:
    import json  # noqa: PLC0415  only when asked for

    click.echo(json.dumps(data, ensure_ascii=False))
