"""Conflicts as documents: each says which plans clash, over what and why, and names the ways out."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from volition.governance.claims.effects import BITS, LOCK, MASK, TOUCH, gravest, word_for
from volition.governance.claims.spelling import spelling_of
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.ledger import EFFECT, HIGH, ORDER, RESOURCE, WHOLE_SET
from volition.governance.documents.intent import LEVELS
from volition.governance.documents.result import CONFLICT_KINDS, Conflict
from volition.governance.resources import MODULE, UNKNOWN, WHOLE_PROJECT
from volition.governance.wording import SHOWN, join_names, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.governance.claims.spelling import Spelling
    from volition.governance.conflicts.ledger import ConflictLedger, RawConflict
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.result import Resolution

RESOLUTIONS: Final[tuple[tuple[Resolution, ...], ...]] = (
    ("merge_union", "override_by_priority", "reject"),
    ("override_by_priority", "reject"),
    ("merge_union", "manual_resolution"),
    ("reject", "manual_resolution"),
)
_GRAVE: Final[tuple[Resolution, ...]] = ("override_by_priority", "reject")
_CIRCLE: Final[tuple[Resolution, ...]] = ("reject", "manual_resolution")
WayOut = Literal[
    "narrow", "name", "place", "priority", "complementary", "declare", "produce", "mode", "budgets", "keep", "leave_out"
]
WAYS_OUT: Final[dict[WayOut, str]] = {
    "narrow": "narrow the scopes so that one of them claims it",
    "name": "name the files, modules or services that are written",
    "place": "say in the policy's names.modules where the module lies",
    "priority": "give them different values of metadata.priority",
    "complementary": "call all who write it complementary in the set's metadata.merge_hints",
    "declare": "declare the order in metadata.depends_on",
    "produce": "add a plan that produces it",
    "mode": "give all of them one interaction.mode",
    "budgets": "ask for less",
    "keep": "keep one of them in the set",
    "leave_out": "leave some of them out",
}
"""The ways out, each in words; a way out is offered only if taking it ends the conflict."""
_CLASH: Final = {
    "effect_deploy_rollback": "one deploys what another rolls back",
    "effect_create_delete": "one creates what another deletes",
    "effect_exclusive": "several claim one exclusive state",
}
_VERB: Final = {
    "delete": ("deletes", "delete"),
    "rollback": ("rolls back", "roll back"),
    "deploy": ("deploys", "deploy"),
    "create": ("creates", "create"),
    "write": ("writes", "write"),
    "read": ("reads", "read"),
}
"""The verbs for one plan and for several, the gravest first."""


def conflict_of(finding: RawConflict, findings: ConflictLedger) -> Conflict:
    """A detected conflict as a document."""
    intents = findings.intents
    members = finding.members
    ids = tuple(intents[number].id for number in members)
    about = finding.about
    return Conflict(
        conflict_id=conflict_id(finding, ids),
        type=CONFLICT_KINDS[finding.kind],
        severity=LEVELS[finding.severity],
        intent_ids=ids,
        evidence_refs=_evidence(finding, findings, members),
        resource_ref=None if about is None else shorten(about, 512),
        description=_describe(finding, ids, findings),
        resolutions=_resolutions(finding),
    )


def conflict_id(finding: RawConflict, ids: Sequence[str]) -> str:
    """The id of a conflict: it stays the same as long as the same thing is contested, by whichever plans."""
    what = finding.about if finding.about is not None else f"circle {ids[0]}"
    return f"conflict_{sha256(f'{finding.kind} {what}'.encode()).hexdigest()[:16]}"


def _resolutions(finding: RawConflict) -> tuple[Resolution, ...]:
    if "order_cycle" in finding.rules:
        return _CIRCLE
    if finding.kind == RESOURCE and finding.severity >= 2:
        return _GRAVE
    return RESOLUTIONS[finding.kind]


def ways_out(finding: RawConflict, findings: ConflictLedger) -> Iterator[WayOut]:
    """The ways out that end the conflict: it is not found any more, or it needs no answer."""
    rules, about = finding.rules, finding.about
    if rules & WHOLE_SET:
        if "constraint_budget" in rules:
            yield "budgets"
        yield "leave_out"
        return
    if "order_unmet" in rules:
        registry = findings.policy.registry
        if registry and any(f"artifact:{made}" == about for each in registry.produces.values() for made in each):
            yield "produce"
        yield "leave_out"
        return
    if "constraint_mode" in rules:
        yield "mode"
    elif "order_dependency" in rules:
        yield "declare"
    elif about == UNKNOWN:
        yield "name"
    elif "resource_unplaced" in rules:
        yield "place"
    elif about is not None and not about.startswith("env:") and not spelling_of(findings.policy).is_everything(about):
        yield "narrow"
    # Keys that do not apply to every pair can form a cycle, so none may come before the explicit one.
    decisive = findings.policy.priority_order[0] == "explicit" and findings.cyclic.isdisjoint(finding.members)
    if finding.severity >= HIGH and about is not None and decisive:
        yield "priority"
    if finding.kind == RESOURCE and _hints_would_lower(finding, findings):
        yield "complementary"
    # A plan that is kept without the producer of what it needs still needs it.
    if about is None or not about.startswith("artifact:"):
        yield "keep"


def _hints_would_lower(finding: RawConflict, findings: ConflictLedger) -> bool:
    """Whether hints would lower it below high: only its writers clash at that level, and only by writing."""
    return (
        finding.severity >= HIGH
        and "resource_write_write" in finding.rules <= {"resource_read_write", "resource_write_write"}
        and findings.severity("resource_read_write") < HIGH
        and findings.get(EFFECT, finding.about) is None
    )


def _evidence(finding: RawConflict, findings: ConflictLedger, members: list[int]) -> tuple[str, ...]:
    """The evidence: a command of each member, with the effect or the word that says so; at most 50."""
    intents = findings.intents
    if finding.evidence:
        return finding.evidence
    if finding.kind in (RESOURCE, EFFECT) or "constraint_lock" in finding.rules:
        seen: dict[str, None] = {}
        for code in finding.codes[:50]:
            seen[_claim_reference(code, intents[code >> SHIFT])] = None
        return tuple(sorted(seen))
    if finding.kind == ORDER:
        spelling = spelling_of(findings.policy)
        return tuple(_cited_reference(finding.about, intents[number], spelling) for number in members[:50])
    return tuple(f"{intents[number].id}#{finding.about or 'planned_commands'}" for number in members[:50])


def _claim_reference(code: int, intent: IntentDocument) -> str:
    claim = code & MASK
    if claim & LOCK and not claim & TOUCH:
        return f"{intent.id}#constraints.lock_scope"
    place = code >> BITS & 127
    bit, word = gravest(claim)
    if place >= len(intent.planned_commands):
        return f"{intent.id}#planned_commands"
    command = intent.planned_commands[place]
    said = word_for(command, bit) if bit != TOUCH else None
    return f"{intent.id}#{command.command_id}: {word}" + (f" (it says {said!r})" if said else "")


def _names_of(about: str, spelling: Spelling) -> Iterator[str]:
    """The names by which a reference can mean what is needed, its own first."""
    yield about.partition(":")[2] or about
    if about.startswith(MODULE):
        yield from (place for place in spelling.places(about) if place != WHOLE_PROJECT)
    elif ":" not in about:
        yield from filter(None, spelling.modules_at(about))


def _cited_reference(about: str | None, intent: IntentDocument, spelling: Spelling) -> str:
    """The reference of an intent that names what is needed, or its planned commands if there is none."""
    for name in _names_of(about, spelling) if about else ():
        for refs in (intent.evidence_refs, *(command.evidence_refs for command in intent.planned_commands)):
            for ref in refs:
                if name in spelling.fold(ref):
                    return f"{intent.id}#evidence_refs: {ref}"
    return f"{intent.id}#planned_commands"


def _describe(finding: RawConflict, ids: Sequence[str], findings: ConflictLedger) -> str:
    about, kind = finding.about, finding.kind
    if about == UNKNOWN:
        what = "cannot be compared" if kind == RESOURCE else "meet, because some lock files that may be written"
        text = f"{finding.detail} ({about}): {join_names(ids, SHOWN)} {what}."
    elif "resource_unplaced" in finding.rules:
        text = f"{_describe_roles(finding, findings.intents)}: {finding.detail}, which cannot be decided from the names ({about})."
    elif kind == RESOURCE:
        text = f"{_describe_roles(finding, findings.intents)}: the same resource {about}."
        if "resource_many" in finding.rules:
            text += " Some of them meet on more than ten resources."
    elif kind == EFFECT:
        what = " and ".join(_CLASH[rule] for rule in sorted(finding.rules))
        text = f"{join_names(ids, SHOWN)} cannot all have their way with {about}: {what}."
    elif kind == ORDER and about is None:
        text = f"{join_names(ids, SHOWN)} need each other in a circle, so no order lets each come after what it needs."
    elif "order_unmet" in finding.rules:
        text = f"{finding.detail} requires {about}, and of {join_names(ids, SHOWN)} none produces it."
    elif kind == ORDER:
        text = (
            f"Of {join_names(ids, SHOWN)}, some need what others make ({about}), and nobody has said which comes first."
        )
    elif "constraint_lock" in finding.rules:
        text = f"{join_names(ids, SHOWN)} meet at {about}, which is locked."
    else:
        text = f"{join_names(ids, SHOWN)} do not agree on {about}: {finding.detail}."
    ways = [WAYS_OUT[way] for way in ways_out(finding, findings)]
    text = f"{text} Ways out: {', or '.join(ways)}."
    return shorten(text, 1000)


def _describe_roles(finding: RawConflict, intents: Sequence[IntentDocument]) -> str:
    """Which plans do what, the gravest first."""
    roles: dict[str, list[str]] = {}
    for code in finding.codes:
        word, name = gravest(code)[1], intents[code >> SHIFT].id
        named = roles.get(word)
        if named is None:
            roles[word] = [name]
        elif named[-1] != name:
            named.append(name)
    return ", ".join(
        f"{join_names(roles[word], SHOWN)} {verb[len(roles[word]) > 1]}"
        for word, verb in _VERB.items()
        if word in roles
    )
