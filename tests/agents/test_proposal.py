"""Drafting: a few words become a valid plan, and a revision changes only what it names."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workflow.plans import document as handmade
from volition.agents.proposal import Proposal, draft_plan, plan_id_of, redraft_plan
from volition.core.errors import InvalidInput
from volition.governance import IntentDocument, parse_document
from volition.governance.documents.intent import LEVELS

DATED = "2026-01-25T10:00:00Z"
EFFECTS = ("read", "write", "create", "delete", "deploy", "network")
paths = st.lists(st.from_regex(r"[a-z]{1,6}(/[a-z*]{1,6}){0,2}", fullmatch=True), min_size=1, max_size=4, unique=True)
proposals = st.builds(
    Proposal,
    st.from_regex(r"[A-Z][a-zü ]{5,30}[a-z]", fullmatch=True),
    paths,
    effects=st.lists(st.sampled_from(EFFECTS), min_size=1, max_size=4, unique=True),
    priority=st.none() | st.integers(-5, 5),
)


def draft(proposal: Proposal, holder: str = "ann@one") -> bytes:
    return draft_plan(proposal, project="shop", holder=holder, created_at=DATED)


@given(proposals)
def test_a_draft_says_what_was_proposed(proposal: Proposal) -> None:
    """A drafted plan is valid, has what was said, is by its holder, and is the same every time."""
    content = draft(proposal)
    intent = parse_document(content, IntentDocument)
    assert list(intent.scope.targets.files) == list(proposal.files or ())
    assert list(intent.planned_commands[0].effects) == list(proposal.effects or ())
    assert intent.audit.created_by == "ann@one"
    assert draft(proposal) == content


@given(proposals, proposals)
def test_a_revision_is_what_was_asked_for(one: Proposal, other: Proposal) -> None:
    """A revised plan is valid and keeps its id; what was named is new, the rest is kept, and the risk never falls."""
    before = parse_document(draft(one), IntentDocument)
    content = redraft_plan(draft(one).decode(), Proposal(files=other.files, effects=other.effects))
    after = parse_document(content, IntentDocument)
    assert (after.id, after.title, after.created_at) == (before.id, before.title, before.created_at)
    assert list(after.scope.targets.files) == list(other.files or ())
    assert list(after.planned_commands[0].effects) == list(other.effects or ())
    assert LEVELS.index(after.risk.overall) >= LEVELS.index(before.risk.overall)
    assert LEVELS.index(after.risk.overall) >= LEVELS.index(parse_document(draft(other), IntentDocument).risk.overall)
    gone = {f"file://{path}" for path in set(one.files or ()) - set(other.files or ())}
    assert not gone & set(after.evidence_refs)


def test_a_plan_written_by_hand_keeps_what_it_says() -> None:
    """A revision of a plan that was not drafted here leaves everything else alone; its commands keep their effects."""
    content = handmade("by_hand", "a.py", "b.py", commands=("one_thing: write: do it", "another_one: delete: undo it"))
    before = json.loads(content)
    after = json.loads(redraft_plan(content.decode(), Proposal(files=["b.py"])))
    differs = {key for key in before if before[key] != after[key]}
    assert differs == {"version", "scope", "budgets", "planned_commands", "evidence_refs", "audit"}
    assert [each["effects"] for each in after["planned_commands"]] == [["write"], ["delete"]]
    with pytest.raises(InvalidInput, match="2 commands"):
        redraft_plan(content.decode(), Proposal(effects=["read"]))


@given(st.text(max_size=200), st.text(max_size=50), st.text(max_size=50))
def test_ids_belong_to_holders(title: str, one: str, other: str) -> None:
    """Whatever the title, the id has the form of one; the same title of two holders has two ids."""
    assert re.fullmatch(r"intent_[a-z0-9_]{6,64}", plan_id_of(title, one))
    assert (plan_id_of(title, one) == plan_id_of(title, other)) == (one == other)


@pytest.mark.parametrize("path", ["/a", "~/a", "C:/a", "c:\\a", "a\\b", "a\n", "\ta", "a\0"])
def test_paths_that_others_would_read_differently_are_refused(path: str) -> None:
    """A path is relative and plain, so that it is the same file in every worktree."""
    with pytest.raises(InvalidInput):
        draft(Proposal("Add rate limits", [path]))


def test_everything_wrong_is_told_at_once() -> None:
    """All bad paths are named in one error."""
    with pytest.raises(InvalidInput) as caught:
        draft(Proposal("Add rate limits", ["/a", "b", "c\\d"]))
    assert len(caught.value.problems) == 2
