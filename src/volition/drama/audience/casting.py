"""How people, rooms and times are named in a transcript."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.drama.world.model import Scenario

EVERYBODY = "everybody"
MANY = 4
"""From this many people on, a company is called everybody."""


def short_names(scenario: Scenario) -> dict[str, str]:
    """What to call people: the word of their name that is their id, else its first word, if that is unique."""
    words = Counter(word for person in scenario.people.values() for word in person.name.split())
    named: dict[str, str] = {}
    for id, person in scenario.people.items():
        own = person.name.split()
        short = next((word for word in own if word.lower() == id.lower()), own[0] if own else person.name)
        taken = short in named.values() or (words[short] > 1 and short.lower() != id.lower())
        named[id] = person.name if taken or short.endswith(".") else short
    return named


def join_names(people: Sequence[str], names: Mapping[str, str]) -> str:
    """The names of people, joined.

    >>> join_names(["a", "b", "c"], {"a": "Ann", "b": "Ben", "c": "Cal"})
    'Ann, Ben and Cal'
    """
    called = [names[person] for person in people]
    return " and ".join([", ".join(called[:-1]), called[-1]] if len(called) > 1 else called)


def company_of(people: Sequence[str], names: Mapping[str, str]) -> str:
    """The names of those who are spoken to, or everybody."""
    return join_names(people, names) if people and len(people) < MANY else EVERYBODY


def capitalize_first(text: str) -> str:
    """A text with its first letter in upper case.

    >>> capitalize_first("the kitchen")
    'The kitchen'
    """
    return text[:1].upper() + text[1:]


def clock(minutes: float) -> str:
    """Minutes since the beginning as hours and minutes.

    >>> clock(83.5)
    '1:23'
    """
    return f"{int(minutes) // 60}:{int(minutes) % 60:02}"
