"""The evaluator as the gates ask for it: plain data in, plain data out, and its documents written where they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from volition.governance.documents import EvaluationResult, Intent, IntentSet, MergePlan
from volition.governance.evaluator import evaluate
from volition.governance.explain import explain
from volition.governance.gates import Evaluator, run_gates
from volition.governance.merge import replay
from volition.governance.reading import from_data
from volition.governance.samples import samples

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from volition.governance.gates import Verdict

Data = dict[str, Any]


def _evaluate(intent_set: Data, intents: Mapping[str, Data], out: Path) -> Data:
    members = [from_data(intents[name], Intent) for name in intent_set["intent_ids"]]
    outcome = evaluate(from_data(intent_set, IntentSet), members)
    out.mkdir(parents=True)
    files = outcome.files()
    for name, content in files.items():
        (out / name).write_bytes(content)
    result: Data = msgspec.json.decode(files["result.json"])
    return result


def _explain(result: Data) -> str:
    return explain(from_data(result, EvaluationResult))


def _replay(plan: Data, intents: Mapping[str, Data]) -> Data:
    made = replay(from_data(plan, MergePlan), {name: from_data(data, Intent) for name, data in intents.items()})
    built: Data = msgspec.json.decode(msgspec.json.encode(made))
    return built


EVALUATOR = Evaluator(_evaluate, _explain, _replay)
"""What `volition govern gates` puts to the test."""


def check_folder(folder: Path, out: Path) -> list[Verdict]:
    """All gates on a folder of documents; `out` is an empty folder to work in."""
    return run_gates(folder, EVALUATOR, out, samples().values())


def check_ourselves(folder: Path, out: Path) -> list[Verdict]:
    """All gates on samples that are written and evaluated in an empty folder for that purpose."""
    for name, (intent_set, intents) in samples().items():
        _evaluate(intent_set, intents, folder / name)
        for document in (intent_set, *intents.values()):
            (folder / name / f"{document['id']}.json").write_bytes(msgspec.json.encode(document))
    return check_folder(folder, out)
