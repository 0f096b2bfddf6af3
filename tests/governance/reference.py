"""The naive evaluator, part three: what clashes, found by looking at every pair."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations, product
from math import fsum
from typing import TYPE_CHECKING, Final

from tests.governance.naive_patterns import pattern_covers
from tests.governance.reference_names import (
    SOURCES,
    Resource,
    covers,
    file,
    folded,
    may_be,
    meeting,
    parts_meet,
    place,
    places,
)
from tests.governance.reference_sides import WRITERS, Side, side_of
from volition.governance.claims.spelling import spelling_of
from volition.governance.conflicts.citations import cited_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tests.governance.reference_sides import Claim
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
    said = said_orders([side.intent for side in sides])
    found: list[Clash] = []
    for one, other in combinations(sides, 2):
        hinted, in_turn = (
            frozenset({one.id, other.id}) in complementary,
            bool({(one.id, other.id), (other.id, one.id)} & said),
        )
        found += resource_clashes(one, other, policy, complementary=hinted, in_turn=in_turn)
        found += effect_clashes(one, other, env, policy)
        found += mode_clashes(one, other, policy)
        found += lock_clashes(one, other, policy)
        found += unknown_clashes(one, other, env, policy)
        found += unplaced_clashes(one, other, policy)
        found += shared_clashes(one, other, policy)
    found += exclusive_clashes(sides, env, policy)
    found += order_clashes(sides, policy)
    found += removal_clashes(sides, policy)
    found += unmet_clashes(sides, policy)
    found += budget_clashes(intents, policy)
    return [in_turns(clash, said) for clash in found]


IN_TURNS: Final = {"resource_write_write", "resource_shared_file", "effect_exclusive"}
"""Rules by which two only stand in each other's way, so that one can follow the other."""


def in_turns(clash: Clash, said: set[tuple[str, str]]) -> Clash:
    """A clash, which is no worse than medium where it was said which of the two comes first and both can have their way."""
    if clash.rule in IN_TURNS and (clash.members in said or clash.members[::-1] in said):
        return replace(clash, severity=min(clash.severity, "medium", key=LEVELS.index))
    return clash


def said_orders(intents: Iterable[IntentDocument]) -> set[tuple[str, str]]:
    """The pairs (earlier, later) that follow from what these intents say, unless the opposite follows as well."""
    ids = {intent.id for intent in intents}
    after: dict[str, list[str]] = {name: [] for name in ids}
    for intent in intents:
        for name in declared_by(intent) & ids:
            after[name].append(intent.id)
    reach = {name: reached(name, after) for name in ids}
    return {(one, other) for one in ids for other in reach[one] if one not in reach[other]}


def capped(severity: Level, rule: str, mine: Claim, yours: Claim, policy: Policy) -> Level:
    """The severity of a clash; one that follows from the words of a text alone is never critical by itself."""
    if (mine.declared and yours.declared) or rule in policy.severities:
        return severity
    return min(severity, "high", key=LEVELS.index)


def resource_clashes(
    one: Side, other: Side, policy: Policy, *, complementary: bool, in_turn: bool = False
) -> list[Clash]:
    """Two intents on one resource, of which one at least writes; how many there are matters if nobody said who is first."""
    found: list[tuple[str, Resource, Claim, Claim]] = []
    for (left, mine), (right, yours) in product(one.touched.items(), other.touched.items()):
        shared = meeting(left, right, policy)
        if shared is not None and (mine.writes or yours.writes):
            found.append((resource_rule(mine, yours), shared, mine, yours))
    many = len({shared for _, shared, _, _ in found}) > 10 and not in_turn
    clashes: list[Clash] = []
    for rule, shared, mine, yours in found:
        severity = capped(policy.severity(rule), rule, mine, yours, policy)
        if rule == "resource_write_write" and complementary:
            severity = min(severity, "medium", key=LEVELS.index)
        if many:
            raised = capped(policy.severity("resource_many"), "resource_many", mine, yours, policy)
            severity = highest([severity, raised])
        clashes.append(Clash("resource_conflict", severity, str(shared), (one.id, other.id), rule))
    return clashes


def resource_rule(mine: Claim, yours: Claim) -> str:
    """How two claims clash, of which one at least writes."""
    for reads, writes in ((mine, yours), (yours, mine)):
        if not reads.writes:
            return "resource_contract" if reads.uses and "delete" in writes.effects else "resource_read_write"
    for deletes, writes in ((mine, yours), (yours, mine)):
        if "delete" in deletes.effects and writes.writes - {"delete"}:
            return "resource_write_delete"
    return "resource_write_write"


def severity_in(rule: str, env: str, policy: Policy) -> Level:
    """The severity of an effect clash: in production all are critical, unless the policy says otherwise."""
    return "critical" if env == "prod" and rule not in policy.severities else policy.severity(rule)


def rules_of(mine: set[str], yours: set[str]) -> Iterator[str]:
    """The rules by which effects exclude each other."""
    for first, second in ((mine, yours), (yours, mine)):
        if "deploy" in first and "rollback" in second:
            yield "effect_deploy_rollback"
        if "create" in first and "delete" in second:
            yield "effect_create_delete"
    if ("deploy" in mine and "deploy" in yours) or ("rollback" in mine and "rollback" in yours):
        yield "effect_exclusive"


def effect_clashes(one: Side, other: Side, env: str, policy: Policy) -> Iterator[Clash]:
    """Effects that cannot both be had: on one resource, or in an exclusive environment."""
    for (left, mine), (right, yours) in product(one.claims.items(), other.claims.items()):
        if shared := meeting(left, right, policy):
            for rule in rules_of(mine.effects, yours.effects):
                severity = capped(severity_in(rule, env, policy), rule, mine, yours, policy)
                yield Clash("effect_conflict", severity, str(shared), (one.id, other.id), rule)
    if env in policy.exclusive_envs:
        deploying = {"deploy", "rollback"}
        for rule in rules_of(one.effects & deploying, other.effects & deploying):
            apart: Level = "high" if env != "prod" and rule not in policy.severities else severity_in(rule, env, policy)
            yield Clash("effect_conflict", apart, f"env:{env}", (one.id, other.id), rule)


def exclusive_clashes(sides: Sequence[Side], env: str, policy: Policy) -> Iterator[Clash]:
    """Two writers of one exclusive state; who may write anything may write each that the policy or somebody names."""
    writers: dict[str, set[str]] = {str(folded(place(name), policy)): set() for name in policy.exclusive_resources}
    for who, path in ((side.id, path) for side in sides for path in side.where(WRITERS)):
        for name in policy.exclusive_resources:
            state = folded(place(name), policy)
            if meeting(state, path, policy):
                writers[str(state)].add(who)
        if path.kind == "file" and path.name != "." and is_exclusive(path.name, policy):
            writers.setdefault(folder_of(path.name), set()).add(who)
    anybody = {side.id for side in sides if side.unknown}
    severity = severity_in("effect_exclusive", env, policy)
    for about, known in writers.items():
        for pair in combinations(sorted(known | anybody), 2):
            yield Clash("effect_conflict", severity, about, pair, "effect_exclusive")


def is_exclusive(path: str, policy: Policy) -> bool:
    """Whether a path is one of the files that are, with all others of their kind in one folder, one state."""
    for pattern in policy.exclusive_folders:
        name = folded(file(pattern), policy).name
        if pattern_covers(name, path):
            return True
    return False


def folder_of(path: str) -> str:
    """The folder in which a path lies, or all paths of a pattern: as far as it has no wildcard."""
    names = path.split("/")
    plain = [name for at, name in enumerate(names[:-1]) if not set("/".join(names[: at + 1])) & set("*?[{")]
    return "/".join(plain) or "."


def mode_clashes(one: Side, other: Side, policy: Policy) -> Iterator[Clash]:
    """One never asks, the other wants to be asked."""
    if {one.intent.interaction.mode, other.intent.interaction.mode} == {"full_auto", "interactive"}:
        severity = policy.severity("constraint_mode")
        yield Clash("constraint_conflict", severity, "interaction.mode", (one.id, other.id), "constraint_mode")


def lock_clashes(one: Side, other: Side, policy: Policy) -> Iterator[Clash]:
    """A lock, and somebody else who locks there or writes there, or may; a freeze that somebody writes into is worse."""
    for (left, mine), (right, yours) in product(one.claims.items(), other.claims.items()):
        if shared := meeting(left, right, policy):
            if (mine.freezes and yours.writes) or (yours.freezes and mine.writes):
                rule = "constraint_freeze"
            elif (mine.locks and (yours.locks or yours.writes)) or (yours.locks and mine.writes):
                rule = "constraint_lock"
            else:
                continue
            severity = capped(policy.severity(rule), rule, mine, yours, policy)
            yield Clash("constraint_conflict", severity, str(shared), (one.id, other.id), rule)
    for holder, visitor in ((one, other), (other, one)):
        if holder.locks and visitor.unknown:
            severity = policy.severity("constraint_lock")
            yield Clash("constraint_conflict", severity, UNKNOWN, (one.id, other.id), "constraint_lock")
        if visitor.unknown and any(claim.freezes for claim in holder.claims.values()):
            severity = policy.severity("constraint_freeze")
            yield Clash("constraint_conflict", severity, UNKNOWN, (one.id, other.id), "constraint_freeze")


def unknown_clashes(one: Side, other: Side, env: str, policy: Policy) -> Iterator[Clash]:
    """Two writers, one of which does not say what it writes: grave in production, a warning elsewhere."""
    if (one.unknown and other.writes) or (other.unknown and one.writes):
        rule = "resource_unknown"
        severity = policy.severity(rule) if env == "prod" or rule in policy.severities else "low"
        yield Clash("resource_conflict", severity, UNKNOWN, (one.id, other.id), rule)


def unplaced_clashes(one: Side, other: Side, policy: Policy) -> Iterator[Clash]:
    """A module of the one, and a path of the other which may be that module, where one of the two writes."""
    severity = policy.severity("resource_unplaced")
    for mine, yours in ((one.touched, other.touched), (other.touched, one.touched)):
        for dotted, path in product(mine, yours):
            if (mine[dotted].writes or yours[path].writes) and may_be(dotted, path, policy):
                about = f"place:{dotted.name}"
                yield Clash("resource_conflict", severity, about, (one.id, other.id), "resource_unplaced")


def shared_clashes(one: Side, other: Side, policy: Policy) -> Iterator[Clash]:
    """Two who write different parts of one file: they do not clash, but their changes have to be put together."""
    for left, right in product(one.where(WRITERS), other.where(WRITERS)):
        if left.part and right.part and left.name == right.name and not parts_meet(left.part, right.part):
            severity, about = policy.severity("resource_shared_file"), f"file:{left.name}"
            yield Clash("resource_conflict", severity, about, (one.id, other.id), "resource_shared_file")


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
    before = declared | {(one.id, other.id) for one, other in permutations(sides, 2) if comes_first(one, other, policy)}
    severity = policy.severity("order_cycle")
    found += [Clash("order_conflict", severity, None, circle, "order_cycle") for circle in circles(before)]
    return found


def declared_by(intent: IntentDocument) -> set[str]:
    """The intents that this one says come before it."""
    return {*intent.lineage.derived_from, *(intent.metadata.depends_on if intent.metadata else ())}


def comes_first(one: Side, other: Side, policy: Policy) -> bool:
    """Whether `other` needs what `one` makes, or removes what `one` reads or relies on."""
    if any(needs(one, other, policy)):
        return True
    return other.id not in declared_by(one.intent) and (
        any(relied_on(one, other, policy))
        or any(
            not mine.writes and "delete" in yours.effects and meeting(left, right, policy)
            for (left, mine), (right, yours) in product(one.touched.items(), other.touched.items())
        )
    )


def relied_on(one: Side, other: Side, policy: Policy) -> list[Resource]:
    """What `other` removes and the evidence of `one` names, if it does not claim it anyway."""
    return [
        resource
        for resource in other.where({"delete"})
        if is_cited(resource, one, policy) and not any(meeting(resource, mine, policy) for mine in one.touched)
    ]


def removal_clashes(sides: Sequence[Side], policy: Policy) -> Iterator[Clash]:
    """One relies on what another removes."""
    severity = policy.severity("order_removal")
    for one, other in permutations(sides, 2):
        for resource in relied_on(one, other, policy):
            yield Clash("order_conflict", severity, str(resource), (one.id, other.id), "order_removal")


def is_cited(resource: Resource, side: Side, policy: Policy) -> bool:
    """Whether the evidence of a plan names something that a resource covers, and the plan does not write there itself."""
    named = cited_by(frozenset(side.evidence), side.intent.scope.repo_root, policy)
    if resource == file(".") or not any(holds(resource, one, policy) for one in named):
        return False
    return not any(meeting(resource, mine, policy) for mine in side.where(WRITERS))


@lru_cache(maxsize=64)
def cited_by(evidence: frozenset[str], root: str, policy: Policy) -> set[Resource]:
    """What some references may name."""
    return {place(one) for ref in evidence for one in cited_in(ref, root, spelling_of(policy))}


@lru_cache(maxsize=2**16)
def holds(resource: Resource, cited: Resource, policy: Policy) -> bool:
    """Whether a resource is what is cited, or holds it; of a module it is enough to be, or to hold, what may be it."""
    if resource.kind == cited.kind == "file":
        return covers(resource, cited)
    if resource.kind == "file" and cited.kind == "module" and not resource.part:
        for where in places(cited, policy):
            if covers(resource, Resource("file", where)) or resource.name in {
                f"{where}.{ending}" for ending in SOURCES
            }:
                return True
    return meeting(resource, cited, policy) == resource


def one_kept(side: Side) -> list[Resource]:
    """What a plan makes and does not delete."""
    made = side.where(WRITERS - {"delete"})
    return [resource for resource in made if "delete" not in side.claims[resource].effects]


def read_first(reader: Side, remover: Side, policy: Policy) -> list[Resource]:
    """What a plan reads, or names as evidence, and another removes: there it comes first, whatever that one makes there."""
    if remover.id in declared_by(reader.intent):
        return []
    read = [resource for resource, claim in reader.touched.items() if not claim.writes]
    met = (meeting(left, right, policy) for left, right in product(read, remover.where({"delete"})))
    return [*relied_on(reader, remover, policy), *(at for at in met if at)]


def needs(one: Side, other: Side, policy: Policy) -> Iterator[str]:
    """What `other` takes from `one`, by its evidence, by their phases or by the registry."""
    first = read_first(other, one, policy)

    def is_read_first(about: Resource) -> bool:
        return any(meeting(about, removed, policy) for removed in first)

    made = [resource for resource in one.where(WRITERS - {"delete"}) if not is_read_first(resource)]
    yield from (str(resource) for resource in made if is_cited(resource, other, policy))
    if any(one.id in re.split(r"[^a-z0-9_]+", ref) for ref in other.evidence):
        yield one.id
    if "implementation" in phases(one) and "analysis" in phases(other):
        read = [resource for resource, claim in other.touched.items() if not claim.writes]
        met = (meeting(one_made, seen, policy) for one_made, seen in product(one_kept(one), read))
        yield from (str(at) for at in met if at and not is_read_first(at))
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
