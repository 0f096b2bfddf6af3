"""A game as its page shows it: what the guest sees, hears, knows and may do, in words. Nothing else is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from volition.drama.audience.floor_plan import FloorPlan, Point, draw_plan
from volition.drama.audience.introduction import CastMember, Knowledge, describe_scene, introduce, knowledge_of
from volition.drama.audience.offers import ForbiddenAct, OfferGroup, forbidden_acts, menu_of, shortlist
from volition.drama.audience.prose import short_names
from volition.drama.audience.timeline import EndingShape, SpokenLine, ending_shape
from volition.drama.minds.situation import describe_feeling, describe_owed
from volition.drama.rules.catalog import DRAMATIC, EventType

if TYPE_CHECKING:
    from volition.drama.mind.custom import OfferedActs
    from volition.drama.playing.game import GuestGame
    from volition.drama.playing.guest import GuestTick
    from volition.drama.stage.events import TickRecord
    from volition.drama.world.model import Scenario

EARLIER: Final = 60
"""How many ticks before the last choice are told again."""


class GamePerson(Struct, frozen=True):
    """Somebody in the evening, as the guest knows them; `number` is that of the pages of a run."""

    id: str
    """The id of the person."""
    number: int
    """The number by which pages choose colours, from 0 on."""
    name: str
    """The full name."""
    short: str
    """The name that fits a small place."""
    role: str
    """What everybody knows of them."""
    relation: str
    """What they are to the guest; empty for the guest, and for who is nothing to them."""
    feeling: str
    """How the guest stands to them; empty for the guest, and once the evening is over."""


class GamePlace(Struct, frozen=True):
    """Where somebody is whom the guest sees."""

    room: str
    """The room."""
    at: Point
    """Where to draw them."""


class SeenEvent(Struct, frozen=True):
    """Something that the guest saw, heard or learned."""

    who: str
    """Who did it."""
    kind: str
    """The type of event."""
    dramatic: bool
    """Whether it counts as dramatic."""
    sentence: str
    """What was done; empty for what the guest only learned of."""
    said: list[SpokenLine]
    """The words that the guest heard."""
    learned: tuple[str, ...]
    """What the guest now knows, suspects or believes."""


class GameTick(Struct, frozen=True):
    """What the guest lived through in a tick."""

    tick: int
    """The tick."""
    minutes: float
    """When it began, in minutes."""
    events: list[SeenEvent]
    """What the guest saw and heard."""
    outcome: str
    """What became of the guest's choice, where no event tells it."""
    taken: list[str]
    """What others took from the guest's act, as far as it shows."""


class GameChoice(Struct, frozen=True):
    """One thing that the guest may do."""

    id: str
    """Its id, for an answer."""
    words: str
    """The whole of it, in words."""


class GameGroup(Struct, frozen=True):
    """Choices that are alike."""

    what: str
    """What they have in common."""
    about: str
    """What they are about, if they are about something."""
    choices: list[GameChoice]
    """Each of them."""


class GameQuestion(Struct, frozen=True):
    """What the guest is asked: where they are, what they know, and what they may do."""

    tick: int
    """The tick whose question this is; an answer names it."""
    minutes: float
    """When it begins, in minutes."""
    scene: str
    """Where the guest is, and with whom."""
    room: str
    """The room."""
    places: dict[str, GamePlace]
    """Where everybody is whom the guest sees, the guest too."""
    feeling: str
    """How the guest is, in a sentence."""
    stress: float
    """How stressed the guest is, 0 to 1."""
    composure: float
    """How composed the guest is, 0 to 1."""
    knows: list[Knowledge]
    """What the guest knows and suspects."""
    owed: list[str]
    """What the guest has not answered yet, and whom they owe something."""
    best: list[GameChoice]
    """The best choice of each of the best kinds, by the guest's own mind, at most eight."""
    groups: list[GameGroup]
    """Everything that the guest may do."""
    forbidden: tuple[ForbiddenAct, ...]
    """What comes to the guest's mind and may not be done now."""


class GameShape(Struct, frozen=True):
    """A game: who is played, what happened since the last choice, and what is asked now."""

    id: str
    """The id of the game, which is that of its run."""
    scenario: str
    """The name of the scenario."""
    seed: int
    """The seed."""
    guest: str
    """The id of the guest who is played."""
    you: str
    """Who that is."""
    wants: tuple[str, ...]
    """What the guest wants; empty once the evening is over."""
    how: tuple[str, ...]
    """How to play; empty once the evening is over."""
    people: list[GamePerson]
    """Everybody in the evening."""
    plan: FloorPlan
    """The floor plan, without what only readers of the scenario know."""
    happened: list[GameTick]
    """What happened since the guest's last choice."""
    earlier: list[GameTick]
    """What happened before, the last ticks only."""
    question: GameQuestion | None
    """What is asked now; null once the evening is over."""
    ending: EndingShape | None
    """How the evening ended; null while it goes on."""


def game_shape(id: str, game: GuestGame) -> GameShape:
    """Everything that the guest of a game knows."""
    scenario, offer = game.evening.scenario, game.offer
    plan = draw_plan(scenario)
    page = None if offer is None else introduce(scenario, offer)
    cast = {} if page is None else {member.id: member for member in page.cast}
    since = len(game.since_choice)
    ticks = [_tick(lived, record) for lived, record in zip(game.lived, game.evening.run.ticks, strict=True)]
    before = len(ticks) - since
    return GameShape(
        id=id,
        scenario=scenario.name,
        seed=game.evening.seed,
        guest=game.guest,
        you=f"You are {scenario.people[game.guest].name}." if page is None else page.you,
        wants=() if page is None else page.wants,
        how=() if page is None else page.how,
        people=_people(scenario, cast),
        plan=replace(plan, rooms=[replace(room, description="") for room in plan.rooms]),
        happened=ticks[before:],
        earlier=[tick for tick in ticks[:before] if _tells(tick)][-EARLIER:],
        question=None if offer is None else _question(scenario, offer, plan),
        ending=ending_shape(game.evening.ending),
    )


def _people(scenario: Scenario, cast: dict[str, CastMember]) -> list[GamePerson]:
    names = short_names(scenario)
    people = []
    for number, person in enumerate(scenario.people.values()):
        member = cast.get(person.id)
        relation, feeling = ("", "") if member is None else (member.relation, member.feeling)
        role = person.role.split(";")[0].strip()
        people.append(GamePerson(person.id, number, person.name, names[person.id], role, relation, feeling))
    return people


def _question(scenario: Scenario, offer: OfferedActs, plan: FloorPlan) -> GameQuestion:
    menu, seen = menu_of(scenario, offer), offer.perceived
    here = next(room for room in plan.rooms if room.id == seen.room)
    numbers = {who: number for number, who in enumerate(scenario.people)}
    return GameQuestion(
        tick=offer.tick,
        minutes=offer.minutes,
        scene=describe_scene(scenario, offer),
        room=seen.room,
        places={who: GamePlace(seen.room, here.places[numbers[who]]) for who in (offer.who, *seen.visible_agents)},
        feeling=describe_feeling(offer),
        stress=offer.me.pacing.stress,
        composure=offer.me.pacing.composure,
        knows=list(knowledge_of(scenario, offer)),
        owed=list(describe_owed(scenario, offer)),
        best=[GameChoice(choice.id, choice.words) for choice in shortlist(scenario, offer)],
        groups=[_group(group) for group in menu.groups],
        forbidden=forbidden_acts(scenario, offer),
    )


def _group(group: OfferGroup) -> GameGroup:
    return GameGroup(group.what, group.about, [GameChoice(choice.id, choice.words) for choice in group.choices])


def _tick(lived: GuestTick, record: TickRecord) -> GameTick:
    events = [
        SeenEvent(
            who=heard.who,
            kind=heard.kind,
            dramatic=EventType[heard.kind] in DRAMATIC,
            sentence=heard.sentence,
            said=[SpokenLine(quote.speaker, quote.text) for quote in heard.quotes],
            learned=heard.learned,
        )
        for heard in lived.heard
    ]
    return GameTick(lived.tick, record.minutes, events, lived.outcome, [reaction.words for reaction in lived.taken])


def _tells(tick: GameTick) -> bool:
    return bool(tick.events or tick.outcome or tick.taken)
