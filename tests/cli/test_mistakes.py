"""The commonest mistakes at every command: a known exit code, no traceback, and what to do next."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import pytest

from tests.cli.lines import commands, run, words
from volition.cli.lazy import examples
from volition.core.extras import EXTRAS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMANDS = commands()
LEAVES = {called: command for called, command in COMMANDS.items() if not isinstance(command, click.Group)}
GROUPS = {called: command for called, command in COMMANDS.items() if isinstance(command, click.Group)}
NEEDY = [called for called, command in LEAVES.items() if any(parameter.required for parameter in command.params)]
CHOICES = [
    (called, parameter.opts[0], parameter.type.choices[0])
    for called, command in LEAVES.items()
    for parameter in command.params
    if isinstance(parameter, click.Option) and isinstance(parameter.type, click.Choice)
]
NUMBERS = [
    (called, parameter.opts[0])
    for called, command in LEAVES.items()
    for parameter in command.params
    if isinstance(parameter, click.Option) and isinstance(parameter.type, click.IntRange | click.FloatRange)
]

NOT_THERE = """
arbitrate nowhere.json
agents install --repository nowhere --registry team.db
agents uninstall --repository nowhere
agents doctor --repository nowhere
check main..HEAD --repository nowhere
guard log --repository nowhere
guard use intent_nobody --repository nowhere
guard reset --repository nowhere
guard why --repository nowhere
worktrees --repository nowhere
radar --once --repository nowhere
check-intention nowhere:dry
check-intention mine:dry --samples nowhere.json
doctor nowhere.toml
doctor nowhere --point 1
ensemble open nowhere 0
ensemble run nowhere.toml --seeds 1 --out new
ensemble show nowhere
arcs nowhere
explain nowhere --tick 1 --agent victor
fork nowhere --at 1 --veto chat:all
govern answer nowhere.json --choose question_0001=option_0001
govern diff nowhere.json list.json
govern evaluate nowhere.json
govern evaluate list.json --policy nowhere.toml
govern explain nowhere.json
govern gates nowhere
govern verify nowhere
govern graph nowhere.json
govern parts nowhere.py
govern radar nowhere --once
govern seal nowhere.json
drive --map nowhere.txt
journal export nowhere --to parquet --out new.parquet
journal summary nowhere
journal verify nowhere
journal explain nowhere --step 1
journal replay nowhere embedded
ledger anchor nowhere
ledger follow nowhere --timeout 0
ledger show nowhere
ledger verify nowhere
play nowhere.toml
play --continue nowhere
significance nowhere
replay nowhere
stage-in-world nowhere
scenario check nowhere.toml
scenario show nowhere.toml
serve-arena --map nowhere.txt
serve-arena --unix nowhere/arena.sock
studio --folder nowhere
transcript nowhere
mcp --registry nowhere/team.db
team register nowhere.json --holder ann --registry nowhere/team.db
team renew plan --token 1 --registry nowhere/team.db
team revise nowhere.json --token 1 --registry nowhere/team.db
team finish plan --token 1 --registry nowhere/team.db
team withdraw plan --token 1 --registry nowhere/team.db
team list --registry nowhere/team.db
team show plan --registry nowhere/team.db
team why plan --registry nowhere/team.db
team history --registry nowhere/team.db
team watch --registry nowhere/team.db
team join --by ann --registry nowhere/team.db
team members --registry nowhere/team.db
team me --by ann --registry nowhere/team.db
team work --by ann --registry nowhere/team.db
team role bob member --by ann --registry nowhere/team.db
team settings --newcomers member --by ann --registry nowhere/team.db
team key rotate --registry nowhere/team.db
team key revoke bob --by ann --registry nowhere/team.db
team release plan --reason gone --by ann --registry nowhere/team.db
team worker --once --by ann --registry nowhere/team.db
team backup copy --registry nowhere/team.db
team restore nowhere.backup --by ann --registry team.db
team archive --before 2026-01-01 old --by ann --registry nowhere/team.db
team verify-archive nowhere.archive
team migrate --registry nowhere/team.db
flow start --notify --registry nowhere/team.db
flow status --registry nowhere/team.db
flow answer flow --choose question_0001=option_0001 --registry nowhere/team.db
flow approve flow --by ann --registry nowhere/team.db
flow resume flow --registry nowhere/team.db
flow skip flow node --by ann --registry nowhere/team.db
flow settle flow node done --by ann --registry nowhere/team.db
flow report flow node done --token 1 --registry nowhere/team.db
flow abandon flow --by ann --registry nowhere/team.db
flow show flow --registry nowhere/team.db
flow graph flow --registry nowhere/team.db
flow why flow --registry nowhere/team.db
flow verify --registry nowhere/team.db
"""
WRONG_KIND = """
arbitrate picture.json
arbitrate list.json
arbitrate folder
arbitrate mine.py
check-intention mine
check-intention mine:dry --samples picture.json
doctor picture.toml
doctor folder
ensemble open folder 0
ensemble run picture.toml --seeds 1 --out new
ensemble show folder
ensemble show picture.json
explain folder --tick 1 --agent victor
fork folder --at 1 --veto chat:all
govern answer picture.json --choose question_0001=option_0001
govern diff list.json list.json
govern evaluate picture.json
govern evaluate list.json
govern evaluate folder
govern explain list.json
govern gates picture.json
govern verify picture.json
govern graph picture.json
govern parts picture.json
govern parts folder
govern radar picture.json --once
govern seal list.json
drive --map picture.txt
body copy mujoco folder
body copy mujoco picture.json
java export folder
java export picture.json
journal export folder --to parquet --out new.parquet
journal summary folder
journal summary picture.json
journal verify folder
journal replay folder embedded
protocol export folder
protocol export picture.json
ledger anchor folder
ledger show picture.json
ledger verify folder
ledger verify picture.json
mcp --registry folder
play picture.toml
play list.json
play folder
play --out folder
replay folder
stage-in-world folder
scenario check picture.toml
scenario check folder
scenario new night --out list.json
serve-arena --map picture.txt
studio --folder picture.json
transcript folder
transcript picture.json
"""
MISSPELT = """
body copy mujoko new                                                   | 'mujoco'
check-intention mine:dr                                                | 'dry'
conformance embeddd                                                    | embedded
conformance embedded --only framng                                     | framing
doctor dinner-prty                                                     | 'dinner-party'
drive --executor embeddd                                               | embedded
drive --goal opponnt                                                   | opponent
drive --map curtyard                                                   | 'courtyard'
ensemble run dinner-prty --seeds 1 --out new                           | 'dinner-party'
ensemble run dinner-party --seeds one --out new                        | 1-200
ensemble run dinner-party --seeds 1 --grid rules.noise.sigm=1 --out new | sigma
explain evening --tick 1 --agent vicor                                 | 'victor'
explain evning --tick 1 --agent victor                                 | 'evening'
fork evening --at 1 --veto chat:al                                     | chat:all
fork evening --at 1 --set victor.stres=1                               | stress
govern evaluate list.jsn                                               | 'list.json'
govern evaluate list.json --now yesterday                              | 2026-01-25T10:00:00Z
govern new intent "Add logging" --project shop --command add           | create+write
govern example new --sample same_targt                                 | 'same_target'
play dinner-prty                                                       | 'dinner-party'
scenario check dinner-prty                                             | 'dinner-party'
scenario new "Night Train"                                             | night-train
scenario show dinner-prty                                              | 'dinner-party'
serve-arena --map curtyard                                             | 'courtyard'
studio --host 0.0.0.0                                                  | --token-file
transcript evning                                                      | 'evening'
"""
UNREACHED = """
drive --executor tcp://127.0.0.1:1
drive --launch nowhere-program
conformance tcp://127.0.0.1:1
conformance --launch nowhere-program
"""
PARTS = ("where:", "expected:", "remedy:")


def listed(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with one thing of every wrong kind, and a module."""
    picture = b"\x89PNG\r\n\x1a\n\x00\x01"
    for name in ("picture.json", "picture.toml", "picture.txt"):
        (tmp_path / name).write_bytes(picture)
    (tmp_path / "list.json").write_text("[1, 2]", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "picture.png").write_bytes(picture)
    (tmp_path / "mine.py").write_text("def dry(tile):\n    return False\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("mine", None)


def refused(capsys: pytest.CaptureFixture[str], line: str, code: int = 2) -> str:
    """The error for a command that cannot be carried out: what, where, what was expected, and what to do."""
    found, out, err = run(capsys, *words(f"volition {line}"))
    assert (found, out) == (code, ""), f"{line}: {err}"
    what, *rest = err.splitlines()
    assert what.startswith("error: "), f"{line}: {err}"
    for part in PARTS:
        assert any(said.strip().startswith(part) and said.strip() != part for said in rest), f"{line}: {err}"
    return err


def misused(capsys: pytest.CaptureFixture[str], called: str, *more: str) -> str:
    """The error for an invalid line: the usage, where help is, and a valid line."""
    code, out, err = run(capsys, *called.split()[1:], *more)
    assert (code, out) == (2, ""), f"{called} {more}: {err}"
    assert f"Try '{called} --help' for help." in err
    if example := examples(COMMANDS[called]):
        assert err.endswith(f"For example: {example[0]}\n"), f"{called} {more}: {err}"
    return err


def test_nothing_given(capsys: pytest.CaptureFixture[str]) -> None:
    """A command without its required argument names it, and shows a complete line."""
    for called in NEEDY:
        assert "Error: Missing " in misused(capsys, called), called


@pytest.mark.parametrize("called", sorted(name for name, group in GROUPS.items() if not group.invoke_without_command))
def test_a_group_alone_shows_its_commands(called: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A group called without a command shows its help and ends with 2, unless it answers alone."""
    code, out, err = run(capsys, *called.split()[1:])
    assert (code, f"Usage: {called}" in out + err, "Commands:" in out + err) == (2, True, True)


@pytest.mark.parametrize("called", sorted(GROUPS))
def test_misspelt_command(called: str, capsys: pytest.CaptureFixture[str]) -> None:
    """For a command with its last letter missing, the right name is suggested."""
    group = GROUPS[called]
    assert isinstance(group, click.Group)
    for name in group.list_commands(click.Context(group)):
        if len(name) > 3:
            said = misused(capsys, called, name[:-1]).lower()
            assert "did you mean" in said
            assert f"'{name}'" in said


def test_misspelt_option(capsys: pytest.CaptureFixture[str]) -> None:
    """For an option with its last letter missing, the right name is suggested."""
    for called, command in LEAVES.items():
        names = [name for parameter in command.params for name in parameter.opts if name.startswith("--")]
        for name in names:
            if len(name) > 4 and name[:-1] not in names:
                said = misused(capsys, called, name[:-1])
                assert "Did you mean" in said or "Possible options" in said, f"{called}: {said}"
                assert name in said, f"{called}: {said}"


def test_misspelt_choice(capsys: pytest.CaptureFixture[str]) -> None:
    """For an invalid value of an option, the valid ones are listed."""
    for called, option, value in CHOICES:
        said = misused(capsys, called, *_first_example(called), option, f"{value}x")
        assert f"'{value}x' is not one of" in said, f"{called} {option}"
        assert f"'{value}'" in said, f"{called} {option}"


def test_a_word_for_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    """A word where an option takes a number is named with its option."""
    for called, option in NUMBERS:
        said = misused(capsys, called, *_first_example(called), option, "many")
        assert f"Invalid value for '{option}': 'many' is not a valid" in said, called


def _first_example(called: str) -> list[str]:
    line = next(line for line in examples(COMMANDS[called]) if called in line)
    return words(line)[len(called.split()) - 1 :]


def test_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file or folder is named, with what could have been meant or done instead."""
    for line in listed(NOT_THERE):
        assert "nowhere" in refused(capsys, line), line


def test_wrong_kind(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of the wrong kind is refused for what it is, and nothing is written."""
    before = sorted(desk.rglob("*"))
    for line in listed(WRONG_KIND):
        refused(capsys, line)
        assert [path for path in sorted(desk.rglob("*")) if "__pycache__" not in path.parts] == before, line


@pytest.mark.parametrize("line", listed(MISSPELT))
def test_misspelt_name(line: str, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For a misspelt name, or a value in the wrong form, the right one is shown."""
    typed, right = (part.strip() for part in line.split("|"))
    if "evening" in line:
        assert run(capsys, "play", "--ticks", "3", "--out", "volition-runs/evening")[0] == 0
    assert right in refused(capsys, typed)


@pytest.mark.parametrize("line", listed(UNREACHED))
def test_nobody_there(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An executor that cannot be reached is something missing in the environment: exit code 4."""
    refused(capsys, line, 4)


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("body mujoco --port 0", "mujoco"),
        ("studio --port 0", "litestar"),
        ("studio --port 0", "uvicorn"),
        ("journal export drive --to parquet --out new.parquet", "pyarrow"),
        ("journal export drive --to minari --out new", "minari"),
        ("ensemble run dinner-party --seeds 1 --engine ray --out new --format csv", "ray"),
    ],
)
def test_missing_extra(
    line: str, module: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command whose extra is not installed ends with 4, and shows the command that installs it."""
    assert run(capsys, "drive", "--steps", "1", "--journal", "drive")[0] == 0
    monkeypatch.setitem(sys.modules, module, None)
    code, out, err = run(capsys, *words(f"volition {line}"))
    assert (code, out) == (4, ""), err
    assert f"pip install '.[{EXTRAS[module]}]'" in err


def test_every_command_is_tried() -> None:
    """Every command that takes a file, a folder or a name is tried here with a wrong one."""
    lines = listed(NOT_THERE + WRONG_KIND + MISSPELT + UNREACHED)
    tried = {called for called in LEAVES if any(f"volition {line}".startswith(f"{called} ") for line in lines)}
    harmless = {
        "volition tour",
        "volition body minestom",
        "volition runs",
        "volition scenario list",
        "volition ensemble measures",
        "volition body mujoco",
        "volition java jar",
        "volition guard corpus",
        "volition team grants",
        "volition team key lock",
        "volition team key unlock",
    }
    by_findings = {"volition govern validate"}
    drafts = {"volition govern new set"}
    own_codes = {"volition guard hook", "volition guard unreachable"}
    assert LEAVES.keys() - tried == harmless | by_findings | drafts | own_codes


@pytest.mark.parametrize("name", ["nowhere.json", "picture.json", "folder"])
def test_validation_finds_the_same(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Validation answers with findings, also for a file that cannot be read: what, what was expected, what to do."""
    code, out, err = run(capsys, "govern", "validate", "--kind", "intent", name)
    first, found, remedy = out.splitlines()
    assert (code, err, first) == (2, "", f"{name}: invalid")
    assert "(expected: " in found
    assert remedy.strip()
