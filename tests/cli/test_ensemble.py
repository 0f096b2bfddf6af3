"""`volition ensemble` as a person types it: run, show, open, examine; and refusals that say what to type instead."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import run, run_in, run_json
from tests.processes import PATIENCE
from tests.sentences import lines_about
from volition.cli import printing
from volition.cli.ensemble import parse_seeds
from volition.cli.exits import DONE, INTERRUPTED, INVALID_INPUT, MISSING_PART, NEEDS_A_PERSON
from volition.core.document import dump_json
from volition.core.errors import InvalidInput
from volition.drama import Evening
from volition.drama.batch.measures import digest_of_world
from volition.drama.ensemble import Ensemble, EnsemblePlan, sweep
from volition.drama.ensemble.meanings import MEANINGS
from volition.drama.world.scenario import load_scenario, scenario, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from tests.sentences import Told

SIGMA = "rules.noise.sigma"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a short scenario, and an ensemble of it."""
    folder = tmp_path_factory.mktemp("desk")
    short = apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 3)])
    (folder / "short.json").write_text(dump_json(scenario_to_data(short)))
    line = ["run", "short.json", "--seeds", "1-2,5", "--grid", f"{SIGMA}=0.1,0.3", "--engine", "here", "--out", "noise"]
    code, _, err = run_in(folder, "ensemble", *line)
    assert code == DONE, err
    return folder


@pytest.fixture(autouse=True)
def at_the_desk(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk)


def test_run(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """The same command again finds everything done; processes give the same bytes; the answer names the table."""
    line = ("ensemble", "run", "short.json", "--seeds", "1-2,5", "--grid", f"{SIGMA}=0.1,0.3")
    code, data = run_json(capsys, *line, "--out", "noise")
    assert (code, data["evenings"], data["points"], data["paths"]) == (DONE, 6, 2, {"interpreted": 6})
    code, out, err = run_in(desk, *line, "--out", "again", "--workers", "2")
    assert (code, err) == (DONE, "")
    told(out)
    assert (desk / "again" / "table.parquet").read_bytes() == (desk / "noise" / "table.parquet").read_bytes()


def test_show(capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Text and JSON show the same figures, with intervals and their method."""
    code, out, _ = run(capsys, "ensemble", "show", "noise")
    assert code == DONE
    told(*lines_about(out, "intervals"))
    code, data = run_json(capsys, "ensemble", "show", "noise")
    events = data["groups"][0]["means"]["events"]
    assert f"events               {events['value']:.3g} [{events['low']:.3g}, {events['high']:.3g}]" in out
    assert (events["evenings"], events["method"]) == (6, "bootstrap")
    code, out, _ = run(capsys, "ensemble", "show", "noise", "--by", SIGMA)
    assert [line.split("  ")[0] for line in out.splitlines() if line.startswith(SIGMA)] == [
        f"{SIGMA} = 0.1",
        f"{SIGMA} = 0.3",
    ]
    code, data = run_json(capsys, "ensemble", "show", "noise", "--by", SIGMA)
    assert [group["evenings"] for group in data["groups"]] == [3, 3]


def test_which_path(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`run` and `show`, as text and as JSON, say on which path evenings were played and why, and how many evenings if there are two."""
    few = "played on the interpreted path: there are too few evenings for compiled ones to be faster"
    mixed = "played on the compiled path: asked for (2 of 4 on the compiled path, 2 of 4 on the interpreted path)"
    line = ("ensemble", "run", "short.json", "--seeds", "1-2,5", "--grid", f"{SIGMA}=0.1,0.3", "--out", "noise")
    assert few in run(capsys, *line)[1].splitlines()
    assert run_json(capsys, *line)[1]["decided"] == few
    assert few in run(capsys, "ensemble", "show", "noise", "--by", SIGMA)[1].splitlines()
    grid = {"rules.departures.recency_ticks": [3, 17]}  # more than packed records hold
    plan = EnsemblePlan.of(load_scenario(desk / "short.json"), [1, 2], grid=grid)
    sweep(plan, desk / "mixed", engine="here", path="compiled", format="csv")
    assert mixed in run(capsys, "ensemble", "show", "mixed")[1].splitlines()
    _, data = run_json(capsys, "ensemble", "show", "mixed")
    told(data["decided"])
    assert data["paths"] == {"compiled": 2, "interpreted": 2}


def test_open(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """An evening is opened by one command, has the digest of its row, and can be explained and replayed."""
    code, out, _ = run(capsys, "ensemble", "open", "noise", "4")
    assert code == DONE
    told(out)
    code, data = run_json(capsys, "ensemble", "open", "noise", "4", "--out", "opened")
    assert data["state"] == list(Ensemble(desk / "noise").rows())[4]["state"]
    assert data["settings"] == {SIGMA: 0.3}
    code, replayed = run_json(capsys, "replay", "opened", "--verify")
    assert (code, replayed["verified"]) == (DONE, 3)
    line = next(line for line in out.splitlines() if "volition explain" in line).split()[1:]
    assert run(capsys, *line)[0] == DONE


def test_the_scenario_and_the_seed_are_enough(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a sweep, playing the scenario with the seed gives the same evening."""
    line = ("ensemble", "run", "short.json", "--seeds", "7", "--engine", "here", "--format", "jsonl", "--out", "plain")
    assert run_json(capsys, *line)[0] == DONE
    row = json.loads((desk / "plain" / "table.jsonl").read_text())
    assert run_json(capsys, "play", "short.json", "--seed", "7", "--out", "played")[0] == DONE
    played = Evening.load(desk / "played")
    assert digest_of_world(played.state(played.last)) == row["state"]


def test_the_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    """The doctor examines an ensemble as it was played, at any of its points."""
    code, report = run_json(capsys, "doctor", "noise")
    assert (code, report["evenings"], report["seeds"]) == (NEEDS_A_PERSON, 3, [1, 5])
    _, other = run_json(capsys, "doctor", "noise", "--point", "1")
    assert other["hash"] != report["hash"]
    assert run(capsys, "doctor", "noise", "--point", "2")[0] == INVALID_INPUT
    assert run(capsys, "doctor", "short.json", "--point", "0")[0] == INVALID_INPUT


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--grid", "rules.noise.sigmaa=1"), "did you mean 'rules.noise.sigma'"),
        (("--grid", "rules.noise.sigma"), "is not of the form NAME=A,B,C"),
        (("--grid", f"{SIGMA}=1", "--grid", f"{SIGMA}=2"), "given twice"),
        (("--grid", f"{SIGMA}=1", "--random", f"{SIGMA}=1..2", "--draws", "2"), "swept twice"),
        (("--random", f"{SIGMA}=1", "--draws", "2"), "is not a range"),
        (("--random", f"{SIGMA}=0..1"), "no draws"),
        (("--seeds", "5-1"), "nor a range of seeds"),
        (("--seeds", "x"), "nor a range of seeds"),
        (("--seeds", "0-99999999"), "too many"),
        (("--out", "noise"), "another plan"),
        (("--engine", "thread"), "thread"),
    ],
)
def test_refused(desk: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str) -> None:
    """What cannot be played ends with 2 before anything is played, and says what to type instead."""
    code, _, err = run(capsys, "ensemble", "run", "short.json", "--seeds", "1", "--out", "refused", *words)
    assert code == INVALID_INPUT
    assert told in err
    assert not (desk / "refused").exists()


def test_missing_parts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow or Ray it ends with 4, and says what to install or to use instead."""
    line = ("ensemble", "run", "short.json", "--seeds", "1", "--out", "missing")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = run(capsys, *line, "--engine", "here")
    assert (code, "--format csv" in err) == (MISSING_PART, True)
    monkeypatch.setitem(sys.modules, "ray", None)
    code, _, err = run(capsys, *line, "--engine", "ray", "--format", "csv")
    assert (code, "'.[ray]'" in err) == (MISSING_PART, True)


def test_no_ensemble(capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without an ensemble, and a row or column that does not exist, end with 2."""
    for words in (
        ("show", "nowhere"),
        ("open", "nowhere", "0"),
        ("open", "noise", "6"),
        ("show", "noise", "--by", "x"),
    ):
        assert run(capsys, "ensemble", *words)[0] == INVALID_INPUT


def test_the_lines_of_the_page(desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands in docs/ensembles.md work; here with fewer and shorter evenings."""
    (desk / "page").mkdir()
    monkeypatch.chdir(desk / "page")
    page = (Path(__file__).parents[2] / "docs" / "ensembles.md").read_text(encoding="utf-8")
    lines = [line.split()[1:] for line in page.splitlines() if line.startswith("volition ")]
    assert len(lines) == 7
    fewer = {
        "dinner-party": "../short.json",
        "1-200": "1-2",
        "1-50": "1-2",
        "1-20": "1",
        "1-20000": "1-2",
        "30": "2",
        "17": "5",
    }
    for words in lines:
        engine = ("--engine", "here") if "run" in words else ()
        code, _, err = run(capsys, *(fewer.get(word, word) for word in words), *engine)
        assert code == (NEEDS_A_PERSON if words[0] == "doctor" else DONE), err


def test_interrupted(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Ctrl-C ends with 130 and says how to continue; the same command continues."""
    line = ("ensemble", "run", "short.json", "--seeds", "1-200", "--format", "csv", "--out", "long")
    running = subprocess.Popen(
        [sys.executable, "-m", "volition.cli", *line, "--workers", "2"], cwd=desk, stderr=subprocess.PIPE, text=True
    )
    try:
        until = time.monotonic() + PATIENCE
        while not list((desk / "long" / "parts").glob("*.rows")) and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(running.pid, signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
    assert running.returncode == INTERRUPTED
    told(err)
    code, _, err = run(capsys, "ensemble", "show", "long")
    assert code == INVALID_INPUT
    told(err)


def test_a_bar_for_somebody_who_looks_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal a bar with rate and time left goes to stderr; elsewhere there is none."""
    with printing.progress("a title") as none:
        assert none is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with printing.progress("a title") as told:
        assert told is not None
        told(3, 10)
        time.sleep(0.05)
        told(7, 10)
    out, err = capsys.readouterr()
    assert out == ""
    assert "7/10" in err
    assert "evenings/s" in err


@pytest.mark.parametrize(("text", "seeds"), [("1-4", [1, 2, 3, 4]), ("9, 2-3", [9, 2, 3]), ("0", [0])])
def test_seeds(text: str, seeds: list[int]) -> None:
    """Seeds are numbers and ranges."""
    assert list(parse_seeds(text)) == seeds


@pytest.mark.parametrize("text", ["", "-1", "1-", "1..4", "3-2", "1,,2", "9" * 20])
def test_no_seeds(text: str) -> None:
    """Anything else is refused."""
    with pytest.raises(InvalidInput):
        parse_seeds(text)


def test_every_measure_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """`ensemble measures` prints a sentence for every column, or for one; --json has the same."""
    told = run(capsys, "ensemble", "measures")
    assert told.code == DONE
    assert all(name in told.out and meaning in told.out for name, meaning in MEANINGS.items())
    code, data = run_json(capsys, "ensemble", "measures", "catastrophes.victor")
    assert (code, data) == (DONE, {"catastrophes.victor": MEANINGS["catastrophes.PERSON"]})
    unknown = run(capsys, "ensemble", "measures", "tensoin")
    assert unknown.code == INVALID_INPUT
    assert "tension" in unknown.err
