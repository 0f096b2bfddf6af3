"""Fates: what becomes of the plans that are not in the merged one, and of each cluster of a set.

A loss says which plan it lost to, by which key, and what was dropped. The fate of a cluster follows from a stored result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from msgspec import Struct

from volition.governance.claims.footprint import targets_of
from volition.governance.conflicts.order import REMOVAL
from volition.governance.documents.intent import GRAVE
from volition.governance.documents.result import Dropped, Loss
from volition.governance.settlement.priority import reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.conflicts.order import Needs
    from volition.governance.documents.intent import IntentDocument, LossRule
    from volition.governance.documents.result import Conflict, EvaluationResult
    from volition.governance.merge.merging import Roles

ClusterStrategy = Literal["override_by_priority", "ask", "merge_union", "reject"]


def losses_of(
    roles: Roles, intents: Sequence[IntentDocument], conflicts: Iterable[Conflict], needs: Needs
) -> tuple[Loss, ...]:
    """The loss of every plan that is not in the merged one, in the order of the ids."""
    if not roles.losers and not roles.left_out:
        return ()
    numbers = {intent.id: number for number, intent in enumerate(intents)}
    kept = {intent.id for intent in roles.kept}
    grave = [conflict for conflict in conflicts if conflict.severity in GRAVE]
    commands = {command for intent in roles.kept for command in intent.planned_commands}
    targets = {name for intent in roles.kept for name in targets_of(intent.scope)}
    # Whoever removes what the loser reads comes after it, and needs nothing from it.
    needing = {(maker, taker) for about, maker, taker in needs.each() if not (about or "").startswith(REMOVAL)}
    losses = []
    for loser, winner, rule in (*roles.losers, *((intent, None, "answer") for intent in roles.left_out)):
        superseded = loser not in roles.left_out
        over = [c.conflict_id for c in grave if winner and {loser.id, winner.id} <= {*c.intent_ids}]
        chosen = f"a person chose to {'drop' if superseded else 'leave out'} {loser.id}"
        losses.append(
            Loss(
                intent_id=loser.id,
                fate="superseded" if superseded else "left_out",
                rule=cast("LossRule", rule),
                because=reason(winner, loser, rule)[:500] if winner else chosen,
                dropped=Dropped(
                    commands=tuple(c.command_id for c in loser.planned_commands if c not in commands),
                    targets=tuple(name for name in targets_of(loser.scope) if name not in targets),
                ),
                lost_to=winner.id if winner else None,
                conflict_ids=tuple(over),
                needed_by=tuple(sorted(name for name in kept if (numbers[loser.id], numbers[name]) in needing)),
            )
        )
    return tuple(sorted(losses, key=lambda loss: loss.intent_id))


class Fate(Struct, frozen=True):
    """A cluster: its intents, the conflicts between them, its strategy, and the evidence of the merge plan."""

    intents: tuple[str, ...]
    """The ids of the intents in it."""
    conflicts: tuple[str, ...]
    """The ids of the conflicts between them."""
    strategy: ClusterStrategy
    """What becomes of them."""
    because: str
    """The evidence, in words."""


def fates(result: EvaluationResult, clusters: Iterable[tuple[str, ...]]) -> tuple[Fate, ...]:
    """The fate of each cluster; a conflict belongs to a cluster that contains all its intents."""
    return tuple(_fate(result, members) for members in clusters)


def _fate(result: EvaluationResult, members: tuple[str, ...]) -> Fate:
    inside = set(members)
    conflicts = tuple(
        conflict.conflict_id for conflict in result.evaluation.conflicts if inside.issuperset(conflict.intent_ids)
    )
    return Fate(members, conflicts, *_strategy(result, inside))


def _strategy(result: EvaluationResult, members: set[str]) -> tuple[ClusterStrategy, str]:
    """The strategy that the operations on its intents show, and their evidence."""
    plan = result.evaluation.merge_plan
    mine = {
        operation.operation: operation.evidence
        for operation in plan.operations
        if operation.source_intent_id in members
    }
    if "override_field" in mine:
        return "override_by_priority", mine["override_field"]
    if "reject" in mine:
        return "ask" if result.requires_questions else "reject", mine["reject"]
    return "reject" if plan.strategy == "reject" else "merge_union", ""
