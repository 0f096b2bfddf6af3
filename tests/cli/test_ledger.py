"""`volition ledger`: exit codes and output, as a shell sees them."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import Ended
from tests.cli.lines import run as run_line
from volition.cli.exits import INVALID_INPUT
from volition.core.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sentences import Told

    Run = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Ledger(tmp_path / "ledger", kind="test") as writer:
        writer.append_many({"n": n} for n in range(1, 6))
    return tmp_path / "ledger"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return lambda *words: run_line(capsys, "ledger", *words)


def tamper(folder: Path) -> None:
    path = folder / "000001.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"n":3', b'"n":4'))


def test_verify_ends_with_0_intact_and_3_broken(run: Run, folder: Path, told: Told) -> None:
    """Verify says intact or names the broken record, in text and JSON, and its exit code says it too."""
    assert run("verify", folder).code == 0
    told(*run("verify", folder).out.splitlines()[-2:])
    tamper(folder)
    broken = run("verify", folder)
    assert broken.code == 3
    told(broken.out.splitlines()[0])
    data = json.loads(run("verify", folder, "--json").out)
    assert (data["intact"], data["fault"]["seq"], data["fault"]["segment"]) == (False, 3, "000001.jsonl")


def test_an_anchor_taken_by_one_command_serves_the_other(run: Run, folder: Path) -> None:
    """`verify` accepts what `anchor` prints, and then notices records cut off the end; a broken ledger is not anchored."""
    anchor = run("anchor", folder).out
    assert run("verify", folder, "--anchor", anchor).code == 0
    path = folder / "000001.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert run("verify", folder).code == 3
    (folder / "closed.anchor").unlink()
    assert run("verify", folder).code == 0
    assert run("verify", folder, "--anchor", anchor).code == 3
    path.write_bytes(whole)
    tamper(folder)
    assert (run("anchor", folder).code, run("anchor", folder).out) == (3, "")


def test_show_prints_the_records_asked_for(run: Run, folder: Path) -> None:
    """Show begins at a record, ends at the limit, and its JSON lines are the records."""
    assert [line.split()[0] for line in run("show", folder, "--from", 2, "--limit", 3).out.splitlines()] == [*"234"]
    lines = [json.loads(line) for line in run("show", folder, "--json").out.splitlines()]
    assert [(line["seq"], line["body"]) for line in lines] == [(n, {"n": n}) for n in range(1, 6)]


def test_follow_prints_what_is_written_meanwhile(run: Run, folder: Path) -> None:
    """Follow prints what is there and what is appended, and ends when nothing comes any more."""
    with Ledger(folder, kind="test") as writer:
        later = threading.Timer(0.2, writer.append, [{"n": 6}])
        later.start()
        shown = run("follow", folder, "--timeout", 1, "--from", 5)
        later.join()
    assert [line.split()[-1] for line in shown.out.splitlines()] == ['{"n":5}', '{"n":6}']


@pytest.mark.parametrize("command", ["verify", "show", "follow", "anchor"])
def test_no_such_ledger_is_invalid_input(run: Run, tmp_path: Path, command: str) -> None:
    """Every command refuses a path without a ledger with exit code 2."""
    assert run(command, tmp_path / "nothing").code == INVALID_INPUT


@pytest.mark.parametrize("command", ["verify", "show", "follow", "anchor"])
def test_every_help_has_an_example(run: Run, command: str) -> None:
    """The help of each command shows a line that can be typed."""
    assert f"volition ledger {command} " in run(command, "--help").out
