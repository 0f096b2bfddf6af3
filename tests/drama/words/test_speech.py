from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.drama.words.phrasebook import phrasebook
from volition.drama.words.pools import POOLS
from volition.drama.words.speech import relax

LINES = [
    part
    for name, pool in POOLS.items()
    if pool.kind in {"line", "exchange"}
    for phrase in phrasebook().pool(name)
    for part in phrase.parts
]


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("I do not know. I am tired, and it is late.", "I don't know. I'm tired, and it's late."),
        ("You would tell me, would you not?", "You'd tell me, wouldn't you?"),
        ("I think that you have seen it. We shall not speak of it.", "I think you've seen it. We won't speak of it."),
        ("What is the matter? That is all.", "What's the matter? That's all."),
    ],
)
def test_most_people_shorten_what_they_say(full: str, short: str) -> None:
    """What is written out in full is said as people say it."""
    assert relax(full) == short


@pytest.mark.parametrize(
    "line",
    [
        "Yes, I am. So it is. I would.",
        "I know who you are, and how it is with me.",
        "What is it? Who is he? I am now.",
        "As cold as I am, and older than you are, I think.",
        "I have a list. I know that one.",
        "I hear how quiet I am underneath, and how bad you are at this.",
    ],
)
def test_stressed_words_are_not_shortened(line: str) -> None:
    """A verb that ends its clause, that is asked about, or that is not an auxiliary keeps its form."""
    assert relax(line) == line


@given(st.sampled_from(LINES))
def test_only_small_words_change(line: str) -> None:
    """Shortening twice is shortening once, and names, placeholders, numbers and the end of a line stay as they are."""
    short = relax(line)
    assert relax(short) == short
    assert re.findall(r"\{[^}]*\}|\d+", short) == re.findall(r"\{[^}]*\}|\d+", line)
    assert short[-1] == line[-1]
    assert [word for word in line.split() if len(word) > 8 and word in short.split()] == [
        word for word in line.split() if len(word) > 8
    ]
