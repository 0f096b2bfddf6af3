"""Parts: the sources of a merged plan, each with its scope and its commands.

A plan that was not merged is its only part. A merged plan that is merged again brings its parts, not itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from volition.governance.documents.intent import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance.documents.intent import Command, IntentDocument, Scope


def parts_of(intent: IntentDocument) -> list[tuple[Scope, dict[int, Command]]]:
    """The scopes of the sources of an intent, each with its commands by their indices.

    A plan that was not merged is its only part. A command of a merged plan without a source, such as one
    that was added by hand, has the scope of the whole.
    """
    commands = dict(enumerate(intent.planned_commands))
    if not intent.metadata or not intent.metadata.parts:
        return [(intent.scope, commands)]
    found = []
    for part in intent.metadata.parts:
        mine = {place: one for place, one in commands.items() if one.source == part.intent_id}
        commands = {place: one for place, one in commands.items() if place not in mine}
        found.append((replace(intent.scope, repo_root=part.repo_root, targets=part.targets), mine))
    return [*found, (intent.scope, commands)] if commands else found


def commands_with_sources(kept: Iterable[IntentDocument]) -> tuple[Command, ...]:
    """The commands of some plans, each with its source, without duplicates."""
    return tuple(dict.fromkeys(command for intent in kept for command in commands_of(intent)))


def commands_of(intent: IntentDocument) -> list[Command]:
    """The commands of a plan, each with its source; a command without one is the plan's own."""
    parts = {part.intent_id for part in intent.metadata.parts} if intent.metadata else set()
    return [
        command if command.source in parts else replace(command, source=intent.id)
        for command in intent.planned_commands
    ]


def parts_of_merge(kept: Iterable[IntentDocument]) -> tuple[Part, ...]:
    """The parts of a merge of these plans; a plan that was merged before contributes its parts."""
    found: dict[str, Part] = {}
    for intent in kept:
        inner = intent.metadata.parts if intent.metadata else ()
        known = {part.intent_id for part in inner}
        if not inner or any(command.source not in known for command in commands_of(intent)):
            inner = (*inner, _part(intent))
        for part in inner:
            found.setdefault(part.intent_id, part)
    return tuple(found.values())


def _part(intent: IntentDocument) -> Part:
    return Part(
        intent_id=intent.id,
        repo_root=intent.scope.repo_root,
        targets=intent.scope.targets,
        phases=tuple(dict.fromkeys(phase for workflow in intent.selected_workflows for phase in workflow.phases)),
        agents=tuple(dict.fromkeys(agent.agent_id for agent in intent.selected_agents)),
    )
