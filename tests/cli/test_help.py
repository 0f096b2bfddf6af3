"""Every command explains itself with an example, and the examples are true."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import chdir, contextmanager, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING

import click
import pytest

from tests.cli.lines import commands, parsed, run, run_in, words
from tests.keys import VARIABLE as KEY
from volition.cli.lazy import examples
from volition.cli.main import main
from volition.core.document import dump_json
from volition.drama.world.scenario import scenario, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.lines import Ended

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
play short.json --seed 8
play --seed 8 --ticks 12 --out runs/evening
play short.json --seed 8 --ticks 30 --out runs/begun
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
FEWER = {"60": "20", "200": "20"}
"""Numbers in examples of which fewer show the same."""
SOONER = {
    "volition conformance embedded": ("--only", "opening"),
    "volition play --mind": ("--ticks", "20"),
    "volition scenario check": ("--evenings", "1"),
}
"""Examples that would take long, and what ends them sooner; `volition play --seed 8` plays a whole evening."""


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A folder with everything that the examples mention, made by the commands that make such things."""
    folder = tmp_path / "prepared"
    folder.mkdir()
    (folder / "decision.json").write_text(DECISION, encoding="utf-8")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    (folder / "my_minds.py").write_text(MY_MINDS, encoding="utf-8")
    (folder / "mine.toml").write_text('[talk]\nsides = ["So."]\n', encoding="utf-8")
    (folder / "tiles.json").write_text('[{"id": "oak"}, {"id": "elm"}]', encoding="utf-8")
    short = apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 44)])
    (folder / "short.json").write_text(dump_json(scenario_to_data(short)), encoding="utf-8")
    with chdir(folder), redirect_stdout(StringIO()):
        for line in (PREPARE + CLASH).split("\n"):
            assert not line or main(words(f"volition {line}")) == 0, line
        assert main(words("volition govern evaluate clash.json --out evaluated")) == 3
    with chdir(folder), redirect_stdout(StringIO()) as printed:
        main(words("volition ledger anchor runs/evening"))
    (folder / "evening.anchor").write_text(printed.getvalue(), encoding="utf-8")
    train = (folder / "night-train.toml").read_text(encoding="utf-8")
    (folder / "night-train.toml").write_text(re.sub(r"(?m)^ticks = \d+", "ticks = 20", train), encoding="utf-8")
    (folder / "plans").mkdir()
    for plan in folder.glob("intent_*.json"):
        shutil.copy(plan, folder / "plans")
    shutil.copytree(folder / "monday", folder / "project")
    for name in ("batch.json", "intent_add_logging.json", "intent_fix_routes.json"):
        shutil.copy(folder / name, folder / "project")
    return folder


@contextmanager
def desk_like(prepared: Path, folder: Path) -> Iterator[Path]:
    """A temporary copy of that folder, with its own key."""
    shutil.copytree(prepared, folder)
    key = folder / "key.pem"
    key.write_text(os.environ[KEY], encoding="utf-8")
    key.chmod(0o600)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY, str(key))
        yield folder
    shutil.rmtree(folder)


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


def test_every_cheap_example_runs(prepared: Path, tmp_path: Path) -> None:
    """An example that needs neither minutes nor another program ends with 0, in a folder that contains what it names."""
    missing = {line: part for line in CHEAP if (part := missing_part(line))}
    failed = {}
    for line in (line for line in CHEAP if line not in missing):
        with desk_like(prepared, tmp_path / "desk") as desk:
            code, _, err = type_example(line, desk)
        if code:
            failed[line] = err
    assert failed == {}
    if missing:
        pytest.skip(f"not installed, so these are NOT TRIED: {missing}")


def missing_part(line: str) -> str:
    """The package that an example needs beyond those of the others, if it is not installed."""
    parts = ["pyarrow" if "parquet" in line else "minari"] if line.startswith("volition journal export") else []
    return next((part for part in parts if find_spec(part) is None), "")


def type_example(line: str, desk: Path) -> Ended:
    """Run one example at a desk, after what it makes was taken away from there."""
    for place in [file for begun, made in MAKES.items() if line.startswith(begun) for file in desk.glob(made)]:
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    if "evaluated/merged_intent.json" in line:
        shutil.copy(desk / "monday" / "merged_intent.json", desk / "evaluated")
    anchor = (desk / "evening.anchor").read_text(encoding="utf-8").strip()
    given = [word.replace("$(cat evening.anchor)", anchor) for word in words(line)]
    given = [name for word in given for name in (sorted(map(str, desk.glob(word))) if "*" in word else [word])]
    given = [FEWER.get(word, word) for word in given]
    sooner = [word for begun, added in SOONER.items() if line.startswith(begun) for word in added]
    return run_in(desk, *given, *sooner)
