"""An evening unfolded from its log, tick by tick: everybody's state before each, and each event told in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.stage.replay import unfold
from volition.drama.world.model import DEPARTED
from volition.studio.shapes.evenings import (
    BondShape,
    Change,
    ChoiceShape,
    EventShape,
    Pace,
    PersonNow,
    StrainShape,
    TickShape,
)
from volition.studio.shapes.plays import Lived

if TYPE_CHECKING:
    from volition.drama.stage.events import Choice, Event, TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import AgentState
    from volition.studio.shapes.house import Plan, Point


class Unfolding:
    """A run as it goes on: give it every record, in order, and it gives what is to be shown."""

    def __init__(self, run: Run, plan: Plan) -> None:
        self._world = run.opened()
        self._narrator = TemplateNarrator(run.seed)
        self._seats = _Seats(plan)

    def now(self) -> TickShape:
        """The state that has been reached, as the tick whose beginning it is; nothing has been chosen in it yet."""
        return self._tick(None)

    def step(self, record: TickRecord) -> tuple[TickShape, list[EventShape]]:
        """The state before a tick with what was chosen in it, and its events, told; the state moves on."""
        before = self._tick(record)
        events = []
        for event in unfold(self._world, record):
            # With its heading said first, an event is told without a word on how the scene came to its room.
            self._narrator.heading(self._world, event)
            told = " ".join(self._narrator.tell(self._world, event))
            events.append(event_shape(event, told))
        return before, events

    def live(self, record: TickRecord) -> Lived:
        """A tick as those hear of it who look on: what was chosen and done in it, and the state after it."""
        before, events = self.step(record)
        choices = {who: person.choice for who, person in before.people.items() if person.choice is not None}
        return Lived(replace(self.now(), bonds=None), events, choices, before.length)

    def _tick(self, record: TickRecord | None) -> TickShape:
        world = self._world
        people = world.agents.values()
        seats = self._seats.taken({me.id: me.location for me in people})
        return TickShape(
            tick=world.tick,
            minutes=world.minutes,
            length=0.0 if record is None else record.length,
            people={
                me.id: _person(me, seats[me.id], None if record is None else record.choices.get(me.id)) for me in people
            },
            beliefs={me.id: {secret: _belief(held) for secret, held in me.beliefs.items()} for me in people},
            events=[] if record is None else [event.id for event in record.events],
            bonds={
                me.id: {
                    other: BondShape(bond.trust, bond.affection, bond.obligation) for other, bond in me.bonds.items()
                }
                for me in people
            },
        )


class _Seats:
    """Who stands where: people keep their place while they stay in a room, and take the first free one in another."""

    def __init__(self, plan: Plan) -> None:
        self._places: dict[str, list[Point]] = {room.id: room.places for room in plan.rooms}
        self._places[DEPARTED] = plan.outside
        self._held: dict[str, tuple[str, int]] = {}

    def taken(self, rooms: dict[str, str]) -> dict[str, Point]:
        self._held = {who: held for who, held in self._held.items() if rooms[who] == held[0]}
        for who, room in rooms.items():
            if who not in self._held:
                used = {number for where, number in self._held.values() if where == room}
                free = next(number for number in range(len(rooms)) if number not in used)
                self._held[who] = (room, free)
        return {who: self._places[room][number] for who, (room, number) in self._held.items()}


def event_shape(event: Event, text: str) -> EventShape:
    """An event with the words that tell it; what it led to is not known yet."""
    return EventShape(
        id=event.id,
        tick=event.tick,
        minutes=event.minutes,
        type=event.type.name,
        dramatic=event.is_dramatic,
        source=event.source,
        targets=list(event.targets),
        room=event.room,
        text=text,
        causes=list(event.causes),
        effects=[],
        witnesses=list(event.witnesses),
        overheard=list(event.overheard),
        focus=event.focus,
        destination=event.destination,
        secret=event.secret,
        secrets=list(event.secrets),
        manner=event.manner,
        details=dict(event.details),
        changes=[Change(*delta) for delta in event.deltas],
        strains=[StrainShape(*strain) for strain in event.strains],
    )


def choice_shape(choice: Choice) -> ChoiceShape:
    return ChoiceShape(choice.id, choice.score, choice.priority, choice.became, choice.because)


def _person(me: AgentState, at: Point, choice: Choice | None) -> PersonNow:
    pacing = me.pacing
    return PersonNow(
        room=me.location,
        at=at,
        pacing=Pace(
            pacing.dramatic_budget,
            pacing.stress,
            pacing.composure,
            pacing.commitment,
            pacing.recovery_timer,
            pacing.suppression_count,
        ),
        emotions=dict(me.emotions),
        alcohol=me.alcohol,
        broken=me.broken,
        choice=None if choice is None else choice_shape(choice),
    )


def _belief(held: Any) -> Any:
    return held.name.lower()
