"""`volition drive`: a pilot drives a body, and every choice is printed with its reason."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from volition.cli.options import arena_seed_option, executor_token_option, map_option
from volition.cli.printing import print_json

if TYPE_CHECKING:
    from volition.execution.client.bridge import Bridge
    from volition.execution.worlds.pilot import Pilot
    from volition.execution.worlds.pilot.course import Course
    from volition.execution.worlds.pilot.judge import Goal


@click.command()
@click.option(
    "--executor",
    default="embedded",
    show_default=True,
    metavar="ADDRESS",
    help="What acts: embedded, java, tcp://HOST:PORT, tls://HOST:PORT, unix:PATH or stdio:COMMAND.",
)
@click.option("--launch", metavar="CMD", help="Start this program, which prints its address, and connect to that.")
@map_option
@click.option("--steps", type=click.IntRange(min=1), default=300, show_default=True, help="The most steps to take.")
@arena_seed_option
@click.option("--goal", default="opponent", show_default=True, metavar="opponent|X,Y", help="What to reach.")
@click.option("--journal", metavar="DIR", help="Record every decision and every attempt in this folder.")
@click.option(
    "--no-decisions", is_flag=True, help="Leave the decisions out of the journal: it is quicker, and smaller."
)
@executor_token_option
@click.option(
    "--pace",
    type=click.Choice(["real", "fast"]),
    help="The embedded arena's time; real on a terminal and fast elsewhere if not given.",
)
@click.option("--latency", "with_latency", is_flag=True, help="Also report how long answers took.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
def drive(
    executor: str,
    launch: str | None,
    map_: str | None,
    steps: int,
    seed: int,
    goal: str,
    journal: str | None,
    no_decisions: bool,
    token: str | None,
    pace: str | None,
    with_latency: bool,
    as_json: bool,
) -> None:
    """Drive a body towards a goal, until a later state shows that it is met or the steps run out.

    On a terminal you can watch it; elsewhere one line is printed for each step.

    \b
    Examples:
      volition drive
      volition drive --map foundry --seed 7 --goal 20.5,8.5
      volition drive --executor tcp://127.0.0.1:7777 --journal runs/first

    Every step of a journal can be asked why: volition journal explain runs/first --step 12
    """
    from volition.cli.show.execution import drive_data, print_course
    from volition.execution.connecting.connect import connect
    from volition.execution.worlds.pilot import Pilot
    from volition.execution.worlds.pilot.judge import parse_goal

    pilot = Pilot(goal=parse_goal(goal, "--goal"), record=not no_decisions)
    watch = sys.stdout.isatty() and not as_json
    real = pace == "real" or (pace is None and watch)
    with connect(
        executor,
        token=token,
        journal=journal,
        meta=_about(executor, map_, seed, pilot.goal, real=real),
        map=map_,
        seed=seed,
        launch=launch,
        pace="real" if real else "virtual",
    ) as bridge:
        taken: list[dict[str, Any]] = []
        course = _drive(bridge, pilot, steps, watch=watch, taken=taken if as_json else None)
        about = None if bridge.welcome is None else bridge.welcome.executor.name
    if as_json:
        print_json(drive_data(course, taken, about, with_latency=with_latency), indent=2)
    else:
        print_course(course, with_latency=with_latency or watch)


def _about(executor: str, map_: str | None, seed: int, goal: Goal, *, real: bool) -> dict[str, Any]:
    """What the journal records about a drive. The map and seed of a remote executor are unknown here."""
    from pathlib import PurePath

    about: dict[str, Any] = {"goal": str(goal)}
    if executor in {"embedded", "java"}:
        about |= {"map": PurePath(map_ or "courtyard").stem, "seed": seed, "pace": "real" if real else "fast"}
    return about


def _drive(bridge: Bridge, pilot: Pilot, steps: int, *, watch: bool, taken: list[dict[str, Any]] | None) -> Course:
    from volition.cli.show.execution import line_of
    from volition.cli.show.live import DriveView
    from volition.execution.worlds.pilot import drive as run

    if watch:
        with DriveView(pilot.goal, bridge) as view:
            return run(bridge, steps, view.show, pilot=pilot)
    if taken is not None:
        return run(bridge, steps, lambda step: taken.append(step.to_data()), pilot=pilot)
    return run(bridge, steps, lambda step: click.echo(line_of(step)), pilot=pilot)
