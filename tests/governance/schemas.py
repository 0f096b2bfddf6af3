"""The JSON Schemas of the documents, made from their types.

The types say what a field holds and which lists have no duplicates; the rules between fields, which a type checks when it
is made, are repeated here as JSON Schema, and a test compares both on mutated documents. The files in `schemas/` are written
by `python -m tests.governance.schemas`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from volition import governance
from volition.governance.documents.intent import CHANGING
from volition.governance.documents.kinds import KINDS
from volition.governance.documents.strict import DistinctStruct

FOLDER: Final = Path(governance.__file__).parent / "schemas"


def _required_at(*path: str, holds: dict[str, Any]) -> dict[str, Any]:
    """A schema for the value at `path`, which is required."""
    for name in reversed(path):
        holds = {"properties": {name: holds}, "required": [name]}
    return holds


_RULES: Final[dict[str, list[dict[str, Any]]]] = {
    "Interaction": [
        {
            "title": "I2",
            "description": "full_auto asks nothing",
            "if": _required_at("mode", holds={"const": "full_auto"}),
            "then": {"properties": {"question_budget": {"const": 0}, "question_policy": {"const": "never"}}},
        }
    ],
    "IntentDocument": [
        {
            "title": "I3",
            "description": "an intent of high or critical risk is never full_auto",
            "if": _required_at("risk", "overall", holds={"enum": ["high", "critical"]}),
            "then": {"properties": {"interaction": {"properties": {"mode": {"enum": ["interactive", "semi_auto"]}}}}},
        },
        {
            "title": "review",
            "description": "an intent that changes something names its reviews",
            "if": _required_at(
                "planned_commands",
                holds={"contains": _required_at("effects", holds={"contains": {"enum": sorted(CHANGING)}})},
            ),
            "then": {"properties": {"risk": {"properties": {"requires_review": {"minItems": 1}}}}},
        },
    ],
    "Merge": [
        {
            "title": "reject",
            "description": "what is rejected has no result intent",
            "if": _required_at("strategy", holds={"const": "reject"}),
            "then": {"properties": {"result_intent_id": False}},
        }
    ],
    "MergePlan": [
        {
            "title": "reject",
            "description": "a plan has a result intent unless it rejects",
            "if": _required_at("strategy", holds={"const": "reject"}),
            "then": {"properties": {"result_intent": False}},
            "else": {"required": ["result_intent"]},
        },
        {
            "title": "RL-E2",
            "description": "a merged intent names what it is derived from",
            "properties": {
                "result_intent": {"properties": {"lineage": {"properties": {"derived_from": {"minItems": 1}}}}}
            },
        },
        {
            "title": "RL-E2",
            "description": "an override names what it supersedes",
            "if": _required_at("strategy", holds={"const": "override_by_priority"}),
            "then": {
                "properties": {
                    "lineage": {"properties": {"supersedes": {"minItems": 1}}},
                    "result_intent": {"properties": {"lineage": {"properties": {"supersedes": {"minItems": 1}}}}},
                }
            },
        },
    ],
}


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12, closed) of a kind of document."""
    made = msgspec.json.schema(KINDS[kind])
    shapes = {name: _add_rules(name, shape) for name, shape in sorted(made["$defs"].items())}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": made["$ref"], "$defs": shapes}


def _add_rules(name: str, shape: dict[str, Any]) -> dict[str, Any]:
    """A type's schema in its public form, with the rules between its fields."""
    distinct = {type_.__name__: type_.distinct for type_ in DistinctStruct.__subclasses__()}
    public: dict[str, Any] = _to_public(shape)
    for field in distinct.get(name, ()):
        public["properties"][field]["uniqueItems"] = True
    if name in _RULES:
        public["allOf"] = _RULES[name]
    return public


def _to_public(shape: Any) -> Any:
    """A schema without the defaults, with `$` for `\\Z`, and with one number where a type has two."""
    if isinstance(shape, list):
        return [_to_public(inner) for inner in shape]
    if not isinstance(shape, dict):
        return shape
    public = {name: _to_public(inner) for name, inner in shape.items() if name != "default"}
    if isinstance(pattern := public.get("pattern"), str):
        public["pattern"] = pattern.removesuffix(r"\Z") + "$"
    if isinstance(words := public.get("enum"), list) and len(words) == 1:
        return {"const": words[0]}
    match public.get("anyOf"):
        case [{"type": "integer"}, {"type": "number", **bounds}]:
            return {"type": "number", **bounds}
    return public


def _write() -> None:
    for kind in KINDS:
        text = msgspec.json.format(msgspec.json.encode(schema(kind)), indent=2)
        (FOLDER / f"{kind}.json").write_bytes(text + b"\n")


if __name__ == "__main__":
    _write()
