"""The schemas are the law of documents, and the types what is read by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.mutations import ODD, mutated, places
from volition import governance
from volition.governance.documents.findings import validator
from volition.governance.documents.kinds import KINDS
from volition.governance.documents.reading import from_data
from volition.governance.gates.fixtures import valid_document

FOLDER = Path(governance.__file__).parent / "schemas"


def accepted_by_type(kind: str, data: Any) -> bool:
    try:
        from_data(data, KINDS[kind])
    except msgspec.ValidationError:
        return False
    return True


def accepted_by_schema(kind: str, data: Any) -> bool:
    return validator(kind).is_valid(data)


def outline(node: Any) -> Any:
    """A schema without what only it says: bounds, patterns, rules between fields; and without what only a type says."""
    if isinstance(node, list):
        return [outline(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    match node:
        case {"anyOf": [one, {"type": "null"}]} | {"anyOf": [{"type": "null"}, one]}:
            return outline(one)  # a field that is not there
        case {"anyOf": [{"type": "integer"}, {"type": "number"}]}:
            return {"type": "number"}
        case {"enum": [*words]}:
            return {"words": sorted(words)}
        case {"const": word}:
            return {"words": [word]}
    return {name: outline(inner) for name, inner in node.items() if name not in SAID_ONCE}


SAID_ONCE = {
    "$schema", "default", "title", "description", "allOf", "pattern", "uniqueItems", "minLength", "maxLength", "minimum",
    "maximum", "exclusiveMaximum", "minProperties", "maxProperties", "propertyNames",
}  # fmt: skip
LENGTHS = {"minItems", "maxItems"}


def without_lengths(node: Any) -> Any:
    """An outline without the lengths of lists; those of a pair are its type."""
    if isinstance(node, list):
        return [without_lengths(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    dropped = set() if "prefixItems" in node else LENGTHS
    return {name: without_lengths(inner) for name, inner in node.items() if name not in dropped}


@pytest.mark.parametrize("kind", KINDS)
def test_schema_and_type_have_the_same_fields(kind: str) -> None:
    """A schema and its type have the same objects, with the same fields, required or not, and the same words."""
    made = msgspec.json.schema(KINDS[kind])
    shipped = json.loads((FOLDER / f"{kind}.json").read_bytes())
    assert without_lengths(outline(shipped)) == without_lengths(outline(made))


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
@given(st.data())
def test_what_the_schema_accepts_is_read(kind: str, draw: st.DataObject) -> None:
    """A document changed at random that its schema accepts is a document of its type."""
    data = draw.draw(mutated(kind))
    assert not accepted_by_schema(kind, data) or accepted_by_type(kind, data)


@pytest.mark.parametrize("kind", KINDS)
def test_odd_values_that_the_schema_accepts_are_read(kind: str) -> None:
    """Every value of a valid document, replaced by each odd value, dropped or doubled, is one of its type if its schema
    accepts it."""
    data = valid_document(kind)
    for path in places(data):
        holder: Any = data
        for step in path[:-1]:
            holder = holder[step]
        old = holder[path[-1]]
        for odd in (*ODD, old * 2 if isinstance(old, list) else old):
            holder[path[-1]] = odd
            assert not accepted_by_schema(kind, data) or accepted_by_type(kind, data), (path, odd)
        holder[path[-1]] = old
        if isinstance(holder, dict):
            fewer = {name: value for name, value in holder.items() if name != path[-1]}
            before = dict(holder)
            holder.clear()
            holder.update(fewer)
            assert not accepted_by_schema(kind, data) or accepted_by_type(kind, data), (path, "dropped")
            holder.clear()
            holder.update(before)


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
    """At the edges of each rule, the schema says what the rule says."""
    assert accepted_by_schema(kind, data) is valid
    assert not valid or accepted_by_type(kind, data)
