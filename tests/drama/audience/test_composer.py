"""From a sentence to its words: what can follow what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.drama.audience.evenings import event
from tests.drama.party import AFFAIR, EMBEZZLE
from volition.drama.audience.chronicle import LATELY, Chronicle
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.audience.telling import sentences_of
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFLICT, LIE
from volition.drama.words.phrase import Phrase
from volition.drama.words.phrasebook import Phrasebook, phrasebook
from volition.drama.world.scenario import scenario

if TYPE_CHECKING:
    from volition.drama.stage.events import Event


def _book(**pools: list[str]) -> Phrasebook:
    """The general phrases, with these instead of some: their placeholders are all that they need."""
    made = {
        name.replace("__", "."): tuple(
            Phrase(
                (text,),
                (),
                frozenset(need for need in ("who", "whom", "line", "secret", "matter") if f"{{{need}" in text),
                1,
            )
            for text in texts
        )
        for name, texts in pools.items()
    }
    return Phrasebook({**phrasebook().pools, **made})


@pytest.mark.parametrize("source", ["elena", "diana"])
def test_one_voice_is_not_quoted_twice_in_a_row(source: str) -> None:
    """Where an outburst ends with words and a truth follows, there is a clause between them: else it reads as a dialogue."""
    world, truth = begin(scenario("dinner-party")), ['"So: {secret}."', "It is out. {secret}."]
    book = _book(catastrophe__flight=['{who} stops. "Out!"'], after__told_own=truth, after__told_other=truth)
    burst = event(CATASTROPHE, source, "thorne", details={"breakdown": "flight", "told": AFFAIR})
    for seed in range(12):
        assert '"Out!" It is out.' in TemplateNarrator(seed, book).tell(world, burst)[0]


def test_a_lie_says_what_it_is_about_where_nobody_asked() -> None:
    """A lie in general words is told with its matter, if its hearer was not told to have asked about it."""
    world = begin(scenario("dinner-party"))
    book = _book(lie__believed=['{who} lies to {whom}. "{line}"', '{whom} thinks of {matter}. "{line}" {who} smiles.'])
    lie = event(LIE, "elena", "victor", secret=EMBEZZLE, details={"believed": True}, minutes=5.0)
    asked = event(CHAT, "victor", "elena", details={"question": EMBEZZLE}, minutes=4.0)
    narrators = [TemplateNarrator(seed, book) for seed in range(12)]
    assert all("thinks of" in narrator.tell(world, lie)[0] for narrator in narrators)
    for narrator in narrators:
        narrator.tell(world, asked)
    assert any("lies to" in narrator.tell(world, lie)[0] for narrator in narrators)


def test_an_answer_needs_its_question() -> None:
    """A lie is an answer if the person lied to asked about it or hinted at it a few minutes ago; to others it is none."""
    world = begin(scenario("dinner-party"))
    lie = event(LIE, "elena", "victor", secret=EMBEZZLE, details={"believed": True}, minutes=5.0)
    asked = event(CHAT, "victor", "elena", details={"question": EMBEZZLE})
    hinted = event(CONFLICT, "victor", "elena", details={"about": EMBEZZLE, "stated": False})

    def is_unasked(lied: Event, *before: Event) -> bool:
        past = Chronicle()
        for one in before:
            past.add(one)
        (sentence,) = sentences_of(world, lied, lambda _: 0.5, past)
        return sentence.unasked

    assert is_unasked(lie)
    assert is_unasked(lie, structs.replace(asked, source="thorne"))
    assert not is_unasked(lie, asked)
    assert not is_unasked(lie, hinted)
    assert is_unasked(structs.replace(lie, minutes=2.0 + LATELY), asked)
