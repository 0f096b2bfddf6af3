"""Checks over several entries of a scenario: whether doors, rooms and people fit together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.world.model import Person, Room
    from volition.drama.world.table import Table

LEAST_PEOPLE = 2


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


def check_company(people: Mapping[str, Person], rooms: Mapping[str, Room], table: Table) -> None:
    """Note a scenario with too few people, or without rooms."""
    if "people" in table.data and len(people) < LEAST_PEOPLE:
        expected = f"at least {LEAST_PEOPLE} people"
        table.note(f"{len(people) or 'no'} people", "people", expected=expected, remedy="add [people.ID] sections")
    if "rooms" in table.data and not rooms:
        table.note("no rooms", "rooms", expected="at least one room", remedy="add [rooms.ID] sections")
