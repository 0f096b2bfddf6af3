"""The gatekeeper: runs all gates on a folder of documents and on the evaluator."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import BrokenRecord, InvalidInput
from volition.governance.documents.intent import IntentDocument
from volition.governance.documents.intent_set import LargeIntentSet
from volition.governance.documents.packs import AnswerPack
from volition.governance.documents.policy import BUILT_IN
from volition.governance.documents.reading import from_data, parse_document
from volition.governance.documents.result import EvaluationResult, MergePlan
from volition.governance.drafts.samples import samples
from volition.governance.evaluator import evaluate
from volition.governance.explanation import explain_result
from volition.governance.gates import gates
from volition.governance.gates.fixtures import invalid_fixtures
from volition.governance.gates.folder import DocumentFolder
from volition.governance.gates.gates import INVALID, GateVerdict, error_line
from volition.governance.gates.reevaluation import Fresh, result_reasons
from volition.governance.merge.merging import replay_merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from volition.governance.documents.intent_set import IntentSet
    from volition.governance.documents.policy import Policy
    from volition.governance.evaluator import EvaluationOutcome

Data = dict[str, Any]
MOST_OUTCOMES: Final = 64
"""How many outcomes of one set are considered, if the answers in a folder lead to several."""


def check_folder(path: Path, out: Path, policies: Iterable[Policy] = ()) -> list[GateVerdict]:
    """Run all gates on the documents below `path`; `out` is an empty working folder.

    Documents that were made under another policy than the built-in one need it among `policies`.
    """
    folder = DocumentFolder.read(path)
    results, plans = folder.documents["evaluation_result"], folder.documents["merge_plan"]
    answers = list(folder.documents["answer_pack"].values())
    every_policy = (BUILT_IN, *policies)
    outcomes: list[Fresh] = []
    pairs: list[tuple[Data, Data]] = []
    unread: list[str] = []
    for name, data, intents in folder.sets():
        try:
            turned = {**data, "intent_ids": list(reversed(data["intent_ids"]))}
            pairs.append((_result(data, intents), _result(turned, intents)))
            outcomes.extend(reevaluate(data, intents, answers, every_policy))
        except INVALID as error:
            unread.append(f"{name}: it cannot be evaluated: {error_line(error)}")
    shown = [_result(intent_set, intents) for intent_set, intents in samples().values()]
    others = {"merge_plan": plans, "question_pack": folder.documents["question_pack"], "merged_intent": folder.merged}
    merged = {str(intent.get("id")): intent for intent in folder.merged.values()}
    snapshots = {
        name: text.read_text("utf-8") for name in results if (text := (path / name).with_suffix(".txt")).is_file()
    }

    def replay_all() -> GateVerdict:
        reasons: list[str] = []
        for name, plan in plans.items():
            own = f"eval_result_{str(plan.get('id')).removeprefix('merge_plan_')}"
            intents = folder.intents(result for result in results.values() if result.get("id") == own)
            reasons += gates.gate_h({name: plan}, intents, _replay).reasons
        return GateVerdict("H", tuple(reasons))

    return [
        gates.gate_a(results),
        gates.gate_b(folder),
        gates.gate_c(invalid_fixtures()),
        gates.gate_d(folder.files),
        gates.gate_e(f"{__name__}:evaluate_folder", out, str(path)),
        gates.gate_f(results, _explain, snapshots),
        gates.gate_g([*(first for first, _ in pairs), *shown]),
        _judge_broken("H", replay_all),
        GateVerdict("I", (*unread, *gates.gate_i(pairs).reasons, *result_reasons(results, others, outcomes))),
        _judge_broken("J", lambda: gates.gate_j(results, plans, {**folder.intents(), **merged})),
    ]


def check_ourselves(folder: Path, out: Path) -> list[GateVerdict]:
    """Run all gates on samples that are written to and evaluated in an empty folder."""
    write_samples(folder)
    return check_folder(folder, out)


def write_samples(folder: Path) -> None:
    """Write the samples with their evaluations, each into its own folder."""
    for name, (intent_set, intents) in samples().items():
        _write(_evaluate(intent_set, intents), folder / name)
        for document in (intent_set, *intents.values()):
            (folder / name / f"{document['id']}.json").write_bytes(msgspec.json.encode(document))


def evaluate_folder(out: str, path: str) -> None:
    """Evaluate every set below `path`, and the samples, each into its own folder in `out`; gate E watches this."""
    sets = [(data, intents) for _, data, intents in DocumentFolder.read(Path(path)).sets()]
    for number, (data, intents) in enumerate([*sets, *samples().values()]):
        try:
            outcome = _evaluate(data, intents)
        except INVALID:
            continue  # gate I says why it cannot be evaluated
        _write(outcome, Path(out, str(number)))


def reevaluate(
    intent_set: Data, intents: Mapping[str, Data], answers: Sequence[Data], policies: Sequence[Policy] = (BUILT_IN,)
) -> list[Fresh]:
    """The outcomes of a set under each policy, without answers and with all that fit, round by round."""
    batch, members = _batch(intent_set), _members(intent_set, intents)
    packs = [from_data(pack, AnswerPack) for pack in answers]
    outcomes: list[Fresh] = []
    ahead: list[tuple[Policy, tuple[AnswerPack, ...]]] = [(policy, ()) for policy in policies]
    while ahead and len(outcomes) < MOST_OUTCOMES:
        policy, answered = ahead.pop(0)
        judge = partial(evaluate, batch, members, policy, answered or None, limit=False)
        try:
            outcome = judge()
        except (InvalidInput, BrokenRecord):
            continue  # answers that no evaluation takes have led to nothing that was stored
        outcomes.append(Fresh(batch.id, outcome.result.id, partial(_documents, judge)))
        asked = outcome.question_pack
        if asked is not None:
            ahead += [(policy, (*answered, pack)) for pack in packs if pack.question_pack_checksum == asked.checksum]
    return outcomes


def _documents(judge: Callable[..., EvaluationOutcome], moment: str) -> dict[str, Data]:
    """The documents of an evaluation that takes place at this moment."""
    kinds = {"result.json": "evaluation_result"}
    return {
        kinds.get(name, name.removesuffix(".json")): msgspec.json.decode(content)
        for name, content in judge(now=moment).files().items()
    }


def _evaluate(intent_set: Data, intents: Mapping[str, Data]) -> EvaluationOutcome:
    return evaluate(_batch(intent_set), _members(intent_set, intents), limit=False)


def _batch(intent_set: Data) -> IntentSet:
    return parse_document(msgspec.json.encode(intent_set), LargeIntentSet)


def _members(intent_set: Data, intents: Mapping[str, Data]) -> list[IntentDocument]:
    return [from_data(intents[name], IntentDocument) for name in intent_set["intent_ids"]]


def _result(intent_set: Data, intents: Mapping[str, Data]) -> Data:
    result: Data = msgspec.json.decode(msgspec.json.encode(_evaluate(intent_set, intents).result))
    return result


def _write(outcome: EvaluationOutcome, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, content in outcome.files().items():
        (folder / name).write_bytes(content)


def _explain(result: Data) -> str:
    return explain_result(from_data(result, EvaluationResult))


def _replay(plan: Data, intents: Mapping[str, Data]) -> Data:
    replayed = replay_merge(
        from_data(plan, MergePlan), {name: from_data(data, IntentDocument) for name, data in intents.items()}
    )
    plain: Data = msgspec.json.decode(msgspec.json.encode(replayed))
    return plain


def _judge_broken(gate: str, judge: Callable[[], GateVerdict]) -> GateVerdict:
    """The verdict of a gate; a document that lacks a required field is a reason against it."""
    try:
        return judge()
    except INVALID as error:
        return GateVerdict(gate, (f"a document is too broken to be judged: {error_line(error)}",))
