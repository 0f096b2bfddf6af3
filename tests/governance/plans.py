"""Small intents and sets for tests: valid, sealed, and different only in what a test speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from volition.governance.claims.extract import claims_of
from volition.governance.claims.footprint import footprint_of
from volition.governance.documents.checksums import intent_checksum, set_checksum
from volition.governance.documents.intent import (
    Agent,
    Audit,
    Budgets,
    Command,
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
    Workflow,
)
from volition.governance.documents.intent_set import Context, IntentSet, MergeHints, SetLineage, SetMetadata
from volition.governance.documents.policy import BUILT_IN
from volition.governance.evaluator import evaluate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.governance.documents.intent import Area, Effect, Level, LockMode, Phase, Status
    from volition.governance.documents.intent_set import Env
    from volition.governance.documents.packs import AnswerPack
    from volition.governance.documents.policy import Policy
    from volition.governance.evaluator import EvaluationOutcome

NOW = "2026-01-25T10:00:00Z"
UNSEALED = "0" * 64


def command(
    id: str = "adjust_it",
    *effects: Effect,
    text: str = "Adjust what it is about",
    refs: Iterable[str] = ("note://meeting",),
    level: Level = "low",
) -> Command:
    """A planned command; it writes unless effects say otherwise."""
    return Command(
        command_id=id, intent=text, effects=effects or ("write",), risk_level=level, evidence_refs=tuple(refs)
    )


def reader(text: str = "Look at it", refs: Iterable[str] = ("note://meeting",)) -> Command:
    """A command that only reads."""
    return command("look_at_it", "read", text=text, refs=refs)


def plan(
    id: str,
    files: Iterable[str] = (),
    modules: Iterable[str] = (),
    commands: Iterable[Command] | None = None,
    *,
    areas: Iterable[Area] = (),
    priority: int | None = None,
    depends_on: Iterable[str] = (),
    derived_from: Iterable[str] = (),
    supersedes: Iterable[str] = (),
    evidence: Iterable[str] = ("note://meeting",),
    risk: Level = "medium",
    reviews: Iterable[Any] = ("release",),
    mode: str = "interactive",
    asks: int | None = None,
    lock: LockMode = "task",
    locked: Iterable[str] = (),
    created: str = NOW,
    status: Status = "proposed",
    phases: Sequence[Phase] = ("review",),
    workflow: str = "general_work",
    agent: str = "worker",
    budgets: Budgets | None = None,
    project: str = "shop",
    root: str = ".",
    targets: Mapping[str, Any] | None = None,
    **changes: Any,
) -> IntentDocument:
    """A valid, sealed intent called `intent_ID`; `targets` adds to its scope, `changes` replace whole fields.

    >>> plan("tidy_up", ["src/a.py"]).scope.targets.files
    ('src/a.py',)
    """
    automatic = mode == "full_auto"
    needs = tuple(depends_on)
    intent = IntentDocument(
        id=id if id.startswith("intent_") else f"intent_{id}",
        type="execution_intent",
        title=f"Plan {id}",
        version="1.0.0",
        status=status,
        created_at=created,
        lineage=Lineage(introduced_in="0.9.1", derived_from=tuple(derived_from), supersedes=tuple(supersedes)),
        scope=Scope(
            project_id=project,
            repo_root=root,
            targets=Targets(files=tuple(files), modules=tuple(modules), areas=tuple(areas), **(targets or {})),
        ),
        objective=Objective(goal=f"Reach what {id} is for", success_criteria=(f"{id} is done",), non_goals=()),
        selected_workflows=(Workflow(workflow_id=workflow, phases=tuple(phases)),),
        selected_agents=(Agent(agent_id=agent, role="worker", responsibilities=("Do the work",)),),
        planned_commands=(command(),) if commands is None else tuple(commands),
        interaction=Interaction(
            mode=mode,  # type: ignore[arg-type]
            question_budget=(0 if automatic else 5) if asks is None else asks,
            question_policy="never" if automatic else "blockers_only",
        ),
        risk=Risk(overall=risk, drivers=("It changes things",), requires_review=tuple(reviews)),
        budgets=budgets or Budgets(max_files=5, max_commits=1, max_tokens=1_000, max_cost_usd=1),
        evidence_refs=tuple(evidence),
        constraints=Constraints(
            execution="forbidden",
            no_fabrication=True,
            registry_only=True,
            lock_scope=LockScope(mode="files" if locked else lock, paths=tuple(locked)),
        ),
        audit=Audit(created_by="somebody", source="human", checksum=UNSEALED),
        metadata=None if priority is None and not needs else IntentMetadata(priority=priority, depends_on=needs),
    )
    return sealed(replace(intent, **changes))


def sealed(intent: IntentDocument) -> IntentDocument:
    """The intent with the checksum that it should have."""
    return replace(intent, audit=replace(intent.audit, checksum=intent_checksum(intent)))


def set_of(
    intents: Iterable[IntentDocument],
    *,
    env: Env = "local",
    complementary: Iterable[tuple[str, str]] = (),
    **changes: Any,
) -> IntentSet:
    """A valid, sealed set of these intents."""
    pairs = tuple(complementary)
    made = IntentSet(
        id="intent_set_under_test",
        type="intent_set",
        schema_version="0.9.3",
        created_at=NOW,
        intent_ids=tuple(intent.id for intent in intents),
        context=Context(project_id="shop", env=env),
        lineage=SetLineage(introduced_in="0.9.3", derived_from=()),
        checksum=UNSEALED,
        metadata=SetMetadata(merge_hints=MergeHints(complementary=pairs)) if pairs else None,
    )
    made = replace(made, **changes)
    return replace(made, checksum=set_checksum(made))


def judged(
    *intents: IntentDocument, policy: Policy = BUILT_IN, answers: AnswerPack | None = None, **about: Any
) -> EvaluationOutcome:
    """What the evaluator says of these intents; `about` goes to their set."""
    return evaluate(set_of(intents, **about), intents, policy, answers)


def claimed(intent: IntentDocument, policy: Policy = BUILT_IN) -> dict[str, int]:
    """What an intent claims."""
    return claims_of(footprint_of(intent, policy), policy)


def contested(*intents: IntentDocument, kind: str = "", **how: Any) -> set[tuple[str, str | None, tuple[str, ...]]]:
    """Severity, resource and members of every conflict of a kind, the ids without their prefix."""
    return {
        (c.severity, c.resource_ref, tuple(name.removeprefix("intent_") for name in c.intent_ids))
        for c in judged(*intents, **how).conflicts
        if c.type.startswith(kind)
    }
