"""JSON Schema of the frames, derived from the types that the code itself reads and writes.

A type of frame that is added to `Frame` is in the schema automatically. Where the contract is narrower than the type
(which intents there are, what a result must hold), `_NARROWER` adds it, from the same tables that the code checks.
"""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING, Any, Final, get_args, get_type_hints

import msgspec
from msgspec.structs import fields, replace

from volition.execution.wire.declared import NAME_PATTERN, Declaration
from volition.execution.wire.frames import Frame, StateFrame
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.parameter_schema import PARAMETER_SCHEMA
from volition.execution.wire.results import FailureReason, Result, Status, contradictions, make_result

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.wire.codec import FaultCode

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

UNSAYABLE: Final[tuple[FaultCode, ...]] = (
    "too_long", "not_utf8", "not_json", "too_deep", "bad_number", "duplicate_key",
)  # fmt: skip
"""The rules about a line that no schema of its value can express; an integer written as 7.0 is another such case."""

_REF: Final = "#/$defs/{name}"


def frame_schema() -> dict[str, Any]:
    """The schema of any frame; `$defs` holds the schema of each type under its name.

    >>> frame_schema()["$defs"]["ping"]["required"]
    ['v', 'type', 'n']
    """
    kinds = {kind.__struct_config__.tag: kind for kind in get_args(Frame)}
    _, parts = msgspec.json.schema_components([*kinds.values(), Result], ref_template=_REF)
    # Inside a result a state may leave out its type: it cannot be anything else.
    inner = parts[StateFrame.__name__]
    inner = inner | {"required": [name for name in inner["required"] if name != "type"]}
    frames = {tag: _frame_of(tag, parts.pop(kind.__name__)) for tag, kind in kinds.items()}
    parts[StateFrame.__name__] = inner
    parts[Result.__name__] |= {"anyOf": _consistent_flags()}
    _narrow_declaration(parts[Declaration.__name__])
    parts |= _parameter_schemas()
    for tag, narrow in _NARROWER.items():
        narrow(frames[tag])
    schema = {
        "$schema": DIALECT,
        "title": "A frame of the intent protocol",
        "oneOf": [{"$ref": _REF.format(name=tag)} for tag in frames],
        "$defs": frames | parts,
    }
    portable: dict[str, Any] = _portable(schema)
    return portable


def _frame_of(tag: str, part: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object as that of a line: with `v` and `type`."""
    properties = {"v": {"const": 1}, "type": {"const": tag}}
    properties |= {name: value for name, value in part["properties"].items() if name != "type"}
    required = ["v", "type", *(name for name in part["required"] if name != "type")]
    return part | {"title": tag, "properties": properties, "required": required}


def _consistent_flags() -> list[dict[str, Any]]:
    """Which flags go with which status and reason in a result."""
    allowed: defaultdict[tuple[str, str], list[set[bool]]] = defaultdict(lambda: [set(), set(), set()])
    for status, reason, *flags in product(get_args(Status), get_args(FailureReason), *[(False, True)] * 3):
        usual = make_result(status, reason)
        shown = replace(usual.safety_flags, is_blocked=flags[1], on_cooldown=flags[2])
        if not contradictions(replace(usual, partial_execution=flags[0], safety_flags=shown)):
            for values, flag in zip(allowed[status, reason], flags, strict=True):
                values.add(flag)
    return [
        {
            "properties": {
                "status": {"const": status},
                "failure_reason": {"const": reason},
                "partial_execution": {"enum": sorted(partial)},
                "safety_flags": {
                    "properties": {"is_blocked": {"enum": sorted(blocked)}, "on_cooldown": {"enum": sorted(cooling)}}
                },
            }
        }
        for (status, reason), (partial, blocked, cooling) in allowed.items()
    ]


def _narrow_intent(frame: dict[str, Any]) -> None:
    """One of the canonical intents, with exactly its parameters, or one that an executor may have declared."""
    declared = {"pattern": NAME_PATTERN, "not": {"enum": list(CANONICAL)}}
    frame["oneOf"] = [*(_canonical(name) for name in CANONICAL), {"properties": {"intent": declared}}]


def _canonical(name: str) -> dict[str, Any]:
    kind = CANONICAL[name]
    types = get_type_hints(kind)
    own = [field.name for field in fields(kind)]
    parameters = {
        "properties": {field: msgspec.json.schema(types[field]) for field in own},
        "required": own,
        "additionalProperties": False,
    }
    rule: dict[str, Any] = {"properties": {"intent": {"const": name}, "parameters": parameters}}
    return rule | {"required": ["parameters"]} if own else rule


def _parameter_schemas() -> dict[str, Any]:
    """The schema of parameters, and of each value in them."""
    whole = json.dumps(PARAMETER_SCHEMA).replace("#/$defs/value", _REF.format(name="Value"))
    parameters: dict[str, Any] = json.loads(whole)
    return {"Value": parameters.pop("$defs")["value"], "Parameters": parameters}


def _narrow_declaration(part: dict[str, Any]) -> None:
    """None of the seven names, SUCCESS among the results, and parameters in the part of JSON Schema that the protocol uses."""
    properties = part["properties"]
    properties["name"] |= {"not": {"enum": list(CANONICAL)}}
    properties["results"] |= {"contains": {"const": "SUCCESS/NONE"}}
    properties["parameters"] = {
        "anyOf": [{"type": "object", "maxProperties": 0}, {"$ref": _REF.format(name="Parameters")}]
    }


def _narrow_result(frame: dict[str, Any]) -> None:
    """The name of the intent, and the complete result."""
    frame["properties"] |= {"intent": {"type": "string"}, "result": {"$ref": _REF.format(name=Result.__name__)}}
    frame["required"] += ["intent", "result"]


def _narrow_welcome(frame: dict[str, Any]) -> None:
    """Canonical intents only, STOP among them."""
    frame["properties"]["intents"] = {
        "type": "array",
        "items": {"enum": list(CANONICAL)},
        "contains": {"const": "STOP"},
    }


_NARROWER: Final[dict[str, Callable[[dict[str, Any]], None]]] = {
    "intent": _narrow_intent,
    "result": _narrow_result,
    "welcome": _narrow_welcome,
}


def _portable(value: Any) -> Any:
    r"""The schema with patterns as every language reads them: `\Z` is Python's, and `$` means the same here."""
    if isinstance(value, dict):
        return {
            key: item.replace(r"\Z", "$") if key == "pattern" and isinstance(item, str) else _portable(item)
            for key, item in value.items()
        }
    return [_portable(item) for item in value] if isinstance(value, list) else value
