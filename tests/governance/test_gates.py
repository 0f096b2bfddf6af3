"""The gates: each passes what is right and catches a violation that was planted for it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from volition.governance.checksums import sealed
from volition.governance.fixtures import Fixture, invalid_fixtures, valid_document
from volition.governance.gates import (
    TITLES,
    Evaluator,
    Folder,
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
    run_gates,
)
from volition.governance.reevaluation import Fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

pytestmark = pytest.mark.req("GV-16")
Data = dict[str, Any]


def result(**changes: Any) -> Data:
    return {**valid_document("evaluation_result"), **changes}


def test_gate_a() -> None:
    """Gate A wants results, unique ids, and names that are their own."""
    good = {"result.json": result(), "other/eval_result_other.json": result(id="eval_result_other")}
    assert gate_a(good).passed
    assert gate_a({}).reasons == ("0 results, at least 1 are expected",)
    assert "stands twice" in gate_a({"a/result.json": result(), "b/result.json": result()}).reasons[0]
    assert "called result.json or by its id" in gate_a({"copy (2).json": result()}).reasons[0]


def test_gate_b() -> None:
    """Gate B wants every document to be valid, and every file to be a document."""
    files = {"result.json": orjson.dumps(result()), "set.json": orjson.dumps(valid_document("intent_set"))}
    assert gate_b(Folder.of(files)).passed
    assert gate_b(Folder.of({"x.json": orjson.dumps(result(extra=1))})).reasons[0].startswith("x.json: $.extra: ")
    assert gate_b(Folder.of({"x.json": b"{"})).reasons == ("x.json: no document of governance",)
    twice = orjson.dumps(result()).replace(b'{"id"', b'{"id":"eval_result_twice","id"', 1)
    assert "stands twice" in gate_b(Folder.of({"x.json": twice})).reasons[0]


def test_gate_c() -> None:
    """Gate C wants every invalid fixture to be rejected, and for its own reason."""
    assert gate_c(invalid_fixtures()).passed
    assert not gate_c([]).passed
    harmless = Fixture("harmless", "intent", orjson.dumps(valid_document("intent")), "I2")
    assert gate_c([harmless]).reasons == ("harmless: accepted, although it breaks I2",)
    other = Fixture("other", "intent", b"{}", "I2")
    assert "instead of I2 alone" in gate_c([other]).reasons[0]


@pytest.mark.req("GV-13")
@pytest.mark.parametrize("payload", [b'"execute": 1', b'"a": "os.system"', b'"SHELL" : []', rb'"a": "\u0065xec("'])
def test_gate_d(payload: bytes) -> None:
    """Gate D finds keys and symbols of execution in the bytes of any file."""
    assert gate_d({"a.json": orjson.dumps(result())}).passed
    (reason,) = gate_d({"a.json": b'{"x": {' + payload + b"}}"}).reasons
    assert reason.startswith("a.json: line 1: ")


def leak(path: Path) -> None:
    path.write_text("x", encoding="utf-8")


DEEDS: dict[str, Callable[[Path], object]] = {
    "a file beside the folder": lambda out: leak(out.parent / "leak.txt"),
    "a way out of the folder": lambda out: leak(out / ".." / "leak.txt"),
    "a folder elsewhere": lambda out: (out.parent / "new").mkdir(),
    "a file moved out": lambda out: (out / "result.json").rename(out.parent / "a"),
    "a file removed": lambda out: (out.parent / "kept.txt").unlink(),
    "an append": lambda out: (out.parent / "kept.txt").open("a").close(),
    "a program": lambda out: subprocess.run([sys.executable, "-c", ""], check=True),
    "a shell": lambda out: os.system("true"),
    "a connection": lambda out: socket.socket().connect_ex(("127.0.0.1", 9)),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("deed", DEEDS)
def test_gate_e(tmp_path: Path, deed: str) -> None:
    """Gate E sees whatever happens outside the output folder, and nothing else."""
    (tmp_path / "kept.txt").write_text("x", encoding="utf-8")
    (out := tmp_path / "out").mkdir()

    def good(folder: Path) -> None:
        leak(folder / "result.json")
        (folder / "inner").mkdir()
        (tmp_path / "kept.txt").read_text(encoding="utf-8")

    assert gate_e(good, out).passed
    assert not gate_e(DEEDS[deed], out).passed


def test_gate_f() -> None:
    """Gate F wants the same explanation again, whatever the order of the keys, and the one that was kept."""
    results = {"result.json": result()}
    assert gate_f(results, lambda data: data["id"], {"result.json": "eval_result_api_batch"}).passed
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


def test_gate_h() -> None:
    """Gate H replays a plan's operations and wants its result intent, to the last field."""
    plan = valid_document("merge_plan")
    intents = {name: valid_document("intent") for name in plan["source_intent_ids"]}

    def replay(plan: Data, intents: Mapping[str, Data]) -> Data:
        source = intents[plan["operations"][0]["source_intent_id"]]
        return {**source, "lineage": plan["result_intent"]["lineage"]}

    assert gate_h({"p.json": plan}, intents, replay).passed
    assert not gate_h(
        {"p.json": plan}, intents, lambda plan, intents: {**replay(plan, intents), "title": "Another"}
    ).passed
    assert not gate_h(
        {"p.json": {**plan, "result_intent": {**plan["result_intent"], "version": "9.9.9"}}}, intents, replay
    ).passed
    assert "is not there" in gate_h({"p.json": plan}, {}, replay).reasons[0]


def test_gate_i() -> None:
    """Gate I wants the same risks in both runs, and every number between 0 and 100."""
    assert gate_i([(result(), result())]).passed
    for value in (-5, 9999):
        wild = result()
        wild["evaluation"]["risk_comparison"]["matrix"][0]["dimensions"]["unknowns"] = value
        assert f"unknowns is {value}" in gate_i([(wild, wild)]).reasons[0]
        assert "differ" in gate_i([(result(), wild)]).reasons[0]


@pytest.mark.req("GV-14")
def test_gate_j() -> None:
    """Gate J opens every merged intent and wants its origins, and what an override supersedes."""
    plan = valid_document("merge_plan")
    results = {"result.json": result()}
    merged = plan["result_intent"]
    assert gate_j(results, {"plan.json": plan}, {}).passed
    assert gate_j(results, {}, {merged["id"]: merged}).passed
    assert "is not there" in gate_j(results, {}, {}).reasons[0]
    for name in ("derived_from", "supersedes"):
        bare = {**merged, "lineage": {**merged["lineage"], name: []}}
        assert not gate_j(results, {}, {merged["id"]: bare}).passed
        assert not gate_j({}, {"plan.json": {**plan, "result_intent": bare}}, {}).passed


def test_all_gates_on_a_folder(tmp_path: Path) -> None:
    """One call runs all ten gates on a folder; a planted violation fails its own gate."""
    folder, out = tmp_path / "documents", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    plan = valid_document("merge_plan")
    second = sealed("intent", {**valid_document("intent"), "id": plan["source_intent_ids"][1], "title": "Another one"})
    documents = {
        "result": result(), "plan": plan, "set": valid_document("intent_set"), "one": valid_document("intent"), "two": second,
        "merged_intent": plan["result_intent"],
    }  # fmt: skip
    for name, data in documents.items():
        (folder / f"{name}.json").write_bytes(orjson.dumps(data))
    (folder / "result.txt").write_text("eval_result_api_batch", encoding="utf-8")

    def evaluate(intent_set: Data, intents: Mapping[str, Data], out: Path) -> Data:
        assert set(intent_set["intent_ids"]) == set(intents)
        assert not any(intent["lineage"]["derived_from"] for intent in intents.values())
        out.mkdir()
        (out / "result.json").write_bytes(b"{}")
        data = result()
        conflict = data["evaluation"]["conflicts"][0]
        kinds = ("resource_conflict", "effect_conflict", "order_conflict", "constraint_conflict")
        data["evaluation"]["conflicts"] = [{**conflict, "type": kind} for kind in kinds]
        return data

    def replay(plan: Data, intents: Mapping[str, Data]) -> Data:
        return {**intents[plan["source_intent_ids"][0]], "lineage": plan["result_intent"]["lineage"]}

    def reevaluate(intent_set: Data, intents: Mapping[str, Data], answers: Sequence[Data]) -> list[Fresh]:
        documents = {"evaluation_result": result(), "merge_plan": plan, "merged_intent": plan["result_intent"]}
        return [Fresh(intent_set["id"], result()["id"], lambda moment: documents)]

    evaluator = Evaluator(evaluate, lambda data: str(data["id"]), replay, reevaluate)
    verdicts = run_gates(folder, evaluator, out)
    assert [(verdict.gate, verdict.reasons) for verdict in verdicts] == [(gate, ()) for gate in TITLES]
    (folder / "result.txt").write_text("another text", encoding="utf-8")
    (again := tmp_path / "again").mkdir()
    assert [verdict.gate for verdict in run_gates(folder, evaluator, again) if not verdict.passed] == ["F"]
