"""How a transcript writes: the names of people, the time, and sentences joined to a paragraph."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.drama.words.people import Pronouns
    from volition.drama.world.model import Scenario

EVERYBODY: Final = "everybody"
MANY: Final = 4
"""From this many people on, a company is called everybody."""
ENDS: Final = re.compile(r"""(?<=[.!?]) |(?<=[.!?]") """)
"""Where a sentence ends: after its mark, or after the quotation mark that follows it."""


def short_names(scenario: Scenario) -> Mapping[str, str]:
    """What to call people: the word of their name that is their id, else its first word, if that is unique."""
    return _short_names(tuple((id, person.name) for id, person in scenario.people.items()))


@lru_cache(maxsize=64)
def _short_names(people: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    words = Counter(word for _, name in people for word in name.split())
    named: dict[str, str] = {}
    for id, name in people:
        own = name.split()
        short = next((word for word in own if word.lower() == id.lower()), own[0] if own else name)
        taken = short in named.values() or (words[short] > 1 and short.lower() != id.lower())
        named[id] = name if taken or short.endswith(".") else short
    return MappingProxyType(named)


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


_TIME = r"(?:year|month|week|winter|summer|spring|Tuesday|time|March|August|June|night)s?"
_TELLS_TIME = re.compile(rf"\b(?:for|since|in|every|last|all) (?:\w+ ){{0,2}}{_TIME}\b|\b{_TIME} ago\b", re.IGNORECASE)
_ASKS_TIME = re.compile(r"\b(?:How long|Since when)\?")


def is_answered(before: str, after: str) -> bool:
    """Whether a text asks for a time that the text before it has just given.

    >>> is_answered('"Every Tuesday, for a year."', '"How long?" he asks.'), is_answered('"Yes."', '"How long?" he asks.')
    (True, False)
    """
    return _ASKS_TIME.search(after) is not None and _TELLS_TIME.search(before) is not None


def join_sentences(pieces: Sequence[str], everybody: Mapping[str, Pronouns]) -> str:
    """One text. A piece about the only person in the sentence before it begins with a pronoun instead of the name.

    `everybody` are all names with their pronouns. Those that take a plural verb keep the name, because verbs agree with it.

    >>> from volition.drama.words.people import PRONOUNS
    >>> join_sentences(["Ann has stopped smiling.", "Ann needs a moment."], {"Ann": PRONOUNS["she"]})
    'Ann has stopped smiling. She needs a moment.'
    """
    text = ""
    for piece in pieces:
        text += f" {_continue(text, piece, everybody)}" if text else piece
    return text


def only_person(text: str, everybody: Mapping[str, Pronouns]) -> str | None:
    """The one person whom the last sentence of a text names; None if it names several or nobody, or if it is spoken."""
    last = ENDS.split(text)[-1]
    named = {name for name in everybody if re.search(rf"\b{re.escape(name)}\b", last)}
    return named.pop() if len(named) == 1 and '"' not in last else None


def _continue(text: str, piece: str, everybody: Mapping[str, Pronouns]) -> str:
    name = only_person(text, everybody)
    if name is None or (forms := everybody[name]).plural:
        return piece
    if piece.startswith(f"{name} "):
        return forms.they.capitalize() + piece.removeprefix(name)
    before, possessive, after = piece.partition(f"{name}'s ")
    is_first = possessive and '"' not in before and not any(other in before for other in everybody)
    return f"{before}{forms.their} {after}" if is_first and before else piece
