"""An evening tick by tick, from its log: everybody's state before each tick, and each event in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from msgspec import Struct
from msgspec.structs import astuple, replace

from volition.drama.audience.deeds import describe_act, describe_deed
from volition.drama.audience.floor_plan import FloorPlan, Point  # noqa: TC001  msgspec reads the annotations
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.stage.replay import unfold
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.audience.composer import Utterance
    from volition.drama.evening.person import AgentState
    from volition.drama.rules.catalog import Belief
    from volition.drama.stage.events import Choice, Ending, Event, TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario

BeliefName = Literal["unknown", "suspects", "believes_true", "believes_false"]


class Change(Struct, frozen=True):
    """One change of state, as events carry it; `key` is whose or which, `attribute` the field of a bond."""

    kind: str
    """The kind of change."""
    agent: str
    """Whose state changed."""
    key: Any
    """Whose, or which, it is about."""
    before: Any
    """The value before."""
    after: Any
    """The value after."""
    reason: str
    """Why it changed."""
    attribute: str | None
    """The field of a bond."""


class StrainShape(Struct, frozen=True):
    """What an event does to one of somebody's numbers."""

    agent: str
    """Who is under strain."""
    number: str
    """Which number of the pacing changed."""
    amount: float
    """By how much."""
    reason: str
    """Why."""


class SpokenLine(Struct, frozen=True):
    """What somebody says, word for word as it is told."""

    who: str
    """Who says it."""
    words: str
    """The words."""


class EventShape(Struct, frozen=True):
    """Something that happened. `text` tells it, with what is `spoken` in it; `deed` says it in a few plain words.
    `causes` are earlier events, `effects` later ones that name it. `secret` is the one that was told or lied about,
    `secrets` are all that it is about."""

    id: str
    """The id of the event."""
    tick: int
    """When it happened."""
    minutes: float
    """The same in minutes."""
    type: str
    """The type of event."""
    dramatic: bool
    """Whether it counts as dramatic."""
    source: str
    """Who did it."""
    targets: tuple[str, ...]
    """To whom it was done."""
    room: str
    """Where it happened."""
    text: str
    """The event, in words."""
    deed: str
    """What was done, in a few plain words."""
    spoken: list[SpokenLine]
    """What was said in it."""
    causes: tuple[str, ...]
    """The ids of earlier events that led to it."""
    effects: tuple[str, ...]
    """The ids of later events that it led to."""
    witnesses: tuple[str, ...]
    """Who saw it."""
    overheard: tuple[str, ...]
    """Who heard it from another room."""
    focus: str | None
    """What it is about."""
    destination: str | None
    """Where somebody went."""
    secret: str | None
    """The secret that was told or lied about."""
    secrets: list[str]
    """All secrets that it is about."""
    manner: str | None
    """How it was done."""
    details: dict[str, Any]
    """What else is known of it."""
    changes: list[Change]
    """How it changed the state."""
    strains: list[StrainShape]
    """How it strained people."""


class EndingShape(Struct, frozen=True):
    """How and when an evening ended."""

    kind: str
    """How it ended."""
    stopped: str
    """What stopped it."""
    tick: int
    """The last tick."""
    minutes: float
    """When it ended, in minutes."""
    because: str
    """Why, in words."""


class ChoiceShape(Struct, frozen=True):
    """What somebody chose in this tick; `became` is "done", or the act that it was turned into. `words` are the act in
    words, `became_words` what it was turned into."""

    id: str
    """The id of the act."""
    score: float
    """Its total."""
    priority: int
    """Its priority."""
    became: str
    """`done`, or the act that it was turned into."""
    because: str | None
    """Why it was turned into another."""
    words: str
    """The act, in words."""
    became_words: str | None
    """What it was turned into, in words; null where it was done."""


class PacingShape(Struct, frozen=True):
    """The six numbers of a person's pacing, by name; records have them as a list."""

    dramatic_budget: float
    """How much drama the person may still cause."""
    stress: float
    """How stressed the person is."""
    composure: float
    """How composed the person is."""
    commitment: float
    """How committed the person is to what they do."""
    recovery_timer: int
    """How many ticks of recovery are left."""
    suppression_count: int
    """How often the person held back."""


class BondShape(Struct, frozen=True):
    """How one person feels about another, by name; records have it as a list."""

    trust: float
    """How much one trusts the other."""
    affection: float
    """How much one likes the other."""
    obligation: float
    """How much one owes the other."""


class PersonNow(Struct, frozen=True):
    """Somebody before a tick; `at` is where to draw them. `choice` is None for those who left or broke, and at the end."""

    room: str
    """The room where they are."""
    at: Point
    """Where to draw them."""
    pacing: PacingShape
    """The six numbers of their pacing."""
    emotions: dict[str, float]
    """How strong each emotion is."""
    alcohol: float
    """How much they have drunk."""
    broken: bool
    """Whether they broke down."""
    choice: ChoiceShape | None
    """What they chose in this tick; null for those who left or broke, and at the end."""


class TickShape(Struct, frozen=True):
    """The state before a tick, and what happened in it: `events` are ids. Only a single tick has `bonds`."""

    tick: int
    """The tick."""
    minutes: float
    """When it begins, in minutes."""
    length: float
    """How long it is, in minutes."""
    people: dict[str, PersonNow]
    """Everybody who is there, by id."""
    beliefs: dict[str, dict[str, BeliefName]]
    """What each person believes of each secret."""
    events: list[str]
    """The ids of the events in it."""
    bonds: dict[str, dict[str, BondShape]] | None = None
    """How each person feels about each other; only a single tick has them."""


class Lived(Struct, frozen=True):
    """One tick of a live evening: what everybody chose in it, its events and its length, and the state after it."""

    tick: TickShape
    """The state after it."""
    events: list[EventShape]
    """What happened in it."""
    choices: dict[str, ChoiceShape]
    """What everybody chose in it."""
    length: float
    """How long it was, in minutes."""


class ClosingPart(Struct, frozen=True):
    """A part of how an evening is told to have ended: a heading, and paragraphs or the lines of a list."""

    heading: str
    """What the part is about."""
    lines: list[str]
    """Its paragraphs, or the lines of a list."""


class _Listener(TemplateNarrator):
    """The narrator, who notes what is said and by whom."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._lines: list[SpokenLine] = []

    def speak(self, utterance: Utterance) -> str:
        words = super().speak(utterance)
        self._lines.append(SpokenLine(utterance.speaker, words))
        return words

    def take_lines(self) -> list[SpokenLine]:
        """What was said since the last call."""
        lines, self._lines = self._lines, []
        return lines


class Unfolding:
    """A run as it goes on: give it every record, in order, and it returns what to show."""

    def __init__(self, run: Run, plan: FloorPlan) -> None:
        self._world = run.opening_state()
        self._narrator = _Listener(run.seed)
        self._seats = _Seats(plan)

    def now(self) -> TickShape:
        """The state that has been reached, as the beginning of the next tick; nothing has been chosen in it yet."""
        return self._tick(None)

    def step(self, record: TickRecord) -> tuple[TickShape, list[EventShape]]:
        """The state before a tick with what was chosen in it, and its events in words; the state moves on."""
        before = self._tick(record)
        events = []
        for event in unfold(self._world, record):
            # Once its heading is said, an event is narrated without how the scene came to its room.
            self._narrator.heading(self._world, event)
            text = " ".join(self._narrator.tell(self._world, event))
            deed = describe_deed(self._world.scenario, event)
            events.append(_event(event, text, deed, self._narrator.take_lines()))
        return before, events

    def closing(self, run: Run) -> list[ClosingPart]:
        """How the evening ended, as it is told once every record was given."""
        parts: list[ClosingPart] = []
        for paragraph in self._narrator.closing(run):
            if paragraph.startswith("## "):
                parts.append(ClosingPart(paragraph.removeprefix("## "), []))
            else:
                parts[-1].lines.extend(line.removeprefix("- ") for line in paragraph.split("\n"))
        return parts

    def live(self, record: TickRecord) -> Lived:
        """A tick for those who watch: what was chosen and done in it, and the state after it."""
        before, events = self.step(record)
        choices = {who: person.choice for who, person in before.people.items() if person.choice is not None}
        return Lived(replace(self.now(), bonds=None), events, choices, before.length)

    def _tick(self, record: TickRecord | None) -> TickShape:
        world = self._world
        people = world.agents.values()
        seats = self._seats.assign({me.id: me.location for me in people})
        return TickShape(
            tick=world.tick,
            minutes=world.minutes,
            length=0.0 if record is None else record.length,
            people={
                me.id: _person(me, seats[me.id], None if record is None else self._choice(me.id, record))
                for me in people
            },
            beliefs={me.id: {secret: _belief(belief) for secret, belief in me.beliefs.items()} for me in people},
            events=[] if record is None else [event.id for event in record.events],
            bonds={me.id: {other: BondShape(*bond) for other, bond in me.bonds.items()} for me in people},
        )

    def _choice(self, who: str, record: TickRecord) -> ChoiceShape | None:
        choice = record.choices.get(who)
        return None if choice is None else choice_shape(self._world.scenario, who, choice)


class _Seats:
    """The places of people: they keep one while they stay in a room, and take the first free one in the next."""

    def __init__(self, plan: FloorPlan) -> None:
        self._places: dict[str, list[Point]] = {room.id: room.places for room in plan.rooms}
        self._places[DEPARTED] = plan.outside
        self._taken: dict[str, tuple[str, int]] = {}
        """By person: the room, and the number of the place in it."""

    def assign(self, rooms: dict[str, str]) -> dict[str, Point]:
        """The place of each person, by the rooms they are in."""
        self._taken = {who: (room, number) for who, (room, number) in self._taken.items() if rooms[who] == room}
        for who, room in rooms.items():
            if who not in self._taken:
                used = {number for where, number in self._taken.values() if where == room}
                free = next(number for number in range(len(rooms)) if number not in used)
                self._taken[who] = (room, free)
        return {who: self._places[room][number] for who, (room, number) in self._taken.items()}


def _event(event: Event, text: str, deed: str, spoken: list[SpokenLine]) -> EventShape:
    """An event with its words; its effects are not known yet."""
    return EventShape(
        id=event.id,
        tick=event.tick,
        minutes=event.minutes,
        type=event.type.name,
        dramatic=event.is_dramatic,
        source=event.source,
        targets=event.targets,
        room=event.room,
        text=text,
        deed=deed,
        spoken=spoken,
        causes=event.causes,
        effects=(),
        witnesses=event.witnesses,
        overheard=event.overheard,
        focus=event.focus,
        destination=event.destination,
        secret=event.secret,
        secrets=list(event.secrets),
        manner=event.manner,
        details=dict(event.details),
        changes=[Change(*delta) for delta in event.deltas],
        strains=[StrainShape(*strain) for strain in event.strains],
    )


def choice_shape(scenario: Scenario, who: str, choice: Choice) -> ChoiceShape:
    """A choice, in words too."""
    words = describe_act(scenario, who, choice.id) or choice.id
    became = None if choice.became == "done" else describe_act(scenario, who, choice.became) or choice.became
    return ChoiceShape(*choice, words=words, became_words=became)


def ending_shape(ending: Ending | None) -> EndingShape | None:
    return None if ending is None else EndingShape(*astuple(ending))


def _person(me: AgentState, at: Point, choice: ChoiceShape | None) -> PersonNow:
    return PersonNow(
        room=me.location,
        at=at,
        pacing=PacingShape(*me.pacing),
        emotions=dict(me.emotions),
        alcohol=me.alcohol,
        broken=me.broken,
        choice=choice,
    )


def _belief(belief: Belief) -> BeliefName:
    return cast("BeliefName", belief.name.lower())
