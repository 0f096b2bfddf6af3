"""The entry point: it is fast, and every error has its text and its exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.shell_completion import ShellComplete

from tests.processes import PATIENCE
from volition import __version__
from volition.cli.exits import EXITS
from volition.cli.lazy import Lazy
from volition.cli.main import COMMANDS, app, main
from volition.core.errors import BrokenRecord, InvalidInput, MissingPart, Problem, VolitionError
from volition.core.extras import EXTRAS

if TYPE_CHECKING:
    from collections.abc import Callable

    Boom = Callable[[Exception | Callable[[], Any]], None]

ROOT = Path(__file__).parents[2]
PROBLEM = Problem("weight is -1", "intentions[0].weight", "a finite number >= 0", "use 0 to silence a vote")


@pytest.fixture
def boom(monkeypatch: pytest.MonkeyPatch) -> Boom:
    """Registers a command `boom [--json] [WORDS]` that raises an error, or ends as a function does."""

    def register(ending: Exception | Callable[[], Any]) -> None:
        @click.command()
        @click.option("--json", "as_json", is_flag=True)
        @click.argument("words", nargs=-1)
        def command(as_json: bool, words: tuple[str, ...]) -> Any:
            if isinstance(ending, Exception):
                raise ending
            return ending()

        module = ModuleType("boom_command")
        module.command = command  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "boom_command", module)
        monkeypatch.setitem(COMMANDS, "boom", Lazy("boom_command:command", "Go wrong."))

    return register


def volition(*args: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "volition.cli", *args],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **settings,
    )


@pytest.mark.parametrize("option", ["--help", "-h", "--version"])
def test_help_and_version_import_only_click(option: str) -> None:
    """`--help` and `--version` load click, the entry point with its two helpers, the names of the package, and nothing
    else that is installed."""
    probe = (
        "import sys; before = set(sys.modules); from volition.cli.main import main; code = main(sys.argv[1:])\n"
        "new = {name for name in set(sys.modules) - before if name.partition('.')[0] not in sys.stdlib_module_names}\n"
        "print(code, *sorted(name for name in new if name.partition('.')[0] != 'click'), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, option], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    doors = (
        "volition volition.cli volition.cli.exits volition.cli.lazy volition.cli.main volition.core volition.core.lazy"
    )
    assert done.stderr.split("\n")[0] == f"0 {doors}"


def test_version_is_the_package_version() -> None:
    """`--version` prints the package's version."""
    assert volition("--version").stdout == f"volition {__version__}\n"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_loads(name: str) -> None:
    """Every line of the table leads to a command that can show its own help."""
    command = app.get_command(click.Context(app), name)
    assert command is not None
    assert command.get_help(click.Context(command, info_name=name)).startswith("Usage:")


@pytest.mark.parametrize("error", [InvalidInput(PROBLEM), BrokenRecord(PROBLEM, PROBLEM), MissingPart(PROBLEM)])
@pytest.mark.parametrize("as_json", [False, True])
def test_volition_errors(error: VolitionError, as_json: bool, boom: Boom, capsys: pytest.CaptureFixture[str]) -> None:
    """A VolitionError becomes its text on stderr and its exit code; with --json its data is printed on stdout too."""
    boom(error)
    assert main(["boom", "--json"] if as_json else ["boom"]) == error.exit_code
    out, err = capsys.readouterr()
    assert err == f"error: {error}\n"
    assert (json.loads(out) if out else None) == (error.to_data() if as_json else None)


def test_unknown_exception_is_called_a_bug(boom: Boom, capsys: pytest.CaptureFixture[str]) -> None:
    """Any other exception becomes one line that admits a bug, and exit code 1; never a traceback."""
    boom(ZeroDivisionError("by zero"))
    assert main(["boom"]) == 1
    expected = "this is a bug in volition: ZeroDivisionError: by zero; run again with --debug for the traceback\n"
    assert capsys.readouterr() == ("", expected)


@pytest.mark.parametrize("args", [["--debug", "boom"], ["boom", "--debug"], ["boom", "x", "--debug", "--", "y"]])
def test_debug_stands_anywhere(args: list[str], boom: Boom, capsys: pytest.CaptureFixture[str]) -> None:
    """`--debug` before or after the command shows the traceback, and changes no exit code."""
    boom(ZeroDivisionError("by zero"))
    assert main(args) == 1
    assert "Traceback" in capsys.readouterr().err


def test_debug_after_two_dashes_is_a_word(boom: Boom, capsys: pytest.CaptureFixture[str]) -> None:
    """What follows `--` belongs to the command: a `--debug` there is an argument."""
    boom(ZeroDivisionError("by zero"))
    assert main(["boom", "--", "--debug", "--json"]) == 1
    out, err = capsys.readouterr()
    assert (out, "Traceback" in err) == ("", False)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["arbitrat"], "did you mean 'arbitrate'?"),
        (["qqqq"], "use one of: 'arbitrate'"),
        (["boom", "--sjon"], "No such option"),
    ],
)
def test_usage_errors(args: list[str], said: str, boom: Boom, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong command line is exit code 2, and for a misspelt command the nearest one is suggested."""
    boom(ZeroDivisionError("never reached"))
    assert main(args) == 2
    assert said in capsys.readouterr().err
    assert main([*args, "--json"]) == 2
    assert said in json.loads(capsys.readouterr().out)["problems"][0]["what"]


@pytest.mark.parametrize("module", sorted(EXTRAS))
def test_missing_extra(module: str, boom: Boom, capsys: pytest.CaptureFixture[str]) -> None:
    """A module of a known extra that is not installed is exit code 4, with the line that installs it."""
    boom(ModuleNotFoundError(f"No module named '{module}.core'", name=f"{module}.core"))
    assert main(["boom"]) == 4
    assert f"pip install '.[{EXTRAS[module]}]'" in capsys.readouterr().err


def test_missing_module_of_no_extra_is_a_bug(boom: Boom, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing module that no extra installs is a bug."""
    boom(ModuleNotFoundError("No module named 'volition.nowhere'", name="volition.nowhere"))
    assert main(["boom"]) == 1


def test_extras_are_those_of_the_project() -> None:
    """Every extra that a user may install is in the table; those for tests and pages are for developers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(EXTRAS.values()) == set(project["optional-dependencies"]) - {"test", "docs"}


def test_commands_end_as_they_say(boom: Boom) -> None:
    """A command names its exit code by returning it, by ctx.exit or by sys.exit; with none of these it is 0."""
    endings: list[tuple[Callable[[], Any], int]] = [
        (lambda: None, 0),
        (lambda: 3, 3),
        (lambda: click.get_current_context().exit(3), 3),
        (lambda: sys.exit(3), 3),
        (sys.exit, 0),
    ]
    for ending, code in endings:
        boom(ending)
        assert main(["boom"]) == code


CHILD = """
import sys, time, types, click
from volition.cli.lazy import Lazy
from volition.cli.main import COMMANDS, main

@click.command()
def command():
    {body}

sys.modules["child"] = types.ModuleType("child")
sys.modules["child"].command = command
COMMANDS["child"] = Lazy("child:command", "")
sys.exit(main(["child"]))
"""


def test_ctrl_c_is_130() -> None:
    """Ctrl-C ends a running command with exit code 130 and no traceback."""
    body = "print('ready', flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", CHILD.format(body=body)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, err.strip()) == (130, "interrupted")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("[click.echo('x' * 1000) for _ in range(1000)]", 141),
        ("[print('x' * 1000) for _ in range(1000)]", 141),
        ("print('still buffered when the command ends')", 141),
        ("print('still buffered when the command ends'); sys.exit(3)", 3),
    ],
)
def test_closed_pipe_is_quiet(body: str, code: int) -> None:
    """A closed pipe (`| head`) leaves stderr empty, is not a bug, and hides no exit code that was already known."""
    reading, writing = os.pipe()
    os.close(reading)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        [sys.executable, "-c", CHILD.format(body=body)], stdout=writing, stderr=subprocess.PIPE, text=True, env=buffered
    ) as child:
        os.close(writing)
        _, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, err) == (code, "")


@pytest.mark.parametrize(("shell", "mark"), [("bash", "complete -o"), ("zsh", "#compdef"), ("fish", "complete --")])
def test_shells_get_their_completion_script(shell: str, mark: str) -> None:
    """The documented line for each shell yields that shell's completion script."""
    if shell == "bash" and not Path("/bin/bash").exists():
        pytest.skip("click asks bash for its version")
    done = volition(env={**os.environ, "_VOLITION_COMPLETE": f"{shell}_source"})
    assert mark in done.stdout


def test_completion_offers_commands_without_loading_them() -> None:
    """Completing a first letter offers the commands that begin with it, each with its line, and imports none."""
    loaded = set(sys.modules)
    offered = ShellComplete(app, {}, "volition", "_VOLITION_COMPLETE").get_completions([], "d")
    assert [(item.value, item.help) for item in offered] == [
        (name, command.help) for name, command in COMMANDS.items() if name.startswith("d")
    ]
    assert len(offered) > 1
    assert set(sys.modules) == loaded


def test_exit_codes_are_documented() -> None:
    """`--help` and docs/exit-codes.md show the same table of exit codes, and it is the one in force."""
    page = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    rows = [(int(code), meaning) for code, meaning in re.findall(r"^\| (\d+) \| (.+?) \|$", page, re.MULTILINE)]
    assert rows == list(EXITS)
    shown = " ".join(volition("--help").stdout.split())
    assert all(f"{code} {meaning}" in shown for code, meaning in EXITS)
