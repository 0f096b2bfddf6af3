"""A ledger that was closed properly records where it ends, and any difference is noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from volition.core.ledger import Anchor, BrokenLedger, Ledger, verify
from volition.core.ledger.fault import FaultKind
from volition.core.ledger.segment import CLOSED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told


def closed(folder: Path, count: int = 3) -> Path:
    """A properly closed ledger with this many records; its last file."""
    with Ledger(folder, kind="test", segment_bytes=300) as ledger:
        ledger.append_many({"n": n} for n in range(count))
    return max(folder.glob("*.jsonl"))


def test_closing_says_where_it_ends_and_opening_takes_that_back(tmp_path: Path) -> None:
    """The note is the ledger's anchor, exists only while nobody writes, and is right after every closing."""
    file = tmp_path / CLOSED
    for count in (1, 2):
        with Ledger(tmp_path, kind="test") as ledger:
            assert not file.exists()
            assert not verify(tmp_path).closed
            ledger.append({"n": count})
            anchor = ledger.anchor()
        assert file.read_text(encoding="ascii") == f"{anchor}\n"
        assert Anchor.parse(file.read_text(encoding="ascii").strip()).count == count
        assert (verify(tmp_path).closed, verify(tmp_path).intact) == (True, True)


@pytest.mark.parametrize("cut", [1, 2])
def test_records_cut_off_a_closed_ledger_are_missed_and_nothing_is_built_upon_it(
    tmp_path: Path, cut: int, told: Told
) -> None:
    """Complete lines cut off the end are noticed without an external anchor, and the next writer refuses too."""
    file = tmp_path / "000001.jsonl"
    closed(tmp_path, 1)
    with Ledger(tmp_path, kind="test") as ledger:
        ledger.append_many({"n": n} for n in range(2))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-cut]))
    fault = verify(tmp_path).fault
    assert fault is not None
    assert (fault.reason, fault.seq) == (FaultKind.MISSING, 4 - cut)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with told.raises(BrokenLedger):
        Ledger(tmp_path, kind="test")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_segment_cut_off_a_closed_ledger_is_missed(tmp_path: Path) -> None:
    """A missing last segment, with all its records, is noticed."""
    closed(tmp_path, 6).unlink()
    fault = verify(tmp_path).fault
    assert fault is not None
    assert fault.reason is FaultKind.MISSING


def test_bytes_after_a_closed_ledger_are_no_unfinished_write(tmp_path: Path, told: Told) -> None:
    """Bytes after the end of a closed ledger are damage: they are reported, and no writer cuts them off."""
    file = closed(tmp_path)
    with file.open("ab") as end:
        end.write(b'{"hash":"')
    assert verify(tmp_path).fault
    with told.raises(BrokenLedger):
        Ledger(tmp_path, kind="test")


def test_a_record_chained_on_after_the_closing_is_seen(tmp_path: Path) -> None:
    """A record that somebody appended without opening the ledger is not part of what was closed."""
    closed(tmp_path, 1)
    note = (tmp_path / CLOSED).read_bytes()
    with Ledger(tmp_path, kind="test") as ledger:
        ledger.append({"n": "more"})
    (tmp_path / CLOSED).write_bytes(note)
    fault = verify(tmp_path).fault
    assert fault is not None
    assert (fault.reason, fault.seq) == (FaultKind.REWRITTEN, 2)


def test_a_note_that_was_changed_is_seen(tmp_path: Path) -> None:
    """Every byte of the note counts, and so does its length."""
    closed(tmp_path)
    whole = (tmp_path / CLOSED).read_bytes()
    damaged = [whole[:-1], whole + b"\n", whole + b"x" * 200, b"", b"\xff" + whole[1:]]
    damaged += [whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1 :] for n in range(len(whole))]
    for content in damaged:
        (tmp_path / CLOSED).write_bytes(content)
        assert not verify(tmp_path).intact, content
    (tmp_path / CLOSED).unlink()
    (tmp_path / CLOSED).mkdir()
    assert not verify(tmp_path).intact
