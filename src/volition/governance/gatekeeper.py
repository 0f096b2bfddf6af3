"""The evaluator as the gates ask for it: plain data in, plain data out, and its documents written where they say."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import InvalidInput
from volition.governance.documents import AnswerPack, EvaluationResult, Intent, MergePlan
from volition.governance.evaluator import evaluate
from volition.governance.explain import explain
from volition.governance.gates import Evaluator, run_gates
from volition.governance.merge import replay
from volition.governance.policy import BUILT_IN
from volition.governance.reading import from_data, read_set
from volition.governance.reevaluation import Fresh
from volition.governance.samples import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from volition.governance.documents import IntentSet
    from volition.governance.evaluator import Outcome
    from volition.governance.gates import Verdict
    from volition.governance.policy import Policy

Data = dict[str, Any]
MOST_OUTCOMES: Final = 64
"""So many outcomes of one set are looked at, where answers that are there lead to several."""


def _evaluate(intent_set: Data, intents: Mapping[str, Data], out: Path) -> Data:
    outcome = evaluate(_batch(intent_set), _members(intent_set, intents), limit=False)
    out.mkdir(parents=True)
    files = outcome.files()
    for name, content in files.items():
        (out / name).write_bytes(content)
    result: Data = msgspec.json.decode(files["result.json"])
    return result


def _batch(intent_set: Data) -> IntentSet:
    return read_set(msgspec.json.encode(intent_set), limit=False).document


def _members(intent_set: Data, intents: Mapping[str, Data]) -> list[Intent]:
    return [from_data(intents[name], Intent) for name in intent_set["intent_ids"]]


def _explain(result: Data) -> str:
    return explain(from_data(result, EvaluationResult))


def _replay(plan: Data, intents: Mapping[str, Data]) -> Data:
    made = replay(from_data(plan, MergePlan), {name: from_data(data, Intent) for name, data in intents.items()})
    built: Data = msgspec.json.decode(msgspec.json.encode(made))
    return built


def _reevaluate(
    intent_set: Data, intents: Mapping[str, Data], answers: Sequence[Data], policies: Sequence[Policy] = (BUILT_IN,)
) -> list[Fresh]:
    """What a set comes to under each policy, with no answers and with all that fit, round after round."""
    batch, members = _batch(intent_set), _members(intent_set, intents)
    packs = [from_data(pack, AnswerPack) for pack in answers]
    found: list[Fresh] = []
    ahead: list[tuple[Policy, tuple[AnswerPack, ...]]] = [(policy, ()) for policy in policies]
    while ahead and len(found) < MOST_OUTCOMES:
        policy, given = ahead.pop(0)
        judge = partial(evaluate, batch, members, policy, given or None, limit=False)
        try:
            outcome = judge()
        except InvalidInput:
            continue  # answers that no evaluation takes have led to nothing that was stored
        found.append(Fresh(batch.id, outcome.result.id, partial(_documents, judge)))
        asked = outcome.question_pack
        if asked is not None:
            ahead += [(policy, (*given, pack)) for pack in packs if pack.question_pack_checksum == asked.checksum]
    return found


def _documents(judge: Callable[..., Outcome], moment: str) -> dict[str, Data]:
    """The documents of an evaluation that takes place at this moment."""
    kinds = {"result.json": "evaluation_result"}
    return {
        kinds.get(name, name.removesuffix(".json")): msgspec.json.decode(content)
        for name, content in judge(now=moment).files().items()
    }


def evaluator_under(policies: Sequence[Policy]) -> Evaluator:
    """The evaluator, where documents may have been made under any of these policies."""
    return Evaluator(_evaluate, _explain, _replay, partial(_reevaluate, policies=policies))


def check_folder(folder: Path, out: Path, policies: Iterable[Policy] = ()) -> list[Verdict]:
    """All gates on a folder of documents; `out` is an empty folder to work in.

    Documents that were made under another policy than the built-in one need it among `policies`.
    """
    return run_gates(folder, evaluator_under((BUILT_IN, *policies)), out, samples().values())


def check_ourselves(folder: Path, out: Path) -> list[Verdict]:
    """All gates on samples that are written and evaluated in an empty folder for that purpose."""
    for name, (intent_set, intents) in samples().items():
        _evaluate(intent_set, intents, folder / name)
        for document in (intent_set, *intents.values()):
            (folder / name / f"{document['id']}.json").write_bytes(msgspec.json.encode(document))
    return check_folder(folder, out)
