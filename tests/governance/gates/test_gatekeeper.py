"""The evaluator before the gates: its own samples pass all ten, and what is planted fails its own."""

from __future__ import annotations

import json
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from volition.governance.documents.intent import IntentDocument
from volition.governance.documents.intent_set import IntentSet
from volition.governance.documents.reading import from_data
from volition.governance.drafts.samples import samples
from volition.governance.evaluator import evaluate
from volition.governance.gates.gatekeeper import check_folder, check_ourselves, write_samples

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from volition.governance.gates.gates import GateVerdict

pytestmark = pytest.mark.req("GV-16")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Three empty folders."""
    made = tmp_path / "own", tmp_path / "out", tmp_path / "again"
    for folder in made:
        folder.mkdir()
    return made


def failed(verdicts: list[GateVerdict]) -> list[str]:
    return [verdict.gate for verdict in verdicts if not verdict.passed]


def test_our_own_samples_pass(folders: tuple[Path, Path, Path]) -> None:
    """All ten gates pass on samples that the evaluator has just evaluated."""
    verdicts = check_ourselves(*folders[:2])
    assert failed(verdicts) == []
    assert [verdict.gate for verdict in verdicts] == list("ABCDEFGHIJ")


def _twice(own: Path) -> None:
    (own / "copy.json").write_bytes((own / "read_only" / "result.json").read_bytes())


def _changed(own: Path, name: str, change: Callable[[dict[str, object]], object]) -> None:
    file = own / "clear_priority" / name
    data = json.loads(file.read_bytes())
    change(data)
    file.write_text(json.dumps(data))


def _another_text(own: Path) -> None:
    (own / "clear_priority" / "result.txt").write_text("another explanation")


PLANTED: dict[str, Callable[[Path], None]] = {
    "A": _twice,
    "B": lambda own: _changed(own, "result.json", lambda data: data.pop("lineage")),
    "D": lambda own: _changed(own, "result.json", lambda data: data.update(id="os.system('x')")),
    "F": _another_text,
    "H": lambda own: _changed(own, "merge_plan.json", lambda data: data.update(operations=[])),
    "I": lambda own: (own / "clear_priority" / "intent_refactor_the_api_version_1.json").unlink(),
    "J": lambda own: _changed(
        own,
        "merge_plan.json",
        lambda data: data["result_intent"]["lineage"].update(supersedes=[]),  # type: ignore[index]
    ),
}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples, evaluated once."""
    own = tmp_path_factory.mktemp("own")
    write_samples(own)
    return own


@pytest.mark.usefixtures("documents_alone")
@pytest.mark.parametrize("gate", PLANTED)
def test_what_is_planted_is_caught(gate: str, evaluated: Path, tmp_path: Path) -> None:
    """A violation that somebody plants in the documents fails the gate that is there for it."""
    own = copytree(evaluated, tmp_path / "own")
    PLANTED[gate](own)
    (tmp_path / "again").mkdir()
    assert gate in failed(check_folder(own, tmp_path / "again"))


@pytest.mark.req("GV-17")
def test_the_samples_come_out_as_they_say() -> None:
    """Every sample shows the conflict, and ends in the way, that it is there to show."""
    expected = {
        "read_only": ("merge_union", set()),
        "clear_priority": ("override_by_priority", {"resource_conflict"}),
        "same_target": ("reject", {"effect_conflict", "resource_conflict"}),
        "dependency": ("merge_union", {"order_conflict"}),
        "ignored_lock": ("merge_union", {"constraint_conflict"}),
    }
    found = {}
    for name, (intent_set, intents) in samples().items():
        outcome = evaluate(
            from_data(intent_set, IntentSet), [from_data(intent, IntentDocument) for intent in intents.values()]
        )
        found[name] = outcome.strategy, {conflict.type for conflict in outcome.conflicts}
    assert found == expected
