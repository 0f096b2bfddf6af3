"""What a scenario says that cannot be so: events that can never happen, too many people for a room, lines that accuse the wrong person.

Every part has been read before, and names only what there is.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from volition.drama.world.model import Condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from volition.core.errors import Problems
    from volition.drama.words.phrasebook import Phrasebook
    from volition.drama.world.model import ClockEvent, EveningSetup, Person, Room, Scenario, Secret
    from volition.drama.world.table import Table

SPOKEN: Final = ("hinted", "accused", "confessed", "told")
"""The lines of a secret that say whose it is."""
HINTED: Final = "hinted"
_WORD: Final = re.compile(r"[A-Za-z]+")
_PLACEHOLDER: Final = re.compile(r"\{(\w+)")
_STEM: Final = 5
"""Two words are taken for the same if so many letters at their beginning are, or all of a shorter one's."""
_SMALL: Final = frozenset(
    [
        "about",
        "after",
        "again",
        "along",
        "already",
        "always",
        "among",
        "another",
        "because",
        "been",
        "before",
        "being",
        "beside",
        "between",
        "both",
        "does",
        "done",
        "down",
        "each",
        "else",
        "even",
        "ever",
        "every",
        "from",
        "gave",
        "give",
        "given",
        "gone",
        "have",
        "having",
        "here",
        "himself",
        "herself",
        "into",
        "itself",
        "just",
        "keeps",
        "kept",
        "know",
        "known",
        "knows",
        "less",
        "made",
        "make",
        "makes",
        "many",
        "more",
        "most",
        "much",
        "must",
        "never",
        "nobody",
        "nothing",
        "only",
        "other",
        "others",
        "over",
        "people",
        "said",
        "same",
        "says",
        "since",
        "some",
        "somebody",
        "something",
        "still",
        "such",
        "take",
        "taken",
        "takes",
        "than",
        "that",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "thing",
        "things",
        "this",
        "those",
        "time",
        "told",
        "took",
        "under",
        "until",
        "upon",
        "used",
        "very",
        "want",
        "wants",
        "well",
        "went",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "whom",
        "whose",
        "will",
        "with",
        "without",
        "would",
        "year",
        "years",
        "your",
    ]
)
"""Words that say nothing about a secret."""


def check_clock(evening: EveningSetup, people: Mapping[str, Person], rooms: Mapping[str, Room], table: Table) -> None:
    """Note every event of the clock that can never happen, and every circumstance that does not fit into the rooms."""
    served = [number for number, event in enumerate(table.data.get("events", ())) if "serve" in event]
    places = (number for number in range(len(table.data.get("events", ()))) if number not in served)
    for number, event in zip(places, evening.events, strict=True):
        for key, what, remedy in _why_never(event, evening):
            table.note(what, "events", number, key, expected="an event that can happen", remedy=remedy)
        for who in event.depart:
            if people[who].resident and event.when == Condition() and event.unless is None:
                table.note(
                    f"{who!r} lives here, and leaves in every evening",
                    *("events", number, "depart"),
                    expected="people who may leave, or a condition under which a resident does",
                    remedy=f"add a `when`, take {who!r} out, or remove people.{who}.resident",
                )
    _check_places(evening, people, rooms, table)


def _why_never(event: ClockEvent, evening: EveningSetup) -> Iterator[tuple[str, str, str]]:
    """Why an event can never happen: the key at fault, what is wrong, and what to do."""
    if event.unless is not None and event.unless == event.when:
        yield "unless", "it is the same as `when`, so this never happens", "change one of the two"
    if not event.when.chance:
        yield "when", "its chance is 0, so this never happens", "raise the chance, or remove the event"
    for who in sorted({*event.when.here, *event.when.within} & {*event.when.gone}):
        yield "when", f"{who!r} is to be here and gone at once, so this never happens", "leave out one of the two"
    for thing, who in event.when.carries.items():
        is_handed = any(other.hands == thing and other.to == who for other in evening.events if other.id != event.id)
        if evening.things[thing] != who and not is_handed:
            remedy = f'add an event with hands = "{thing}" and to = "{who}", or name who has it'
            yield "when", f"{who!r} never gets {thing!r}, so this never happens", remedy


def _check_places(evening: EveningSetup, people: Mapping[str, Person], rooms: Mapping[str, Room], table: Table) -> None:
    """Note the circumstance with which more people may begin in a room than it has places for."""
    begin: dict[str, set[str]] = {id: {who for who, person in people.items() if person.room == id} for id in rooms}
    for number, circumstance in enumerate(evening.circumstances):
        for room in sorted(set(circumstance.rooms.values()) if circumstance.chance else ()):
            begin[room] |= {who for who, where in circumstance.rooms.items() if where == room}
            if len(begin[room]) > rooms[room].capacity:
                table.note(
                    f"{len(begin[room])} people may begin in {room!r}, which has {rooms[room].capacity} places",
                    *("circumstances", number, "rooms"),
                    expected=f"at most {rooms[room].capacity}, with the circumstances before this one",
                    remedy=f"send somebody elsewhere, or raise rooms.{room}.capacity",
                )


def check_lines(scenario: Scenario, book: Phrasebook, where: str, problems: Problems) -> None:
    """Note every line of a secret that names a person who has nothing to do with it, or hints by saying it; and every line of
    an event with a placeholder that the event does not fill."""
    for secret in scenario.secrets.values():
        strange_names = cache(partial(_strange_names, secret, scenario.people))
        telling = _telling_words(secret, scenario.people)
        for kind in SPOKEN:
            for phrase in book.pool(f"secrets.{secret.id}.{kind}"):
                meant = frozenset(who for clause in phrase.when for who in clause.some if who in scenario.people)
                _check_line(secret, kind, phrase.parts, strange_names(meant), telling, where, problems)
    for event in scenario.evening.events:
        for index, line in enumerate(event.lines):
            for placeholder in sorted(set(_PLACEHOLDER.findall(line)) & _missing_placeholders(event)):
                problems.add(
                    f"{{{placeholder}}} is never filled in: {_UNFILLED[placeholder]}",
                    where=f"evening.events, {event.id}, lines[{index}]",
                    expected="placeholders that this event fills",
                    remedy="leave it out, or write what is meant",
                )


_UNFILLED: Final = {
    "company": "it happens to one person alone",
    "secret": "it brings no news of a secret",
}


def _missing_placeholders(event: ClockEvent) -> set[str]:
    """The placeholders that an event never fills."""
    together = len(event.arrive) > 1 or len(event.depart) > 1 or event.news is not None or event.hands is not None
    return {name for name, filled in (("company", together), ("secret", event.news is not None)) if not filled}


def _check_line(
    secret: Secret,
    kind: str,
    texts: Iterable[str],
    strange_names: frozenset[str],
    telling: frozenset[str],
    where: str,
    problems: Problems,
) -> None:
    place = f"{where}, secrets.{secret.id}.{kind}"
    for text in texts:
        for name in sorted(strange_names & _spoken_words(text)):
            problems.add(
                f"{name!r} has nothing to do with this secret: {_shorten(text)}",
                where=place,
                expected="people who hold it or know it, whom it is about, or whom it harms",
                remedy=f"name somebody else, or write who the person is in secrets.{secret.id}",
            )
        giveaways = _words_given_away(text, telling) if kind == HINTED else ()
        if giveaways:
            problems.add(
                f"this says it ({', '.join(map(repr, giveaways))}): {_shorten(text)}",
                where=place,
                expected="a hint, from which only who knows it understands it",
                remedy="use other words than the description of the secret",
            )


def _strange_names(secret: Secret, people: Mapping[str, Person], meant: frozenset[str]) -> frozenset[str]:
    """The names of people who have nothing to do with a secret, and are not meant by the condition of a line."""
    concerned = {*secret.holders, *secret.knowers, *secret.harm, secret.about, *meant}
    known = {name for who in people if who in concerned for name in _names(people[who])}
    known |= set(_WORD.findall(secret.description))
    return frozenset(name for who in people if who not in concerned for name in _names(people[who])) - known


def _telling_words(secret: Secret, people: Mapping[str, Person]) -> frozenset[str]:
    """The words of a secret's description that matter, in small letters; names do not count."""
    names = {name for person in people.values() for name in _names(person)}
    words = (word for word in _WORD.findall(secret.description) if word not in names and len(word) > 3)
    return frozenset(word.lower() for word in words) - _SMALL


# Remembered, as names are: a scenario is read again for every change of a number, with the same lines and people.
@lru_cache(maxsize=4096)
def _spoken_words(text: str) -> frozenset[str]:
    """The words of a line, without its placeholders."""
    return frozenset(_WORD.findall(_PLACEHOLDER.sub("", text)))


@lru_cache(maxsize=4096)
def _words_given_away(text: str, telling: frozenset[str]) -> tuple[str, ...]:
    """The telling words of a secret that are in a line, if they are half of them or more; words alike begin alike."""
    spoken = {word.lower() for word in _WORD.findall(text)}
    shared = sorted(word for word in telling if any(other.startswith(word[:_STEM]) for other in spoken))
    return tuple(shared) if shared and 2 * len(shared) >= len(telling) else ()


def _names(person: Person) -> tuple[str, ...]:
    """The words by which a person is named."""
    return _capital_words(f"{person.name} {person.familiar}")


@lru_cache(maxsize=256)
def _capital_words(text: str) -> tuple[str, ...]:
    return tuple(word for word in _WORD.findall(text) if word[:1].isupper() and len(word) > 1)


def _shorten(text: Any) -> str:
    return f"{text[:60]}..." if len(text) > 63 else str(text)
