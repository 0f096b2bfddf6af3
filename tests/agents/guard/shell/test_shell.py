"""Command lines are read: what is visible is named, the rest is in doubt, and the tree shows all of it afterwards."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.agents.desks import git
from tests.agents.guard.shell.shell_corpus import HARMLESS, NAMED, UNSURE, lines_of
from volition.agents.guard.shell.reading import ShellReading, read_shell
from volition.agents.guard.shell.words import ShellWrite
from volition.agents.guard.tree import find_changes, take_snapshot

CORPUS = [
    (kind, line)
    for kind, text in (("named", NAMED), ("unsure", UNSURE), ("harmless", HARMLESS))
    for line in lines_of(text)
]
SEED = {"a.py": "a\nx\n", "b.py": "b\n", "data.csv": "1\n", "sub/c.py": "c\n"}


def content(folder: Path) -> dict[str, object]:
    """Every file below a folder with its content and mode; a link with its target."""
    files = [path for path in folder.rglob("*") if path.is_symlink() or path.is_file()]
    return {
        str(path): (path.readlink() if path.is_symlink() else path.read_bytes(), path.lstat().st_mode) for path in files
    }


def judged(reading: ShellReading, changed: set[str]) -> str:
    """How well a command line was read, given what it changed."""
    named = [write for write in reading.writes if write.kind != "visit"]
    paths = {os.path.normpath(Path(write.folder) / write.path) for write in named} - {"/dev/null"}
    if reading.doubts or reading.programs or any(write.kind == "sweep" for write in named):
        return "unsure"
    if not all(any(path == one or path.startswith(f"{one}/") for one in paths) for path in changed):
        return "missed"
    return "named" if paths else "harmless"


@pytest.mark.req("AG-03")
def test_the_corpus_is_read_and_the_tree_shows_the_rest(tmp_path: Path) -> None:
    """Of 99 writing command lines 82 are named whole, 17 are in doubt and none is missed; 16 harmless ones raise no doubt;
    and everything that any of them changed in the repository is seen by comparing the tree."""
    git(tmp_path, "init", "-q")
    folders = [tmp_path / f"c{number:03}" for number in range(len(CORPUS))]
    for folder in folders:
        (folder / "sub").mkdir(parents=True)
        for name, text in SEED.items():
            (folder / name).write_text(text)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    before = take_snapshot(str(tmp_path))
    all_changed: set[str] = set()
    for (kind, line), folder in zip(CORPUS, folders, strict=True):
        first, reading = content(folder), read_shell(line, str(folder))
        subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, check=False)
        last = content(folder)
        changed = {path for path in first.keys() | last.keys() if first.get(path) != last.get(path)}
        all_changed |= changed
        assert judged(reading, changed) == kind, line
        assert bool(changed) == (kind != "harmless"), line
    seen = find_changes(str(tmp_path), before, take_snapshot(str(tmp_path)))
    assert {os.path.relpath(path, tmp_path) for path in all_changed} <= set(seen)
    assert [sum(kind == one for one, _ in CORPUS) for kind in ("named", "unsure", "harmless")] == [82, 17, 16]


@pytest.mark.parametrize(
    "line",
    ["echo a >", "if", "echo 'x", "((((", "cat <<EOF", "a | | b", "\x00", "$(", "`", "echo \udcff > x", "{" * 300],
)
def test_nonsense_raises_a_doubt_or_nothing(line: str) -> None:
    """A command line that is broken is read without an error."""
    read_shell(line, "/")


def test_command_lines_in_command_lines_end() -> None:
    """However deep command lines are nested, reading them ends, with a doubt."""
    assert read_shell("eval " * 40 + "true", "/")[1] == ["command lines in command lines"]
    assert read_shell("eval " * 8 + "touch x", "/") == ([ShellWrite("/", "x")], [], [])
