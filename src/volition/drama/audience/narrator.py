"""Transcripts of a run: what a narrator is, and the built-in one.

A narrator is called in the order in which things happen, and returns paragraphs; they are read in blocks, room by room. The
built-in one uses a phrasebook and keyed chance alone: the same run gives the same bytes.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from msgspec import structs

from volition.core.errors import Problem, VolitionError, format_value
from volition.drama.audience.blocks import arrange
from volition.drama.audience.chronicle import Chronicle
from volition.drama.audience.closing import closing_of
from volition.drama.audience.comings import MOVES, describe_change
from volition.drama.audience.composer import Composer, UsedPhrase, Utterance
from volition.drama.audience.deeds import describe_interference
from volition.drama.audience.moment import facts_of_ending, facts_of_room
from volition.drama.audience.prose import capitalize_first, clock, join_names, join_sentences
from volition.drama.audience.telling import sentences_of
from volition.drama.audience.thoughts import thinkers_of, thought_of
from volition.drama.stage.events import Event
from volition.drama.stage.replay import unfold
from volition.drama.words.condition import Facts, holds
from volition.drama.words.phrase import Picker, fill
from volition.drama.world.model import DEPARTED, Scenario
from volition.drama.world.wording import phrases_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.audience.comings import RoomBlock
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.interference import Interference
    from volition.drama.stage.record import Run
    from volition.drama.words.phrasebook import Phrasebook

CUTS: Final = 8
"""A room in which one of this many last events happened is only named when the telling comes back to it."""


@runtime_checkable
class Narrator(Protocol):
    """Tells a run. Every method returns a list of paragraphs, which may be empty.

    Events are told in the order in which they happen, also those that are left out of the transcript. `world` is the state
    before the event; it is updated in place, so read it and do not keep it.
    """

    def opening(self, scenario: Scenario) -> list[str]:
        """Before the first event: title and cast."""

    def heading(self, world: WorldState, event: Event) -> list[str]:
        """A scene begins with this event."""

    def tell(self, world: WorldState, event: Event) -> list[str]:
        """An event."""

    def closing(self, run: Run) -> list[str]:
        """After the last event; `run.ending` is None if the record stops before the ending."""


@runtime_checkable
class ThoughtNarrator(Protocol):
    """A narrator that tells thoughts too."""

    def think(self, world: WorldState, event: Event, thinkers: Sequence[str]) -> list[str]:
        """After an event, what those in its room may have thought who did nothing else."""


@runtime_checkable
class ForkNarrator(Protocol):
    """A narrator that tells what was changed by hand, in an evening that was forked."""

    def interfere(self, world: WorldState, interference: Interference) -> list[str]:
        """Before the first event of a tick, what was changed at that tick."""


@runtime_checkable
class PlacedNarrator(Protocol):
    """A narrator that knows where the reader is, and says so when the reader goes to another room."""

    def place(self, reader: str | None, here: str | None) -> None:
        """Before an event: the room of which the reader reads last, and the one where it is read; None if it is left out."""


@runtime_checkable
class CompanyNarrator(Protocol):
    """A narrator that says who is in a room where the reader could not know it."""

    def company(self, world: WorldState, event: Event, known: Sequence[str]) -> list[str]:
        """Before an event, and after its heading, where others are in the room than those of whom was read there.

        `known` are those whom the reader has left there; nobody, where the reader has just come.
        """


@runtime_checkable
class RehearsedNarrator(Protocol):
    """A narrator that goes through a whole run before it tells it."""

    def rehearse(self, run: Run) -> None:
        """Before everything else."""


class NarratorFailed(VolitionError):
    """A custom narrator raised, or answered something else than paragraphs."""


def transcript(run: Run, narrator: Narrator | None = None) -> str:
    """A whole run as text that ends with a newline; the built-in narrator writes Markdown.

    NarratorFailed if a custom narrator raises, or answers something else than paragraphs.
    """
    narrator = narrator if narrator is not None else TemplateNarrator(run.seed)
    if isinstance(narrator, RehearsedNarrator):
        narrator.rehearse(run)
    blocks = arrange(run)
    opening = _ask(narrator, "opening", run.scenario)
    paragraphs_of, changes = _compose(run, narrator, blocks)
    paragraphs = []
    for block in blocks:
        for event in block.events:
            for tick in [tick for tick in changes if tick <= event.tick]:
                paragraphs += changes.pop(tick)
            paragraphs += paragraphs_of[event.id]
    rest = [paragraph for change in changes.values() for paragraph in change]
    return "\n\n".join([*opening, *paragraphs, *rest, *_ask(narrator, "closing", run)]) + "\n"


def _compose(
    run: Run, narrator: Narrator, blocks: Sequence[RoomBlock]
) -> tuple[dict[str, list[str]], dict[int, list[str]]]:
    """The paragraphs of every event, and those of what was changed by hand at a tick, composed as they happened."""
    titled = {id for block in blocks for id in block.titled}
    noted = {id: known for block in blocks for id, known in block.noted.items()}
    read = {event.id: event for block in blocks for event in block.events}
    places: dict[str, tuple[str | None, str]] = {}
    reader: str | None = None
    for block in blocks:
        for event in block.events:
            places[event.id] = (reader, block.room)
            reader = block.room
    world = run.opening_state()
    paragraphs_of: dict[str, list[str]] = {}
    changes: dict[int, list[str]] = {}
    interferences = run.interference if isinstance(narrator, ForkNarrator) else ()
    place = narrator.place if isinstance(narrator, PlacedNarrator) else None
    thinks = isinstance(narrator, ThoughtNarrator)
    for record in run.ticks:
        for interference in interferences:
            if interference.at == record.tick:
                changes.setdefault(record.tick, []).extend(_ask(narrator, "interfere", world, interference))
        for happened in unfold(world, record):
            event = read.get(happened.id, happened)
            if place is not None:
                place(*places.get(event.id, (None, None)))
            paragraphs_of[event.id] = [
                *(_ask(narrator, "heading", world, event) if event.id in titled else ()),
                *(_company(narrator, world, event, noted[event.id]) if event.id in noted else ()),
                *_ask(narrator, "tell", world, event),
            ]
            if thinks and event.id in read:
                paragraphs_of[event.id] += _ask(narrator, "think", world, event, thinkers_of(world, record, event))
    return paragraphs_of, changes


def _company(narrator: Narrator, world: WorldState, event: Event, known: Sequence[str]) -> list[str]:
    return _ask(narrator, "company", world, event, known) if isinstance(narrator, CompanyNarrator) else []


def _ask(narrator: Narrator, method: str, *moment: Any) -> list[str]:
    """The paragraphs that a narrator answers; what the built-in ones raise is a bug, and passes."""
    where = next((f"event {part.id}" for part in moment if isinstance(part, Event)), "the evening as a whole")
    name = f"{type(narrator).__name__}.{method}"
    try:
        answer = getattr(narrator, method)(*moment)
    except Exception as error:
        if isinstance(error, VolitionError) or type(narrator).__module__.startswith("volition."):
            raise
        what = f"{name} raised {type(error).__name__}: {error}"
        raise NarratorFailed(Problem(what, where, "a list of paragraphs", "fix the narrator")) from error
    if isinstance(answer, list) and all(isinstance(part, str) for part in answer):
        return answer
    what = f"{name} answered {format_value(answer)}"
    remedy = "return a list of texts; an empty one says nothing"
    raise NarratorFailed(Problem(what, where, "a list of paragraphs", remedy))


class TemplateNarrator:
    """Tells a run with a phrasebook: that of its scenario, if no other is given.

    A narrator is for one run only, because it remembers what it has said. `said` holds the phrases of the last event.
    """

    def __init__(self, seed: int, phrases: Phrasebook | None = None) -> None:
        self._picker, self._past = Picker(seed), Chronicle()
        self._phrases = phrases
        self._composer: Composer | None = None
        self._room: str | None = None
        self._title = ""
        self._moved: tuple[str, str | None] | None = None
        self._place: tuple[str | None, str | None] | None = None
        self._note = ""
        self._named: list[str] = []
        self._told_in: deque[str] = deque(maxlen=CUTS)
        self._seen: set[str] = set()
        self._since_thought = 0

    def speak(self, utterance: Utterance) -> str:
        """The words of a speaker: here, the draft."""
        return utterance.draft

    @property
    def said(self) -> Sequence[UsedPhrase]:
        """The phrases that the last event, or the ending, was told with."""
        return self._composer.said if self._composer is not None else ()

    def opening(self, scenario: Scenario) -> list[str]:
        book = self._begin(scenario).book
        cast = [f"- **{person.name}**, {person.role}" for person in scenario.people.values()]
        return [
            f"# {scenario.name}",
            *([scenario.description] if scenario.description else []),
            f"## {book.text('opening.cast')}",
            "\n".join(line.removesuffix(", ") for line in cast),
            self._general("opening.lines", {"setting": frozenset(scenario.setting)}, "opening"),
        ]

    def place(self, reader: str | None, here: str | None) -> None:
        self._place = reader, here

    def _say(self, utterance: Utterance) -> str:
        """What is said; of what is not read the draft is enough."""
        is_left_out = self._place is not None and self._place[1] is None
        return utterance.draft if is_left_out else self.speak(utterance)

    def heading(self, world: WorldState, event: Event) -> list[str]:
        self._begin(world.scenario)
        room = world.scenario.rooms[self._read_in(event)]
        here = _people_in(world, room.id)
        left = sum(agent.location != DEPARTED for agent in world.agents.values())
        notes = [room.description] if room.description and room.id not in self._seen else []
        self._named = here if 0 < len(here) < left else []
        if self._named:
            notes.append(self._with(here))
        self._room = room.id
        self._place = None if self._place is None else (room.id, room.id)
        self._seen.add(room.id)
        before, self._title = self._title, f"## {clock(event.minutes)} — {capitalize_first(room.name)}"
        if self._title == before:  # a scene that begins in the minute in which the last one did
            return []
        return [self._title, f"*{' '.join(notes)}*"] if notes else [self._title]

    def company(self, world: WorldState, event: Event, known: Sequence[str]) -> list[str]:
        """Keep who has come and gone, or who is there if its heading has not said so, for the beginning of the paragraph."""
        composer, here = self._begin(world.scenario), _people_in(world, self._read_in(event))
        came, gone = [who for who in here if who not in known], [who for who in known if who not in here]
        if known and here and max(len(came), len(gone)) <= MOVES:
            self._note = describe_change(came, gone, composer.names)
        elif here == self._named or not here:
            self._note = ""
        else:
            self._note = self._with(here)
        return []

    def tell(self, world: WorldState, event: Event) -> list[str]:
        composer = self._begin(world.scenario)
        composer.said.clear()
        parts = sentences_of(
            world, event, lambda purpose: self._picker.chance(event.tick, event.id, purpose), self._past
        )
        pieces: list[str] = []
        for part in parts:
            pieces.append(composer.compose(world, event, part, pieces[-1] if pieces else ""))
        paragraph = join_sentences(pieces, composer.everybody)
        link = " ".join(filter(None, (self._link(world, event), self._note)))
        self._note, self._named = "", []
        self._follow(world, event)
        self._past.told.update(part.pool for part in parts)
        self._past.add(event)
        self._since_thought += 1
        return [f"*{link}* {paragraph}" if link else paragraph]

    def think(self, world: WorldState, event: Event, thinkers: Sequence[str]) -> list[str]:
        """A thought of one of the thinkers, now and then."""
        composer = self._begin(world.scenario)
        thought = thought_of(world, event, thinkers, self._since_thought, self._picker)
        if thought is None:
            return []
        self._since_thought = 0
        who, part = thought
        return [composer.compose(world, structs.replace(event, source=who, targets=(), details={}, secret=None), part)]

    def interfere(self, world: WorldState, interference: Interference) -> list[str]:
        return [f"*From here on it is another evening. {describe_interference(world.scenario, interference)}.*"]

    def closing(self, run: Run) -> list[str]:
        composer, end = self._begin(run.scenario), run.ending
        if end is None:
            return []
        paragraphs = [f"## {clock(end.minutes)} — {composer.book.text('ending.heading')}"]
        pool, facts = f"ending.{end.kind}", facts_of_ending(run, self._past)
        paragraph = self._general(pool, facts, "ending")
        if not paragraph:
            pool = "ending.ended"
            paragraph = self._general(pool, facts, "ending")
        if paragraph:
            paragraphs.append(paragraph)
            composer.said[:] = [UsedPhrase(event, pool, paragraph, facts) for event in run.events[-1:]]
        return [*paragraphs, *closing_of(run, composer.book)]

    def _read_in(self, event: Event) -> str:
        """The room in which an event is read."""
        here = self._place[1] if self._place is not None else None
        return here if here is not None else event.room

    def _with(self, here: Sequence[str]) -> str:
        """A word on who is there."""
        assert self._composer is not None
        text = self._composer.book.text("link.with" if len(here) > 1 else "link.alone")
        return fill(text, {"company": join_names(here, self._composer.names)}, {})

    def _begin(self, scenario: Scenario) -> Composer:
        if self._composer is None:
            book = self._phrases if self._phrases is not None else phrases_of(scenario)
            self._composer = Composer(scenario, book, self._picker, self._past, self._say)
        return self._composer

    def _general(self, pool: str, facts: Facts, purpose: str) -> str:
        """A phrase about the whole evening; empty if its pool is missing."""
        assert self._composer is not None
        fitting = [phrase for phrase in self._composer.book.pool(pool) if holds(phrase.when, facts)]
        return self._picker.pick(fitting, 0, purpose, pool).parts[0] if fitting else ""

    def _link(self, world: WorldState, event: Event) -> str:
        """The transition to another room; empty where the reader is there already, or has just seen a person go there."""
        if self._place is not None:
            reader, here = self._place
            self._place = None
            return "" if here is None or reader in {None, here} else self._transition(world, event, here)
        if (
            event.destination is not None
            or self._room in {None, event.room}
            or self._moved == (event.source, event.room)
        ):
            return ""
        if event.room in self._told_in:
            texts = {"room": world.scenario.rooms[event.room].name}
            return fill(self._begin(world.scenario).book.text("link.cut"), texts, {})
        return self._transition(world, event, event.room)

    def _transition(self, world: WorldState, event: Event, room: str) -> str:
        """A phrase that takes the reader to a room."""
        book, scenario = self._begin(world.scenario).book, world.scenario
        pool = "link.back" if room == scenario.evening.gathering else "link.away"
        fitting = [phrase for phrase in book.pool(pool) if holds(phrase.when, facts_of_room(world, room, self._past))]
        if self._note:
            fitting = [phrase for phrase in fitting if phrase.parts[0].endswith(".")] or fitting
        chosen = self._picker.pick(fitting, event.tick, event.id, pool)
        return fill(chosen.parts[0], {"room": scenario.rooms[room].name}, {})

    def _follow(self, world: WorldState, event: Event) -> None:
        """Take note of where the reader is now: with those who come back, but not with those who go."""
        if event.destination is None:
            self._room = event.room
            self._told_in.append(event.room)
        elif event.destination == world.scenario.evening.gathering:
            self._room = event.destination
        self._moved = (event.source, event.destination)


def _people_in(world: WorldState, room: str) -> list[str]:
    return [agent.id for agent in world.agents.values() if agent.location == room]
