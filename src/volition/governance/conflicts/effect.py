"""Effect conflicts: effects that exclude each other, on one resource or in one exclusive state.

Deploying and rolling back one target, creating and deleting one thing, and two claims on one exclusive state: two
deploys of one target, two writers of a resource that the policy calls exclusive, two writers of one folder whose files
together are one state (a folder of Terraform, a chain of migrations), two deploys of anything in an environment that the
policy calls exclusive. In production all of it is critical.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from volition.governance.claims.spelling import resource_of, spelling_of
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.ledger import EFFECT, HIGH, severity_of
from volition.governance.documents.effects import CREATE, DELETE, DEPLOY, ROLLBACK, WRITES, all_effect_bits
from volition.governance.paths.names import MODULE, SERVICE, UNKNOWN, clean_path, holder, split_part
from volition.governance.paths.patterns import WHOLE_PROJECT, anchor_of, covers_path, is_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.conflicts.contests import Index
    from volition.governance.conflicts.ledger import ConflictLedger
    from volition.governance.documents.intent_set import Env
    from volition.governance.documents.policy import Policy

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


class ExclusiveStates:
    """What a policy calls exclusive: resources by name, and folders whose files together are one state."""

    def __init__(self, policy: Policy) -> None:
        spelling = spelling_of(policy)
        self._meets = spelling.meets
        self._named = tuple(spelling.fold(resource_of(name)) for name in policy.exclusive_resources)
        folders = [spelling.fold(clean_path(pattern)) for pattern in policy.exclusive_folders]
        self._folders = f"{{{','.join(folders)}}}" if len(folders) > 1 else "".join(folders)
        """One pattern for all of them: a path is followed once."""
        self._needles = tuple(map(_needle_of, folders))

    def of(self, written: Iterable[str]) -> list[str]:
        """The exclusive states that some written resources belong to; `UNKNOWN` belongs to each that the policy names."""
        states: dict[str, None] = {}
        for resource in written:
            if resource == UNKNOWN:
                states |= dict.fromkeys(self._named)
                continue
            states |= dict.fromkeys(state for state in self._named if self._meets(state, resource))
            # Most paths have nothing of the kind in their names, and need not be followed.
            if any(needle in resource for needle in self._needles) or "{" in resource or "[" in resource:
                folder = _folder_state(split_part(resource)[0], self._folders)
                states |= {folder: None} if folder is not None else {}
        return list(states)


def _needle_of(pattern: str) -> str:
    """A text that every path has that a pattern covers; empty where there is none to be sure of."""
    return "" if "{" in pattern or "[" in pattern else max(re.split(r"[*?]+", pattern), key=len)


def _folder_state(path: str, pattern: str) -> str | None:
    """The folder that is one state with all that lies in it, if a path lies in such a one."""
    if not pattern or path == WHOLE_PROJECT or path.startswith((MODULE, SERVICE)) or not covers_path(pattern, path):
        return None
    return anchor_of(path) if is_pattern(path) else holder(path)


def find_exclusive(findings: ConflictLedger, index: Index, unknown: Sequence[int]) -> None:
    """Claims on what the policy calls exclusive: resources first, then the environment.

    `unknown` are the codes of those who may write anything, and so what is exclusive.
    """
    exclusive = ExclusiveStates(findings.policy)
    states: dict[str, list[int]] = {}
    for resource, claimed in index.items():
        codes = [code for code in claimed if code & WRITES]
        for state in exclusive.of([resource]) if codes else ():
            states.setdefault(state, []).extend(codes)
    for state in {*states, *exclusive.of([UNKNOWN])} if unknown else ():
        states.setdefault(state, []).extend(unknown)
    for state in sorted(states):
        _report(findings, state, sorted(states[state]))
    if findings.env in findings.policy.exclusive_envs:
        _find_in_env(findings)


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
        level = level_in_env("effect_deploy_rollback", findings.policy, findings.env)
        findings.add(EFFECT, about, "effect_deploy_rollback", level, mixed)
        findings.exclusive.append((about, tuple(sorted(both))))
        if level >= HIGH:
            findings.clusters.link(sorted(_owners(deploying)), sorted(_owners(undoing)))


def level_in_env(rule: str, policy: Policy, env: Env) -> int:
    """The severity of a clash of plans that share an exclusive environment, and act on different targets there."""
    return HIGH if env != "prod" and rule not in policy.severities else severity_of(rule, policy, env)


def _report(findings: ConflictLedger, about: str, codes: Sequence[int]) -> None:
    members, level = _owners(codes), findings.severity("effect_exclusive")
    if len(members) < 2:
        return
    several = sorted(members)
    level = findings.clash_unless_ordered(about, level, several, several)
    findings.add(EFFECT, about, "effect_exclusive", level, codes)
    findings.exclusive.append((about, tuple(several)))


def _owners(codes: Sequence[int]) -> set[int]:
    return {code >> SHIFT for code in codes}
