"""`volition play`, `transcript`, `replay` and `runs`: evenings played, told, checked and listed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from volition.cli import completion
from volition.cli.exits import DONE, NEEDS_A_PERSON

if TYPE_CHECKING:
    from volition.drama.audience.summary import Summary
    from volition.drama.stage.archive import Recorder
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario, WorldState

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
run_argument = click.argument("run", metavar="RUN", shell_complete=completion.runs)
WATCHED = 0.12
"""Seconds that a tick stays on a terminal."""


@click.command()
@click.argument("scenario", default="dinner-party", metavar="[SCENARIO]", shell_complete=completion.scenarios)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="The evening's chance.")
@click.option("--ticks", type=click.IntRange(min=1), help="Stop after so many ticks.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Where to record it; volition-runs/ID if not given."
)
@click.option("--pace", type=click.FloatRange(min=0), help="Seconds per tick on a terminal.")
@json_option
def play(scenario: str, seed: int, ticks: int | None, out: Path | None, pace: float | None, as_json: bool) -> int:
    """Play an evening and record it. SCENARIO is a file, or the name of one that ships.

    On a terminal it can be watched: who is where, what was just said, and how everybody holds up.

    \b
    Examples:
      volition play --seed 8
      volition play night-train.toml --ticks 60 --out runs/first
    """
    from volition.drama.stage.archive import Recorder  # noqa: PLC0415  only when it runs
    from volition.drama.stage.library import Library  # noqa: PLC0415
    from volition.drama.world.scenario import load_scenario  # noqa: PLC0415

    found = load_scenario(scenario)
    path = new_place(out) if out is not None else Library().new(f"{found.id}-{seed}")
    with Recorder(path) as recorder:
        done = _played(found, seed, ticks, recorder, pace, watch=sys.stdout.isatty() and not as_json)
    from volition.cli.called import called  # noqa: PLC0415
    from volition.drama.audience.summary import summary  # noqa: PLC0415

    summed = summary(done)
    if as_json:
        _print_json({"run": path.name, "path": str(path), **summed.to_data()})
    else:
        _print_summary(summed)
        named = path.name if out is None else path
        click.echo(f"\nrecorded in {path}; ask it:")
        click.echo(f"  {called()} transcript {named}")
        who = next(iter(done.ticks[-1].choices), next(iter(found.people))) if done.ticks else next(iter(found.people))
        click.echo(f"  {called()} explain {named} --tick {len(done.ticks) - 1} --agent {who}")
    return DONE


def new_place(out: Path) -> Path:
    from volition.core.errors import refuse  # noqa: PLC0415  only when it runs

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        refuse(
            "there is something of this name already",
            where=str(out),
            expected="a new folder",
            remedy="choose another name, or remove it first",
        )
    return out


def _played(
    scenario: Scenario, seed: int, ticks: int | None, recorder: Recorder, pace: float | None, *, watch: bool
) -> Run:
    from volition.drama.stage.run import run  # noqa: PLC0415  only when it runs

    if not watch:
        done = run(scenario, seed, ticks=ticks, on_begin=recorder.begin, on_tick=lambda _, tick: recorder.tick(tick))
    else:
        from volition.cli.stage_view import StageView  # noqa: PLC0415  only on a terminal

        with StageView(scenario, seed, WATCHED if pace is None else pace) as view:

            def on_begin(begun: Run) -> None:
                recorder.begin(begun)
                view.begin(begun)

            def on_tick(world: WorldState, tick: TickRecord) -> None:
                recorder.tick(tick)
                view.show(world, tick)

            done = run(scenario, seed, ticks=ticks, on_begin=on_begin, on_tick=on_tick)
    recorder.end(done)
    return done


def _print_summary(summed: Summary) -> None:
    ending = summed.ending
    click.secho(f"{summed.scenario}, seed {summed.seed}", bold=True)
    if ending is not None:
        click.echo(f"ending: {ending.kind.replace('_', ' ')}: {ending.because} ({ending.stopped})")
    first = "never" if summed.first_dramatic_tick is None else f"at tick {summed.first_dramatic_tick}"
    click.echo(
        f"{summed.minutes:.0f} minutes, {summed.ticks} ticks, {summed.events} events; first dramatic act {first}"
    )
    click.echo("events: " + ", ".join(f"{kind} {count}" for kind, count in summed.counts.items() if count))
    broke = ", ".join(f"{one.who} at minute {one.minutes:.0f} ({one.kind})" for one in summed.catastrophes)
    click.echo(f"broke: {broke or 'nobody'}")
    halves = summed.tension
    click.echo(f"tension: {halves.first:.2f} in the first half, {halves.second:.2f} in the second")


@click.command()
@run_argument
@json_option
def transcript(run: str, as_json: bool) -> int:
    """Tell an evening: who said and did what. RUN is an id or a path.

    \b
    Example:  volition transcript dinner-party-8
    """
    from volition.drama.audience.narrator import transcript as tell  # noqa: PLC0415  only when it runs
    from volition.drama.stage.archive import load_run  # noqa: PLC0415
    from volition.drama.stage.library import Library  # noqa: PLC0415

    path = Library().find(run)
    text = tell(load_run(path))
    if as_json:
        _print_json({"run": path.name, "transcript": text})
    else:
        click.echo(text, nl=False)
    return DONE


@click.command()
@run_argument
@click.option("--verify", is_flag=True, help="Check every byte, play it again and compare every tick.")
@click.option("--tick", type=click.IntRange(min=0), help="Show the state before this tick; the last one if not given.")
@json_option
def replay(run: str, verify: bool, tick: int | None, as_json: bool) -> int:
    """Rebuild an evening from its log alone, and say what holds. RUN is an id or a path.

    Ends with 0 where everything fits, 3 where the record is broken, cut or was made by other rules.

    \b
    Example:  volition replay dinner-party-8 --verify
    """
    from volition.drama.evening import Evening, verify_run  # noqa: PLC0415  only when it runs
    from volition.drama.stage.library import Library  # noqa: PLC0415
    from volition.drama.stage.state import state_digest, state_to_data  # noqa: PLC0415

    path = Library().find(run)
    evening = verify_run(path) if verify else Evening.load(path)
    world = evening.state(evening.last if tick is None else tick)
    answer: dict[str, Any] = {
        "run": path.name,
        "ticks": len(evening.run.ticks),
        "events": len(evening.events),
        "finished": evening.ending is not None,
        "tick": world.tick,
        "state": state_digest(world),
    }
    if verify:
        answer["verified"] = len(evening.run.ticks)
    if as_json:
        _print_json(answer | {"world": state_to_data(world)} if tick is not None else answer)
    else:
        _print_replay(answer, world)
    return DONE if answer["finished"] else NEEDS_A_PERSON


def _print_replay(answer: dict[str, Any], world: WorldState) -> None:
    from volition.drama.stage.view import lines_of  # noqa: PLC0415  only when it runs

    click.echo(f"{answer['run']}: {answer['ticks']} ticks and {answer['events']} events fit together")
    if "verified" in answer:
        click.echo(f"played again: all {answer['verified']} ticks are the same")
    if not answer["finished"]:
        click.echo(
            "it has no ending: the record was cut, or the evening was broken off; play it again to have it whole"
        )
    click.echo(f"before tick {answer['tick']}, state {answer['state'][:12]}")
    for line in lines_of(world):
        click.echo(f"  {line}")


@click.command()
@json_option
def runs(as_json: bool) -> int:
    """List the evenings recorded in volition-runs, with their endings.

    \b
    Example:  volition runs
    """
    from volition.cli.called import called  # noqa: PLC0415  only when it runs
    from volition.drama.stage.library import FOLDER, Library  # noqa: PLC0415

    entries = list(Library().entries())
    if as_json:
        _print_json([entry.to_data() for entry in entries])
        return DONE
    for entry in entries:
        if entry.fault is not None:
            click.echo(f"{entry.id}: broken: {entry.fault}")
            continue
        ending = "unfinished" if entry.ending is None else entry.ending.replace("_", " ")
        branch = f", branched at tick {entry.interference[-1][0]}" if entry.interference else ""
        click.echo(f"{entry.id}: {entry.scenario}, seed {entry.seed}, {entry.ticks} ticks, {ending}{branch}")
    if not entries:
        click.echo(f"there are no runs in {FOLDER}; {called()} play makes one")
    return DONE


def _print_json(data: Any) -> None:
    import json  # noqa: PLC0415  only when asked for

    click.echo(json.dumps(data, ensure_ascii=False))
