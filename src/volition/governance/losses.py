"""Losses: which plans are not in the merged one, to whom each lost and by which key, and what was dropped with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from volition.governance.documents import Dropped, Loss
from volition.governance.priority import reason
from volition.governance.resources import clean_path, module_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.documents import Conflict, Intent
    from volition.governance.documents.intent import LossRule
    from volition.governance.merge import Roles
    from volition.governance.settlement import Field

SHOWN = 4
"""So many commands and targets are named in a line; the rest are counted."""


def losses(roles: Roles, intents: Sequence[Intent], conflicts: Iterable[Conflict], field: Field) -> tuple[Loss, ...]:
    """Every plan of a set that was merged without it, in the order of the ids."""
    numbers = {intent.id: number for number, intent in enumerate(intents)}
    kept = {intent.id for intent in roles.kept}
    grave = [conflict for conflict in conflicts if conflict.severity in {"high", "critical"}]
    commands = {command for intent in roles.kept for command in intent.planned_commands}
    targets = {name for intent in roles.kept for name in _targets(intent)}
    found = []
    for loser, winner, rule in (*roles.losers, *((intent, None, "answer") for intent in roles.left_out)):
        superseded = loser not in roles.left_out
        over = [c.conflict_id for c in grave if winner and {loser.id, winner.id} <= {*c.intent_ids}]
        chosen = f"a person chose to {'drop' if superseded else 'leave out'} {loser.id}"
        found.append(
            Loss(
                intent_id=loser.id,
                fate="superseded" if superseded else "left_out",
                rule=cast("LossRule", rule),
                because=reason(winner, loser, rule)[:500] if winner else chosen,
                dropped=Dropped(
                    commands=tuple(c.command_id for c in loser.planned_commands if c not in commands),
                    targets=tuple(name for name in dict.fromkeys(_targets(loser)) if name not in targets),
                ),
                lost_to=winner.id if winner else None,
                conflict_ids=tuple(over),
                needed_by=tuple(sorted(intents[n].id for n in field.after[numbers[loser.id]] if intents[n].id in kept)),
            )
        )
    return tuple(sorted(found, key=lambda loss: loss.intent_id))


def _targets(intent: Intent) -> list[str]:
    of = intent.scope.targets
    return [*(clean_path(path, intent.scope.repo_root) for path in of.files), *map(module_name, of.modules)]


def describe_loss(loss: Loss) -> str:
    """A loss in one line: who lost to whom, by which key, and what was dropped."""
    if loss.lost_to:
        text = f"{loss.intent_id} gives way to {loss.lost_to}: {loss.because}"
    else:
        text = f"{loss.intent_id} is {loss.fate.replace('_', ' ')}: {loss.because}"
    dropped = [
        f"{len(items)} {noun}{'' if len(items) == 1 else 's'} ({_some(items)})"
        for noun, items in (("command", loss.dropped.commands), ("target", loss.dropped.targets))
        if items
    ]
    text += f"; dropped: {', '.join(dropped) or 'nothing that the others do not have'}"
    if loss.needed_by:
        text += f"; still needed by {_some(loss.needed_by)}"
    return text


def _some(items: Sequence[str]) -> str:
    return ", ".join(items[:SHOWN]) + (f" and {len(items) - SHOWN} more" if len(items) > SHOWN else "")
