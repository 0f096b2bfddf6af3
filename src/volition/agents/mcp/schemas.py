"""What tools/list says: enough to call every tool correctly, in as few words as possible.

The list is part of every conversation of an agent, so it costs on every turn. Arguments keep names, types, choices, defaults
and one description each. Limits that an error explains are left out, as are titles that repeat names. Answers
keep the names and types of their first level; docs/agents.md says what is in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mcp_types import Tool

TOKENS: Final = 2_500
"""What the list may cost, a token being four bytes of JSON."""
_LEFT_OUT: Final = frozenset(
    (
        "title",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
    )
)


def shorten_tool(tool: Tool) -> Tool:
    """A tool with short schemas. They allow at least what the full ones do, which calls are checked against."""
    return tool.model_copy(
        update={
            "description": " ".join((tool.description or "").split()),
            "input_schema": _shorten_input(tool.input_schema),
            "output_schema": tool.output_schema and _shorten_output(tool.output_schema),
        }
    )


def _shorten_input(schema: dict[str, Any]) -> dict[str, Any]:
    """The arguments: one that may be null can as well be left out, so only its other type is named."""
    properties = {name: _argument(each) for name, each in schema.get("properties", {}).items()}
    return {**_without_limits(schema), "properties": properties}


def _argument(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(kinds) == 1:
        schema = {**kinds[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    kept = _without_limits(schema)
    if "items" in kept:
        kept["items"] = _without_limits(kept["items"])
    if kept.get("default", "") in (None, "", []):
        kept.pop("default", None)
    return kept


def _without_limits(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in _LEFT_OUT}


def _shorten_output(schema: dict[str, Any]) -> dict[str, Any]:
    """The answer: the names and types of its parts."""
    return {"type": "object", "properties": {name: _part(each) for name, each in schema["properties"].items()}}


def _part(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        return {"enum": schema["enum"]}
    kinds = [each["type"] for each in schema.get("anyOf", ()) if "type" in each]
    return {"type": kinds or schema.get("type", "object")}
