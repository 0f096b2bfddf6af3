"""Several plans, judged together as they come from a page. Nothing here can execute anything."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec
import orjson

from volition.core.errors import refuse
from volition.governance import coordinate, evaluate, explain, read_answer_pack
from volition.governance.fates import fates
from volition.governance.keeping import Inputs, keep, reopen
from volition.governance.loading import load_from
from volition.governance.policy import BUILT_IN, parse_policy
from volition.governance.questions import answer
from volition.governance.reading import read_intent
from volition.governance.samples import samples
from volition.studio.shapes.govern import (
    Cluster,
    EdgeShape,
    Evaluation,
    GovernAgain,
    GovernAsked,
    GovernSample,
    Graph,
    NodeShape,
)
from volition.studio.shapes.problems import ProblemShape
from volition.studio.shelf import EVALUATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from volition.governance import AnswerPack, EvaluationResult, Intent, Outcome, Policy
    from volition.governance.loading import Loaded
    from volition.studio.shelf import Shelf


def judge(asked: GovernAsked, shelf: Shelf) -> Evaluation:
    """Evaluate a set; with choices, round by round, until all are answered."""
    policy = BUILT_IN if asked.policy is None else parse_policy(asked.policy)
    loaded = _loaded(asked)
    packs = [read_answer_pack(bytes(pack), where=f"answers[{n}]").document for n, pack in enumerate(asked.answers)]
    outcome = evaluate(loaded, policy=policy, answers=packs or None, limit=asked.limit)
    for number, choices in enumerate(asked.choices):
        pack = outcome.question_pack
        if pack is None:
            refuse(
                "nothing is asked any more",
                where=f"choices[{number}]",
                expected=f"{number} rounds of choices",
                remedy="leave this round out",
            )
        packs.append(answer(pack, choices, _now()))
        outcome = evaluate(loaded, policy=policy, answers=packs, limit=asked.limit)
    files = outcome.files()
    saved = None
    if asked.save:
        saved = _save(shelf, outcome.result.input.intent_set_id, files, _inputs(asked, packs))
    graph = _graph(outcome.merged_intent, policy) if asked.graph and outcome.merged_intent is not None else None
    return _evaluation(outcome, files, graph, packs, loaded, saved)


def look_again(folder: Path, result: EvaluationResult) -> tuple[Evaluation, GovernAgain | None]:
    """An evaluation as it lies on disk, whole, and what it was made of; None where that was not kept."""
    inputs = reopen(folder)
    documents = {name: _document(folder / f"{name}.json") for name in ("merge_plan", "merged_intent", "question_pack")}
    merged = documents["merged_intent"]
    evaluation = Evaluation(
        strategy=result.evaluation.merge_plan.strategy,
        result=result,
        clusters=_clusters(result, result.metadata.clusters if result.metadata else ()),
        riskiest=list(result.metadata.risk_front if result.metadata else ()),
        **documents,
        graph=None if merged is None else _graph(read_intent(bytes(merged), where="merged_intent.json").document),
        explanation=explain(result),
        titles={} if inputs is None else _titles_in(inputs),
        answers=[] if inputs is None else [msgspec.Raw(pack) for pack in inputs.answers],
        warnings=[],
    )
    return evaluation, None if inputs is None else _again(inputs)


def _again(inputs: Inputs) -> GovernAgain:
    return GovernAgain(
        msgspec.Raw(inputs.intent_set),
        [msgspec.Raw(content) for content in inputs.intents.values()],
        inputs.policy,
        [msgspec.Raw(content) for content in inputs.answers],
        inputs.lenient,
    )


def _titles_in(inputs: Inputs) -> dict[str, str]:
    read = (read_intent(content, lenient=inputs.lenient).document for content in inputs.intents.values())
    return _titles(read)


def sample_sets() -> list[GovernSample]:
    """The sets that ship, each with what it shows."""
    from volition.governance import samples as shelf  # noqa: PLC0415  its functions say what they show

    return [
        GovernSample(name, (getattr(shelf, name).__doc__ or "").strip(), batch, list(intents.values()))
        for name, (batch, intents) in samples().items()
    ]


def _loaded(asked: GovernAsked) -> Loaded:
    """The set with its intents, which are found by their own ids."""
    contents: dict[str, bytes] = {}
    for place, raw in enumerate(asked.intents):
        content = bytes(raw)
        id = _id(content, place)
        if id in contents:
            refuse(
                f"{id} is given twice", where=f"intents[{place}]", expected="each intent once", remedy="leave one out"
            )
        contents[id] = content
    wanted: list[str] = []

    def fetch(name: str) -> bytes:
        if name not in contents:
            refuse(f"{name} is missing", where="intents", expected="every intent of the set", remedy="add its document")
        wanted.append(name)
        return contents[name]

    loaded = load_from(bytes(asked.set), fetch, where="set", lenient=asked.lenient, limit=asked.limit)
    for name in contents.keys() - set(wanted):
        refuse(
            f"{name} is not in the set",
            where="intents",
            expected="the intents of the set alone",
            remedy="leave it out, or name it in the set",
        )
    return loaded


class _Named(msgspec.Struct):
    id: str


_named: Final = msgspec.json.Decoder(_Named)


def _id(content: bytes, place: int) -> str:
    try:
        return _named.decode(content).id
    except msgspec.MsgspecError:
        refuse(
            "this is no intent: it has no id",
            where=f"intents[{place}]",
            expected="an intent document",
            remedy="send the documents as they are",
        )


def _evaluation(
    outcome: Outcome,
    files: dict[str, bytes],
    graph: Graph | None,
    packs: list[AnswerPack],
    loaded: Loaded,
    saved: str | None,
) -> Evaluation:
    result = outcome.result
    return Evaluation(
        strategy=outcome.strategy,
        result=msgspec.Raw(files["result.json"]),
        clusters=_clusters(result, outcome.clusters),
        riskiest=list(outcome.riskiest),
        **{name: _raw(files, name) for name in ("merge_plan", "merged_intent", "question_pack")},
        graph=graph,
        explanation=explain(result),
        titles=_titles(loaded.intents),
        answers=list(packs),
        warnings=[ProblemShape(one.what, one.where, one.expected, one.remedy) for one in loaded.warnings],
        saved=saved,
    )


def _raw(files: dict[str, bytes], name: str) -> msgspec.Raw | None:
    content = files.get(f"{name}.json")
    return None if content is None else msgspec.Raw(content)


def _clusters(result: EvaluationResult, clusters: Iterable[tuple[str, ...]]) -> list[Cluster]:
    return [
        Cluster(list(one.intents), list(one.conflicts), one.strategy, one.because) for one in fates(result, clusters)
    ]


def _graph(merged: Intent, policy: Policy = BUILT_IN) -> Graph:
    made = coordinate(merged, policy.registry)
    return Graph(
        made.intent_id,
        [NodeShape(one.node_id, one.command_id, one.phase, list(one.effects), one.risk_level) for one in made.nodes],
        [EdgeShape(one.before, one.after, one.reason) for one in made.edges],
    )


def _save(shelf: Shelf, name: str, files: dict[str, bytes], inputs: Inputs | None) -> str:
    folder = shelf.new(EVALUATIONS, name)
    keep(folder, files, inputs)
    return shelf.id_of(folder)


def _inputs(asked: GovernAsked, packs: list[AnswerPack]) -> Inputs | None:
    """What an evaluation is made of; a set beyond the limit is not merged, and nothing of it is asked again."""
    if not asked.limit:
        return None
    intents = {_id(bytes(raw), place): bytes(raw) for place, raw in enumerate(asked.intents)}
    given = tuple(bytes(raw) for raw in asked.answers)
    chosen = tuple(msgspec.json.encode(pack) for pack in packs[len(given) :])
    return Inputs(bytes(asked.set), intents, asked.policy, given + chosen, asked.lenient)


def _titles(intents: Iterable[Intent]) -> dict[str, str]:
    return {intent.id: intent.title for intent in intents}


def _document(file: Path) -> Any:
    """The document in a file, None where there is none."""
    if file.is_symlink() or not file.is_file():
        return None
    content = file.read_bytes()
    try:
        orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    return msgspec.Raw(content)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
