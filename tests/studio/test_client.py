"""A client that a generator makes from the OpenAPI document works."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tests.processes import PATIENCE
from tests.studio.conftest import RUN

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served


# Looked for, not imported: it is heavy, and only the process that generates needs it.
@pytest.mark.skipif(find_spec("openapi_python_client") is None, reason="openapi_python_client is not installed")
def test_a_generated_client_works(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client is made without a warning, its functions are named after the operations, and it reads what is returned."""
    (tmp_path / "document.json").write_text(json.dumps(served.get("/openapi.json")), encoding="utf-8")
    (tmp_path / "settings.yml").write_text("post_hooks: []\n", encoding="utf-8")
    arguments = ["generate", "--path", "document.json", "--output-path", "studio_client", "--meta", "none"]
    made = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", *arguments, "--config", "settings.yml", "--fail-on-warning"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    monkeypatch.syspath_prepend(str(tmp_path))
    models = import_module("studio_client.models")
    about = import_module("studio_client.api.records.read_about").sync
    decide = import_module("studio_client.api.decisions.decide").sync
    read_tick = import_module("studio_client.api.evenings.read_tick").sync
    asked = models.CaseAsked.from_dict({"document": {"candidates": ["a", "b"], "intentions": []}})
    with import_module("studio_client").Client(base_url=f"http://127.0.0.1:{served.port}") as client:
        assert about(client=client).name == "volition"
        assert decide(client=client, body=asked).decision.candidate == "a"
        assert read_tick(RUN, 3, client=client).tick == 3
        assert decide(client=client, body=models.CaseAsked.from_dict({})).problems[0].remedy
