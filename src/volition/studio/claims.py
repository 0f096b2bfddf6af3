"""What plans claim, in words: for the page of a team by plan, and for a matrix of plans and what they contest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.governance.claims.extract import claims_of
from volition.governance.claims.footprint import footprint_of
from volition.governance.claims.spelling import spelling_of
from volition.governance.documents.effects import FREEZE, GRAVITY, LOCK, TOUCH, WRITES, gravest
from volition.governance.paths.names import MODULE, UNKNOWN, split_part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance import Conflict, IntentDocument, Policy

Contested = dict[str, dict[str, str]]
"""What is contested -> the plans that claim it -> what each does there."""
INVOLVED = "involved"
"""What a plan does to something that no plan claims by name, such as a budget."""


class ClaimShape(Struct, frozen=True):
    """One claim of a plan: on a file, a folder, a pattern, a module or a service, or on a part of a file."""

    place: str
    """What is claimed: a path from the root of the project, a module, or `service:NAME`; empty for a plan that may write anything."""
    part: str
    """The part of the file; empty for the whole."""
    does: str
    """What the plan does there, in a word or two."""


def plan_claims(intent: IntentDocument, policy: Policy) -> list[ClaimShape]:
    """What a plan claims, by name."""
    claims = sorted(claims_of(footprint_of(intent, policy), policy).items())
    return [ClaimShape(*_place_of(resource), describe_claim(claim)) for resource, claim in claims]


def _place_of(resource: str) -> tuple[str, str]:
    if resource == UNKNOWN:
        return "", ""
    path, part = split_part(resource)
    return path.removeprefix(MODULE), part


def describe_claim(claim: int) -> str:
    """What a claim does, in words.

    >>> from volition.governance.documents.effects import DELETE, WRITE
    >>> describe_claim(TOUCH), describe_claim(TOUCH | WRITE | DELETE), describe_claim(LOCK), describe_claim(WRITE | LOCK)
    ('read', 'delete', 'lock', 'write, lock')
    """
    hold = "freeze" if claim & FREEZE else "lock" if claim & LOCK else ""
    done = gravest(claim)[1] if claim & (WRITES | TOUCH) else ""
    return ", ".join(filter(None, (done, hold)))


def contested_claims(conflicts: Iterable[Conflict], intents: Iterable[IntentDocument], policy: Policy) -> Contested:
    """What each plan does to whatever is contested: those that contest it, and others that claim exactly the same."""
    contested: Contested = {}
    contested_by: dict[str, dict[str, None]] = {}
    for conflict in conflicts:
        if conflict.resource_ref is not None:
            contested[conflict.resource_ref] = {}
            for name in conflict.intent_ids:
                contested_by.setdefault(name, {})[conflict.resource_ref] = None
    spelling = spelling_of(policy)
    for intent in intents:
        claims = claims_of(footprint_of(intent, policy), policy)
        same = {resource: claim for resource, claim in claims.items() if resource in contested}
        for resource in contested_by.get(intent.id, {}):
            if resource not in same:
                meeting = [claim for name, claim in claims.items() if spelling.meets(name, resource)]
                same[resource] = max(meeting, key=lambda claim: GRAVITY[claim & WRITES], default=0)
        for resource, claim in same.items():
            contested[resource][intent.id] = describe_claim(claim) or INVOLVED
    return contested
