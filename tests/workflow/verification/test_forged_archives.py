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
from volition.core.errors import BrokenRecord
from volition.workflow import Members, Team, archive_events, verify_registry, write_backup
from volition.workflow.store.files import rows_text, text_digest
from volition.workflow.store.rows import KINDS
from volition.workflow.verification.verify import verify_archives

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("WF-08")


def test_a_checkpoint_that_was_edited_is_named(archived: Archived, told: Told) -> None:
    """A changed row in the checkpoint, with the same row changed in its table, is not what the keeper signed; with the archive it is not
    what the archive leads to, even if the event was forged to fit."""
    file = archived.archive(before=LATER)
    with archived.store.read() as connection:
        text = connection.exec_driver_sql("SELECT rows FROM checkpoint").scalar_one()
    edited = text.replace('"holder":"bob"', '"holder":"eve"')
    assert edited != text
    archived.run("UPDATE checkpoint SET rows = ?", edited)
    archived.run("UPDATE plan SET holder = 'eve' WHERE holder = 'bob'")
    told(archived.faults()[0])
    assert "by ann" in archived.faults()[0]
    # Whoever has the keeper's key signs the event again: only the archive tells.
    (event,) = archived.team.history()
    archived.run("DELETE FROM event")
    archived.run("UPDATE project SET seq = ?, head = ?", event.seq - 1, event.body["head"])
    Forger(archived.store, archived.store.signer).repeat(event, rows=text_digest(edited))
    assert archived.faults() == ()
    told(archived.faults(file)[0])


@pytest.mark.parametrize("column", ["project", "head", "rows", "through"])
@pytest.mark.parametrize("value", ["x", 5, b"x"])
def test_no_column_of_a_checkpoint_can_be_changed_unnoticed(archived: Archived, column: str, value: object) -> None:
    """Another text, number or blob in any column of the checkpoint is a fault, and keeps nobody from verifying."""
    archived.archive(before=LATER)
    archived.run(f"UPDATE checkpoint SET {column} = ?", value)
    assert archived.faults()


@pytest.mark.parametrize("text", ["", "[]", "x", '["plan",{}]', '["none",{}]'])
def test_a_checkpoint_of_junk_is_named(archived: Archived, text: str, told: Told) -> None:
    """A checkpoint that nobody can read is a fault, though a keeper signed its hash."""
    archived.archive(before=LATER)
    (event,) = archived.team.history()
    archived.run("UPDATE checkpoint SET rows = ?", text)
    archived.run("DELETE FROM event")
    archived.run("UPDATE project SET seq = ?, head = ?", event.seq - 1, event.body["head"])
    Forger(archived.store, archived.store.signer).repeat(event, rows=text_digest(text))
    told(archived.faults()[0])


@pytest.mark.parametrize("how", ["edited", "cut", "resealed", "retold", "a backup"])
def test_an_archive_that_was_changed_is_named(archived: Archived, how: str, told: Told) -> None:
    """A file that does not fit its seal, one that was sealed again, one whose last line lies, and one that is no archive are faults that
    name the file, alone and with the registry."""
    file = archived.archive()
    lines = file.read_bytes().splitlines(keepends=True)
    if how == "a backup":
        file.unlink()
        write_backup(archived.store, file, [PROJECT])
        told(archived.faults(file)[0])
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
    assert named in archived.faults(file)[0]
    assert "spring.archive" in archived.faults(file)[0]
    if how in {"edited", "cut"}:
        with pytest.raises(BrokenRecord, match="seal"):
            verify_archives([file])
    else:
        assert named in verify_archives([file]).faults[0]
    assert archived.faults() == ()


def test_another_archive_is_named(archived: Archived, tmp_path: Path, told: Told) -> None:
    """An archive of another registry of the same project, and one of a registry that was not archived, do not lead here; neither does the
    right one, made again at another time, because the keeper signed its seal."""
    before = photograph(archived.store)
    first = archived.archive("first")
    put_back(archived.store, before)
    told(archived.faults(first)[0])
    archived.clock.now += 5
    archived.archive("second")
    told(archived.faults(first)[0])
    (tmp_path / "other").mkdir()
    other = Archived(tmp_path / "other")
    other.team.register(document("dddddd", "d.py"), "ann")
    wrong = other.archive(before=LATER)
    other.store.close()
    told(archived.faults(wrong)[0])


def test_an_archive_of_another_project_is_named(archived: Archived, told: Told) -> None:
    """The file says whose it is."""
    archived.archive()
    bakery = Team(archived.store, "bakery")
    Members(bakery).join("ann")
    archive_events(bakery, archived.folder / "bakery.archive", LATER, "ann")
    told(archived.faults(archived.folder / "bakery.archive")[0])
    assert verify_registry(archived.store, "bakery", archives=[archived.folder / "bakery.archive"]).intact


def test_an_archive_by_somebody_who_is_no_keeper_is_unlawful(archived: Archived, told: Told) -> None:
    """Whoever deletes events and tells of an archive in a member's name is found: that takes a keeper."""
    archived.archive()
    made = next(event for event in archived.team.history() if event.what == "archived")
    archived.run("DELETE FROM event WHERE seq = ?", made.seq)
    before = max(seqs(archived.team))
    head = next(event.hash for event in archived.team.history() if event.seq == before)
    archived.run("UPDATE project SET seq = ?, head = ?", before, head)
    Forger(archived.store, archived.store.signer).append("archived", PROJECT, "bob", **made.body)
    told(archived.faults()[0])


@pytest.mark.parametrize("body", [{"through": 0}, {"through": 10**6}, {"through": "3"}, {"seal": 7}, {"more": ""}])
def test_an_unlawful_archive_is_named(archived: Archived, body: dict[str, Any]) -> None:
    """An archive that ends before the one before it, or with an event that has not happened, is unlawful, and so are details that are none."""
    archived.archive()
    told = next(event for event in archived.team.history() if event.what == "archived")
    Forger(archived.store, archived.store.signer).append(
        "archived", PROJECT, "ann", **(told.body | {"through": told.seq} | body)
    )
    assert f"event {told.seq + 1} (archived" in archived.faults()[0]


def test_an_archive_that_was_not_made_is_named(archived: Archived, told: Told) -> None:
    """An event that tells of an archive whose events are still here is a fault; so is a wrong hash of the last event, or of its rows."""
    forger = Forger(archived.store, archived.store.signer)
    said: dict[str, Any] = {"through": 3, "head": "0" * 64, "rows": "0" * 64, "seal": "0" * 64, "file": "x"}
    before = photograph(archived.store)
    forger.append("archived", PROJECT, "ann", **said)
    told(archived.faults()[0])
    put_back(archived.store, before)
    archived.archive()
    archived.run("UPDATE checkpoint SET head = ?", "0" * 64)
    told(archived.faults()[0])


def test_events_that_were_deleted_without_an_archive_are_named(archived: Archived, told: Told) -> None:
    """The first events may be missing only where a keeper has signed to what they led."""
    before = photograph(archived.store)
    archived.run("DELETE FROM event WHERE seq <= 4")
    told(archived.faults()[0])
    put_back(archived.store, before)
    kinds = {kind.TABLE: kind for kind in KINDS}
    rows = rows_text(kinds[name](**row) for name, rows in before.items() if name in kinds for row in rows)
    archived.run("DELETE FROM event")
    archived.run(
        "INSERT INTO checkpoint (project, head, rows, through) SELECT project, head, ?, seq FROM project", rows
    )
    told(archived.faults()[0])
    put_back(archived.store, before)
    archived.archive()
    archived.run("DELETE FROM event WHERE seq = (SELECT min(seq) FROM event)")
    assert "is missing" in archived.faults()[0]
    put_back(archived.store, before)
    archived.archive("again")
    archived.run("DELETE FROM checkpoint")
    told(archived.faults()[0])


def test_rows_and_the_mark_of_the_archive_are_compared(archived: Archived, told: Told) -> None:
    """A row that no event here has changed is compared with the checkpoint, and so is where the archive ends."""
    archived.archive(before=LATER)
    archived.run("UPDATE plan SET holder = 'eve' WHERE plan_id = 'intent_aaaaaa'")
    archived.run("UPDATE project SET archived = 0")
    told(*archived.faults())
