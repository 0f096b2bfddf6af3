"""Phrases: text with placeholders, when it may be used, how it is filled in, and how one of several is picked.

`{who}` is a name, `{who.their}` a pronoun, `{who.is|are}` the verb that agrees with it, `{whom.relation}` what one is to
the other. `{Room}` begins with a capital letter; `{line,}` ends with a comma instead of its full stop.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.chance import stream, uid, uniform, word
from volition.drama.words.condition import holds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from volition.drama.words.condition import Facts, When
    from volition.drama.words.people import Pronouns

PEOPLE: Final = ("who", "whom", "third", "absent", "gone", "about", "liar")
"""The placeholders that are people: who acts, on whom, a third person in the room, a person in another room, a person who
has left, whom a secret is about, who lied."""
FORMS: Final = ("they", "them", "their", "theirs", "themself", "relation")

_VOICE: Final = 2
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)(?:\.([A-Za-z'| ]+))?(,?)\}")
_BRACES = re.compile(r"\{[^{}]*\}|[{}]")


class Phrase(Struct, frozen=True, cache_hash=True):
    """A phrase of a pool: one part, or a line and its answer. `needs` are its placeholders."""

    parts: tuple[str, ...]
    when: When
    needs: frozenset[str]
    weight: int


class PersonWords(Struct, frozen=True):
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
        singular, plural = form.split("|")
        return plural if person.pronouns.plural else singular
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
    malformed = []
    for text in _BRACES.findall(template):
        match = _PLACEHOLDER.fullmatch(text)
        if match is None:
            malformed.append(text)
        elif (form := match[2]) is not None:
            is_verb = form.count("|") == 1 and all(form.split("|"))
            if match[1].lower() not in PEOPLE or not (is_verb or form.lower() in FORMS):
                malformed.append(text)
    return malformed


def needs_relation(template: str) -> bool:
    """Whether a template calls a person by a relation."""
    return any(form.lower() == "relation" for _, form, _ in _PLACEHOLDER.findall(template))


def spoken_parts(text: str) -> list[tuple[bool, str]]:
    """A text cut at its quotation marks: whether each piece is spoken, and the piece.

    >>> spoken_parts('He says, "No." And goes.')
    [(False, 'He says, '), (True, 'No.'), (False, ' And goes.')]
    """
    return [(number % 2 == 1, piece) for number, piece in enumerate(text.split('"')) if piece]


def sums_up(frame: Phrase) -> bool:
    """Whether a frame tells what people talk about, and nothing of what they say."""
    return "subject" in frame.needs and "line" not in frame.needs


def fitting_of(phrases: Iterable[Phrase], facts: Facts, names: set[str]) -> Iterator[Phrase]:
    """Those phrases that hold at a moment and can be filled in with these names."""
    when, is_so = None, False
    for phrase in phrases:
        if phrase.when is not when:  # a block of phrases shares its condition, which is looked at once
            when = phrase.when
            is_so = holds(when, facts)
        if is_so and phrase.needs <= names:
            yield phrase


def nearness(phrase: Phrase) -> int:
    """How near a line is to who speaks: 0 if it names them and the listener, 1 one of them, 2 a voice or relation, 3 none.

    >>> from volition.drama.words.condition import read_when
    >>> [nearness(Phrase((), read_when(when), frozenset(), 1)) for when in ({"who": "a", "whom": "b"}, {"voice": "dry"}, {})]
    [0, 2, 3]
    """
    keys = {clause.key for clause in phrase.when if clause.some}
    named = len(keys & {"who", "whom"})
    return _VOICE - named if named else _VOICE if keys & {"voice", "whom_voice", "relation"} else _VOICE + 1


class Picker:
    """Picks phrases for one transcript.

    A pick depends on the seed, the tick, the event, its purpose, and how often each phrase was used before, so the same
    transcript gets the same phrases. None is used again for the same people while another one that fits is new for them,
    nor while another one has been used less often, nor, if all were used as often, while half of them were used longer ago;
    of those that are left, one with more conditions is more likely, because it says more.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._used: Counter[tuple[str, ...]] = Counter()
        self._used_for: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
        self._picks, self._last = 0, dict[tuple[str, ...], int]()

    def pick(
        self, phrases: Sequence[Phrase], tick: int, event: str, purpose: str, people: tuple[str, ...] = ()
    ) -> Phrase:
        """One of some phrases that fit an event; `people` are those whom it is about."""
        used_for = self._used_for.setdefault(people, set())
        phrases = [phrase for phrase in phrases if phrase.parts not in used_for] or phrases
        times = [self._used.get(phrase.parts, 0) for phrase in phrases]
        least = min(times)
        fresh = [phrase for phrase, used in zip(phrases, times, strict=True) if used == least]
        if least > 0:
            fresh = self._longest_unused(fresh)
        left = self.chance(tick, event, purpose) * sum(phrase.weight for phrase in fresh)
        for phrase in fresh:
            left -= phrase.weight
            if left < 0.0:
                break
        self._used[phrase.parts] += 1
        used_for.add(phrase.parts)
        self._picks += 1
        self._last[phrase.parts] = self._picks
        return phrase

    def _longest_unused(self, phrases: Sequence[Phrase]) -> list[Phrase]:
        """The half of some phrases that were used longest ago, in the order given."""
        times = sorted(self._last[phrase.parts] for phrase in phrases)
        return [phrase for phrase in phrases if self._last[phrase.parts] <= times[(len(times) - 1) // 2]]

    def find_unused(self, phrases: Iterable[Phrase]) -> list[Phrase]:
        """Those phrases that were not picked before, in the order given."""
        return [phrase for phrase in phrases if phrase.parts not in self._used]

    def choose(self, people: Sequence[str], tick: int, event: str, purpose: str) -> str | None:
        """One of some people; None if there are none."""
        if len(people) < 2:  # there is nothing to draw
            return people[0] if people else None
        return people[int(self.chance(tick, event, purpose) * len(people))]

    def chance(self, tick: int, event: str, purpose: str) -> float:
        """A random number in [0, 1) for an event and a purpose."""
        return uniform(word(stream(self._seed, tick, uid(event), uid(purpose)), uid("phrase")))
