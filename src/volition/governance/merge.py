"""Merging: how several intents become one, step by step, with where everything comes from.

Who is kept is united: commands, workflows, agents and evidence without duplicates, budgets summed, the highest risk,
the strictest mode, the union of locks. Who lost is superseded: its commands and agents are dropped, its evidence and
reviews stay. Who is left out contributes nothing. The inputs are never altered.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import convert
from msgspec.structs import replace

from volition.governance.checksums import intent_checksum
from volition.governance.conflicts.constraint import BUDGETS, total_of
from volition.governance.conflicts.finding import LEVELS
from volition.governance.documents import (
    Audit,
    Budgets,
    Constraints,
    Intent,
    IntentMetadata,
    Interaction,
    Lineage,
    Link,
    LockScope,
    Objective,
    Risk,
    Scope,
    Targets,
)
from volition.governance.parts import parts, sourced
from volition.governance.priority import STATUSES, reason
from volition.governance.resources import clean_path, module_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from volition.governance.conflicts.order import Needs
    from volition.governance.documents import MergePlan
    from volition.governance.documents.intent import LockMode, Mode
    from volition.governance.documents.result import OperationName

MODES: Final[tuple[Mode, ...]] = ("full_auto", "semi_auto", "interactive")
LOCKS: Final[tuple[LockMode, ...]] = ("none", "task", "files")
ASKING: Final = ("never", "blockers_only", "conceptual_only")
LINEAGE: Final = 20
"""How many intents a lineage can name."""


class Step(NamedTuple):
    """One step of a merge."""

    operation: OperationName
    source: str
    evidence: str
    field: str | None = None
    resolution: str | None = None
    value: dict[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Roles:
    """Who is what in a merge: kept in the order of their work, superseded with the reason, or left out.

    `cap` is what the budgets may not exceed, where a person chose that.
    """

    kept: tuple[Intent, ...]
    winners: tuple[Intent, ...] = ()
    losers: tuple[tuple[Intent, Intent | None, str], ...] = ()
    left_out: tuple[Intent, ...] = ()
    cap: Mapping[str, float] | None = None

    @property
    def superseded(self) -> tuple[str, ...]:
        return tuple(sorted(loser.id for loser, _, _ in self.losers))


def in_order(kept: Sequence[int], needs: Needs) -> list[int]:
    """The numbers so that each comes after all that it needs; among those that may come next, the smallest.

    Where a circle is left, because a person chose to merge it, its smallest goes first.
    """
    inside = set(kept)
    before: dict[int, set[int]] = {number: set(needs.declared[number]) & inside for number in kept}
    for blocks in needs.blocks.values():
        for makers, takers in blocks:
            for taker in inside.intersection(takers):
                before[taker] |= inside.intersection(makers) - {taker}
    ordered: list[int] = []
    while before:
        free = min((number for number, waits in before.items() if not waits), default=min(before))
        del before[free]
        ordered.append(free)
        for waits in before.values():
            waits.discard(free)
    return ordered


def merged_id(roles: Roles) -> str:
    """The id of the merged intent: that of the one winner, or one that follows from all that is merged."""
    if len(roles.winners) == 1:
        return roles.winners[0].id
    said = [*(intent.audit.checksum for intent in roles.kept), "|", *roles.superseded]
    return f"intent_merged_{sha256(' '.join(said).encode()).hexdigest()[:24]}"


def merged(roles: Roles, moment: str, order: Sequence[Link]) -> Intent:
    """The merged intent, sealed; `order` is that of its commands."""
    kept = roles.kept
    lead = roles.winners[0] if len(roles.winners) == 1 else None
    everybody = sorted([*kept, *(loser for loser, _, _ in roles.losers)], key=lambda intent: intent.id)
    intent = Intent(
        id=merged_id(roles),
        type="execution_intent",
        title=lead.title if lead and len(kept) == 1 else _cut("Merged: " + " + ".join(i.title for i in kept), 160),
        version=max((i.version for i in kept), key=lambda version: [int(part) for part in version.split(".")]),
        status=min((i.status for i in kept), key=STATUSES.index),
        created_at=moment,
        lineage=_lineage(roles, lead),
        scope=_scope(kept),
        objective=Objective(
            goal=_cut("; ".join(_each(i.objective.goal for i in kept)), 2000),
            success_criteria=packed((c for i in kept for c in i.objective.success_criteria), 20, 300),
            non_goals=packed((c for i in kept for c in i.objective.non_goals), 20, 300),
        ),
        selected_workflows=tuple(_each(w for i in kept for w in i.selected_workflows)),
        selected_agents=tuple(_each(a for i in kept for a in i.selected_agents)),
        planned_commands=sourced(kept),
        interaction=_interaction(kept),
        risk=Risk(
            overall=max((i.risk.overall for i in kept), key=LEVELS.index),
            drivers=packed((d for i in kept for d in i.risk.drivers), 20, 200),
            requires_review=tuple(sorted({review for i in everybody for review in i.risk.requires_review})),
        ),
        budgets=_budgets(roles),
        evidence_refs=tuple(_each(ref for i in everybody for ref in i.evidence_refs)),
        constraints=Constraints(
            execution="forbidden", no_fabrication=True, registry_only=True, lock_scope=_lock_scope(kept)
        ),
        audit=Audit(
            created_by=lead.audit.created_by if lead else "volition",
            source=lead.audit.source if lead else "imported",
            checksum="0" * 64,
        ),
        description=lead.description if lead and len(kept) == 1 else None,
        metadata=_metadata(kept, lead, {i.id for i in everybody}, order),
    )
    return replace(intent, audit=replace(intent.audit, checksum=intent_checksum(intent)))


def _lineage(roles: Roles, lead: Intent | None) -> Lineage:
    """Whence the merged intent comes; one that keeps the winner's id keeps the winner's earlier lineage too."""
    derived, supersedes = sorted(i.id for i in roles.kept), list(roles.superseded)
    if lead:
        derived += [name for name in lead.lineage.derived_from if name not in {*derived, *supersedes}]
        supersedes += [name for name in lead.lineage.supersedes if name not in {*derived, *supersedes}]
    return Lineage(introduced_in="0.9.3", derived_from=tuple(derived[:LINEAGE]), supersedes=tuple(supersedes[:LINEAGE]))


def _scope(kept: Sequence[Intent]) -> Scope:
    first = min(kept, key=lambda intent: intent.id).scope
    files = {clean_path(path, i.scope.repo_root): None for i in kept for path in i.scope.targets.files}
    modules = {module_name(name): name for i in kept for name in i.scope.targets.modules}
    return Scope(
        project_id=first.project_id,
        repo_root=first.repo_root,
        targets=Targets(
            files=tuple(sorted(files)),
            modules=tuple(sorted(modules.values())),
            areas=tuple(sorted({area for i in kept for area in i.scope.targets.areas})),
        ),
    )


def _interaction(kept: Sequence[Intent]) -> Interaction:
    asking = min((i.interaction.question_policy for i in kept), key=ASKING.index)
    return Interaction(
        mode=max((i.interaction.mode for i in kept), key=MODES.index),
        question_budget=0 if asking == "never" else min(i.interaction.question_budget for i in kept),
        question_policy=asking,
    )


def _budgets(roles: Roles) -> Budgets:
    sums: dict[str, Any] = {name: total_of(roles.kept, name) for name in BUDGETS}
    if roles.cap is not None:
        sums = {name: min(value, roles.cap[name]) for name, value in sums.items()}
    cost = sums["max_cost_usd"]
    return Budgets(**{**sums, "max_cost_usd": int(cost) if cost == int(cost) else cost})


def _lock_scope(kept: Sequence[Intent]) -> LockScope:
    mode = max((i.constraints.lock_scope.mode for i in kept), key=LOCKS.index)
    paths = {
        clean_path(path, i.scope.repo_root)
        for i in kept
        if i.constraints.lock_scope.mode == "files"
        for path in i.constraints.lock_scope.paths
    }
    return LockScope(mode=mode, paths=tuple(sorted(paths)))


def _metadata(kept: Sequence[Intent], lead: Intent | None, inside: set[str], order: Sequence[Link]) -> IntentMetadata:
    """The winner's priority, what the merged intent still waits for outside the set, its parts and their order."""
    priority = lead.metadata.priority if lead and lead.metadata else None
    waits = sorted({name for i in kept if i.metadata for name in i.metadata.depends_on} - inside)[:LINEAGE]
    return IntentMetadata(priority=priority, depends_on=tuple(waits), parts=parts(kept), order=tuple(order))


def steps(roles: Roles, because: Callable[[Intent], str]) -> list[Step]:
    """The steps of a merge in the order of the work; `because` says what an intent waits for."""
    found = [
        Step("keep_field", winner.id, f"{winner.id} is kept as it stands", "planned_commands")
        for winner in roles.winners
    ]
    for loser, winner_of, key in roles.losers:
        why = reason(winner_of, loser, key) if winner_of else f"{loser.id} is dropped: a person chose so"
        found.append(Step("override_field", loser.id, _cut(why, 500), "planned_commands", f"decided by {key}"))
        found.append(
            Step("union_evidence", loser.id, "evidence and reviews of a superseded intent stay", "evidence_refs")
        )
    for intent in roles.kept:
        count = len(intent.planned_commands)
        text = f"{count} command{'' if count == 1 else 's'} of {intent.id}{because(intent)}"
        found.append(Step("union_commands", intent.id, _cut(text, 500), "planned_commands"))
        found.append(Step("union_workflows", intent.id, "workflows that are not there yet", "selected_workflows"))
        found.append(Step("union_agents", intent.id, "agents that are not there yet", "selected_agents"))
        found.append(Step("union_evidence", intent.id, "evidence that is not there yet", "evidence_refs"))
    found += [
        Step("reject", intent.id, f"{intent.id} is left out: a person chose so", "planned_commands")
        for intent in roles.left_out
    ]
    first = roles.kept[0].id
    sums = ", ".join(f"{name} {total_of(roles.kept, name):g}" for name in BUDGETS)
    cap = "; capped at the limits: a person chose so" if roles.cap else ", within the limits"
    total = f"summed over {len(roles.kept)}: {sums}{cap}"
    found.append(Step("merge_budgets", first, total, "budgets", value=dict(roles.cap) if roles.cap else None))
    riskiest = max(roles.kept, key=lambda intent: LEVELS.index(intent.risk.overall))
    found.append(Step("aggregate_risk", riskiest.id, f"the highest risk is {riskiest.risk.overall}", "risk.overall"))
    return found


def replay(plan: MergePlan, intents: Mapping[str, Intent]) -> Intent:
    """The intent that the operations of a plan make of its sources; it is the plan's result intent."""
    by_operation: dict[str, list[str]] = {}
    cap, order = None, list[Link]()
    for step in plan.operations:
        by_operation.setdefault(step.operation, []).append(step.source_intent_id)
        cap = step.value if step.operation == "merge_budgets" else cap
        if step.operation == "union_commands" and step.value is not None:
            order += convert(step.value, list[Link])
    named = {name: [intents[source] for source in sources] for name, sources in by_operation.items()}
    roles = Roles(
        kept=tuple(named.get("union_commands", ())),
        winners=tuple(named.get("keep_field", ())),
        losers=tuple((loser, None, "replay") for loser in named.get("override_field", ())),
        left_out=tuple(named.get("reject", ())),
        cap=cap,
    )
    return merged(roles, plan.created_at, sorted(order, key=lambda link: (link.before, link.after)))


def packed(texts: Iterable[str], most: int, size: int) -> tuple[str, ...]:
    """Different texts in at most `most` places of at most `size` characters: where they are too many, joined.

    >>> packed(["one", "two", "one", "three"], 2, 10)
    ('one; two', 'three')
    """
    found = _each(texts)
    if len(found) <= most:
        return tuple(found)
    places = [found[0]]
    for text in found[1:]:
        if len(places[-1]) + 2 + len(text) <= size:
            places[-1] += f"; {text}"
        elif len(places) < most:
            places.append(text)
        else:
            places[-1] = _cut(places[-1] + "; ... and more", size)
            break
    return tuple(places)


def _each(items: Iterable[Any]) -> list[Any]:
    """The items, each once, in the order in which they come first."""
    return list(dict.fromkeys(items))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
