"""`volition significance` and `volition arcs`: which acts of an evening mattered, and whose story it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from volition.cli.common import json_option, load_evening, print_json, run_argument
from volition.cli.progress import progress

if TYPE_CHECKING:
    from volition.drama.audience.arcs import Arc
    from volition.drama.playing import Evening
    from volition.drama.playing.significance import ActSignificance

most_option = click.option(
    "--most", type=click.IntRange(1, 10_000), default=60, show_default=True, help="Examine at most this many acts."
)


LEGEND: Final = (
    "0 to 1: how much would differ without the act, in beliefs, in bonds, in who left, and in the ending; "
    "every other draw stays the same"
)


@click.command()
@run_argument
@most_option
@click.option("--all", "everything", is_flag=True, help="Examine quiet acts too.")
@json_option
def significance(run: str, most: int, everything: bool, as_json: bool) -> None:
    """Show which acts of an evening mattered, the most significant first. RUN is an id or a path.

    For each act the evening is played again without it, and compared: who would believe what, who would hold what
    against whom, who would have left, and how it would have ended. The same run gives the same answer.

    Examined are dramatic acts, acts by which somebody came to believe something, and departures.

    \b
    Examples:
      volition significance dinner-party-8
      volition significance dinner-party-8 --all --most 200 --json
    """
    path, evening = load_evening(run)
    with progress(path.name, "acts") as bar:
        found = evening.significance(most=most, everything=everything, progress=bar)
    if as_json:
        print_json({"run": path.name, "acts": [one.to_data() for one in found]})
        return
    for one in found:
        _show_act(evening, one)
    if found:
        click.secho(f"\n{LEGEND}", dim=True)
    else:
        click.echo("nothing happened that could be left out")


@click.command()
@run_argument
@click.option(
    "--genre", default="default", show_default=True, help="What is tense: default, thriller, relationship or mystery."
)
@most_option
@json_option
def arcs(run: str, genre: str, most: int, as_json: bool) -> None:
    """Show whose story an evening is, the best first: the beats of each, and how good a story it is. RUN is an id or a path.

    What mattered is found out as by `volition significance`, so a story is that of the person whose acts changed most.

    \b
    Examples:
      volition arcs dinner-party-8
      volition arcs dinner-party-8 --genre thriller --json
    """
    from volition.drama.audience.tension import weights_of

    weights_of(genre)  # an unknown name is refused before anything is played
    path, evening = load_evening(run)
    with progress(path.name, "acts") as bar:
        mattered = evening.significance(most=most, progress=bar)
    found = evening.arcs(genre, mattered)
    if as_json:
        print_json({"run": path.name, "genre": genre, "arcs": [arc.to_data() for arc in found]})
        return
    for arc in found:
        _show(evening, arc)
    if not found:
        click.echo("nobody has a story: there are too few events, in too short a time")


def _show_act(evening: Evening, one: ActSignificance) -> None:
    """Print an act and, below it, what would have been without it."""
    from volition.drama.audience.deeds import describe_deed, describe_instead
    from volition.drama.audience.prose import short_names
    from volition.drama.rules.catalog import LEAVE

    scenario, names = evening.scenario, short_names(evening.scenario)
    without = [describe_instead(scenario, one.event.source, one.instead)] if one.instead is not None else []
    gone = {event.source for event in evening.events if event.manner == LEAVE}
    without += [f"{names[who]} would {'stay' if who in gone else 'leave'}" for who in one.left]
    if one.beliefs:
        without.append(f"{len(one.beliefs)} belief{'s' if len(one.beliefs) > 1 else ''} would differ")
    if evening.ending is None or one.ending != evening.ending.kind:
        without.append(f"it would end otherwise ({one.ending.replace('_', ' ')})")
    click.echo(f"{one.score:.3f}  tick {one.event.tick:<4} {describe_deed(scenario, one.event)}")
    click.secho(f"{'':16} without it: {'; '.join(without) or 'much the same'}", dim=True)


def _show(evening: Evening, arc: Arc) -> None:
    from volition.drama.audience.deeds import describe_deed

    events = {event.id: event for event in evening.events}
    name = evening.scenario.people[arc.protagonist].name
    share = arc.qualities.get("significance", 0.0)
    click.secho(
        f"{name}: story {arc.score:.2f} of 1, minutes {arc.start:.0f} to {arc.end:.0f}, part in {share:.0%} of what mattered",
        bold=True,
    )
    for beat in arc.beats:
        event = events[beat.event]
        part = beat.part.value.replace("_", " ")
        click.echo(f"  {part:<14} tick {event.tick:<4} {describe_deed(evening.scenario, event)}")
