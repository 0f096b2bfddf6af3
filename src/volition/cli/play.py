"""`volition play`: play an evening, watch it, be one of its guests, or continue one that was broken off."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from volition.cli import completion
from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import (
    find_run,
    json_option,
    load_custom,
    load_evening,
    minds_options,
    new_run,
    run_out_option,
    with_option,
)
from volition.cli.printing import print_json, program_name

if TYPE_CHECKING:
    from pathlib import Path

    from volition.arbitration import Intention
    from volition.cli.options import MindsNamed
    from volition.cli.show.live import StageView
    from volition.drama.evening.world import WorldState
    from volition.drama.playing.evening import Evening
    from volition.drama.stage.archive import Recorder
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario

TICK_SECONDS = 0.12
"""How long a tick stays on a terminal unless --pace says otherwise."""


@click.command()
@click.argument("scenario", default="dinner-party", metavar="[SCENARIO]", shell_complete=completion.scenarios)
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="The evening's random seed."
)
@click.option("--ticks", type=click.IntRange(min=1), help="Stop after this many ticks.")
@click.option(
    "--literal", "to_the_letter", is_flag=True, help="Play the specification literally, without any departure."
)
@with_option
@minds_options
@click.option("--as", "guest", metavar="PERSON", help="Be this guest: you are asked what to do in every tick.")
@click.option(
    "--continue",
    "run",
    metavar="RUN",
    shell_complete=completion.runs,
    help="Continue an evening that was broken off or interrupted.",
)
@run_out_option
@click.option("--pace", type=click.FloatRange(min=0), help="Seconds per tick on a terminal.")
@json_option
@click.pass_context
def play(
    context: click.Context,
    scenario: str,
    seed: int,
    ticks: int | None,
    to_the_letter: bool,
    custom: tuple[str, ...],
    outside: MindsNamed,
    guest: str | None,
    run: str | None,
    out: Path | None,
    pace: float | None,
    as_json: bool,
) -> int:
    """Play an evening and record it. SCENARIO is a file or the name of a built-in scenario.

    On a terminal you can watch it: who is where, what was just said, and how everybody is coping. With --as you play one
    of the guests: you see and know what they do, and type the number of what to do; the input may be a file.

    A continued evening is recorded separately, and is the same as if it had never stopped; its guest is asked again.

    With --mind a language model takes part for one of the people: it votes, or chooses, where something is at stake, among
    acts that nothing forbids. Where it has no answer in time the person decides, and the evening goes on. The key of a
    server is read from VOLITION_MIND_KEY. A model that the scenario names is asked only with --minds.

    Exit code 0: it was played; 3: the input of a guest ended before the evening did, so it can be continued.

    \b
    Examples:
      volition play --seed 8
      volition play night-train.toml --ticks 60 --out runs/first
      volition play --as victor --seed 8
      volition play --continue runs/begun
      volition play --with victor=my_minds:careful --with my_minds:calm --ticks 20
      volition play --mind victor=http://localhost:8080/v1#small --deadline 2 --budget calls=100
    """
    from volition.drama.stage.archive import Recorder
    from volition.drama.world.scenario import literal, load_scenario

    if run is None:
        chosen, begun = load_scenario(scenario), None
        chosen = literal(chosen) if to_the_letter else chosen
        name = f"{chosen.id}-{seed}"
    else:
        begun = _load_begun(context, run, custom, outside)
        chosen, name, guest = begun.scenario, find_run(run).name, begun.guest
    path, called = new_run(out, name)
    with Recorder(path) as recorder:
        if guest is not None:
            from volition.cli.guest import attend
            from volition.drama.playing.evening import Evening

            evening = begun or Evening.begin(chosen, seed, guest, terms=(*load_custom(custom), *outside.of(chosen)))
            played = attend(evening, recorder, ticks, called, quiet=as_json)
        else:
            watch = sys.stdout.isatty() and not as_json
            own = load_custom(custom) + outside.of(chosen) if begun is None else ()
            played = _play(chosen, seed, ticks, recorder, TICK_SECONDS if pace is None else pace, begun, own, watch)
        recorder.end(played)
    if played.ending is None and not as_json:  # a guest who may come back is told no more than a guest knows
        click.echo(f"\nrecorded in {path}; to continue: {program_name()} play --continue {called}")
    else:
        _print_played(played, path, called, as_json=as_json)
    return DONE if played.ending is not None else NEEDS_A_PERSON


def _load_begun(context: click.Context, run: str, custom: tuple[str, ...], outside: MindsNamed) -> Evening:
    """The evening to continue, with its code; what is in its record cannot be given again."""
    from volition.core.errors import refuse

    options_given = [
        name
        for name in ("scenario", "seed", "to_the_letter", "guest")
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
    ]
    if options_given:
        options = {"scenario": "SCENARIO", "seed": "--seed", "to_the_letter": "--literal", "guest": "--as"}
        refuse(
            f"--continue is given together with {', '.join(options[name] for name in options_given)}",
            where="--continue",
            expected="the run alone: it holds all of that",
            remedy="leave the others out",
        )
    evening = load_evening(run)[1]
    evening = evening.with_custom(load_custom(custom) + outside.of(evening.scenario))
    evening.check_open()
    return evening


def _play(
    scenario: Scenario,
    seed: int,
    ticks: int | None,
    recorder: Recorder,
    pace: float,
    begun: Evening | None,
    custom: tuple[Intention, ...],
    watch: bool,
) -> Run:
    """Play on from what has begun, or from the beginning, on a view where somebody watches."""
    from contextlib import nullcontext

    from volition.drama.mind.mind import Mind
    from volition.drama.minds.counsel import counsel_of
    from volition.drama.stage.run import run

    with _view(scenario, seed, pace) if watch else nullcontext() as view:

        def on_begin(begun: Run) -> None:
            recorder.begin(begun)
            if view is not None:
                view.begin(begun.opening_state())

        def on_tick(world: WorldState, tick: TickRecord) -> None:
            recorder.tick(tick)
            if view is not None:
                view.show(world, tick)

        if begun is None:
            mind = Mind(scenario, custom)
            asking = counsel_of(mind)
            return run(scenario, seed, ticks=ticks, mind=mind, on_begin=on_begin, on_tick=on_tick, counsel_of=asking)
        recorder.begin_again(begun.run)
        if view is not None:
            view.begin(begun.state(begun.last))
        return begun.play_on(ticks=ticks, on_tick=on_tick).run


def _view(scenario: Scenario, seed: int, pace: float) -> StageView:
    from volition.cli.show.live import StageView

    return StageView(scenario, seed, pace)


def _print_played(done: Run, path: Path, called: str, *, as_json: bool) -> None:
    from volition.cli.show.drama import print_next_steps, print_summary
    from volition.drama.audience.summary import summary

    summed = summary(done)
    if as_json:
        print_json({"run": path.name, "path": str(path), **summed.to_data()})
        return
    print_summary(summed)
    click.echo("")
    print_next_steps(done, path, called)
    if done.ending is not None and done.ending.kind == "broken_off":
        click.echo(f"  {program_name()} play --continue {called}")
