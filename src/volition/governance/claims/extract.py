"""Claims: what an intent does to which resource.

A command claims those scope targets that its text or its evidence names, else all of them; and whatever else its text
names as a file. One that writes and has nothing to claim may write anything: it claims `UNKNOWN`. The commands of a
merged plan claim what the plan from which each comes could claim, and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.governance.claims.effects import BITS, LOCK, MADE, MAKES, MASK, STUDIES, WRITES, combine, effect_bits
from volition.governance.claims.mentions import can_be_named, files_in, is_named, readable_text
from volition.governance.claims.spelling import spelling_of
from volition.governance.documents.parts import parts_of
from volition.governance.documents.policy import BUILT_IN
from volition.governance.resources import MODULE, SERVICE, UNKNOWN, WHOLE_PROJECT, clean_path, module_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.governance.claims.spelling import Spelling
    from volition.governance.documents import Command, IntentDocument, Scope
    from volition.governance.documents.policy import Policy

    Claims = dict[str, int]


def claims_of(intent: IntentDocument, policy: Policy = BUILT_IN) -> Claims:
    """What an intent claims: resource -> what it does there, what it locks, and what the policy binds to either."""
    spelling = spelling_of(policy)
    claims: Claims = {}
    for part, commands in parts_of(intent):
        for resource, claim in _claims_of_commands(part.scope, commands, spelling).items():
            claims[resource] = combine(claims.get(resource, 0), claim & MASK, claim >> BITS)
    _mark_phases(claims, intent)
    lock = intent.constraints.lock_scope
    if lock.mode == "files":
        for path in lock.paths:
            resource = spelling.fold(clean_path(path, intent.scope.repo_root))
            claims[resource] = claims.get(resource, 0) | LOCK
    _bind(claims, spelling)
    return claims


def command_claims(intent: IntentDocument, policy: Policy) -> list[Claims]:
    """What each command of an intent claims by itself."""
    spelling = spelling_of(policy)
    found: dict[int, Claims] = {}
    for part, commands in parts_of(intent):
        for place, command in commands.items():
            found[place] = _claims_of_commands(part.scope, {0: command}, spelling)
            _bind(found[place], spelling)
    return [found[place] for place in sorted(found)]


def _claims_of_commands(scope: Scope, commands: Mapping[int, Command], spelling: Spelling) -> Claims:
    """What commands, by their indices, claim inside and outside of a scope."""
    targets = targets_of(scope)
    if spelling.ignore_case:
        targets = {target.lower(): name.lower() for target, name in targets.items()}
    claims: Claims = {}
    everywhere = 0
    for place, command in commands.items():
        bits = effect_bits(command)
        text = spelling.fold(readable_text(command))
        named = [
            target
            for target, name in targets.items()
            if name in text and can_be_named(name) and is_named(name, text, dotted=target.startswith(MODULE))
        ]
        beside = [spelling.fold(resource) for resource in files_in(command.intent, scope.repo_root)]
        for resource in (*named, *[one for one in beside if not _is_within(one, targets)]):
            claims[resource] = combine(claims.get(resource, 0), bits, place)
        if not named and targets:
            everywhere = combine(everywhere, bits, place)
        elif not named and not beside and bits & WRITES:
            claims[UNKNOWN] = combine(claims.get(UNKNOWN, 0), bits, place)
    if everywhere:
        for target in targets:
            claims[target] = combine(claims.get(target, 0), everywhere & MASK, everywhere >> BITS)
    return claims


def targets_of(scope: Scope) -> dict[str, str]:
    """The resources of a scope, each with the name that a text uses for it."""
    found = {path: path for path in (clean_path(path, scope.repo_root) for path in scope.targets.files)}
    found.update((module, module.partition(":")[2]) for module in map(module_name, scope.targets.modules))
    return found


def _is_within(resource: str, targets: Mapping[str, str]) -> bool:
    """Whether a resource is one of the targets or lies in one, so that it is claimed with it."""
    if resource in targets or resource.startswith(SERVICE):
        return resource in targets
    return WHOLE_PROJECT in targets or any(resource.startswith(f"{target}/") for target in targets)


def _bind(claims: Claims, spelling: Spelling) -> None:
    """Add what the policy binds to what is claimed."""
    if not spelling.bindings:
        return
    for resource, claim in list(claims.items()):
        for name, bound in spelling.bindings:
            if name != resource and any(spelling.meeting(resource, one) for one in bound):
                claims[name] = combine(claims.get(name, 0), claim & MASK, claim >> BITS)


def is_unknown(intent: IntentDocument) -> bool:
    """Whether an intent writes and does not say what: then it may write anything."""
    return any(
        not (part.scope.targets.files or part.scope.targets.modules)
        and any(
            effect_bits(one) & WRITES and not files_in(one.intent, part.scope.repo_root) for one in commands.values()
        )
        for part, commands in parts_of(intent)
    )


def reach_of(intent: IntentDocument) -> set[str]:
    """The targets of an intent, and the files outside of them that the texts of its commands name."""
    found = set(whole := targets_of(intent.scope))
    for part, commands in parts_of(intent):
        targets = whole if part.scope is intent.scope else targets_of(part.scope)
        for command in commands.values():
            found.update(one for one in files_in(command.intent, part.scope.repo_root) if not _is_within(one, targets))
    return found


def _mark_phases(claims: Claims, intent: IntentDocument) -> None:
    """Mark each claim by the phases of the intent: as made by an implementation, or as only read by an analysis."""
    phases = {phase for workflow in intent.selected_workflows for phase in workflow.phases}
    makes = MAKES if "implementation" in phases else 0
    studies = STUDIES if "analysis" in phases else 0
    for resource, claim in claims.items():
        claims[resource] = claim | (studies if not claim & WRITES else makes if claim & MADE else 0)
