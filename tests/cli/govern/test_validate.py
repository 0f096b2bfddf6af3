"""`volition govern validate`: every fault is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.govern.desk import govern, govern_json, lay_out, situation
from volition.core.document import dump_json
from volition.governance.documents.kinds import KINDS, LIMITS
from volition.governance.gates.fixtures import invalid_fixtures, valid_document

if TYPE_CHECKING:
    from pathlib import Path

    from volition.governance.gates.fixtures import Fixture


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which all of it happens."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.req("GV-15")
@pytest.mark.parametrize("kind", KINDS)
def test_validate_accepts_what_is_valid(desk: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    """A valid document of each kind ends with 0; every other kind refuses it with 2."""
    (desk / "it.json").write_text(dump_json(valid_document(kind)), encoding="utf-8")
    code, out, _ = govern(capsys, "validate", "--kind", kind, "it.json")
    assert (code, out.splitlines()[0]) == (0, "it.json: valid")
    for other in KINDS:
        assert govern(capsys, "validate", "--kind", other, "it.json")[0] == (0 if other == kind else 2)


@pytest.mark.req("GV-15")
@pytest.mark.parametrize("fixture", invalid_fixtures(), ids=lambda fixture: fixture.name)
def test_validate_names_each_fault(desk: Path, capsys: pytest.CaptureFixture[str], fixture: Fixture) -> None:
    """Each invalid fixture ends with 2, and --json lists its findings with path, code and message."""
    (desk / "it.json").write_bytes(fixture.content)
    code, (told,) = govern_json(capsys, "validate", "--kind", fixture.kind, "it.json")
    assert (code, told["file"], told["valid"]) == (2, "it.json", False)
    errors = [finding for finding in told["findings"] if not finding["warning"]]
    expected = "file" if len(fixture.content) > LIMITS[fixture.kind] else fixture.code
    assert {error["code"] for error in errors} == {expected}
    assert all(error["path"] and error["message"] and error["expected"] and error["remedy"] for error in errors)
    out = govern(capsys, "validate", "--kind", fixture.kind, "it.json")[1]
    assert out.startswith(f"it.json: invalid\n  {expected} at {errors[0]['path']}: ")


@pytest.mark.req("GV-01", "GV-15")
def test_validate_tells_of_all_files_at_once(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Several files are checked in one go; one that is invalid makes the code 2, and a registry makes ids errors."""
    _, intents = situation("clear_priority")
    lay_out(desk, intents)
    files = sorted(file.name for file in desk.glob("intent_*.json"))
    bad = {**intents[0], "title": "no", "status": "lost", "checksum": 1}
    (desk / "bad.json").write_text(dump_json(bad), encoding="utf-8")
    code, told = govern_json(capsys, "validate", "--kind", "intent", *files, "bad.json", "missing.json")
    assert (code, [one["valid"] for one in told]) == (2, [True, True, False, False])
    assert [finding["code"] for finding in told[3]["findings"]] == ["file"]
    assert {finding["path"] for finding in told[2]["findings"]} == {"$.title", "$.status", "$.checksum", "$.audit.checksum"}  # fmt: skip
    (desk / "policy.toml").write_text(
        "[registry]\nworkflows = ['change']\nagents = ['author']\ncommands = ['refactor_api_v1']\n", encoding="utf-8"
    )
    code, told = govern_json(capsys, "validate", "--kind", "intent", *files, "--policy", "policy.toml")
    assert (code, [[f["code"] for f in one["findings"]] for one in told]) == (2, [[], ["I5"]])
