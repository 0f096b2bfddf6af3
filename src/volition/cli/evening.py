"""`volition transcript`, `replay` and `runs`: narrate, check and list evenings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import find_run, json_option, load_evening, path_type, run_argument
from volition.cli.printing import print_json, program_name

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@run_argument
@click.option(
    "--phrases", type=path_type, metavar="FILE", help="Phrases to add to those of the scenario (.toml or .json)."
)
@click.option("--narrator", metavar="MODULE:CLASS", help="A custom narrator.")
@click.option("--endpoint", metavar="URL", help="Ask this OpenAI-compatible endpoint for what people say.")
@click.option(
    "--model", metavar="NAME", help="The model to ask for; the endpoint's key is read from VOLITION_ENDPOINT_KEY."
)
@click.option(
    "--at-once",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many lines to ask for at the same time (4); 1 for a model that answers one after another.",
)
@json_option
def transcript(
    run: str,
    phrases: Path | None,
    narrator: str | None,
    endpoint: str | None,
    model: str | None,
    at_once: int | None,
    as_json: bool,
) -> None:
    """Narrate an evening: who said and did what. RUN is an id or a path.

    The words come from templates: general phrases, those of the scenario, and yours. An endpoint is only asked for what
    people say, once for each line; answers are cached, and templates take over where it fails.

    \b
    Examples:
      volition transcript dinner-party-8
      volition transcript dinner-party-8 --phrases mine.toml
      volition transcript dinner-party-8 --endpoint http://localhost:8080/v1 --model small
    """
    from volition.cli.narrating import choose_narrator, print_report
    from volition.drama.audience.narrator import transcript as narrate
    from volition.drama.stage.archive import load_run

    path = find_run(run)
    recorded = load_run(path)
    chosen = choose_narrator(recorded, phrases, narrator, endpoint, model, at_once)
    text = narrate(recorded, chosen)
    print_report(chosen)
    if as_json:
        print_json({"run": path.name, "transcript": text})
    else:
        click.echo(text, nl=False)


@click.command()
@run_argument
@click.option("--verify", is_flag=True, help="Check every byte, play the evening again and compare every tick.")
@click.option(
    "--tick", type=click.IntRange(min=0), help="Show the state before this tick; the final state if not given."
)
@json_option
def replay(run: str, verify: bool, tick: int | None, as_json: bool) -> int:
    """Rebuild an evening from its log alone, and check it. RUN is an id or a path.

    `packed` is the digest by which a row of an ensemble and `play_many` name the same state.

    Exit code 0: everything is consistent; 3: the record is broken, cut off, or was made by other rules.

    \b
    Example:  volition replay dinner-party-8 --verify
    """
    from volition.cli.show.drama import print_replay
    from volition.drama.batch.measures import digest_of_world
    from volition.drama.playing.evening import verify_run
    from volition.drama.stage.state import state_digest, state_to_data

    path, evening = load_evening(run)
    if verify:
        evening = verify_run(path)
    world = evening.state(evening.last if tick is None else tick)
    answer: dict[str, Any] = {
        "run": path.name,
        "ticks": len(evening.run.ticks),
        "events": len(evening.events),
        "finished": evening.ending is not None,
        "tick": world.tick,
        "state": state_digest(world),
        "packed": digest_of_world(world),
    }
    if verify:
        answer["verified"] = len(evening.run.ticks)
    if as_json:
        print_json(answer | {"world": state_to_data(world)} if tick is not None else answer)
    else:
        print_replay(answer, world)
    return DONE if answer["finished"] else NEEDS_A_PERSON


@click.command()
@json_option
def runs(as_json: bool) -> None:
    """List the evenings recorded in volition-runs, with their endings.

    \b
    Example:  volition runs
    """
    from volition.cli.show.drama import run_lines
    from volition.drama.stage.library import FOLDER, Library

    entries = list(Library().entries())
    if as_json:
        print_json([entry.to_data() for entry in entries])
        return
    for line in run_lines(entries):
        click.echo(line)
    if not entries:
        click.echo(f"there are no runs in {FOLDER}; {program_name()} play records one")
