"""From sentences to a paragraph: a name that has just been told is not told again; and what is wrong with any paragraph."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from volition.drama.words.people import Pronouns

ENDS: Final = re.compile(r"""(?<=[.!?]) |(?<=[.!?]") """)
"""Where a sentence ends: after its mark, or after the quotation mark that follows it."""
_VERBS = "'m|'re|'s|'ll|'d|'ve"
SLIPS: Final = tuple(
    (re.compile(pattern), why)
    for pattern, why in (
        (r'\?" says\b', "a question is said, not asked"),
        (r"\basks [A-Z]\w* to [A-Z]", "something is asked to somebody"),
        (rf"\b[Hh]ow \w+ (?:I|you|he|she|it|we|they)(?:{_VERBS})\b", "a stressed verb is shortened"),
        (r"\b(the|a|an|to|of|and|in|is|was|it|at|about|with|for) \1\b", "a word is there twice"),
        (r"[,;:][.,;:!?]|[?!][.,](?!\w)|(?<!\.)\.\.(?!\.)| [,.;:!?](?!\.)|  ", "punctuation is out of place"),
        (
            r"\b[Tt]here(?:'s| is| was) (?:certain|all those|all these|things|papers|sums) ",
            "a plural with a singular verb",
        ),
    )
)
"""What is wrong wherever it stands, and why."""


def join_sentences(pieces: Sequence[str], everybody: Mapping[str, Pronouns]) -> str:
    """One text. A piece about the only person in the sentence before it begins with a pronoun instead of the name.

    `everybody` are all names with their pronouns. Those that take a plural verb keep the name, because verbs agree with it.

    >>> from volition.drama.words.people import PRONOUNS
    >>> join_sentences(["Ann has stopped smiling.", "Ann needs a moment."], {"Ann": PRONOUNS["she"]})
    'Ann has stopped smiling. She needs a moment.'
    """
    told = ""
    for piece in pieces:
        told += f" {_continue(told, piece, everybody)}" if told else piece
    return told


def only_person(text: str, everybody: Mapping[str, Pronouns]) -> str | None:
    """The one person whom the last sentence of a text names; None if it names several or nobody, or if it is spoken."""
    last = ENDS.split(text)[-1]
    found = {name for name in everybody if re.search(rf"\b{re.escape(name)}\b", last)}
    return found.pop() if len(found) == 1 and '"' not in last else None


def _continue(told: str, piece: str, everybody: Mapping[str, Pronouns]) -> str:
    name = only_person(told, everybody)
    if name is None or (forms := everybody[name]).plural:
        return piece
    if piece.startswith(f"{name} "):
        return forms.they.capitalize() + piece.removeprefix(name)
    before, found, after = piece.partition(f"{name}'s ")
    is_first = found and '"' not in before and not any(other in before for other in everybody)
    return f"{before}{forms.their} {after}" if is_first and before else piece


def slips_in(text: str, everybody: Mapping[str, Pronouns]) -> Iterator[str]:
    """Why a paragraph cannot stand as it is; `everybody` are all names with their pronouns.

    >>> print(*slips_in('"Why?" says Ann.', {}))
    a question is said, not asked ('?" says')
    """
    for pattern, why in SLIPS:
        if found := pattern.search(text):
            yield f"{why} ({found[0]!r})"
    for one, other in pairwise(ENDS.split(text)):
        name = only_person(one, everybody)
        if name and not everybody[name].plural and one.startswith(f"{name} ") and other.startswith(f"{name} "):
            yield f"two sentences running begin with {name!r}"
