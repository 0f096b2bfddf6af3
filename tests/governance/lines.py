"""Random plans that quarrel about little but an order: most say after whom they come, and some freeze what others write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from volition.governance.documents.intent import IntentMetadata, LockScope, Scope, Targets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from volition.governance.documents.intent import IntentDocument

PLACES = ("src/a.py", "src", "src/a.py#Cart", "src/a.py#price", "db/migrations/1.sql", "db/migrations/2.sql", "docs")


def in_line(chance: Random, intents: Sequence[IntentDocument]) -> tuple[IntentDocument, ...]:
    """The intents, simpler, in some line in which most say that they come after the one before, or one before that."""
    line = list(intents)
    chance.shuffle(line)
    made: list[IntentDocument] = []
    freezing = chance.random() < 0.4
    for at, intent in enumerate(line):
        before = [one.id for one in made[-2:] if chance.random() < 0.6]
        made.append(_simpler(chance, intent, before, freezes=freezing and at == 0))
    return tuple(sorted(made, key=lambda intent: intent.id))


def _simpler(chance: Random, intent: IntentDocument, before: Sequence[str], *, freezes: bool) -> IntentDocument:
    """An intent that writes or deploys a few things and says what comes before it; or one that freezes a few."""
    effect = chance.choice(("write", "write", "create", "deploy"))
    derives = chance.random() < 0.4
    commands = () if freezes else intent.planned_commands[:2]
    places = tuple(chance.sample(PLACES, chance.choice((1, 2))))
    modules = ("service:billing",) if chance.random() < 0.3 else ()
    return replace(
        intent,
        lineage=replace(intent.lineage, derived_from=tuple(before) if derives else ()),
        scope=Scope(intent.scope.project_id, ".", Targets(files=places, modules=modules, areas=())),
        planned_commands=tuple(
            replace(one, intent="change it", effects=(effect,), evidence_refs=("note://a",), source=None)
            for one in commands
        ),
        interaction=replace(intent.interaction, mode="semi_auto"),
        risk=replace(intent.risk, requires_review=("release",)),
        evidence_refs=("note://a",),
        constraints=replace(
            intent.constraints,
            lock_scope=LockScope("files", tuple(chance.sample(PLACES, 2))) if freezes else LockScope("none", ()),
        ),
        metadata=IntentMetadata(
            priority=5 if freezes else chance.choice((None, 1, 5, 10)), depends_on=() if derives else tuple(before)
        ),
    )
