"""Constraint conflicts: locks, interaction modes, and what all intents together may use and one intent can hold.

A lock on files clashes with a lock of somebody else on the same path, and with the writes of anybody else there,
whatever they lock themselves; who writes and does not say what may write there. An intent that never asks clashes with one that wants to be asked. Budgets and capacities are summed over the
whole set; a conflict of the whole set connects nobody.
"""

from __future__ import annotations

from math import fsum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from volition.governance.claims import LOCK, WRITES
from volition.governance.conflicts.contests import SHIFT
from volition.governance.conflicts.finding import CONSTRAINT, HIGH
from volition.governance.parts import commands_of
from volition.governance.resources import clean_paths, module_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.governance.conflicts.finding import Findings
    from volition.governance.documents import Intent

LOCKED: Final = 64
FLAGS: Final = LOCKED
RULES: Final = {LOCKED: "constraint_lock"}
BUDGETS: Final = ("max_files", "max_commits", "max_tokens", "max_cost_usd")
_ASKED: Final[dict[str, Callable[[Intent], float]]] = {name: attrgetter(f"budgets.{name}") for name in BUDGETS}


def clash(one: int, other: int) -> int:
    """Whether one locks what the other locks or writes.

    >>> clash(LOCK, WRITES) == LOCKED, clash(WRITES, LOCK) == LOCKED, clash(WRITES, WRITES)
    (True, True, 0)
    """
    if (one & LOCK and other & (LOCK | WRITES)) or (other & LOCK and one & WRITES):
        return LOCKED
    return 0


def find_modes(findings: Findings) -> None:
    """Some never ask, others want to be asked."""
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


def find_sums(findings: Findings) -> None:
    """What all intents ask for together against the policy, and what they hold together against one intent's room."""
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
    for name in crowded(findings.intents):
        most = CAPACITIES[name]
        if exceeds(findings.intents, name):
            severity = findings.severity("constraint_capacity")
            detail = f"together more than the {most} that one intent can hold"
            findings.add(CONSTRAINT, name, "constraint_capacity", severity, everybody, detail=detail)


def total_of(intents: Iterable[Intent], name: str) -> float:
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
    "constraints.lock_scope.paths": 200,
}
"""How much of each one intent can hold."""
_COUNTED: Final[dict[str, Callable[[Intent], tuple[Any, ...]]]] = {name: attrgetter(name) for name in CAPACITIES}
_HELD: Final[dict[str, Callable[[Intent], tuple[Any, ...]]]] = {
    **{name: attrgetter(name) for name in CAPACITIES},
    "planned_commands": lambda intent: tuple(commands_of(intent)),
    "constraints.lock_scope.paths": lambda intent: (
        intent.constraints.lock_scope.paths if intent.constraints.lock_scope.mode == "files" else ()
    ),
}
_CLEAN: Final[dict[str, Callable[[tuple[str, ...], str], Iterable[str]]]] = {
    "scope.targets.files": clean_paths,
    "scope.targets.modules": lambda names, _: map(module_name, names),
    "constraints.lock_scope.paths": clean_paths,
}


def crowded(intents: Sequence[Intent]) -> list[str]:
    """The sorts of which the intents hold more than one intent can, as long as duplicates count."""
    # Where there are many intents, the first of them mostly hold too much already.
    return [
        name
        for name, most in CAPACITIES.items()
        if _count(name, intents[: most + 1]) > most or (len(intents) > most + 1 and _count(name, intents) > most)
    ]


def _count(name: str, intents: Sequence[Intent]) -> int:
    return sum(map(len, map(_COUNTED[name], intents)))


def exceeds(intents: Iterable[Intent], name: str) -> bool:
    """Whether the intents hold more different things of one sort than one intent can; stops as soon as that is clear."""
    most, held_by, clean = CAPACITIES[name], _HELD[name], _CLEAN.get(name)
    held: set[Any] = set()
    before: tuple[Any, ...] = ()
    for intent in intents:
        some = held_by(intent)
        # Many intents hold the same as the one before: to compare is faster than to look up.
        if some and some != before:
            before = some
            held.update(clean(some, intent.scope.repo_root) if clean else some)
            if len(held) > most:
                return True
    return False
