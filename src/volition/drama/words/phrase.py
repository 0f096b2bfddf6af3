"""One phrase: its text with placeholders, when it may be used, and how it is filled in.

`{who}` is a name, `{who.their}` a pronoun, `{who.is|are}` the verb that agrees with it, `{whom.relation}` what one is to
the other. `{Room}` begins with a capital letter; `{line,}` ends with a comma instead of its full stop.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.words.condition import When
    from volition.drama.words.people import Pronouns

PEOPLE: Final = ("who", "whom", "third", "absent", "gone", "about", "liar")
"""The placeholders that are people: who acts, on whom, somebody else in the room, somebody in another room, somebody who
has left, whom a secret is about, who lied."""
FORMS: Final = ("they", "them", "their", "theirs", "themself", "relation")

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)(?:\.([A-Za-z'| ]+))?(,?)\}")
_BRACES = re.compile(r"\{[^{}]*\}|[{}]")


class Phrase(NamedTuple):
    """A phrase of a pool: one part, or a line and its answer. `needs` are its placeholders."""

    parts: tuple[str, ...]
    when: When
    needs: frozenset[str]
    weight: int


class PersonWords(NamedTuple):
    """A person as a placeholder: a name, pronouns, and what they are to who speaks, if they are anything."""

    name: str
    pronouns: Pronouns
    relation: str = ""


def fill(template: str, texts: Mapping[str, str], people: Mapping[str, PersonWords]) -> str:
    """Replace all placeholders.

    >>> from volition.drama.words.people import PRONOUNS
    >>> ann = {"who": PersonWords("Ann", PRONOUNS["she"])}
    >>> fill('"{line,}" says {who}. {who.They} {who.is|are} right.', {"line": "It rains."}, ann)
    '"It rains," says Ann. She is right.'
    """

    def replacement(match: re.Match[str]) -> str:
        name, form, comma = match.groups()
        key = name[:1].lower() + name[1:]
        word = person_word(people[key], form) if key in people else texts[key]
        if comma:
            word = word[:-1] + "," if word.endswith(".") else word
        return word[:1].upper() + word[1:] if name != key else word

    return _PLACEHOLDER.sub(replacement, template)


def person_word(person: PersonWords, form: str | None) -> str:
    """A person's name, or the form of their pronoun or verb."""
    if form is None:
        return person.name
    if "|" in form:
        one, many = form.split("|")
        return many if person.pronouns.plural else one
    key = form.lower()
    word: str = person.relation if key == "relation" else getattr(person.pronouns, key)
    return word[:1].upper() + word[1:] if form != key else word


def placeholders(template: str) -> frozenset[str]:
    """The names of a template's placeholders.

    >>> sorted(placeholders("{Who} to {whom.their} friend: {line,}"))
    ['line', 'who', 'whom']
    """
    return frozenset(name[:1].lower() + name[1:] for name, _, _ in _PLACEHOLDER.findall(template))


def find_malformed(template: str) -> list[str]:
    """What looks like a placeholder and is not one, and the forms that no person has.

    >>> find_malformed("{who} and {who-m} and {who.thy} and {line.their}")
    ['{who-m}', '{who.thy}', '{line.their}']
    """
    found = []
    for text in _BRACES.findall(template):
        match = _PLACEHOLDER.fullmatch(text)
        if match is None:
            found.append(text)
        elif (form := match[2]) is not None:
            is_verb = form.count("|") == 1 and all(form.split("|"))
            if match[1].lower() not in PEOPLE or not (is_verb or form.lower() in FORMS):
                found.append(text)
    return found


def needs_relation(template: str) -> bool:
    """Whether a template calls somebody by a relation."""
    return any(form.lower() == "relation" for _, form, _ in _PLACEHOLDER.findall(template))


def spoken_parts(text: str) -> list[tuple[bool, str]]:
    """A text cut at its quotation marks: whether each piece is spoken, and the piece.

    >>> spoken_parts('He says, "No." And goes.')
    [(False, 'He says, '), (True, 'No.'), (False, ' And goes.')]
    """
    return [(number % 2 == 1, piece) for number, piece in enumerate(text.split('"')) if piece]
