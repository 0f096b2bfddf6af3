"""How people talk: phrases are written out in full, and most voices shorten them when they speak.

>>> relax("I do not think that I have met him. It is late, is it not?")
"I don't think I've met him. It's late, isn't it?"
>>> relax("What is it? I know who you are, and you know how it is with me.")
'What is it? I know who you are, and you know how it is with me.'
>>> relax("Would you have stopped him? I have tried.")
"Would you have stopped him? I've tried."
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

MEASURED: Final = frozenset({"formal", "grand"})
"""The voices that speak in full forms."""

_SUBJECTS = "I|you|he|she|it|we|they|there|nobody|somebody|everybody|nothing"
_THINKING = "think|thought|know|knew|hope|hoped|wish|suppose|believe|afraid|sure|glad|sorry|say|said|see|feel|felt|tell me|told me|mean"
_DONE = (
    "been|never|always|known|seen|heard|had|told|got|lost|come|done|made|found|said|kept|just|already|forgotten|decided|thought|"
    "stopped|spent|given|taken|waited|counted|read|written|gone|started|become|eaten|tried|asked|missed|learned|built|"
    "brought|sat|stood|felt|held|meant|nearly|met|run|put|begun|not"
)
_OPEN = r"(?<!\bhow )(?<!\bwhat )(?<!\bwho )(?<!\bwhere )(?<!\bwhatever )(?<!\bas )(?<!\bthan )(?<!\bwhich )(?<!\bof )"
"""Not after words that leave the verb the stress: 'I know who you are, and'."""
_ASSERTED = r"(?<!\bwould )(?<!\bcould )(?<!\bshould )(?<!\bmight )(?<!\bwouldn't )(?<!\bcouldn't )(?<!\bshouldn't )"
"""Not in a question, where the verb belongs to another: 'would you have stopped'."""
_ON = r"(?= [A-Za-z'])(?! (?:now|again|one|too|here|there|still|indeed)[.,!?;])"
"""Only where the sentence goes on."""
_BOUND = "\N{NO-BREAK SPACE}"
_STRESSED = re.compile(
    r"\b(how \w+ (?:I|you|he|she|it|we|they)) (am|are|is|was|were|will|shall|would|have)\b", re.IGNORECASE
)
"""'how quiet I am underneath' leaves the verb the stress, however the sentence goes on."""

_RULES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), short)
    for pattern, short in (
        (rf"\b({_THINKING}) that (?=(?:{_SUBJECTS})\b)", r"\1 "),
        (
            r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should) (I|you|he|she|it|we|they) not\b",
            r"\1n't \2",
        ),
        (r"\b(can)not\b", r"\1't"),
        (r"\b(w)(?:ill) not\b", r"\1on't"),
        (r"\b(I|we) shall not\b", r"\1 won't"),
        (r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should|must|need) not\b", r"\1n't"),
        (rf"{_OPEN}\b(I) am\b{_ON}", r"\1'm"),
        (rf"{_OPEN}\b(you|we|they) are\b{_ON}", r"\1're"),
        (rf"{_OPEN}\b(he|she|it|that|there) is\b(?! to\b){_ON}", r"\1's"),
        (rf"\b(what|who|where) is\b(?! (?:it|he|she|that|this|there|in|and|or)\b){_ON}", r"\1's"),
        (rf"{_OPEN}\b(I|we) shall\b{_ON}", r"\1'll"),
        (rf"{_OPEN}\b(I|you|he|she|we|they|it) will\b{_ON}", r"\1'll"),
        (rf"{_OPEN}\b(I|you|he|she|we|they) would\b{_ON}", r"\1'd"),
        (rf"{_OPEN}{_ASSERTED}\b(I|you|we|they) have (?=(?:{_DONE})\b)", r"\1've "),
    )
)


@lru_cache(maxsize=4096)  # lines come back: ten patterns for each took a twentieth of a telling
def relax(text: str) -> str:
    """A line as most people would say it: 'I do not' becomes 'I don't', unless the word is stressed or ends the sentence."""
    text = _STRESSED.sub(rf"\1{_BOUND}\2", text)
    for pattern, short in _RULES:
        text = pattern.sub(short, text)
    return text.replace(_BOUND, " ")
