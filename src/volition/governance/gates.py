"""The gates A to J: what has to hold for a folder of documents and for the evaluator that made them.

Each gate is a small function that takes what it judges, evaluators included, and gives a verdict with reasons. Documents are
told apart by what they say they are, not by their names; `run_gates` brings a folder and an evaluator to all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import BrokenRecord, InvalidInput
from volition.core.manifest import MANIFEST
from volition.governance.checksums import sealed
from volition.governance.documents.schema import KINDS
from volition.governance.drafts import kind_of
from volition.governance.fixtures import Fixture, invalid_fixtures
from volition.governance.keeping import INPUTS, check_kept
from volition.governance.redlines import lineage_findings, static_findings
from volition.governance.reevaluation import Fresh, result_reasons, set_of
from volition.governance.supersession import restored
from volition.governance.validation import is_valid, validate
from volition.governance.watch import watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from volition.governance.samples import Sample

    Data = dict[str, Any]

TITLES: Final = {
    "A": "results are there, with unique ids and names of their own",
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
MERGED: Final = "merged_intent"
"""The name of the file that holds a merged intent."""
CONFLICT_KINDS: Final = ("resource_conflict", "effect_conflict", "order_conflict", "constraint_conflict")
DIMENSIONS: Final = ("effects_risk", "scope_risk", "blast_radius", "unknowns")


_INVALID = (InvalidInput, msgspec.ValidationError, KeyError, TypeError, ValueError)
"""What reading a broken document raises."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate says: it is passed where there is no reason against it."""

    gate: str
    reasons: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.reasons

    @property
    def title(self) -> str:
        return TITLES[self.gate]


@dataclass(frozen=True, slots=True)
class Folder:
    """The JSON files of a folder: their bytes, and by kind what they hold; `broken` says what manifests were not kept."""

    files: Mapping[str, bytes]
    documents: Mapping[str, Mapping[str, Data]]
    unknown: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Folder:
        """All `*.json` files below `path`, by their names relative to it, but for what evaluations keep of their inputs."""
        kept = {file.parent for file in path.rglob(MANIFEST)}
        files = {
            str(file.relative_to(path)): file.read_bytes()
            for file in sorted(path.rglob("*.json"))
            if not (file.name == MANIFEST or (file.parent.name == INPUTS and file.parent.parent in kept))
        }
        broken = (_not_kept(folder, path) for folder in sorted(kept))
        return replace(cls.of(files), broken=tuple(reason for reason in broken if reason))

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> Folder:
        documents: dict[str, dict[str, Data]] = {kind: {} for kind in KINDS}
        unknown = []
        for name, content in files.items():
            try:
                data = msgspec.json.decode(content)
                documents[kind_of(data)][name] = data
            except (InvalidInput, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                unknown.append(name)
        return cls(files, documents, tuple(unknown))


@dataclass(frozen=True, slots=True)
class Evaluator:
    """What the gates ask of an evaluator; every document is plain data."""

    evaluate: Callable[[Data, Mapping[str, Data], Path], Data]
    """(set, intents by id, output folder) -> the result, which it also writes there."""
    explain: Callable[[Data], str]
    replay: Callable[[Data, Mapping[str, Data]], Data]
    """(merge plan, intents by id) -> the intent that its operations make."""
    reevaluate: Callable[[Data, Mapping[str, Data], Sequence[Data]], Sequence[Fresh]]
    """(set, intents by id, answer packs) -> all that the set can come to with these answers."""


def _not_kept(folder: Path, path: Path) -> str:
    """Why an evaluation is not as it was written; nothing where it is."""
    try:
        check_kept(folder)
    except BrokenRecord as error:
        return f"{folder.relative_to(path)}: {error.problems[0].what}"
    return ""


def gate_a(results: Mapping[str, Data], least: int = 1) -> Verdict:
    reasons = [] if len(results) >= least else [f"{len(results)} results, at least {least} are expected"]
    ids = [str(result.get("id")) for result in results.values()]
    reasons += [f"{name} stands twice" for name in sorted({name for name in ids if ids.count(name) > 1})]
    for name, result in results.items():
        stem = Path(name).stem
        if stem != "result" and stem != result.get("id"):
            reasons.append(f"{name}: a result is called result.json or by its id, {result.get('id')}")
    return Verdict("A", tuple(reasons))


def gate_b(folder: Folder) -> Verdict:
    reasons = [*folder.broken, *(f"{name}: no document of governance" for name in folder.unknown)]
    for kind, documents in folder.documents.items():
        for name in documents:
            found = validate(kind, folder.files[name])
            reasons += [f"{name}: {f.path}: {f.code}: {f.what}" for f in found if not f.warning]
    return Verdict("B", tuple(reasons))


def gate_c(fixtures: Sequence[Fixture]) -> Verdict:
    reasons = [] if fixtures else ["there are no invalid fixtures"]
    for fixture in fixtures:
        found = validate(fixture.kind, fixture.content)
        codes = sorted({finding.code for finding in found if not finding.warning})
        if is_valid(found):
            reasons.append(f"{fixture.name}: accepted, although it breaks {fixture.code}")
        elif codes != [fixture.code]:
            reasons.append(f"{fixture.name}: rejected for {', '.join(codes)} instead of {fixture.code} alone")
    return Verdict("C", tuple(reasons))


def gate_d(files: Mapping[str, bytes]) -> Verdict:
    found = ((name, finding) for name, content in files.items() for finding in static_findings(content))
    return Verdict("D", tuple(f"{name}: {finding.path}: {finding.what}" for name, finding in found))


def gate_e(act: Callable[[Path], object], out: Path) -> Verdict:
    """`act` is given the output folder; whatever it opens for writing, removes or starts is watched."""
    with watched() as deeds:
        act(out)
    home = out.resolve()
    return Verdict("E", tuple(f"{deed}: {path}" for deed, path in deeds if not (path and _inside(path, home))))


def gate_f(results: Mapping[str, Data], explain: Callable[[Data], str], snapshots: Mapping[str, str]) -> Verdict:
    """`snapshots` holds, by the name of a result, the text that it is to have."""
    reasons = []
    for name, result in results.items():
        try:
            text = explain(msgspec.json.decode(msgspec.json.encode(result)))
        except _INVALID as error:
            reasons.append(f"{name}: it cannot be explained: {_line(error)}")
            continue
        if explain(dict(reversed(result.items()))) != text:
            reasons.append(f"{name}: two explanations of one result differ")
        if name in snapshots and snapshots[name] != text:
            reasons.append(f"{name}: the explanation is not the one that was kept")
    return Verdict("F", tuple(reasons))


def gate_g(results: Iterable[Data]) -> Verdict:
    found = {conflict["type"] for result in results for conflict in result["evaluation"]["conflicts"]}
    return Verdict("G", tuple(f"no {kind} was detected" for kind in CONFLICT_KINDS if kind not in found))


def gate_h(
    plans: Mapping[str, Data], intents: Mapping[str, Data], replay: Callable[[Data, Mapping[str, Data]], Data]
) -> Verdict:
    reasons = []
    for name, plan in plans.items():
        if "result_intent" not in plan:
            continue
        if missing := [source for source in plan["source_intent_ids"] if source not in intents]:
            reasons.append(f"{name}: {', '.join(missing)} is not there, so nothing can be replayed")
        elif reason := _replayed(plan, intents, replay):
            reasons.append(f"{name}: {reason}")
    return Verdict("H", tuple(reasons))


def _replayed(plan: Data, intents: Mapping[str, Data], replay: Callable[[Data, Mapping[str, Data]], Data]) -> str:
    """Why the operations of a plan do not give its result intent; nothing where they do."""
    try:
        made = sealed("intent", replay(plan, intents))
    except _INVALID as error:
        return f"it cannot be replayed: {_line(error)}"
    return "" if made == plan["result_intent"] else "the operations do not give the result intent"


def gate_i(pairs: Iterable[tuple[Data, Data]]) -> Verdict:
    """`pairs` are results of one set each, from different runs and orders of the intents."""
    reasons = []
    for first, second in pairs:
        name = first["id"]
        rows = [result["evaluation"]["risk_comparison"] for result in (first, second)]
        if rows[0] != rows[1]:
            reasons.append(f"{name}: the risks of two runs differ")
        for row in rows[0]["matrix"]:
            for dimension in DIMENSIONS:
                value = row["dimensions"][dimension]
                if not 0 <= value <= 100:
                    reasons.append(f"{name}: {row['intent_id']}: {dimension} is {value}")
    return Verdict("I", tuple(reasons))


def gate_j(results: Mapping[str, Data], plans: Mapping[str, Data], merged: Mapping[str, Data]) -> Verdict:
    """`merged` holds the merged intents by id; those in the plans count too."""
    reasons = []
    made = [plan["result_intent"] for plan in plans.values() if "result_intent" in plan]
    known = {**merged, **{intent["id"]: intent for intent in made}}
    for name, result in results.items():
        plan = result["evaluation"]["merge_plan"]
        if "result_intent_id" not in plan:
            continue
        intent = known.get(plan["result_intent_id"])
        if intent is None:
            reasons.append(f"{name}: the merged intent {plan['result_intent_id']} is not there")
        else:
            found = lineage_findings(intent["lineage"], plan["strategy"])
            reasons += [f"{name}: {intent['id']}: {finding.path}: {finding.what}" for finding in found]
    for name, plan in plans.items():
        if "result_intent" in plan:
            found = lineage_findings(plan["result_intent"]["lineage"], plan["strategy"], "$.result_intent.lineage")
            reasons += [f"{name}: {finding.path}: {finding.what}" for finding in found]
    return Verdict("J", tuple(dict.fromkeys(reasons)))


def run_gates(path: Path, evaluator: Evaluator, out: Path, shown: Iterable[Sample] = ()) -> list[Verdict]:
    """All gates on the documents below `path`; every set there is evaluated twice, into the empty folder `out`.

    `shown` are sets that show every kind of conflict, for the gate that wants to see all of them.
    """
    folder = Folder.read(path)
    results, plans = folder.documents["evaluation_result"], folder.documents["merge_plan"]
    versions = _versions(folder.documents["intent"])
    others = {
        "merge_plan": plans,
        "question_pack": folder.documents["question_pack"],
        "merged_intent": {n: data for n, data in folder.documents["intent"].items() if Path(n).stem == MERGED},
    }
    merged = {str(intent.get("id")): intent for intent in others["merged_intent"].values()}
    answers = list(folder.documents["answer_pack"].values())
    outcomes: list[Fresh] = []
    fresh: list[tuple[Data, Data]] = []
    detected: list[Data] = []
    unread: list[str] = []

    def evaluate_all(out: Path) -> None:
        for number, (name, data) in enumerate(folder.documents["intent_set"].items()):
            try:
                turned = {**data, "intent_ids": list(reversed(data["intent_ids"]))}
                intents = _evaluated(versions, [r for r in results.values() if set_of(r) == data["id"]])
                first = evaluator.evaluate(data, intents, out / f"{number}")
                fresh.append((first, evaluator.evaluate(turned, intents, out / f"{number}_turned")))
                outcomes.extend(evaluator.reevaluate(data, intents, answers))
            except _INVALID as error:
                unread.append(f"{name}: it cannot be evaluated: {_line(error)}")

        for number, (data, members) in enumerate(shown):
            detected.append(evaluator.evaluate(data, members, out / f"shown_{number}"))

    def replayed(name: str) -> Verdict:
        mine = f"eval_result_{str(plans[name].get('id')).removeprefix('merge_plan_')}"
        intents = _evaluated(versions, [result for result in results.values() if result.get("id") == mine])
        return gate_h({name: plans[name]}, intents, evaluator.replay)

    snapshots = {
        name: text.read_text("utf-8") for name in results if (text := (path / name).with_suffix(".txt")).is_file()
    }
    isolation = gate_e(evaluate_all, out)
    return [
        gate_a(results),
        gate_b(folder),
        gate_c(invalid_fixtures()),
        gate_d(folder.files),
        isolation,
        gate_f(results, evaluator.explain, snapshots),
        gate_g([*(first for first, _ in fresh), *detected]),
        _guarded("H", lambda: Verdict("H", tuple(reason for name in plans for reason in replayed(name).reasons))),
        Verdict("I", (*unread, *gate_i(fresh).reasons, *result_reasons(results, others, outcomes))),
        _guarded("J", lambda: gate_j(results, plans, {**_evaluated(versions, ()), **merged})),
    ]


def _guarded(gate: str, judge: Callable[[], Verdict]) -> Verdict:
    """What a gate says, also of documents that lack what it looks at."""
    try:
        return judge()
    except _INVALID as error:
        return Verdict(gate, (f"a document is too broken to be judged: {_line(error)}",))


def _versions(intents: Mapping[str, Data]) -> dict[str, dict[str, Data]]:
    """Id -> checksum -> the intent as it was evaluated, one that was written by hand before one that was merged.

    A winner keeps its id, so a merged intent is told from its source by the name under which it was written.
    """
    found: dict[str, dict[str, Data]] = {}
    for _, data in sorted(intents.items(), key=lambda item: Path(item[0]).stem == MERGED):
        was = restored(data)
        audit = was.get("audit")
        checksum = audit.get("checksum") if isinstance(audit, dict) else None
        found.setdefault(str(was.get("id")), {}).setdefault(str(checksum), was)
    return found


def _evaluated(versions: Mapping[str, Mapping[str, Data]], results: Iterable[Data]) -> dict[str, Data]:
    """The intents by id, each in the version that one of the results names, or else in the first."""
    inputs = [given for result in results if isinstance(given := result.get("input"), dict)]
    named = [sums for given in inputs if isinstance(sums := given.get("intent_checksums"), dict)]
    return {
        id: next((of[sums[id]] for sums in named if str(sums.get(id)) in of), next(iter(of.values())))
        for id, of in versions.items()
    }


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _inside(path: str, home: Path) -> bool:
    return Path(path).resolve().is_relative_to(home)
