"""Every command explains itself with an example, and the examples are true."""

from __future__ import annotations

import os
import shutil
from contextlib import chdir, redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING

import click
import pytest

from tests.cli.lines import commands, parsed, run, run_in, words
from tests.keys import VARIABLE as KEY
from volition.cli.lazy import examples
from volition.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = commands()
LINES = sorted({line for command in COMMANDS.values() for line in examples(command)})
NOT_HERE = {
    "volition doctor": "many evenings",
    "volition ensemble": "many evenings",
    "volition agents doctor": "needs a guard",
    "volition agents install": "needs a repository",
    "volition agents uninstall": "needs a guard",
    "volition check": "needs a repository",
    "volition conformance tcp:": "needs a server",
    "volition conformance --launch": "needs a game",
    "volition drive --executor tcp:": "needs a server",
    "volition stage-in-world dinner-party-8 --at 30": "needs a server",
    "volition flow abandon": "needs a flow",
    "volition flow answer": "needs a question",
    "volition flow approve": "needs a flow",
    "volition flow graph": "needs a flow",
    "volition flow report": "needs a flow",
    "volition flow resume": "needs a flow",
    "volition flow settle": "needs a flow",
    "volition flow show": "needs a flow",
    "volition flow skip": "needs a flow",
    "volition team key lock": "needs a person at a terminal",
    "volition flow start": "ends with 3: a person has to approve",
    "volition body mujoco": "serves until it is stopped",
    "volition flow why": "needs a flow",
    "volition govern radar": "watches until it is stopped",
    "volition guard": "needs a guard",
    "volition java jar": "needs a JDK",
    "volition radar": "needs a repository",
    "volition worktrees": "needs a repository",
    "java -jar": "needs a JDK",
    "volition ledger follow": "waits a minute",
    "volition mcp": "serves until its client is gone",
    "volition play --as": "asks what to do",
    "volition serve-arena": "serves until it is stopped",
    "volition body minestom": "serves until it is stopped",
    "volition stage-in-world dinner-party-8 --executor minestom": "serves until it is stopped",
    "volition studio": "serves until it is stopped",
    "volition team archive": "needs old events",
    "volition team watch": "watches until it is stopped",
    "volition team worker --by": "works until it is stopped",
}
"""Examples that have to be understood, but are not run here, and why."""
CHEAP = [line for line in LINES if not line.startswith(tuple(NOT_HERE))]
DECISION = """
{"candidates": ["a", "b"],
 "intentions": [
   {"id": "safety", "kind": "constraint", "intent": {"violates": ["b"]}},
   {"id": "goal", "kind": "heuristic", "intent": {"scores": {"a": 0.5}}, "weight": 1.0, "priority": 10}]}
"""
MINE = """
from volition import constraint, heuristic

@constraint
def dry(tile):
    return False

@heuristic
def near(tile, context):
    return 1.0 if tile["id"] == context else None

home = "oak"
"""
MY_MINDS = """
from volition.arbitration import heuristic

def careful(offer):
    return "internal" if offer.tick % 2 else None

@heuristic
def calm(act):
    return 0.25 if not act.is_dramatic else 0.0
"""
PREPARE = """
scenario new night-train
play --seed 8 --ticks 62
play --seed 8 --ticks 12 --out runs/evening
play --seed 8 --ticks 80 --out runs/begun
drive --journal runs/arena
govern new intent "Add logging" --project shop --file routes.py --command "add_log: write: log it" --out intent_add_logging.json
govern new intent "Fix routes" --project shop --file other.py --command "fix_it: write: fix it" --out intent_fix_routes.json
govern new set "api batch" intent_add_logging intent_fix_routes --project shop --out batch.json
govern new set monday intent_add_logging intent_fix_routes --project shop --out set.json
govern evaluate batch.json --out monday
govern evaluate set.json --out tuesday
team register intent_add_logging.json --holder ann --registry team.db
team join --by bob --registry team.db
team backup monday.backup --registry team.db
team register intent_fix_routes.json --holder ann --registry shop.db
team archive spring.archive --before 2999-01-01 --by ann --registry shop.db
"""
CLASH = """
govern new intent "Deploy one" --project shop --module service:x --command "deploy_a: deploy: deploy it" --out intent_deploy_one.json
govern new intent "Deploy two" --project shop --module service:x --command "deploy_b: deploy: deploy it" --out intent_deploy_two.json
govern new set clash intent_deploy_one intent_deploy_two --project shop --out clash.json
"""

MAKES = {
    "volition scenario new": "night-train.toml",
    "volition team backup": "monday.backup",
    "volition drive --journal": "runs/arena",
    "volition govern new intent": "intent_add_logging.json",
}
"""What an example makes and nothing may stand in place of."""
FEWER = {"200": "20"}
"""Numbers in examples of which fewer show the same."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the examples mention, made by the commands that make such things."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "decision.json").write_text(DECISION, encoding="utf-8")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    (folder / "my_minds.py").write_text(MY_MINDS, encoding="utf-8")
    (folder / "mine.toml").write_text('[talk]\nsides = ["So."]\n', encoding="utf-8")
    (folder / "tiles.json").write_text('[{"id": "oak"}, {"id": "elm"}]', encoding="utf-8")
    with chdir(folder), redirect_stdout(StringIO()):
        for line in (PREPARE + CLASH).split("\n"):
            assert not line or main(words(f"volition {line}")) == 0, line
        assert main(words("volition govern evaluate clash.json --out evaluated")) == 3
    with chdir(folder), redirect_stdout(StringIO()) as printed:
        main(words("volition ledger anchor runs/evening"))
    (folder / "evening.anchor").write_text(printed.getvalue(), encoding="utf-8")
    (folder / "plans").mkdir()
    for plan in folder.glob("intent_*.json"):
        shutil.copy(plan, folder / "plans")
    shutil.copytree(folder / "monday", folder / "project")
    for name in ("batch.json", "intent_add_logging.json", "intent_fix_routes.json"):
        shutil.copy(folder / name, folder / "project")
    return folder


@pytest.fixture
def desk(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder to work in."""
    shutil.copytree(prepared, tmp_path / "desk")
    monkeypatch.chdir(tmp_path / "desk")
    key = tmp_path / "desk" / "key.pem"
    key.write_text(os.environ[KEY], encoding="utf-8")
    key.chmod(0o600)
    monkeypatch.setenv(KEY, str(key))
    return tmp_path / "desk"


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` of every command says what it does, and shows a line to type that begins with the command itself."""
    for called, command in COMMANDS.items():
        code, out, _ = run(capsys, *called.split()[1:], "--help")
        assert (code, out.startswith(f"Usage: {called}")) == (0, True), called
        assert command.help, called
        shown = examples(command)
        assert any(called in line for line in shown), f"{called}: {shown}"
        assert all(" ".join(line.split()[:3]) in " ".join(out.split()) for line in shown), called


def test_every_example_is_understood() -> None:
    """An example names an existing command, options that it has, and values that they accept."""
    for line in LINES:
        try:
            command = parsed(line).command
        except click.ClickException as error:
            pytest.fail(f"{line}: {error.format_message()}")
        assert not isinstance(command, click.Group) or command.invoke_without_command, line


@pytest.mark.parametrize("line", CHEAP)
def test_every_cheap_example_runs(line: str, desk: Path) -> None:
    """An example that needs neither minutes nor another program ends with 0, in a folder that contains what it names."""
    for place in [file for begun, made in MAKES.items() if line.startswith(begun) for file in desk.glob(made)]:
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    if "evaluated/merged_intent.json" in line:
        shutil.copy(desk / "monday" / "merged_intent.json", desk / "evaluated")
    if line.startswith("volition journal export"):
        pytest.importorskip("pyarrow" if "parquet" in line else "minari")
    anchor = (desk / "evening.anchor").read_text(encoding="utf-8").strip()
    given = [word.replace("$(cat evening.anchor)", anchor) for word in words(line)]
    given = [name for word in given for name in (sorted(map(str, desk.glob(word))) if "*" in word else [word])]
    given = [FEWER.get(word, word) for word in given]
    code, _, err = run_in(desk, *given)
    assert code == 0, err
