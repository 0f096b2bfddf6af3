"""`volition stage-in-world`: an evening walked through in a world, where anybody may ask why."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from volition.cli.options import (
    GAME_PORT,
    PORT,
    executor_token_option,
    json_option,
    load_evening,
    new_run,
    run_argument,
)
from volition.cli.printing import print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from volition.drama import Evening
    from volition.execution import Bridge
    from volition.staging import ShowReport

PAPER = "paper"
MINESTOM = "minestom"


@click.command("stage-in-world")
@run_argument
@click.option(
    "--executor",
    default=PAPER,
    show_default=True,
    metavar="ADDRESS",
    help="The stage: paper, which prints every cue; minestom, a world to join, which is started for the show; or "
    "tcp://HOST:PORT, tls://HOST:PORT, unix:PATH or stdio:COMMAND.",
)
@click.option("--launch", metavar="CMD", help="Start this program, which prints its address, and connect to that.")
@click.option("--at", type=click.IntRange(min=0), help="The tick to begin with; the first if not given.")
@click.option(
    "--pace",
    type=click.FloatRange(0, 60),
    help="Seconds to read a line; 2 if not given, and none on paper.",
)
@click.option(
    "--follow",
    is_flag=True,
    help="Where the record stops before the ending, wait for more of it, as long as somebody writes it.",
)
@click.option("--port", type=PORT, help="With minestom: the port for the bridge; any free one if not given.")
@click.option(
    "--game-port", type=PORT, help=f"With minestom: the port for clients of the game; {GAME_PORT} if not given."
)
@click.option("--stay", is_flag=True, help="With minestom: keep the world open after the show, until Ctrl-C.")
@executor_token_option
@json_option
def stage_in_world(
    run: str,
    executor: str,
    launch: str | None,
    at: int | None,
    pace: float | None,
    follow: bool,
    port: int | None,
    game_port: int | None,
    stay: bool,
    token: str | None,
    as_json: bool,
) -> None:
    """Show an evening on a stage: guests walk through doors, look at each other, speak, and break down. RUN is an id or a path.

    The evening is what is recorded: what the stage cannot do changes nothing, and is counted. Whoever stands in the world asks
    a guest why by clicking them; whoever then asks for the other way sees the evening in which that guest had done the next
    best thing, which is recorded as a fork. See docs/stage-in-world.md.

    \b
    Examples:
      volition stage-in-world dinner-party-8
      volition stage-in-world dinner-party-8 --executor minestom --stay
      volition stage-in-world dinner-party-8 --at 30 --executor tcp://127.0.0.1:5001
    """
    from volition.staging import Show

    if executor != MINESTOM and (port is not None or game_port is not None or stay):
        raise click.UsageError("--port, --game-port and --stay need --executor minestom.")
    if executor == MINESTOM and launch is not None:
        raise click.UsageError("--executor minestom starts its own server: leave --launch out.")
    path, evening = load_evening(run)
    on_paper = executor == PAPER and launch is None

    def keep(branch: Evening) -> str:
        there, called = new_run(None, f"{path.name}-at-{branch.run.interference[-1].at}")
        branch.save(there)
        return called

    def say(line: str) -> None:
        click.echo(line, err=as_json)

    def warn(line: str) -> None:
        click.echo(line, err=True)

    world: AbstractContextManager[str] = nullcontext(executor)
    if executor == MINESTOM:
        from volition.execution.worlds.minestom_server import serve_stage

        chosen = GAME_PORT if game_port is None else game_port
        world = serve_stage(port=port or 0, game_port=chosen, token=token, stay=stay, say=say, warn=warn)
    with world as address:
        with _stage(address, launch, token, quiet=as_json) as bridge:
            show = Show(
                evening,
                bridge,
                pace_s=pace if pace is not None else 0.0 if on_paper else 2.0,
                keep=keep,
                more=follow_record(path, warn) if follow else None,
            )
            report = show.run(at)
        _print(report, as_json=as_json)


@contextmanager
def _stage(executor: str, launch: str | None, token: str | None, *, quiet: bool) -> Iterator[Bridge]:
    """A bridge to the stage."""
    from volition.execution import ExecutorServer, connect
    from volition.staging import PaperStage
    from volition.staging.protocol import check_stage

    if executor == PAPER and launch is None:
        paper = PaperStage(write=(lambda _: None) if quiet else _write)
        with ExecutorServer.listen("tcp://127.0.0.1:0", paper).running() as address, connect(address) as bridge:
            yield bridge
        return
    with connect(executor, token=token, launch=launch) as bridge:
        check_stage(bridge.declared, launch or executor)
        yield bridge


def _write(note: tuple[str, str | None, dict[str, Any]]) -> None:
    """One cue as a line: who, what, and the parameters that a reader wants."""
    intent, who, parameters = note
    match intent:
        case "SAY":
            text = f'"{parameters["text"]}"' if parameters["aloud"] else f'(quietly) "{parameters["text"]}"'
        case "WALK":
            text = " -> ".join(f"{x:g},{y:g}" for x, y in parameters["way"])
        case "SET":
            text = f"{parameters['title']}: {', '.join(room['name'] for room in parameters['rooms'])}"
        case "ENTER":
            who, text = parameters["who"], f"{parameters['at'][0]:g},{parameters['at'][1]:g}"
        case "LOOK":
            text = f"{parameters['at'][0]:g},{parameters['at'][1]:g}"
        case _:
            text = " ".join(str(value) for value in parameters.values())
    click.echo(f"{intent:<8} {who or '':<10} {text}".rstrip())


def follow_record(path: Path, warn: Callable[[str], object]) -> Callable[[Evening], Evening | None]:
    """What was played since, read again from the record; None, with a warning, once nobody writes it any more."""
    from volition.core.ledger.segment import is_written
    from volition.drama import Evening

    def more(evening: Evening) -> Evening | None:
        # Asked first: what its writer wrote last is then read all the same.
        goes_on = is_written(path)
        further = Evening.load(path)
        if not goes_on and len(further.run.ticks) == len(evening.run.ticks) and not further.is_over:
            warn(f"nobody plays {path.name} any more: the show ends where its record does")
            return None
        return further

    return more


def _print(report: ShowReport, *, as_json: bool) -> None:
    from msgspec.structs import asdict

    if as_json:
        print_json(asdict(report))
        return
    click.echo(f"{report.ticks} ticks, {report.cues} cues; ending: {report.ending or 'none yet'}")
    if report.missed:
        click.echo(
            f"the stage did not carry out {report.missed} cues; {report.placed} times a guest was put in their place"
        )
