"""The naive evaluator, part two: what clashes, found by looking at every pair."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, permutations, product
from math import fsum
from typing import TYPE_CHECKING, Final

from tests.governance.reference_sides import WRITERS, Side, may_be, meeting, mentions, named, side_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tests.governance.reference_sides import Resource
    from volition.governance.documents.intent import IntentDocument, Level
    from volition.governance.documents.intent_set import IntentSet
    from volition.governance.documents.policy import Policy
    from volition.governance.documents.result import ConflictKind

UNKNOWN: Final = "scope:unknown"
LEVELS: Final[tuple[Level, ...]] = ("low", "medium", "high", "critical")
BUDGETS: Final = ("max_files", "max_commits", "max_tokens", "max_cost_usd")


@dataclass(frozen=True, slots=True)
class Clash:
    """Two intents, or more, at odds over one thing by one rule."""

    kind: ConflictKind
    severity: Level
    about: str | None
    members: tuple[str, ...]
    rule: str


def highest(levels: Iterable[Level]) -> Level:
    """The most severe of these levels."""
    return max(levels, key=LEVELS.index)


def clashes(intent_set: IntentSet, intents: Sequence[IntentDocument], policy: Policy) -> list[Clash]:
    """Every clash of every pair, and those of the whole set."""
    sides = [side_of(intent, policy) for intent in sorted(intents, key=lambda intent: intent.id)]
    metadata = intent_set.metadata
    hints = metadata.merge_hints.complementary if metadata and metadata.merge_hints else ()
    complementary = {frozenset(pair) for pair in hints}
    env = intent_set.context.env
    found: list[Clash] = []
    for one, other in combinations(sides, 2):
        found += resource_clashes(one, other, policy, complementary=frozenset({one.id, other.id}) in complementary)
        found += effect_clashes(one, other, env, policy)
        found += mode_clashes(one, other, policy)
        found += lock_clashes(one, other, policy)
        found += unknown_clashes(one, other, env, policy)
        found += unplaced_clashes(one, other, policy)
    found += order_clashes(sides, policy)
    found += unmet_clashes(sides, policy)
    found += budget_clashes(intents, policy)
    return found


def resource_clashes(one: Side, other: Side, policy: Policy, *, complementary: bool) -> list[Clash]:
    """Two intents on one resource, of which one at least writes."""
    found: list[tuple[str, Resource]] = []
    for left, right in product(one.touched, other.touched):
        shared = meeting(left, right, policy)
        mine, yours = one.touched[left] & WRITERS, other.touched[right] & WRITERS
        if shared is None or not (mine or yours):
            continue
        if not (mine and yours):
            rule = "resource_read_write"
        elif ("delete" in mine and yours - {"delete"}) or ("delete" in yours and mine - {"delete"}):
            rule = "resource_write_delete"
        else:
            rule = "resource_write_write"
        found.append((rule, shared))
    many = len({shared for _, shared in found}) > 10
    members = (one.id, other.id)
    clashes: list[Clash] = []
    for rule, shared in found:
        severity = policy.severity(rule)
        if rule == "resource_write_write" and complementary:
            severity = min(severity, "medium", key=LEVELS.index)
        if many:
            severity = highest([severity, policy.severity("resource_many")])
        clashes.append(Clash("resource_conflict", severity, str(shared), members, rule))
    return clashes


def effect_clashes(one: Side, other: Side, env: str, policy: Policy) -> Iterator[Clash]:
    """Effects that cannot both be had: on one resource, on an exclusive one, or in an exclusive environment."""

    def clash(rule: str, about: str, *, apart: bool = False) -> Clash:
        severity = policy.severity(rule)
        if rule not in policy.severities:
            severity = "critical" if env == "prod" else "high" if apart else severity
        return Clash("effect_conflict", severity, about, (one.id, other.id), rule)

    def rules(mine: frozenset[str], yours: frozenset[str]) -> Iterator[str]:
        for first, second in ((mine, yours), (yours, mine)):
            if "deploy" in first and "rollback" in second:
                yield "effect_deploy_rollback"
            if "create" in first and "delete" in second:
                yield "effect_create_delete"
        if ("deploy" in mine and "deploy" in yours) or ("rollback" in mine and "rollback" in yours):
            yield "effect_exclusive"

    for left, right in product(one.touched, other.touched):
        if shared := meeting(left, right, policy):
            for rule in rules(one.touched[left], other.touched[right]):
                yield clash(rule, str(shared))
    for name in policy.exclusive_resources:
        state = named(name, policy)
        if all(
            side.unknown or any(meeting(state, resource, policy) for resource in side.where(WRITERS))
            for side in (one, other)
        ):
            yield clash("effect_exclusive", str(state))
    if env in policy.exclusive_envs:
        deploying = {"deploy", "rollback"}
        if one.effects & deploying and other.effects & deploying:
            for rule in set(rules(one.effects & deploying, other.effects & deploying)):
                yield clash(rule, f"env:{env}", apart=True)


def mode_clashes(one: Side, other: Side, policy: Policy) -> Iterator[Clash]:
    """One never asks, the other wants to be asked."""
    if {one.intent.interaction.mode, other.intent.interaction.mode} == {"full_auto", "interactive"}:
        severity = policy.severity("constraint_mode")
        yield Clash("constraint_conflict", severity, "interaction.mode", (one.id, other.id), "constraint_mode")


def lock_clashes(one: Side, other: Side, policy: Policy) -> Iterator[Clash]:
    """A lock, and somebody else who locks there or writes there, or may."""
    severity = policy.severity("constraint_lock")
    for holder, visitor in ((one, other), (other, one)):
        for lock, path in product(holder.locks, [*visitor.locks, *visitor.where(WRITERS)]):
            if shared := meeting(lock, path, policy):
                yield Clash("constraint_conflict", severity, str(shared), (one.id, other.id), "constraint_lock")
        if holder.locks and visitor.unknown:
            yield Clash("constraint_conflict", severity, UNKNOWN, (one.id, other.id), "constraint_lock")


def unknown_clashes(one: Side, other: Side, env: str, policy: Policy) -> Iterator[Clash]:
    """Two writers, one of which does not say what it writes: grave in production, a warning elsewhere."""
    if (one.unknown and other.effects & WRITERS) or (other.unknown and one.effects & WRITERS):
        rule = "resource_unknown"
        severity = policy.severity(rule) if env == "prod" or rule in policy.severities else "low"
        yield Clash("resource_conflict", severity, UNKNOWN, (one.id, other.id), rule)


def unplaced_clashes(one: Side, other: Side, policy: Policy) -> Iterator[Clash]:
    """A module of the one, and a path of the other which may be that module, where one of the two writes."""
    severity = policy.severity("resource_unplaced")
    for mine, yours in ((one, other), (other, one)):
        for dotted, path in product(mine.touched, yours.touched):
            if (mine.touched[dotted] | yours.touched[path]) & WRITERS and may_be(dotted, path, policy):
                about = f"place:{'.'.join(dotted.parts)}"
                yield Clash("resource_conflict", severity, about, (one.id, other.id), "resource_unplaced")


def order_clashes(sides: Sequence[Side], policy: Policy) -> list[Clash]:
    """What one needs from another without saying so, and circles, said or not."""
    needed = [(one, other, about) for one, other in permutations(sides, 2) for about in needs(one, other, policy)]
    declared = {(one.id, other.id) for one, other in permutations(sides, 2) if one.id in declared_by(other.intent)}
    severity = policy.severity("order_dependency")
    found = [
        Clash("order_conflict", severity, about, (one.id, other.id), "order_dependency")
        for one, other, about in needed
        if (one.id, other.id) not in declared
    ]
    before = declared | {(one.id, other.id) for one, other, _ in needed}
    severity = policy.severity("order_cycle")
    found += [Clash("order_conflict", severity, None, circle, "order_cycle") for circle in circles(before)]
    return found


def declared_by(intent: IntentDocument) -> set[str]:
    """The intents that this one says come before it."""
    return {*intent.lineage.derived_from, *(intent.metadata.depends_on if intent.metadata else ())}


def needs(one: Side, other: Side, policy: Policy) -> Iterator[str]:
    """What `other` takes from `one`, by its evidence, by their phases or by the registry."""
    made = one.where(WRITERS - {"delete"})
    own = other.where(WRITERS)
    cited = [resource for resource in made if mentions(other.evidence, resource, policy)]
    yield from (str(resource) for resource in cited if not any(meeting(resource, mine, policy) for mine in own))
    if one.id in other.evidence and one.id in re.split(r"[^a-z0-9_]+", other.evidence):
        yield one.id
    if "implementation" in phases(one) and "analysis" in phases(other):
        read = [resource for resource in other.touched if resource not in own]
        yield from (str(at) for one_made, seen in product(made, read) if (at := meeting(one_made, seen, policy)))
    if policy.registry:
        required, produced = policy.registry.requires, policy.registry.produces
        commands = {command.command_id for command in other.intent.planned_commands}
        wanted = {artifact for command in commands for artifact in required.get(command, ())}
        wanted -= {artifact for command in commands for artifact in produced.get(command, ())}
        given = {artifact for c in one.intent.planned_commands for artifact in produced.get(c.command_id, ())}
        yield from (f"artifact:{artifact}" for artifact in wanted & given)


def unmet_clashes(sides: Sequence[Side], policy: Policy) -> Iterator[Clash]:
    """What the registry says that a command requires, and no command of the set produces."""
    if policy.registry:
        required, produced = policy.registry.requires, policy.registry.produces
        commands = {command.command_id for side in sides for command in side.intent.planned_commands}
        wanted = {artifact for command in commands for artifact in required.get(command, ())}
        wanted -= {artifact for command in commands for artifact in produced.get(command, ())}
        everybody, severity = tuple(side.id for side in sides), policy.severity("order_unmet")
        for artifact in wanted:
            yield Clash("order_conflict", severity, f"artifact:{artifact}", everybody, "order_unmet")


def phases(side: Side) -> set[str]:
    """All phases of all workflows of an intent."""
    return {phase for workflow in side.intent.selected_workflows for phase in workflow.phases}


def circles(before: set[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The groups in which everybody comes before everybody else, directly or by way of others."""
    after: dict[str, list[str]] = {name: [] for pair in before for name in pair}
    for one, other in before:
        after[one].append(other)
    reach = {name: reached(name, after) for name in after}
    looped = sorted(name for name in after if name in reach[name])
    return sorted({tuple(b for b in looped if b in reach[a] and a in reach[b]) for a in looped})


def reached(start: str, after: Mapping[str, Sequence[str]]) -> set[str]:
    """All that comes after `start`, however late."""
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        new = set(after[ahead.pop()]) - seen
        seen |= new
        ahead += new
    return seen


def budget_clashes(intents: Sequence[IntentDocument], policy: Policy) -> Iterator[Clash]:
    """What all intents of the set ask for together, against what the policy allows."""
    everybody = tuple(sorted(intent.id for intent in intents))
    for name in BUDGETS:
        if fsum(getattr(intent.budgets, name) for intent in intents) > getattr(policy, name):
            severity = policy.severity("constraint_budget")
            yield Clash("constraint_conflict", severity, f"budgets.{name}", everybody, "constraint_budget")
