"""`volition guard` as people type it: the journal, why, bindings, and a fresh start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agents.conftest import desk, folder_in_memory, laid_out
from tests.agents.desks import MINE
from tests.cli.lines import run, run_json

if TYPE_CHECKING:
    from tests.agents.desks import Desk
    from tests.sentences import Told

__all__ = ["desk", "folder_in_memory", "laid_out"]


@pytest.fixture(autouse=True)
def here(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk.repo)


def test_the_journal_is_printed_and_explained(desk: Desk, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Entries are listed by kind and session, the last denial is explained, and an entry by the beginning of its id."""
    told(run(capsys, "guard", "why").err)
    desk.hook("claude")
    desk.hook("claude", way="shell", command="echo x > src/theirs.py", session="other")
    denied = run(capsys, "guard", "log", "--what", "deny")
    assert (denied.code, denied.out.count("\n")) == (0, 1)
    told(denied.out)
    assert run(capsys, "guard", "log", "--session", "session-1").out.count("\n") == 1
    why = run(capsys, "guard", "why").out
    told(why)
    code, entry = run_json(capsys, "guard", "why", denied.out[:8])
    assert (code, entry["what"], entry["targets"]) == (0, "deny", ["src/theirs.py"])
    assert run(capsys, "guard", "why", "nothing").code == 2


def test_a_journal_that_was_changed_is_noticed(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """A line that was changed, torn or removed ends with 3; what comes after a torn line is still read."""
    for _ in range(3):
        desk.hook("claude")
    file = desk.repo / ".git" / "volition" / "journal.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    for broken in ([lines[0].replace("pass", "deny"), *lines[1:]], [lines[0], lines[2]], [lines[0], lines[1][:30]]):
        file.write_text("".join(broken))
        assert run(capsys, "guard", "log").code == 3
    desk.hook("claude")
    assert run(capsys, "guard", "log").out.count("pass") == 2


def test_bindings_and_a_fresh_start(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """A worktree or a session is bound to plans, and released; after a reset earlier unplanned changes are not named again."""
    assert desk.hook("codex", session="new").code == 2
    assert run(capsys, "guard", "use", MINE).code == 0
    assert desk.hook("codex", session="new").code == 0
    desk.hook("codex", "after", session="new")
    assert run(capsys, "guard", "use").code == 0
    assert run(capsys, "guard", "use", MINE, "--session", "new").out.startswith("session new works on")
    assert desk.hook("codex", session="new").code == 0
    desk.hook("codex", "after", session="new")
    (desk.repo / "stray.py").write_text("x")
    assert desk.hook("codex", "after", way="shell").code == 2
    assert run(capsys, "guard", "reset").code == 0
    assert desk.hook("codex", "end").code == 0
