"""The words of a scenario: what phrases may name, its own phrases, and its data without any words.

Words change nothing that happens, so the hash of a scenario leaves them out: an evening is the same whatever is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from orjson import loads

from volition.core.canonical import canonical
from volition.core.errors import InvalidInput, Problems, format_value
from volition.drama.words.condition import ScenarioTerms
from volition.drama.words.people import FORMS, PRONOUNS, RELATIONS
from volition.drama.words.phrasebook import Phrasebook, phrasebook, stack_layer
from volition.drama.world.sense import check_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.core.errors import Problem
    from volition.drama.world.model import Scenario
    from volition.drama.world.table import Known, Table

PHRASES: Final = "phrases"
WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "people": ("pronouns", "familiar", "voice", "relations", "mind"),
    "rooms": ("tags",),
}
"""The keys of each person and room that are only words, and minds from outside: the laws read none of them."""
SETTING: Final = "setting"
LINES: Final = "lines"
"""What an event of the clock is told with."""


def without_words(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a scenario without its words: what is played."""
    played = {section: entries for section, entries in data.items() if section != PHRASES}
    played["scenario"] = {key: value for key, value in data["scenario"].items() if key != SETTING}
    for section, words in WORDS.items():
        played[section] = {
            id: {key: value for key, value in entry.items() if key not in words} for id, entry in data[section].items()
        }
    if "events" in data["evening"]:
        events = [{key: value for key, value in event.items() if key != LINES} for event in data["evening"]["events"]]
        played["evening"] = {**data["evening"], "events": events}
    return played


def without_empty_words(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a scenario, where words that say nothing are left out."""
    entries: list[tuple[dict[str, Any], tuple[str, ...]]] = [(data["scenario"], (SETTING,)), (data, (PHRASES,))]
    entries += [(entry, words) for section, words in WORDS.items() for entry in data[section].values()]
    for entry, words in entries:
        for key in words:
            if entry.get(key) in ([], {}, "they", ""):
                entry.pop(key, None)
    return data


def terms_of(scenario: Scenario) -> ScenarioTerms:
    """What the phrases of a scenario may name."""
    return ScenarioTerms(
        people=tuple(scenario.people),
        rooms=tuple(scenario.rooms),
        secrets=tuple(scenario.secrets),
        voices=tuple(sorted({tag for person in scenario.people.values() for tag in person.voice})),
        tags=tuple(sorted({tag for room in scenario.rooms.values() for tag in room.tags})),
        settings=scenario.setting,
        needs=tuple(scenario.evening.needs),
        events=tuple(event.id for event in scenario.evening.events),
    )


def phrases_of(scenario: Scenario) -> Phrasebook:
    """The general phrases with those of a scenario on top; InvalidInput lists every problem with its place."""
    book, faults, _ = _read_own_phrases(scenario)
    if faults:
        raise InvalidInput(*faults)
    return book


def own_phrases(scenario: Scenario) -> Mapping[str, Any]:
    """The phrases of a scenario, with the lines of its events among them, beside those of the pool `clock.ID`."""
    lines = {event.id: list(event.lines) for event in scenario.evening.events if event.lines}
    if not lines or not isinstance(scenario.phrases, Mapping):
        return scenario.phrases
    clock = scenario.phrases.get("clock", {})
    return {**scenario.phrases, "clock": {**clock, **{id: [*own, *clock.get(id, ())] for id, own in lines.items()}}}


def without_phrases(scenario: Scenario) -> Scenario:
    """The same scenario without its phrases and the lines of its events, which only transcripts are made of."""
    events = tuple(replace(event, lines=()) for event in scenario.evening.events)
    return replace(scenario, phrases={}, evening=replace(scenario.evening, events=events))


def without_events(phrases: Mapping[str, Any], events: Iterable[str]) -> dict[str, Any]:
    """The phrases of a scenario whose clock has lost some events: nothing tells of them, and they never have happened.

    >>> said = [{"when": {"happened": "storm"}, "say": ["It came."]}, {"when": {"happened": "not storm"}, "say": ["Calm."]}]
    >>> without_events({"talk": {"group": said}, "clock": {"storm": ["Wind."]}}, ["storm"])
    {'talk': {'group': [{'when': {}, 'say': ['Calm.']}]}}
    """
    lost = frozenset(events)
    clock = {id: lines for id, lines in phrases.get("clock", {}).items() if id not in lost}
    kept: dict[str, Any] = _without_happenings({**phrases, "clock": clock})
    return kept


def _without_happenings(value: Any) -> Any:
    """Tables of phrases without those that wait for an event; tables in which nothing is left go too."""
    if isinstance(value, Mapping):
        kept = {key: _without_happenings(inner) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner not in ({}, [])}
    if not isinstance(value, list):
        return value
    entries = []
    for entry in value:
        when = dict(entry.get("when", {})) if isinstance(entry, Mapping) else {}
        awaited = when.pop("happened", [])
        words = [awaited] if isinstance(awaited, str) else awaited
        if all(word.startswith("not ") for word in words):
            entries.append({**entry, "when": when} if words else entry)
    return entries


def check_phrases(scenario: Scenario, problems: Problems) -> None:
    """Note every problem of a scenario's phrases."""
    if not isinstance(scenario.phrases, Mapping):
        problems.add(
            f"this is {format_value(scenario.phrases)}",
            where=PHRASES,
            expected="a table of groups of pools",
            remedy="write each pool under [phrases.group]",
        )
    elif own_phrases(scenario):
        book, faults, unwritable = _read_own_phrases(scenario)
        for problem in faults or unwritable:
            problems.include(InvalidInput(problem))
        check_lines(scenario, book, PHRASES, problems)


def _read_own_phrases(scenario: Scenario) -> tuple[Phrasebook, tuple[Problem, ...], tuple[Problem, ...]]:
    """The general phrases with a scenario's own on top, the problems of these, and why no file could hold them."""
    phrases, terms = own_phrases(scenario), terms_of(scenario)
    if not phrases:
        return phrasebook(), (), ()
    try:
        data = canonical(phrases)
    except InvalidInput as refused:
        return *_read_phrases(phrases, terms), refused.problems
    return *_remember_phrases(data, terms), ()


@lru_cache(maxsize=16)
def _remember_phrases(data: bytes, terms: ScenarioTerms) -> tuple[Phrasebook, tuple[Problem, ...]]:
    """What was read from such phrases: it takes 25 ms, and every narrator, guest and change of a number needs it."""
    return _read_phrases(loads(data), terms)


def _read_phrases(phrases: Any, terms: ScenarioTerms) -> tuple[Phrasebook, tuple[Problem, ...]]:
    book = stack_layer(phrasebook(), phrases, terms, PHRASES, problems := Problems())
    return book, tuple(problems)


def read_pronouns(table: Table) -> str | tuple[str, ...]:
    """`pronouns`: one that is known, or the five forms of another."""
    pronouns = table.data.get("pronouns", "they")
    if isinstance(pronouns, str) and pronouns in PRONOUNS:
        return pronouns
    if isinstance(pronouns, list | tuple) and len(pronouns) == FORMS and all(_is_word(form) for form in pronouns):
        return tuple(pronouns)
    table.note(
        f"this is {format_value(pronouns)}",
        "pronouns",
        expected=", ".join(map(repr, PRONOUNS)) + " or a list of five forms",
        remedy='write "she", or ["xe", "xem", "xyr", "xyrs", "xemself"]',
    )
    return "they"


def read_tags(table: Table, key: str) -> tuple[str, ...]:
    """A list of tags: lower-case words, each once."""
    tags: list[str] = []
    for index, tag in table.items(key):
        if not _is_word(tag) or tag in tags:
            what = f"{tag!r} is duplicated" if tag in tags else f"this is {format_value(tag)}"
            table.note(what, key, index, expected="lower-case words, each once", remedy='write it like "dry"')
        else:
            tags.append(tag)
    return tuple(tags)


def read_relations(table: Table, others: Known) -> dict[str, tuple[str, ...]]:
    """`relations`: what others are to this person, one word each or several."""
    inner = table.table("relations")
    relations: dict[str, tuple[str, ...]] = {}
    for other in inner.known_keys(others):
        relation = inner.data[other]
        words = relation if isinstance(relation, list | tuple) else [relation]
        unknown = [word for word in words if not isinstance(word, str) or word not in RELATIONS]
        if unknown or not words:
            what = f"this is {format_value(unknown[0] if unknown else relation)}"
            inner.note(what, other, expected="one of " + ", ".join(RELATIONS), remedy="use the closest one")
        else:
            relations[other] = tuple(words)
    return relations


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value.isalpha() and value == value.lower()
