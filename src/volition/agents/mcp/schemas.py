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
_KEPT: Final = ("type", "enum", "items", "default", "description")


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
    short = {"type": "object", "properties": {name: _argument(each) for name, each in schema["properties"].items()}}
    return {**short, "required": schema["required"]} if schema.get("required") else short


def _argument(schema: dict[str, Any]) -> dict[str, Any]:
    said = next((each for each in schema.get("anyOf", ()) if each != {"type": "null"}), {})
    kept = {key: value for key, value in {**said, **schema}.items() if key in _KEPT and value not in (None, "", [])}
    if "items" in kept:
        kept["items"] = {key: value for key, value in kept["items"].items() if key in ("type", "enum")}
    if "enum" in kept:
        del kept["type"]
    return kept


def _shorten_output(schema: dict[str, Any]) -> dict[str, Any]:
    """The answer: the names and types of its parts."""
    return {"type": "object", "properties": {name: _part(each) for name, each in schema["properties"].items()}}


def _part(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        return {"enum": schema["enum"]}
    kinds = [each["type"] for each in schema.get("anyOf", ()) if "type" in each]
    return {"type": kinds or schema.get("type", "object")}
