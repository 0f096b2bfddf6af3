"""Small sets of intents that show what an evaluation finds: one for every kind of conflict, and one without any."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from volition.core.document import dump_json
from volition.core.errors import did_you_mean, refuse
from volition.governance.drafts.sets import new_intent, new_set

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


def write_sample(folder: Path, name: str) -> list[Path]:
    """Write a sample atomically into a new folder: `set.json`, and every intent as `ID.json`."""
    known = samples()
    if name not in known:
        refuse(
            f"there is no sample {name!r}",
            where="sample",
            expected=f"one of {', '.join(known)}",
            remedy=did_you_mean(name, known),
        )
    if folder.exists():
        refuse("the folder already exists", where=str(folder), expected="a new folder", remedy="name another folder")
    intent_set, intents = known[name]
    files = {"set.json": intent_set, **{f"{id}.json": intent for id, intent in intents.items()}}
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for file, document in files.items():
            (draft / file).write_text(dump_json(document), encoding="utf-8")
        draft.chmod(0o755)
        draft.rename(folder)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        refuse(
            f"the folder cannot be written: {error.strerror}",
            where=str(folder),
            expected="a place for a new folder",
            remedy="name another folder",
        )
    return [folder / file for file in files]


def read_only() -> Sample:
    """Two analyses of one module: nothing conflicts."""
    about: Data = {"modules": ["shop.api"], "areas": ["backend"]}
    look = "list_dependencies: read: compare the dependencies with published advisories"
    return _set(
        "read only",
        _intent("Analyse the API's speed", "measure_latency: read: read the latency records of the API", **about),
        _intent("Look for known weaknesses", look, created_at=LATE, status="proposed", **about),
    )


def clear_priority() -> Sample:
    """Two refactorings of the same files, and one is more important: a resource conflict that priority settles."""
    about: Data = {"files": ["src/api/routes.py", "src/api/models.py"], "areas": ["backend"]}
    return _set(
        "clear priority",
        *(
            _intent(
                f"Refactor the API, version {number}",
                f"refactor_api_v{number}: write: restructure the API for version {number}",
                priority=priority,
                **about,
            )
            for number, priority in ((1, 5), (2, 10))
        ),
    )


def same_target() -> Sample:
    """Two deployments to one target, and nothing decides between them: an effect conflict that asks."""
    return _set(
        "same target",
        *(
            _intent(
                f"Deploy checkout {version}",
                f"deploy_checkout_{number}: deploy: deploy version {version} of the service checkout",
                created_at=moment,
                modules=["service:checkout"],
                areas=["ops"],
            )
            for number, version, moment in ((1, "1.9", EARLY), (2, "2.0", LATE))
        ),
        env="staging",
    )


def dependency() -> Sample:
    """One plan makes a schema, another a client from it, and no order is declared: an order conflict."""
    return _set(
        "dependency",
        _intent(
            "Write the client from the schema",
            "write_client: write: write sdk/client.py from the schema",
            files=["sdk/client.py"],
            areas=["backend"],
            evidence=["file://api/schema.json"],
        ),
        _intent(
            "Write the schema of the API",
            "write_schema: write: write api/schema.json from the routes",
            files=["api/schema.json"],
            areas=["backend"],
        ),
    )


def ignored_lock() -> Sample:
    """One plan locks a folder that another, which knows no lock, writes into: a constraint conflict."""
    return _set(
        "ignored lock",
        _intent("Move the handlers", "move_handlers: write: move src/api", files=["src/api/a.py"], lock=["src/api"]),
        _intent("Format everything", "format_all: write: format src/api/b.py", files=["src/api/b.py"]),
    )


def _intent(title: str, command: str, created_at: str = EARLY, status: str = "approved", **about: Any) -> Data:
    return new_intent(title, project="shop", created_at=created_at, commands=[command], status=status, **about)


def _set(name: str, *intents: Data, env: str = "local") -> Sample:
    ids = [intent["id"] for intent in intents]
    intent_set = new_set(name, ids, project="shop", created_at=LATE, env=env)
    return intent_set, {intent["id"]: intent for intent in intents}
