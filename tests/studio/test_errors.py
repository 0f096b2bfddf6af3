"""Errors are answered as problems, and bugs without their traceback."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from tests.studio.conftest import RUN
from tests.studio.served import Served, problem_of
from volition.core.errors import BrokenRecord, InvalidInput, MissingPart, NotPossible, VolitionError
from volition.studio.errors import Busy, NoSuch, status_of
from volition.studio.store import RecordStore

if TYPE_CHECKING:
    from pathlib import Path


def test_a_bug_leaks_nothing(served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """An error that nobody foresaw is logged here with its traceback, and the page gets neither that nor its words."""

    def broken(*_: Any) -> Any:
        raise RuntimeError("the password is swordfish")

    monkeypatch.setattr(RecordStore, "all", broken)
    with caplog.at_level(logging.ERROR, logger="volition.studio"):
        answer = served.client.get("/api/v1/records")
    assert answer.status_code == 500
    assert "swordfish" not in answer.text
    assert "bug" in problem_of(answer)["what"]
    assert "swordfish" in caplog.text


def test_a_broken_run_is_refused(served: Served, folder: Path) -> None:
    """A run that was tampered with is a conflict with what was written, not a page of wrong numbers."""
    from shutil import copytree

    copytree(folder / "volition-runs" / RUN, folder / "volition-runs" / "tampered")
    file = folder / "volition-runs" / "tampered" / "000001.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"tick":30', b'"tick":31', 1))
    status, _ = served.refusal("GET", "/runs/tampered")
    assert status == 409


@pytest.mark.parametrize(
    ("error", "status"),
    [(NoSuch, 404), (Busy, 429), (InvalidInput, 400), (NotPossible, 409), (BrokenRecord, 409), (MissingPart, 503)],
)
def test_every_kind_of_error_has_a_status(error: type[VolitionError], status: int) -> None:
    """The kind of an error says its status."""
    assert status_of(error()) == status


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("DELETE", "/records", 405), ("GET", "/play", 405), ("GET", "/records?kind=x", 400)],
)
def test_unknown_addresses_and_methods_are_refused(served: Served, method: str, path: str, status: int) -> None:
    """The framework's own refusals have the same shape."""
    assert served.refusal(method, path)[0] == status


def test_invalid_json_is_refused(served: Served) -> None:
    """A body that cannot be read is a problem with the body."""
    for body in (b"{", b"\xff\xfe", b'{"seed": NaN}', b"nul", b'{"seed": 1e999}'):
        for path in ("/play", "/govern", "/decide", "/drives"):
            answer = served.client.post(f"/api/v1{path}", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code == 400
            problem_of(answer)
