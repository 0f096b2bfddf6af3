"""Slips of the pen: what is wrong with a paragraph whatever happened, found in the text alone."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from volition.drama.audience.joining import ENDS, only_person

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from volition.drama.words.people import Pronouns

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
