"""Drafts are valid documents, and never look safer than they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.scenarios import EXAMPLES, files
from volition.core.errors import InvalidInput
from volition.governance.documents.intent import Area, Effect, IntentDocument
from volition.governance.documents.intent_set import IntentSet
from volition.governance.documents.kinds import KINDS, kind_of
from volition.governance.documents.reading import parse_document, seal_document
from volition.governance.documents.redlines import SYMBOLS
from volition.governance.documents.validation import is_valid, validate
from volition.governance.drafts.sets import new_intent, new_set
from volition.governance.gates.fixtures import valid_document
from volition.governance.paths.names import path_fault

if TYPE_CHECKING:
    from tests.sentences import Told

NOW = "2026-01-25T10:00:00Z"
EFFECTS = st.lists(st.sampled_from(get_args(Effect)), min_size=1, max_size=6, unique=True)


@pytest.mark.req("GV-02")
@given(
    title=st.text(min_size=5, max_size=160).filter(lambda text: not any(symbol in text for symbol in SYMBOLS)),
    effects=st.lists(EFFECTS, max_size=4),
    areas=st.lists(st.sampled_from(get_args(Area)), unique=True),
    files=st.lists(
        st.text("abc/.", min_size=1, max_size=20).filter(lambda name: not path_fault(name)), min_size=1, max_size=5
    ),
    priority=st.none() | st.integers(-5, 5),
)
def test_every_draft_is_valid(
    title: str, effects: list[list[str]], areas: list[str], files: list[str], priority: int | None
) -> None:
    """Whatever a draft is made from, it is a valid, sealed intent that a strict reader takes."""
    commands = [f"do_this_{n}: {' + '.join(chosen)}: what is to be done" for n, chosen in enumerate(effects)]
    made = new_intent(
        title, project="shop", created_at=NOW, commands=commands, areas=areas, files=files, priority=priority
    )
    assert is_valid(validate("intent", made))
    assert [
        list(command.effects) for command in parse_document(orjson.dumps(made), IntentDocument).planned_commands
    ] == effects


@given(st.lists(EFFECTS, max_size=3))
def test_only_reading_is_low_risk(effects: list[list[str]]) -> None:
    """A draft is rated low only where it reads and nothing else, and what changes something asks for review."""
    commands = [f"do_this_{n}: {'+'.join(chosen)}: do it" for n, chosen in enumerate(effects)]
    made = new_intent("Some title", project="shop", created_at=NOW, commands=commands, files=["a.py"])
    flat = {effect for chosen in effects for effect in chosen}
    assert (made["risk"]["overall"] == "low") == (flat <= {"read"})
    assert bool(made["risk"]["requires_review"]) == bool(flat - {"read", "network"})


def test_full_auto_drafts_ask_nothing() -> None:
    """A draft in full_auto has no questions to ask, and none of high risk can be made."""
    made = new_intent("Read it all", project="shop", created_at=NOW, files=["a.py"], mode="full_auto")
    assert made["interaction"] == {"mode": "full_auto", "question_budget": 0, "question_policy": "never"}
    with pytest.raises(InvalidInput, match="never full_auto"):
        new_intent(
            "Deploy it",
            project="shop",
            created_at=NOW,
            files=["a.py"],
            mode="full_auto",
            commands=["deploy_it: deploy: go"],
        )


def test_what_cannot_be_drafted_says_why(told: Told) -> None:
    """A draft without evidence, or with a command that cannot be parsed, is refused."""
    with pytest.raises(InvalidInput, match="evidence_refs"):
        new_intent("No evidence", project="shop", created_at=NOW)
    with pytest.raises(InvalidInput, match="COMMAND_ID: EFFECT"):
        new_intent("A command", project="shop", created_at=NOW, files=["a.py"], commands=["just words"])
    with told.raises(InvalidInput):
        new_intent("A command", project="shop", created_at=NOW, files=["a.py"], commands=["do_this: burn: it"])
    with told.raises(InvalidInput):
        new_intent("Beyond it all", project="shop", created_at=NOW, files=["../a.py"])
    with told.raises(InvalidInput):
        new_intent("Nothing to deploy", project="shop", created_at=NOW, modules=["service:"], evidence=["note://x"])
    with pytest.raises(InvalidInput, match="duplicated: "):
        new_set("a batch", ["intent_abcdef"] * 2, project="shop", created_at=NOW)


@pytest.mark.req("GV-01")
def test_a_drafted_set_is_valid() -> None:
    """A drafted set carries all that was said, and a strict reader takes it."""
    made = new_set(
        "x", ["intent_abcdef", "intent_bcdefg"], project="shop", created_at=NOW, env="prod", tags=["api"],
        window=("2026-01-25T10:00:00Z", "2026-01-25T11:00:00Z"), purpose="why", complementary=[("intent_abcdef", "intent_bcdefg")],
    )  # fmt: skip
    read = parse_document(orjson.dumps(made), IntentSet)
    assert (read.id, read.context.env, read.context.tags) == ("intent_set_x_plans", "prod", ("api",))
    assert read.metadata is not None
    assert read.metadata.merge_hints is not None


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_is_told_by_the_document(kind: str) -> None:
    """Sealing needs no kind: a document says what it is."""
    data = valid_document(kind)
    assert kind_of(data) == kind
    assert seal_document(data) == data


def test_seal_mends_the_checksum_alone(told: Told) -> None:
    """Sealing an edited document makes it valid again; what is no document is refused with its faults."""
    data: dict[str, Any] = {**valid_document("intent"), "title": "Edited by hand"}
    assert not is_valid(validate("intent", data))
    assert is_valid(validate("intent", seal_document(data)))
    with pytest.raises(InvalidInput) as refused:
        seal_document({"type": "execution_intent"})
    told(refused.value.problems[0])
    for nothing in ({}, {"type": "poem"}, {"type": ["intent_set"]}, {"pack_id": "box_1"}):
        with told.raises(InvalidInput):
            seal_document(nothing)


def test_the_examples_are_what_drafts_write() -> None:
    """The examples on disk are, to the byte, what the drafts write."""
    assert {str(path.relative_to(EXAMPLES)): path.read_text("utf-8") for path in EXAMPLES.rglob("*.json")} == files()
