"""Stored documents against a fresh evaluation: whatever somebody changed in a result is named, however well it is sealed."""

from __future__ import annotations

import copy
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.governance.plans import NOW, command, plan, set_of
from volition.governance.documents.checksums import seal
from volition.governance.documents.policy import BUILT_IN, Policy
from volition.governance.documents.result import EvaluationResult
from volition.governance.evaluator import evaluate
from volition.governance.gates.folder import DocumentFolder
from volition.governance.gates.gatekeeper import check_folder, reevaluate
from volition.governance.gates.reevaluation import differences, result_reasons
from volition.governance.settlement.questions import answer_questions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.intent_set import IntentSet

pytestmark = [pytest.mark.req("GV-24", "GV-16"), pytest.mark.usefixtures("documents_alone")]
Data = dict[str, Any]
Place = tuple[str, ...]
LATER = "2026-01-26T10:00:00Z"


def fields_of(type_: Any, path: Place = ()) -> Iterator[Place]:
    """The paths of all fields of a document's type, a list's items standing for the list's own step."""
    info = msgspec.inspect.type_info(type_)
    yield from _fields(info, path)


def _fields(info: Any, path: Place) -> Iterator[Place]:
    if isinstance(info, msgspec.inspect.StructType):
        for field in info.fields:
            yield (*path, field.encode_name)
            yield from _fields(field.type, (*path, field.encode_name))
    for inner in (getattr(info, "item_type", None), getattr(info, "value_type", None)):
        if inner is not None:
            yield from _fields(inner, path)


FIELDS = sorted(set(fields_of(EvaluationResult)))


def batches() -> dict[str, tuple[IntentSet, list[IntentDocument]]]:
    """Sets whose results show every field: one that overrides, one that asks, and one that is too large to be merged."""
    needy = plan("cccccc", ["z.py"], evidence=["file://y.py"], risk="low")
    override = [plan("aaaaaa", ["x.py"], priority=9), plan("bbbbbb", ["x.py", "y.py"], [], [command("own_one")], priority=1), needy]  # fmt: skip
    asks = [
        plan("dddddd", ["q.py"], priority=5, risk="low", depends_on=["intent_elsewhere"]),
        plan("eeeeee", ["q.py"], priority=5, risk="high"),
    ]
    large = [plan(f"large_{n:02d}", [f"{n // 2}.py"], areas=["docs"]) for n in range(22)]
    named = {"override": override, "asks": asks, "large": large}
    return {name: (set_of(members, id=f"intent_set_{name}_batch"), members) for name, members in named.items()}


def inputs(batch: IntentSet, members: list[IntentDocument]) -> dict[str, bytes]:
    """The files of a set and its intents."""
    return {f"{batch.id}.json": msgspec.json.encode(batch)} | {
        f"{one.id}.json": msgspec.json.encode(one) for one in members
    }


@cache
def desk() -> tuple[dict[str, Data], dict[str, bytes], Any]:
    """The results by their file names, all files of the folder, and what evaluating again comes to."""
    files: dict[str, bytes] = {}
    for name, (batch, members) in batches().items():
        outcome = evaluate(batch, members, limit=False)
        files |= {f"{name}/{file}": content for file, content in outcome.files().items()}
        files |= {f"{name}/{file}": content for file, content in inputs(batch, members).items()}
    folder = DocumentFolder.of(files)
    intents = {data["id"]: data for name, data in folder.documents["intent"].items() if "merged" not in name}
    sets = folder.documents["intent_set"].values()
    results = dict(folder.documents["evaluation_result"])
    fresh = [replace(one, documents=cache(one.documents)) for s in sets for one in reevaluate(s, intents, [])]
    assert result_reasons(results, {"merge_plan": folder.documents["merge_plan"]}, fresh) == []
    return results, files, fresh


def holders(data: Any, path: Place) -> list[Data]:
    """All objects of a document that have, or could have, the field at a path."""
    if isinstance(data, list):
        return [found for item in data for found in holders(item, path)]
    if not isinstance(data, dict):
        return []
    if len(path) == 1:
        return [data]
    if path[0] in data:
        return holders(data[path[0]], path[1:])
    return (
        [found for item in data.values() for found in holders(item, path)]
        if path[0] not in data and _is_map(data)
        else []
    )


def _is_map(data: Data) -> bool:
    return all(key.startswith("intent_") and isinstance(value, dict) for key, value in data.items()) and bool(data)


def forged(value: Any) -> Any:
    """Another value of the same sort."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1 if value < 100 else value - 1
        case str() if len(value) == 64:
            return value[::-1] if value[::-1] != value else "1" * 64
        case str():
            return {NOW: LATER, "high": "low", "A_dominates_B": "B_dominates_A", "forbidden": "forbidden "}.get(
                value, value + "x"
            )
        case list() if value:
            return value[:-1]
        case dict() if value:
            return dict(list(value.items())[:-1])
        case _:
            return ["planted"] if value == [] else "planted"


@pytest.mark.parametrize("reseal", [False, True], ids=["as it is", "sealed again"])
@pytest.mark.parametrize("path", FIELDS, ids=".".join)
def test_every_field_of_a_result_is_compared(path: Place, reseal: bool) -> None:
    """A change of any field that the type of a result has is named, with its path, what was stored and what was expected;
    sealing the forgery again hides nothing."""
    results, files, fresh = desk()
    others = {"merge_plan": DocumentFolder.of(files).documents["merge_plan"]}
    planted = 0
    for name, result in results.items():
        if reseal and path[-1] in {"checksum", "content_checksum"}:
            return  # sealing is what sets them
        if path == ("created_at",) and name.startswith("large"):
            continue  # no input says when it was evaluated, and there is no merge plan that could
        changed = copy.deepcopy(result)
        for holder in holders(changed, path)[:1]:
            holder[path[-1]] = forged(holder.get(path[-1]))
            stored = seal("evaluation_result", changed) if reseal else changed
            found = result_reasons({name: stored}, others, fresh)
            # An item whose id was changed is another item: one is missing, and one is there that does not belong.
            spots = (f".{path[-1]}", f".{path[-2]}[" if path[-1].endswith("_id") and len(path) > 1 else "$[")
            told = [reason for reason in found if "stored" in reason and "expected" in reason]
            assert any(spot in reason for reason in told for spot in spots), found
            planted += 1
    assert planted, f"no result here has a place for {'.'.join(path)}: give `batches` one"


def test_the_fields_are_all_fields() -> None:
    """The walk goes down to the last field of the type, and a list or a field that is added to the type is walked too."""
    assert len(FIELDS) > 60
    assert {("evaluation", "conflicts", "severity"), ("losses", "dropped", "targets"), ("input", "intent_checksums")} <= set(FIELDS)  # fmt: skip


FORGERIES: dict[str, Any] = {
    "conflicts emptied": ("$.evaluation.conflicts", lambda r: r["evaluation"].update(conflicts=[])),
    "strategy changed": ("$.evaluation.merge_plan.strategy", lambda r: r["evaluation"]["merge_plan"].update(strategy="merge_union")),
    "no operations": ("$.evaluation.merge_plan.operations", lambda r: r["evaluation"]["merge_plan"].update(operations=[])),
    "risk": ("unknowns", lambda r: r["evaluation"]["risk_comparison"]["matrix"][0]["dimensions"].update(unknowns=0)),
    "dominance": ("dominance", lambda r: r["evaluation"]["risk_comparison"].update(dominance=[])),
    "intent checksums": ("$.input.intent_checksums.intent_aaaaaa", lambda r: r["input"]["intent_checksums"].update(intent_aaaaaa="1" * 64)),
    "policy hash": ("$.metadata.policy_hash", lambda r: r["metadata"].update(policy_hash="2" * 64)),
    "set checksum": ("$.lineage.intent_set_checksum", lambda r: r["lineage"].update(intent_set_checksum="3" * 64)),
    "nobody lost": ("$.losses", lambda r: r.pop("losses")),
}  # fmt: skip


def lay_out(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def judged(folder: Path, tmp_path: Path, *policies: Policy) -> list[str]:
    """What the gates have against a folder."""
    (out := tmp_path / "out").mkdir(exist_ok=True)
    return [f"{one.gate}: {reason}" for one in check_folder(folder, out, policies) for reason in one.reasons]


def small(policy: Policy = BUILT_IN, answers: Any = None, now: str | None = None) -> dict[str, bytes]:
    batch, members = batches()["override"]
    files = evaluate(batch, members, policy, answers, now).files()
    return files | inputs(batch, members)


@pytest.mark.parametrize("drop", [True, False], ids=["without content_checksum", "with content_checksum"])
def test_known_forgeries_fail_the_gates(tmp_path: Path, drop: bool) -> None:
    """All gates on a folder: each known forgery, sealed again, is caught by gate I, which names the field."""
    folder = tmp_path / "documents"
    folder.mkdir()
    lay_out(folder, small())
    assert judged(folder, tmp_path) == []
    kept = DocumentFolder.read(folder)
    (batch,) = kept.documents["intent_set"].values()
    intents = {data["id"]: data for name, data in kept.documents["intent"].items() if "merged" not in name}
    fresh = reevaluate(batch, intents, [])
    for name, (field, forge) in FORGERIES.items():
        data = msgspec.json.decode(kept.files["result.json"])
        forge(data)
        if drop:
            data["metadata"].pop("content_checksum")
        found = result_reasons({"result.json": seal("evaluation_result", data)}, {}, fresh)
        assert any(field in reason for reason in found), name
        assert not drop or any("$.metadata.content_checksum" in reason for reason in found), name
    (folder / "result.json").write_bytes(msgspec.json.encode(seal("evaluation_result", data)))
    (out := tmp_path / "out_again").mkdir()
    assert [one.gate for one in check_folder(folder, out) if not one.passed] == ["I"]


def test_questions_plans_and_merged_intents_are_compared(tmp_path: Path) -> None:
    """Options of a question, and documents that lie beside a result, are held against the fresh ones too."""
    folder = tmp_path / "documents"
    folder.mkdir()
    batch, members = batches()["asks"]
    files = evaluate(batch, members).files() | inputs(batch, members)
    for name, path in (("result.json", ("requires_questions",)), ("question_pack.json", ("questions",))):
        data = msgspec.json.decode(files[name])
        data[path[0]][0]["options"][0]["label"] = "Keep whatever I say"
        kind = {"result.json": "evaluation_result"}.get(name, name.removesuffix(".json"))
        lay_out(folder, {**files, name: msgspec.json.encode(seal(kind, data))})
        (out := tmp_path / f"out_{kind}").mkdir()
        reasons = [reason for one in check_folder(folder, out) for reason in one.reasons]
        assert any(name in r and "[option_0001].label: stored 'Keep whatever I say', expected" in r for r in reasons), (
            reasons
        )


def test_policies_answers_and_dates_are_found_again(tmp_path: Path) -> None:
    """A result that was made under a policy, after answers, on another day passes with that policy at hand, and only so."""
    batch, members = batches()["asks"]
    policy = Policy(max_files=400)
    pack = evaluate(batch, members, policy).question_pack
    assert pack is not None
    answers = answer_questions(pack, {"question_0001": "option_0002"}, NOW)
    files = evaluate(batch, members, policy, answers, LATER).files() | {
        "answer_pack.json": msgspec.json.encode(answers)
    }
    folder = tmp_path / "documents"
    folder.mkdir()
    lay_out(folder, files | inputs(batch, members))
    assert judged(folder, tmp_path, policy) == []
    (out := tmp_path / "again").mkdir()
    reasons = [reason for one in check_folder(folder, out) for reason in one.reasons]
    assert any("$.metadata.policy_hash" in reason for reason in reasons)
    data = msgspec.json.decode(files["result.json"])
    (folder / "result.json").write_bytes(msgspec.json.encode({**data, "created_at": NOW}))
    (out := tmp_path / "dated").mkdir()
    reasons = [reason for one in check_folder(folder, out, [policy]) for reason in one.reasons]
    assert f"result.json: $.created_at: stored '{NOW}', expected '{LATER}'" in reasons


def test_a_result_without_its_set_is_not_passed(tmp_path: Path, told: Told) -> None:
    """Where the set or an intent is missing nothing can be compared, and the gate says so."""
    folder = tmp_path / "documents"
    folder.mkdir()
    files = small()
    lay_out(folder, {name: content for name, content in files.items() if name != "intent_set_override_batch.json"})
    told(*judged(folder, tmp_path))


def test_differences_are_found_wherever_they_are() -> None:
    """Lists of things with ids are compared by id, others by place; a different order of ids is a difference."""
    one, other = {"op_id": "op_0001", "x": 1}, {"op_id": "op_0002", "x": 1}
    assert [path for path, _, _ in differences([one, other], [one])] == ["$[op_0002]"]
    assert [path for path, _, _ in differences([one, other], [other, one])] == ["$, the order"]
    assert [path for path, _, _ in differences({"a": [1, [2]]}, {"a": [1, [3]]})] == ["$.a[1][0]"]
    assert list(differences([one, {"a": 1.0}], [one, {"a": 1}])) == []
