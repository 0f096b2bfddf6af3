"""Constraint conflicts: locks, interaction modes, and what all intents together may use and one intent can hold.

A lock on files clashes with another plan's lock on the same path, and with any other plan's writes there, whatever it
locks itself; a plan that writes without naming a target may write there too. Who violates a lock waits for the plan that
holds it; a freeze, which no work will end, is high. An intent that never asks
clashes with one that wants to be asked. Budgets and capacities are summed over the whole set; a conflict of the whole set
connects no plans.
"""

from __future__ import annotations

from math import fsum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from volition.governance.claims.footprint import resource_in
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.ledger import CONSTRAINT, HIGH
from volition.governance.documents.effects import FREEZE, LOCK, WRITES
from volition.governance.documents.intent import commands_of
from volition.governance.paths.names import clean_path, module_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.governance.conflicts.ledger import ConflictLedger
    from volition.governance.documents.intent import IntentDocument

LOCKED, FROZEN = 64, 512
LEFT_HOLDS, RIGHT_HOLDS, BOTH_LOCK = 8192, 16384, 32768
"""Which of the two holds a lock on what the other writes, and whether both lock it."""
LEFT_FREEZES, RIGHT_FREEZES = 65536, 131072
"""Which of the two freezes what the other writes."""
FLAGS: Final = LOCKED | FROZEN
RULES: Final = {LOCKED: "constraint_lock", FROZEN: "constraint_freeze"}
BUDGETS: Final = ("max_files", "max_commits", "max_tokens", "max_cost_usd")
_ASKED: Final[dict[str, Callable[[IntentDocument], float]]] = {name: attrgetter(f"budgets.{name}") for name in BUDGETS}


def clash(one: int, other: int) -> int:
    """Whether one locks what the other locks or writes, and which of them holds the lock.

    >>> clash(LOCK, WRITES) == LOCKED | LEFT_HOLDS, clash(WRITES, LOCK) == LOCKED | RIGHT_HOLDS, clash(WRITES, WRITES)
    (True, True, 0)
    """
    locked = LEFT_HOLDS if one & LOCK and other & WRITES else 0
    locked |= RIGHT_HOLDS if other & LOCK and one & WRITES else 0
    locked |= BOTH_LOCK if one & other & LOCK else 0
    frozen = LEFT_FREEZES if one & FREEZE and other & WRITES else 0
    frozen |= RIGHT_FREEZES if other & FREEZE and one & WRITES else 0
    if frozen:
        return FROZEN | frozen | locked
    return LOCKED | locked if locked else 0


def find_modes(findings: ConflictLedger) -> None:
    """Report that some plans never ask questions while others want to be asked."""
    silent, asking = [], []
    for number, intent in enumerate(findings.intents):
        mode = intent.interaction.mode
        if mode == "full_auto":
            silent.append(number)
        elif mode == "interactive":
            asking.append(number)
    if silent and asking:
        severity = findings.severity("constraint_mode")
        members = sorted([*silent, *asking])
        detail = f"{len(silent)} never ask (full_auto), {len(asking)} want to be asked (interactive)"
        codes = (number << SHIFT for number in members)
        findings.add(CONSTRAINT, "interaction.mode", "constraint_mode", severity, codes, detail=detail)
        if severity >= HIGH:
            findings.clusters.link(silent, asking)


def find_sums(findings: ConflictLedger) -> None:
    """Compare the sums of all budgets with the policy, and what all intents hold with the capacity of one intent."""
    everybody = [number << SHIFT for number in range(len(findings.intents))]
    for name in BUDGETS:
        total, most = total_of(findings.intents, name), getattr(findings.policy, name)
        if total > most:
            detail = (
                f"together {total:g} against the limit of {most:g}"
                if total < 1e6
                else f"together {total} against the limit of {most}"
            )
            severity = findings.severity("constraint_budget")
            findings.add(CONSTRAINT, f"budgets.{name}", "constraint_budget", severity, everybody, detail=detail)
    for name, most in CAPACITIES.items():
        if exceeds(findings.intents, name):
            severity = findings.severity("constraint_capacity")
            detail = f"together more than the {most} that one intent can hold"
            findings.add(CONSTRAINT, name, "constraint_capacity", severity, everybody, detail=detail)


def total_of(intents: Iterable[IntentDocument], name: str) -> float:
    """The sum of one budget, the same in any order."""
    values = map(_ASKED[name], intents)
    return fsum(values) if name == "max_cost_usd" else sum(values)


CAPACITIES: Final = {
    "planned_commands": 80,
    "selected_workflows": 18,
    "selected_agents": 13,
    "evidence_refs": 200,
    "scope.targets.files": 200,
    "scope.targets.modules": 100,
    "scope.targets.reads": 200,
    "scope.targets.removes": 200,
    "scope.targets.renames": 200,
    "constraints.lock_scope.paths": 200,
}
"""How much of each one intent can hold."""
_LISTED: Final[dict[str, Callable[[IntentDocument], tuple[Any, ...]]]] = {name: attrgetter(name) for name in CAPACITIES}
HELD: Final[dict[str, Callable[[IntentDocument], Iterable[Any]]]] = {
    **_LISTED,
    "planned_commands": commands_of,
    "scope.targets.files": lambda intent: _clean(intent.scope.targets.files, intent),
    "scope.targets.modules": lambda intent: [
        module_name(m, intent.scope.repo_root) for m in intent.scope.targets.modules
    ],
    "scope.targets.reads": lambda intent: _declare(intent.scope.targets.reads, intent),
    "scope.targets.removes": lambda intent: _declare(intent.scope.targets.removes, intent),
    "scope.targets.renames": lambda intent: _declare(intent.scope.targets.renames, intent),
    "constraints.lock_scope.paths": lambda intent: _clean(locked_paths(intent), intent),
}
"""What an intent holds of each, under its one name."""


def exceeds(intents: Sequence[IntentDocument], name: str) -> bool:
    """Whether the intents hold more different things of one sort than one intent can; stops as soon as that is clear."""
    most = CAPACITIES[name]
    # Most sets are below the limit even with duplicates counted.
    if sum(map(len, map(_LISTED[name], intents))) <= most:
        return False
    different: set[Any] = set()
    for intent in intents:
        different.update(HELD[name](intent))
        if len(different) > most:
            return True
    return False


def locked_paths(intent: IntentDocument) -> tuple[str, ...]:
    """The files and folders that an intent locks."""
    lock = intent.constraints.lock_scope
    return lock.paths if lock.mode == "files" else ()


def _declare(names: Iterable[str], intent: IntentDocument) -> Iterable[str]:
    return (resource_in(name, intent.scope.repo_root) for name in names)


def _clean(paths: Iterable[str], intent: IntentDocument) -> Iterable[str]:
    return (clean_path(path, intent.scope.repo_root) for path in paths)
