"""Scenarios as data: read from a file, with all its problems at once, and written back exactly.

What a file leaves out is filled in, and everything that has a name is sorted by name: two files with the same content
make equal scenarios with equal hashes, whatever the order of their sections.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from volition.core.canonical import digest
from volition.core.document import read_document
from volition.core.errors import InvalidInput, Problems, format_value, refuse
from volition.drama.rules.catalog import GOALS
from volition.drama.world.clock import circumstances_to_data, events_to_data
from volition.drama.world.model import EveningSetup, Flaw, Person, Room, Scenario, Secret
from volition.drama.world.rulebook import SUFFIX, default_rules, read_rules, scenario_names, shipped_data
from volition.drama.world.sections import read_evening, read_known, read_person, read_room, read_secret
from volition.drama.world.sense import check_clock
from volition.drama.world.table import LONGEST_ID, Known, Table
from volition.drama.world.ties import fill_ties
from volition.drama.world.wording import (
    PHRASES,
    check_phrases,
    read_tags,
    without_empty_words,
    without_events,
    without_words,
)

if TYPE_CHECKING:
    from os import PathLike


__all__ = [
    "LIMIT_BYTES",
    "literal",
    "load_scenario",
    "scenario",
    "scenario_from_data",
    "scenario_names",
    "scenario_to_data",
]

LIMIT_BYTES: Final = 2**20
"""The largest scenario file that is read."""

_ID = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
LEAST_PEOPLE = 2
_PLAIN = frozenset({bool, int, float, str})
_MAY_BE_MISSING = ("things", "events", "circumstances")


def scenario(name: str) -> Scenario:
    """The shipped scenario with this name; `scenario_names()` lists them."""
    return scenario_from_data(shipped_data(name))


def load_scenario(path_or_name: str | PathLike[str]) -> Scenario:
    """The scenario in a .toml or .json file, or the shipped scenario with this name."""
    if isinstance(path_or_name, str) and (path_or_name in scenario_names() or not _is_path(path_or_name)):
        return scenario(path_or_name)
    return scenario_from_data(_with_phrases(read_document(path_or_name, limit_bytes=LIMIT_BYTES), Path(path_or_name)))


def scenario_from_data(data: Any) -> Scenario:
    """Read the data of a scenario file; InvalidInput lists every problem with its path."""
    if not isinstance(data, Mapping):
        refuse(
            f"this is {format_value(data)}",
            where="the scenario",
            expected="a table with the sections scenario, evening, rooms, people and secrets",
            remedy="write each as a [section]",
        )
    problems = Problems()
    read = _read_scenario(Table(data, (), problems), problems)
    if {"people", "rooms", "secrets", "evening"} <= data.keys():
        check_phrases(read, problems)
    problems.raise_if_any(InvalidInput)
    return _with_hash(read)


def scenario_to_data(scenario: Scenario) -> dict[str, Any]:
    """The data of a file with the same content, with nothing left out but missing words, and every rule included."""
    head = {"id": scenario.id, "name": scenario.name, "description": scenario.description}
    data = {
        "scenario": head | {"setting": list(scenario.setting)},
        "evening": _evening_to_data(scenario.evening),
        "rooms": {id: _entry(room) for id, room in scenario.rooms.items()},
        "people": {id: _person_to_data(person) for id, person in scenario.people.items()},
        "secrets": {id: _secret_to_data(secret) for id, secret in scenario.secrets.items()},
        "known": _known_to_data(scenario.known),
        "rules": {section: _to_file_data(dict(rules)) for section, rules in scenario.rules.items()},
        PHRASES: dict(scenario.phrases),
    }
    return without_empty_words(data)


def literal(scenario: Scenario) -> Scenario:
    """The same people, rooms and secrets with the literal rules of the specification, as in rules.toml.

    The specification knows no events of the clock but courses and wine, no circumstances, and no secret that implies another.
    """
    evening = replace(scenario.evening, things={}, events=(), circumstances=())
    secrets = {id: replace(secret, implies={}) for id, secret in scenario.secrets.items()}
    phrases = without_events(scenario.phrases, (event.id for event in scenario.evening.events))
    return _with_hash(replace(scenario, rules=default_rules(), evening=evening, secrets=secrets, phrases=phrases))


def is_scenario_id(id: Any) -> bool:
    """Whether this can be the id of a scenario.

    >>> is_scenario_id("night-train"), is_scenario_id("Night train")
    (True, False)
    """
    return isinstance(id, str) and len(id) <= LONGEST_ID and _ID.fullmatch(id) is not None


def _is_path(text: str) -> bool:
    return Path(text).suffix.lower() in {".toml", ".json"} or len(Path(text).parts) > 1


def _read_scenario(table: Table, problems: Problems) -> Scenario:
    table.keys(("scenario", "evening", "rooms", "people", "secrets"), ("known", "rules", PHRASES))
    head = table.table("scenario").keys(("id", "name"), ("description", "setting"))
    places, cast, matters = table.table("rooms"), table.table("people"), table.table("secrets")
    room_ids = Known("room", places.ids())
    person_ids = Known("person", cast.ids())
    secret_ids = Known("secret", matters.ids())
    before = len(problems)
    rooms = {id: read_room(id, places.table(id), room_ids) for id in room_ids.ids}
    evening = read_evening(table.table("evening"), room_ids, person_ids, secret_ids)
    if len(problems) == before:
        check_doors(rooms, places)
        check_reach(rooms, evening.gathering, places)
    people = {
        id: read_person(id, cast.table(id), room_ids, person_ids, secret_ids, evening.gathering)
        for id in person_ids.ids
    }
    if len(problems) == before:
        check_clock(evening, people, rooms, table.table("evening"))
    check_company(people, rooms, table)
    check_seats(rooms, people, places)
    secrets = {id: read_secret(id, matters.table(id), person_ids, secret_ids) for id in secret_ids.ids}
    check_circles(secrets, matters)
    return Scenario(
        id=_scenario_id(head),
        name=head.text("name"),
        description=head.text("description", prose=True),
        rooms=rooms,
        people=fill_ties(people),
        secrets=secrets,
        evening=evening,
        rules=read_rules(table.table("rules")),
        known=read_known(table.table("known"), person_ids, secrets),
        hash="",
        setting=read_tags(head, "setting"),
        phrases=table.data.get(PHRASES, {}),
    )


def _scenario_id(head: Table) -> str:
    id = head.data.get("id")
    if "id" in head.data and not is_scenario_id(id):
        head.note(
            f"this is {format_value(id)}",
            "id",
            expected=f"lower-case words joined by '-', at most {LONGEST_ID} letters",
            remedy="write it like the name of the file",
        )
    return str(id)


def _with_hash(scenario: Scenario) -> Scenario:
    return replace(scenario, hash=digest(without_words(scenario_to_data(scenario))))


def _with_phrases(data: Any, file: Path) -> Any:
    """The data of a scenario file with the phrases in the file beside it, if there is one."""
    beside = file.with_name(file.stem + SUFFIX)
    if not isinstance(data, Mapping) or not beside.is_file():
        return data
    if PHRASES in data:
        refuse(
            f"{beside.name} has phrases too",
            where=f"{file}, {PHRASES}",
            expected="phrases in one place",
            remedy="move them into one of the two files",
        )
    return {**data, PHRASES: read_document(beside, limit_bytes=LIMIT_BYTES)}


def _secret_to_data(secret: Secret) -> dict[str, Any]:
    return {key: value for key, value in _entry(secret).items() if key != "implies" or value}


def _evening_to_data(evening: EveningSetup) -> dict[str, Any]:
    data = _to_file_data(_fields(evening))
    data["events"] = events_to_data(data.pop("courses"), data.pop("pours"), evening.events)
    data["circumstances"] = circumstances_to_data(evening.circumstances)
    return {key: value for key, value in data.items() if key not in _MAY_BE_MISSING or value}


def _person_to_data(person: Person) -> dict[str, Any]:
    data = _entry(person)
    data["goals"] = dict(zip(GOALS, person.goals, strict=True))
    data["flaws"] = [_flaw_to_data(flaw) for flaw in person.flaws]
    data["commitments"] = [_to_file_data(_fields(commitment)) for commitment in person.commitments]
    data["pacing"] = {key: data.pop(key) for key in ("stress", "composure", "commitment")}
    return data


def _flaw_to_data(flaw: Flaw) -> dict[str, Any]:
    return _to_file_data(_fields(flaw)) | {"trigger": flaw.trigger.name.lower(), "effect": flaw.effect.name.lower()}


def _known_to_data(known: frozenset[tuple[str, str, str]]) -> dict[str, dict[str, list[str]]]:
    data: dict[str, dict[str, list[str]]] = {}
    for secret, who, whom in sorted((secret, who, whom) for who, whom, secret in known):
        data.setdefault(secret, {}).setdefault(who, []).append(whom)
    return data


def _entry(part: Any) -> dict[str, Any]:
    """The fields of a part, without its id, which is its key."""
    data = _to_file_data(_fields(part))
    del data["id"]
    return data


def _fields(part: Any) -> dict[str, Any]:
    return {field.name: getattr(part, field.name) for field in fields(part)}


def _to_file_data(data: dict[str, Any]) -> dict[str, Any]:
    """Data as in a file: lists instead of tuples, and no entries that are None."""
    return {key: value if type(value) in _PLAIN else _value(value) for key, value in data.items() if value is not None}


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return _to_file_data(value)
    return list(value) if isinstance(value, (tuple, list)) else value


def check_doors(rooms: Mapping[str, Room], table: Table) -> None:
    """Note every door that leads one way only."""
    for room in rooms.values():
        for index, other in enumerate(room.adjacent):
            if room.id not in rooms[other].adjacent:
                table.note(
                    f"the door from {room.id!r} to {other!r} leads one way only",
                    *(room.id, "adjacent", index),
                    expected="doors that lead both ways",
                    remedy=f"add {room.id!r} to rooms.{other}.adjacent, or remove {other!r} here",
                )


def check_reach(rooms: Mapping[str, Room], start: str, table: Table) -> None:
    """Note every room that cannot be reached from `start`; a one-way door counts as two-way here."""
    doors: dict[str, set[str]] = {id: set() for id in rooms}
    for room in rooms.values():
        for other in room.adjacent:
            doors[room.id].add(other)
            doors[other].add(room.id)
    reached, todo = {start}, [start]
    while todo:
        fresh = doors[todo.pop()] - reached
        reached |= fresh
        todo.extend(fresh)
    for id in sorted(set(rooms) - reached):
        table.note(
            f"nobody can get from {start!r} to {id!r}",
            *(id, "adjacent"),
            expected="a way by doors",
            remedy="add a door, on both sides",
        )


def check_seats(rooms: Mapping[str, Room], people: Mapping[str, Person], table: Table) -> None:
    """Note every room in which more people start than it has places."""
    for id, count in sorted(Counter(person.room for person in people.values()).items()):
        if id in rooms and count > rooms[id].capacity:
            table.note(
                f"{count} people start in {id!r}, which has {rooms[id].capacity} places",
                *(id, "capacity"),
                expected=f"at least {count}",
                remedy="raise the capacity, or give somebody another room",
            )


def check_circles(secrets: Mapping[str, Secret], table: Table) -> None:
    """Note every secret that implies itself by way of others."""
    for id in secrets:
        reached, todo = set[str](), [id]
        while todo:
            fresh = set(secrets[todo.pop()].implies) & secrets.keys() - reached
            reached |= fresh
            todo.extend(fresh)
        if id in reached:
            table.note(
                f"{id!r} implies itself",
                *(id, "implies"),
                expected="secrets that imply others without a circle",
                remedy="remove the weaker of the two",
            )


def check_company(people: Mapping[str, Person], rooms: Mapping[str, Room], table: Table) -> None:
    """Note a scenario with too few people, or without rooms."""
    if "people" in table.data and len(people) < LEAST_PEOPLE:
        expected = f"at least {LEAST_PEOPLE} people"
        table.note(f"{len(people) or 'no'} people", "people", expected=expected, remedy="add [people.ID] sections")
    if "rooms" in table.data and not rooms:
        table.note("no rooms", "rooms", expected="at least one room", remedy="add [rooms.ID] sections")
