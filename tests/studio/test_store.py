"""Records are reached by ids, and ids never become paths."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.studio.conftest import RUN
from tests.studio.served import Served, problem_of
from volition.core.ledger import Ledger
from volition.studio.errors import NoSuch
from volition.studio.store import RecordStore

if TYPE_CHECKING:
    from pathlib import Path

    from volition.drama import Evening


def ledger(path: Path, kind: str = "test") -> Path:
    with Ledger(path, kind=kind) as made:
        made.append({"a": 1})
    return path


@pytest.mark.parametrize(
    "id",
    ["..", ".", "../etc", "..%2f..%2fetc%2fpasswd", "%2e%2e", "....//", "..\\..", "/etc/passwd", "%00", "a%00b", "~root",
     "volition-runs/dinner-party-8", "volition-runs%2Fdinner-party-8", "dinner-party-8%2F..", "dinner-party-8/../dinner-party-8",
     "con", "a" * 5000, "%ff%fe", "{}", "*", "dinner-party-8%0d%0aX: y"],
)  # fmt: skip
def test_tricks_in_ids_lead_nowhere(served: Served, id: str) -> None:
    """An invalid id finds nothing, whatever dots, slashes, escapes, zero bytes or length it has."""
    for path in ("/runs/{}", "/records/{}", "/runs/{}/ticks", "/drives/{}", "/runs/{}/export.html"):
        answer = served.raw("/api/v1" + path.format(id))
        assert answer.status_code in {400, 404, 405}, path
        if answer.content != b"Invalid HTTP request received.":
            problem_of(answer)


@pytest.mark.parametrize(
    "path",
    [
        "..%2fapp.py",
        "../app.py",
        "%2e%2e/app.py",
        "....//app.py",
        "..\\app.py",
        "/etc/passwd",
        "%00",
        "",
        "none.js",
        "../none.json",
    ],
)
def test_tricks_in_file_names_lead_nowhere(served: Served, path: str) -> None:
    """Only the files of the pages are served."""
    answer = served.raw(f"/static/{path}")
    assert answer.status_code in {400, 404, 405}
    problem_of(answer)


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A link to a record elsewhere is not a record, and neither is a folder whose files are links."""
    home, elsewhere = tmp_path / "home", ledger(tmp_path / "elsewhere")
    (home / "volition-runs").mkdir(parents=True)
    (home / "volition-runs" / "linked").symlink_to(elsewhere)
    (home / "pretended").mkdir()
    (home / "pretended" / "000001.jsonl").symlink_to(elsewhere / "000001.jsonl")
    store = RecordStore(home)
    assert store.all() == []
    with pytest.raises(NoSuch):
        store.find("linked")


def test_ids_are_names_at_home_and_have_a_hash_elsewhere(tmp_path: Path) -> None:
    """Two records of one name in two folders have two ids, which stay the same when others come and go."""
    for place in ("volition-runs/same", "other/same", "deep/er/same", "volition-journals/strange name"):
        ledger(tmp_path / place)
    store = RecordStore(tmp_path)
    ids = {found.place: found.id for found in store.all()}
    assert ids["volition-runs/same"] == "same"
    assert len(set(ids.values())) == 4
    assert all(store.find(id).place == place for place, id in ids.items())
    ledger(tmp_path / "a" / "same")
    assert {found.place: found.id for found in store.all()}.items() > ids.items()


def test_it_looks_no_deeper_than_it_says(tmp_path: Path) -> None:
    """Records are found up to four folders deep; hidden folders are skipped."""
    ledger(tmp_path / "a" / "b" / "c" / "d")
    ledger(tmp_path / "a" / "b" / "c" / "e" / "f")
    ledger(tmp_path / ".hidden" / "x")
    assert [found.place for found in RecordStore(tmp_path).all()] == ["a/b/c/d"]


def test_new_names_are_free(tmp_path: Path) -> None:
    """A new record gets a new folder inside its home, whatever its name."""
    store = RecordStore(tmp_path)
    made = [store.new("volition-runs", name) for name in ("x", "x", "../../x", ".hidden", "a/b", "")]
    assert len(set(made)) == len(made)
    assert all(path.parent == (tmp_path / "volition-runs").resolve() for path in made)


def test_what_is_broken_is_listed_with_its_fault(tmp_path: Path, evening: Evening) -> None:
    """A changed record is listed as not intact, with its fault."""
    from volition.studio.studio import Studio

    evening.save(tmp_path / "volition-runs" / "good")
    evening.save(tmp_path / "volition-runs" / "bad")
    file = tmp_path / "volition-runs" / "bad" / "000001.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"tick":30', b'"tick":31', 1))
    studio = Studio(tmp_path)
    found = {record.id: record for record in studio.records(None).records}
    assert (found["good"].intact, found["good"].checked, found["good"].fault) == (True, "chain", None)
    assert found["bad"].intact is False
    assert found["bad"].fault
    assert (studio.check("good").intact, studio.check("good").checked) == (True, "whole")
    assert studio.check("bad").intact is False


def test_a_record_is_looked_at_again_when_it_changes(tmp_path: Path, evening: Evening) -> None:
    """A record is read again when its bytes change, even where size and time were set back."""
    from volition.studio.studio import Studio

    evening.save(tmp_path / "volition-runs" / RUN)
    studio = Studio(tmp_path)
    assert studio.check(RUN).intact
    file = tmp_path / "volition-runs" / RUN / "000001.jsonl"
    status = file.stat()
    file.write_bytes(file.read_bytes().replace(b'"tick":30', b'"tick":31', 1))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_size == status.st_size
    assert studio.record(RUN).intact is False
