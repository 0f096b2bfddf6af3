"""Being a guest in an evening: you read what you see and know, and say what to do, on a terminal or in a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from volition.cli.printing import program_name
from volition.cli.show.drama import bar
from volition.drama.audience.guest import (
    Hearing,
    describe_knowledge,
    describe_obstacle,
    describe_quiet,
    describe_scene,
    describe_seen,
    group_act,
)
from volition.drama.stage.replay import unfold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.evening.world import WorldState
    from volition.drama.mind.custom import OfferedActs
    from volition.drama.playing.evening import Evening
    from volition.drama.stage.archive import Recorder
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Action, Scenario

KNOW, OWN, REST, QUIT, ASK = "?", "auto", "rest", "quit", "help"
_SHORT: Final = {"q": QUIT, "exit": QUIT, "h": ASK}
WIDTH: Final = 20
HELP: Final = (
    f"Type a number or the id of an act; {KNOW} for what you know, {OWN} to do what comes naturally, "
    f"{REST} to let the evening pass without you, {QUIT} to stop here, {ASK} to read this again."
)


def attend(evening: Evening, recorder: Recorder, ticks: int | None, called: str, *, quiet: bool) -> Run:
    """Play a guest until the evening ends, or the input does: then it has no ending yet, and can be continued."""
    recorder.begin_again(evening.run)
    assert evening.guest is not None
    hearing = Hearing(evening.run, evening.guest)
    if not quiet:
        _introduce(evening)
    while (offer := evening.offer()) is not None:
        if ticks is not None and len(evening.run.ticks) >= ticks:
            return evening.play_on(ticks=ticks).run
        if not quiet:
            _show(evening.scenario, offer)
        try:
            wish = _ask(evening.scenario, offer, quiet=quiet)
        except KeyboardInterrupt:
            click.echo(f"\nto continue: {program_name()} play --continue {called}", err=True)
            raise
        if wish == QUIT:
            break
        teller = _Teller(evening, offer, recorder, hearing, quiet=quiet)
        if wish == REST:
            return evening.play_on(ticks=ticks, on_tick=teller.tell).run
        evening = evening.choose(offer.own if wish == OWN else wish, on_tick=teller.tell)
    return evening.run


class _Teller:
    """Records ticks, and tells what the guest sees of them."""

    def __init__(
        self, evening: Evening, offer: OfferedActs, recorder: Recorder, hearing: Hearing, *, quiet: bool
    ) -> None:
        self._world, self._offer, self._recorder, self._quiet = evening.state(evening.last), offer, recorder, quiet
        self._hearing = hearing

    def tell(self, _: WorldState, record: TickRecord) -> None:
        self._recorder.tick(record)
        if self._quiet:
            return
        who, scenario = self._offer.who, self._world.scenario
        for event in unfold(self._world, record):
            for line in describe_seen(self._world, event, who):
                click.secho(f"  {line}", italic=True)
            for line in self._hearing.hear(self._world, event):
                click.echo(f"    {line}")
        choice = record.choices.get(who)
        if record.tick == self._offer.tick and choice is not None:
            act = self._offer.act(choice.id)
            came = describe_obstacle(scenario, act, choice)
            if came is None and not any(event.source == who for event in record.events):
                came = describe_quiet(scenario, act)
            if came is not None:
                click.secho(f"  {came}", italic=True)


def _introduce(evening: Evening) -> None:
    scenario, guest = evening.scenario, evening.guest
    assert guest is not None
    me = scenario.people[guest]
    click.secho(f"{scenario.name}. You are {me.name} ({me.role}).", bold=True)
    offer = evening.offer()
    if offer is not None:
        _tell_knowledge(scenario, offer)
    click.echo(HELP)


def _show(scenario: Scenario, offer: OfferedActs) -> None:
    click.echo("")
    click.secho(describe_scene(scenario, offer), bold=True)
    pacing = offer.me.pacing
    click.echo(f"stress {bar(pacing.stress)}  composure {bar(pacing.composure)}")
    for line in _menu(scenario, offer):
        click.echo(line)


def _menu(scenario: Scenario, offer: OfferedActs) -> Iterator[str]:
    """What the guest may do, numbered, with a line for all acts that are alike."""
    number = 0
    for (what, about), acts in _groups(scenario, offer):
        entries = [f"{number + place} {group_act(scenario, act)[1]}" for place, act in enumerate(acts, 1)]
        number += len(acts)
        yield f"  {what:<{WIDTH}}  {'   '.join(entries)}"
        if about:
            yield f"  {'':<{WIDTH}}  that: {about}"


def _groups(scenario: Scenario, offer: OfferedActs) -> list[tuple[tuple[str, str], list[Action]]]:
    """The acts offered as the menu lists them: those that are alike together, and what is like nothing else last."""
    groups: dict[tuple[str, str], list[Action]] = {}
    for act in offer.acts:
        what, _, about = group_act(scenario, act)
        groups.setdefault((what, about), []).append(act)
    return sorted(groups.items(), key=lambda group: group[0][0] == "or")


def _tell_knowledge(scenario: Scenario, offer: OfferedActs) -> None:
    for line in describe_knowledge(scenario, offer):
        click.echo(line)


def _ask(scenario: Scenario, offer: OfferedActs, *, quiet: bool) -> str:
    """What the guest is to do: the id of an act, or one of the words for all evenings."""
    listed = [act.id for _, acts in _groups(scenario, offer) for act in acts]
    while True:
        line = _read(quiet=quiet)
        if line is None:
            return QUIT
        line = _SHORT.get(line.lower(), line)
        if line in (OWN, REST, QUIT) or line in offer.ids:
            return line
        if line.isascii() and line.isdigit() and 1 <= int(line) <= len(listed):
            return listed[int(line) - 1]
        if line == KNOW:
            _tell_knowledge(scenario, offer)
        elif line == ASK:
            click.echo(HELP)
        elif line:
            click.echo(
                f"{line!r} is none of these: 1 to {len(offer.acts)}, {KNOW}, {OWN}, {REST}, {QUIT}, {ASK}", err=True
            )


def _read(*, quiet: bool) -> str | None:
    """The next line of the input; None at its end. What a file says is shown as if it had been typed."""
    typed = sys.stdin.isatty()
    if not quiet:
        click.echo("> ", nl=False)
    line = sys.stdin.readline()
    if not quiet and not typed:
        click.echo(line.rstrip("\n"))
    return line.strip() if line else None
