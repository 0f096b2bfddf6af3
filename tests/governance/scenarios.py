"""The four common situations as documents: intents and their set, written by drafts.

`python -m tests.governance.scenarios` writes them to `tests/governance/examples`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from volition.core.document import dump_json
from volition.governance.drafts import new_intent, new_set

EXAMPLES = Path(__file__).parent / "examples"
EARLY, LATE = "2026-01-25T10:00:00Z", "2026-01-25T10:05:00Z"

Data = dict[str, Any]


def _set(name: str, intents: list[Data], env: str = "local") -> list[Data]:
    ids = [intent["id"] for intent in intents]
    return [new_set(name, ids, project="shop", created_at=LATE, env=env), *intents]


def read_only() -> list[Data]:
    """Two analyses of one module: nothing conflicts."""
    return _set(
        "read only",
        [
            new_intent(
                "Analyse the API's speed",
                project="shop",
                created_at=EARLY,
                modules=["shop.api"],
                areas=["backend"],
                commands=["measure_latency: read: read the latency records of the API"],
                status="approved",
            ),
            new_intent(
                "Look for known weaknesses",
                project="shop",
                created_at=LATE,
                modules=["shop.api"],
                areas=["backend"],
                commands=["list_dependencies: read: compare the dependencies with published advisories"],
                status="proposed",
            ),
        ],
    )


def clear_priority() -> list[Data]:
    """Two refactorings of the same files; one says that it is more important."""
    return _set(
        "clear priority",
        [
            new_intent(
                f"Refactor the API, version {number}",
                project="shop",
                created_at=EARLY,
                files=["src/api/routes.py", "src/api/models.py"],
                areas=["backend"],
                commands=[f"refactor_api_v{number}: write: restructure the API for version {number}"],
                status="approved",
                priority=priority,
            )
            for number, priority in ((1, 5), (2, 10))
        ],
    )


def same_target() -> list[Data]:
    """Two deployments to one target, and nothing that says which of them."""
    return _set(
        "same target",
        [
            new_intent(
                f"Deploy checkout {version}",
                project="shop",
                created_at=moment,
                modules=["service:checkout"],
                areas=["ops"],
                commands=[f"deploy_checkout_{number}: deploy: deploy version {version} of the service checkout"],
                status="approved",
            )
            for number, version, moment in ((1, "1.9", EARLY), (2, "2.0", LATE))
        ],
        env="staging",
    )


def dependency() -> list[Data]:
    """One intent makes a schema, the other one a client from that schema; no order is declared."""
    return _set(
        "dependency",
        [
            new_intent(
                "Write the client from the schema",
                project="shop",
                created_at=EARLY,
                files=["sdk/client.py"],
                areas=["backend"],
                evidence=["file://api/schema.json"],
                commands=["write_client: write: write sdk/client.py from the schema"],
                status="approved",
            ),
            new_intent(
                "Write the schema of the API",
                project="shop",
                created_at=EARLY,
                files=["api/schema.json"],
                areas=["backend"],
                commands=["write_schema: write: write api/schema.json from the routes"],
                status="approved",
            ),
        ],
    )


SCENARIOS = {
    "read_only": read_only,
    "clear_priority": clear_priority,
    "same_target": same_target,
    "dependency": dependency,
}


def files() -> dict[str, str]:
    """The text of every example, by its path below `examples`."""
    return {
        f"{name}/{'set' if document['type'] == 'intent_set' else document['id']}.json": dump_json(document)
        for name, make in SCENARIOS.items()
        for document in make()
    }


if __name__ == "__main__":
    for place, text in files().items():
        path = EXAMPLES / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
