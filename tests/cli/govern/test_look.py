"""`volition govern explain`, `diff`, `graph`, `gates` and `radar`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.govern.desk import content_of, govern, govern_json, lay_out, situation
from tests.cli.lines import run_in
from tests.governance.scenarios import SCENARIOS
from tests.processes import PATIENCE
from volition.core.document import dump_json
from volition.governance.documents.reading import seal_document

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which all of it happens."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def situations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all common situations, each evaluated."""
    folder = tmp_path_factory.mktemp("situations")
    for name in SCENARIOS:
        lay_out(folder / name, [situation(name)[0], *situation(name)[1]])
        assert run_in(folder, "govern", "evaluate", f"{name}/set.json", "--out", f"{name}/out").code in {0, 3}
    return folder


@pytest.fixture
def evaluated(desk: Path, situations: Path) -> Path:
    """A copy of that folder, to work in."""
    return copytree(situations, desk, dirs_exist_ok=True)


def test_a_result_is_explained(evaluated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`explain` names every plan, conflict with its evidence and ways out, step, risk and question."""
    code, out, _ = govern(capsys, "explain", "same_target/out/result.json")
    result = json.loads((evaluated / "same_target" / "out" / "result.json").read_bytes())
    assert code == 0
    for conflict in result["evaluation"]["conflicts"]:
        assert conflict["description"] in out
        assert conflict["evidence_refs"][0] in out
    for question in result["requires_questions"]:
        assert all(option["label"] in out for option in question["options"])
    assert all(name in out for name in result["input"]["intent_checksums"])
    code, data = govern_json(capsys, "explain", "same_target/out/result.json")
    assert (code, data["text"].rstrip("\n"), data["result"]) == (0, out.rstrip("\n"), "same_target/out/result.json")
    assert govern(capsys, "explain", "same_target/set.json")[0] == 2


def test_two_results_are_compared(evaluated: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`diff` of a result with itself says that nothing differs; otherwise it lists what was added and removed."""
    one, other = "same_target/out/result.json", "clear_priority/out/result.json"
    changed = govern(capsys, "diff", one, other)[1]
    assert govern(capsys, "diff", one, one)[:2] == (0, "no difference\n")
    told(changed)
    code, data = govern_json(capsys, "diff", one, other)
    assert (code, data["strategy"]) == (0, ["reject", "override_by_priority"])


@pytest.mark.req("GV-18")
def test_a_merged_intent_becomes_a_graph(evaluated: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`graph` puts the schema before the client, with the reason, as text, JSON and Graphviz; as data only."""
    merged = "dependency/out/merged_intent.json"
    code, data = govern_json(capsys, "graph", merged)
    names = {node["node_id"]: node["command_id"] for node in data["nodes"]}
    assert (code, list(names.values())) == (0, ["write_schema", "write_client"])
    assert [(names[e["before"]], names[e["after"]]) for e in data["edges"]] == [("write_schema", "write_client")]
    assert data["constraints"] == {"execution": "forbidden"}
    text, dot = govern(capsys, "graph", merged)[1], govern(capsys, "graph", merged, "--dot")[1]
    schema, client = "intent_write_the_schema_of_the_api", "intent_write_the_client_from_the_schema"
    why = f"({client} needs api/schema.json, which {schema} makes)"
    assert text.splitlines()[1].endswith(f"after node_0001 {why}")
    assert dot.startswith('digraph "intent_merged_')
    told(dot)
    assert govern(capsys, "graph", "dependency/set.json")[0] == 2


@pytest.mark.req("GV-22")
def test_a_graph_needs_no_policy_for_what_the_evaluation_found(
    evaluated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An order that only a registry knows is in the graph of the evaluation, with plan and agent, and without --policy."""
    (evaluated / "policy.toml").write_text(
        "[registry]\ncommands = ['scan_code', 'measure_it']\n"
        "produces = {measure_it = ['numbers']}\nrequires = {scan_code = ['numbers']}\n",
        encoding="utf-8",
    )
    for title, command, path in (("Scan it all", "scan_code", "a.md"), ("Measure it all", "measure_it", "b.md")):
        made = ("new", "intent", title, "--project", "shop", "--file", path, "--command", f"{command}: read: Go on")
        assert govern(capsys, *made)[0] == 0
    assert (
        govern(
            capsys, "new", "set", "both of them", "intent_scan_it_all", "intent_measure_it_all", "--project", "shop"
        )[0]
        == 0
    )
    given = ("evaluate", "intent_set_both_of_them.json", "--policy", "policy.toml", "--out", "both")
    assert govern(capsys, *given)[0] == 0
    text = govern(capsys, "graph", "both/merged_intent.json")[1].splitlines()
    assert text[0].startswith("node_0001  intent_measure_it_all, ")
    why = "(intent_scan_it_all requires numbers, which intent_measure_it_all produces)"
    assert text[1].startswith("node_0002  intent_scan_it_all, ")
    assert text[1].endswith(f"after node_0001 {why}")
    same = govern(capsys, "graph", "both/merged_intent.json", "--policy", "policy.toml")[1].splitlines()
    assert same == text


@pytest.mark.req("GV-16")
def test_the_gates_pass_what_was_evaluated(evaluated: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A folder of sets, intents and their results passes all ten gates, and looking changes nothing."""
    before = content_of(evaluated)
    code, out, err = govern(capsys, "gates", ".")
    assert (code, [line.split()[:2] for line in out.splitlines()]) == (0, [[gate, "passed"] for gate in "ABCDEFGHIJ"]), out + err  # fmt: skip
    code, data = govern_json(capsys, "gates", ".")
    assert (code, [one["gate"] for one in data if one["passed"]]) == (0, list("ABCDEFGHIJ"))
    assert content_of(evaluated) == before
    assert [line.split()[1] for line in govern(capsys, "gates")[1].splitlines()] == ["passed"] * 10
    code, _, err = govern(capsys, "gates", "nowhere")
    assert code == 2
    told(err)


def _spoil(file: Path, *path: str | int, value: Any) -> None:
    """Put a value into a document, and seal it so that only this is wrong."""
    data = json.loads(file.read_bytes())
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    file.write_text(dump_json(seal_document(data)), encoding="utf-8")


@pytest.mark.req("GV-16")
@pytest.mark.parametrize("gate", "ABDFHIJ")
def test_a_planted_violation_stops_at_its_gate(evaluated: Path, capsys: pytest.CaptureFixture[str], gate: str) -> None:
    """Something wrong in the folder is found by the gate that looks for it, with the file; the command ends with 3."""
    folder = evaluated / "clear_priority"
    if gate == "A":
        (folder / "out" / "copy.json").write_bytes((folder / "out" / "result.json").read_bytes())
    elif gate == "B":
        _spoil(
            folder / "out" / "result.json", "evaluation", "risk_comparison", "matrix", 0, "overall_risk", value="mild"
        )
    elif gate == "D":
        _spoil(folder / "out" / "merge_plan.json", "operations", 0, "value", value={"shell": "x"})
    elif gate == "F":
        (folder / "out" / "result.txt").write_text("an explanation of another day", encoding="utf-8")
    elif gate == "H":
        _spoil(folder / "out" / "merge_plan.json", "result_intent", "title", value="Refactor something else")
    elif gate == "I":
        _spoil(folder / "out" / "result.json", "metadata", "policy_hash", value="0" * 64)
    else:
        for name in ("merge_plan.json", "merged_intent.json"):
            (folder / "out" / name).unlink()
        _spoil(folder / "out" / "result.json", "evaluation", "merge_plan", "result_intent_id", value="intent_nowhere")
    code, data = govern_json(capsys, "gates", ".")
    (verdict,) = [one for one in data if one["gate"] == gate]
    assert (code, verdict["passed"]) == (3, False)
    assert verdict["reasons"]
    if gate == "A":
        assert "A  FAILED" in govern(capsys, "gates", ".")[1]


def test_radar_looks_once(evaluated: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`radar --once` ends with 3 if plans collide and 0 if none do; sets and other files are not plans."""
    code, out, _ = govern(capsys, "radar", "clear_priority", "--once")
    assert code == 3
    told(out)
    code, out, _ = govern(capsys, "radar", "clear_priority", "--once", "--json")
    found = [json.loads(line) for line in out.splitlines()]
    assert {one["resource"] for one in found} == {"src/api/models.py", "src/api/routes.py"}
    assert {tuple(one["intent_ids"]) for one in found} == {("intent_refactor_the_api_version_1",)}
    assert govern(capsys, "radar", "read_only", "--once") == (0, "", "")
    lay_out(evaluated / "odd", [])
    (evaluated / "odd" / "intent_broken.json").write_text("{", encoding="utf-8")
    code, out, err = govern(capsys, "radar", "odd", "--once")
    assert (code, out, "intent_broken.json: ignored: " in err) == (0, "", True)
    assert govern(capsys, "radar", "nowhere", "--once")[0] == 2


def test_radar_watches_until_it_is_interrupted(desk: Path) -> None:
    """A watching process prints a collision when a plan appears, again when it comes back, and ends on SIGINT with 130."""
    _, (first, second) = situation("clear_priority")
    lay_out(desk / "plans", [first])
    command = [sys.executable, "-m", "volition.cli", "govern", "radar", "plans", "--poll", "0.05", "--json"]
    with subprocess.Popen(command, cwd=desk, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        guard = threading.Timer(30, watching.kill)  # a radar that stays silent is not waited for
        guard.start()
        for _ in range(2):
            _appear(desk / "plans", second)
            met = [json.loads(watching.stdout.readline() or "{}") for _ in range(2)]
            assert {(one.get("intent_id"), one.get("resource")) for one in met} == {
                (second["id"], "src/api/models.py"),
                (second["id"], "src/api/routes.py"),
            }
            (desk / "plans" / f"{second['id']}.json").unlink()
        watching.send_signal(signal.SIGINT)
        rest, err = watching.communicate(timeout=PATIENCE)
        guard.cancel()
    assert (watching.returncode, rest, err.strip()) == (130, "", "interrupted")


def _appear(folder: Path, plan: dict[str, Any]) -> None:
    """Let a plan appear atomically, as a careful writer does."""
    draft = folder / "draft.tmp"
    draft.write_text(dump_json(plan), encoding="utf-8")
    os.replace(draft, folder / f"{plan['id']}.json")  # noqa: PTH105
