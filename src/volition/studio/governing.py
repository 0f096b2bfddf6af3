"""Several plans, evaluated together as a page sends them. Nothing here can execute anything."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import orjson
from msgspec import Meta, Raw, Struct

from volition.core.errors import (
    Problem,
    refuse,
)
from volition.core.pausing import pause
from volition.core.typed import decoder
from volition.governance import IntentDocument, coordinate, evaluate, explain_result, parse_document
from volition.governance.documents.intent_set import IntentSet, LargeIntentSet
from volition.governance.documents.loading import load_from
from volition.governance.documents.packs import AnswerPack
from volition.governance.documents.policy import BUILT_IN, parse_policy
from volition.governance.drafts import samples as sample_functions
from volition.governance.evaluation_folder import Inputs, read_inputs, write_evaluation
from volition.governance.merge.coordinator import ExecutionGraph  # noqa: TC001
from volition.governance.merge.fates import (
    Fate,
    fates,
)
from volition.governance.settlement.questions import answer_questions
from volition.governance.survey import survey_plans
from volition.studio.answerer import Answerer, AnswerSigner, answer_signers, signers_of
from volition.studio.cases import check_toml
from volition.studio.claims import Contested, contested_claims
from volition.studio.errors import TooMuch
from volition.studio.store import EVALUATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from volition.governance import EvaluationOutcome, Policy
    from volition.governance.documents.loading import Loaded
    from volition.governance.documents.result import EvaluationResult
    from volition.studio.answerer import KeysOf
    from volition.studio.store import RecordStore


MOST_ROUNDS: Final = 50
NOBODY: Final = Answerer("", None, lambda _: {})
"""Whose answers are not signed."""
PLANS: Final = 2000
"""How many plans the studio evaluates together."""


class GovernAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """An intent set and its intents, as documents. `policy` is the text of a policy in TOML.

    `choices` answer the questions, round by round: question id -> option id; `answers` are the answer packs of earlier
    rounds, as documents. Without `limit` a set may have more than 20 intents, and nothing is merged. With `save` the
    outcome is written into the folder; without `graph` the execution graph, which costs more than all the rest, is left
    out.
    """

    set: Raw
    """The intent set, as a document."""
    intents: list[Raw]
    """The intents of the set, as documents, each once."""
    policy: Annotated[str, Meta(max_length=2**20)] | None = None
    """A policy in TOML, at most 256 Ki characters; the built-in one if not given."""
    answers: Annotated[list[Raw], Meta(max_length=MOST_ROUNDS)] = []
    """The answer packs of earlier rounds, as documents."""
    choices: Annotated[list[dict[str, str]], Meta(max_length=MOST_ROUNDS)] = []
    """The chosen options, round by round: question id -> option id."""
    limit: bool = True
    """Whether a set has at most 20 intents; a larger one is evaluated and not merged."""
    save: bool = False
    """Whether the outcome is written into the folder."""
    graph: bool = True
    """Whether the execution graph is wanted, which costs more than all the rest."""
    contested: bool = False
    """Whether it is wanted what each plan does to whatever is contested."""


class GovernAgain(Struct, frozen=True):
    """What a saved evaluation was made from: sent again with `choices`, its questions are answered."""

    set: Any
    """The intent set, as a document."""
    intents: list[Any]
    """The intents, as documents."""
    policy: str | None
    """The policy in TOML; null for the built-in one."""
    answers: list[Any]
    """The answer packs of earlier rounds."""
    limit: bool = True
    """Whether a set has at most 20 intents."""


class EvaluationShape(Struct, frozen=True):
    """The outcome of an evaluation. `result`, `merge_plan`, `merged_intent` and `question_pack` are documents, with the
    same bytes that `volition govern evaluate --out` would write; `riskiest` is the Pareto front of risk; `titles` are
    those of the intents, by id."""

    set_id: str
    """The id of the set."""
    strategy: str
    """What becomes of the whole set."""
    result: Any
    """The result, as a document."""
    clusters: tuple[Fate, ...]
    """The groups of intents that conflict, with what becomes of each."""
    riskiest: tuple[str, ...]
    """The ids of the intents that no other exceeds in every kind of risk."""
    merge_plan: Any
    """The merge plan, as a document."""
    merged_intent: Any
    """The merged intent, as a document; null where nothing is merged."""
    question_pack: Any
    """The questions for a person, as a document; null where there are none."""
    graph: ExecutionGraph | None
    """The execution graph; null where nothing is merged, or it was not wanted."""
    explanation: str
    """The result, in words."""
    titles: dict[str, str]
    """The titles of all intents, by id."""
    answers: list[Any]
    """The answer packs so far."""
    signers: list[AnswerSigner]
    """Who gave each of these answers, by their signatures, and whether it counts."""
    contested: Contested | None = None
    """What is contested -> the plans that claim it -> what each does there, in words; null where it was not wanted, or the plans
    were not saved."""
    saved: str | None = None
    """The id of the record; null where it was not saved."""
    expired: bool = False
    """Whether the time for an answer is over, where the question pack has one."""
    seconds_left: float | None = None
    """How long the questions still wait for an answer; null where there is no limit, or there are none."""


class GovernSample(Struct, frozen=True):
    """A small set that demonstrates something, ready to be sent."""

    name: str
    """The name of the sample."""
    about: str
    """What it demonstrates."""
    set: dict[str, Any]
    """The intent set."""
    intents: list[dict[str, Any]]
    """Its intents."""


def evaluate_set(asked: GovernAsked, store: RecordStore, answerer: Answerer = NOBODY) -> EvaluationShape:
    """Evaluate a set; with choices, which the answerer signs, round by round, until all are used."""
    if asked.policy is not None:
        check_toml(asked.policy, "policy")
    policy = BUILT_IN if asked.policy is None else parse_policy(asked.policy)
    loaded = _load(asked)
    packs = [parse_document(bytes(pack), AnswerPack, where=f"answers[{n}]") for n, pack in enumerate(asked.answers)]
    answerer.check(packs)
    outcome = evaluate(loaded, policy=policy, answers=packs or None, limit=asked.limit)
    for number, choices in enumerate(asked.choices):
        pause()
        pack = outcome.question_pack
        if pack is None:
            refuse(
                "there are no more questions",
                where=f"choices[{number}]",
                expected=f"{number} rounds of choices",
                remedy="leave this round out",
            )
        answered = answer_questions(pack, choices, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        packs.append(answerer.sign(answered))
        outcome = evaluate(loaded, policy=policy, answers=packs, limit=asked.limit)
    return _outcome_shape(outcome, loaded, packs, policy, asked, store)


def reopen_evaluation(
    folder: Path, result: EvaluationResult, keys_of: KeysOf = NOBODY.keys_of
) -> tuple[EvaluationShape, GovernAgain | None]:
    """An evaluation as it is on disk, and what it was made from; None where that was not kept."""
    inputs = read_inputs(folder)
    packs = [] if inputs is None else [parse_document(content, AnswerPack) for content in inputs.answers]
    documents = {name: _document(folder / f"{name}.json") for name in ("merge_plan", "merged_intent", "question_pack")}
    merged, metadata = documents["merged_intent"], result.metadata
    intents = [] if inputs is None else [parse_document(content, IntentDocument) for content in inputs.intents.values()]
    policy = BUILT_IN if inputs is None or inputs.policy is None else parse_policy(inputs.policy)
    evaluation = EvaluationShape(
        set_id=result.input.intent_set_id,
        strategy=result.evaluation.merge_plan.strategy,
        result=result,
        clusters=fates(result, (metadata and metadata.clusters) or _clusters(inputs, intents, policy)),
        riskiest=tuple(metadata.risk_front if metadata else ()),
        **documents,
        graph=None
        if merged is None
        else coordinate(parse_document(bytes(merged), IntentDocument, where="merged_intent.json")),
        explanation=explain_result(result),
        titles={intent.id: intent.title for intent in intents},
        answers=[] if inputs is None else [msgspec.Raw(pack) for pack in inputs.answers],
        signers=answer_signers(packs, keys_of(signers_of(packs))),
        contested=contested_claims(result.evaluation.conflicts, intents, policy) if intents else None,
        **_time_left(documents["question_pack"]),
    )
    return evaluation, None if inputs is None else _request(inputs)


def _clusters(inputs: Inputs | None, intents: list[IntentDocument], policy: Policy) -> list[tuple[str, ...]]:
    """The clusters of a saved evaluation, whose result lists them only for a set that is too large to be merged."""
    if inputs is None:
        return []
    by_id = sorted(intents, key=lambda intent: intent.id)
    survey = survey_plans(
        parse_document(inputs.intent_set, IntentSet if inputs.limit else LargeIntentSet), by_id, policy
    )
    return [tuple(by_id[number].id for number in cluster) for cluster in survey.clusters]


class _WithExpiry(msgspec.Struct):
    expires_at: datetime | None = None


_expiries: Final = decoder(_WithExpiry)


def _time_left(pack: Any) -> dict[str, Any]:
    """How long a question pack still waits, and whether its time is over."""
    if pack is None:
        return {}
    try:
        until = _expiries.decode(bytes(pack)).expires_at
    except msgspec.MsgspecError:
        return {}
    if until is None:
        return {}
    left = (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return {"expired": left <= 0, "seconds_left": max(0.0, left)}


def _request(inputs: Inputs) -> GovernAgain:
    """The request that makes an evaluation again."""
    return GovernAgain(
        msgspec.Raw(inputs.intent_set),
        [msgspec.Raw(content) for content in inputs.intents.values()],
        inputs.policy,
        [msgspec.Raw(content) for content in inputs.answers],
        inputs.limit,
    )


def sample_sets() -> list[GovernSample]:
    """The sets that ship, each described by the docstring of its function."""
    return [
        GovernSample(name, (getattr(sample_functions, name).__doc__ or "").strip(), batch, list(intents.values()))
        for name, (batch, intents) in sample_functions.samples().items()
    ]


def _load(asked: GovernAsked) -> Loaded:
    """The set with its intents, which are found by their ids."""
    if len(asked.intents) > PLANS:
        what, expected = f"{len(asked.intents)} intents are sent", f"at most {PLANS} intents"
        raise TooMuch(Problem(what, "intents", expected, "evaluate them with `volition govern evaluate --no-limit`"))
    contents: dict[str, bytes] = {}
    for place, raw in enumerate(asked.intents):
        content = bytes(raw)
        id = _id(content, place)
        if id in contents:
            refuse(
                f"{id} is duplicated", where=f"intents[{place}]", expected="each intent once", remedy="leave one out"
            )
        contents[id] = content
    used: set[str] = set()

    def fetch(name: str) -> bytes:
        if name not in contents:
            refuse(f"{name} is missing", where="intents", expected="every intent of the set", remedy="add its document")
        used.add(name)
        return contents[name]

    loaded = load_from(bytes(asked.set), fetch, where="set", limit=asked.limit)
    for name in contents.keys() - used:
        refuse(
            f"{name} is not in the set",
            where="intents",
            expected="only the intents of the set",
            remedy="leave it out, or name it in the set",
        )
    return loaded


class _WithId(msgspec.Struct):
    id: str


_ids: Final = decoder(_WithId)


def _id(content: bytes, place: int) -> str:
    try:
        return _ids.decode(content).id
    except msgspec.MsgspecError:
        refuse(
            "this is not an intent: it has no id",
            where=f"intents[{place}]",
            expected="an intent document",
            remedy="send the documents as they are",
        )


def _outcome_shape(
    outcome: EvaluationOutcome,
    loaded: Loaded,
    packs: list[AnswerPack],
    policy: Policy,
    asked: GovernAsked,
    store: RecordStore,
) -> EvaluationShape:
    result, merged, files = outcome.result, outcome.merged_intent, outcome.files()
    saved = None
    if asked.save:
        folder = store.new(EVALUATIONS, result.input.intent_set_id)
        write_evaluation(folder, files, _inputs(asked, packs))
        saved = store.id_of(folder)
    documents: dict[str, Any] = {
        name: None if (content := files.get(f"{name}.json")) is None else msgspec.Raw(content)
        for name in ("result", "merge_plan", "merged_intent", "question_pack")
    }
    return EvaluationShape(
        set_id=result.input.intent_set_id,
        strategy=outcome.strategy,
        clusters=fates(result, outcome.clusters),
        riskiest=tuple(outcome.riskiest),
        **documents,
        graph=coordinate(merged, policy) if asked.graph and merged is not None else None,
        explanation=explain_result(result),
        titles={intent.id: intent.title for intent in loaded.intents},
        answers=list(packs),
        signers=answer_signers(packs, {}),
        contested=contested_claims(result.evaluation.conflicts, loaded.intents, policy) if asked.contested else None,
        saved=saved,
        **_time_left(documents["question_pack"]),
    )


def _inputs(asked: GovernAsked, packs: list[AnswerPack]) -> Inputs:
    """What an evaluation is made from."""
    intents = {_id(bytes(raw), place): bytes(raw) for place, raw in enumerate(asked.intents)}
    answers = tuple(bytes(raw) for raw in asked.answers)
    chosen = tuple(msgspec.json.encode(pack) for pack in packs[len(answers) :])
    return Inputs(bytes(asked.set), intents, asked.policy, answers + chosen, limit=asked.limit)


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
