"""Documents to test a validator with: a valid one of each kind, and invalid ones that break one rule each."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec
import orjson

from volition.governance.documents.checksums import intent_checksum, seal
from volition.governance.documents.intent_set import IntentSet
from volition.governance.documents.reading import from_data
from volition.governance.drafts.plan import Plan
from volition.governance.drafts.sets import new_set
from volition.governance.evaluator import evaluate
from volition.governance.settlement.questions import answer_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Data = dict[str, Any]

NOW: Final = "2026-01-25T10:00:00Z"


class Fixture(msgspec.Struct, frozen=True):
    """A document that must be rejected, and the code of the finding that must say why."""

    name: str
    kind: str
    content: bytes
    code: str


@cache
def _valid() -> dict[str, bytes]:
    """A set that priority settles with its result, and a question about the same plans without priorities."""
    routes, requests = _plans(10, 5)
    window = ("2026-01-26T09:00:00Z", "2026-01-26T10:00:00Z")
    batch = new_set("api batch", _IDS, project="shop", created_at=NOW, tags=["api"], window=window)
    outcome = evaluate(from_data(batch, IntentSet), [routes.intent, requests.intent])
    asked = evaluate(_plans(None, None)).question_pack
    assert asked is not None
    documents = {
        "intent": routes.intent,
        "intent_set": batch,
        "evaluation_result": outcome.result,
        "merge_plan": outcome.merge_plan,
        "question_pack": asked,
        "answer_pack": answer_questions(asked, {"question_0001": "option_0001"}, NOW),
    }
    return {kind: msgspec.json.encode(document) for kind, document in documents.items()}


def _plans(*priorities: int | None) -> list[Plan]:
    commands = (
        ["refactor_routes: write: split the routes by topic", "read_routes: read: list the routes"],
        ["add_logging: write: log each request"],
    )
    about: Data = {"project": "shop", "created_at": NOW, "files": ["src/api/routes.py"]}
    return [
        Plan(title, commands=planned, priority=priority, **about)
        for title, planned, priority in zip(
            ("Refactor the routes", "Log the requests"), commands, priorities, strict=True
        )
    ]


def valid_document(kind: str) -> Data:
    """A new copy of a valid, sealed document of this kind.

    >>> valid_document("intent_set")["id"]
    'intent_set_api_batch'
    """
    copy: Data = orjson.loads(_valid()[kind])
    return copy


def invalid_fixtures() -> list[Fixture]:
    """Invalid documents of every kind; each is sealed after it was broken, so that it breaks one rule alone."""
    return [*_broken_documents(), *_malformed_documents()]


def _broken_documents() -> Iterator[Fixture]:
    for kind, name, code, change in _CHANGES:
        data = valid_document(kind)
        change(data)
        data = data if code == "checksum" else seal(kind, data)
        yield Fixture(f"{kind}: {name}", kind, orjson.dumps(data), code)


def _malformed_documents() -> Iterator[Fixture]:
    content = orjson.dumps(valid_document("intent"))
    yield Fixture("intent: invalid UTF-8", "intent", content.replace(b"Refactor", b"Ref\xffctor"), "json")
    yield Fixture(
        "intent: a duplicated key", "intent", content.replace(b'{"id"', b'{"title":"Another one","id"', 1), "json"
    )
    yield Fixture("intent: nested deeply", "intent", b"[" * 100_000 + b"]" * 100_000, "json")
    yield Fixture("intent: cut short", "intent", content[:-1], "json")
    yield Fixture("intent: ten megabytes", "intent", content + b" " * (10 * 2**20), "json")


def _put(*path: str | int, value: Any) -> Callable[[Data], None]:
    """A change that puts a value at a path."""
    return lambda data: _holder(data, path).__setitem__(path[-1], value)


def _drop(*path: str | int) -> Callable[[Data], None]:
    """A change that removes what is at a path."""
    return lambda data: _holder(data, path).__delitem__(path[-1])


def _holder(data: Data, path: Sequence[str | int]) -> Any:
    """The list or object that holds what is at a path."""
    inner: Any = data
    for step in path[:-1]:
        inner = inner[step]
    return inner


def _in_turn(*changes: Callable[[Data], None]) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        for apply in changes:
            apply(data)

    return change


def _one_digit_off(data: Data) -> None:
    right = intent_checksum(data)
    data["audit"]["checksum"] = ("0" if right[0] != "0" else "1") + right[1:]


def _drop_operations_of_the_loser(data: Data) -> None:
    data["operations"] = [operation for operation in data["operations"] if operation["source_intent_id"] == _IDS[0]]


_IDS: Final = ["intent_refactor_the_routes", "intent_log_the_requests"]
_AUTO: Final = {"mode": "full_auto", "question_budget": 0, "question_policy": "never"}
_WINDOW: Final = {"start": "2026-01-26T10:00:00Z", "end": "2026-01-26T09:00:00Z"}
_MERGE: Final = ("evaluation", "merge_plan")
_RISK: Final = ("evaluation", "risk_comparison", "matrix")
_CHANGES: Final[tuple[tuple[str, str, str, Callable[[Data], None]], ...]] = (
    ("intent", "no title", "schema.required", _drop("title")),
    ("intent", "an unknown field", "schema.additionalProperties", _put("note", value="x")),
    ("intent", "capital letters in the id", "schema.pattern", _put("id", value="intent_Refactor")),
    ("intent", "a path as id", "schema.pattern", _put("id", value="../intent_refactor")),
    ("intent", "a homoglyph in the id", "homoglyph", _put("id", value="intent_\u0430pi_routes")),
    ("intent", "a day that does not exist", "schema.pattern", _put("created_at", value="2026-02-29T10:00:00Z")),
    ("intent", "a null", "schema.type", _put("description", value=None)),
    ("intent", "an execute key", "RL-E1", _put("planned_commands", 0, "Execute", value="x")),
    ("intent", "os.system in a text", "RL-E1", _put("objective", "goal", value="call os.system('x')")),
    ("intent", "full_auto that asks", "I2", _put("interaction", value={**_AUTO, "question_budget": 5})),
    ("intent", "full_auto of high risk", "I3", _in_turn(_put("interaction", value=_AUTO), _put("risk", "overall", value="high"))),
    ("intent", "a command without evidence", "I4", _put("planned_commands", 0, "evidence_refs", value=[])),
    ("intent", "fabrication", "I5", _put("constraints", "no_fabrication", value=False)),
    ("intent", "a change without review", "review", _put("risk", "requires_review", value=[])),
    ("intent", "a duplicated effect", "schema.uniqueItems", _put("planned_commands", 0, "effects", value=["read", "read"])),
    ("intent", "201 references", "schema.maxItems", _put("evidence_refs", value=["a/b"] * 201)),
    ("intent", "dependent on itself", "checklist.depends_on", _put("metadata", value={"depends_on": [_IDS[0]]})),
    ("intent", "a file outside", "checklist.targets", _put("scope", "targets", "files", value=["../other/a.py"])),
    ("intent", "a service without a name", "checklist.targets", _put("scope", "targets", "modules", value=["service:"])),
    ("intent", "a checksum off by one digit", "checksum", _one_digit_off),
    ("intent_set", "one intent", "schema.minItems", _put("intent_ids", value=_IDS[:1])),
    ("intent_set", "21 intents", "schema.maxItems", _put("intent_ids", value=[f"intent_number_{n}" for n in range(21)])),
    ("intent_set", "a duplicated intent", "schema.uniqueItems", _put("intent_ids", value=[_IDS[0]] * 2)),
    ("intent_set", "an unknown environment", "schema.enum", _put("context", "env", value="production")),
    ("intent_set", "a window backwards", "time_window", _put("context", "time_window", value=_WINDOW)),
    ("intent_set", "another version", "checklist.introduced_in", _put("lineage", "introduced_in", value="0.9.2")),
    ("intent_set", "another project", "checksum", _put("context", "project_id", value="bank")),
    ("evaluation_result", "execution allowed", "schema.const", _put("constraints", "execution", value="allowed")),
    ("evaluation_result", "a run key", "RL-E1", _put("evaluation", "run", value=True)),
    ("evaluation_result", "a risk of 101", "schema.maximum", _put(*_RISK, 0, "dimensions", "unknowns", value=101)),
    ("evaluation_result", "a risk left out", "checklist.matrix", _drop(*_RISK, 0)),
    ("evaluation_result", "no evidence", "schema.minItems", _put("evaluation", "conflicts", 0, "evidence_refs", value=[])),
    ("evaluation_result", "an unknown intent", "checklist.conflicts", _put("evaluation", "conflicts", 0, "intent_ids", 0, value="intent_stranger")),
    ("evaluation_result", "union of a high conflict", "checklist.strategy", _put(*_MERGE, "strategy", value="merge_union")),
    ("evaluation_result", "rejected with a result", "reject", _put(*_MERGE, "strategy", value="reject")),
    ("evaluation_result", "rejected without a question", "checklist.strategy", _in_turn(_put(*_MERGE, "strategy", value="reject"), _drop(*_MERGE, "result_intent_id"))),
    ("evaluation_result", "another set", "checklist.lineage", _put("lineage", "derived_from_intent_set", value="intent_set_other_one")),
    ("evaluation_result", "an added question", "checksum", _put("requires_questions", value=[{"question_id": "question_0001", "condition": "c", "reason": "r", "options": [{"option_id": "option_0001", "label": "a"}, {"option_id": "option_0002", "label": "b"}]}])),
    ("evaluation_result", "an intent in two clusters", "checklist.clusters", _put("metadata", "clusters", value=[_IDS, _IDS])),
    ("evaluation_result", "an unknown intent in the risk front", "checklist.risk_front", _put("metadata", "risk_front", value=["intent_stranger"])),
    ("merge_plan", "no result", "reject", _drop("result_intent")),
    ("merge_plan", "nothing superseded", "RL-E2", _put("lineage", "supersedes", value=[])),
    ("merge_plan", "no origin", "RL-E2", _put("result_intent", "lineage", "derived_from", value=[])),
    ("merge_plan", "another lineage", "checklist.lineage", _put("lineage", "derived_from", value=[_IDS[0], "intent_stranger"])),
    ("merge_plan", "a missing source", "checklist.operations", _drop_operations_of_the_loser),
    ("merge_plan", "a shell key in a value", "RL-E1", _put("operations", 0, "value", value=[{"shell": "x"}])),
    ("merge_plan", "a changed operation", "checksum", _put("operations", 0, "evidence", value="because")),
    ("question_pack", "full_auto", "schema.enum", _put("policy_constraints", "execution_mode", value="full_auto")),
    ("question_pack", "no choice", "schema.minItems", _put("questions", 0, "options", value=[])),
    ("question_pack", "over budget", "checklist.budget", _put("policy_constraints", "budget_consumed", value=11)),
    ("question_pack", "a changed question", "checksum", _put("questions", 0, "question_text", value="Is it all right?")),
    ("answer_pack", "no answers", "schema.minItems", _put("answers", value=[])),
    ("answer_pack", "a checksum of 63 digits", "schema.pattern", _put("question_pack_checksum", value="0" * 63)),
)  # fmt: skip
