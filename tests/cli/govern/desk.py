"""A folder to govern in: the common situations as files, and command lines as a person types them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.cli.lines import Ended, run, run_json
from tests.governance.scenarios import SCENARIOS
from volition.core.document import dump_json
from volition.core.manifest import MANIFEST
from volition.governance.evaluation_folder import INPUTS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    Data = dict[str, Any]

WRITTEN = ("merge_plan.json", "merged_intent.json", "question_pack.json", "result.json")


def lay_out(folder: Path, documents: Iterable[Data]) -> Path:
    """Write documents into a folder, the set as set.json and intents by their ids; returns the set's file."""
    folder.mkdir(parents=True, exist_ok=True)
    for data in documents:
        name = "set" if data["type"] == "intent_set" else data["id"]
        (folder / f"{name}.json").write_text(dump_json(data), encoding="utf-8")
    return folder / "set.json"


def situation(name: str) -> tuple[Data, list[Data]]:
    """One of the common situations: its set, and its intents."""
    intent_set, *intents = SCENARIOS[name]()
    return intent_set, intents


def govern(capsys: pytest.CaptureFixture[str], *arguments: object) -> Ended:
    """Run one `volition govern` command line."""
    return run(capsys, "govern", *arguments)


def govern_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any]:
    """The exit code of a `volition govern` command line, and what it answers with --json."""
    return run_json(capsys, "govern", *arguments)


def content_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, with its bytes, except manifests and the inputs that evaluations store."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    kept = (file for file in files if file.name != MANIFEST and file.parent.name != INPUTS)
    return {str(file.relative_to(folder)): file.read_bytes() for file in kept}
