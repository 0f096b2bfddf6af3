"""Small plans for the tests of the workflow, as the bytes that are registered."""

from __future__ import annotations

import msgspec

from volition.governance import Plan

PROJECT = "shop"


def document(
    name: str, *files: str, commands: tuple[str, ...] = ("change_it: write: change it",), **about: object
) -> bytes:
    """A plan that writes these files; its id is intent_NAME."""
    plan = Plan(
        f"Plan of {name}",
        id=f"intent_{name}",
        files=files,
        commands=commands,
        project=PROJECT,
        **about,  # type: ignore[arg-type]
    )
    return msgspec.json.encode(plan.intent)
