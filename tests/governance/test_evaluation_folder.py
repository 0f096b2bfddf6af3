"""An evaluation that was kept is opened again as it was made, and what was done to it is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.govern.desk import lay_out
from tests.governance.scenarios import SCENARIOS
from volition.core.errors import BrokenRecord
from volition.core.manifest import write_manifest
from volition.governance import evaluate
from volition.governance.documents.loading import load_set
from volition.governance.evaluation_folder import (
    DOCUMENTS,
    INPUTS,
    Inputs,
    check_evaluation,
    inputs_from,
    read_inputs,
    verify_evaluation,
    write_evaluation,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.governance import EvaluationOutcome


def judged(folder: Path, name: str) -> tuple[EvaluationOutcome, Inputs]:
    """One of the common situations, evaluated from files."""
    file = lay_out(folder / name, SCENARIOS[name]())
    loaded = load_set(file)
    return evaluate(loaded), inputs_from(file, lambda name: file.parent / f"{name}.json", loaded, None, ())


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_kept_comes_back_and_holds(tmp_path: Path, name: str) -> None:
    """The inputs come back to the byte, and evaluating them again gives the documents to the byte."""
    outcome, inputs = judged(tmp_path, name)
    write_evaluation(tmp_path / "out", outcome.files(), inputs)
    assert read_inputs(tmp_path / "out") == inputs
    assert verify_evaluation(tmp_path / "out") == len(outcome.files()) + 1 + len(inputs.intents)


def test_a_later_outcome_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    """Documents and inputs of an earlier outcome go; what is not ours stays and is no part of it."""
    for name in ("read_only", "same_target", "read_only"):
        outcome, inputs = judged(tmp_path, name)
        write_evaluation(tmp_path / "out", outcome.files(), inputs)
        (tmp_path / "out" / "notes.txt").write_text("mine", encoding="utf-8")
        assert read_inputs(tmp_path / "out") == inputs
        assert {file.name for file in (tmp_path / "out").glob("*.json")} == {*outcome.files(), "manifest.json"}
    write_evaluation(tmp_path / "out", outcome.files(), None)
    assert not (tmp_path / "out" / INPUTS).exists()
    assert read_inputs(tmp_path / "out") is None
    assert verify_evaluation(tmp_path / "out") == len(outcome.files())


def test_documents_that_do_not_follow_from_their_inputs_are_seen(tmp_path: Path, told: Told) -> None:
    """Where somebody put other documents there and named them in a manifest, evaluating again shows it."""
    one, _ = judged(tmp_path, "read_only")
    other, inputs = judged(tmp_path, "same_target")
    write_evaluation(tmp_path / "out", one.files(), inputs)
    check_evaluation(tmp_path / "out")
    with pytest.raises(BrokenRecord, match="evaluated again"):
        verify_evaluation(tmp_path / "out")
    write_evaluation(tmp_path / "out", other.files(), Inputs(b"{}", inputs.intents))
    with told.raises(BrokenRecord):
        verify_evaluation(tmp_path / "out")


def test_a_document_that_was_added_is_seen(tmp_path: Path, told: Told) -> None:
    """A document that the manifest does not name does not belong, and a manifest of something else is none."""
    outcome, inputs = judged(tmp_path, "same_target")
    write_evaluation(tmp_path / "out", outcome.files(), inputs)
    (added,) = set(DOCUMENTS) - set(outcome.files())
    (tmp_path / "out" / added).write_bytes(b"{}\n")
    with pytest.raises(BrokenRecord, match=added):
        check_evaluation(tmp_path / "out")
    write_manifest(tmp_path / "out", "other", {}, {})
    with told.raises(BrokenRecord):
        check_evaluation(tmp_path / "out")
