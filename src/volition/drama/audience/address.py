"""Who is named in a line, and how: spoken to, or spoken of; and the titles by which people are addressed."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from volition.drama.words.people import PRONOUNS, Pronouns, pronouns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from volition.drama.words.phrasebook import Phrasebook
    from volition.drama.world.model import Scenario

TITLES: Final[Mapping[str, Pronouns | None]] = {
    "Madame": PRONOUNS["she"],
    "Madam": PRONOUNS["she"],
    "Miss": PRONOUNS["she"],
    "Sir": PRONOUNS["he"],
    "Monsieur": PRONOUNS["he"],
    "Captain": None,
    "Doctor": None,
    "Professor": None,
}
"""Titles that stand for a name, and the pronouns of those who can have them."""
_TITLED: Final = re.compile(rf"\b({'|'.join(TITLES)})\b(?: ([A-Z]\w+))?", re.IGNORECASE)
_ALONE: Final = re.compile(rf"(?:^|[.!?,;:] )({'|'.join(TITLES)})(?=[,.!?;:]|$)", re.IGNORECASE)
"""A title without a name, in address."""
_BEFORE: Final = r"(?:^|[.!?,;:…—] |\b(?:[Dd]ear|[Pp]oor|[Oo]ld|[Oo]h|[Mm]y|Mr|Mrs|Dr|Doctor|Madame|Captain|No|Yes|Well|Now|Please) )"
_AFTER: Final = r"(?=[,.!?;:…—]|$)"


@lru_cache(maxsize=64)
def _pattern(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Finds a name, and finds it where somebody is called by it."""
    return re.compile(rf"\b{re.escape(name)}\b"), re.compile(rf"{_BEFORE}{re.escape(name)}{_AFTER}")


@lru_cache(maxsize=64)
def _address(name: str) -> re.Pattern[str]:
    """Finds where a line is addressed to somebody by a name."""
    return re.compile(rf"(?:^|[.!?] ){re.escape(name)}, (?!and\b|or\b)|, {re.escape(name)}[.,!?]")


@lru_cache(maxsize=2**15)
def _titles_in(text: str) -> tuple[str, ...]:
    """The titles by which a text addresses people. A telling may ask this of every phrase of a book: a tenth of its time."""
    return tuple(map(str.capitalize, _ALONE.findall(text)))


def names_of(scenario: Scenario, id: str) -> frozenset[str]:
    """The names that mean this person and no other."""
    person = scenario.people[id]
    return _own_names(person.name, person.familiar, tuple(each.name for each in scenario.people.values()))


@lru_cache(maxsize=256)
def _own_names(name: str, familiar: str, everybody: tuple[str, ...]) -> frozenset[str]:
    words = Counter(word for each in everybody for word in each.split())
    return frozenset(word for word in name.split() if words[word] == 1) | ({familiar} - {""})


def is_named(text: str, names: AbstractSet[str]) -> bool:
    """Whether a text has one of some names.

    >>> is_named("Ask Maud's brother.", {"Maud"})
    True
    """
    return any(_pattern(name)[0].search(text) for name in names)


def is_spoken_of(text: str, names: AbstractSet[str]) -> bool:
    """Whether a line speaks of a person as of somebody else than the one to whom it is said.

    >>> is_spoken_of("Maud can explain it to you.", {"Maud"}), is_spoken_of("Well, Maud? Explain it.", {"Maud"})
    (True, False)
    """
    return any(len(named.findall(text)) > len(called.findall(text)) for named, called in map(_pattern, names))


def is_addressed(text: str, names: AbstractSet[str]) -> bool:
    """Whether a line is addressed to a person by name.

    >>> is_addressed("You are tired, Maud.", {"Maud"}), is_addressed("Maud, and you, must go.", {"Maud"})
    (True, False)
    """
    return any(_address(name).search(text) for name in names)


class Titles:
    """Who is addressed by which title: those to whom the phrases of a scenario say it, else those with its pronouns."""

    def __init__(self, scenario: Scenario, book: Phrasebook) -> None:
        self._scenario, self._book = scenario, book

    @cached_property
    def _owners(self) -> dict[str, set[str]]:
        """To whom the phrases say each title: found when the first one is used, since most tellings use none."""
        owned: dict[str, set[str]] = {}
        for phrases in self._book.pools.values():
            for phrase in phrases:
                for number, part in enumerate(phrase.parts):
                    for title in _titles_in(part):
                        side = "who" if number else "whom"
                        owners = next((clause.some for clause in phrase.when if clause.key == side), frozenset())
                        owned.setdefault(title, set()).update(owners)
        return owned

    def find_misused(self, text: str, listener: str) -> Iterator[str]:
        """The titles by which a line addresses `listener`, who does not have them."""
        person = self._scenario.people[listener]
        for title in _titles_in(text):
            if owners := self._owners.get(title):
                if listener not in owners:
                    yield title
            elif (forms := TITLES[title]) is not None and pronouns_of(person.pronouns) != forms:
                yield title
        for title, name in _TITLED.findall(text):
            belongs = any(name in other.name.split() for other in self._scenario.people.values())
            if name and belongs and f", {title} {name}" in text and name not in person.name.split():
                yield f"{title} {name}"


def mistakes(scenario: Scenario, titles: Titles, text: str, speaker: str, listener: str | None) -> Iterator[str]:
    """Why `speaker` cannot say a line to `listener`: for the names and titles in it."""
    if is_named(text, names_of(scenario, speaker)):
        yield f"{speaker} speaks of {speaker} as of somebody else"
    if listener is None:
        return
    for id in scenario.people.keys() - {speaker, listener}:
        if is_addressed(text, names_of(scenario, id)):
            yield f"{id} is addressed, and {listener} is listening"
    if is_spoken_of(text, names_of(scenario, listener)):
        yield f"{listener} is spoken to as if they were somebody else"
    for title in titles.find_misused(text, listener):
        yield f"{listener} is addressed as {title}"
