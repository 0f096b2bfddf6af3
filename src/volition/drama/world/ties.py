"""What people are to each other by default: closeness and bonds that follow from a relation, where a file says nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.drama.words.people import relations_between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.world.model import Person


class Tie(Struct, frozen=True):
    """How close a person wants to be to another, and their bond: trust, affection, obligation."""

    closeness: float
    bond: tuple[float, float, float]


TIES: Final[Mapping[str, Tie]] = {
    "spouse": Tie(0.6, (0.6, 0.5, 0.5)),
    "lover": Tie(0.8, (0.5, 0.8, 0.2)),
    "sibling": Tie(0.4, (0.5, 0.5, 0.4)),
    "parent": Tie(0.3, (0.5, 0.4, 0.5)),
    "child": Tie(0.6, (0.5, 0.7, 0.4)),
    "friend": Tie(0.5, (0.6, 0.5, 0.2)),
    "partner": Tie(0.5, (0.5, 0.4, 0.4)),
    "colleague": Tie(0.2, (0.3, 0.2, 0.1)),
    "employer": Tie(0.2, (0.3, 0.1, 0.5)),
    "employee": Tie(0.2, (0.4, 0.2, 0.2)),
    "acquaintance": Tie(0.1, (0.2, 0.1, 0.0)),
    "stranger": Tie(0.0, (0.0, 0.0, 0.0)),
    "rival": Tie(-0.2, (-0.2, -0.1, 0.0)),
}
"""The tie to a person, by what they are to one."""
USUAL: Final = "acquaintance"
"""What two people are to each other if nobody says."""


def tie_to(who: str, whom: str, people: Mapping[str, Person]) -> Tie:
    """How `who` stands to another by their relation; of several, the first counts."""
    relations = relations_between(who, whom, {id: person.relations for id, person in people.items()})
    return TIES[relations[0] if relations else USUAL]


def fill_ties(people: Mapping[str, Person]) -> dict[str, Person]:
    """The people with closeness and bonds towards everybody else: as given, or else by relation."""
    return {id: _fill_ties_of(person, people) for id, person in people.items()}


def _fill_ties_of(person: Person, people: Mapping[str, Person]) -> Person:
    ties = {other: tie_to(person.id, other, people) for other in people if other != person.id}
    closeness = {other: person.closeness.get(other, tie.closeness) for other, tie in ties.items()}
    bonds = {other: person.bonds.get(other, tie.bond) for other, tie in ties.items()}
    return replace(person, closeness=closeness, bonds=bonds)
