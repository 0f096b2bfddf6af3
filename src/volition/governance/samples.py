"""Small sets of intents that show what an evaluation finds: one for every kind of conflict, and one without any."""

from __future__ import annotations

from typing import Any, Final

from volition.governance.drafts import new_intent, new_set

EARLY: Final = "2026-01-25T10:00:00Z"
LATE: Final = "2026-01-25T10:05:00Z"

Data = dict[str, Any]
Sample = tuple[Data, dict[str, Data]]
"""A set, and its intents by id."""


def samples() -> dict[str, Sample]:
    """Every sample by its name."""
    return {
        "read_only": read_only(),
        "clear_priority": clear_priority(),
        "same_target": same_target(),
        "dependency": dependency(),
        "ignored_lock": ignored_lock(),
    }


def read_only() -> Sample:
    """Two analyses of one module: nothing conflicts."""
    return _set(
        "read only",
        _intent(
            "Measure how fast the shop is", "measure_latency: read: read the latency records", modules=["shop.api"]
        ),
        _intent("Look for known weaknesses", "list_advisories: read: compare with advisories", modules=["shop.api"]),
    )


def clear_priority() -> Sample:
    """Two plans for the same files, and one is more important: a resource conflict that priority settles."""
    files = ["src/api/routes.py", "src/api/models.py"]
    return _set(
        "clear priority",
        _intent(
            "Refactor the routes by hand", "refactor_by_hand: write: restructure the routes", files=files, priority=5
        ),
        _intent(
            "Refactor the routes at once", "refactor_at_once: write: restructure the routes", files=files, priority=10
        ),
    )


def same_target() -> Sample:
    """Two deployments of one service, and nothing that says which of them: an effect conflict that asks."""
    modules = ["service:checkout"]
    return _set(
        "same target",
        _intent("Deploy checkout 1.9", "deploy_checkout_old: deploy: deploy the service checkout", modules=modules),
        _intent("Deploy checkout 2.0", "deploy_checkout_new: deploy: deploy the service checkout", modules=modules),
        env="staging",
    )


def dependency() -> Sample:
    """One plan makes a schema, another a client from it, and no order is declared: an order conflict."""
    return _set(
        "dependency",
        _intent(
            "Write the client from the schema",
            "write_client: write: write sdk/client.py",
            files=["sdk/client.py"],
            evidence=["file://api/schema.json"],
        ),
        _intent("Write the schema", "write_schema: write: write api/schema.json", files=["api/schema.json"]),
    )


def ignored_lock() -> Sample:
    """One plan locks a folder that another, which knows no lock, writes into: a constraint conflict."""
    return _set(
        "ignored lock",
        _intent("Move the handlers", "move_handlers: write: move src/api", files=["src/api/a.py"], lock=["src/api"]),
        _intent("Format everything", "format_all: write: format src/api/b.py", files=["src/api/b.py"]),
    )


def _intent(title: str, command: str, **given: Any) -> Data:
    return new_intent(title, project="shop", created_at=EARLY, commands=[command], status="approved", **given)


def _set(name: str, *intents: Data, env: str = "local") -> Sample:
    ids = [intent["id"] for intent in intents]
    made = new_set(name, ids, project="shop", created_at=LATE, env=env)
    return made, {intent["id"]: intent for intent in intents}
