"""Forged archives: whatever is changed in a checkpoint, in an archive, or in what the record says of it, is named."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.archived import LATER, Archived, seqs
from tests.workflow.forging import Forger
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import photograph, put_back
from tests.workflow.test_team import HandClock
from volition.core.errors import BrokenRecord
from volition.workflow import (
    Members,
    Team,
    archive_events,
    verify_archives,
    verify_registry,
    write_backup,
)
from volition.workflow.store.files import rows_text, text_digest
from volition.workflow.store.rows import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.req("WF-08")


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Archived]:
    made = Archived(tmp_path, HandClock())
    yield made
    made.store.close()


def test_a_checkpoint_that_was_edited_is_named(lived: Archived) -> None:
    """A changed row in the checkpoint, with the same row changed in its table, is not what the keeper signed; with the archive it is not
    what the archive leads to, even if the event was forged to fit."""
    file = lived.archive(before=LATER)
    with lived.store.read() as connection:
        text = connection.exec_driver_sql("SELECT rows FROM checkpoint").scalar_one()
    edited = text.replace('"holder":"bob"', '"holder":"eve"')
    assert edited != text
    lived.run("UPDATE checkpoint SET rows = ?", edited)
    lived.run("UPDATE plan SET holder = 'eve' WHERE holder = 'bob'")
    assert "the checkpoint after event" in lived.faults()[0]
    assert "by ann" in lived.faults()[0]
    # Whoever has the keeper's key signs the event again: only the archive tells.
    (event,) = lived.team.history()
    lived.run("DELETE FROM event")
    lived.run("UPDATE project SET seq = ?, head = ?", event.seq - 1, event.body["head"])
    Forger(lived.store, lived.store.signer).repeat(event, rows=text_digest(edited))
    assert lived.faults() == ()
    assert "the checkpoint after event" in lived.faults(file)[0]


@pytest.mark.parametrize("column", ["project", "head", "rows", "through"])
@pytest.mark.parametrize("value", ["x", 5, b"x"])
def test_no_column_of_a_checkpoint_can_be_changed_unnoticed(lived: Archived, column: str, value: object) -> None:
    """Another text, number or blob in any column of the checkpoint is a fault, and keeps nobody from verifying."""
    lived.archive(before=LATER)
    lived.run(f"UPDATE checkpoint SET {column} = ?", value)
    assert lived.faults()


@pytest.mark.parametrize("text", ["", "[]", "x", '["plan",{}]', '["none",{}]'])
def test_a_checkpoint_of_junk_is_named(lived: Archived, text: str) -> None:
    """A checkpoint that nobody can read is a fault, though a keeper signed its hash."""
    lived.archive(before=LATER)
    (event,) = lived.team.history()
    lived.run("UPDATE checkpoint SET rows = ?", text)
    lived.run("DELETE FROM event")
    lived.run("UPDATE project SET seq = ?, head = ?", event.seq - 1, event.body["head"])
    Forger(lived.store, lived.store.signer).repeat(event, rows=text_digest(text))
    assert "its rows cannot be read" in lived.faults()[0]


@pytest.mark.parametrize("how", ["edited", "cut", "resealed", "retold", "a backup"])
def test_an_archive_that_was_changed_is_named(lived: Archived, how: str) -> None:
    """A file that does not fit its seal, one that was sealed again, one whose last line lies, and one that is no archive are faults that
    name the file, alone and with the registry."""
    file = lived.archive()
    lines = file.read_bytes().splitlines(keepends=True)
    if how == "a backup":
        file.unlink()
        write_backup(lived.store, file, [PROJECT])
        assert "not an archive" in lived.faults(file)[0]
        return
    if how == "cut":
        lines = lines[:-1]
    elif how == "retold":
        last = json.loads(lines[-1])
        last["projects"][0]["rows"] = "0" * 64
        lines[-1] = json.dumps(last).encode() + b"\n"
    else:
        lines[3] = lines[3].replace(b"ann", b"eve")
    if how == "resealed":
        lines[-1] = (
            json.dumps(json.loads(lines[-1]) | {"seal": sha256(b"".join(lines[:-1])).hexdigest()}).encode() + b"\n"
        )
    file.write_bytes(b"".join(lines))
    named = {"resealed": "was changed", "retold": "its last line"}.get(how, "seal does not fit")
    assert named in lived.faults(file)[0]
    assert "spring.archive" in lived.faults(file)[0]
    if how in {"edited", "cut"}:
        with pytest.raises(BrokenRecord, match="seal"):
            verify_archives([file])
    else:
        assert named in verify_archives([file]).faults[0]
    assert lived.faults() == ()


def test_another_archive_is_named(lived: Archived, tmp_path: Path) -> None:
    """An archive of another registry of the same project, and one of a registry that was not archived, do not lead here; neither does the
    right one, made again at another time, because the keeper signed its seal."""
    before = photograph(lived.store)
    first = lived.archive("first")
    put_back(lived.store, before)
    assert "what follows begins after event 0" in lived.faults(first)[0]
    lived.clock.now += 5
    lived.archive("second")
    assert "the archive has the seal" in lived.faults(first)[0]
    (tmp_path / "other").mkdir()
    other = Archived(tmp_path / "other", HandClock())
    other.team.register(document("dddddd", "d.py"), "ann")
    wrong = other.archive(before=LATER)
    other.store.close()
    assert "the archives end with event" in lived.faults(wrong)[0]


def test_an_archive_of_another_project_is_named(lived: Archived) -> None:
    """The file says whose it is."""
    lived.archive()
    bakery = Team(lived.store, "bakery")
    Members(bakery).join("ann")
    archive_events(bakery, lived.folder / "bakery.archive", LATER, "ann")
    assert "is of bakery; expected one of shop" in lived.faults(lived.folder / "bakery.archive")[0]
    assert verify_registry(lived.store, "bakery", archives=[lived.folder / "bakery.archive"]).intact


def test_an_archive_by_somebody_who_is_no_keeper_is_unlawful(lived: Archived) -> None:
    """Whoever deletes events and tells of an archive in a member's name is found: that takes a keeper."""
    lived.archive()
    told = next(event for event in lived.team.history() if event.what == "archived")
    lived.run("DELETE FROM event WHERE seq = ?", told.seq)
    before = max(seqs(lived.team))
    head = next(event.hash for event in lived.team.history() if event.seq == before)
    lived.run("UPDATE project SET seq = ?, head = ?", before, head)
    Forger(lived.store, lived.store.signer).append("archived", PROJECT, "bob", **told.body)
    assert "this takes a keeper" in lived.faults()[0]


@pytest.mark.parametrize("body", [{"through": 0}, {"through": 10**6}, {"through": "3"}, {"seal": 7}, {"more": ""}])
def test_an_unlawful_archive_is_named(lived: Archived, body: dict[str, Any]) -> None:
    """An archive that ends before the one before it, or with an event that has not happened, is unlawful, and so are details that are none."""
    lived.archive()
    told = next(event for event in lived.team.history() if event.what == "archived")
    Forger(lived.store, lived.store.signer).append(
        "archived", PROJECT, "ann", **(told.body | {"through": told.seq} | body)
    )
    assert f"event {told.seq + 1} (archived" in lived.faults()[0]


def test_an_archive_that_was_not_made_is_named(lived: Archived) -> None:
    """An event that tells of an archive whose events are still here is a fault; so is a wrong hash of the last event, or of its rows."""
    forger = Forger(lived.store, lived.store.signer)
    said: dict[str, Any] = {"through": 3, "head": "0" * 64, "rows": "0" * 64, "seal": "0" * 64, "file": "x"}
    before = photograph(lived.store)
    forger.append("archived", PROJECT, "ann", **said)
    assert "event 3 is still here" in lived.faults()[0]
    put_back(lived.store, before)
    lived.archive()
    lived.run("UPDATE checkpoint SET head = ?", "0" * 64)
    assert "the checkpoint after event" in lived.faults()[0]


def test_events_that_were_deleted_without_an_archive_are_named(lived: Archived) -> None:
    """The first events may be missing only where a keeper has signed to what they led."""
    before = photograph(lived.store)
    lived.run("DELETE FROM event WHERE seq <= 4")
    assert "event 1 is missing" in lived.faults()[0]
    put_back(lived.store, before)
    kinds = {kind.TABLE: kind for kind in KINDS}
    rows = rows_text(kinds[name](**row) for name, rows in before.items() if name in kinds for row in rows)
    lived.run("DELETE FROM event")
    lived.run("INSERT INTO checkpoint (project, head, rows, through) SELECT project, head, ?, seq FROM project", rows)
    assert "events up to" in lived.faults()[0]
    put_back(lived.store, before)
    lived.archive()
    lived.run("DELETE FROM event WHERE seq = (SELECT min(seq) FROM event)")
    assert "is missing" in lived.faults()[0]
    put_back(lived.store, before)
    lived.archive("again")
    lived.run("DELETE FROM checkpoint")
    assert "event 1 is missing" in lived.faults()[0]


def test_rows_and_the_mark_of_the_archive_are_compared(lived: Archived) -> None:
    """A row that no event here has changed is compared with the checkpoint, and so is where the archive ends."""
    lived.archive(before=LATER)
    lived.run("UPDATE plan SET holder = 'eve' WHERE plan_id = 'intent_aaaaaa'")
    lived.run("UPDATE project SET archived = 0")
    faults = lived.faults()
    assert any(
        "holder of the plan intent_aaaaaa" in fault and "by the checkpoint after event" in fault for fault in faults
    )
    assert any("archived of the project" in fault for fault in faults)
