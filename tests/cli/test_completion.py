"""Shell completion: switched on by the documented line, in a real bash, including the names of things."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from tests.cli.lines import run, run_in
from tests.processes import PATIENCE
from volition.cli.main import COMMANDS, app

ROOT = Path(__file__).parents[2]
SHELLS = ("bash", "zsh", "fish")
ASKED = """
{line}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
COMP_LINE="{words}" COMP_POINT=${{#COMP_LINE}}
compopt() {{ echo "compopt $2"; }}
{function} volition "${{COMP_WORDS[COMP_CWORD]}}" ""
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two recorded evenings, two files, and a `volition` that the shell finds; completing changes nothing."""
    folder = tmp_path_factory.mktemp("desk")
    for seed in ("8", "9"):
        assert run_in(folder, "play", "--seed", seed, "--ticks", "2").code == 0
    (folder / "decision.json").touch()
    (folder / "bin").mkdir()
    script = folder / "bin" / "volition"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m volition.cli "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return folder


@pytest.fixture
def desk(laid_out: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That folder, to type in."""
    monkeypatch.chdir(laid_out)
    return laid_out


def documented(text: str) -> dict[str, str]:
    """The line that switches completion on, for each shell that a text names."""
    found = re.findall(r'(?:eval "\$\()?_VOLITION_COMPLETE=(\w+)_source volition(?:\)"| \\?\| source)', text)
    whole = re.finditer(r'(?:eval "\$\()?_VOLITION_COMPLETE=\w+_source volition(?:\)"| \\?\| source)', text)
    return {shell: match[0].replace("\\|", "|") for shell, match in zip(found, whole, strict=True)}


def offered(*words: str) -> list[str]:
    """The values, not files or folders, that are offered for the last of these words."""
    *before, begun = words
    items = ShellComplete(app, {}, "volition", "_VOLITION_COMPLETE").get_completions(before, begun)
    return [item.value for item in items if item.type == "plain"]


def kinds(*words: str) -> set[str]:
    *before, begun = words
    return {item.type for item in ShellComplete(app, {}, "volition", "_V").get_completions(before, begun)}


def in_bash(desk: Path, *words: str) -> list[str]:
    """What a bash that read the documented line answers for a line that is being typed."""
    line = documented((ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8"))["bash"]
    typed = " ".join(shlex.quote(word) for word in ("volition", *words))
    script = ASKED.format(line=line, words=typed, function="_volition_completion")
    environment = {**os.environ, "PATH": os.pathsep.join([str(desk / "bin"), os.environ["PATH"]])}
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=desk,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


def test_help_and_documentation_say_the_same_line(capsys: pytest.CaptureFixture[str]) -> None:
    """`volition --help` and the documentation give one line for bash, zsh and fish, and it is the same one."""
    page = documented((ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8"))
    assert documented(run(capsys, "--help")[1]) == page
    assert tuple(page) == SHELLS


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        (["pl"], ["play"]),
        (["govern", "ev"], ["evaluate"]),
        (["play", "din"], ["dinner-party"]),
        (["play", "--se"], ["--seed"]),
        (["transcript", "dinner-party-"], ["dinner-party-8", "dinner-party-9"]),
        (["explain", "dinner-party-8", "--agent", "v"], ["victor"]),
        (["drive", "--map", "cou"], ["courtyard"]),
        (["drive", "--pace", "f"], ["fast"]),
    ],
)
@pytest.mark.usefixtures("desk")
def test_what_is_begun_is_completed(words: list[str], answers: list[str]) -> None:
    """Commands, options, scenarios, runs, the people in them, maps and choices are completed."""
    assert offered(*words) == answers


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes(desk: Path) -> None:
    """Bash asks for what is begun and shows what is answered."""
    words = ["transcript", "dinner-party-"]
    assert [said for said in in_bash(desk, *words) if not said.startswith("compopt ")] == offered(*words)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_offers_every_command(desk: Path) -> None:
    """After `volition` and a space, bash offers all commands."""
    assert in_bash(desk, "") == list(COMMANDS)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_is_left_to_offer_files(desk: Path) -> None:
    """Where a file is allowed and no name matches, bash offers files as usual."""
    for words in (["arbitrate", "dec"], ["play", "mine"], ["scenario", "check", "./"]):
        assert "file" in kinds(*words)
        assert offered(*words) == []
    assert in_bash(desk, "play", "mine")[0] == "compopt default"


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        (["doctor", ""], "scenarios"),
        (["scenario", "show", ""], "scenarios"),
        (["replay", ""], "runs"),
        (["fork", ""], "runs"),
        (["fork", "dinner-party-9", "--agent", ""], "people"),
        (["serve-arena", "--map", ""], "maps"),
        (["conformance", "--map", ""], "maps"),
    ],
)
def test_names_are_offered_wherever_they_are_taken(words: list[str], answers: str, desk: Path) -> None:
    """Every argument that is a name of something offers the names of those things."""
    from volition.drama import scenario
    from volition.drama.world.scenario import scenario_names
    from volition.execution.worlds.arena.ground import SHIPPED_MAPS

    known = {
        "scenarios": list(scenario_names()),
        "runs": ["dinner-party-8", "dinner-party-9"],
        "people": list(scenario("dinner-party").people),
        "maps": list(SHIPPED_MAPS),
    }
    assert sorted(offered(*words)) == sorted(known[answers])


@pytest.mark.parametrize("words", [["explain", "nowhere", "--agent", ""], ["fork", "--agent", ""]])
def test_nothing_is_offered_where_nothing_is_known(words: list[str], desk: Path) -> None:
    """A run that does not exist, or is not named yet, has nobody to offer; and no error is shown while typing."""
    assert offered(*words) == []


def test_a_file_can_stand_beside_a_name(desk: Path) -> None:
    """Scenarios and maps may be files, and runs may be folders: the shell offers those too."""
    assert kinds("play", "d") == {"file", "plain"}
    assert kinds("drive", "--map", "c") == {"file", "plain"}
    assert kinds("transcript", "d") == {"dir", "plain"}
