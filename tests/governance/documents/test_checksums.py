"""Checksums: one form of bytes, and what each of them covers."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.governance.mutations import places
from volition.governance.documents.checksums import (
    byte_form,
    content_checksum,
    intent_checksum,
    owed_checksums,
    result_checksum,
    seal,
    set_checksum,
    whole_checksum,
)
from volition.governance.documents.kinds import KINDS
from volition.governance.gates.fixtures import valid_document

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=6
)


@given(JSON)
@example(1e16)
@example(1e-05)
@example([9.9e-05, 0.0001])
@example([1e-5, 1e22, -0.0, 5e-324])
@example({"\x7f": "\x7f", "\x1f": '\b\f\n\r\t"\\/'})
@example({"\ue000": 1, "\U00010000": 2})
@example([2**64, -(2**63)])
@example({"a": "4e5", "b": "{,: }", "c": []})
def test_the_byte_form_is_pythons(data: Any) -> None:
    """The byte form is what `json.dumps` with sorted keys writes, for all JSON data."""
    assert byte_form(data) == json.dumps(data, sort_keys=True).encode()


def by_hand(data: Any) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


@pytest.mark.req("GV-12")
def test_what_each_checksum_covers() -> None:
    """Every checksum is the hash of exactly what its definition names."""
    intent, intent_set, result, plan, pack, answers = (valid_document(kind) for kind in KINDS)
    assert intent_checksum(intent) == by_hand({**intent, "audit": {**intent["audit"], "checksum": ""}})
    assert set_checksum(intent_set) == by_hand(
        {"intent_ids": sorted(intent_set["intent_ids"]), "context": intent_set["context"]}
    )
    assert result_checksum(result) == by_hand({name: result[name] for name in ("input", "evaluation", "lineage")})
    rest = {name: value for name, value in result.items() if name not in {"id", "created_at", "checksum"}}
    rest["metadata"] = {name: value for name, value in result["metadata"].items() if name != "content_checksum"}
    assert content_checksum(result) == by_hand(rest)
    for document, checksum in (
        (plan, whole_checksum(plan)),
        (pack, whole_checksum(pack)),
        (answers, whole_checksum(answers)),
    ):
        assert checksum == by_hand({name: value for name, value in document.items() if name != "checksum"})


def test_a_frozen_checksum() -> None:
    """The checksum of a fixed intent is a fixed number: the definition does not drift."""
    assert intent_checksum({"b": [1, 2.5], "a": "x", "audit": {"checksum": "anything"}}) == (
        sha256(b'{"a": "x", "audit": {"checksum": ""}, "b": [1, 2.5]}').hexdigest()
    )


def test_the_order_of_a_sets_intents_does_not_matter() -> None:
    """A set has the same checksum in any order of its intents."""
    intent_set = valid_document("intent_set")
    turned = {**intent_set, "intent_ids": intent_set["intent_ids"][::-1]}
    assert set_checksum(turned) == set_checksum(intent_set)


@pytest.mark.req("GV-12")
@pytest.mark.parametrize("kind", ["intent", "merge_plan", "question_pack"])
def test_every_value_is_protected(kind: str) -> None:
    """Changing any value of a document that its checksum covers changes the checksum."""
    valid = valid_document(kind)
    before = owed_checksums(kind, valid)
    own = set(before)
    for path in places(valid):
        holder: Any = (data := valid_document(kind))
        for step in path[:-1]:
            holder = holder[step]
        if path in own or isinstance(holder[path[-1]], dict | list):
            continue
        holder[path[-1]] = "something else"
        assert owed_checksums(kind, data) != before, path


@pytest.mark.req("GV-12")
def test_questions_are_protected_by_the_content_checksum() -> None:
    """A question put into a result changes its content checksum; its id and time do not."""
    result = valid_document("evaluation_result")
    assert content_checksum({**result, "requires_questions": [1]}) != content_checksum(result)
    assert content_checksum({**result, "id": "x", "created_at": "y", "checksum": "z"}) == content_checksum(result)


@pytest.mark.parametrize("kind", KINDS)
def test_sealing_is_idempotent_and_changes_nothing_else(kind: str) -> None:
    """A sealed document is sealed to itself, the original is left alone, and structs have the checksums of their data."""
    valid = valid_document(kind)
    broken = valid_document(kind)
    for path in owed_checksums(kind, broken):
        holder: Any = broken
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = "?"
    copy = json.loads(json.dumps(broken))
    assert seal(kind, broken) == valid
    assert broken == copy
    assert seal(kind, valid) == valid


def test_structs_have_the_checksums_of_their_data() -> None:
    """A document as a type has the checksum that it has as plain data."""
    data = valid_document("merge_plan")
    assert whole_checksum(msgspec.convert(data, KINDS["merge_plan"])) == data["checksum"]
