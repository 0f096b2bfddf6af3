"""`volition scenario`: check, begin, list and show the files that evenings are made of."""

from __future__ import annotations

from pathlib import Path

import click

from volition.cli import completion

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def scenario() -> None:
    """Check, begin, list and show scenarios.

    \b
    Examples:
      volition scenario list
      volition scenario new night-train
      volition scenario check night-train.toml
    """


@scenario.command()
@click.argument("file", metavar="FILE|NAME", shell_complete=completion.scenarios)
@json_option
def check(file: str, as_json: bool) -> None:
    """Read a scenario and name everything that is wrong with it, each with its place.

    Ends with 0 where the scenario can be played, 2 where it cannot.

    \b
    Example:
      volition scenario check night-train.toml
    """
    from volition.drama.world.scenario import load_scenario  # noqa: PLC0415  only when it runs

    found = load_scenario(file)
    counts = {"people": len(found.people), "rooms": len(found.rooms), "secrets": len(found.secrets)}
    if as_json:
        _print_json({"id": found.id, "name": found.name, **counts, "hash": found.hash})
    else:
        click.echo(f"{found.id} can be played: " + ", ".join(f"{kind} {count}" for kind, count in counts.items()))
        click.echo(f"hash {found.hash}")


@scenario.command()
@click.argument("name")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Where to write; NAME.toml if not given.")
def new(name: str, out: Path | None) -> None:
    """Write a small scenario to begin with, explained line by line. No file is overwritten.

    \b
    Example:
      volition scenario new night-train
    """
    import os  # noqa: PLC0415  only when it runs

    from volition.cli.called import called  # noqa: PLC0415
    from volition.core.document import write_atomically  # noqa: PLC0415
    from volition.core.errors import refuse  # noqa: PLC0415
    from volition.drama.world.pattern import new_scenario  # noqa: PLC0415

    text = new_scenario(name)
    file = out or Path(f"{name}.toml")
    if file.suffix.lower() != ".toml":
        expected = "a name that ends in .toml"
        refuse("a scenario is written as TOML", where=str(file), expected=expected, remedy=f"write {file.name}.toml")
    if os.path.lexists(file):
        remedy = "choose another name, or remove it first"
        refuse("there is something of this name already", where=str(file), expected="a new file", remedy=remedy)
    write_atomically(file, text.encode())
    click.echo(f"wrote {file}; change it, then: {called()} scenario check {file}")


@scenario.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the scenarios that ship with volition.

    \b
    Example:
      volition scenario list
    """
    from volition.drama.world.scenario import scenario as shipped  # noqa: PLC0415  only when it runs
    from volition.drama.world.scenario import scenario_names  # noqa: PLC0415

    found = [shipped(name) for name in scenario_names()]
    if as_json:
        _print_json([{"id": one.id, "name": one.name, "description": one.description} for one in found])
    else:
        for one in found:
            click.echo(f"{one.id}: {one.name} ({len(one.people)} people, {len(one.rooms)} rooms)")
            click.echo(click.wrap_text(one.description, 110, "  ", "  "))


@scenario.command()
@click.argument("name", metavar="NAME|FILE", shell_complete=completion.scenarios)
@json_option
def show(name: str, as_json: bool) -> None:
    """Show a scenario: its cast, rooms and secrets, and who knows what.

    \b
    Example:
      volition scenario show dinner-party
    """
    from volition.drama.world.scenario import load_scenario, scenario_to_data  # noqa: PLC0415  only when it runs

    found = load_scenario(name)
    if as_json:
        _print_json({"hash": found.hash, "scenario": scenario_to_data(found)})
    else:
        from volition.drama.world.playbill import playbill  # noqa: PLC0415

        click.echo(playbill(found))


def _print_json(data: object) -> None:
    from volition.core.document import dump_json  # noqa: PLC0415  only when it runs

    click.echo(dump_json(data), nl=False)
