"""JSON Schema of the frames, made from the types that the code itself reads and writes.

A type of frame that is added to `Frame` is in the schema without further ado. Where the contract is narrower than the
type (which intents there are, what a result must hold), `_NARROWER` says so, from the same tables that the code checks.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, get_args, get_type_hints

import msgspec

from volition.execution.frames import Frame, StateFrame
from volition.execution.intents import CANONICAL
from volition.execution.results import VERDICTS, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.codec import FaultCode

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

UNSAYABLE: Final[tuple[FaultCode, ...]] = (
    "too_long", "not_utf8", "not_json", "too_deep", "bad_number", "duplicate_key",
)  # fmt: skip
"""The rules about a line that no schema of its value can hold; a whole number written as 7.0 is the one case more."""

_REF: Final = "#/$defs/{name}"


def frame_schema() -> dict[str, Any]:
    """The schema of any frame; `$defs` holds that of each type under the type's name.

    >>> frame_schema()["$defs"]["ping"]["required"]
    ['v', 'type', 'n']
    """
    kinds = {kind.__struct_config__.tag: kind for kind in get_args(Frame)}
    _, parts = msgspec.json.schema_components([*kinds.values(), Result], ref_template=_REF)
    # Inside a result a state may leave its type out: there it can be nothing else.
    inner = parts[StateFrame.__name__]
    inner = inner | {"required": [name for name in inner["required"] if name != "type"]}
    frames = {tag: _framed(tag, parts.pop(kind.__name__)) for tag, kind in kinds.items()}
    parts[StateFrame.__name__] = inner
    parts[Result.__name__] |= {"anyOf": _agreements()}
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


def _framed(tag: str, part: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object as that of a line: with `v` and `type`."""
    properties = {"v": {"const": 1}, "type": {"const": tag}}
    properties |= {name: value for name, value in part["properties"].items() if name != "type"}
    required = ["v", "type", *(name for name in part["required"] if name != "type")]
    return part | {"title": tag, "properties": properties, "required": required}


def _agreements() -> list[dict[str, Any]]:
    """What agrees with what in a result, by status and reason."""
    allowed: defaultdict[tuple[str, str], list[set[bool]]] = defaultdict(lambda: [set(), set(), set()])
    for status, reason, *flags in VERDICTS:
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


def _intent(frame: dict[str, Any]) -> None:
    """One of the canonical intents, with its parameters and no other."""
    frame["properties"]["intent"] = {"enum": list(CANONICAL)}
    frame["oneOf"] = [_canonical(name) for name in CANONICAL]


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


def _result(frame: dict[str, Any]) -> None:
    """The name of its intent, and the whole result."""
    frame["properties"] |= {"intent": {"type": "string"}, "result": {"$ref": _REF.format(name=Result.__name__)}}
    frame["required"] += ["intent", "result"]


def _welcome(frame: dict[str, Any]) -> None:
    """Canonical intents alone, STOP among them."""
    frame["properties"]["intents"] = {
        "type": "array",
        "items": {"enum": list(CANONICAL)},
        "contains": {"const": "STOP"},
    }


_NARROWER: Final[dict[str, Callable[[dict[str, Any]], None]]] = {
    "intent": _intent,
    "result": _result,
    "welcome": _welcome,
}


def _portable(value: Any) -> Any:
    r"""The schema with patterns as every language reads them: `\Z` is Python's, and `$` means the same here."""
    if isinstance(value, dict):
        return {
            key: item.replace(r"\Z", "$") if key == "pattern" and isinstance(item, str) else _portable(item)
            for key, item in value.items()
        }
    return [_portable(item) for item in value] if isinstance(value, list) else value
