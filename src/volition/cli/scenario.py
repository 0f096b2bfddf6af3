"""`volition scenario`: check, create, list and show the files that evenings are played from."""

from __future__ import annotations

from pathlib import Path

import click

from volition.cli import completion
from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import new_file, path_type
from volition.cli.printing import CommandAnswer, answering, program_name


@click.group()
def scenario() -> None:
    """Check, create, list and show scenarios.

    \b
    Examples:
      volition scenario list
      volition scenario new night-train
      volition scenario check night-train.toml
    """


@scenario.command()
@click.argument("file", metavar="FILE|NAME", shell_complete=completion.scenarios)
@click.option(
    "--evenings",
    type=click.IntRange(0, 1000),
    default=3,
    show_default=True,
    help="Play this many, and look for words that contradict speaker, listener, place or moment.",
)
@answering
def check(file: str, evenings: int) -> CommandAnswer:
    """Read a scenario and list everything that is wrong with it, each problem with its place; then read its words.

    Exit code 0: the scenario can be played; 2: it cannot; 3: it can, but some words contradict who says them, to whom,
    where or when.

    \b
    Example:
      volition scenario check night-train.toml
    """
    from volition.drama.audience.contradictions import check_words
    from volition.drama.world.scenario import load_scenario

    checked = load_scenario(file)
    counts = {"people": len(checked.people), "rooms": len(checked.rooms), "secrets": len(checked.secrets)}
    loose, against = check_words(checked, evenings)
    words = {"loose": [word.to_data() for word in loose], "contradictions": [word.to_data() for word in against]}
    head = f"{checked.id} can be played: " + ", ".join(f"{kind} {count}" for kind, count in counts.items())
    return CommandAnswer(
        {"id": checked.id, "name": checked.name, **counts, "hash": checked.hash, "words": words},
        "\n".join([head, f"hash {checked.hash}", *map(str, (*loose, *against))]),
        NEEDS_A_PERSON if loose or against else DONE,
    )


@scenario.command()
@click.argument("name")
@click.option("--people", type=int, metavar="N", help="How many people, 2 to 8.")
@click.option("--rooms", type=int, metavar="N", help="How many rooms, 1 to 8.")
@click.option("--secrets", type=int, metavar="N", help="How many secrets, 0 to 8.")
@click.option("--without-table", is_flag=True, help="Nothing is served: there is a deadline instead, and a message.")
@click.option("--from", "from_", metavar="NAME", shell_complete=completion.scenarios, help="Copy a built-in scenario.")
@click.option("--out", type=path_type, metavar="FILE", help="Where to write; NAME.toml if not given.")
def new(
    name: str,
    people: int | None,
    rooms: int | None,
    secrets: int | None,
    without_table: bool,
    from_: str | None,
    out: Path | None,
) -> None:
    """Write a scenario of six people to start from, explained line by line. Nothing is overwritten.

    With a number of people, rooms or secrets it is drawn up for that many; those that are not given are 6, 5 and 5. With
    --from it is a copy of a built-in scenario under your name, with its phrases in a file beside it.

    \b
    Examples:
      volition scenario new night-train
      volition scenario new night-train --people 5 --rooms 4 --secrets 3
      volition scenario new night-train --without-table
      volition scenario new my-dinner --from dinner-party
    """
    from volition.core.document import write_atomically
    from volition.core.errors import refuse
    from volition.drama.world.draft import copy_scenario, draft_scenario, new_scenario
    from volition.drama.world.rulebook import SUFFIX

    is_plain = people is rooms is secrets is None and not without_table
    phrases: str | None = None
    if from_ is not None:
        if not is_plain:
            refuse(
                "a copy is as large as what it is copied from",
                where="--from",
                expected="no --people, --rooms, --secrets or --without-table beside it",
                remedy="leave out one or the other",
            )
        text, phrases = copy_scenario(name, from_)
    elif is_plain:
        text = new_scenario(name)
    else:
        counts = [
            wanted if wanted is not None else usual
            for wanted, usual in zip((people, rooms, secrets), (6, 5, 5), strict=True)
        ]
        text = draft_scenario(name, people=counts[0], rooms=counts[1], secrets=counts[2], table=not without_table)
    file = out or Path(f"{name}.toml")
    if file.suffix.lower() != ".toml":
        expected = "a name that ends in .toml"
        refuse("a scenario is written as TOML", where=str(file), expected=expected, remedy=f"write {file.name}.toml")
    written = {new_file(file): text}
    if phrases is not None:
        written[new_file(file.with_name(file.stem + SUFFIX))] = phrases
    for path, content in written.items():
        write_atomically(path, content.encode())
    names = " and ".join(str(path) for path in written)
    click.echo(f"wrote {names}; change it, then: {program_name()} scenario check {file}")


@scenario.command("list")
@answering
def list_() -> CommandAnswer:
    """List the built-in scenarios.

    \b
    Example:
      volition scenario list
    """
    from volition.drama.world.scenario import scenario as built_in
    from volition.drama.world.scenario import scenario_names

    scenarios = [built_in(name) for name in scenario_names()]
    lines = []
    for each in scenarios:
        lines.append(f"{each.id}: {each.name} ({len(each.people)} people, {len(each.rooms)} rooms)")
        lines.append(click.wrap_text(each.description, 110, "  ", "  "))
    data = [{"id": each.id, "name": each.name, "description": each.description} for each in scenarios]
    return CommandAnswer(data, "\n".join(lines))


@scenario.command()
@click.argument("name", metavar="NAME|FILE", shell_complete=completion.scenarios)
@answering
def show(name: str) -> CommandAnswer:
    """Show a scenario: its cast, rooms and secrets, and who knows what.

    \b
    Example:
      volition scenario show dinner-party
    """
    from volition.drama.world.playbill import playbill
    from volition.drama.world.scenario import load_scenario, scenario_to_data

    shown = load_scenario(name)
    return CommandAnswer({"hash": shown.hash, "scenario": scenario_to_data(shown)}, playbill(shown))
