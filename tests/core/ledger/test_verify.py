"""Verification: any damage is noticed with the right record, and what a chain cannot show is stated."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.ledger.damage import files, plain_chain, seq_at, write
from volition.core.errors import BrokenRecord, InvalidInput
from volition.core.ledger import Anchor, Ledger, read, verify
from volition.core.ledger.fault import FaultKind
from volition.core.ledger.line import seal
from volition.core.ledger.segment import CLOSED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told

COUNT = 14
RECORDS = [{"n": n, "said": "né\n" * (n % 3)} for n in range(1, COUNT + 1)]
SMALL = 700
"""A segment limit that gives several segments with several records each."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write(tmp_path_factory.mktemp("ledger") / "whole", RECORDS, segment_bytes=SMALL)
    assert len(files(folder)) >= 3
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "copy")


class Copies:
    """A fresh copy of a ledger for every example."""

    def __init__(self, whole: Path) -> None:
        self.whole = whole
        self.place = TemporaryDirectory()

    def __enter__(self) -> Path:
        return shutil.copytree(self.whole, Path(self.place.name) / "copy")

    def __exit__(self, *_: object) -> None:
        self.place.cleanup()


def line_of(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset)


def everything(whole: Path) -> list[tuple[Path, int]]:
    return [(path, offset) for path in files(whole) for offset in range(path.stat().st_size)]


def whole_lines(whole: Path) -> list[tuple[Path, int]]:
    return [(path, n) for path in files(whole) for n in range(path.read_bytes().count(b"\n"))]


def test_the_layout_needs_no_package_to_be_checked(whole: Path) -> None:
    """A few lines of json and hashlib that know only the layout accept what was written, and read it."""
    assert plain_chain(whole) == list(enumerate(RECORDS, 1))
    assert [(record.seq, record.body) for record in read(whole)] == list(enumerate(RECORDS, 1))


def test_an_intact_ledger_says_so_and_what_it_cannot_show(whole: Path, told: Told) -> None:
    """An intact ledger is reported with its count, its head hash, and the two things that no chain shows without an anchor."""
    found = verify(whole)
    assert (found.intact, found.count, found.fault) == (True, COUNT, None)
    assert found.head == json.loads(files(whole)[-1].read_bytes().splitlines()[-1])["hash"]
    told(found)
    assert "rewritten" in str(found)
    assert len(verify(whole, Anchor(found.count, found.head)).cannot_show) == 1


@settings(deadline=None)
@given(data=st.data())
def test_any_changed_byte_is_named(whole: Path, data: st.DataObject) -> None:
    """Whichever byte is changed to whatever value, the record (or header) that contains it is named, and appending is refused."""
    path, offset = data.draw(st.sampled_from(everything(whole)))
    raw = bytearray(path.read_bytes())
    raw[offset] = data.draw(st.integers(0, 255).filter(lambda byte: byte != raw[offset]))
    line = line_of(path.read_bytes(), offset)
    with Copies(whole) as folder:
        (folder / path.name).write_bytes(raw)
        fault = verify(folder).fault
        assert fault is not None
        assert (fault.segment, fault.line, fault.seq) == (path.name, line + 1, seq_at(whole, path, line))
        assert fault.reason is (FaultKind.BROKEN_HEADER if line == 0 else FaultKind.CHANGED)
        before = {file: file.read_bytes() for file in files(folder)}
        with pytest.raises(BrokenRecord):
            Ledger(folder, kind="test")
        assert {file: file.read_bytes() for file in files(folder)} == before
        with pytest.raises(BrokenRecord):
            list(read(folder))


def test_a_changed_line_end_is_damage_and_never_a_torn_tail(whole: Path) -> None:
    """Every line end, even the last, is part of its record: if it is changed, the record is named and nothing is cut."""
    for path in files(whole):
        raw = path.read_bytes()
        ends = [offset for offset, byte in enumerate(raw) if byte == ord("\n")]
        for line, offset in enumerate(ends):
            with Copies(whole) as folder:
                damaged = raw[:offset] + b" " + raw[offset + 1 :]
                (folder / path.name).write_bytes(damaged)
                fault = verify(folder).fault
                assert fault is not None
                assert (fault.segment, fault.line) == (path.name, line + 1)
                assert fault.reason is (FaultKind.CHANGED if line else FaultKind.BROKEN_HEADER)
                with pytest.raises(BrokenRecord):
                    Ledger(folder, kind="test")
                assert (folder / path.name).read_bytes() == damaged


@settings(deadline=None)
@given(data=st.data())
def test_a_removed_line_is_named(whole: Path, data: st.DataObject) -> None:
    """A removed record is missing, a removed header broken; at the very end only an anchor or the closing note shows it."""
    path, line = data.draw(st.sampled_from(whole_lines(whole)))
    lines = path.read_bytes().splitlines(keepends=True)
    anchor = Anchor(COUNT, verify(whole).head)
    seq = seq_at(whole, path, line)
    with Copies(whole) as folder:
        (folder / path.name).write_bytes(b"".join(lines[:line] + lines[line + 1 :]))
        closed = verify(folder)
        (folder / CLOSED).unlink()
        found, anchored = verify(folder), verify(folder, anchor)
        assert closed.fault is not None
        assert (closed.fault.reason, closed.fault.seq) == (anchored.fault and anchored.fault.reason, seq)
        if seq == COUNT and line > 0:
            assert (found.intact, found.count) == (True, COUNT - 1)
            assert found.cannot_show[0] == "records cut off the end"
            found = anchored
        assert found.fault is not None
        assert found.fault.reason is (FaultKind.MISSING if line else FaultKind.BROKEN_HEADER)
        assert found.fault.seq == seq
        assert anchored.fault == found.fault


@settings(deadline=None)
@given(data=st.data())
def test_two_swapped_lines_are_named(whole: Path, data: st.DataObject) -> None:
    """If two lines are swapped, in one segment or across two, the first wrong place is named."""
    everywhere = whole_lines(whole)
    first, second = sorted(
        data.draw(st.lists(st.integers(0, len(everywhere) - 1), min_size=2, max_size=2, unique=True))
    )
    (path, line), (other, other_line) = everywhere[first], everywhere[second]
    with Copies(whole) as folder:
        lines = {file.name: file.read_bytes().splitlines(keepends=True) for file in files(folder)}
        one, two = lines[path.name][line], lines[other.name][other_line]
        lines[path.name][line], lines[other.name][other_line] = two, one
        for name, content in lines.items():
            (folder / name).write_bytes(b"".join(content))
        fault = verify(folder).fault
        assert fault is not None
        assert (fault.segment, fault.line, fault.seq) == (path.name, line + 1, seq_at(whole, path, line))
        if line > 0 or other_line == 0:
            assert fault.reason is FaultKind.OUT_OF_ORDER
        else:
            assert fault.reason is FaultKind.BROKEN_HEADER


@settings(deadline=None)
@given(data=st.data())
def test_a_cut_anywhere_is_named(whole: Path, data: st.DataObject) -> None:
    """A file cut anywhere is noticed; a cut at a line end of the last segment is shown by an anchor, and only by it."""
    path, offset = data.draw(st.sampled_from(everything(whole)))
    raw = path.read_bytes()
    line = line_of(raw, offset)
    at_line_end = offset == 0 or raw[offset - 1 : offset] == b"\n"
    last = path == files(whole)[-1]
    anchor = Anchor(COUNT, verify(whole).head)
    with Copies(whole) as folder:
        (folder / path.name).write_bytes(raw[:offset])
        found, anchored = verify(folder), verify(folder, anchor)
        seq = seq_at(whole, path, line)
        if line == 0:
            expected = FaultKind.BROKEN_HEADER
        elif at_line_end:
            expected = FaultKind.MISSING
            if last:
                assert found.intact
                found = anchored
        else:
            expected = FaultKind.TORN if last else FaultKind.CHANGED
        assert found.fault is not None
        assert (found.fault.reason, found.fault.seq) == (expected, seq)
        assert anchored.fault is not None
        assert anchored.fault.seq == seq


def rewritten(folder: Path, records: list[dict[str, int]]) -> Path:
    return write(folder, records, segment_bytes=SMALL)


def test_only_an_anchor_shows_a_rewritten_ledger(tmp_path: Path) -> None:
    """A ledger rewritten with new hashes is valid by its own chain but not by an anchor, whichever record changed."""
    records = [{"n": n} for n in range(10)]
    true = verify(rewritten(tmp_path / "true", records))
    for changed in range(10):
        forged = rewritten(tmp_path / f"forged{changed}", [{"n": n + (n == changed)} for n in range(10)])
        assert verify(forged).intact
        fault = verify(forged, Anchor(true.count, true.head)).fault
        assert fault is not None
        assert (fault.reason, fault.seq) == (FaultKind.REWRITTEN, 10)


def test_an_anchor_holds_for_what_came_before_it(tmp_path: Path) -> None:
    """Anchors taken at any moment, even before the first record, match the ledger that grew from there."""
    with Ledger(tmp_path, kind="test", segment_bytes=SMALL, durability="close") as ledger:
        anchors = [ledger.anchor()]
        for record in RECORDS:
            ledger.append(record)
            anchors.append(ledger.anchor())
    for anchor in anchors:
        found = verify(tmp_path, Anchor.parse(str(anchor)))
        assert found.intact
        assert f"after record {anchor.count}" in found.cannot_show[0]
        other = Anchor(anchor.count, "f" * 64)
        fault = verify(tmp_path, other).fault
        assert fault is not None
        assert fault.reason is FaultKind.REWRITTEN
    assert verify(tmp_path).head == anchors[-1].hash


def segment_faults(copy: Path, whole: Path, tmp_path: Path) -> Iterator[tuple[str, FaultKind, str]]:
    """Damage the copy by whole segments, one way after another, and say what must be found where."""
    one, two, three = (copy / path.name for path in files(whole)[:3])
    two.unlink()
    yield "removed", FaultKind.MISSING, two.name
    shutil.copy(three, two)
    yield "in the place of another", FaultKind.OUT_OF_ORDER, two.name
    stranger = write(tmp_path / "stranger", RECORDS, segment_bytes=SMALL, kind="other")
    shutil.copy(stranger / two.name, two)
    yield "of another ledger", FaultKind.FOREIGN, two.name
    twin = write(tmp_path / "twin", [{**record, "n": 9} for record in RECORDS], segment_bytes=SMALL)
    shutil.copy(twin / two.name, two)
    yield "of a ledger with the same header", FaultKind.FOREIGN, two.name
    two.write_bytes(b"")
    yield "emptied", FaultKind.BROKEN_HEADER, two.name
    one.unlink()
    yield "the first removed", FaultKind.MISSING, one.name


def test_a_damaged_segment_is_named(copy: Path, whole: Path, tmp_path: Path) -> None:
    """A segment that is missing, moved, emptied or foreign is named with its file and the right reason."""
    for what, reason, name in segment_faults(copy, whole, tmp_path):
        fault = verify(copy).fault
        assert fault is not None, what
        assert (fault.reason, fault.segment) == (reason, name), what


def test_a_changed_number_is_a_changed_record_and_a_repeated_line_is_out_of_order(copy: Path) -> None:
    """A record whose number alone was changed is called changed, and a line that is repeated is out of order."""
    path = files(copy)[0]
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b'"seq":2,', b'"seq":9,'))
    fault = verify(copy).fault
    assert fault is not None
    assert (fault.reason, fault.seq) == (FaultKind.CHANGED, 2)
    lines = raw.splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], *lines[1:]]))
    fault = verify(copy).fault
    assert fault is not None
    assert (fault.reason, fault.line, fault.seq) == (FaultKind.OUT_OF_ORDER, 4, 3)


def test_an_unknown_version_is_not_called_broken(tmp_path: Path) -> None:
    """A valid header of an unknown version is refused as such by verify, read and append."""
    header = b'{"format":"volition-ledger","version":2,"segment":1,"previous":"%b"}' % (b"0" * 64)
    (tmp_path / "000001.jsonl").write_bytes(seal(b"0" * 64, 0, header, field=b"header").line)
    for ask in (verify, lambda path: list(read(path)), lambda path: Ledger(path, kind="test")):
        with pytest.raises(InvalidInput, match="version 2"):
            ask(tmp_path)


@pytest.mark.parametrize("text", ["", "3", "3:", "3:abc", "-1:" + "a" * 64, "3:" + "A" * 64, "3:" + "a" * 64 + "\n"])
def test_a_bad_anchor_is_refused(text: str) -> None:
    """Only COUNT:HASH, as anchors are printed, is read as an anchor."""
    with pytest.raises(InvalidInput, match="anchor"):
        Anchor.parse(text)


def test_no_ledger_is_invalid_input_and_not_an_intact_one(tmp_path: Path) -> None:
    """A path that does not exist, a file, and a folder without segments are refused."""
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "1.jsonl").write_text("")
    for name in ("nothing", "file", "folder"):
        with pytest.raises(InvalidInput, match="ledger"):
            verify(tmp_path / name)
