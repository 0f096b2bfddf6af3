"""Sweeps: the same bytes whoever plays, and nothing is lost by an interrupt, a kill or a full disk."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.ensemble.own_terms import TALK, Thief, deadly
from tests.drama.ensemble.plays import SHORT, SIGMA, difference, everything, plan
from tests.processes import PATIENCE, ROOT, under_hash_seeds
from volition.arbitration import Heuristic
from volition.core.errors import BrokenRecord, InvalidInput, MissingPart
from volition.drama.ensemble import Ensemble, EnsemblePlan, ensemble, pools, sweep
from volition.drama.ensemble.folder import EnsembleFolder
from volition.drama.ensemble.frames import Span, read_frames
from volition.drama.ensemble.playing import _check_whole
from volition.drama.ensemble.table import FORMATS, Format

if TYPE_CHECKING:
    from tests.sentences import Told

PROGRAM = """
import sys
from tests.drama.ensemble.plays import plan
from volition.drama.ensemble import sweep
if __name__ == "__main__":
    sweep(plan(seeds=int(sys.argv[3])), sys.argv[1], engine="process", workers=int(sys.argv[2]), task=0.0, format="csv")
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small plan, played without interruptions."""
    folder = tmp_path_factory.mktemp("whole") / "here"
    sweep(plan(), folder, engine="here", task=60.0, format="csv")
    return folder


@pytest.mark.parametrize(("engine", "workers", "task"), [("here", None, 0.0), ("process", 2, 0.0), ("process", 2, 0.2)])
def test_the_same_bytes(whole: Path, tmp_path: Path, engine: Any, workers: int, task: float) -> None:
    """Whatever the engine, the number of workers and the size of tasks, evenings and tables are the same bytes."""
    told: list[tuple[int, int]] = []
    done = sweep(
        plan(),
        tmp_path / "out",
        engine=engine,
        workers=workers,
        task=task,
        format="csv",
        progress=lambda done, of: told.append((done, of)),
    )
    assert not difference(tmp_path / "out", whole)
    assert len(done) == len(list(done)) == plan().size == 12
    assert (told[0], told[-1]) == ((0, 12), (12, 12))
    assert told == sorted(told)
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "done.json",
        "evenings.rows",
        "manifest.json",
        "table.csv",
        "writer.lock",
    ]


def test_in_memory() -> None:
    """This process and two others give equal results, in the order of the seeds, without duplicates."""
    told: list[tuple[int, int]] = []
    here = ensemble(SHORT, [9, 3, 3, 7, 1, 5], workers=1, progress=lambda done, of: told.append((done, of)))
    assert [record.seed for record in here] == [1, 3, 5, 7, 9]
    assert told == [(done, 5) for done in range(1, 6)]
    assert ensemble(SHORT, range(1, 10, 2), workers=2) == here
    assert ensemble(SHORT, []) == ()


def test_terms(tmp_path: Path) -> None:
    """A custom term takes part in every decision, here and in other processes, and the table says on which path."""
    talking = EnsemblePlan.of(SHORT, range(1, 5), terms=[TALK])
    done = sweep(talking, tmp_path / "talk", engine="process", workers=2, format="csv")
    silent = ensemble(SHORT, range(1, 5), workers=1)
    won = [played.measures.looks.won.get("CHAT", 0) for played in done]
    assert sum(won) > sum(record.looks.won.get("CHAT", 0) for record in silent)
    assert {row["path"] for row in done.rows()} == {"interpreted"}
    assert [played.measures for played in done] == list(ensemble(SHORT, range(1, 5), workers=1, terms=[TALK]))


def test_hash_seeds(tmp_path: Path) -> None:
    """Nothing depends on the hash seed: plan, evenings, table and figures are the same text in another process."""
    there = f"from tests.drama.ensemble.plays import everything; print(everything({str(tmp_path / 'there')!r}))"
    assert under_hash_seeds(there, "4711") == {f"{everything(tmp_path / 'here')}\n".encode()}


class Stop(BaseException):
    """An interrupt."""


def stopped(folder: Path, after: int, engine: Any = "here") -> None:
    def progress(done: int, of: int) -> None:
        if done >= after:
            raise Stop

    with pytest.raises(Stop):
        sweep(plan(), folder, engine=engine, workers=2, task=0.0, format="csv", progress=progress)


@pytest.mark.parametrize("after", [0, 1, 5, 12])
def test_resumed(whole: Path, tmp_path: Path, after: int) -> None:
    """A sweep that was stopped anywhere continues from there, plays nothing twice, and gives the same result."""
    stopped(tmp_path / "out", after)
    with pytest.raises(InvalidInput, match="not all"):
        Ensemble(tmp_path / "out")
    told: list[int] = []
    sweep(plan(), tmp_path / "out", engine="here", format="csv", progress=lambda done, of: told.append(done))
    assert told[0] == after
    assert not difference(tmp_path / "out", whole)


def test_finished(tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is finished is not played again; only its table is written, in the format that is asked for."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr("volition.drama.ensemble.playing._play", None)
    (tmp_path / "table.csv").unlink()
    assert sweep(plan(), tmp_path, format="csv").write("jsonl").name == "table.jsonl"
    assert not difference(tmp_path, whole)


@pytest.mark.parametrize(
    ("more", "said"), [({"seeds": 4}, "seeds"), ({"draws": 3}, "draws"), ({"terms": [TALK]}, "terms")]
)
def test_another_plan(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    """A folder of another plan is refused, with what differs, and left as it is."""
    stopped(tmp_path / "out", 1)
    before = sorted((tmp_path / "out").rglob("*.rows"))
    with pytest.raises(InvalidInput, match=f"another plan: {said} differ"):
        sweep(plan(**more), tmp_path / "out", engine="here", format="csv")
    assert sorted((tmp_path / "out").rglob("*.rows")) == before


def test_a_folder_of_somebody_else(tmp_path: Path) -> None:
    """A folder that is not an ensemble is not written to."""
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(InvalidInput, match="something else"):
        sweep(plan(), tmp_path, engine="here", format="csv")
    with pytest.raises(InvalidInput, match="something else"):
        sweep(plan(), tmp_path / "letter.txt", engine="here", format="csv")
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def test_a_part_that_lacks_an_evening(whole: Path, tmp_path: Path) -> None:
    """A part with the right checksum and fewer rows than it says counts as not played."""
    stopped(tmp_path / "out", 4)
    folder = EnsembleFolder(tmp_path / "out")
    for file in (tmp_path / "out" / "parts").iterdir():
        file.unlink()
    frames = [frame.to_bytes() for frame in read_frames(BytesIO((whole / "evenings.rows").read_bytes()))]
    folder.keep(plan(), Span(0, 3), b"".join(frames[:3]))
    folder.keep(plan(), Span(3, 3), b"".join(frames[3:5]))
    assert folder.missing(plan()) == [Span(3, 9)]
    sweep(plan(), tmp_path / "out", engine="here", format="csv")
    assert not difference(tmp_path / "out", whole)


@pytest.fixture(scope="module")
def almost(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sweep that was stopped before its last evening."""
    folder = tmp_path_factory.mktemp("almost") / "here"
    stopped(folder, 11)
    return folder


@pytest.mark.parametrize("spoil", [b"", b"{}\n", None, b"\xff"])
def test_a_spoilt_part(whole: Path, almost: Path, tmp_path: Path, spoil: bytes | None) -> None:
    """A damaged part counts as not played: it is played again."""
    shutil.copytree(almost, tmp_path / "out")
    part = sorted((tmp_path / "out" / "parts").iterdir())[1]
    text = part.read_bytes()
    part.write_bytes(text[:-9] + b"\n" if spoil is None else spoil)
    assert len(EnsembleFolder(tmp_path / "out").missing(plan())) == 2
    sweep(plan(), tmp_path / "out", engine="here", format="csv")
    assert not difference(tmp_path / "out", whole)


def test_spoilt_evenings(whole: Path, tmp_path: Path, told: Told) -> None:
    """Evenings that were changed after the end are noticed, and so are missing ones."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    rows = (tmp_path / "evenings.rows").read_bytes()
    (tmp_path / "evenings.rows").write_bytes(rows[:-1])
    with told.raises(BrokenRecord):
        Ensemble(tmp_path)
    (tmp_path / "evenings.rows").unlink()
    with told.raises(BrokenRecord):
        Ensemble(tmp_path)


def test_two_at_once(tmp_path: Path) -> None:
    """Two processes cannot play into one folder."""
    with EnsembleFolder(tmp_path / "out").writing(plan()), pytest.raises(InvalidInput, match="another process"):
        sweep(plan(), tmp_path / "out", engine="here", format="csv")


def test_a_killed_worker(tmp_path: Path, told: Told) -> None:
    """A killed worker is noticed, its evenings are played again, and none is missing."""
    notices: list[str] = []
    dying = plan(seeds=1, terms=[deadly(tmp_path / "deaths", 1)])
    sweep(dying, tmp_path / "out", engine="process", workers=2, task=0.0, format="csv", notice=notices.append)
    assert len(list((tmp_path / "deaths").iterdir())) == len(notices) == 1
    told(notices[0].partition(" (")[0])
    calm = replace(dying, terms=(deadly(tmp_path / "deaths", 0),))
    sweep(calm, tmp_path / "calm", engine="here", format="csv")
    assert not difference(tmp_path / "out", tmp_path / "calm")


def test_workers_that_always_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """Workers that die again and again are an error, never fewer evenings; what was played before is kept."""
    monkeypatch.setattr(pools, "LOSSES", 0)
    dying = plan(seeds=1, terms=[deadly(tmp_path / "deaths", 99)])
    with pytest.raises(MissingPart) as died:
        sweep(dying, tmp_path / "out", engine="process", workers=2, task=0.0, format="csv")
    told(died.value.problems[0].what)
    assert not (tmp_path / "out" / "done.json").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_errors_arrive(workers: int) -> None:
    """An error in another process is raised here."""
    with pytest.raises(KeyError, match="departures"):
        ensemble(replace(SHORT, rules={}), range(1, 4), workers=workers)


def test_a_worker_that_loses_an_evening(tmp_path: Path, told: Told) -> None:
    """A real worker that claims to have played a row but does not return it is caught; nothing is finished."""
    losing = plan(terms=[Heuristic("thief", Thief(5))])
    with told.raises(BrokenRecord):
        sweep(losing, tmp_path / "out", engine="process", workers=2, task=0.0, format="csv")
    assert not (tmp_path / "out" / "done.json").exists()
    assert any(span.first <= 5 < span.first + span.rows for span in EnsembleFolder(tmp_path / "out").missing(losing))


def working(group: int) -> list[str]:
    """The processes of a group that are still running."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its = file.read_text().rpartition(") ")[2].split()[:3]
            found += [file.parent.name] if int(its) == group and state != "Z" else []
    return found


def test_a_killed_sweep(tmp_path: Path) -> None:
    """Killing the whole process keeps what was played; the same call again completes it. No worker stays behind."""
    line = [sys.executable, "-c", PROGRAM, str(tmp_path / "out"), "2", "10"]
    sweeping = subprocess.Popen(line, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        until = time.monotonic() + PATIENCE
        while len(list((tmp_path / "out" / "parts").glob("*.rows"))) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        sweeping.kill()
        assert sweeping.wait(timeout=PATIENCE) != 0
        until = time.monotonic() + PATIENCE
        while working(sweeping.pid) and time.monotonic() < until:
            time.sleep(0.01)
        assert not working(sweeping.pid)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(sweeping.pid, signal.SIGKILL)
        sweeping.wait()
    left = sum(span.rows for span in EnsembleFolder(tmp_path / "out").missing(plan(seeds=10)))
    assert 0 < left < 40
    told: list[int] = []
    sweep(plan(seeds=10), tmp_path / "out", engine="here", format="csv", progress=lambda done, of: told.append(done))
    assert told[0] == 40 - left
    sweep(plan(seeds=10), tmp_path / "whole", engine="here", format="csv")
    assert not difference(tmp_path / "out", tmp_path / "whole")


@pytest.mark.parametrize(
    ("after", "limit"),
    [(3, 2_000), (12, 20_000)],
    ids=["while parts are written", "while they are joined"],
)
def test_a_full_disk(whole: Path, tmp_path: Path, after: int, limit: int, told: Told) -> None:
    """A real disk that fills up is reported, and what was played before is kept; nothing half-written stays.

    With free space, the sweep continues there.
    """
    assert (whole / "evenings.rows").stat().st_size > 20_000
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(done: int, of: int) -> None:
        if done >= after:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limits[1]))

    try:
        with told.raises(MissingPart):
            sweep(plan(), tmp_path / "out", engine="here", task=0.0, format="csv", progress=fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not [file for file in (tmp_path / "out").rglob("*") if file.name.endswith(".tmp")]
    assert EnsembleFolder(tmp_path / "out").missing(plan()) == ([Span(after, 12 - after)] if after < 12 else [])
    assert len(list((tmp_path / "out" / "parts").iterdir())) == after
    counts: list[int] = []
    sweep(plan(), tmp_path / "out", engine="here", format="csv", progress=lambda done, of: counts.append(done))
    assert counts[0] == after
    assert not difference(tmp_path / "out", whole)


def test_a_full_disk_by_its_error(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """So is one whose system says that it is full only when a file is flushed."""
    fsync, calls = os.fsync, list[int]()

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) > 9:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with told.raises(MissingPart):
            sweep(plan(), tmp_path / "out", engine="here", task=0.0, format="csv")
    assert 0 < sum(span.rows for span in EnsembleFolder(tmp_path / "out").missing(plan())) < 12
    sweep(plan(), tmp_path / "out", engine="here", format="csv")
    assert not difference(tmp_path / "out", whole)


@pytest.mark.parametrize("format", FORMATS)
def test_a_full_disk_for_the_table(whole: Path, tmp_path: Path, format: Format) -> None:
    """A table that does not fit on a real disk is reported in every format, leaves nothing half-written, and can be written later."""
    done = Ensemble(shutil.copytree(whole, tmp_path / "out"))
    done.write(format).unlink()
    before = sorted(file.name for file in done.folder.path.iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, limits[1]))
    try:
        with pytest.raises(MissingPart, match="no space left to write"):
            done.write(format)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sorted(file.name for file in done.folder.path.iterdir()) == before
    assert done.write(format).stat().st_size > 500


def test_no_folder_to_write_to(tmp_path: Path) -> None:
    """A path that cannot be a folder is refused."""
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput):
        sweep(plan(), tmp_path / "file" / "out", engine="here", format="csv")


def test_never_fewer(told: Told) -> None:
    """A missing evening is an error."""
    _check_whole(7, 7)
    with told.raises(MissingPart):
        _check_whole(6, 7)


@pytest.mark.parametrize("workers", [0, -2])
def test_no_workers(workers: int) -> None:
    """There must be at least one worker."""
    with pytest.raises(InvalidInput, match="workers"):
        ensemble(SHORT, [1], workers=workers)


def test_terms_that_cannot_go(tmp_path: Path, told: Told) -> None:
    """A function that no other process can find is refused for processes, and works in this process."""
    inner = plan(seeds=1, terms=[Heuristic("mine", lambda action: 0.0)])
    with told.raises(InvalidInput):
        sweep(inner, tmp_path / "out", engine="process", workers=2, format="csv")
    assert len(sweep(inner, tmp_path / "out", engine="here", format="csv")) == inner.size


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow a Parquet table is refused before anything is played; other formats are written."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPart, match=r"\.\[learn\].*--format csv"):
        sweep(plan(), tmp_path / "out", engine="here")
    assert not (tmp_path / "out").exists()
    assert len(sweep(EnsemblePlan.of(SHORT, [1]), tmp_path / "out", engine="here", format="jsonl")) == 1
    shutil.rmtree(tmp_path / "out")


def test_an_unknown_setting() -> None:
    """A sweep over a setting that does not exist is refused with the nearest one."""
    with pytest.raises(InvalidInput, match=SIGMA):
        plan(grid={"rules.noise.sigmaa": [0.1]})
