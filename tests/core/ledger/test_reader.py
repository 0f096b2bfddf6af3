"""Readers: from anywhere, lazily, and while another process writes."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.ledger.child import body
from tests.core.ledger.damage import files, write
from tests.processes import PATIENCE
from volition.core.clock import ManualClock
from volition.core.errors import BrokenRecord, InvalidInput
from volition.core.ledger import Ledger, read, scan
from volition.core.ledger.reader import Reader
from volition.core.ledger.segment import CLOSED, segments


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("long") / "x", ({"n": n} for n in range(1, 61)), segment_bytes=900)


@settings(deadline=None)
@given(start=st.integers(1, 70))
def test_reading_from_a_record_is_reading_all_and_dropping_the_rest(long: Path, start: int) -> None:
    """Starting at any record gives the same records as reading everything from there on."""
    assert list(Reader(long).records(start=start)) == [record for record in read(long) if record.seq >= start]


def test_only_the_segments_that_are_asked_for_are_read(tmp_path: Path) -> None:
    """Records after a broken segment can be read by number, but not by reading through it."""
    folder = write(tmp_path / "x", ({"n": n} for n in range(1, 61)), segment_bytes=900)
    broken = files(folder)[1]
    broken.write_bytes(broken.read_bytes().replace(b'"n":', b'"m":'))
    assert [record.seq for record in Reader(folder).records(start=60)] == [60]
    with pytest.raises(BrokenRecord, match="changed record"):
        list(read(folder))
    broken.write_bytes(b"")
    with pytest.raises(BrokenRecord, match="broken header"):
        list(read(folder))


def test_a_broken_first_header_is_told_at_once(tmp_path: Path) -> None:
    """A reader of a ledger whose first header is broken or gone is refused before it reads anything."""
    folder = write(tmp_path / "x", [{"n": 1}, {"n": 2}], segment_bytes=1)
    first = files(folder)[0]
    first.write_bytes(first.read_bytes()[1:])
    with pytest.raises(BrokenRecord, match="broken header"):
        Reader(folder)
    first.unlink()
    with pytest.raises(BrokenRecord, match="missing record"):
        Reader(folder)


def test_a_record_is_good_up_to_the_broken_one(tmp_path: Path) -> None:
    """Everything before the first broken record is yielded, and nothing after."""
    folder = write(tmp_path / "x", ({"n": n} for n in range(1, 6)))
    path = files(folder)[0]
    path.write_bytes(path.read_bytes().replace(b'{"n":4}', b'{"n":5}'))
    seen: list[int] = []
    with pytest.raises(BrokenRecord):
        seen.extend(record.seq for record in read(folder))
    assert seen == [1, 2, 3]


def test_memory_does_not_grow_with_the_ledger(tmp_path: Path) -> None:
    """Reading a ledger of many megabytes takes few megabytes of memory."""
    folder = write(tmp_path / "x", ({"n": n, "pad": "x" * 1000} for n in range(9_000)))
    assert sum(path.stat().st_size for path in files(folder)) > 9_000_000
    tracemalloc.start()
    try:
        assert sum(1 for _ in read(folder)) == 9_000
        assert tracemalloc.get_traced_memory()[1] < 6_000_000
    finally:
        tracemalloc.stop()


def test_a_line_longer_than_a_read_is_read(tmp_path: Path) -> None:
    """A record of several megabytes is read back unchanged, and so are its neighbours."""
    records: list[dict[str, Any]] = [{"n": 1}, {"pad": "x" * 5_000_000}, {"n": 3}]
    assert [record.body for record in read(write(tmp_path / "x", records))] == records


def test_following_ends_by_timeout_and_by_stop(tmp_path: Path) -> None:
    """With a manual clock: it ends after the timeout without a record, or when stopped, after yielding everything written."""
    clock = ManualClock()
    with Ledger(tmp_path, kind="test") as ledger:
        ledger.append({"n": 1})
        assert [record.seq for record in Reader(tmp_path).follow(timeout=5, poll=1, clock=clock)] == [1]
        assert clock.monotonic() == 5
        asked = 0

        def stop() -> bool:
            nonlocal asked
            asked += 1
            ledger.append({"asked": asked})
            return asked == 3

        assert [record.seq for record in Reader(tmp_path).follow(start=2, stop=stop, clock=clock)] == [2, 3, 4]


def test_a_record_that_comes_puts_the_timeout_off(tmp_path: Path) -> None:
    """The timeout counts from the last record, including those before `start`."""
    clock = ManualClock()
    with Ledger(tmp_path, kind="test", clock=clock) as ledger:

        def stop() -> bool:
            if ledger.count < 4:
                ledger.append({"n": 0})
            return False

        seen = list(Reader(tmp_path).follow(start=4, stop=stop, timeout=2, poll=1.5, clock=clock))
    assert [record.seq for record in seen] == [4]


def test_half_a_line_is_waited_for_and_what_replaces_it_is_read(tmp_path: Path) -> None:
    """A follower that met an unfinished line later reads the complete line, even if it was cut and rewritten."""
    folder = write(tmp_path / "x", [{"n": 1}])
    path = files(folder)[0]
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"hash":"0123')
    (folder / CLOSED).unlink()
    follower = Reader(folder).follow(timeout=1, poll=0.1, clock=ManualClock())
    assert next(follower).seq == 1
    with Ledger(folder, kind="test") as ledger:
        assert ledger.cut == 13
        ledger.append({"n": 2})
    assert [record.body for record in follower] == [{"n": 2}]


def test_a_segment_that_ends_while_it_is_read_is_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that begins the next segment just as a reader looks for one hides nothing from it."""
    with Ledger(tmp_path, kind="test", segment_bytes=500) as ledger:
        ledger.append({"n": 1})

        def write_first(folder: Path) -> list[int]:
            monkeypatch.undo()
            ledger.append_many({"n": n} for n in range(2, 9))
            return segments(folder)

        reader = Reader(tmp_path)
        monkeypatch.setattr(scan, "segments", write_first)
        assert [record.seq for record in reader.records()] == list(range(1, 9))
    assert len(files(tmp_path)) > 1


def test_bad_starts_and_polls_are_refused(long: Path) -> None:
    """Records count from 1, and a follower has to sleep between two polls."""
    with pytest.raises(InvalidInput, match="start"):
        Reader(long).records(start=0)
    with pytest.raises(InvalidInput, match="poll"):
        next(Reader(long).follow(poll=0))


def test_many_processes_follow_one_writer(tmp_path: Path) -> None:
    """Followers in other processes see every record once, in order, across segments, while the ledger is being written."""
    count = 600
    child = Path(__file__).with_name("child.py")
    with Ledger(tmp_path, kind="test", durability="interval", segment_bytes=400_000) as ledger:
        followers = [
            subprocess.Popen([sys.executable, str(child), "follow", str(tmp_path), str(count)], stdout=subprocess.PIPE)
            for _ in range(2)
        ]
        for follower in followers:
            assert follower.stdout is not None
            assert follower.stdout.readline() == b"ready\n"
        while ledger.count < count:
            ledger.append(body(ledger.count + 1))
        answers = [follower.communicate(timeout=PATIENCE)[0] for follower in followers]
    truth = sha256()
    for record in read(tmp_path):
        truth.update(b"%d %b %b\n" % (record.seq, record.hash.encode(), record.raw))
    assert len(files(tmp_path)) > 5
    assert answers == [truth.hexdigest().encode()] * 2
