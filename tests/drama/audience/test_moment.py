"""A moment as phrases see it: what those who speak know of what has happened."""

from __future__ import annotations

from tests.drama.audience.evenings import belief, event
from tests.drama.evening.casts import shipped
from tests.drama.party import AFFAIR, EMBEZZLE
from volition.drama.audience.chronicle import Chronicle
from volition.drama.audience.moment import facts_of
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CLOCK, CONFLICT, LIE, PHYSICAL, REVEAL, SOCIAL_MOVE, Belief


def test_nobody_speaks_of_a_scene_that_they_did_not_see() -> None:
    """An outburst is past for those who were there or heard it; for the others it is calm, until somebody leaves for good."""
    past = Chronicle()
    past.add(event(CATASTROPHE, "elena", "thorne", witnesses=("diana",), overheard=("lydia",)))
    for who in ("elena", "thorne", "diana", "lydia"):
        assert past.known_to(who) == {"outburst"}
    assert past.known_to("victor") == {"calm"}
    world, talk = begin(shipped("dinner-party")), event(CHAT, "victor", "marcus", "balcony")
    assert facts_of(world, talk, past, "victor", "marcus")["past"] == {"calm"}
    past.add(event(PHYSICAL, "elena", manner="leave"))
    assert past.known_to("victor") == {"departure"}


def test_who_has_been_there_comes_back() -> None:
    """A move is one back if the person was in that room before, and else a first entry."""
    past = Chronicle()
    entry = event(SOCIAL_MOVE, "victor", room="foyer", destination="dining_table")
    assert not past.has_seen(entry)
    past.add(event(SOCIAL_MOVE, "victor", room="foyer", destination="balcony"))
    assert not past.has_seen(entry)
    past.add(event(CHAT, "thorne", "elena", witnesses=("victor",)))
    assert past.has_seen(entry)


def test_peace_holds_until_the_next_scene() -> None:
    """Two who have made it up are at peace until they quarrel again, and the clock is remembered."""
    past = Chronicle()
    past.add(event(CONFLICT, "thorne", "elena"))
    assert past.have_clashed("elena", "thorne")
    past.add(event(CHAT, "elena", "thorne", details={"reconciled": True}))
    assert past.are_at_peace("thorne", "elena")
    past.add(event(CLOCK, "thorne", details={"clock": "bank"}))
    assert past.happened == {"bank"}
    past.add(event(CONFLICT, "elena", "thorne"))
    assert not past.are_at_peace("thorne", "elena")


def test_the_same_quarrel_is_about_the_same_thing() -> None:
    """A quarrel happens again if its subject does; an accusation about another thing is a first one."""
    past, about = Chronicle(), {"about": AFFAIR, "stated": True}
    past.add(event(CONFLICT, "thorne", "elena", details=about))
    assert past.has_seen(event(CONFLICT, "thorne", "elena", details=about))
    for details in ({}, {"about": EMBEZZLE, "stated": True}, {"about": AFFAIR, "wrong": "exposure"}):
        assert not past.has_seen(event(CONFLICT, "thorne", "elena", details=details))


def test_what_the_hearer_was_told_before() -> None:
    """A phrase may ask whether its hearer has heard the secret stated, or was told that there is nothing in it."""
    world, past = begin(shipped("dinner-party")), Chronicle()
    secret = world.scenario.secrets[AFFAIR]
    learned = (belief("thorne", AFFAIR, Belief.SUSPECTS, Belief.BELIEVES_TRUE),)
    told = event(REVEAL, "diana", "thorne", secret=AFFAIR, deltas=learned)

    def facts() -> tuple[bool, bool]:
        now = facts_of(world, told, past, "diana", "thorne", secret)
        return bool(now["whom_heard"]), bool(now["whom_lied_to"])

    assert facts() == (False, False)
    past.add(event(LIE, "elena", "thorne", secret=AFFAIR))
    assert facts() == (False, True)
    past.add(told)
    assert facts() == (True, True)
