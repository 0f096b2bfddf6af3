"""Hostile lines, with the rule that each breaks.

They are in `hostile.json` of the protocol, because executors in other languages are held to them too: `lines` is a list
of objects with `name`, `code` and `parts`. A line is its parts one after another, each a text and how often it is
repeated; every character of a text is one byte (ISO 8859-1). Where the code is null the line only looks bad, and is a
frame.
"""

from __future__ import annotations

import json

from volition.execution.conformance.protocol import VECTORS

_LINES = [
    (entry["name"], b"".join(text.encode("latin-1") * times for text, times in entry["parts"]), entry["code"])
    for entry in json.loads((VECTORS / "hostile.json").read_text("ascii"))["lines"]
]

HOSTILE: list[tuple[str, bytes, str]] = [line for line in _LINES if line[2] is not None]
HARMLESS: list[tuple[str, bytes]] = [line[:2] for line in _LINES if line[2] is None]
