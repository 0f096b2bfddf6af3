"""Losses: which plans are not in the merged one, which plan each lost to, by which key, and what was dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from volition.governance.claims.footprint import targets_of
from volition.governance.conflicts.order import REMOVAL
from volition.governance.documents.intent import GRAVE
from volition.governance.documents.result import Dropped, Loss
from volition.governance.settlement.priority import reason
from volition.governance.wording import SHOWN, join_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.conflicts.order import Needs
    from volition.governance.documents.intent import IntentDocument, LossRule
    from volition.governance.documents.result import Conflict, MissingPrerequisite
    from volition.governance.merge.merging import Roles


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
                    targets=tuple(name for name in targets_of(loser.scope) if name not in targets),
                ),
                lost_to=winner.id if winner else None,
                conflict_ids=tuple(over),
                needed_by=tuple(sorted(name for name in kept if (numbers[loser.id], numbers[name]) in needing)),
            )
        )
    return tuple(sorted(found, key=lambda loss: loss.intent_id))


def describe_loss(loss: Loss) -> str:
    """A loss in one line: which plan lost to which, by which key, and what was dropped."""
    if loss.lost_to:
        text = f"{loss.intent_id} gives way to {loss.lost_to}: {loss.because}"
    else:
        text = f"{loss.intent_id} is {loss.fate.replace('_', ' ')}: {loss.because}"
    dropped = [
        f"{len(items)} {noun}{'' if len(items) == 1 else 's'} ({join_names(items, SHOWN)})"
        for noun, items in (("command", loss.dropped.commands), ("target", loss.dropped.targets))
        if items
    ]
    text += f"; dropped: {', '.join(dropped) or 'nothing that the others do not have'}"
    if loss.needed_by:
        text += f"; still needed by {join_names(loss.needed_by, SHOWN)}"
    return text


def describe_missing(missing: MissingPrerequisite) -> str:
    """What plans have to do without, in one line, and whether somebody accepted that."""
    return (
        f"{missing.because}: {'a person chose to go on without it' if missing.accepted else 'this has to be decided'}"
    )
