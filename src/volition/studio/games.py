"""Guests played from a page: one question after another, each answered once, and recorded as it goes on.

A game is the record of an evening that has no ending yet. At most `AT_ONCE` are open in memory; one that was closed, by
another game or by the end of the studio, is opened again from its record. What a page gets is what the guest knows.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta, Struct

from volition.core.errors import NotPossible, check_known
from volition.drama.playing.evening import Evening
from volition.drama.playing.game import GuestGame
from volition.drama.stage.archive import Recorder, load_run
from volition.drama.stage.library import FOLDER
from volition.drama.stage.record import PLAYER
from volition.minds.contract import MindChoice
from volition.studio.errors import NoSuch
from volition.studio.game_view import GameShape, game_shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.studio.scenarios import ScenarioStore
    from volition.studio.store import RecordStore

AT_ONCE: Final = 8
"""How many games are open in memory; the one that was not played for longest is closed first."""
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Tick = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class GameAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """A guest to play."""

    guest: Name
    """The id of the person to play."""
    scenario: Name = "dinner-party"
    """The id of a scenario that ships, or the place of a file in the studio's folder."""
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 1
    """The seed."""


class GameAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    """What the guest does, as the answer to the question of a tick."""

    tick: Tick
    """The tick whose question is answered; refused where another is asked by now."""
    choice: Name | None = None
    """The id of a choice that is offered; null does what the guest would do by themselves."""


class GameMove(Struct, frozen=True, forbid_unknown_fields=True):
    """To let the evening pass, or to end it, at the question of a tick."""

    tick: Tick
    """The tick whose question is open; refused where another is by now."""


class Games:
    """The games of a studio by the ids of their runs; one step at a time."""

    def __init__(self, store: RecordStore, scenarios: ScenarioStore, at_once: int = AT_ONCE) -> None:
        self._store, self._scenarios, self._at_once = store, scenarios, at_once
        self._open: OrderedDict[str, GuestGame] = OrderedDict()
        self._lock = RLock()

    def is_live(self, id: str) -> bool:
        """Whether a game is open here: what its guest does not know is not told."""
        return id in self._open

    def begin(self, asked: GameAsked) -> GameShape:
        """Begin an evening with a guest."""
        scenario = self._scenarios.find(asked.scenario)
        check_known("person", asked.guest, scenario.people, where="guest")
        with self._lock:
            evening = Evening.begin(scenario, asked.seed, asked.guest)
            path = self._store.new(FOLDER, f"{scenario.id}-{asked.seed}")
            id = self._store.id_of(path)
            return game_shape(id, self._keep(id, GuestGame.begin(evening, Recorder(path))))

    def look(self, id: str) -> GameShape:
        """How a game stands; one that is not open is opened from its record."""
        with self._lock:
            return game_shape(id, self._find(id))

    def answer(self, id: str, asked: GameAnswer) -> GameShape:
        """Answer the question of a tick."""
        choice = None if asked.choice is None else MindChoice(asked.choice)
        return self._step(id, asked.tick, lambda game: game.answer(choice), asked.choice)

    def rest(self, id: str, asked: GameMove) -> GameShape:
        """Let the evening pass: the guest acts by their own mind to its ending."""
        return self._step(id, asked.tick, lambda game: game.rest())

    def stop(self, id: str, asked: GameMove) -> GameShape:
        """End the evening here: it is broken off, and a run like any other."""
        return self._step(id, asked.tick, lambda game: game.rest(len(game.evening.run.ticks)))

    def close_all(self) -> None:
        """Close every game; each can be played on from its record."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].end()

    def _step(self, id: str, tick: int, move: Callable[[GuestGame], None], choice: str | None = None) -> GameShape:
        with self._lock:
            game = self._find(id)
            offer = game.offer
            if offer is None or offer.tick != tick:
                raise _stale(id, tick, None if offer is None else offer.tick)
            if choice is not None:
                offer.find(choice)  # a choice that is not offered is refused, and the game stays as it is
            try:
                move(game)
            except BaseException:
                # The record may be ahead of the game: the next request opens it from there.
                del self._open[id]
                game.end()
                raise
            if game.offer is None:
                self._open.pop(id, None)
                game.end()
            return game_shape(id, game)

    def _find(self, id: str) -> GuestGame:
        """The game of this id: open, opened again from its record, or over, which is only looked at."""
        if id in self._open:
            self._open.move_to_end(id)
            return self._open[id]
        stored = self._store.find(id)
        run = load_run(stored.path) if stored.what == "ledger" else None
        if run is None or PLAYER not in run.custom.minds.values():
            raise NoSuch.id("game", id, self._open)
        if run.ending is not None:
            return GuestGame.look_back(stored.path)
        return self._keep(id, GuestGame.resume(stored.path))

    def _keep(self, id: str, game: GuestGame) -> GuestGame:
        """Keep a game open while its guest is asked something; another may be closed for it."""
        if game.offer is None:
            game.end()
            return game
        self._open[id] = game
        while len(self._open) > self._at_once:
            self._open.popitem(last=False)[1].end()
        return game


def _stale(id: str, tick: int, now: int | None) -> NotPossible:
    what = f"the question of tick {tick} is no longer open in {id}"
    stands = "no more answers: the evening is over" if now is None else f"an answer for tick {now}"
    return NotPossible.of(what, where="tick", expected=stands, remedy="look at where the evening is now")
