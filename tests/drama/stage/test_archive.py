"""Runs on disk: what is written comes back, and what was changed is noticed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.processes import PATIENCE
from volition.core.errors import BrokenRecord, InvalidInput
from volition.core.ledger import Ledger, read
from volition.drama import Evening, load_scenario, play
from volition.drama.stage.archive import Recorder, load_run
from volition.drama.stage.library import Library
from volition.drama.stage.record import RULES_VERSION
from volition.drama.stage.run import run
from volition.drama.stage.state import state_digest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-17")


@pytest.mark.parametrize("name", ["dinner-party", "winter-station"])
def test_a_run_comes_back_whole(name: str, tmp_path: Path) -> None:
    """What is recorded while it is played is read back equal, and saving it again gives the same bytes."""
    with Recorder(tmp_path / "live") as recorder:
        done = run(
            load_scenario(name), 5, ticks=30, on_begin=recorder.begin, on_tick=lambda _, tick: recorder.tick(tick)
        )
        recorder.end(done)
    assert load_run(tmp_path / "live") == done
    Evening(done).save(tmp_path / "saved")
    files = [(tmp_path / place / "000001.jsonl").read_bytes() for place in ("live", "saved")]
    assert files[0] == files[1]


@pytest.mark.parametrize("name", ["dinner-party", "winter-station"])
def test_a_run_that_was_read_is_written_with_the_same_bytes(name: str, tmp_path: Path) -> None:
    """Reading a run changes no value: whole numbers stay whole, lists are tuples again, and the bytes come back."""
    branch = play(load_scenario(name), 8, ticks=30).fork(5, set=_first_person(name) + ".stress=1", ticks=30)
    branch.save(tmp_path / "first")
    loaded = Evening.load(tmp_path / "first")
    assert loaded.run == branch.run
    loaded.save(tmp_path / "second")
    first, second = ((tmp_path / place / "000001.jsonl").read_bytes() for place in ("first", "second"))
    assert first == second
    deltas = [delta for record in loaded.run.ticks for delta in (*record.before, *record.after)]
    assert not any(isinstance(part, list) for delta in deltas for part in delta)


def _first_person(name: str) -> str:
    return next(iter(load_scenario(name).people))


def test_the_header_names_rules_scenario_and_seed(tmp_path: Path) -> None:
    """The header names rules, scenario and seed; the last record has a digest of the final state."""
    evening = play(load_scenario("dinner-party"), 5, ticks=10)
    evening.save(tmp_path / "run")
    records = list(read(tmp_path / "run"))
    header = (tmp_path / "run" / "000001.jsonl").read_bytes().splitlines()[0].decode()
    for part in (evening.scenario.hash, f'"rules":{RULES_VERSION}', '"seed":5', '"scenario":"dinner-party"'):
        assert part in header
    assert records[-1].body["state"] == state_digest(evening.state(10))
    assert [record.body["record"] for record in records] == ["begin", *["tick"] * 10, "end"]


def test_killed_while_playing_nothing_whole_is_lost(tmp_path: Path) -> None:
    """A run whose process was killed is whole up to its last tick, which a new evening of the seed shares."""
    program = (
        "import sys, time\n"
        "from volition.drama import load_scenario\n"
        "from volition.drama.stage.archive import Recorder\n"
        "from volition.drama.stage.run import run\n"
        "recorder = Recorder(sys.argv[1])\n"
        "def tick(_, record):\n"
        "    recorder.tick(record)\n"
        "    print(record.tick, flush=True)\n"
        "    time.sleep(0.01)\n"
        "run(load_scenario('dinner-party'), 5, on_begin=recorder.begin, on_tick=tick)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "run")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        seen = [int(process.stdout.readline()) for _ in range(12)]
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=PATIENCE)
    cut = load_run(tmp_path / "run")
    assert cut.ending is None
    assert len(cut.ticks) > seen[-1]
    whole = play(load_scenario("dinner-party"), 5, ticks=len(cut.ticks))
    assert cut.ticks == whole.run.ticks
    assert Evening(cut).verify() == len(cut.ticks)


def test_another_ledger_is_no_run(tmp_path: Path) -> None:
    """A ledger of another kind, and one that is empty, are told apart from a run."""
    with Ledger(tmp_path / "diary", kind="diary") as ledger:
        ledger.append({"day": 1})
    with pytest.raises(InvalidInput, match="kind 'diary'"):
        load_run(tmp_path / "diary")
    with Ledger(tmp_path / "future", kind="evening", meta={"format": 99}):
        pass
    with pytest.raises(InvalidInput, match="format 99"):
        load_run(tmp_path / "future")
    assert [(entry.id, entry.fault) for entry in Library(tmp_path).entries()] == [
        ("future", "it is written in format 99")
    ]


def test_a_record_of_another_shape_is_named(tmp_path: Path) -> None:
    """A record that is not a tick, in an intact chain, is refused with its number."""
    evening = play(load_scenario("dinner-party"), 5, ticks=3)
    with Recorder(tmp_path / "run") as recorder:
        recorder.begin(evening.run)
        recorder.tick(evening.run.ticks[0])
    meta = {
        "format": 1,
        "rules": RULES_VERSION,
        "scenario": "dinner-party",
        "scenario_hash": evening.scenario.hash,
        "seed": 5,
    }
    with Ledger(tmp_path / "run", kind="evening", meta={**meta, "interference": []}) as ledger:
        ledger.append({"record": "tick", "tick": 1})
    with pytest.raises(BrokenRecord, match="record 3"):
        load_run(tmp_path / "run")


def test_a_library_finds_runs_by_id_or_path(tmp_path: Path, told: Told) -> None:
    """A run is found by its id or its path; a name that is taken gets a number; an unknown one is refused with what there is."""
    library = Library(tmp_path / "runs")
    evening = play(load_scenario("dinner-party"), 5, ticks=3)
    for _ in range(3):
        evening.save(library.new("party"))
    assert [entry.id for entry in library.entries()] == ["party", "party.2", "party.3"]
    assert library.find("party.2") == tmp_path / "runs" / "party.2" == library.find(tmp_path / "runs" / "party.2")
    with told.raises(InvalidInput):
        library.find("prty")
    entry = next(library.entries())
    assert (entry.scenario, entry.seed, entry.ticks, entry.fault) == ("dinner-party", 5, 3, None)
    (tmp_path / "runs" / "party" / "000001.jsonl").write_text("nonsense\n")
    (tmp_path / "runs" / "notes").mkdir()
    broken = next(library.entries())
    assert broken.fault is not None
