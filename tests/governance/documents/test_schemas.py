"""Schemas and types are two forms of one thing."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.governance.mutations import ODD, mutated, places
from tests.governance.schemas import FOLDER, schema
from volition.governance.documents.findings import validator
from volition.governance.documents.kinds import KINDS
from volition.governance.documents.reading import from_data
from volition.governance.gates.fixtures import valid_document


def accepted_by_type(kind: str, data: Any) -> bool:
    try:
        from_data(data, KINDS[kind])
    except msgspec.ValidationError:
        return False
    return True


def accepted_by_schema(kind: str, data: Any) -> bool:
    return validator(kind).is_valid(data)


@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_file_is_the_schema_of_the_type(kind: str) -> None:
    """The files in `schemas/` are generated from the current types."""
    assert json.loads((FOLDER / f"{kind}.json").read_bytes()) == schema(kind)


@pytest.mark.parametrize("kind", [*KINDS, "policy"])
def test_schemas_are_schemas_and_closed(kind: str) -> None:
    """Every schema is valid draft 2020-12, and every object in it is closed."""
    shipped = json.loads((FOLDER / f"{kind}.json").read_bytes())
    assert shipped["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(shipped)
    for path in places(shipped):
        value = shipped
        for step in path:
            value = value[step]
        if isinstance(value, dict) and value.get("type") == "object":
            assert value.get("additionalProperties") is not None, path


@pytest.mark.req("GV-02")
@pytest.mark.parametrize("kind", KINDS)
def test_valid_documents_are_accepted_by_both(kind: str) -> None:
    """A valid document of each kind is accepted by its schema and by its type."""
    assert accepted_by_schema(kind, valid_document(kind))
    assert accepted_by_type(kind, valid_document(kind))


@pytest.mark.req("GV-02")
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30)
@given(st.data())
def test_both_reject_the_same_mutations(kind: str, draw: st.DataObject) -> None:
    """A document changed at random is accepted by its schema if and only if its type accepts it."""
    data = draw.draw(mutated(kind))
    assert accepted_by_schema(kind, data) == accepted_by_type(kind, data)


@pytest.mark.parametrize("kind", KINDS)
def test_both_reject_the_same_odd_values(kind: str) -> None:
    """Every value of a valid document, replaced by each odd value, dropped or doubled, is judged alike by schema and type."""
    valid = valid_document(kind)
    for path in places(valid):
        for odd in (*ODD, "drop", "twice"):
            data = valid_document(kind)
            holder: Any = data
            for step in path[:-1]:
                holder = holder[step]
            if odd == "drop":
                del holder[path[-1]]
            elif odd == "twice":
                old = holder[path[-1]]
                holder[path[-1]] = old * 2 if isinstance(old, list) else old
            else:
                holder[path[-1]] = odd
            assert accepted_by_schema(kind, data) == accepted_by_type(kind, data), (path, odd)


def _change(kind: str, **changes: Any) -> dict[str, Any]:
    return {**valid_document(kind), **changes}


PLAN = valid_document("merge_plan")
EDGES: list[tuple[str, dict[str, Any], bool]] = [
    ("intent", _change("intent", interaction={"mode": "full_auto", "question_budget": 0, "question_policy": "never"}), True),
    ("intent", _change("intent", interaction={"mode": "full_auto", "question_budget": 1, "question_policy": "never"}), False),
    ("intent", _change("intent", interaction={"mode": "full_auto", "question_budget": 0, "question_policy": "blockers_only"}), False),
    ("intent", _change("intent", risk={"overall": "low", "drivers": ["one"], "requires_review": []}), False),
    ("intent", _change("intent", risk={"overall": "low", "drivers": ["one"], "requires_review": []}, planned_commands=[]), True),
    ("intent", _change("intent", created_at="2024-02-29T23:59:59.123456789-23:59"), True),
    ("intent", _change("intent", created_at="2100-02-29T00:00:00Z"), False),
    ("intent", _change("intent", metadata={"priority": 2**53 - 1}), True),
    ("intent", _change("intent", metadata={"priority": 7.0}), True),
    ("intent", _change("intent", metadata={"priority": 7.5}), False),
    ("intent", _change("intent", metadata={}), True),
    ("merge_plan", _change("merge_plan", strategy="reject"), False),
    ("merge_plan", {name: value for name, value in PLAN.items() if name != "result_intent"}, False),
    ("merge_plan", {name: value for name, value in {**PLAN, "strategy": "reject"}.items() if name != "result_intent"}, True),
    ("merge_plan", _change("merge_plan", strategy="merge_union", lineage={**PLAN["lineage"], "supersedes": []}), True),
    ("merge_plan", _change("merge_plan", lineage={**PLAN["lineage"], "supersedes": []}), False),
    ("intent_set", _change("intent_set", intent_ids=[f"intent_number_{n}" for n in range(20)]), True),
    ("intent_set", _change("intent_set", intent_ids=[f"intent_number_{n}" for n in range(21)]), False),
]  # fmt: skip


@pytest.mark.req("GV-01", "GV-02")
@pytest.mark.parametrize(("kind", "data", "valid"), EDGES)
def test_the_edges(kind: str, data: dict[str, Any], valid: bool) -> None:
    """At the edges of each rule, schema and type say what the rule says."""
    assert (accepted_by_schema(kind, data), accepted_by_type(kind, data)) == (valid, valid)
