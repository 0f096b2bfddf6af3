"""The authoring checklists: rules that a schema cannot express, for each kind of document."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import format_value
from volition.governance.documents.findings import Finding
from volition.governance.documents.intent import GRAVE
from volition.governance.documents.intent_set import SET_LIMIT
from volition.governance.documents.packs import AnswerPack
from volition.governance.documents.reading import from_data
from volition.governance.documents.redlines import lineage_findings
from volition.governance.documents.signatures import signature_fault
from volition.governance.paths.names import MODULE, SERVICE, path_fault, root_fault
from volition.governance.paths.patterns import is_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Data = dict[str, Any]

_NAME_IT: Final = "name what the plan is about, or leave it out"
_PLACE: Final = "a path inside the project, module:NAME or service:NAME"
_WANTED: Final = {
    "modules": ("a dotted name, or service:NAME", _NAME_IT),
    "reads": (_PLACE, "name what the plan relies on, or leave it out"),
    "removes": (_PLACE, "name what the plan takes away, or leave it out"),
    "renames": (_PLACE, "give the name that it has and the one that it will have, or leave both out"),
}
"""What is expected of each list of names, and what to do about a name that is not that."""


def checklist_findings(kind: str, data: Data) -> list[Finding]:
    """The checklist findings on a document that is valid by its schema."""
    return list(_CHECKS[kind](data))


def _intent(data: Data, path: str = "$") -> Iterator[Finding]:
    if data["id"] in data.get("metadata", {}).get("depends_on", ()):
        yield _fault("depends_on", f"{path}.metadata.depends_on", "the intent depends on itself", "other intents")
    if "supersession" in data.get("metadata", {}) and data["status"] != "superseded":
        what = f"the intent is {data['status']}, and its metadata says that it was superseded"
        yield _fault("supersession", f"{path}.metadata.supersession", what, "a superseded intent")
    yield from target_findings(data["scope"], data["constraints"]["lock_scope"]["paths"], path)


def target_findings(scope: Data, locks: Iterable[str], path: str = "$") -> Iterator[Finding]:
    """The root, targets and locks of an intent that name nothing in its project."""
    targets, root = scope["targets"], scope["repo_root"]
    if what := root_fault(root):
        where = f"{path}.scope.repo_root"
        yield Finding("checklist.targets", where, f"{format_value(root)} {what}", "a folder of the project", _NAME_IT)
        return

    def place_fault(item: str) -> str:
        is_path = not item.startswith((MODULE, SERVICE))
        return path_fault(item, root) if is_path else module_fault(item.removeprefix(MODULE))

    renames = targets.get("renames", {})
    for name, items, fault in (
        ("scope.targets.files", targets["files"], lambda item: path_fault(item, root)),
        ("scope.targets.modules", targets["modules"], module_fault),
        ("scope.targets.reads", targets.get("reads", ()), place_fault),
        ("scope.targets.removes", targets.get("removes", ()), place_fault),
        ("scope.targets.renames", [name for pair in renames.items() for name in pair], place_fault),
        ("constraints.lock_scope.paths", locks, lambda item: path_fault(item, root)),
    ):
        for place, item in enumerate(items):
            if what := fault(item):
                expected, remedy = _WANTED.get(name.rpartition(".")[2], ("a path inside the project", _NAME_IT))
                where = f"{path}.{name}" if name.endswith("renames") else f"{path}.{name}[{place}]"
                yield Finding("checklist.targets", where, f"{format_value(item)} {what}", expected, remedy)


def module_fault(name: str) -> str:
    """What is wrong with the name of a module or service; empty if nothing is.

    >>> [module_fault(name) for name in ("shop.cart", "service:api", "service:", "shop.", "shop..cart", ".")]
    ['', '', 'names no service', 'has an empty part', 'has an empty part', 'has an empty part']
    >>> [module_fault(name) for name in ("packages/cart", "../cart", "shop.*")]
    ['', 'leads out of the project', 'has a wildcard']
    """
    bare = name.removeprefix(SERVICE)
    if not bare.strip():
        return "names no service" if bare != name else "is blank"
    if bare != name:
        return "" if all(part.strip() for part in bare.split(".")) else "has an empty part"
    folder, _, dotted = name.replace("\\", "/").rpartition("/")
    if not all(part.strip() for part in dotted.split(".")):
        return "has an empty part"
    return "has a wildcard" if is_pattern(name) else path_fault(f"{folder}/{dotted}" if folder else dotted)


def _intent_set(data: Data) -> Iterator[Finding]:
    if data["lineage"]["introduced_in"] != data["schema_version"]:
        what = f"introduced_in is {data['lineage']['introduced_in']!r}"
        yield _fault("introduced_in", "$.lineage.introduced_in", what, repr(data["schema_version"]))
    hints = data.get("metadata", {}).get("merge_hints", {})
    if both := sorted({*hints.get("done", ())} & {*data["intent_ids"]}):
        what = f"{', '.join(both[:5])} {'is' if len(both) == 1 else 'are'} in the set, and cannot be done already"
        remedy = "leave it out of the set if it is done, or else out of `done`"
        yield Finding("checklist.hints", "$.metadata.merge_hints.done", what, "plans outside of the set", remedy)
    for place, pair in enumerate(hints.get("complementary", ())):
        path = f"$.metadata.merge_hints.complementary[{place}]"
        yield from _unknown_ids(pair, data["intent_ids"], path, "hints")
        if pair[0] == pair[1]:
            yield _fault("hints", path, "an intent cannot complement itself", "two intents of the set")


def _evaluation_result(data: Data) -> Iterator[Finding]:
    inputs = list(data["input"]["intent_checksums"])
    evaluation, plan = data["evaluation"], data["evaluation"]["merge_plan"]
    conflicts, questions = evaluation["conflicts"], data.get("requires_questions", [])
    risk = evaluation["risk_comparison"]
    rows = [row["intent_id"] for row in risk["matrix"]]
    matrix = "$.evaluation.risk_comparison.matrix"
    yield from _unknown_ids(rows, inputs, matrix, "matrix")
    if missing := sorted(set(inputs) - set(rows)):
        yield _fault("matrix", matrix, f"no risk is given for {', '.join(missing[:5])}", "a row for each intent")
    yield from _duplicates(rows, matrix, "matrix")
    for place, conflict in enumerate(conflicts):
        yield from _unknown_ids(
            conflict["intent_ids"], inputs, f"$.evaluation.conflicts[{place}].intent_ids", "conflicts"
        )
    yield from _duplicates([c["conflict_id"] for c in conflicts], "$.evaluation.conflicts", "conflicts")
    yield from _operations(plan["operations"], inputs, "$.evaluation.merge_plan.operations")
    yield from _losses(data.get("losses", ()), inputs, plan)
    metadata = data.get("metadata", {})
    answered = metadata.get("evaluator_mode", "automatic") != "automatic"
    yield from _strategy(plan, conflicts, questions, len(inputs), answered=answered)
    yield from _clusters(metadata, inputs)
    yield from _questions(questions, "$.requires_questions")
    if data["lineage"]["derived_from_intent_set"] != data["input"]["intent_set_id"]:
        path = "$.lineage.derived_from_intent_set"
        yield _fault("lineage", path, "this is not the set that was evaluated", repr(data["input"]["intent_set_id"]))
    for name in ("dominance", "incomparable"):
        for place, pair in enumerate(risk.get(name, ())):
            ids = [pair["intent_a"], pair["intent_b"]] if name == "dominance" else pair
            yield from _unknown_ids(ids, inputs, f"$.evaluation.risk_comparison.{name}[{place}]", name)


def _losses(losses: Iterable[Data], inputs: list[str], plan: Data) -> Iterator[Finding]:
    """Check that the losses are exactly the intents that an override drops."""
    names = [loss["intent_id"] for loss in losses]
    others = [name for loss in losses for name in (loss.get("lost_to"), *loss.get("needed_by", ())) if name]
    yield from _unknown_ids([*names, *others], inputs, "$.losses", "losses")
    yield from _duplicates(names, "$.losses", "losses")
    gone = {op["source_intent_id"] for op in plan["operations"] if op["operation"] == "override_field"}
    superseded = {loss["intent_id"] for loss in losses if loss["fate"] == "superseded"}
    if names and superseded != gone:
        yield _fault("losses", "$.losses", "the losses are not those of the merge plan", ", ".join(sorted(gone)[:5]))


def _clusters(metadata: Data, inputs: list[str]) -> Iterator[Finding]:
    """Check that clusters and risk front name intents of the set, each in at most one cluster."""
    clusters = metadata.get("clusters", ())
    members = [name for cluster in clusters for name in cluster]
    yield from _unknown_ids(members, inputs, "$.metadata.clusters", "clusters")
    yield from _duplicates(members, "$.metadata.clusters", "clusters")
    yield from _unknown_ids(metadata.get("risk_front", ()), inputs, "$.metadata.risk_front", "risk_front")


def _strategy(
    plan: Data, conflicts: list[Data], questions: list[Data], count: int, *, answered: bool
) -> Iterator[Finding]:
    """Check that the strategy fits the conflicts; after answers, merging nothing or everything may be a person's choice."""
    path = "$.evaluation.merge_plan.strategy"
    strategy = plan["strategy"]
    grave = [
        conflict["conflict_id"]
        for conflict in conflicts
        if conflict["severity"] in GRAVE and not _may_be_let_through(conflict)
    ]
    if strategy in {"merge_union", "no_merge_needed"} and grave and not answered:
        what = f"{strategy} although {', '.join(grave[:3])} is high or critical"
        yield _fault("strategy", path, what, "override_by_priority or reject")
    if strategy == "override_by_priority" and not conflicts:
        yield _fault("strategy", path, "an override although nothing conflicts", "merge_union")
    if strategy == "reject" and not questions and not answered and count <= SET_LIMIT:
        yield _fault("strategy", "$.requires_questions", "a rejection asks nothing", "a question for each open cluster")
    if strategy in {"merge_union", "override_by_priority"} and count <= SET_LIMIT and "result_intent_id" not in plan:
        what = f"{strategy} names no result intent"
        yield _fault("strategy", "$.evaluation.merge_plan", what, "the field 'result_intent_id'")


def _may_be_let_through(conflict: Data) -> bool:
    """Whether a priority may settle a conflict without superseding anybody: a freeze stays for the other plans."""
    return conflict["type"] == "constraint_conflict" and "override_by_priority" in conflict["resolutions"]


def _merge_plan(data: Data) -> Iterator[Finding]:
    sources, lineage = data["source_intent_ids"], data["lineage"]
    if set(lineage["derived_from"]) != set(sources):
        yield _fault(
            "lineage", "$.lineage.derived_from", "these are not the source intents", ", ".join(sorted(sources))
        )
    yield from _unknown_ids(lineage["supersedes"], sources, "$.lineage.supersedes", "lineage")
    yield from _operations(data["operations"], sources, "$.operations")
    used = {operation["source_intent_id"] for operation in data["operations"]}
    unused = sorted(set(sources) - used) if data["strategy"] != "reject" or not used else []
    if unused:
        what = f"no operation says what becomes of {', '.join(unused[:5])}"
        yield _fault("operations", "$.operations", what, "an operation for each source intent")
    if merged := data.get("result_intent"):
        yield from _intent(merged, "$.result_intent")
        path = "$.result_intent.lineage"
        yield from lineage_findings(merged["lineage"], data["strategy"], path)
        if not set(sources) & set(merged["lineage"]["derived_from"]):
            what = "the merged intent is derived from none of the source intents"
            yield Finding("RL-E2", f"{path}.derived_from", what, "at least 1 source intent", "name the source intents")


def _question_pack(data: Data) -> Iterator[Finding]:
    policy, questions = data["policy_constraints"], data["questions"]
    yield from _questions(questions, "$.questions")
    if policy["question_policy"] == "never":
        yield _fault(
            "budget", "$.policy_constraints.question_policy", "questions although none may be asked", "no pack"
        )
    if (consumed := policy.get("budget_consumed", 0)) > policy["question_budget"]:
        what = f"{consumed} questions are more than the budget allows"
        yield _fault("budget", "$.policy_constraints.budget_consumed", what, f"at most {policy['question_budget']}")
    if policy["execution_mode"] == "semi_auto":
        for place, question in enumerate(questions):
            if question["type"] != "blocker":
                path = f"$.questions[{place}].type"
                yield _fault("blockers", path, f"{question['type']!r} is asked in semi_auto", "'blocker'")
    if "expires_at" in data and datetime.fromisoformat(data["expires_at"]) < datetime.fromisoformat(data["created_at"]):
        yield _fault("expiry", "$.expires_at", "the pack expires before it is made", f"after {data['created_at']}")


def _answer_pack(data: Data) -> Iterator[Finding]:
    yield from _duplicates([answer["question_id"] for answer in data["answers"]], "$.answers", "answers")
    if fault := signature_fault(from_data(data, AnswerPack)):
        remedy = "answer the questions again: volition govern answer"
        yield Finding("checklist.signature", "$.signature", fault, "an answer as it was signed", remedy)


_CHECKS: Final[dict[str, Callable[[Data], Iterator[Finding]]]] = {
    "intent": _intent,
    "intent_set": _intent_set,
    "evaluation_result": _evaluation_result,
    "merge_plan": _merge_plan,
    "question_pack": _question_pack,
    "answer_pack": _answer_pack,
}


def _operations(operations: list[Data], sources: list[str], path: str) -> Iterator[Finding]:
    ids = [operation["op_id"] for operation in operations]
    yield from _unknown_ids([operation["source_intent_id"] for operation in operations], sources, path, "operations")
    yield from _duplicates(ids, path, "operations")
    if ids != sorted(ids):
        yield _fault("operations", path, "the operations are not in the order of their ids", "the order of the ids")


def _questions(questions: list[Data], path: str) -> Iterator[Finding]:
    yield from _duplicates([question["question_id"] for question in questions], path, "questions")
    for place, question in enumerate(questions):
        options = [option["option_id"] for option in question["options"]]
        yield from _duplicates(options, f"{path}[{place}].options", "questions")


def _unknown_ids(ids: Iterable[str], known: Iterable[str], path: str, code: str) -> Iterator[Finding]:
    if unknown := sorted(set(ids) - set(known)):
        yield _fault(code, path, f"{', '.join(unknown[:5])} is not an input", f"ids of {', '.join(sorted(known)[:20])}")


def _duplicates(ids: list[str], path: str, code: str) -> Iterator[Finding]:
    if len(set(ids)) != len(ids):
        twice = sorted(name for name, count in Counter(ids).items() if count > 1)
        yield _fault(code, path, f"duplicated: {', '.join(twice[:5])}", "each id once")


def _fault(code: str, path: str, what: str, expected: str) -> Finding:
    return Finding(f"checklist.{code}", path, what, expected, "correct it and seal the document again")
