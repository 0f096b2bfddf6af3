"""The gates A to J: what has to hold for a folder of documents and for the evaluator that made them.

Each gate is a small function that takes what it judges, evaluators included, and gives a verdict with reasons;
`gatekeeper` brings a folder to all of them.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import InvalidInput
from volition.governance.documents.checksums import seal
from volition.governance.documents.redlines import lineage_findings, static_findings
from volition.governance.documents.result import CONFLICT_KINDS, Dimensions
from volition.governance.documents.validation import is_valid, validate
from volition.governance.gates.watch import watch_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from volition.governance.gates.fixtures import Fixture
    from volition.governance.gates.folder import DocumentFolder

    Data = dict[str, Any]

TITLES: Final = {
    "A": "there are results, with unique ids, in files named result.json or by id",
    "B": "every document is valid",
    "C": "every invalid fixture is rejected for its own reason",
    "D": "no file holds anything to execute",
    "E": "evaluating touches nothing outside its output folder",
    "F": "explanations are stable",
    "G": "all four kinds of conflicts are detected",
    "H": "replaying a plan's operations gives its result intent",
    "I": "evaluating again gives every stored document, and risks between 0 and 100",
    "J": "every merged intent has its lineage",
}
INVALID: Final = (InvalidInput, msgspec.ValidationError, KeyError, TypeError, ValueError)
"""What reading a broken document raises."""


class GateVerdict(msgspec.Struct, frozen=True):
    """The verdict of a gate: it passes if there is no reason against it."""

    gate: str
    reasons: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.reasons

    @property
    def title(self) -> str:
        return TITLES[self.gate]


def gate_a(results: Mapping[str, Data], least: int = 1) -> GateVerdict:
    reasons = [] if len(results) >= least else [f"{len(results)} results, at least {least} are expected"]
    ids = [str(result.get("id")) for result in results.values()]
    reasons += [f"{name} is duplicated" for name in sorted({name for name in ids if ids.count(name) > 1})]
    for name, result in results.items():
        stem = Path(name).stem
        if stem != "result" and stem != result.get("id"):
            reasons.append(f"{name}: a result is called result.json or by its id, {result.get('id')}")
    return GateVerdict("A", tuple(reasons))


def gate_b(folder: DocumentFolder) -> GateVerdict:
    reasons = [*folder.broken, *(f"{name}: not a governance document" for name in folder.unknown)]
    for kind, documents in folder.documents.items():
        for name in documents:
            findings = validate(kind, folder.files[name])
            reasons += [f"{name}: {f.path}: {f.code}: {f.what}" for f in findings if not f.warning]
    return GateVerdict("B", tuple(reasons))


def gate_c(fixtures: Sequence[Fixture]) -> GateVerdict:
    reasons = [] if fixtures else ["there are no invalid fixtures"]
    for fixture in fixtures:
        findings = validate(fixture.kind, fixture.content)
        codes = sorted({finding.code for finding in findings if not finding.warning})
        if is_valid(findings):
            reasons.append(f"{fixture.name}: accepted, although it breaks {fixture.code}")
        elif codes != [fixture.code]:
            reasons.append(f"{fixture.name}: rejected for {', '.join(codes)} instead of {fixture.code} alone")
    return GateVerdict("C", tuple(reasons))


def gate_d(files: Mapping[str, bytes]) -> GateVerdict:
    findings = ((name, finding) for name, content in files.items() for finding in static_findings(content))
    return GateVerdict("D", tuple(f"{name}: {finding.path}: {finding.what}" for name, finding in findings))


def gate_e(function: str, out: Path, *arguments: str) -> GateVerdict:
    """`function`, written as MODULE:NAME, is called with the output folder and the arguments in a separate process.

    Whatever it opens for writing, removes or starts outside that folder is a reason against it.
    """
    try:
        deeds = watch_call(function, str(out), *arguments)
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no message"])[-1]
        return GateVerdict("E", (f"the evaluation failed while it was watched: {last}",))
    home = out.resolve()
    outside = [(deed, path) for deed, path in deeds if not (path and Path(path).resolve().is_relative_to(home))]
    return GateVerdict("E", tuple(f"{deed}: {path}" for deed, path in outside))


def gate_f(results: Mapping[str, Data], explain: Callable[[Data], str], snapshots: Mapping[str, str]) -> GateVerdict:
    """`snapshots` holds the expected text of each result, by name."""
    reasons = []
    for name, result in results.items():
        try:
            text = explain(msgspec.json.decode(msgspec.json.encode(result)))
        except INVALID as error:
            reasons.append(f"{name}: it cannot be explained: {error_line(error)}")
            continue
        if explain(dict(reversed(result.items()))) != text:
            reasons.append(f"{name}: two explanations of one result differ")
        if name in snapshots and snapshots[name] != text:
            reasons.append(f"{name}: the explanation is not the one that was kept")
    return GateVerdict("F", tuple(reasons))


def gate_g(results: Iterable[Data]) -> GateVerdict:
    detected = {conflict["type"] for result in results for conflict in result["evaluation"]["conflicts"]}
    return GateVerdict("G", tuple(f"no {kind} was detected" for kind in CONFLICT_KINDS if kind not in detected))


def gate_h(
    plans: Mapping[str, Data], intents: Mapping[str, Data], replay: Callable[[Data, Mapping[str, Data]], Data]
) -> GateVerdict:
    reasons = []
    for name, plan in plans.items():
        if "result_intent" not in plan:
            continue
        if missing := [source for source in plan["source_intent_ids"] if source not in intents]:
            reasons.append(f"{name}: {', '.join(missing)} is not there, so nothing can be replayed")
        elif reason := _replay_fault(plan, intents, replay):
            reasons.append(f"{name}: {reason}")
    return GateVerdict("H", tuple(reasons))


def _replay_fault(plan: Data, intents: Mapping[str, Data], replay: Callable[[Data, Mapping[str, Data]], Data]) -> str:
    """Why the operations of a plan do not give its result intent; empty if they do."""
    try:
        replayed = seal("intent", replay(plan, intents))
    except INVALID as error:
        return f"it cannot be replayed: {error_line(error)}"
    return "" if replayed == plan["result_intent"] else "the operations do not give the result intent"


def gate_i(pairs: Iterable[tuple[Data, Data]]) -> GateVerdict:
    """`pairs` are results of one set each, from different runs and orders of the intents."""
    reasons = []
    for first, second in pairs:
        name = first["id"]
        rows = [result["evaluation"]["risk_comparison"] for result in (first, second)]
        if rows[0] != rows[1]:
            reasons.append(f"{name}: the risks of two runs differ")
        for row in rows[0]["matrix"]:
            for dimension in Dimensions.__struct_fields__:
                value = row["dimensions"][dimension]
                if not 0 <= value <= 100:
                    reasons.append(f"{name}: {row['intent_id']}: {dimension} is {value}")
    return GateVerdict("I", tuple(reasons))


def gate_j(results: Mapping[str, Data], plans: Mapping[str, Data], merged: Mapping[str, Data]) -> GateVerdict:
    """`merged` holds the merged intents by id; those in the plans count too."""
    reasons = []
    in_plans = [plan["result_intent"] for plan in plans.values() if "result_intent" in plan]
    known = {**merged, **{intent["id"]: intent for intent in in_plans}}
    for name, result in results.items():
        plan = result["evaluation"]["merge_plan"]
        if "result_intent_id" not in plan:
            continue
        intent = known.get(plan["result_intent_id"])
        if intent is None:
            reasons.append(f"{name}: the merged intent {plan['result_intent_id']} is not there")
        else:
            findings = lineage_findings(intent["lineage"], plan["strategy"])
            reasons += [f"{name}: {intent['id']}: {finding.path}: {finding.what}" for finding in findings]
    for name, plan in plans.items():
        if "result_intent" in plan:
            findings = lineage_findings(plan["result_intent"]["lineage"], plan["strategy"], "$.result_intent.lineage")
            reasons += [f"{name}: {finding.path}: {finding.what}" for finding in findings]
    return GateVerdict("J", tuple(dict.fromkeys(reasons)))


def error_line(error: Exception) -> str:
    """The first line of an error, with its type."""
    return f"{type(error).__name__}: {error}".splitlines()[0]
