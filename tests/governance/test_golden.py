"""What evaluations write is stored, byte for byte; a change is named by its path and both values."""

from __future__ import annotations

import msgspec
import pytest

from tests.governance import golden


@pytest.mark.req("GV-12")
@pytest.mark.parametrize("name", golden.CASES)
def test_an_evaluation_writes_what_it_wrote(name: str) -> None:
    """The samples and some random sets give the stored documents, with the same bytes."""
    assert golden.what_changed(name) == ""


def test_a_change_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A field that differs is named with its path, its stored value and its value now."""
    documents = golden.stored("read_only")
    documents["result.json"]["evaluation"]["merge_plan"]["strategy"] = "reject"
    monkeypatch.setattr(golden, "stored", lambda name: documents)
    expected = "read_only, result.json, $.evaluation.merge_plan.strategy: stored 'reject', now 'merge_union'"
    assert golden.what_changed("read_only") == expected


def test_every_strategy_is_stored() -> None:
    """The stored outcomes have every strategy, and questions."""
    results = [golden.stored(name)["result.json"] for name in golden.CASES]
    assert {result["evaluation"]["merge_plan"]["strategy"] for result in results} == {
        "merge_union", "override_by_priority", "reject",
    }  # fmt: skip
    assert any(msgspec.json.encode(result).count(b'"question_id"') for result in results)
