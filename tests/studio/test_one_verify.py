"""Command line, replay and pages agree on whether a record is intact, whatever was done to its bytes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.govern.desk import lay_out
from tests.governance.scenarios import SCENARIOS
from tests.studio.served import Served, serving
from volition.cli.main import main
from volition.core.ledger import Ledger
from volition.core.ledger.reader import Reader
from volition.core.manifest import read_manifest, write_manifest
from volition.drama import play, scenario
from volition.execution.connecting.connect import connect
from volition.execution.worlds.pilot import Pilot, drive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SPREAD = 2
"""How many places between the ends of a file are damaged."""


@dataclass
class SmallRecord:
    """A small record of one kind: its files, the command lines that verify it, and how to forge it with matching hashes."""

    path: Path
    commands: list[list[str]]
    forge: Callable[[], None]

    @property
    def files(self) -> list[Path]:
        return [file for file in sorted(self.path.rglob("*")) if file.is_file() and file.name != "writer.lock"]


def split_into_segments(whole: Path, path: Path, size: int) -> None:
    """The same records as a ledger of several segments."""
    reader = Reader(whole)
    with Ledger(path, kind=reader.header.kind, meta=reader.header.meta, segment_bytes=size) as ledger:
        ledger.append_encoded(record.raw for record in reader.records())
    assert len(list(path.glob("*.jsonl"))) >= 3


def rechain(path: Path, old: bytes, new: bytes) -> None:
    """Rewrite a ledger with changed records, a matching chain and a matching end."""
    reader = Reader(path)
    header, records = reader.header, [record.raw.replace(old, new) for record in reader.records()]
    rmtree(path)
    with Ledger(path, kind=header.kind, meta=header.meta) as ledger:
        ledger.append_encoded(records)
    assert any(new in record for record in records)


def a_run(folder: Path, scratch: Path) -> SmallRecord:
    evening = play(scenario("dinner-party"), 8, ticks=3)
    evening.save(scratch / "run")
    chosen = evening.run.ticks[0].choices["elena"].id
    other = "observe:lydia" if chosen != "observe:lydia" else "observe:diana"
    path = folder / "volition-runs" / "small"
    split_into_segments(scratch / "run", path, 8500)
    commands = [["ledger", "verify", str(path)], ["replay", str(path), "--verify"]]
    return SmallRecord(
        path, commands, lambda: rechain(path, f'"elena":["{chosen}"'.encode(), f'"elena":["{other}"'.encode())
    )


def a_journal(folder: Path, scratch: Path) -> SmallRecord:
    with connect("embedded", seed=3, journal=scratch / "journal") as bridge:
        drive(bridge, 3, lambda _: None, pilot=Pilot())
    path = folder / "volition-journals" / "small"
    split_into_segments(scratch / "journal", path, 9600)
    commands = [["ledger", "verify", str(path)], ["journal", "verify", str(path)]]
    return SmallRecord(path, commands, lambda: rechain(path, b'"status":"SUCCESS"', b'"status":"FAILURE"'))


def an_evaluation(folder: Path, scratch: Path) -> SmallRecord:
    file = lay_out(scratch, SCENARIOS["same_target"]())
    path = folder / "volition-evaluations" / "small"
    assert main(["govern", "evaluate", str(file), "--out", str(path)]) == 3

    def forge() -> None:
        manifest = read_manifest(path)
        contents = {name: (path / name).read_bytes() for name in manifest.files}
        contents["question_pack.json"] = contents["question_pack.json"].replace(b"Keep", b"Drop")
        (path / "question_pack.json").write_bytes(contents["question_pack.json"])
        write_manifest(path, manifest.kind, contents, manifest.about)

    return SmallRecord(path, [["govern", "verify", str(path)]], forge)


@pytest.fixture(params=[a_run, a_journal, an_evaluation], ids=["run", "journal", "evaluation"])
def kept(request: Any, tmp_path: Path) -> Iterator[tuple[SmallRecord, Served]]:
    make: Callable[[Path, Path], SmallRecord] = request.param
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    with serving(home) as served:
        yield make(home, scratch), served


def verdicts(record: SmallRecord, served: Served) -> dict[str, bool]:
    """Whether the record is intact according to each command line, the list on pages, and the API's check."""
    said = {" ".join(words[:2]): main(words) == 0 for words in record.commands}
    answer = served.client.get("/api/v1/records").json()["records"]
    (listed,) = [one for one in answer if one["name"] == record.path.name]
    said["list"] = listed["intact"] is True
    said["verify"] = served.post(f"/records/{listed['id']}/verify")["intact"] is True
    return said


def test_a_forgery_with_matching_hashes_is_seen_by_all_that_check_the_content(
    kept: tuple[SmallRecord, Served], capsys: pytest.CaptureFixture[str]
) -> None:
    """A record forged with matching hashes looks intact to the chain alone; replaying it, checking its laws or evaluating it again
    shows the forgery, on the command line and on pages."""
    record, served = kept
    record.forge()
    said = verdicts(record, served)
    assert said.pop("ledger verify", True)
    assert said.pop("list")
    assert len(said) == 2
    assert not any(said.values()), said
    capsys.readouterr()


def positions(content: bytes) -> list[int]:
    """The ends of a file, those of some lines, and some places in between."""
    ends = list(accumulate(len(line) for line in content.splitlines(keepends=True)))
    lines = [0, *ends[:1], *ends[-2:]]
    near = {place + by for place in lines for by in (-1, 0)}
    return sorted(place for place in near | set(range(0, len(content), len(content) // SPREAD + 1)) if place >= 0)


def damage(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Damaged versions of a file: cut at every place, and a byte there is changed or missing, by turns."""
    for more in (b" ", b"\n", b'{"hash":"', b"\xff"):
        yield f"{more!r} appended", content + more
    for number, place in enumerate(place for place in positions(content) if place < len(content)):
        yield f"cut at {place}", content[:place]
        instead = b"" if number % 2 else bytes([content[place] ^ 1])
        yield f"byte {place} is now {instead!r}", content[:place] + instead + content[place + 1 :]


def test_none_says_intact_where_another_says_broken(
    kept: tuple[SmallRecord, Served], capsys: pytest.CaptureFixture[str]
) -> None:
    """A byte appended, changed, cut or removed in any file of a record is seen by command line, replay and pages alike;
    untouched, all call it intact."""
    record, served = kept
    assert all(verdicts(record, served).values())
    for file in record.files:
        content = file.read_bytes()
        for what, bad in damage(content):
            file.write_bytes(bad)
            said = verdicts(record, served)
            assert not any(said.values()), f"{file.name}: {what}: {said}"
        file.write_bytes(content)
    assert all(verdicts(record, served).values())
    capsys.readouterr()


def test_a_missing_or_added_file_is_seen_by_all(
    kept: tuple[SmallRecord, Served], capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is missing from a record is seen by all, as long as there is a record left, and so is one that was added."""
    record, served = kept
    for file in record.files:
        if file.name in {"000001.jsonl", "result.json", "closed.anchor"}:
            continue  # without the first two there is no record; what the third one shows, the chain cannot
        content = file.read_bytes()
        file.unlink()
        said = verdicts(record, served)
        assert not any(said.values()), f"{file.name} is missing: {said}"
        file.write_bytes(content)
    last = max((file.name for file in record.files if file.suffix == ".jsonl"), default=None)
    added = "merged_intent.json" if last is None else f"{int(last[:6]) + 1:06}.jsonl"
    (record.path / added).write_bytes(b"{}\n")
    said = verdicts(record, served)
    assert not any(said.values()), f"{added} was added: {said}"
    capsys.readouterr()
