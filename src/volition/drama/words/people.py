"""What a scenario says about its people for the sake of words alone: pronouns, voices and relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping


class Pronouns(Struct, frozen=True):
    """The forms of a person's pronoun; `plural` if its verbs are plural."""

    they: str
    them: str
    their: str
    theirs: str
    themself: str
    plural: bool = False


PRONOUNS: Final[Mapping[str, Pronouns]] = {
    "he": Pronouns("he", "him", "his", "his", "himself"),
    "she": Pronouns("she", "her", "her", "hers", "herself"),
    "they": Pronouns("they", "them", "their", "theirs", "themself", plural=True),
}
FORMS: Final = 5
"""How many forms a custom pronoun has: they, them, their, theirs, themself."""

VOICES: Final = ("blunt", "dry", "earnest", "formal", "grand", "guarded", "nervous", "warm")
"""The voices that the general phrases know; a scenario may add others for its own phrases."""

RELATIONS: Final[Mapping[str, str]] = {
    "spouse": "spouse",
    "lover": "lover",
    "sibling": "sibling",
    "parent": "child",
    "child": "parent",
    "friend": "friend",
    "acquaintance": "acquaintance",
    "stranger": "stranger",
    "rival": "rival",
    "partner": "partner",
    "colleague": "colleague",
    "employer": "employee",
    "employee": "employer",
}
"""What one person is to another, and what the other then is to the first."""

FAMILIAR: Final = frozenset({"spouse", "lover", "sibling", "parent", "child", "friend", "partner"})
"""The relations in which people call each other by their familiar names."""

_NOUNS: Final[Mapping[str, Mapping[str, str]]] = {
    "spouse": {"he": "husband", "she": "wife"},
    "sibling": {"he": "brother", "she": "sister"},
    "parent": {"he": "father", "she": "mother"},
    "child": {"he": "son", "she": "daughter"},
}


def pronouns_of(pronouns: str | tuple[str, ...]) -> Pronouns:
    """The forms of a pronoun that a scenario names, or lists.

    >>> pronouns_of("she").their, pronouns_of(("xe", "xem", "xyr", "xyrs", "xemself")).them
    ('her', 'xem')
    """
    if isinstance(pronouns, str):
        return PRONOUNS[pronouns]
    they, them, their, theirs, themself = pronouns
    return Pronouns(they, them, their, theirs, themself)


def relation_noun(relation: str, pronoun: str) -> str:
    """What to call a person by a relation.

    >>> relation_noun("spouse", "she"), relation_noun("spouse", "they"), relation_noun("rival", "he")
    ('wife', 'spouse', 'rival')
    """
    return _NOUNS.get(relation, {}).get(pronoun, relation)


def relations_between(who: str, whom: str, relations: Mapping[str, Mapping[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """What `whom` is to `who`: as given for one of them, or turned round from the other; the first is the closest.

    >>> given = {"ann": {"bob": ("employer",)}, "bob": {}}
    >>> relations_between("ann", "bob", given), relations_between("bob", "ann", given)
    (('employer',), ('employee',))
    """
    own = relations.get(who, {}).get(whom, ())
    turned = (RELATIONS[relation] for relation in relations.get(whom, {}).get(who, ()))
    return tuple(dict.fromkeys((*own, *turned)))
