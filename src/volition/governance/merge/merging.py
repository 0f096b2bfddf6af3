"""Merging: how several intents become one, step by step, with the source of everything.

Intents that are kept are united: commands, workflows, agents and evidence without duplicates, budgets summed, the highest risk,
the strictest mode, the union of locks. Losers are superseded: their commands and agents are dropped, their evidence and
reviews stay. An intent that is left out contributes nothing. The inputs are never altered.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from volition.core.typed import convert
from volition.governance.claims.footprint import resource_in
from volition.governance.conflicts.constraint import BUDGETS, total_of
from volition.governance.documents.checksums import intent_checksum
from volition.governance.documents.intent import (
    LEVELS,
    UNSEALED,
    Audit,
    Budgets,
    CommandLink,
    Constraints,
    IntentDocument,
    IntentMetadata,
    Interaction,
    Lineage,
    LockScope,
    Objective,
    Risk,
    Scope,
    Targets,
    commands_with_sources,
    parts_of_merge,
)
from volition.governance.documents.result import Operation, PlanOperation
from volition.governance.paths.names import MODULE, clean_path, module_name
from volition.governance.paths.patterns import WHOLE_PROJECT
from volition.governance.settlement.priority import STATUSES, reason
from volition.governance.wording import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from volition.governance.documents.intent import LockMode, Mode
    from volition.governance.documents.result import MergePlan, OperationName

MODES: Final[tuple[Mode, ...]] = ("full_auto", "semi_auto", "interactive")
LOCKS: Final[tuple[LockMode, ...]] = ("none", "task", "files")
ASKING: Final = ("never", "blockers_only", "conceptual_only")
LINEAGE: Final = 20
"""How many intents a lineage can name."""


class Roles(Struct, frozen=True):
    """The roles in a merge: kept in the order of the work, superseded with the reason, or left out.

    `cap` is the limit of the budgets, if a person chose to cap them.
    """

    kept: tuple[IntentDocument, ...]
    winners: tuple[IntentDocument, ...] = ()
    losers: tuple[tuple[IntentDocument, IntentDocument | None, str], ...] = ()
    left_out: tuple[IntentDocument, ...] = ()
    cap: Mapping[str, float] | None = None

    @property
    def superseded(self) -> tuple[str, ...]:
        return tuple(sorted(loser.id for loser, _, _ in self.losers))


def merged_id(roles: Roles) -> str:
    """The id of the merged intent: derived from all that is merged."""
    sources = [*(intent.audit.checksum for intent in roles.kept), "|", *roles.superseded]
    return f"intent_merged_{sha256(' '.join(sources).encode()).hexdigest()[:24]}"


def merge_plans(roles: Roles, moment: str, order: Sequence[CommandLink]) -> IntentDocument:
    """The merged intent, sealed; `order` is that of its commands."""
    kept = roles.kept
    lead = roles.winners[0] if len(roles.winners) == 1 else None
    everybody = sorted([*kept, *(loser for loser, _, _ in roles.losers)], key=lambda intent: intent.id)
    intent = IntentDocument(
        id=merged_id(roles),
        type="execution_intent",
        title=lead.title if lead and len(kept) == 1 else shorten("Merged: " + " + ".join(i.title for i in kept), 160),
        version=max((i.version for i in kept), key=lambda version: [int(part) for part in version.split(".")]),
        status=min((i.status for i in kept), key=STATUSES.index),
        created_at=moment,
        lineage=_merge_lineage(roles),
        scope=_merge_scope(kept),
        objective=Objective(
            goal=shorten("; ".join(_distinct(i.objective.goal for i in kept)), 2000),
            success_criteria=pack_texts((c for i in kept for c in i.objective.success_criteria), 20, 300),
            non_goals=pack_texts((c for i in kept for c in i.objective.non_goals), 20, 300),
        ),
        selected_workflows=tuple(_distinct(w for i in kept for w in i.selected_workflows)),
        selected_agents=tuple(_distinct(a for i in kept for a in i.selected_agents)),
        planned_commands=commands_with_sources(kept),
        interaction=_merge_interaction(kept),
        risk=Risk(
            overall=max((i.risk.overall for i in kept), key=LEVELS.index),
            drivers=pack_texts((d for i in kept for d in i.risk.drivers), 20, 200),
            requires_review=tuple(sorted({review for i in everybody for review in i.risk.requires_review})),
        ),
        budgets=_merge_budgets(roles),
        evidence_refs=tuple(_distinct(ref for i in everybody for ref in i.evidence_refs)),
        constraints=Constraints(
            execution="forbidden", no_fabrication=True, registry_only=True, lock_scope=_merge_locks(kept)
        ),
        audit=Audit(
            created_by=lead.audit.created_by if lead else "volition",
            source=lead.audit.source if lead else "imported",
            checksum=UNSEALED,
        ),
        description=lead.description if lead and len(kept) == 1 else None,
        metadata=_merge_metadata(kept, lead, {i.id for i in everybody}, order),
    )
    return replace(intent, audit=replace(intent.audit, checksum=intent_checksum(intent)))


def _merge_lineage(roles: Roles) -> Lineage:
    """The lineage of the merged intent; its sources keep theirs in their own documents."""
    derived, supersedes = sorted(i.id for i in roles.kept), list(roles.superseded)
    return Lineage(introduced_in="0.9.3", derived_from=tuple(derived[:LINEAGE]), supersedes=tuple(supersedes[:LINEAGE]))


def _merge_scope(kept: Sequence[IntentDocument]) -> Scope:
    first = min(kept, key=lambda intent: intent.id).scope
    scopes = [i.scope for i in kept]
    files = {clean_path(path, scope.repo_root) for scope in scopes for path in scope.targets.files}
    modules = {module_name(name, scope.repo_root) for scope in scopes for name in scope.targets.modules}
    reads, removes = (
        {resource_in(name, scope.repo_root) for scope in scopes for name in getattr(scope.targets, field)}
        for field in ("reads", "removes")
    )
    renames = {
        resource_in(old, scope.repo_root): resource_in(new, scope.repo_root)
        for scope in scopes
        for old, new in scope.targets.renames.items()
    }
    # Names are from the project's root, so the root of the merged plan is that one.
    return Scope(
        project_id=first.project_id,
        repo_root=WHOLE_PROJECT,
        targets=Targets(
            files=tuple(sorted(files)),
            modules=tuple(sorted(name.removeprefix(MODULE) for name in modules)),
            areas=tuple(sorted({area for scope in scopes for area in scope.targets.areas})),
            reads=tuple(sorted(reads)),
            removes=tuple(sorted(removes)),
            renames=dict(sorted(renames.items())),
        ),
    )


def _merge_interaction(kept: Sequence[IntentDocument]) -> Interaction:
    asking = min((i.interaction.question_policy for i in kept), key=ASKING.index)
    return Interaction(
        mode=max((i.interaction.mode for i in kept), key=MODES.index),
        question_budget=0 if asking == "never" else min(i.interaction.question_budget for i in kept),
        question_policy=asking,
    )


def _merge_budgets(roles: Roles) -> Budgets:
    sums: dict[str, Any] = {name: total_of(roles.kept, name) for name in BUDGETS}
    if roles.cap is not None:
        sums = {name: min(value, roles.cap[name]) for name, value in sums.items()}
    cost = sums["max_cost_usd"]
    return Budgets(**{**sums, "max_cost_usd": int(cost) if cost == int(cost) else cost})


def _merge_locks(kept: Sequence[IntentDocument]) -> LockScope:
    mode = max((i.constraints.lock_scope.mode for i in kept), key=LOCKS.index)
    paths = {
        clean_path(path, i.scope.repo_root)
        for i in kept
        if i.constraints.lock_scope.mode == "files"
        for path in i.constraints.lock_scope.paths
    }
    return LockScope(mode=mode, paths=tuple(sorted(paths)))


def _merge_metadata(
    kept: Sequence[IntentDocument], lead: IntentDocument | None, inside: set[str], order: Sequence[CommandLink]
) -> IntentMetadata:
    """The winner's priority, what the merged intent still waits for outside the set, its parts and their order."""
    priority = lead.metadata.priority if lead and lead.metadata else None
    waits = sorted({name for i in kept if i.metadata for name in i.metadata.depends_on} - inside)[:LINEAGE]
    return IntentMetadata(priority=priority, depends_on=tuple(waits), parts=parts_of_merge(kept), order=tuple(order))


class MergeSteps(list[Operation]):
    """The steps of a merge, numbered."""

    def add(self, operation: OperationName, source: str, evidence: str, field: str | None = None) -> None:
        self.append(Operation(f"op_{len(self) + 1:04d}", operation, source, evidence, field))


def steps(roles: Roles, waiting: Mapping[str, str]) -> MergeSteps:
    """The steps of a merge in the order of the work; `waiting` says what an intent waits for, if for anything."""
    merge_steps = MergeSteps()
    for winner in roles.winners:
        merge_steps.add("keep_field", winner.id, f"{winner.id} is kept as it stands", "planned_commands")
    for loser, winner_of, key in roles.losers:
        why = reason(winner_of, loser, key) if winner_of else f"{loser.id} is dropped: a person chose so"
        merge_steps.add("override_field", loser.id, shorten(why, 500), "planned_commands")
        merge_steps.add("union_evidence", loser.id, "evidence and reviews of a superseded intent stay", "evidence_refs")
    for intent in roles.kept:
        count = len(intent.planned_commands)
        text = f"{count} command{'' if count == 1 else 's'} of {intent.id}{waiting.get(intent.id, '')}"
        merge_steps.add("union_commands", intent.id, shorten(text, 500), "planned_commands")
        merge_steps.add("union_workflows", intent.id, "workflows that are not there yet", "selected_workflows")
        merge_steps.add("union_agents", intent.id, "agents that are not there yet", "selected_agents")
        merge_steps.add("union_evidence", intent.id, "evidence that is not there yet", "evidence_refs")
    for intent in roles.left_out:
        merge_steps.add("reject", intent.id, f"{intent.id} is left out: a person chose so", "planned_commands")
    sums = ", ".join(f"{name} {total_of(roles.kept, name):g}" for name in BUDGETS)
    cap = "; capped at the limits: a person chose so" if roles.cap else ", within the limits"
    total = f"summed over {len(roles.kept)}: {sums}{cap}"
    merge_steps.add("merge_budgets", roles.kept[0].id, total, "budgets")
    riskiest = max(roles.kept, key=lambda intent: LEVELS.index(intent.risk.overall))
    merge_steps.add("aggregate_risk", riskiest.id, f"the highest risk is {riskiest.risk.overall}", "risk.overall")
    return merge_steps


def plan_operations(
    steps: Iterable[Operation], roles: Roles | None, order: Mapping[str, Any]
) -> Iterator[PlanOperation]:
    """The steps with what a plan says beyond them: the order of the commands, the cap of the budgets, the deciding key."""
    keys = {loser.id: key for loser, _, key in roles.losers} if roles else {}
    cap = dict(roles.cap) if roles and roles.cap else None
    for step in steps:
        source = step.source_intent_id
        value = {"union_commands": order.get(source), "merge_budgets": cap}.get(step.operation)
        decided = f"decided by {keys[source]}" if step.operation == "override_field" else None
        yield PlanOperation(**asdict(step), value=value, conflict_resolution=decided)


def replay_merge(plan: MergePlan, intents: Mapping[str, IntentDocument]) -> IntentDocument:
    """The intent that the operations of a plan make from its sources: the plan's result intent."""
    by_operation: dict[str, list[str]] = {}
    cap, order = None, list[CommandLink]()
    for step in plan.operations:
        by_operation.setdefault(step.operation, []).append(step.source_intent_id)
        cap = step.value if step.operation == "merge_budgets" else cap
        if step.operation == "union_commands" and step.value is not None:
            order += convert(step.value, list[CommandLink])
    named = {name: [intents[source] for source in sources] for name, sources in by_operation.items()}
    roles = Roles(
        kept=tuple(named.get("union_commands", ())),
        winners=tuple(named.get("keep_field", ())),
        losers=tuple((loser, None, "replay") for loser in named.get("override_field", ())),
        left_out=tuple(named.get("reject", ())),
        cap=cap,
    )
    return merge_plans(roles, plan.created_at, sorted(order, key=lambda link: (link.before, link.after)))


def pack_texts(texts: Iterable[str], most: int, size: int) -> tuple[str, ...]:
    """The distinct texts in at most `most` items of at most `size` characters, joined if there are too many.

    >>> pack_texts(["one", "two", "one", "three"], 2, 10)
    ('one; two', 'three')
    """
    distinct = _distinct(texts)
    if len(distinct) <= most:
        return tuple(distinct)
    places = [distinct[0]]
    for text in distinct[1:]:
        if len(places[-1]) + 2 + len(text) <= size:
            places[-1] += f"; {text}"
        elif len(places) < most:
            places.append(text)
        else:
            places[-1] = shorten(places[-1] + "; ... and more", size)
            break
    return tuple(places)


def _distinct(items: Iterable[Any]) -> list[Any]:
    """The items without duplicates, in the order of their first occurrence."""
    return list(dict.fromkeys(items))
