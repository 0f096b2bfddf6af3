"""A run: the whole record of an evening, from which each of its states can be rebuilt, and what a user's code answered.

A run holds where that code is not available. Recorded intentions answer as the code did, for the same person, tick and
act; to anything else they add nothing. A recorded mind chooses the same act again as long as it is offered, and
otherwise leaves the choice to the person.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from msgspec import Struct

from volition.arbitration import Constraint, Heuristic, Intention
from volition.arbitration.intent import CONSTRAINT, HEURISTIC, Kind, label_of
from volition.drama.mind.custom import OfferedActs, Playing, played_by
from volition.drama.mind.outside import OutsideMinds, Voice
from volition.drama.rules.catalog import CLOCK, LEAVE, PHYSICAL
from volition.drama.stage.state import state_from_data
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from volition.arbitration.tally import Tally
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Ending, Event, TickRecord
    from volition.drama.stage.interference import Interference
    from volition.drama.world.model import Scenario

RULES_VERSION = 5
"""Incremented whenever the same scenario and seed would give a different evening."""
BROKEN_OFF: Final = "broken_off"
"""The ending of an evening that was asked for only some ticks."""
PLAYER: Final = "the player"
"""What a person who plays a guest is called in records."""


class DeclaredIntention(NamedTuple):
    """A custom term or constraint, without its code."""

    id: str
    kind: Kind
    weight: float = 1.0
    priority: int | None = None
    range: tuple[float, float] = (-1.0, 1.0)
    on_error: str = "raise"


class Declared(Struct, frozen=True):
    """Which user code took part in an evening: minds by whom they played, intentions, and minds from outside by whose."""

    minds: Mapping[str, str] = {}
    intentions: tuple[DeclaredIntention, ...] = ()
    outside: Mapping[str, Voice] = {}

    def __bool__(self) -> bool:
        return bool(self.minds or self.intentions or self.outside)

    def player_of(self, who: str) -> str:
        """Who chose for `who`, where somebody did."""
        if who in self.outside:
            return self.outside[who].label
        return self.minds.get(who, "somebody")


NOTHING_DECLARED: Final = Declared()


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded evening: its opening, its ticks, and its ending, which is None while it is not over.

    `opening` is the first state as data; `interference` is what was forbidden, forced or set by hand; `custom` says
    which user code took part.
    """

    scenario: Scenario
    seed: int
    opening: Mapping[str, Any]
    ticks: tuple[TickRecord, ...]
    ending: Ending | None
    rules: int = RULES_VERSION
    interference: tuple[Interference, ...] = ()
    custom: Declared = NOTHING_DECLARED

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end, and was not broken off."""
        return self.ending is not None and self.ending.kind != BROKEN_OFF

    @property
    def events(self) -> tuple[Event, ...]:
        """All events, in order."""
        return tuple(event for tick in self.ticks for event in tick.events)

    @property
    def first(self) -> int:
        """The first tick."""
        return int(self.opening["tick"])

    @property
    def last(self) -> int:
        """The tick after the last one: the state before it is the final state."""
        return self.first + len(self.ticks)

    @property
    def left(self) -> tuple[str, ...]:
        """The people who left, in order; of those who left together, in the order of the scenario."""
        return tuple(who for event in self.events for who in self.scenario.people if leaves(event, who))

    def opening_state(self) -> WorldState:
        """A new copy of the first state."""
        return state_from_data(self.scenario, self.opening)


def leaves(event: Event, who: str) -> bool:
    """Whether `who` leaves in an event: alone, or together with others."""
    if event.type == CLOCK:
        return any(
            delta.kind == "location" and delta.agent == who and delta.after == DEPARTED for delta in event.deltas
        )
    return event.type == PHYSICAL and event.manner == LEAVE and who in event.participants


def declare(custom: Sequence[Intention], player: str | None = None) -> Declared:
    """What a record says about custom intentions, and about the guest whom a person plays."""
    minds = {one.intent.who: label_of(one.intent.function.call) for one in custom if isinstance(one.intent, Playing)}
    if player is not None:
        minds[player] = PLAYER
    outside = [one.intent.people for one in custom if isinstance(one.intent, OutsideMinds)]
    others = [one for one in custom if not isinstance(one.intent, Playing | OutsideMinds)]
    return Declared(
        dict(sorted(minds.items())),
        tuple(
            DeclaredIntention(one.id, one.kind, one.weight, one.priority, one.range, one.on_error)
            if isinstance(one, Heuristic)
            else DeclaredIntention(one.id, one.kind, on_error=one.on_error)
            for one in sorted(others, key=lambda one: one.id)
        ),
        {who: consulted.voice for people in outside for who, consulted in people.items()},
    )


def recorded_intentions(declared: Declared, ticks: Sequence[TickRecord]) -> Iterator[Intention]:
    """Intentions that answer from the ticks of a run."""
    choices = {
        (tick.tick, who): tick.wishes.get(who, tick.choices[who].id)
        for tick in ticks
        for who in tick.played
        if who in tick.choices
    }
    for who, label in declared.minds.items():
        yield played_by(who, RecordedMind(choices, label))
    recorded = {(tick.tick, who): answers for tick in ticks for who, answers in tick.said.items()}
    for id, kind, weight, priority, range, on_error in declared.intentions:
        silent = False if kind == CONSTRAINT else 0.0 if range[0] <= 0.0 <= range[1] else None
        intent = RecordedAnswers(id, recorded, silent)
        settings: dict[str, Any] = {"on_error": on_error}
        if kind == CONSTRAINT:
            yield Constraint(id, intent, **settings)
        else:
            yield Heuristic(id, intent, weight=weight, priority=priority, range=range, **settings)


@dataclass(frozen=True, slots=True)
class RecordedMind:
    """A custom mind that chooses what was chosen at the same tick."""

    choices: Mapping[tuple[int, str], str] = field(repr=False)
    label: str

    def __call__(self, offer: OfferedActs) -> str | None:
        chosen = self.choices.get((offer.tick, offer.who))
        return chosen if chosen in offer.choices else None


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """The intent of a recorded term or constraint; `silent` is its answer where nothing is recorded."""

    kinds: ClassVar[tuple[Kind, ...]] = (CONSTRAINT, HEURISTIC)

    id: str
    said: Mapping[tuple[int, str], Mapping[str, Mapping[str, Any]]] = field(repr=False)
    silent: float | bool | None

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterator[Any]:
        answers = self.said.get((context.perceived.tick, context.me.id), {}).get(self.id, {})
        for id in ids:
            answer = answers.get(id, self.silent)
            if kind == HEURISTIC and isinstance(answer, str):
                raise _make_error(answer)
            yield answer

    def to_data(self) -> dict[str, Any]:
        return {"recorded": self.id}


def answers_of(tally: Tally, custom: AbstractSet[str]) -> dict[str, dict[str, Any]]:
    """What custom intentions answered in a decision, by their ids: scores other than 0, and vetoes."""
    composite, answers_by = tally.composite, dict[str, dict[str, Any]]()
    for place, id in enumerate(composite.voters):
        if id in custom:
            rows = zip(tally.survivors, tally.scores, strict=True)
            answers_by[id] = {act: row[place] for act, row in rows if row[place] != 0.0}
    for place, id in enumerate(composite.judges):
        if id in custom:
            vetoes = {act: row[place] for act, row in tally.vetoed.items() if row[place]}
            answers_by[id] = answers_by.get(id, {}) | vetoes
    return {id: answers for id, answers in answers_by.items() if answers}


def _make_error(reason: str) -> Exception:
    """An error that is described as one that a term raised was: `raised NAME: TEXT`."""
    name, _, text = reason.removeprefix("raised ").partition(": ")
    error: Exception = type(name, (Exception,), {})(text)
    return error
