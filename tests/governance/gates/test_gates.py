"""The gates: each passes what is right and catches a violation that was planted for it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from tests.governance.gates.deeds import DEEDS
from volition.governance.gates.fixtures import Fixture, invalid_fixtures, valid_document
from volition.governance.gates.folder import DocumentFolder
from volition.governance.gates.gates import (
    gate_a,
    gate_b,
    gate_c,
    gate_d,
    gate_e,
    gate_f,
    gate_g,
    gate_h,
    gate_i,
    gate_j,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("GV-16")
Data = dict[str, Any]
DEEDS_MODULE = "tests.governance.gates.deeds"


def result(**changes: Any) -> Data:
    return {**valid_document("evaluation_result"), **changes}


def test_gate_a(told: Told) -> None:
    """Gate A wants results, unique ids, and names that are their own."""
    good = {"result.json": result(), "other/eval_result_other.json": result(id="eval_result_other")}
    assert gate_a(good).passed
    assert gate_a({}).reasons == ("0 results, at least 1 are expected",)
    assert "is duplicated" in gate_a({"a/result.json": result(), "b/result.json": result()}).reasons[0]
    told(gate_a({"copy (2).json": result()}).reasons[0])


def test_gate_b() -> None:
    """Gate B wants every document to be valid, and every file to be a document."""
    files = {"result.json": orjson.dumps(result()), "set.json": orjson.dumps(valid_document("intent_set"))}
    assert gate_b(DocumentFolder.of(files)).passed
    assert (
        gate_b(DocumentFolder.of({"x.json": orjson.dumps(result(extra=1))})).reasons[0].startswith("x.json: $.extra: ")
    )
    assert gate_b(DocumentFolder.of({"x.json": b"{"})).reasons == ("x.json: not a governance document",)
    twice = orjson.dumps(result()).replace(b'"id"', b'"id":"eval_result_twice","id"', 1)
    assert "is duplicated" in gate_b(DocumentFolder.of({"x.json": twice})).reasons[0]


def test_gate_c(told: Told) -> None:
    """Gate C wants every invalid fixture to be rejected, and for its own reason."""
    assert gate_c(invalid_fixtures()).passed
    assert not gate_c([]).passed
    harmless = Fixture("harmless", "intent", orjson.dumps(valid_document("intent")), "I2")
    assert gate_c([harmless]).reasons == ("harmless: accepted, although it breaks I2",)
    other = Fixture("other", "intent", b"{}", "I2")
    told(gate_c([other]).reasons[0])


@pytest.mark.req("GV-13")
@pytest.mark.parametrize("payload", [b'"execute": 1', b'"a": "os.system"', b'"SHELL" : []', rb'"a": "\u0065xec("'])
def test_gate_d(payload: bytes) -> None:
    """Gate D finds keys and symbols of execution in the bytes of any file."""
    assert gate_d({"a.json": orjson.dumps(result())}).passed
    (reason,) = gate_d({"a.json": b'{"x": {' + payload + b"}}"}).reasons
    assert reason.startswith("a.json: line 1: ")


@pytest.mark.parametrize("deed", DEEDS)
def test_gate_e(tmp_path: Path, deed: str) -> None:
    """Gate E sees whatever happens outside the output folder, and nothing else."""
    (tmp_path / "kept.txt").write_text("x", encoding="utf-8")
    (out := tmp_path / "out").mkdir()
    assert gate_e(f"{DEEDS_MODULE}:behave", out).passed
    assert not gate_e(f"{DEEDS_MODULE}:misbehave", out, deed).passed


def test_gate_e_needs_an_evaluation_that_ends_well(tmp_path: Path) -> None:
    """An evaluation that fails while it is watched does not pass, and the last line of its error is the reason."""
    (reason,) = gate_e(f"{DEEDS_MODULE}:fail", tmp_path).reasons
    assert reason.endswith("ValueError: planted")


def test_gate_e_leaves_no_hook_behind(tmp_path: Path) -> None:
    """Watching happens in another process: no audit hook is added to this one."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom volition.governance.gates.gates import gate_e\n"
        "hooks = []\nsys.addaudithook(lambda event, args: hooks.append(event) if event == 'sys.addaudithook' else None)\n"
        f"verdict = gate_e('{DEEDS_MODULE}:behave', Path({str(tmp_path)!r}))\n"
        "print(verdict.passed, hooks)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split(maxsplit=1) == ["True", "[]\n"]


def test_gate_f() -> None:
    """Gate F wants the same explanation again, whatever the order of the keys, and the one that was kept."""
    results = {"result.json": result()}
    assert gate_f(results, lambda data: data["id"], {"result.json": result()["id"]}).passed
    assert not gate_f(results, lambda data: data["id"], {"result.json": "something else"}).passed
    assert not gate_f(results, str, {}).passed
    calls = iter(range(10))
    assert not gate_f(results, lambda data: str(next(calls)), {}).passed


def with_kinds(*kinds: str) -> Data:
    return result(evaluation={"conflicts": [{"type": kind} for kind in kinds]})


def test_gate_g() -> None:
    """Gate G wants each of the four kinds of conflicts to be found somewhere."""
    found = [with_kinds("resource_conflict", "effect_conflict"), with_kinds("order_conflict", "constraint_conflict")]
    assert gate_g(found).passed
    assert gate_g(found[:1]).reasons == ("no order_conflict was detected", "no constraint_conflict was detected")


def test_gate_h(told: Told) -> None:
    """Gate H replays a plan's operations and wants its result intent, to the last field."""
    plan = valid_document("merge_plan")
    intents = {name: valid_document("intent") for name in plan["source_intent_ids"]}

    def replay(plan: Data, intents: Mapping[str, Data]) -> Data:
        source = intents[plan["operations"][0]["source_intent_id"]]
        changed = ("id", "lineage", "planned_commands", "metadata", "created_at")
        return {**source, **{name: plan["result_intent"][name] for name in changed}}

    assert gate_h({"p.json": plan}, intents, replay).passed
    assert not gate_h(
        {"p.json": plan}, intents, lambda plan, intents: {**replay(plan, intents), "title": "Another"}
    ).passed
    assert not gate_h(
        {"p.json": {**plan, "result_intent": {**plan["result_intent"], "version": "9.9.9"}}}, intents, replay
    ).passed
    told(gate_h({"p.json": plan}, {}, replay).reasons[0])


def test_gate_i() -> None:
    """Gate I wants the same risks in both runs, and every number between 0 and 100."""
    assert gate_i([(result(), result())]).passed
    for value in (-5, 9999):
        wild = result()
        wild["evaluation"]["risk_comparison"]["matrix"][0]["dimensions"]["unknowns"] = value
        assert f"unknowns is {value}" in gate_i([(wild, wild)]).reasons[0]
        assert "differ" in gate_i([(result(), wild)]).reasons[0]


@pytest.mark.req("GV-14")
def test_gate_j(told: Told) -> None:
    """Gate J opens every merged intent and wants its origins, and what an override supersedes."""
    plan = valid_document("merge_plan")
    results = {"result.json": result()}
    merged = plan["result_intent"]
    assert gate_j(results, {"plan.json": plan}, {}).passed
    assert gate_j(results, {}, {merged["id"]: merged}).passed
    told(gate_j(results, {}, {}).reasons[0])
    for name in ("derived_from", "supersedes"):
        bare = {**merged, "lineage": {**merged["lineage"], name: []}}
        assert not gate_j(results, {}, {merged["id"]: bare}).passed
        assert not gate_j({}, {"plan.json": {**plan, "result_intent": bare}}, {}).passed
