"""The writer: numbers, segments, one writer at a time, and errors that leave the ledger intact."""

from __future__ import annotations

import errno
import os
import resource
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.ledger.damage import files, plain_chain
from volition.core.clock import ManualClock
from volition.core.errors import InvalidInput, MissingPart
from volition.core.ledger import Ledger, read, verify
from volition.core.ledger.line import encode
from volition.core.ledger.reader import Reader
from volition.core.ledger.segment import LOCK

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told


def bodies(folder: Path) -> list[dict[str, Any]]:
    return [record.body for record in read(folder)]


def test_what_is_encoded_already_is_written_as_it_is(tmp_path: Path) -> None:
    """Bodies that are already JSON are numbered, chained and split into segments like records."""
    records = [{"n": number, "pad": "x" * number} for number in range(30)]
    folders = tmp_path / "a", tmp_path / "b"
    with Ledger(folders[0], kind="k", segment_bytes=700) as one, Ledger(folders[1], kind="k", segment_bytes=700) as two:
        assert one.append_encoded(map(encode, records)) == two.append_many(records) == range(1, 31)
    assert bodies(folders[0]) == records
    assert [file.read_bytes() for file in files(folders[0])] == [file.read_bytes() for file in files(folders[1])]


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(0, 300), max_size=25),
    limit=st.integers(1, 1500),
    cuts=st.sets(st.integers(0, 25)),
)
def test_segments_are_invisible_to_callers(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], limit: int, cuts: set[int]
) -> None:
    """Whatever the segment limit, the batches and the reopenings, numbers and bodies are the same, and the bytes too."""
    folder, twin = tmp_path_factory.mktemp("a") / "x", tmp_path_factory.mktemp("b") / "y"
    records = [{"pad": "x" * size} for size in sizes]
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(records)], strict=True):
        with Ledger(folder, kind="test", segment_bytes=limit, durability="close") as ledger:
            assert list(ledger.append_many(records[start:end])) == list(range(start + 1, min(end, len(records)) + 1))
    with Ledger(twin, kind="test", segment_bytes=limit, durability="close") as ledger:
        assert [ledger.append(record) for record in records] == list(range(1, len(records) + 1))
    assert plain_chain(folder) == list(enumerate(records, 1))
    assert verify(folder).intact
    assert [path.read_bytes() for path in files(folder)] == [path.read_bytes() for path in files(twin)]
    for path in files(folder):
        lines = path.read_bytes().splitlines(keepends=True)
        assert path.stat().st_size <= limit or len(lines) <= 2, "only a single record may pass the limit"
        assert len(lines) > 1 or len(files(folder)) == 1, "no segment is begun without a record"


def test_a_record_that_just_fits_stays_and_one_byte_more_begins_a_segment(tmp_path: Path) -> None:
    """A segment is filled exactly to its limit and never beyond it."""
    with Ledger(tmp_path / "measure", kind="test") as ledger:
        ledger.append_many([{"n": 1}, {"n": 2}])
    exact = (tmp_path / "measure" / "000001.jsonl").stat().st_size
    for limit, expected in ((exact, 1), (exact - 1, 2)):
        with Ledger(tmp_path / str(limit), kind="test", segment_bytes=limit) as ledger:
            ledger.append_many([{"n": 1}, {"n": 2}])
        assert len(files(tmp_path / str(limit))) == expected


def test_a_second_writer_is_told_who_holds_it(tmp_path: Path) -> None:
    """A second writer is refused with the holder's pid and changes nothing; after the first closes, it may write."""
    with Ledger(tmp_path, kind="test") as ledger:
        ledger.append({"n": 1})
        with pytest.raises(InvalidInput, match=f"process {os.getpid()}"):
            Ledger(tmp_path, kind="test")
        ledger.append({"n": 2})
    assert (tmp_path / LOCK).read_bytes() == b""
    with Ledger(tmp_path, kind="test") as ledger:
        assert ledger.append({"n": 3}) == 3


def test_another_kind_or_meta_is_not_taken_up(tmp_path: Path) -> None:
    """A ledger is continued only with its own kind and meta; if meta is left out, it stays what it was."""
    Ledger(tmp_path, kind="drama", meta={"seed": 7, "pair": (1, 2)}).close()
    Ledger(tmp_path, kind="drama", meta={"seed": 7, "pair": (1, 2)}).close()
    Ledger(tmp_path, kind="drama").close()
    with pytest.raises(InvalidInput, match="drama"):
        Ledger(tmp_path, kind="journal")
    with pytest.raises(InvalidInput, match="meta"):
        Ledger(tmp_path, kind="drama", meta={"seed": 8})
    header = Reader(tmp_path).header
    assert (header.kind, header.meta) == ("drama", {"seed": 7, "pair": [1, 2]})


def test_bad_arguments_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    """An argument that makes no sense is refused and leaves no folder behind."""
    folder = tmp_path / "ledger"
    wrong: list[dict[str, Any]] = [
        {"kind": ""},
        {"durability": "never"},
        {"interval": -1},
        {"interval": float("nan")},
        {"segment_bytes": 0},
    ]
    for arguments in wrong:
        with pytest.raises(InvalidInput):
            Ledger(folder, **{"kind": "test", **arguments})
    assert not folder.exists()


def test_a_refused_record_writes_nothing_of_its_batch(tmp_path: Path) -> None:
    """If one record of a batch is refused, none is written, and the error names it."""
    with Ledger(tmp_path, kind="test") as ledger:
        with pytest.raises(InvalidInput, match=r"records\[1\]\.b"):
            ledger.append_many([{"a": 1}, {"b": float("nan")}])
        assert ledger.append({"a": 2}) == 1
    assert bodies(tmp_path) == [{"a": 2}]


def test_a_full_disk_leaves_the_ledger_usable(tmp_path: Path, told: Told) -> None:
    """A write that the system stops half way is undone: no half line stays, and appending works again later."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Ledger(tmp_path, kind="test") as ledger:
        ledger.append({"n": 1})
        before = (tmp_path / "000001.jsonl").read_bytes()
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, hard))
        try:
            with told.raises(MissingPart):
                ledger.append({"n": 2})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert (tmp_path / "000001.jsonl").read_bytes() == before
        assert ledger.append({"n": 3}) == 2
    assert bodies(tmp_path) == [{"n": 1}, {"n": 3}]
    assert verify(tmp_path).intact


@settings(deadline=None)
@given(fits=st.integers(0, 600))
def test_a_batch_stopped_half_way_keeps_its_whole_lines(tmp_path_factory: pytest.TempPathFactory, fits: int) -> None:
    """Wherever a batch is stopped, complete lines that a reader may have seen stay, the rest is cut, and the count is right."""
    folder = tmp_path_factory.mktemp("full")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Ledger(folder, kind="test", durability="close") as ledger:
        size = (folder / "000001.jsonl").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + fits, hard))
        try:
            with pytest.raises(MissingPart):
                ledger.append_many([{"n": n} for n in range(1, 9)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        kept = ledger.count
        raw = (folder / "000001.jsonl").read_bytes()
        assert raw.endswith(b"\n")
        assert raw.count(b"\n") == kept + 1
        assert size + fits - len(raw) < 110, "no more than one line is cut"
        ledger.append({"n": "next"})
    assert bodies(folder) == [*({"n": n} for n in range(1, kept + 1)), {"n": "next"}]
    assert verify(folder).intact


def test_a_full_disk_at_a_new_segment_leaves_the_ledger_usable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a new segment cannot be created, no trace of it stays, and the next append creates it."""
    with Ledger(tmp_path, kind="test", segment_bytes=1) as ledger:
        ledger.append({"n": 1})
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", failing(errno.ENOSPC))
            with pytest.raises(MissingPart, match="new segment"):
                ledger.append({"n": 2})
        assert [path.name for path in tmp_path.iterdir() if path.name != LOCK] == ["000001.jsonl"]
        assert ledger.append({"n": 3}) == 2
    assert verify(tmp_path).intact


def failing(number: int) -> Any:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_a_failed_sync_closes_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """After a failed sync nothing is acknowledged any more: the ledger is closed, and opening it again checks it all."""
    ledger = Ledger(tmp_path, kind="test")
    ledger.append({"n": 1})
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", failing(errno.EIO))
        with told.raises(MissingPart):
            ledger.append({"n": 2})
    with pytest.raises(InvalidInput, match="closed"):
        ledger.append({"n": 3})
    ledger.close()
    with Ledger(tmp_path, kind="test") as again:
        assert again.count >= 1
        again.append({"n": 4})
    assert verify(tmp_path).intact


def test_a_line_that_cannot_be_taken_back_closes_the_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """If half a line was written and cannot be cut, nothing is written after it; the next opening cuts it."""
    write = os.write

    def half(descriptor: int, data: bytes) -> int:
        if len(data) < 60:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[: len(data) - 50])

    ledger = Ledger(tmp_path, kind="test")
    ledger.append({"n": 1})
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        patch.setattr(os, "ftruncate", failing(errno.EIO))
        patch.setattr("volition.core.ledger.tail.WriterLock.release", lambda lock: os.close(lock._descriptor))
        with told.raises(MissingPart):
            ledger.append({"n": 2})
    with pytest.raises(InvalidInput, match="closed"):
        ledger.append({"n": 3})
    with Ledger(tmp_path, kind="test") as again:
        assert (again.cut > 0, again.count) == (True, 1)


def test_an_interrupted_write_closes_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt between the write and its bookkeeping never lets a second line take the same number."""
    write = os.write

    def interrupted(descriptor: int, data: bytes) -> int:
        write(descriptor, data)
        raise KeyboardInterrupt

    ledger = Ledger(tmp_path, kind="test")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ledger.append({"n": 1})
    with pytest.raises(InvalidInput, match="interrupted"):
        ledger.append({"n": 2})
    with Ledger(tmp_path, kind="test") as again:
        assert again.append({"n": 2}) == 2
    assert verify(tmp_path).intact


def test_each_mode_syncs_when_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Per record: each append; per interval: the first append after it; at close: only then; nothing to sync, no sync."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    clock = ManualClock()
    expected = {"record": [1, 2, 3, 4, 5, 5], "interval": [0, 0, 1, 1, 2, 2], "close": [0, 0, 0, 0, 0, 1]}
    for mode, counts in expected.items():
        synced.clear()
        seen = []
        ledger = Ledger(tmp_path / mode, kind="test", durability=mode, interval=2, clock=clock)  # type: ignore[arg-type]
        for n in range(5):
            ledger.append({"n": n})
            seen.append(len(synced))
            clock.advance(1)
        ledger.close()
        ledger.close()
        assert [*seen, len(synced)] == counts, mode


def test_threads_may_share_a_ledger(tmp_path: Path) -> None:
    """Appends from several threads are all there, each under the number that its thread got."""
    told: dict[int, str] = {}
    with Ledger(tmp_path, kind="test", durability="close", segment_bytes=5000) as ledger:

        def work(name: str) -> None:
            for n in range(100):
                told[ledger.append({"said": f"{name}{n}"})] = f"{name}{n}"

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {record.seq: record.body["said"] for record in read(tmp_path)} == told


def test_a_forked_process_cannot_append(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger knows the process that opened it, and refuses to write in a forked one."""
    with Ledger(tmp_path, kind="test") as ledger:
        mine = os.getpid()
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: mine + 1)
            with pytest.raises(InvalidInput, match=f"process {mine}"):
                ledger.append({"n": 1})
            ledger.close()
        assert ledger.append({"n": 1}) == 1


def test_a_folder_that_cannot_be_made_is_a_missing_part(tmp_path: Path, told: Told) -> None:
    """If the system does not allow creating the ledger, the error says so in words, and nothing stays locked."""
    (tmp_path / "file").write_text("")
    with told.raises(MissingPart):
        Ledger(tmp_path / "file" / "ledger", kind="test")
