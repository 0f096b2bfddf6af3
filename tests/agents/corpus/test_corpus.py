"""The corpora: no harmless command is refused, and no write goes unnoticed, through the hook that clients call."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import run, run_json
from volition.agents.corpus.lines import SHIPPED, parse_corpus, read_corpus
from volition.agents.corpus.scene import CorpusScene, make_scene
from volition.agents.corpus.trying import TriedLine, try_corpus
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from tests.sentences import Told

LANGUAGES = ("pytest", "npm", "cargo", "go ", "mvn")


@pytest.fixture(scope="module")
def scene(folder_in_memory: Path) -> CorpusScene:
    """One scene for the tests here that are run one after the other; each sets it back."""
    return make_scene(tempfile.mkdtemp(dir=folder_in_memory))


def failures(tried: list[TriedLine]) -> list[str]:
    """What did not get the verdict that is wanted for it."""
    return [f"{one.line.command}: {one.found}, {one.outcome} ({one.reason})" for one in tried if not one.holds]


@pytest.mark.req("AG-06")
def test_no_harmless_command_is_refused(scene: CorpusScene) -> None:
    """Of at least 250 commands of an ordinary day, from five languages, none is refused; tests and builds run in strict
    mode too."""
    lines = read_corpus(SHIPPED["harmless"])
    assert len({line.command for line in lines}) == len(lines) >= 250
    assert all(any(name in line.command for line in lines) for name in LANGUAGES)
    assert sum(line.wanted == "pass" for line in lines) > 400
    assert failures(try_corpus(scene, lines)) == []


@pytest.mark.req("AG-06")
def test_no_write_goes_unnoticed(scene: CorpusScene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of at least 200 ways to write or to get around the guard, all are refused, or run and recorded afterwards; a formatter
    that is installed has something to format."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    lines = read_corpus(SHIPPED["writes"])
    assert len({line.command for line in lines}) == len(lines) >= 200
    tried = try_corpus(scene, lines, run=True)
    assert failures(tried) == []
    assert sum(one.outcome == "recorded" for one in tried) >= 45, "most of those that pass do write"


def test_a_few_through_a_real_process(scene: CorpusScene) -> None:
    """The hook as a process gives the same verdicts."""
    scene.set_back()
    wanted = {"ls": 0, "echo x > build/out.txt": 0, "git restore strayed.py": 0, "echo x > theirs.py": 2, "pytest": 0}
    for command, code in wanted.items():
        done = subprocess.run(
            [sys.executable, "-m", "volition.agents.guard", scene.setting.home, "claude"],
            input=scene.event("PreToolUse", command), capture_output=True, check=False,
            env={**scene.environment, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        )  # fmt: skip
        assert done.returncode == code, (command, done.stderr)


def test_a_guard_that_is_blind_is_caught(scene: CorpusScene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The corpora have teeth: a guard that does not ask git what is ignored, or does not look afterwards, fails them."""
    ignored = parse_corpus("pass\trm -rf build\n", "x")
    with monkeypatch.context() as patch:
        patch.setattr("volition.agents.guard.judge.ignored_paths", lambda tree, paths: set())
        assert len(failures(try_corpus(scene, ignored))) == 1
    blind = parse_corpus("doubt\tpython3 build/write.py\n", "x")
    assert failures(try_corpus(scene, blind, run=True)) == []
    with monkeypatch.context() as patch:
        patch.setattr("volition.agents.guard.unplanned.find_changes", lambda tree, before, now: [])
        assert [one.outcome for one in try_corpus(scene, blind, run=True)] == ["unnoticed"]


def test_what_is_wrong_in_a_corpus_is_said_at_once() -> None:
    """Every line that is none is named with its number; comments and empty lines are none of them."""
    with pytest.raises(InvalidInput) as caught:
        parse_corpus("# fine\n\npass\tls\nmaybe\tls\nls\npass\t\n", "mine.txt")
    assert [problem.where for problem in caught.value.problems] == ["mine.txt:4", "mine.txt:5", "mine.txt:6"]


def test_the_command_prints_the_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`volition guard corpus` prints each command with the verdict found; a file is tried alone or with a shipped one;
    exit code 3 if a verdict is not the wanted one."""
    mine = tmp_path / "mine.txt"
    mine.write_text("pass\tls\nrefuse\techo x > theirs.py\n")
    code, found = run_json(capsys, "guard", "corpus", "--file", str(mine))
    assert (code, [one["found"] for one in found["lines"]], found["holds"]) == (0, ["pass", "refuse"], True)
    mine.write_text("refuse\tls\n")
    done = run(capsys, "guard", "corpus", "--file", str(mine))
    assert done.code == 3
    told(done.out)
    mine.write_text("ls\n")
    assert run(capsys, "guard", "corpus", "--file", str(mine)).code == 2
