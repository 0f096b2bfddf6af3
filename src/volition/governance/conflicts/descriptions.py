"""Conflicts as documents: each says which plans clash, over what and why, and names the ways out."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from volition.governance.claims import algebra
from volition.governance.claims.footprint import rename_of
from volition.governance.claims.spelling import spelling_of
from volition.governance.conflicts.citations import cited_in, is_cited_by
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.declared import SETTLED
from volition.governance.conflicts.ledger import CONSTRAINT, EFFECT, HIGH, ORDER, RESOURCE, WHOLE_SET
from volition.governance.documents.effects import BITS, LOCK, MASK, TOUCH, WRITES, gravest, undeclared_verbs
from volition.governance.documents.intent import LEVELS
from volition.governance.documents.result import CONFLICT_KINDS, Conflict
from volition.governance.paths.names import UNKNOWN
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
    "narrow",
    "name",
    "place",
    "priority",
    "complementary",
    "declare",
    "produce",
    "mode",
    "budgets",
    "keep",
    "leave_out",
    "unlock",
    "rename",
]
WAYS_OUT: Final[dict[WayOut, str]] = {
    "narrow": "narrow one of the scopes",
    "name": "name the files, modules or services that are written",
    "place": "say in the policy's names.modules where the module lies",
    "unlock": "end the lock, or narrow it",
    "rename": "let the others rely on what replaces it",
    "priority": "set different values of metadata.priority",
    "complementary": "call all who write it complementary in the set's merge_hints",
    "declare": "declare the order in metadata.depends_on",
    "produce": "add a plan that produces it",
    "mode": "give all of them one interaction.mode",
    "budgets": "ask for less",
    "keep": "keep one of them",
    "leave_out": "leave some of them out",
}
"""The ways out, each in words; a way out is offered only if taking it ends the conflict."""
_CLASH: Final = {
    "effect_deploy_rollback": "one deploys what another rolls back",
    "effect_create_delete": "one creates what another deletes",
    "effect_exclusive": "several claim one exclusive state",
}
_VERB: Final = {
    "lock": ("locks", "lock"),
    "delete": ("deletes", "delete"),
    "rename": ("renames", "rename"),
    "rollback": ("rolls back", "roll back"),
    "deploy": ("deploys", "deploy"),
    "create": ("creates", "create"),
    "write": ("writes", "write"),
    "read": ("reads", "read"),
    "use": ("relies on", "rely on"),
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
    if finding.kind == RESOURCE and finding.severity >= HIGH:
        return _GRAVE
    if "constraint_freeze" in finding.rules:
        return ("override_by_priority", *RESOLUTIONS[CONSTRAINT])
    # Effects that exclude each other can be merged only one after the other.
    settled = finding.kind == EFFECT and finding.severity < HIGH
    return RESOLUTIONS[RESOURCE if settled else finding.kind]


def ways_out(finding: RawConflict, findings: ConflictLedger) -> Iterator[WayOut]:
    """The ways out that end the conflict: it is not found any more, or it needs no answer."""
    rules, about = finding.rules, finding.about
    if rules <= SETTLED and declared_chain(finding, findings):
        return
    if rules & WHOLE_SET:
        if "constraint_budget" in rules:
            yield "budgets"
        yield "leave_out"
        return
    if "order_unmet" in rules:
        registry = findings.policy.registry
        if registry and any(
            f"artifact:{artifact}" == about for each in registry.produces.values() for artifact in each
        ):
            yield "produce"
        yield "leave_out"
        return
    if "constraint_mode" in rules:
        yield "mode"
    elif rules == {"order_dependency"}:
        yield "declare"
    elif about == UNKNOWN:
        yield "name"
    elif rules & {"resource_shared_file"}:
        return
    elif "constraint_freeze" in rules:
        yield "unlock"
    elif rules == {"resource_contract"}:
        yield "rename"
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


def declared_chain(finding: RawConflict, findings: ConflictLedger) -> list[int]:
    """The writers of a conflict in their declared order, if that settles it; empty if some two of them are in none."""
    if not findings.declared or finding.severity >= HIGH or not finding.rules & {*SETTLED} - {"resource_shared_file"}:
        return []
    chain = findings.declared.chain(code >> SHIFT for code in finding.codes if code & WRITES)
    return chain if len(chain) > 1 else []


def _describe_chain(chain: Sequence[int], intents: Sequence[IntentDocument]) -> str:
    """Who comes after whom, as a part of a sentence; nothing if nobody does."""
    ids = [intents[number].id for number in chain]
    steps = [f"{later} {'comes ' * (not at)}after {earlier}" for at, (earlier, later) in enumerate(pairwise(ids))]
    more = len(steps) - SHOWN
    sentence = ", and ".join([*steps[:SHOWN], *([f"{more} more in turn"] if more > 0 else [])])
    return f"; {sentence}{',' * (len(steps) > 1)} as declared" if steps else ""


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
    if finding.kind in (RESOURCE, EFFECT) or finding.rules & {"constraint_lock", "constraint_freeze"}:
        seen: dict[str, None] = {}
        for code in finding.codes[:50]:
            renames = _word_for(code, finding, findings)[0] == "rename"
            seen[_claim_reference(code, intents[code >> SHIFT], "rename" if renames else "")] = None
        return tuple(sorted(seen))
    if finding.kind == ORDER:
        spelling = spelling_of(findings.policy)
        return tuple(_cited_reference(finding.about, intents[number], spelling) for number in members[:50])
    return tuple(f"{intents[number].id}#{finding.about or 'planned_commands'}" for number in members[:50])


def _claim_reference(code: int, intent: IntentDocument, word: str) -> str:
    """The command that makes a claim, with its gravest effect or another word for it."""
    claim = code & MASK
    if claim & LOCK and not claim & TOUCH:
        return f"{intent.id}#constraints.lock_scope"
    place = code >> BITS & 127
    if place >= len(intent.planned_commands):
        return f"{intent.id}#{'scope.targets' if claim else 'planned_commands'}"
    command = intent.planned_commands[place]
    verbs = ", ".join(repr(verb) for verb, _ in undeclared_verbs(command))
    done = word or gravest(claim)[1]
    return f"{intent.id}#{command.command_id}: {done}" + (f" (its text says {verbs})" if verbs else "")


def _cited_reference(about: str | None, intent: IntentDocument, spelling: Spelling) -> str:
    """The reference of an intent that names what is needed, or its planned commands if there is none."""
    root = intent.scope.repo_root
    for refs in (intent.evidence_refs, *(command.evidence_refs for command in intent.planned_commands)):
        for ref in refs if about is not None else ():
            assert about is not None
            if about in ref or any(
                is_cited_by(citation, about, spelling) for citation in cited_in(ref, root, spelling)
            ):
                return f"{intent.id}#evidence_refs: {ref}"
    return f"{intent.id}#planned_commands"


def _describe(finding: RawConflict, ids: Sequence[str], findings: ConflictLedger) -> str:
    about, kind = finding.about, finding.kind
    names = join_names(ids, SHOWN)
    settled = _describe_chain(declared_chain(finding, findings), findings.intents)
    if about == UNKNOWN:
        what = "cannot be compared" if kind == RESOURCE else "meet, because some lock files that may be written"
        text = f"{finding.detail} ({about}): {names} {what}."
    elif "resource_unplaced" in finding.rules:
        text = f"{_describe_claims(finding, findings)}: {finding.detail}, which cannot be decided from the names ({about})."
    elif "resource_shared_file" in finding.rules:
        text = f"{_describe_claims(finding, findings)}: different parts of one file, so they do not clash."
    elif kind == RESOURCE:
        text = f"{_describe_claims(finding, findings, in_turn=bool(settled))}{settled}."
        if "resource_many" in finding.rules:
            text += " Some of them meet on more than ten resources."
    elif kind == EFFECT and settled:
        both = "both" if len(ids) == 2 else "all"
        text = f"{names} {both} change {about}, which is one exclusive state{settled}."
    elif kind == EFFECT:
        what = " and ".join(_CLASH[rule] for rule in sorted(finding.rules))
        text = f"{names} cannot all have their way with {about}: {what}."
    elif kind == ORDER and about is None:
        text = f"{names} need each other in a circle, so no order lets each come after what it needs."
    elif "order_unmet" in finding.rules:
        text = f"{finding.detail} requires {about}, and of {names} none produces it."
    elif "order_removal" in finding.rules and "order_dependency" not in finding.rules:
        text = f"{_describe_removal(finding, findings)}."
    elif kind == ORDER:
        text = f"{finding.detail}, and nobody has said which comes first."
    elif finding.rules & {"constraint_lock", "constraint_freeze"}:
        text = f"{_describe_claims(finding, findings)}."
        if "constraint_freeze" in finding.rules:
            text += " No work of the plan that holds the lock will end it."
    else:
        text = f"{names} do not agree on {about}: {finding.detail}."
    ways = [WAYS_OUT[way] for way in ways_out(finding, findings)]
    return shorten(f"{text} Ways out: {', or '.join(ways)}." if ways else text, 1000)


def _describe_removal(finding: RawConflict, findings: ConflictLedger) -> str:
    removers, readers = (
        list(dict.fromkeys(findings.intents[c >> SHIFT].id for c in finding.codes if bool(c & MASK) == removes))
        for removes in (True, False)
    )
    who, citing = join_names(removers, SHOWN), join_names(readers, SHOWN)
    places = {_word_for(code, finding, findings) for code in finding.codes if code & MASK}
    if [*dict.fromkeys(word for word, _ in places)] == ["rename"] and len(places) == 1:
        return f"{who} renames {next(iter(places))[1]}, and the evidence of {citing} names the old one"
    verb = "removes" if len(removers) == 1 else "remove"
    return f"{who} {verb} {finding.about}, which the evidence of {citing} names"


def _describe_claims(finding: RawConflict, findings: ConflictLedger, *, in_turn: bool = False) -> str:
    """Which plans do what to what, the gravest first; what is the same for the next ones is `it`."""
    roles: dict[tuple[str, str], dict[str, None]] = {}
    for code in finding.codes:
        word, place = _word_for(code, finding, findings)
        roles.setdefault((word, place), {})[findings.intents[code >> SHIFT].id] = None
    sentences, last = [], ""
    for word, verb in _VERB.items():
        for (mine, place), names in roles.items():
            if mine == word:
                what = "it" if place == last else place
                both = ("both " if len(names) == 2 else "all ") if in_turn and len(names) > 1 else ""
                sentences.append(f"{join_names([*names], SHOWN)} {both}{verb[len(names) > 1]} {what}")
                last = place
    return "; ".join(sentences) + _describe_overlap([place for word, place in roles if word != "rename"])


def _describe_overlap(places: Sequence[str]) -> str:
    """What patterns that differ have in common, as an example."""
    several = [place for place in dict.fromkeys(places) if ":" not in place]
    if (
        len(several) == 2
        and algebra.meets(*several)
        and not (algebra.covers(*several) or algebra.covers(*several[::-1]))
    ):
        return f" (both mean {algebra.example(*several)}, for example)"
    return ""


def _word_for(code: int, finding: RawConflict, findings: ConflictLedger) -> tuple[str, str]:
    """What a member of a conflict does, and to what: its own claim, where that is known."""
    number, about = code >> SHIFT, finding.about or ""
    if finding.rules & {"constraint_lock", "constraint_freeze"} and code & LOCK:
        word = "lock"
    elif "resource_contract" in finding.rules and gravest(code)[1] == "read":
        word = "use"
    else:
        word = gravest(code)[1]
    claims = findings.claims[number] if findings.claims else {}
    place = about.partition(":")[2] if about.startswith(("file:", "place:")) else about
    if place in claims or not claims:
        return _rename_or(word, place, number, findings)
    spelling = spelling_of(findings.policy)
    bits = code & MASK
    own = [
        resource
        for resource, claim in claims.items()
        if resource != UNKNOWN and claim & bits & ~TOUCH and spelling.meets(resource, place)
    ]
    own = own or [resource for resource in claims if resource != UNKNOWN and spelling.meets(resource, place)]
    return _rename_or(word, own[0] if own else place, number, findings)


def _rename_or(word: str, place: str, number: int, findings: ConflictLedger) -> tuple[str, str]:
    """What a plan does to what: a rename, if it takes one of two names away for the other or makes it, is called so."""
    intent = findings.intents[number]
    if word in {"delete", "create"} and intent.scope.targets.renames:
        names = rename_of(place, intent, spelling_of(findings.policy).fold)
        return (word, place) if names is None else ("rename", f"{names[0]} to {names[1]}")
    return word, place
