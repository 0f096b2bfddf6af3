"""The end of a transcript: who left because of whom."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.drama.audience.evenings import evening, event, made_evening
from tests.drama.evening.casts import shipped
from tests.drama.party import AFFAIR, EMBEZZLE
from volition.drama.audience.closing import reasons_to_leave, settlements
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.audience.prose import short_names
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFLICT, PHYSICAL, REVEAL, SOCIAL_MOVE
from volition.drama.world.wording import phrases_of

if TYPE_CHECKING:
    from volition.drama.stage.events import Event

SCENARIOS = ("dinner-party", "winter-station", "night-tide", "newsroom")
LEAVE = event(PHYSICAL, "elena", manner="leave", causes=("e0",))


def _reason(cause: Event) -> str | None:
    """Because of whom Elena leaves, after this and a move to the door."""
    way = event(SOCIAL_MOVE, "elena", destination="foyer", causes=("e0",))
    left = structs.replace(LEAVE, room="foyer", causes=("e1",))
    straight, around = made_evening(cause, LEAVE), made_evening(cause, way, left)
    reasons = [reasons_to_leave(run).get("elena") for run in (straight, around)]
    assert reasons[0] == reasons[1]
    return None if reasons[0] is None else reasons[0][1]


def test_people_leave_because_of_what_was_done_to_them() -> None:
    """An attack, one's own secret told and a wrong admitted drive somebody out; what was not done to them does not."""
    assert _reason(event(CONFLICT, "thorne", "elena")) == "thorne"
    assert _reason(event(REVEAL, "diana", "elena thorne", secret=AFFAIR)) == "diana"
    assert _reason(event(CATASTROPHE, "diana", "elena thorne", details={"told": AFFAIR})) == "diana"
    assert _reason(event(CONFLICT, "elena", "thorne")) is None
    assert _reason(event(CONFLICT, "thorne", "marcus", witnesses=("elena",))) is None
    assert _reason(event(CATASTROPHE, "victor", "elena thorne")) is None
    assert _reason(event(REVEAL, "lydia", "elena", secret=EMBEZZLE)) is None
    assert _reason(event(CHAT, "thorne", "elena")) is None


def test_the_last_word_between_two_is_told() -> None:
    """Peace cancels a break, and is told of both; a break after it cancels the peace."""
    broke, book = event(PHYSICAL, "elena", "diana", manner="break_with"), phrases_of(shipped("dinner-party"))
    peace = event(CHAT, "diana", "elena", details={"reconciled": True})
    names = short_names(shipped("dinner-party"))
    for told, words in (
        ((broke, peace), "Diana and Elena have made it up."),
        ((peace, broke), "Elena has broken with Diana."),
        ((broke, peace, broke), "Elena has broken with Diana."),
    ):
        assert list(settlements(made_evening(*told), book, names)) == [words]


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("seed", range(1, 7))
def test_every_reason_is_in_the_record(name: str, seed: int) -> None:
    """Whoever is said to have driven somebody out did something to them, or showed them the door."""
    run = evening(name, seed)
    for who, (_, whom) in reasons_to_leave(run).items():
        assert any(one.source == whom and who in one.targets and one.is_dramatic for one in run.events)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_ending_has_words(name: str) -> None:
    """However an evening ends, by the clock too, there is a paragraph on it between the heading and the lists."""
    run, book = evening(name, 1), phrases_of(shipped(name))
    assert run.ending is not None
    for kind in (run.ending.kind, *(one.ends for one in run.scenario.evening.events if one.ends is not None)):
        told = TemplateNarrator(1).closing(replace(run, ending=structs.replace(run.ending, kind=kind)))
        pool = book.pool(f"ending.{kind}") or book.pool("ending.ended")
        assert told[1] in {phrase.parts[0] for phrase in pool}
