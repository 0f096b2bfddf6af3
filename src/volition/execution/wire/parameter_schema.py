"""The part of JSON Schema in which the parameters of declared intents are described.

Every language can check it in a page of code: objects whose members are all named, arrays of one kind of item, texts,
integers, numbers and truth values, with limits. A `default` and `examples` at any value bind nobody, but have to fit it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def object_schema(*optional: str, **members: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object with these members and no others, all required but the `optional` ones.

    >>> object_schema(depth={"type": "integer"})["required"]
    ['depth']
    """
    required = [name for name in members if name not in optional]
    return {"type": "object", "properties": members, "required": required, "additionalProperties": False}


_WHOLE: Final = {"type": "integer", "minimum": 0}
_TEXT: Final = {"type": "string"}
_KEYWORDS: Final[dict[str, dict[str, Any]]] = {
    "boolean": {},
    "integer": {"minimum": {"type": "integer"}, "maximum": {"type": "integer"}},
    "number": {"minimum": {"type": "number"}, "maximum": {"type": "number"}},
    "string": {
        "minLength": _WHOLE,
        "maxLength": _WHOLE,
        "enum": {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True},
    },
    "array": {"items": {"$ref": "#/$defs/value"}, "minItems": _WHOLE, "maxItems": _WHOLE},
    "object": {
        "properties": {
            "type": "object",
            "additionalProperties": {"$ref": "#/$defs/value"},
            "propertyNames": {"pattern": "^[a-z][a-z0-9_]{0,63}$"},
        },
        "required": {"type": "array", "items": _TEXT, "uniqueItems": True},
        "additionalProperties": {"const": False},
    },
}
"""The keywords for each type, beside those of `_ANNOTATIONS`."""
_ANNOTATIONS: Final[dict[str, Any]] = {"description": _TEXT, "default": True, "examples": {"type": "array"}}
"""The keywords that every type may have, and that allow and forbid nothing."""
_NEEDED: Final = {"array": ["items"], "object": ["properties", "additionalProperties"]}
PARAMETER_SCHEMA: Final[dict[str, Any]] = {
    "$ref": "#/$defs/value",
    "properties": {"type": {"const": "object"}},
    "$defs": {
        "value": {
            "type": "object",
            "properties": {"type": {"enum": list(_KEYWORDS)}},
            "required": ["type"],
            "allOf": [
                {
                    "if": {"properties": {"type": {"const": kind}}, "required": ["type"]},
                    "then": {
                        "properties": {"type": True, **_ANNOTATIONS, **keywords},
                        "required": _NEEDED.get(kind, []),
                        "additionalProperties": False,
                    },
                }
                for kind, keywords in _KEYWORDS.items()
            ],
        }
    },
}
"""The schema of the schemas that a declaration may have."""


def without_annotations(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a schema allows, alone: two that are equal then take the same parameters.

    >>> without_annotations({"type": "string", "default": "x", "maxLength": 3})
    {'type': 'string', 'maxLength': 3}
    """
    binding = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
    if "properties" in schema:
        binding["properties"] = {name: without_annotations(part) for name, part in schema["properties"].items()}
    if "items" in schema:
        binding["items"] = without_annotations(schema["items"])
    return binding


def named_values(schema: Mapping[str, Any]) -> list[Any]:
    """The values that a schema names: its examples, its default, and what it enumerates."""
    return [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else ()), *schema.get("enum", ())]


def find_misfits(schema: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    """Each default and example that its own schema does not allow, with its place."""
    from jsonschema_rs import Draft202012Validator  # noqa: PLC0415  only who declares intents pays for it

    named = [(f"{where}.examples[{number}]", value) for number, value in enumerate(schema.get("examples", ()))]
    named += [(f"{where}.default", schema["default"])] if "default" in schema else []
    if named:
        validator = Draft202012Validator(dict(schema))
        for place, value in named:
            errors = [(error.message, place_in(place, error.instance_path)) for error in validator.iter_errors(value)]
            yield from errors or find_fractions(value, schema, place)
    for name, member in schema.get("properties", {}).items():
        yield from find_misfits(member, f"{where}.properties.{name}")
    if "items" in schema:
        yield from find_misfits(schema["items"], f"{where}.items")


def find_unknown_required(schema: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    """Each required name that is not described, in this schema and below it."""
    members = schema.get("properties", {})
    yield from ((f"{where}.required", key) for key in schema.get("required", ()) if key not in members)
    for name, member in members.items():
        yield from find_unknown_required(member, f"{where}.properties.{name}")
    if "items" in schema:
        yield from find_unknown_required(schema["items"], f"{where}.items")


def holds_integers(schema: Mapping[str, Any]) -> bool:
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return schema["type"] == "integer" or any(map(holds_integers, inner))


def find_fractional_limits(schema: Mapping[str, Any], where: str) -> Iterator[str]:
    """The place of each limit that is an integer with a fraction: lengths, and what limits an integer."""
    exact = {"minLength", "maxLength", "minItems", "maxItems"}
    exact |= {"minimum", "maximum"} if schema["type"] == "integer" else set()
    yield from (f"{where}.{key}" for key in sorted(exact) if isinstance(schema.get(key), float))
    for name, member in schema.get("properties", {}).items():
        yield from find_fractional_limits(member, f"{where}.properties.{name}")
    if "items" in schema:
        yield from find_fractional_limits(schema["items"], f"{where}.items")


def find_fractions(value: Any, schema: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    """Integers that are written with a fraction: for JSON Schema 7.0 is an integer, on the wire it is not."""
    match schema["type"]:
        case "integer" if type(value) is float:
            yield f"the integer {value} is written with a fraction", where
        case "array":
            for position, item in enumerate(value):
                yield from find_fractions(item, schema["items"], f"{where}[{position}]")
        case "object":
            for name, member in value.items():
                yield from find_fractions(member, schema["properties"][name], f"{where}.{name}")


def place_in(root: str, path: Iterable[str | int]) -> str:
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
