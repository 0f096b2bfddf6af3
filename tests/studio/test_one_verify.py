"""Command line, replay and pages agree on whether a record is as it was written, whatever was done to its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.desk import lay_out
from tests.governance.scenarios import SCENARIOS
from tests.studio.served import Served, serving
from volition.cli.main import main
from volition.core.ledger import Ledger, Reader
from volition.drama import play, scenario
from volition.execution.bridge.connect import connect
from volition.execution.pilot import Pilot, drive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SPREAD = 2
"""How many bytes are looked at between the boundaries of a file."""


@dataclass
class Kept:
    """A small record of one kind: the files it is made of, and the command lines that verify it."""

    path: Path
    commands: list[list[str]]

    @property
    def files(self) -> list[Path]:
        return [file for file in sorted(self.path.rglob("*")) if file.is_file() and file.name != "writer.lock"]


def in_segments(whole: Path, path: Path, size: int) -> None:
    """The same records as a ledger of several segments."""
    reader = Reader(whole)
    with Ledger(path, kind=reader.header.kind, meta=reader.header.meta, segment_bytes=size) as ledger:
        ledger.append_encoded(record.raw for record in reader.records())
    assert len(list(path.glob("*.jsonl"))) >= 3


def a_run(folder: Path, scratch: Path) -> Kept:
    play(scenario("dinner-party"), 8, ticks=3).save(scratch / "run")
    path = folder / "volition-runs" / "small"
    in_segments(scratch / "run", path, 3000)
    return Kept(path, [["ledger", "verify", str(path)], ["replay", str(path), "--verify"]])


def a_journal(folder: Path, scratch: Path) -> Kept:
    with connect("embedded", seed=3, journal=scratch / "journal") as bridge:
        drive(bridge, 3, lambda _: None, pilot=Pilot())
    path = folder / "volition-journals" / "small"
    in_segments(scratch / "journal", path, 5000)
    return Kept(path, [["ledger", "verify", str(path)], ["journal", "verify", str(path)]])


def an_evaluation(folder: Path, scratch: Path) -> Kept:
    file = lay_out(scratch, SCENARIOS["same_target"]())
    path = folder / "volition-evaluations" / "small"
    assert main(["govern", "evaluate", str(file), "--out", str(path)]) == 3
    return Kept(path, [["govern", "verify", str(path)]])


@pytest.fixture(params=[a_run, a_journal, an_evaluation], ids=["run", "journal", "evaluation"])
def kept(request: Any, tmp_path: Path) -> Iterator[tuple[Kept, Served]]:
    make: Callable[[Path, Path], Kept] = request.param
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    with serving(home) as served:
        yield make(home, scratch), served


def verdicts(record: Kept, served: Served) -> dict[str, bool]:
    """Who says that the record is intact: each command line, the list that pages show, and the API's own check."""
    said = {" ".join(words[:2]): main(words) == 0 for words in record.commands}
    answer = served.client.get("/api/v1/records").json()["records"]
    (listed,) = [one for one in answer if one["name"] == record.path.name]
    said["list"] = listed["intact"] is True
    said["verify"] = served.post(f"/records/{listed['id']}/verify")["intact"] is True
    return said


def positions(content: bytes) -> list[int]:
    """The boundaries of a file, its lines among them, and every so many bytes between."""
    ends = list(accumulate(len(line) for line in content.splitlines(keepends=True)))
    lines = [0, *ends[:2], *ends[-3:]]
    near = {place + by for place in lines for by in (-1, 0)}
    return sorted(place for place in near | set(range(0, len(content), len(content) // SPREAD + 1)) if place >= 0)


def damaged(content: bytes) -> Iterator[tuple[str, bytes]]:
    """A file as it was not written."""
    for more in (b"x", b" ", b"\n", b'{"hash":"', b"\xff", b"\x00"):
        yield f"{more!r} appended", content + more
    for place in positions(content):
        if place < len(content):
            yield f"byte {place} changed", content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
            yield f"cut at {place}", content[:place]
            yield f"byte {place} missing", content[:place] + content[place + 1 :]


def test_none_says_intact_where_another_says_broken(
    kept: tuple[Kept, Served], capsys: pytest.CaptureFixture[str]
) -> None:
    """A byte appended, changed, cut or left out, anywhere in any file of a record, is seen by command line, replay and
    pages alike; untouched, all say that it is intact."""
    record, served = kept
    assert all(verdicts(record, served).values())
    for file in record.files:
        content = file.read_bytes()
        for what, bad in damaged(content):
            file.write_bytes(bad)
            said = verdicts(record, served)
            assert not any(said.values()), f"{file.name}: {what}: {said}"
        file.write_bytes(content)
    assert all(verdicts(record, served).values())
    capsys.readouterr()


def test_a_file_that_is_gone_or_added_is_seen_by_all(kept: tuple[Kept, Served]) -> None:
    """A file of a record that is missing is seen by all, as far as there is a record left."""
    record, served = kept
    for file in record.files:
        if file.name in {"000001.jsonl", "result.json", "closed.anchor"}:
            continue  # without the first two there is no record; what the third one shows, the chain cannot
        content = file.read_bytes()
        file.unlink()
        said = verdicts(record, served)
        assert not any(said.values()), f"{file.name} is gone: {said}"
        file.write_bytes(content)
