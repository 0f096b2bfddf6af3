"""Conditions: when a phrase may be used, as data.

A condition is a table such as `{ relation = "spouse", served = true, mood = ["angry", "not tipsy"] }`. Every key must
hold. A key holds if one of its words does, and none of those that begin with "not".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

from msgspec import Struct

from volition.core.errors import Problems, did_you_mean, format_value
from volition.drama.rules.catalog import CONTENT
from volition.drama.words.people import PRONOUNS, RELATIONS, VOICES

Facts = Mapping[str, frozenset[str]]
"""What holds at a moment: for every key of a condition the words that are true."""

TRUE: Final = frozenset({"true"})
_NOTHING: Final = frozenset[str]()
MOODS: Final = ("calm", "tense", "tipsy", "angry", "afraid", "ashamed", "hopeful", "suspicious", "fond")
PLACES: Final = ("gathering", "kitchen", "exit", "away", "private", "public")
TAGS: Final = ("table", "washroom", "outdoors", "cold", "window", "telephone", "coats", "bunks", "workplace")
"""The tags of rooms that the general phrases know; a scenario may add others."""
SETTINGS: Final = ("hideout", "home", "town", "remote")
"""The tags of a scenario that the general phrases know, likewise."""

FLAGS: Final = (
    "resident", "whom_resident", "alone", "crowd", "apart", "served", "wine", "again", "busy", "hidden", "aloud", "awaited",
    "cook", "whom_cook", "rowed", "whom_rowed", "heard", "whom_heard", "whom_lied_to", "struck", "whom_struck", "exposed",
    "whom_exposed", "hurt", "whom_hurt", "admitted", "peace",
)  # fmt: skip
WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "relation": tuple(RELATIONS),
    "phase": ("early", "middle", "late"),
    "departed": ("nobody", "one", "several"),
    "past": ("calm", "quarrel", "outburst", "truth", "departure", "reconciliation"),
    "pronoun": (*PRONOUNS, "other"),
    "whom_pronoun": (*PRONOUNS, "other"),
    "mood": MOODS,
    "whom_mood": MOODS,
    "tone": ("warm", "plain", "cold"),
    "content": CONTENT,
    "knows": ("unknown", "suspects", "knows", "holds", "denied"),
    "whom_knows": ("unknown", "suspects", "knows", "holds", "denied"),
    "about": ("who", "whom", "other", "nobody"),
    "wrong": ("harm", "lie", "exposure", "attack"),
    "new_to": ("nobody", "one", "several"),
    "remaining": ("nobody", "one", "two", "several"),
}
"""The keys whose words are the same in every scenario."""
TAGGED: Final[Mapping[str, tuple[str, ...]]] = {
    "voice": VOICES,
    "whom_voice": VOICES,
    "place": (*PLACES, *TAGS),
    "setting": SETTINGS,
}
"""The keys to whose words a scenario may add."""
NAMED: Final[Mapping[str, str]] = {
    "who": "person",
    "whom": "person",
    "present": "person",
    "inside": "person",
    "room": "room",
    "secret": "secret",
    "aware": "secret",
    "whom_aware": "secret",
    "out": "secret",
    "happened": "event",
}
"""The keys whose words are ids of a scenario, and of what."""

Vocabulary = Mapping[str, tuple[str, ...]]
"""The words that each key may have."""


class Clause(NamedTuple):
    """One key of a condition: one of `some` must hold, if there are any, and none of `none`."""

    key: str
    some: frozenset[str]
    none: frozenset[str]


When = tuple[Clause, ...]
"""A condition; the empty one always holds."""


class ScenarioTerms(Struct, frozen=True):
    """What phrases of a scenario may name: its ids, and the tags that it adds."""

    people: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    voices: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    events: tuple[str, ...] = ()


def vocabulary(terms: ScenarioTerms | None = None) -> Vocabulary:
    """The words of every key, without ids unless a scenario gives them."""
    terms = terms or ScenarioTerms()
    ids = {"person": terms.people, "room": terms.rooms, "secret": terms.secrets, "event": terms.events}
    added = {"voice": terms.voices, "whom_voice": terms.voices, "place": terms.tags, "setting": terms.settings}
    return {
        **dict.fromkeys(FLAGS, ("true",)),
        **WORDS,
        **{key: (*words, *added[key]) for key, words in TAGGED.items()},
        **{key: ids[kind] for key, kind in NAMED.items()},
    }


def holds(when: When, facts: Facts) -> bool:
    """Whether a condition holds.

    >>> when = (Clause("mood", frozenset({"angry"}), frozenset({"tipsy"})),)
    >>> holds(when, {"mood": frozenset({"angry", "tense"})}), holds(when, {"mood": frozenset({"angry", "tipsy"})})
    (True, False)
    """
    for key, some, none in when:
        words = facts.get(key, _NOTHING)
        if (some and some.isdisjoint(words)) or not none.isdisjoint(words):
            return False
    return True


def ensures(when: When, needed: When) -> bool:
    """Whether a condition can only hold where another one does, key by key.

    >>> served, both = read_when({"served": True}), read_when({"served": True, "alone": False})
    >>> ensures(both, served), ensures(served, both)
    (True, False)
    """
    clauses = {clause.key: clause for clause in when}
    for key, some, none in needed:
        clause = clauses.get(key)
        if clause is None or (some and not (clause.some and clause.some <= some)):
            return False
        if not (none <= clause.none or (clause.some and clause.some.isdisjoint(none))):
            return False
    return True


def turn(when: When) -> When:
    """The same condition as the listener would write it: whose mood, voice and knowledge is meant changes sides."""
    return tuple(clause._replace(key=_TURNED.get(clause.key, clause.key)) for clause in when)


_PAIRS = [("resident", "whom_resident"), ("voice", "whom_voice"), ("mood", "whom_mood"), ("knows", "whom_knows")]
_PAIRS += [("who", "whom"), ("aware", "whom_aware"), ("cook", "whom_cook"), ("rowed", "whom_rowed")]
_PAIRS += [("pronoun", "whom_pronoun"), ("struck", "whom_struck"), ("exposed", "whom_exposed"), ("hurt", "whom_hurt")]
_TURNED = {**dict(_PAIRS), **{other: one for one, other in _PAIRS}}


def read_when(data: Mapping[str, Any]) -> When:
    """A condition that has been checked."""
    return tuple(_clause(key, data[key]) for key in sorted(data))


def _clause(key: str, value: Any) -> Clause:
    if isinstance(value, bool):
        return Clause(key, TRUE if value else frozenset(), frozenset() if value else TRUE)
    words = [value] if isinstance(value, str) else value
    denied = frozenset(word.removeprefix("not ") for word in words if word.startswith("not "))
    return Clause(key, frozenset(word for word in words if not word.startswith("not ")), denied)


def check_when(data: Any, where: str, words: Vocabulary, problems: Problems) -> bool:
    """Note every problem of a condition; whether there is none."""
    before = len(problems)
    if not isinstance(data, Mapping):
        problems.add(
            f"this is {format_value(data)}",
            where=where,
            expected="a table of conditions",
            remedy="write { key = value, ... }",
        )
        return False
    for key, value in data.items():
        place = f"{where}.{key}"
        if key not in words:
            problems.add(
                f"there is no condition {format_value(key)}",
                where=place,
                expected="one of " + ", ".join(words),
                remedy=did_you_mean(key, words),
            )
        elif key in FLAGS:
            _check_flag(value, place, problems.add)
        else:
            _check_words(key, value, place, words[key], problems)
    return len(problems) == before


def _check_flag(value: Any, where: str, add: Callable[..., None]) -> None:
    if not isinstance(value, bool):
        add(f"this is {format_value(value)}", where=where, expected="true or false", remedy="write it without quotes")


def _check_words(key: str, value: Any, where: str, known: Collection[str], problems: Problems) -> None:
    entries: Iterable[Any] = value if isinstance(value, list) else [value]
    if value == []:
        problems.add("this list is empty", where=where, expected="at least one word", remedy="remove the key")
    for entry in entries:
        if not isinstance(entry, str) or entry.removeprefix("not ") not in known:
            kind = NAMED.get(key)
            expected = f"a {kind} of the scenario" if kind else "one of " + ", ".join(known)
            remedy = "only the phrases of a scenario can name it" if kind and not known else did_you_mean(entry, known)
            problems.add(f"{key} cannot be {format_value(entry)}", where=where, expected=expected, remedy=remedy)
