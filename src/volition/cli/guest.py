"""Being a guest in an evening: you read what you see and know, and say what to do, on a terminal or in a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from volition.cli.printing import program_name
from volition.cli.show.drama import bar
from volition.drama.audience.introduction import HOW_TO_PLAY, describe_knowledge, describe_scene
from volition.drama.audience.offers import menu_lines, menu_of
from volition.drama.playing.game import GuestGame
from volition.minds.contract import MindChoice

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.drama.audience.offers import Menu
    from volition.drama.mind.custom import OfferedActs
    from volition.drama.playing.evening import Evening
    from volition.drama.playing.guest import GuestTick
    from volition.drama.stage.archive import Recorder
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario
    from volition.minds.contract import MindSituation

KNOW, MORE, OWN, REST, QUIT, ASK = "?", "more", "auto", "rest", "quit", "help"
_SHORT: Final = {"q": QUIT, "exit": QUIT, "h": ASK, "m": MORE}
WIDTH: Final = 24
HELP: Final = (
    f"Type a number or the id of an act; {MORE} for everything you can do, {KNOW} for what you know, {OWN} to do what "
    f"comes naturally, {REST} to let the evening pass without you, {QUIT} to stop here, {ASK} to read this again."
)


class _Quits(Exception):
    """The guest stops here; `rests` says whether the evening goes on without them."""

    def __init__(self, *, rests: bool) -> None:
        super().__init__()
        self.rests = rests


def attend(evening: Evening, recorder: Recorder, ticks: int | None, called: str, *, quiet: bool) -> Run:
    """Play a guest until the evening ends, or the input does: then it has no ending yet, and can be continued."""
    game = GuestGame.begin(evening, recorder)
    tell = None if quiet else _teller(evening.scenario, game.guest)
    if not quiet:
        _introduce(evening)
    while game.offer is not None:
        if ticks is not None and len(game.evening.run.ticks) >= ticks:
            game.rest(ticks)
            break
        person, question = PersonAtTerminal(evening.scenario, game.offer, quiet=quiet), game.question()
        assert question is not None
        try:
            answer = person.propose(question)
        except _Quits as quits:
            if quits.rests:
                game.rest(ticks, tell)
            break
        except KeyboardInterrupt:
            click.echo(f"\nto continue: {program_name()} play --continue {called}", err=True)
            raise
        game.answer(answer, tell)
    return game.evening.run


class PersonAtTerminal:
    """A person as a mind: the question is printed as a guest may read it, and answered by what is typed."""

    def __init__(self, scenario: Scenario, offer: OfferedActs, *, quiet: bool) -> None:
        self._scenario, self._offer, self._quiet = scenario, offer, quiet

    def propose(self, situation: MindSituation, /) -> MindChoice | None:
        """What the person wants to do; None to do what comes naturally."""
        menu = menu_of(self._scenario, self._offer)
        if not self._quiet:
            _show(self._scenario, self._offer, menu)
        wish = _ask(self._scenario, self._offer, menu, quiet=self._quiet)
        if wish in (QUIT, REST):
            raise _Quits(rests=wish == REST)
        return None if wish == OWN else MindChoice(wish)


def _teller(scenario: Scenario, guest: str) -> Callable[[GuestTick], None]:
    """Tells what the guest lives through in a tick."""

    def tell(lived: GuestTick) -> None:
        for line in lived.lines(scenario, guest):
            click.secho(f"  {line}", italic=not line.startswith(" "))

    return tell


def _introduce(evening: Evening) -> None:
    page = evening.introduction()
    if page is not None:
        for line in page.lines():
            click.secho(line, bold=line in (page.title, page.you))
    click.echo(HELP)


def _show(scenario: Scenario, offer: OfferedActs, menu: Menu) -> None:
    click.echo("")
    click.secho(describe_scene(scenario, offer), bold=True)
    pacing = offer.me.pacing
    click.echo(f"stress {bar(pacing.stress)}  composure {bar(pacing.composure)}")
    for line in menu_lines(menu, WIDTH, everything=False):
        click.echo(line)


def _tell_knowledge(scenario: Scenario, offer: OfferedActs) -> None:
    for line in describe_knowledge(scenario, offer):
        click.echo(line)


def _ask(scenario: Scenario, offer: OfferedActs, menu: Menu, *, quiet: bool) -> str:
    """What the guest is to do: the id of an act or a wish, or one of the words for all evenings."""
    while True:
        line = _read(quiet=quiet)
        if line is None:
            return QUIT
        line = _SHORT.get(line.lower(), line)
        if line in (OWN, REST, QUIT) or line in offer.choices:
            return line
        if line.isascii() and line.isdigit() and 1 <= int(line) <= len(menu.ids):
            return menu.ids[int(line) - 1]
        if line == KNOW:
            _tell_knowledge(scenario, offer)
        elif line == MORE:
            for entry in menu_lines(menu, WIDTH, everything=True):
                click.echo(entry)
        elif line == ASK:
            click.echo("\n".join((*HOW_TO_PLAY, HELP)))
        elif line:
            words = f"{MORE}, {KNOW}, {OWN}, {REST}, {QUIT}, {ASK}"
            click.echo(f"{line!r} is none of these: 1 to {len(menu.ids)}, {words}", err=True)


def _read(*, quiet: bool) -> str | None:
    """The next line of the input; None at its end. What a file says is shown as if it had been typed."""
    typed = sys.stdin.isatty()
    if not quiet:
        click.echo("> ", nl=False)
    line = sys.stdin.readline()
    if not quiet and not typed:
        click.echo(line.rstrip("\n"))
    return line.strip() if line else None
