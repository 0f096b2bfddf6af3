"""A desk to govern at: the common situations as files, and command lines as a person types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.governance.scenarios import SCENARIOS
from volition.cli.main import main
from volition.core.document import dump_json
from volition.core.manifest import MANIFEST
from volition.governance.keeping import INPUTS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    Data = dict[str, Any]

WRITTEN = ("merge_plan.json", "merged_intent.json", "question_pack.json", "result.json")


def lay_out(folder: Path, documents: Iterable[Data]) -> Path:
    """Write documents into a folder, the set as set.json and intents by their ids; gives the set's file."""
    folder.mkdir(parents=True, exist_ok=True)
    for data in documents:
        name = "set" if data["type"] == "intent_set" else data["id"]
        (folder / f"{name}.json").write_text(dump_json(data), encoding="utf-8")
    return folder / "set.json"


def situation(name: str) -> tuple[Data, list[Data]]:
    """One of the common situations: its set, and its intents."""
    intent_set, *intents = SCENARIOS[name]()
    return intent_set, intents


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """Run one `volition govern` command line: its exit code and what it printed."""
    capsys.readouterr()
    code = main(["govern", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert "bug in volition" not in err, err
    return code, out, err


def answered(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, Any]:
    """The exit code of a command line, and what it answers with --json."""
    code, out, _ = said(capsys, *arguments, "--json")
    return code, json.loads(out)


def content_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, with its bytes, but for manifests and the inputs that evaluations keep."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    kept = (file for file in files if file.name != MANIFEST and file.parent.name != INPUTS)
    return {str(file.relative_to(folder)): file.read_bytes() for file in kept}
