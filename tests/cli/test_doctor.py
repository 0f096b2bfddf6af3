"""`volition doctor` as a person runs it: text for people, JSON for programs, and an exit code that says which."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.drama.company.test_doctor import HEALTHY
from volition.cli import doctor as command
from volition.cli.exits import DONE, INVALID_INPUT, NEEDS_A_PERSON
from volition.cli.progress import progress
from volition.drama.company import ensemble
from volition.drama.world.scenario import scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.drama.company.measures import Measures
    from volition.drama.world.model import Scenario

pytestmark = pytest.mark.req("DE-14")


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(command.doctor, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.stdout, done.stderr


def test_text_and_json() -> None:
    """Both say the same of the same seeds, as a process of its own with workers or in this one, with 3 for symptoms."""
    arguments = ("winter-station", "--seeds", "2", "--first-seed", "5")
    line = [sys.executable, "-c", "from volition.cli.doctor import doctor; doctor()", *arguments, "--workers", "2"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    code, out, err = done.returncode, done.stdout, done.stderr
    assert (code, err) == (NEEDS_A_PERSON, "")
    assert out.startswith("winter-station: 2 evenings, seeds 5 to 6\n")
    code, told, _ = run(*arguments, "--workers", "1", "--json")
    report = json.loads(told)
    assert code == NEEDS_A_PERSON
    assert (report["scenario"], report["evenings"], report["seeds"]) == ("winter-station", 2, [5, 6])
    assert report["hash"] == scenario("winter-station").hash
    assert not report["healthy"]
    for symptom in report["symptoms"]:
        assert symptom["name"][1:] in out
        assert all(setting["path"] in out for setting in symptom["settings"])
    assert [row["holds"] for row in report["targets"]] == [
        line.split()[0] == "holds" for line in out.splitlines() if line.startswith(("  holds", "  FAILS"))
    ]


def test_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every target holds and there is no symptom, it ends with 0; it plays the seeds that were asked for."""
    asked: list[tuple[str, list[int], int | None]] = []

    def played(
        given: Scenario, seeds: Iterable[int], *, workers: int | None, progress: Callable[[int, int], None] | None
    ) -> tuple[Measures, ...]:
        asked.append((given.id, list(seeds), workers))
        assert progress is None
        return tuple(HEALTHY)

    monkeypatch.setattr(ensemble, "ensemble", played)
    code, out, _ = run("dinner-party", "--seeds", "3", "--first-seed", "11")
    assert (code, asked) == (DONE, [("dinner-party", [11, 12, 13], None)])
    assert out.endswith("Every target holds, and there is no symptom.\n")


def test_a_bar_for_somebody_who_looks_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal the bar goes to stderr and leaves stdout alone."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress("a title") as tell:
        assert tell is not None
        tell(1, 2)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "arguments",
    [("dinner-party", "--seeds", "0"), ("dinner-party", "--workers", "0"), ("dinner-party", "--seeds", "x"), ()],
)
def test_invalid_input(arguments: tuple[str, ...]) -> None:
    """What cannot be asked for ends with 2."""
    code, out, _ = run(*arguments)
    assert (code, out) == (INVALID_INPUT, "")


def test_help() -> None:
    """Help says what it does, how it ends, and how it is called."""
    code, out, _ = run("--help")
    assert code == 0
    assert "volition doctor dinner-party --first-seed 50001 --json" in out
    for option in ("--seeds", "--first-seed", "--workers", "--json"):
        assert option in out
