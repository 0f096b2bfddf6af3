"""Effect conflicts: effects that exclude each other, on one resource or in one exclusive state.

Deploying and rolling back one target, creating and deleting one thing, and two claims on one exclusive state: two
deploys of one target, two writers of a resource that the policy calls exclusive, two deploys of anything in an
environment that it calls exclusive. In production all of it is critical.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.governance.claims.effects import CREATE, DELETE, DEPLOY, ROLLBACK, WRITES, all_effect_bits
from volition.governance.claims.spelling import resource_of, spelling_of
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.ledger import EFFECT, HIGH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.claims.spelling import Spelling
    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.ledger import ConflictLedger

DEPLOY_ROLLBACK, CREATE_DELETE, EXCLUSIVE = 8, 16, 32
FLAGS: Final = DEPLOY_ROLLBACK | CREATE_DELETE | EXCLUSIVE
RULES: Final = {
    DEPLOY_ROLLBACK: "effect_deploy_rollback",
    CREATE_DELETE: "effect_create_delete",
    EXCLUSIVE: "effect_exclusive",
}


def clash(one: int, other: int) -> int:
    """How two claims on one resource clash by their effects.

    >>> clash(DEPLOY, ROLLBACK) == DEPLOY_ROLLBACK, clash(DEPLOY, DEPLOY) == EXCLUSIVE, clash(CREATE, CREATE)
    (True, True, 0)
    """
    flags = 0
    if (one & DEPLOY and other & ROLLBACK) or (one & ROLLBACK and other & DEPLOY):
        flags = DEPLOY_ROLLBACK
    if (one & CREATE and other & DELETE) or (one & DELETE and other & CREATE):
        flags |= CREATE_DELETE
    if one & other & (DEPLOY | ROLLBACK):
        flags |= EXCLUSIVE
    return flags


def find_exclusive(findings: ConflictLedger, index: Index, unknown: Sequence[int]) -> None:
    """Claims on what the policy calls exclusive: resources first, then the environment.

    `unknown` are the codes of those who may write anything, and so what is exclusive.
    """
    spelling = spelling_of(findings.policy)
    for name in findings.policy.exclusive_resources:
        state = spelling.fold(resource_of(name))
        codes = sorted([code for code in _overlapping(state, index, spelling) if code & WRITES] + list(unknown))
        _report(findings, state, codes)
    if findings.env in findings.policy.exclusive_envs:
        _find_in_env(findings)


def _overlapping(state: str, index: Index, spelling: Spelling) -> list[int]:
    """The codes of all who claim the state, something in it, or something that holds it."""
    codes: list[int] = []
    for place, held in index.items():
        if spelling.meeting(state, place):
            codes += held
    return codes


def _find_in_env(findings: ConflictLedger) -> None:
    """Report deploys and rollbacks of anything in an exclusive environment."""
    done = [all_effect_bits(intent) & (DEPLOY | ROLLBACK) for intent in findings.intents]
    deploying = [number << SHIFT | bits for number, bits in enumerate(done) if bits & DEPLOY]
    undoing = [number << SHIFT | bits for number, bits in enumerate(done) if bits & ROLLBACK]
    about = f"env:{findings.env}"
    for codes in (deploying, undoing):
        _report(findings, about, codes)
    both = _owners(deploying) | _owners(undoing)
    if deploying and undoing and len(both) > 1:
        mixed = [*deploying, *undoing]
        level = findings.severity("effect_deploy_rollback")
        if findings.env != "prod" and "effect_deploy_rollback" not in findings.policy.severities:
            level = HIGH  # they act on different targets
        findings.add(EFFECT, about, "effect_deploy_rollback", level, mixed)
        findings.exclusive.append((about, tuple(sorted(both))))
        if level >= HIGH:
            findings.clusters.link(sorted(_owners(deploying)), sorted(_owners(undoing)))


def _report(findings: ConflictLedger, about: str, codes: Sequence[int]) -> None:
    members, level = _owners(codes), findings.severity("effect_exclusive")
    if len(members) < 2:
        return
    findings.add(EFFECT, about, "effect_exclusive", level, codes)
    findings.exclusive.append((about, tuple(sorted(members))))
    if level >= HIGH:
        findings.clusters.join(members)


def _owners(codes: Sequence[int]) -> set[int]:
    return {code >> SHIFT for code in codes}
