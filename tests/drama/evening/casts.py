"""Scenarios that nobody wrote: any size up to a limit, with rooms that overhear, harm, service, needs and odd rules."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

from tests.drama import worlds
from volition.drama.rules.catalog import EMOTIONS
from volition.drama.world.model import Circumstance, ClockEvent, Condition, EveningSetup, Person, Room, Scenario, Secret
from volition.drama.world.rulebook import DIVISORS, limits
from volition.drama.world.scenario import literal, load_scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.evening.rows import MeasureRows

DINNER, STATION = "dinner-party", "winter-station"
READINGS = tuple((name, by_the_letter) for name in (DINNER, STATION) for by_the_letter in (False, True))
"""Both scenarios that ship, as they are and by the letter."""

_NAMES = (
    "uma", "nat", "zoe", "abe", "ola", "ivy", "ben", "kit", "una", "max", "eve", "jan", "leo", "mia", "tom", "sue", "pia",
)  # fmt: skip
_ROOMS = (
    "hall", "den", "yard", "attic", "nook", "porch", "cellar", "loft",
    "study", "stairs", "pantry", "garden", "vault", "chapel", "stable", "tower",
)  # fmt: skip
_SECRETS = (
    "will", "debt", "alias", "plot", "ring", "heir", "poison", "map",
    "theft", "letter", "pawn", "duel", "forgery", "oath", "bribe", "grave",
)  # fmt: skip
_NEEDS = ("air", "smoke", "rest", "food")


@cache
def shipped(name: str, *, by_the_letter: bool = False) -> Scenario:
    """A scenario that ships, as it is or by the letter."""
    scenario = load_scenario(name)
    return literal(scenario) if by_the_letter else scenario


def with_things() -> Scenario:
    """The dinner, with something that can change hands."""
    dinner = shipped(DINNER)
    return replace(dinner, evening=replace(dinner.evening, things={"keys": "thorne"}))


def invented(seed: int, most_people: int = 8, most_rooms: int = 8) -> Scenario:
    """A random scenario; two of three are of the largest size, under rules that are jittered.

    There are at most as many secrets as rooms.
    """
    chance = Random(seed)
    large = chance.random() < 0.66
    people = _NAMES[:most_people] if large else chance.sample(_NAMES, chance.randint(2, most_people))
    people = tuple(chance.sample(people, len(people)))
    rooms = _ROOMS[: most_rooms if large else chance.randint(1, most_rooms)]
    secrets = tuple(chance.sample(_SECRETS[:most_rooms], most_rooms if large else chance.randint(0, most_rooms)))
    needs = _NEEDS if large else _NEEDS[: chance.randint(0, 4)]
    things = {thing: chance.choice(people) for thing in ("keys", "map") if chance.random() < 0.5}
    return Scenario(
        "invented",
        "An invented evening",
        "",
        _rooms(chance, rooms, len(people)),
        {id: _person(chance, id, people, rooms, secrets) for id in people},
        _implied(chance, {id: _secret(chance, id, people) for id in secrets}),
        _evening(chance, people, rooms, needs, secrets, things),
        _rules(chance),
        frozenset(
            (who, whom, secret)
            for secret in secrets
            for who in people
            for whom in people
            if who != whom and chance.random() < 0.1
        ),
        f"invented {seed}",
    )


def _rooms(chance: Random, ids: tuple[str, ...], people: int) -> dict[str, Room]:
    plain = worlds._rooms(chance, ids)
    first = ids[0]
    return {
        id: replace(
            room,
            adjacent=tuple(dict.fromkeys((*room.adjacent, *(ids if id == first else (first,))))),
            capacity=people if id == first else chance.randint(1, people),
            overhears={other: chance.choice([0.0, 0.3, 1.0]) for other in ids if other != id and chance.random() < 0.4},
        )
        for id, room in plain.items()
    }


def _person(
    chance: Random, id: str, people: tuple[str, ...], rooms: tuple[str, ...], secrets: tuple[str, ...]
) -> Person:
    plain = worlds._person(chance, id, people, rooms, secrets)
    return replace(
        plain,
        flaws=plain.flaws or (worlds._flaw(chance, people),),
        sensitivity=chance.choice([0.5, 1.0, 1.7]),
        resident=chance.random() < 0.3,
        emotions={emotion: chance.choice(worlds.FEELINGS) for emotion in EMOTIONS},
    )


def _secret(chance: Random, id: str, people: tuple[str, ...]) -> Secret:
    plain = worlds._secret(chance, id, people)
    also = tuple(who for who in plain.knowers if who not in plain.holders and chance.random() < 0.4)
    return replace(
        plain,
        holders=(*also, *plain.holders),
        harm={who: chance.choice([0.0, 0.3, 0.9]) for who in people if chance.random() < 0.7},
    )


def _implied(chance: Random, secrets: dict[str, Secret]) -> dict[str, Secret]:
    """The secrets, of which some imply others that come after them: so there are no circles."""
    ids = list(secrets)
    return {
        id: replace(
            secrets[id],
            implies={
                other: chance.choice(["knows", "suspects"]) for other in ids[place + 1 :] if chance.random() < 0.15
            },
        )
        for place, id in enumerate(ids)
    }


def _clock_event(
    chance: Random,
    id: str,
    people: tuple[str, ...],
    rooms: tuple[str, ...],
    secrets: tuple[str, ...],
    things: list[str],
) -> ClockEvent:
    """An event of any sort, under any condition."""
    deeds: list[dict[str, Any]] = [
        {},
        {"depart": tuple(chance.sample(people, 2))},
        {"arrive": (chance.choice(people),)},
    ]
    if secrets:
        deeds.append({"news": chance.choice(secrets)})
    if things:
        deeds.append({"hands": chance.choice(things), "to": chance.choice(people)})
    if chance.random() < 0.2:
        deeds.append({"ends": "too_late"})
    minute = chance.choice([0.0, 3.0, 12.0, 25.0])
    unless = _condition(chance, people, rooms, secrets, things) if chance.random() < 0.4 else None
    when = _condition(chance, people, rooms, secrets, things) if chance.random() < 0.6 else Condition()
    by = chance.choice([None, *people])
    return ClockEvent(
        id, minute, minute + 30.0, when, unless, by, chance.choice([None, *rooms]), **chance.choice(deeds)
    )


def _condition(
    chance: Random, people: tuple[str, ...], rooms: tuple[str, ...], secrets: tuple[str, ...], things: list[str]
) -> Condition:
    parts: list[dict[str, Any]] = [
        {"here": (chance.choice(people),)},
        {"gone": (chance.choice(people),)},
        {"within": {chance.choice(people): chance.choice(rooms)}},
        {"outbursts": 1},
        {"chance": 0.5},
    ]
    if secrets:
        secret = chance.choice(secrets)
        parts += [{"out": (secret,)}, {"known": {secret: (chance.choice(people),)}}]
    if things:
        parts.append({"carries": {chance.choice(things): chance.choice(people)}})
    return Condition(**chance.choice(parts))


def _circumstance(
    chance: Random, id: str, people: tuple[str, ...], rooms: tuple[str, ...], secrets: tuple[str, ...]
) -> Circumstance:
    who, whom = chance.sample(people, 2)
    shapes: list[dict[str, Any]] = [
        {"late": {who: 8.0}},
        {"words": (who, whom)},
        {"rooms": {who: chance.choice(rooms)}},
    ]
    if secrets:
        shapes.append({"suspects": {who: chance.choice(secrets)}})
    return Circumstance(id, chance.choice([0.3, 1.0]), **chance.choice(shapes))


def _evening(
    chance: Random,
    people: tuple[str, ...],
    rooms: tuple[str, ...],
    needs: tuple[str, ...],
    secrets: tuple[str, ...],
    things: dict[str, str],
) -> EveningSetup:
    events = tuple(
        _clock_event(chance, f"event_{number}", people, rooms, secrets, list(things))
        for number in range(chance.randint(0, 4))
    )
    circumstances = tuple(
        _circumstance(chance, f"chance_{number}", people, rooms, secrets) for number in range(chance.randint(0, 3))
    )
    servers = tuple(chance.sample(people, chance.randint(0, 2)))
    return EveningSetup(
        rooms[0],
        chance.choice(rooms),
        chance.choice([None, *rooms]),
        chance.choice([40.0, 90.0]),
        chance.choice([25, 60]),
        chance.choice([0.7, 1.0]),
        servers,
        (0.0, 11.5, 30.0) if servers else (),
        (3.0, 20.0) if servers else (),
        {need: chance.choice(rooms) for need in needs},
        {need: 0.07 for need in needs if chance.random() < 0.5},
        chance.choice([None, *needs]),
        things,
        events,
        circumstances,
    )


def _rules(chance: Random) -> Mapping[str, Mapping[str, Any]]:
    """Rules of a shipped evening, either reading, of which some numbers are a little off and some switches turned."""
    base = shipped(chance.choice([DINNER, STATION]), by_the_letter=chance.random() < 0.3).rules
    rules = {
        section: {rule: _jittered(chance, section, rule, value) for rule, value in table.items()}
        for section, table in base.items()
    }
    rules["departures"]["knowledge"] = chance.choice(["perceived", "omniscient"])
    rules["departures"]["recency_ticks"] = chance.choice([0, 1, 3, 5])
    rules["memory"]["move"] = chance.choice([1, 2, 5])
    rules["physics"]["catastrophe_threshold"] = chance.choice([0.1, 0.35])
    for rule in ("owed", "forgive", "break_with", "needs"):
        if chance.random() < 0.2:
            rules["departures"][rule] = 0.0
    return rules


def _jittered(chance: Random, section: str, rule: str, value: Any) -> Any:
    if section == "effects" or chance.random() < 0.7:
        return value
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        low, high = (1.0, 1000.0) if (section, rule) in DIVISORS else limits(section, rule)
        return min(high, max(low, value * chance.choice([0.5, 0.9, 1.3])))
    return value


def bytes_of(rows: MeasureRows) -> bytes:
    """Measured evenings as bytes; equal rows have equal ones."""
    return b"".join(array.tobytes() for array in (rows.row, rows.broke, rows.tally))
