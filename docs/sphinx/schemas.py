"""The page of schemas: the JSON Schemas that documents and frames are checked against."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from volition.execution.conformance.protocol.schemas import frame_schema


def schemas_page() -> str:
    """Every schema, under a heading."""
    blocks = [f"## {title}\n\n```json\n{json.dumps(data, indent=2)}\n```\n" for title, data in schemas().items()]
    intro = (
        "JSON Schemas of draft 2020-12, as they are shipped. `volition govern validate` checks documents of plans against\n"
        "theirs; `volition protocol export` writes that of frames, with test vectors.\n"
    )
    return "\n".join(["# Schemas\n", intro, *blocks])


def schemas() -> dict[str, Any]:
    """Every schema by its title: the documents of plans, and the frames between a mind and a body."""
    shipped = resources.files("volition.governance").joinpath("schemas").iterdir()
    files = sorted((file for file in shipped if file.name.endswith(".json")), key=lambda file: file.name)
    documents = {f"`{file.name}`": json.loads(file.read_bytes()) for file in files}
    return {**documents, "`frames.schema.json`": frame_schema()}
