"""Red lines: each layer catches an executable payload alone."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.mutations import places
from volition.core.canonical import json_path
from volition.governance.documents.findings import validator
from volition.governance.documents.kinds import KINDS
from volition.governance.documents.redlines import (
    FIELDS,
    SYMBOLS,
    has_symbol,
    lineage_findings,
    payload_findings,
    static_findings,
)
from volition.governance.gates.fixtures import valid_document

PIECES = st.lists(st.sampled_from([*SYMBOLS, "os", ".system", "eval", "(", "=", "P", "open", "subprocess", " ", "é"]))


def objects(data: Any) -> list[tuple[str | int, ...]]:
    """The paths of all objects in plain data, the root included."""
    found: list[tuple[str | int, ...]] = [()]
    for path in places(data):
        value = data
        for step in path:
            value = value[step]
        if isinstance(value, dict):
            found.append(path)
    return found


@pytest.mark.req("GV-13")
@pytest.mark.parametrize("kind", KINDS)
def test_the_closed_types_and_schemas_catch_a_key_anywhere(kind: str) -> None:
    """Layer 1, alone: an `execute` key in any closed object of a document is refused by its type and its schema."""
    for path in objects(valid_document(kind)):
        if "value" in path:
            continue  # the one open place: a plan's value
        holder: Any = (data := valid_document(kind))
        for step in path:
            holder = holder[step]
        holder["execute"] = "x"
        assert not validator(kind).is_valid(data), path
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(data, KINDS[kind])


@pytest.mark.req("GV-13")
@pytest.mark.parametrize("kind", KINDS)
def test_the_scan_catches_a_key_anywhere(kind: str) -> None:
    """Layer 2, alone: a forbidden key in any object, in any case of letters, is found with its path."""
    for field, path in product(sorted(FIELDS), objects(valid_document(kind))):
        holder: Any = (data := valid_document(kind))
        for step in path:
            holder = holder[step]
        holder[field.title()] = {}
        found = [(finding.code, finding.path.rpartition(".")[2]) for finding in payload_findings(data)]
        assert found == [("RL-E1", field.title())], (field, path)


@pytest.mark.req("GV-13")
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_the_scan_catches_a_symbol_in_any_text(symbol: str) -> None:
    """Layer 2, alone: a forbidden symbol is found in every text of a document, and in a key, with its path."""
    assert [finding.path for finding in payload_findings({"a": {f"b{symbol}": 1}})] == [json_path(["a", f"b{symbol}"])]
    valid = valid_document("evaluation_result")
    for path in places(valid):
        holder: Any = (data := valid_document("evaluation_result"))
        for step in path[:-1]:
            holder = holder[step]
        if isinstance(holder[path[-1]], str):
            holder[path[-1]] += f" {symbol} "
            assert payload_findings(data), path


@pytest.mark.req("GV-13")
@pytest.mark.parametrize("content", [
    b'{"a": {"EXECUTE" : 1}}',
    b'{"a": "call os.system"}',
    rb'{"\u0065xecute": 1}',
    rb'{"a": "os\u002esystem"}',
    rb'{"a": "\u0065val\u0028"}',
    b"\xff not even JSON: subprocess.run",
])  # fmt: skip
def test_the_bytes_are_scanned(content: bytes) -> None:
    """Layer 3, alone: keys and symbols are found in bytes, escaped or not, whether they are a document or not."""
    assert [finding.code for finding in static_findings(content)] == ["RL-E1"]


@pytest.mark.parametrize("kind", KINDS)
def test_clean_documents_are_clean(kind: str) -> None:
    """A valid document crosses no red line in any layer; words like `execution` and values like "run" are no keys."""
    data = valid_document(kind)
    assert payload_findings(data) == []
    assert static_findings(orjson.dumps(data)) == []
    assert payload_findings({"a": "run", "execution": "forbidden", "b": ["execute"]}) == []


@given(PIECES)
def test_the_quick_look_is_the_slow_one(pieces: list[str]) -> None:
    """The reader's quick look finds a symbol if and only if one is there."""
    text = "".join(pieces)
    assert has_symbol(text.encode()) == any(symbol in text for symbol in SYMBOLS)


@pytest.mark.req("GV-14")
@pytest.mark.parametrize(
    ("lineage", "strategy", "missing"),
    [
        ({"derived_from": ["a"], "supersedes": []}, "merge_union", []),
        ({"derived_from": [], "supersedes": []}, "merge_union", ["$.lineage.derived_from"]),
        ({"derived_from": ["a"], "supersedes": []}, "override_by_priority", ["$.lineage.supersedes"]),
        ({}, "override_by_priority", ["$.lineage.derived_from", "$.lineage.supersedes"]),
        ({"derived_from": ["a"], "supersedes": ["b"]}, "override_by_priority", []),
    ],
)
def test_merged_intents_owe_their_lineage(lineage: dict[str, list[str]], strategy: str, missing: list[str]) -> None:
    """A merged intent names its origins, and an override what it supersedes."""
    assert [finding.path for finding in lineage_findings(lineage, strategy)] == missing
