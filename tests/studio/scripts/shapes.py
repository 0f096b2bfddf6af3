"""The shapes of the studio's API as TypeScript, so that pages are checked against what the server sends.

`shapes.d.ts` is written again for every check, from the OpenAPI document: it cannot differ from the server.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from volition.studio.app import application
from volition.studio.openapi import full_document

HERE: Final = Path(__file__).parent
PLAIN: Final = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def declare_shapes(document: Any) -> str:
    """A namespace `Api` with a type for each shape of an OpenAPI document.

    A field that a request may leave out is optional; an answer has all of its fields.
    """
    schemas = document["components"]["schemas"]
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    answered = _reached([operation["responses"] for operation in operations], schemas)
    lines = [
        line
        for name, schema in sorted(schemas.items())
        for line in (f"  /** {_text(schema)} */", f"  type {name} = {_type(schema, all_there=name in answered)};")
    ]
    return "\n".join(["declare namespace Api {", *lines, "}", ""])


def _text(schema: Any) -> str:
    return str(schema.get("description", "")).replace("*/", "")


def _reached(part: Any, schemas: Any) -> set[str]:
    """The names of the shapes that a part of the document refers to, directly or through others."""
    found: set[str] = set()
    waiting = [part]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += one.values()
            name = str(one.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found.add(name)
                waiting.append(schemas[name])
    return found


def _type(schema: Any, *, all_there: bool) -> str:
    def inner(one: Any) -> str:
        return _type(one, all_there=all_there)

    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(inner(one) for one in schema[key]))
    if isinstance(schema.get("type"), list):
        return " | ".join(dict.fromkeys(inner({**schema, "type": one}) for one in schema["type"]))
    match schema.get("type"):
        case "array" if "prefixItems" in schema:
            return f"[{', '.join(inner(one) for one in schema['prefixItems'])}]"
        case "array":
            return f"Array<{inner(schema.get('items', {}))}>"
        case "object" if "properties" in schema:
            required = schema["properties"] if all_there else schema.get("required", ())
            fields = (
                f"/** {_text(one)} */ {json.dumps(name)}{'' if name in required else '?'}: {inner(one)}"
                for name, one in schema["properties"].items()
            )
            return "{ " + "; ".join(fields) + " }"
        case "object":
            values = schema.get("additionalProperties")
            return f"Record<string, {inner(values) if isinstance(values, dict) else 'any'}>"
        case kind:
            return PLAIN.get(str(kind), "any")


def write_shapes(path: Path) -> None:
    """Write the types of the installed studio."""
    with TemporaryDirectory() as folder:
        document = full_document(application(Path(folder)).litestar)
    path.write_text(declare_shapes(document), encoding="utf-8")


if __name__ == "__main__":
    write_shapes(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "shapes.d.ts")
