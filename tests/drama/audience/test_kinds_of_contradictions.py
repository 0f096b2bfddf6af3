"""Every kind of words that readers stumbled over: planted once where it is wrong, and once where it is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.audience.evenings import belief, event
from tests.drama.evening.casts import shipped
from tests.drama.party import AFFAIR, EMBEZZLE
from volition.drama.audience.chronicle import Chronicle
from volition.drama.audience.composer import UsedPhrase
from volition.drama.audience.contradictions import reasons_against
from volition.drama.audience.moment import facts_of
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFIDE, CONFLICT, PHYSICAL, REVEAL, Belief

if TYPE_CHECKING:
    from volition.drama.stage.events import Event

LEARNS = (belief("thorne", AFFAIR, Belief.UNKNOWN, Belief.BELIEVES_TRUE),)
BOTH = (*LEARNS, belief("lydia", AFFAIR, Belief.UNKNOWN, Belief.BELIEVES_TRUE))
ADMITS = {"about": AFFAIR, "forced": AFFAIR, "stated": True}
SERVES, BALCONY = event(PHYSICAL, "elena", manner="serve"), event(PHYSICAL, "elena", room="balcony", manner="serve")
TOLD = event(REVEAL, "diana", "thorne", secret=AFFAIR, deltas=LEARNS, witnesses=("elena", "victor"))
ACCUSES = event(CONFLICT, "thorne", "marcus", details=ADMITS)
SHOUTS = event(CATASTROPHE, "marcus", "thorne lydia", details={"told": AFFAIR}, deltas=LEARNS)
SHOUTS_TO_ALL = event(CATASTROPHE, "marcus", "thorne lydia", details={"told": AFFAIR}, deltas=BOTH)
TALK = event(CHAT, "thorne", "victor")
ROW = event(CONFLICT, "thorne", "victor")
GOES, GOES_ALONE = event(PHYSICAL, "elena", manner="leave"), event(PHYSICAL, "elena", room="foyer", manner="leave")


def _found(happened: Event, pool: str, text: str, before: tuple[Event, ...], speaker: bool, secret: str | None) -> str:
    """Why a text contradicts an event that follows others, where its people are in its room and the rest at the table."""
    world, past = begin(shipped("dinner-party")), Chronicle()
    for one in before:
        past.add(one)
    for agent in world.agents.values():
        agent.location = happened.room if agent.id in happened.participants else "dining_table"
    listener = happened.targets[0] if happened.targets else None
    about = None if secret is None else world.scenario.secrets[secret]
    facts = facts_of(world, happened, past, happened.source, listener, about)
    who = happened.source if speaker else None
    return "; ".join(
        reasons_against(world, UsedPhrase(happened, pool, text, facts, who, listener if speaker else None))
    )


@pytest.mark.req("DE-27")
@pytest.mark.parametrize(
    ("why", "pool", "text", "wrong", "right", "secret"),
    [
        ("a dish or a bottle", "physical.serve", "They take some.", (BALCONY, ()), (SERVES, ()), None),
        ("before the first", "move.fetching", "It is time for the next course.", (SERVES, ()), (SERVES, (SERVES,)), None),
        ("unnoticed", "physical.leave", "Nobody calls after her.", (GOES, ()), (GOES_ALONE, ()), None),
        ("in a town", "physical.leave", "Elena goes without a lamp.", (GOES, ()), None, None),
        ("a first admission", "conflict.forced", "It simply falls out.", (ACCUSES, (ACCUSES,)), (ACCUSES, (TOLD,)), AFFAIR),
        ("a first open word", "conflict.matter", "The pretence is over.", (ACCUSES, (TOLD,)), (ACCUSES, ()), AFFAIR),
        ("half a guess", "conflict.forced", "It is half a guess.", (ACCUSES, ()), None, AFFAIR),
        ("repeated", "conflict.forced", "Thorne only repeats it.", (ACCUSES, (ROW,)), (ACCUSES, (ACCUSES,)), AFFAIR),
        ("news for all", "after.told_own", "And then, to the whole room, it is said.", (SHOUTS, ()), (SHOUTS_TO_ALL, ()), AFFAIR),
    ],
)  # fmt: skip
def test_what_is_told_fits_what_came_before(
    why: str,
    pool: str,
    text: str,
    wrong: tuple[Event, tuple[Event, ...]],
    right: tuple[Event, tuple[Event, ...]] | None,
    secret: str | None,
) -> None:
    """Company where there is none, an admission or a truth that is not the first, and news to those who know it are found."""
    assert why in _found(wrong[0], pool, text, wrong[1], False, secret)
    if right is not None:
        assert why not in _found(right[0], pool, text, right[1], False, secret)


@pytest.mark.req("DE-27")
@pytest.mark.parametrize(
    ("why", "pool", "text", "wrong", "right"),
    [
        ("bystander", "talk.after", "Do you believe it?", (event(CHAT, "elena", "victor"), (TOLD,)), (TALK, (TOLD,))),
        ("bystander", "talk.after", "I would rather not have known.", (event(CHAT, "diana", "victor"), (TOLD,)), (TALK, (TOLD,))),
        ("had it out", "talk.cold", "We have said enough to each other.", (TALK, ()), (TALK, (ROW,))),
    ],
)  # fmt: skip
def test_what_is_said_fits_what_the_speaker_has_been_through(
    why: str,
    pool: str,
    text: str,
    wrong: tuple[Event, tuple[Event, ...]],
    right: tuple[Event, tuple[Event, ...]],
) -> None:
    """A bystander's shock from who knew it or whose it is, and the end of a quarrel that was not, are found."""
    assert why in _found(wrong[0], pool, text, wrong[1], True, None)
    assert why not in _found(right[0], pool, text, right[1], True, None)


def test_an_ending_counts_who_is_left() -> None:
    """An ending with coats and good nights is found where one person is left."""
    world = begin(shipped("dinner-party"))
    for left, is_found in (("one", True), ("several", False)):
        facts = {"remaining": frozenset({left}), "departed": frozenset({"several"})}
        used = UsedPhrase(GOES, "ending.broke_up", "Coats are found, the wrong ones first.", facts)
        assert any("hardly anybody" in why for why in reasons_against(world, used)) == is_found


def test_the_facts_of_a_blow() -> None:
    """Whose it is, who is hurt by it, to whom it is news, and what is out before whom, are facts of a moment."""
    world, past = begin(shipped("dinner-party")), Chronicle()
    past.add(TOLD)
    facts = {
        who: facts_of(world, event(CHAT, who, "lydia"), past, who, "lydia")
        for who in ("thorne", "elena", "victor", "diana")
    }
    assert {who for who, words in facts.items() if words["hurt"]} == {"thorne"}
    assert {who for who, words in facts.items() if words["struck"]} == {"thorne"}
    assert {who for who, words in facts.items() if words["exposed"]} == {"elena"}
    assert all(words["out"] == {AFFAIR} and not words["whom_exposed"] for words in facts.values())
    assert facts_of(world, TALK, past, "lydia", "thorne")["whom_hurt"] == {"true"}
    later = event(CHAT, "thorne", "victor", minutes=60.0)
    assert not facts_of(world, later, past, "thorne", "victor")["struck"]


def test_a_confidence_is_not_out() -> None:
    """What is whispered is heard by one, and out before nobody; a holder who shouts it has admitted it."""
    world, past = begin(shipped("dinner-party")), Chronicle()
    secret = world.scenario.secrets[EMBEZZLE]
    past.add(event(CONFIDE, "marcus", "thorne", secret=EMBEZZLE))
    facts = facts_of(world, TALK, past, "thorne", "victor", secret)
    assert (bool(facts["heard"]), bool(facts["out"]), bool(facts["admitted"])) == (True, False, False)
    for one, admitted in (
        (event(CATASTROPHE, "lydia", "thorne", details={"told": EMBEZZLE}), False),
        (event(CATASTROPHE, "marcus", "thorne", details={"told": EMBEZZLE}), True),
    ):
        past.add(one)
        assert bool(facts_of(world, TALK, past, "thorne", "victor", secret)["admitted"]) == admitted
