"""Reading: strict and quick, and every fault is reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import orjson
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.governance.mutations import mutated, places
from tests.processes import under_hash_seeds
from volition.core.errors import InvalidInput
from volition.governance.documents import reading
from volition.governance.documents.checksums import seal
from volition.governance.documents.findings import schema
from volition.governance.documents.intent import IntentDocument
from volition.governance.documents.intent_set import LargeIntentSet
from volition.governance.documents.kinds import KINDS
from volition.governance.documents.reading import inspect, parse_document
from volition.governance.gates.fixtures import valid_document

if TYPE_CHECKING:
    from tests.sentences import Told

FIRST_READERS = """
import sys, threading
from volition.governance import Plan
sys.setswitchinterval(1e-6)
first = lambda: Plan("Add rate limits", files=["a.py"], commands=["do_it: write: do it"])
readers = [threading.Thread(target=first) for _ in range(8)]
for reader in readers: reader.start()
for reader in readers: reader.join()
"""


def faults(content: bytes, kind: str = "intent", *, large: bool = False) -> list[str]:
    """What a reader has against these bytes: a line for each problem."""
    try:
        parse_document(content, LargeIntentSet if large else KINDS[kind], where="doc")
    except InvalidInput as error:
        return [f"{problem.where}: {problem.what}" for problem in error.problems]
    return []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("indent", [None, 2])
def test_valid_documents_are_read(kind: str, indent: int | None) -> None:
    """A valid document is read into what its type makes of it, compact or indented."""
    data = valid_document(kind)
    document = parse_document(json.dumps(data, indent=indent).encode(), KINDS[kind])
    assert document == msgspec.convert(data, KINDS[kind])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "merge_plan"])
def test_a_valid_document_is_not_inspected(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What its type and its checksum accept needs no look for faults."""
    monkeypatch.setattr(reading, "inspect", lambda *_: pytest.fail("inspected"))
    parse_document(json.dumps(valid_document(kind), indent=2).encode(), KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_what_is_decoded_has_no_fault(kind: str, draw: st.DataObject) -> None:
    """Nothing is decoded that an inspection has something against."""
    data = draw.draw(mutated(kind))
    try:
        data = seal(kind, data)
    except (AttributeError, KeyError, TypeError):
        assume(False)
    assert reading._decode(kind, kind, KINDS[kind], orjson.dumps(data)) is None or inspect(kind, data) == []


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
    assert parse_document(content, IntentDocument).budgets.max_cost_usd == 1000


def test_whole_floats_are_integers() -> None:
    """An integer written as 5.0 is accepted, as JSON Schema has it."""
    data = valid_document("intent")
    data["budgets"]["max_files"] = 5.0
    assert parse_document(orjson.dumps(seal("intent", data)), IntentDocument).budgets.max_files == 5


def test_texts_in_all_scripts_are_read() -> None:
    """Escapes and letters beyond ASCII are read, and their checksum is right in both spellings."""
    data = valid_document("intent")
    data["title"] = "Größe \U0001f600 \x7f ändern"
    data = seal("intent", data)
    for content in (orjson.dumps(data), json.dumps(data).encode()):
        assert parse_document(content, IntentDocument).title == data["title"]


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
def test_all_faults_at_once(told: Told) -> None:
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
    with told.raises(InvalidInput):
        parse_document(orjson.dumps(data), IntentDocument)


@pytest.mark.req("GV-01", "GV-02")
@pytest.mark.parametrize("kind", ["intent", "intent_set", "evaluation_result", "merge_plan", "question_pack"])
def test_a_checksum_off_by_one_digit(kind: str) -> None:
    """A checksum with one wrong digit is refused, and the right one is named."""
    data = valid_document(kind)
    holder = data["audit"] if kind == "intent" else data
    right = holder["checksum"]
    holder["checksum"] = right[:-1] + ("0" if right[-1] != "0" else "1")
    with pytest.raises(InvalidInput) as caught:
        parse_document(orjson.dumps(data), KINDS[kind])
    assert right in {problem.expected for problem in caught.value.problems}


@pytest.mark.req("GV-02")
def test_homoglyphs_are_named(told: Told) -> None:
    """An id with a letter that only looks Latin is refused, and the letter is named."""
    (fault,) = faults(orjson.dumps(seal("intent", {**valid_document("intent"), "id": "intent_\u0430pi_routes"})))
    told(fault)


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
    assert parse_document(orjson.dumps(data), LargeIntentSet).intent_ids == tuple(ids)
    for wrong in ([*ids, ids[0]], [*ids, "../x"], [*ids, 5]):
        broken = {**data, "intent_ids": wrong}
        if 5 not in wrong:
            broken = seal("intent_set", broken)
        assert faults(orjson.dumps(broken), "intent_set", large=True)
    assert faults(orjson.dumps({**data, "checksum": "0" * 64}), "intent_set", large=True)
    assert faults(orjson.dumps({**data, "note": 1}), "intent_set", large=True)


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


@given(st.data())
def test_readers_never_fall_over(draw: st.DataObject) -> None:
    """Whatever bytes a reader is given, it answers with a document or with InvalidInput."""
    kind = draw.draw(st.sampled_from(sorted(KINDS)))
    content = bytearray(orjson.dumps(draw.draw(mutated(kind))))
    for _ in range(draw.draw(st.integers(0, 3))):
        content[draw.draw(st.integers(0, len(content) - 1))] = draw.draw(st.integers(0, 255))
    faults(bytes(content), kind)


def test_threads_may_read_the_first_document_together() -> None:
    """Any number of threads may read documents, the first one of a type too: the process survives."""
    assert under_hash_seeds(FIRST_READERS, "0") == {b""}
