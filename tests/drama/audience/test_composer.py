"""From a sentence to its words: what can follow what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.drama.audience.evenings import event
from tests.drama.evening.casts import shipped
from tests.drama.party import AFFAIR, EMBEZZLE
from volition.drama.audience.chronicle import LATELY, Chronicle
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.audience.telling import sentences_of
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFLICT, LIE
from volition.drama.words.phrase import Phrase
from volition.drama.words.phrasebook import Phrasebook, phrasebook

if TYPE_CHECKING:
    from tests.sentences import Told
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
def test_one_voice_is_not_quoted_twice_in_a_row(source: str, told: Told) -> None:
    """Where an outburst ends with words and a truth follows, there is a clause between them: else it reads as a dialogue."""
    world, truth = begin(shipped("dinner-party")), ['"So: {secret}."', "It is out. {secret}."]
    book = _book(catastrophe__flight=['{who} stops. "Out!"'], after__told_own=truth, after__told_other=truth)
    burst = event(CATASTROPHE, source, "thorne", details={"breakdown": "flight", "told": AFFAIR})
    told(*sorted({TemplateNarrator(seed, book).tell(world, burst)[0] for seed in range(12)}))


def test_a_lie_says_what_it_is_about_where_nobody_asked() -> None:
    """A lie in general words is told with its matter, if its hearer was not told to have asked about it."""
    world = begin(shipped("dinner-party"))
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
    world = begin(shipped("dinner-party"))
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


@pytest.mark.req("DE-34")
def test_talk_is_seldom_summed_up() -> None:
    """Talk is told without a word of it at most once in four times, and never twice running."""
    world = begin(shipped("dinner-party"))
    for seed in range(8):
        narrator, summed = TemplateNarrator(seed), []
        for number in range(40):
            told = narrator.tell(world, event(CHAT, "thorne", "victor", id=f"e{number}"))[0]
            summed.append('"' not in told)
        assert all(sum(summed[start : start + 4]) <= 1 for start in range(37))


def test_who_was_attacked_is_named_where_they_are() -> None:
    """A friend who speaks up names whom it was done to, if that person is still there, and nobody otherwise."""
    world = begin(shipped("dinner-party"))
    book = _book(conflict__attack=['{who} to {whom}: "{line}"'], wrong__attack=["Enough.", "Leave {about} alone."])
    pools = {**book.pools, "wrong.attack": tuple(structs.replace(one, needs=one.needs | ({"about"} if "{about}" in one.parts[0] else set())) for one in book.pool("wrong.attack"))}  # fmt: skip
    speaks = event(CONFLICT, "diana", "victor", details={"about": "elena", "wrong": "attack"})

    def said() -> set[str]:
        return {TemplateNarrator(seed, Phrasebook(pools)).tell(world, speaks)[0] for seed in range(20)}

    assert any("Leave Elena alone." in told for told in said())
    world.agents["elena"].location = "balcony"
    assert all("Enough." in told for told in said())


def test_a_talk_is_in_tune_with_what_was_told() -> None:
    """Nobody is sorry for what no reader has seen, and nobody is cold to somebody with whom they have made it up."""
    world = begin(shipped("dinner-party"))
    world.agents["marcus"].emotions["shame"] = 0.9
    world.agents["victor"].grievance["marcus"] = 0.9
    world.agents["thorne"].grievance["diana"] = 0.9
    past = Chronicle()

    def pool(talk: Event) -> str:
        return next(iter(sentences_of(world, talk, lambda _: 0.99, past))).pool

    sorry, cold = event(CHAT, "marcus", "victor"), event(CHAT, "thorne", "diana")
    assert (pool(sorry), pool(cold)) == ("chat.tense", "chat.cold")
    past.add(event(CONFLICT, "victor", "marcus"))
    past.add(event(CHAT, "diana", "thorne", details={"reconciled": True}))
    assert (pool(sorry), pool(cold)) == ("chat.sorry", "chat.plain")


def test_who_was_wronged_hears_the_admission_first() -> None:
    """Where somebody wrings it from who wronged them, having known it, it is their face that is told of first."""
    world = begin(shipped("dinner-party"))
    wrung = event(CONFLICT, "thorne", "marcus", details={"about": AFFAIR, "forced": AFFAIR, "stated": True})
    pools = [sentence.pool for sentence in sentences_of(world, wrung, lambda _: 0.5)]
    assert pools[:2] == ["conflict.forced", "after.faced"]
    pools = [sentence.pool for sentence in sentences_of(world, structs.replace(wrung, source="lydia"), lambda _: 0.5)]
    assert "after.faced" not in pools
