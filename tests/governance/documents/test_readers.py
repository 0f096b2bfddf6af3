"""Reading: strict and quick, every fault told, and lenient only where it says so."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.governance.mutations import mutated, places
from tests.processes import under_hash_seeds
from volition.core.errors import InvalidInput
from volition.governance.documents import readers
from volition.governance.documents.checksums import intent_checksum, seal
from volition.governance.documents.findings import schema
from volition.governance.documents.inspection import inspect
from volition.governance.documents.kinds import KINDS
from volition.governance.documents.readers import (
    read_answer_pack,
    read_intent,
    read_plan,
    read_question_pack,
    read_result,
    read_set,
)
from volition.governance.gates.fixtures import valid_document

FIRST_READERS = """
import sys, threading
from volition.governance import Plan
sys.setswitchinterval(1e-6)
first = lambda: Plan("Add rate limits", files=["a.py"], commands=["do_it: write: do it"])
readers = [threading.Thread(target=first) for _ in range(8)]
for reader in readers: reader.start()
for reader in readers: reader.join()
"""
READERS: dict[str, Any] = {
    "intent": read_intent,
    "intent_set": read_set,
    "evaluation_result": read_result,
    "merge_plan": read_plan,
    "question_pack": read_question_pack,
    "answer_pack": read_answer_pack,
}


def faults(content: bytes, kind: str = "intent", **how: Any) -> list[str]:
    """What a reader has against these bytes: a line for each problem."""
    try:
        READERS[kind](content, where="doc", **how)
    except InvalidInput as error:
        return [f"{problem.where}: {problem.what}" for problem in error.problems]
    return []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("indent", [None, 2])
def test_valid_documents_are_read(kind: str, indent: int | None) -> None:
    """A valid document is read without a warning into what its type makes of it, compact or indented."""
    data = valid_document(kind)
    read = READERS[kind](json.dumps(data, indent=indent).encode())
    assert read.document == msgspec.convert(data, KINDS[kind])
    assert read.warnings == ()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "merge_plan"])
def test_a_valid_document_is_not_inspected(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What its type and its checksum accept needs no look for faults."""
    monkeypatch.setattr(readers, "inspect", lambda *_: pytest.fail("inspected"))
    READERS[kind](json.dumps(valid_document(kind), indent=2).encode())


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20)
@given(st.data())
def test_what_is_decoded_has_no_fault(kind: str, draw: st.DataObject) -> None:
    """Nothing is decoded that an inspection has something against."""
    data = draw.draw(mutated(kind))
    try:
        data = seal(kind, data)
    except (AttributeError, KeyError, TypeError):
        assume(False)
    assert readers._decode(kind, KINDS[kind], orjson.dumps(data)) is None or inspect(kind, data) == []


@pytest.mark.req("GV-02")
@given(st.data())
def test_a_key_that_stands_twice_is_noticed(draw: st.DataObject) -> None:
    """A duplicated key is refused wherever it is, whatever its values are."""
    data = valid_document("intent")
    data["budgets"]["max_cost_usd"] = draw.draw(st.sampled_from([1000.0, 1000]))
    data = seal("intent", data)
    content = orjson.dumps(data)
    places_of_keys = [place for place in range(len(content)) if content[place : place + 1] == b"{"]
    place = draw.draw(st.sampled_from(places_of_keys))
    key = json.loads(content[place + 1 : content.index(b":", place)])
    padding = draw.draw(st.integers(0, 3))
    twice = content[: place + 1] + json.dumps(key).encode() + b":" + b"1" * padding + b"0," + content[place + 1 :]
    twice = twice.replace(b"1000.0", draw.draw(st.sampled_from([b"1000.0", b"1e3", b"1E3", b"1000.00", b"10e2"])))
    assert faults(twice)
    assert any("is duplicated" in fault for fault in faults(twice))


@pytest.mark.req("GV-02")
def test_a_key_with_one_value_twice_is_noticed_beside_a_short_number() -> None:
    """A key that has its value twice is refused, whichever it is, beside a number in as few bytes as there can be."""
    data = valid_document("intent")
    data["budgets"]["max_cost_usd"] = 10_000.0
    data["metadata"] = {"priority": 1, "order": [{"before": 0, "after": 1, "reason": "x"}]}
    data = seal("intent", data)
    assert faults(orjson.dumps(data).replace(b"10000.0", b"1e4")) == []
    for *path, key in places(data):
        if isinstance(key, str):
            copy = orjson.loads(orjson.dumps(data))
            holder = copy
            for step in path:
                holder = holder[step]
            holder["twice"] = holder[key]
            content = orjson.dumps(copy).replace(b'"twice"', json.dumps(key).encode()).replace(b"10000.0", b"1e4")
            assert any("is duplicated" in fault for fault in faults(content)), key


@pytest.mark.parametrize("number", [b"1e3", b"1000.00", b"0.1e4", b"1000"])
def test_numbers_may_be_written_in_any_way(number: bytes) -> None:
    """A number is the same number however it is written; the checksum is that of the value."""
    data = valid_document("intent")
    data["budgets"]["max_cost_usd"] = json.loads(number)
    content = orjson.dumps(seal("intent", data)).replace(b"1000.0", number)
    assert number in content
    assert read_intent(content).document.budgets.max_cost_usd == 1000


def test_whole_floats_are_integers() -> None:
    """An integer written as 5.0 is accepted, as JSON Schema has it."""
    data = valid_document("intent")
    data["budgets"]["max_files"] = 5.0
    assert read_intent(orjson.dumps(seal("intent", data))).document.budgets.max_files == 5


def test_texts_in_all_scripts_are_read() -> None:
    """Escapes and letters beyond ASCII are read, and their checksum is right in both spellings."""
    data = valid_document("intent")
    data["title"] = "Größe \U0001f600 \x7f ändern"
    data = seal("intent", data)
    for content in (orjson.dumps(data), json.dumps(data).encode()):
        assert read_intent(content).document.title == data["title"]


@pytest.mark.req("GV-02")
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\xff", "not UTF-8"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"{", "not JSON"),
        (b"{} {}", "text after the value"),
        (b"[" * 5000 + b"]" * 5000, "nested deeper than 64 levels"),
        (b"[" * 200_000, "nested deeper"),
        (b'{"a": 1, "a": 2}', "is duplicated"),
        (b'{"a": NaN}', "not a finite number"),
        (b'{"a": "\\ud800"}', "half a character"),
        (b'"text"', "does not fit"),
        (b" " * (8 * 2**20 + 1), "bytes are too many"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_document_says_why(content: bytes, what: str) -> None:
    """Each kind of malformed file has its own clear error."""
    assert what in faults(content)[0]


@pytest.mark.req("GV-01", "GV-02")
def test_all_faults_at_once() -> None:
    """Every fault of a document is told, each with its path, and the checksum too."""
    data = valid_document("intent")
    data["title"] = "x"
    data["status"] = "approve"
    data["planned_commands"][0]["effects"] = []
    data["scope"]["targets"]["execute"] = "x"
    del data["objective"]["goal"]
    text = "\n".join(faults(orjson.dumps(data)))
    for path in (
        "$.title",
        "$.status",
        "$.planned_commands[0].effects",
        "$.scope.targets.execute",
        "$.objective",
        "$.audit.checksum",
    ):
        assert f"doc, {path}: " in text
    with pytest.raises(InvalidInput, match="did you mean 'approved'"):
        read_intent(orjson.dumps(data))


@pytest.mark.req("GV-01", "GV-02")
@pytest.mark.parametrize("kind", ["intent", "intent_set", "evaluation_result", "merge_plan", "question_pack"])
def test_a_checksum_off_by_one_digit(kind: str) -> None:
    """A checksum with one wrong digit is refused, and the right one is named."""
    data = valid_document(kind)
    holder = data["audit"] if kind == "intent" else data
    right = holder["checksum"]
    holder["checksum"] = right[:-1] + ("0" if right[-1] != "0" else "1")
    with pytest.raises(InvalidInput) as caught:
        READERS[kind](orjson.dumps(data))
    assert right in {problem.expected for problem in caught.value.problems}


@pytest.mark.req("GV-02")
def test_homoglyphs_are_named() -> None:
    """An id with a letter that only looks Latin is refused, and the letter is named."""
    (fault,) = faults(orjson.dumps(seal("intent", {**valid_document("intent"), "id": "intent_\u0430pi_routes"})))
    assert "CYRILLIC SMALL LETTER A" in fault


def test_many_faults_are_counted() -> None:
    """A list of wrong items does not flood the reader: a hundred faults are told and the rest is counted."""
    data = {**valid_document("intent"), "evidence_refs": ["x"] * 1000}
    found = faults(orjson.dumps(seal("intent", data)))
    assert len(found) <= 102
    assert any("more faults" in fault for fault in found)


@pytest.mark.req("GV-13")
@pytest.mark.parametrize("spelling", [b"os.system", rb"os\u002esystem", rb"\u006fs.system"])
@pytest.mark.parametrize("kind", ["intent", "evaluation_result", "merge_plan"])
def test_a_payload_is_refused_in_any_spelling(kind: str, spelling: bytes) -> None:
    """A forbidden text is found as it is and written in escapes, in every kind of reader."""
    data = valid_document(kind)
    paths: dict[str, list[Any]] = {
        "intent": [],
        "evaluation_result": ["evaluation", "conflicts", 0],
        "merge_plan": ["result_intent"],
    }
    holder: Any = data
    for step in paths[kind]:
        holder = holder[step]
    holder["description"] = "call os.system now"
    content = orjson.dumps(seal(kind, data)).replace(b"os.system", spelling)
    assert [fault.partition(": ")[2] for fault in faults(content, kind)] == ["'os.system' is in a text"]


def test_long_winded_numbers_do_not_hide_a_second_key() -> None:
    """A duplicated key is noticed next to numbers that are written in an unusual way."""
    data = valid_document("evaluation_result")
    rows = [row["dimensions"] for row in data["evaluation"]["risk_comparison"]["matrix"]]
    for number, (row, name) in enumerate([(one, name) for one in rows for name in sorted(one)]):
        row[name] = 10.0 if number < 7 else 10
    content = orjson.dumps(seal("evaluation_result", data)).replace(b"10.0", b"1e1")
    assert faults(content, "evaluation_result") == []
    twice = b'{"id":0,' + content[1:]
    assert len(twice) == len(orjson.dumps(data))
    assert "is duplicated" in faults(twice, "evaluation_result")[0]


def test_a_large_set_is_read_without_the_limit() -> None:
    """Without the limit a set may name any number of intents, and is otherwise read as strictly."""
    ids = [f"intent_number_{n}" for n in range(500)]
    data = seal("intent_set", {**valid_document("intent_set"), "intent_ids": ids})
    assert faults(orjson.dumps(data), "intent_set")
    assert read_set(orjson.dumps(data), limit=False).document.intent_ids == tuple(ids)
    for wrong in ([*ids, ids[0]], [*ids, "../x"], [*ids, 5]):
        broken = {**data, "intent_ids": wrong}
        if 5 not in wrong:
            broken = seal("intent_set", broken)
        assert faults(orjson.dumps(broken), "intent_set", limit=False)
    assert faults(orjson.dumps({**data, "checksum": "0" * 64}), "intent_set", limit=False)
    assert faults(orjson.dumps({**data, "note": 1}), "intent_set", limit=False)


def old_intent() -> dict[str, Any]:
    """An intent as older tools wrote it."""
    data = valid_document("intent")
    data["metadata"] = {"priority": 7, "team": "core", "reviewed": True}
    data["risk"]["requires_review"] = ["operations", "release"]
    data["audit"] = {"created_by": "x", "source": "elsewhere", "checksum": "a" * 63}
    return data


def test_lenient_reads_what_older_tools_wrote() -> None:
    """Open metadata, stray review types, unknown sources and wrong checksums are mended, each with a warning."""
    content = orjson.dumps(old_intent())
    assert faults(content)
    read = read_intent(content, lenient=True)
    assert sorted(warning.path for warning in read.warnings) == [
        "$.audit.checksum",
        "$.audit.source",
        "$.metadata.reviewed",
        "$.metadata.team",
        "$.risk.requires_review[0]",
    ]
    assert all(warning.warning for warning in read.warnings)
    intent = read.document
    assert intent.metadata is not None
    assert (intent.metadata.priority, intent.risk.requires_review, intent.audit.source) == (7, ("release",), "imported")
    assert intent.audit.checksum == intent_checksum(intent)


def test_lenient_pads_short_ids() -> None:
    """Short ids of operations, questions and options, a null result and open metadata in a result are mended."""
    data = valid_document("evaluation_result")
    operations = data["evaluation"]["merge_plan"]["operations"][:2]
    for number, operation in enumerate(operations, 1):
        operation["op_id"] = f"op_{number:03}"
    data["evaluation"]["merge_plan"] |= {"strategy": "reject", "result_intent_id": None, "operations": operations}
    options = [{"option_id": f"option_{n}", "label": "x"} for n in (1, 2)]
    data["requires_questions"] = [{"question_id": "question_001", "condition": "c", "reason": "r", "options": options}]
    data["metadata"] = {"tool": "x"}
    assert faults(orjson.dumps(data), "evaluation_result")
    read = read_result(orjson.dumps(data), lenient=True)
    merge, (question,) = read.document.evaluation.merge_plan, read.document.requires_questions
    assert [operation.op_id for operation in merge.operations] == ["op_0001", "op_0002"]
    assert question.question_id == "question_0001"
    assert [option.option_id for option in question.options] == ["option_0001", "option_0002"]
    assert len(read.warnings) == 8


def test_lenient_reads_checksums_that_lost_a_digit() -> None:
    """References to other documents with 63 digits are read as the same number, each with a warning; 62 are refused."""
    data = valid_document("evaluation_result")
    (first, _), *_ = data["input"]["intent_checksums"].items()
    data["input"]["intent_checksums"][first] = "ab" * 31 + "c"
    data["lineage"]["intent_set_checksum"] = "f" * 63
    data["checksum"] = "e" * 63
    data["metadata"] = {"policy_hash": "d" * 63}
    assert faults(orjson.dumps(data), "evaluation_result")
    read = read_result(orjson.dumps(data), lenient=True)
    assert read.document.metadata is not None
    assert read.document.metadata.policy_hash == "0" + "d" * 63
    assert read.document.input.intent_checksums[first] == "0" + "ab" * 31 + "c"
    assert read.document.lineage.intent_set_checksum == "0" + "f" * 63
    assert sorted(warning.path for warning in read.warnings) == [
        "$.checksum",
        f"$.input.intent_checksums.{first}",
        "$.lineage.intent_set_checksum",
        "$.metadata.policy_hash",
    ]
    data["lineage"]["intent_set_checksum"] = "f" * 62
    with pytest.raises(InvalidInput, match="intent_set_checksum"):
        read_result(orjson.dumps(data), lenient=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_field_is_shown_as_it_is_written(kind: str) -> None:
    """What is missing is shown with its shape, and no pattern stands where a text would."""
    missing = [finding for finding in inspect(kind, {}) if finding.code == "schema.required"]
    assert {finding.what for finding in missing} == {f"{name!r} is missing" for name in required(kind)}
    for finding in missing:
        name, _, shape = finding.expected.partition(": ")
        assert name.strip('"') == finding.what.split("'")[1]
        assert shape not in ("", "...")
        assert "^" not in shape


def required(kind: str) -> list[str]:
    whole = schema(kind)
    names: list[str] = whole["$defs"][whole["$ref"].rpartition("/")[2]]["required"]
    return names


def test_lenient_is_not_blind() -> None:
    """What lenient does not name is refused as ever: payloads, missing fields, broken rules."""
    for path, value in [
        (("objective", "goal"), "os.system"),
        (("interaction", "mode"), "full_auto"),
        (("title",), "x"),
    ]:
        data = old_intent()
        holder: Any = data
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = value
        assert faults(orjson.dumps(data), lenient=True), path


@pytest.mark.parametrize("kind", KINDS)
def test_lenient_leaves_valid_documents_alone(kind: str) -> None:
    """A valid document is read the same way by a lenient reader."""
    content = orjson.dumps(valid_document(kind))
    assert READERS[kind](content, lenient=True) == READERS[kind](content)


@settings(max_examples=30)
@given(st.data())
def test_readers_never_fall_over(draw: st.DataObject) -> None:
    """Whatever bytes a reader is given, it answers with a document or with InvalidInput."""
    kind = draw.draw(st.sampled_from(sorted(KINDS)))
    content = bytearray(orjson.dumps(draw.draw(mutated(kind))))
    for _ in range(draw.draw(st.integers(0, 3))):
        content[draw.draw(st.integers(0, len(content) - 1))] = draw.draw(st.integers(0, 255))
    for lenient in (False, True):
        faults(bytes(content), kind, lenient=lenient)


def test_threads_may_read_the_first_document_together() -> None:
    """Any number of threads may read documents, the first one of a type too: the process survives."""
    assert under_hash_seeds(FIRST_READERS, "0") == {b""}
