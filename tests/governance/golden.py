"""Stored outcomes of evaluations: whoever changes what an evaluation writes changes these files, and says so.

`python -m tests.governance.golden` writes them to `tests/governance/outcomes`.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tests.governance.strategies import draw_case
from volition.governance.documents.intent import IntentDocument
from volition.governance.documents.intent_set import IntentSet
from volition.governance.documents.reading import from_data
from volition.governance.drafts.samples import samples
from volition.governance.evaluator import evaluate
from volition.governance.gates.reevaluation import differences

if TYPE_CHECKING:
    from volition.governance.evaluator import EvaluationOutcome

OUTCOMES: Final = Path(__file__).parent / "outcomes"
SEEDS: Final = (0, 2, 4, 5, 9, 11, 13, 15)
"""Random sets: some are merged, some override, some ask."""
CASES: Final = (*samples(), *(f"random_{seed}" for seed in SEEDS))


def outcome_of(name: str) -> EvaluationOutcome:
    """The evaluation of a sample, or of a random set by its seed."""
    if name.startswith("random_"):
        case = draw_case(Random(int(name.removeprefix("random_"))))
        return evaluate(case.intent_set, case.intents, case.policy)
    intent_set, intents = samples()[name]
    return evaluate(
        from_data(intent_set, IntentSet), [from_data(intent, IntentDocument) for intent in intents.values()]
    )


def stored(name: str) -> dict[str, Any]:
    """The documents of a case as they are stored, by file name."""
    documents: dict[str, Any] = msgspec.json.decode((OUTCOMES / f"{name}.json").read_bytes())
    return documents


def what_changed(name: str) -> str:
    """The first thing in which the documents of a case differ from the stored ones; empty if they have the same bytes."""
    before, after = stored(name), outcome_of(name).files()
    if before.keys() != after.keys():
        return f"{name}: stored {', '.join(sorted(before))}, now {', '.join(sorted(after))}"
    for file, content in after.items():
        for path, was, now in differences(before[file], msgspec.json.decode(content)):
            return f"{name}, {file}, {path}: stored {was!r}, now {now!r}"
        if msgspec.json.encode(before[file]) != content:
            return f"{name}, {file}: the fields have another order, or a number is written differently"
    return ""


if __name__ == "__main__":
    OUTCOMES.mkdir(exist_ok=True)
    for case_name in CASES:
        documents = {file: msgspec.Raw(content) for file, content in outcome_of(case_name).files().items()}
        (OUTCOMES / f"{case_name}.json").write_bytes(msgspec.json.encode(documents) + b"\n")
