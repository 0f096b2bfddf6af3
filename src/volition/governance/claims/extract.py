"""Claims: what an intent does to which resource.

A command claims those scope targets that its text or its evidence names, else all of them; and whatever else its text
names as a file. One that writes and has nothing to claim may write anything: it claims `UNKNOWN`. The commands of a
merged plan claim what the plan from which each comes could claim, and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from volition.governance.claims.effects import BITS, LOCK, MADE, MAKES, MASK, STUDIES, WRITES, combine
from volition.governance.claims.footprint import is_within
from volition.governance.claims.mentions import is_named
from volition.governance.claims.spelling import spelling_of
from volition.governance.resources import MODULE, UNKNOWN, clean_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance.claims.footprint import CommandFootprint, Footprint
    from volition.governance.claims.spelling import Spelling
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.policy import Policy

    Claims = dict[str, int]


def claims_of(footprint: Footprint, policy: Policy) -> Claims:
    """What a plan claims: resource -> what it does there, what it locks, and what the policy binds to either."""
    spelling, intent = spelling_of(policy), footprint.intent
    claims: Claims = {}
    for part in footprint.parts:
        _claim(claims, part.targets, part.commands, spelling)
    _mark_phases(claims, intent)
    lock = intent.constraints.lock_scope
    if lock.mode == "files":
        for path in lock.paths:
            resource = spelling.fold(clean_path(path, intent.scope.repo_root))
            claims[resource] = claims.get(resource, 0) | LOCK
    _bind(claims, spelling)
    return claims


def command_claims(footprint: Footprint, policy: Policy) -> list[Claims]:
    """What each command of a plan claims by itself, in the order of the plan."""
    spelling = spelling_of(policy)
    found: dict[int, Claims] = {}
    for part in footprint.parts:
        for command in part.commands:
            claims = found[command.place] = {}
            _claim(claims, part.targets, [command], spelling)
            _bind(claims, spelling)
    return [found[place] for place in sorted(found)]


def _claim(claims: Claims, targets: dict[str, str], commands: Iterable[CommandFootprint], spelling: Spelling) -> None:
    """Add what commands claim inside and outside of the targets of their scope."""
    if spelling.ignore_case:
        targets = {target.lower(): name.lower() for target, name in targets.items()}
        commands = [replace(one, text=one.text.lower(), files=[*map(str.lower, one.files)]) for one in commands]
    everywhere = 0
    for command in commands:
        place, bits, text, said = command.place, command.bits, command.text, command.files
        named = [
            target
            for target, name in targets.items()
            if target in said or (name in text and is_named(name, text, dotted=target.startswith(MODULE)))
        ]
        for resource in (*named, *[one for one in said if one not in targets and not is_within(one, targets)]):
            claims[resource] = combine(claims.get(resource, 0), bits, place)
        if not named and targets:
            everywhere = combine(everywhere, bits, place)
        elif not named and not said and bits & WRITES:
            claims[UNKNOWN] = combine(claims.get(UNKNOWN, 0), bits, place)
    if everywhere:
        for target in targets:
            claims[target] = combine(claims.get(target, 0), everywhere & MASK, everywhere >> BITS)


def _bind(claims: Claims, spelling: Spelling) -> None:
    """Add what the policy binds to what is claimed."""
    if not spelling.bindings:
        return
    for resource, claim in list(claims.items()):
        for name, bound in spelling.bindings:
            if name != resource and any(spelling.meeting(resource, one) for one in bound):
                claims[name] = combine(claims.get(name, 0), claim & MASK, claim >> BITS)


def _mark_phases(claims: Claims, intent: IntentDocument) -> None:
    """Mark each claim by the phases of the intent: as made by an implementation, or as only read by an analysis."""
    phases = {phase for workflow in intent.selected_workflows for phase in workflow.phases}
    makes = MAKES if "implementation" in phases else 0
    studies = STUDIES if "analysis" in phases else 0
    for resource, claim in claims.items():
        claims[resource] = claim | (studies if not claim & WRITES else makes if claim & MADE else 0)
