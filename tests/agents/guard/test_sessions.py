"""Names and sessions of agents, as a registry knows them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from volition.agents.guard.index import PlanExtent
from volition.agents.guard.sessions import Identity, clean_id, new_session, session_from

PLAIN = re.compile(r"[A-Za-z0-9._:-]+")
ids = st.from_regex(r"[A-Za-z0-9._:-]{1,40}", fullmatch=True)


@given(st.none() | st.text() | st.integers() | st.lists(st.text()))
def test_a_foreign_id_is_short_and_plain(given_id: object) -> None:
    """Whatever a client says of itself, the id is short, has no odd characters, and is the same every time."""
    found = clean_id(given_id)
    assert clean_id(given_id) == found
    assert clean_id(found) == found
    assert len(found) <= 128
    assert found == "" or PLAIN.fullmatch(found)


@given(st.text(max_size=10), st.text(min_size=1) | ids, st.just("") | st.text(min_size=1) | ids)
def test_the_guard_finds_what_a_session_claimed(name: str, session: str, agent: str) -> None:
    """The holder that the server registers is the one that the guard looks for, whatever ids a client makes."""
    holder = Identity(clean_id(session), clean_id(agent), name).holder
    plan = PlanExtent("intent_one", "One", holder, "active", 0, (), ())
    assert Identity(session, agent).holds(plan)


def test_the_launchers_session_comes_first() -> None:
    """The session that a launcher names counts before that of the client; without either there is none."""
    theirs = {"CLAUDE_CODE_SESSION_ID": "c1", "HOME": "/"}
    assert session_from({**theirs, "VOLITION_SESSION": "v1"}) == "v1"
    assert session_from(theirs) == "c1"
    assert session_from({"VOLITION_SESSION": ""}) == ""
    assert new_session() != new_session()
