"""`volition journal`: exit codes and output, as a shell sees them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import Ended
from tests.cli.lines import run as run_line
from tests.execution.journal.journals import CONNECTED, LOST, of_every_label
from tests.processes import PATIENCE, ROOT
from tests.sentences import lines_about
from volition.cli.exits import INVALID_INPUT, MISSING_PART
from volition.core.ledger import Anchor, verify
from volition.execution import connect
from volition.execution.journal.journal import Journal
from volition.execution.worlds.pilot import Pilot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sentences import Told
    from volition.execution.door.events import DoorEvent

    Run = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    events: list[DoorEvent] = [CONNECTED, *of_every_label(), LOST]
    with Journal(tmp_path / "journal") as writer:
        for event in events:
            writer.tell(event)
    return tmp_path / "journal"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return lambda *words: run_line(capsys, "journal", *words)


def test_summary_counts_in_text_and_json(run: Run, folder: Path, told: Told) -> None:
    """Summary prints the table of intents and labels, and the same numbers as JSON."""
    text = run("summary", folder)
    assert (text.code, "MOVE" in text.out) == (0, True)
    told(text.out)
    data = json.loads(run("summary", folder, "--json").out)
    assert (data["attempts"], data["by_intent"]["(other)"]) == (15, {"intercepted": 1})
    assert data["connections"][0] | {"ended": "eof"} == data["connections"][0]


def test_verify_ends_with_0_intact_and_3_broken(run: Run, folder: Path, told: Told) -> None:
    """Verify says intact or names what is wrong, in text and JSON, and its exit code says it too."""
    assert run("verify", folder).code == 0
    told(run("verify", folder).out.splitlines()[-1])
    found = verify(folder)
    anchor = str(Anchor(found.count, found.head))
    assert run("verify", folder, "--anchor", anchor).code == 0
    path = folder / "000001.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"ticket":3', b'"ticket":4'))
    broken = run("verify", folder)
    assert (broken.code, "changed record" in broken.out) == (3, True)
    data = json.loads(run("verify", folder, "--json").out)
    assert (data["intact"], data["ledger"]["fault"]["reason"]) == (False, "changed record")


def test_a_journal_whose_chain_holds_and_whose_laws_do_not_ends_with_3(run: Run, tmp_path: Path, told: Told) -> None:
    """A record that breaks a law of the journal is named, even if every byte is as it was written."""
    with Journal(tmp_path) as writer:
        writer.tell(CONNECTED)
        writer.tell(of_every_label()[0])
        writer.tell(of_every_label()[0])
    found = run("verify", tmp_path)
    assert found.code == 3
    told(found.out)


def test_export_writes_parquet_and_minari(run: Run, folder: Path, tmp_path: Path) -> None:
    """Both formats are written to the requested place, and the numbers are printed."""
    parquet = run("export", folder, "--to", "parquet", "--out", tmp_path / "x.parquet", "--json")
    assert (parquet.code, json.loads(parquet.out)["rows"]) == (0, 15)
    minari = run("export", folder, "--to", "minari", "--out", tmp_path / "sets", "--id", "arena-v1")
    assert (minari.code, "12 steps" in minari.out) == (0, True)
    assert (tmp_path / "x.parquet").is_file()
    assert (tmp_path / "sets" / "arena-v1" / "data").is_dir()
    assert (parquet.err, minari.err) == ("", "")


def test_what_is_there_is_not_written_over(run: Run, folder: Path, tmp_path: Path) -> None:
    """Exporting to a name that is taken is invalid input."""
    (tmp_path / "x.parquet").write_text("mine")
    assert run("export", folder, "--to", "parquet", "--out", tmp_path / "x.parquet").code == INVALID_INPUT
    assert (tmp_path / "x.parquet").read_text() == "mine"


def test_without_the_extra_export_ends_with_4(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """The error names the line that installs the extra; a command ends with 4."""
    monkeypatch.setattr("volition.core.extras.find_spec", lambda name: None)
    done = run("export", folder, "--to", "parquet", "--out", tmp_path / "x.parquet")
    assert done.code == MISSING_PART
    told(done.err)


@pytest.mark.parametrize("command", ["summary", "verify", "export"])
def test_no_such_journal_is_invalid_input(run: Run, tmp_path: Path, command: str) -> None:
    """Every command refuses a path without a journal with exit code 2."""
    more = ("--to", "parquet", "--out", tmp_path / "x") if command == "export" else ()
    assert run(command, tmp_path / "nothing", *more).code == INVALID_INPUT


@pytest.mark.parametrize("command", ["summary", "verify", "export"])
def test_every_help_has_an_example(run: Run, command: str) -> None:
    """The help of each command shows a line that can be typed."""
    assert f"volition journal {command} " in run(command, "--help").out


def test_summary_and_verify_import_nothing_of_the_extra(folder: Path) -> None:
    """Summary and verify import neither Minari nor Arrow."""
    program = f"""
import sys
from volition.cli.main import main
for command in ("summary", "verify"):
    assert main(["journal", command, {str(folder)!r}]) == 0
assert not {{"minari", "pyarrow", "gymnasium", "h5py", "numpy"}} & set(sys.modules), "imported"
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, timeout=PATIENCE)


def test_a_step_is_explained(tmp_path: Path, run: Run, told: Told) -> None:
    """A recorded step says what was considered and why; a step that is not there is refused with those that are."""
    with connect("embedded", pace="virtual", journal=tmp_path / "driven") as bridge:
        pilot = Pilot()
        chosen = [pilot.step(bridge).decision.id for _ in range(3)]
    journal = str(tmp_path / "driven")
    shown = run("explain", journal, "--step", "2", "--why-not", "hold", "--what-if", "reach=0")
    assert shown.code == 0
    assert shown.out.startswith("run 1, step 2, tick ")
    assert f"act: {chosen[1]} (" in shown.out
    told(*lines_about(shown.out, "why not hold:"))
    assert "what if: " in shown.out
    data = json.loads(run("explain", journal, "--step", "3", "--without", "wall", "--json").out)
    assert (data["run"], data["step"], data["candidate"]) == (1, 3, chosen[2])
    assert data["what_if"]["before"] == chosen[2]
    assert run("explain", journal, "--step", "9").code == INVALID_INPUT
