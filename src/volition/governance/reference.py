"""The naive evaluator, part one: what clashes, found by looking at every pair.

This file and `reference_merge` are the executable specification: no index and no cleverness, so that a reader can hold
each rule against its sentence. The evaluator that people use must agree with it on every set of intents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations, product
from math import fsum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from volition.governance.documents import Command, Intent, IntentSet
    from volition.governance.documents.intent import Level
    from volition.governance.documents.result import ConflictKind
    from volition.governance.policy import Policy

LEVELS: Final[tuple[Level, ...]] = ("low", "medium", "high", "critical")
WRITERS: Final = frozenset({"write", "create", "delete", "deploy", "rollback", "data", "security"})
CALM: Final = frozenset({"read", "network"})
"""The effects of a command that only looks: it changes nothing, whatever its words speak of."""
VERBS: Final = {
    **dict.fromkeys(("deploy", "deploys", "deploying"), "deploy"),
    **dict.fromkeys(
        ("rollback", "roll back", "rolls back", "rolling back", "revert", "reverts", "reverting"), "rollback"
    ),
    **dict.fromkeys(("create", "creates", "creating"), "create"),
    **dict.fromkeys(("delete", "deletes", "deleting", "remove", "removes", "removing"), "delete"),
}
"""Words of a command that say what it does beside the effects that it declares."""

BUDGETS: Final = ("max_files", "max_commits", "max_tokens", "max_cost_usd")


class Resource(NamedTuple):
    """A file, module or service by its segments; `('file', ())` is the whole project."""

    kind: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        if self.kind == "file":
            return "/".join(self.parts) or "."
        return f"{self.kind}:{'.'.join(self.parts)}"


def segments(path: str) -> list[str]:
    """The segments of a path: none is empty or `.`, and `..` is taken back where that is possible."""
    parts: list[str] = []
    for segment in path.split("/"):
        if segment == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif segment not in {"", "."}:
            parts.append(segment)
    return parts


def file(path: str, root: str = "") -> Resource:
    """The file or folder that a path means, seen from the project's root; a wildcard means all of its folder.

    >>> str(file("./src//api/../routes.py")), str(file("/home/me/shop/src/**", "/home/me/shop"))
    ('src/routes.py', 'src')
    """
    parts, above = segments(path.partition("*")[0].rpartition("/")[0] if "*" in path else path), segments(root)
    if path.startswith("/") and root.startswith("/") and parts[: len(above)] == above:
        parts = parts[len(above) :]
    return Resource("file", tuple(parts))


def module(text: str) -> Resource:
    """The module or, written `service:NAME`, the service.

    >>> module("shop.cart").parts, module("service:billing").kind
    (('shop', 'cart'), 'service')
    """
    if text.startswith("service:"):
        return Resource("service", (text.removeprefix("service:"),))
    return Resource("module", tuple(part for part in text.split(".") if part))


def meeting(one: Resource, other: Resource) -> Resource | None:
    """Where two resources meet: at the one that holds the other, or nowhere.

    >>> meeting(file("src"), file("src/a.py")) == file("src"), meeting(file("src"), file("src2/a.py"))
    (True, None)
    """
    large, small = (one, other) if len(one.parts) <= len(other.parts) else (other, one)
    return large if small.kind == large.kind and small.parts[: len(large.parts)] == large.parts else None


@lru_cache(maxsize=65536)
def words(text: str) -> list[list[str]]:
    """The words of a text, each in its segments, as it stands and without the dots that may end a sentence.

    White space, brackets, quotes and most punctuation part words.
    """
    found = [word for word in re.split(r"[\s\"'`()\[\]{}<>,;:#?!=]+", text) if word]
    bare = [segments(word.rstrip(".")) for word in found]
    return [segments(word) for word in found] + [[*word[:-1], word[-1].rstrip(".")] for word in bare if word]


def names(text: str, resource: Resource) -> bool:
    """Whether a text names a resource, by whole segments; `shop.cart` names the module `shop` too.

    >>> names("factpack://file_scan/src/api/routes.py", file("src/api")), names("see src/api2", file("src/api"))
    (True, False)
    """
    wanted = list(resource.parts) if resource.kind == "file" else segments(".".join(resource.parts))
    if not wanted or wanted[-1] not in text:
        return False
    for word in words(text):
        for start in range(len(word) - len(wanted) + 1):
            run = word[start : start + len(wanted)]
            if resource.kind == "module" and run[-1].startswith(f"{wanted[-1]}."):
                run[-1] = wanted[-1]
            if run == wanted:
                return True
    return False


@dataclass(frozen=True, slots=True)
class Side:
    """An intent as the rules see it.

    `touched` are the resources that it touches, each with all effects that it has there; `evidence` holds its
    references and those of its commands, one in a line.
    """

    intent: Intent
    touched: Mapping[Resource, frozenset[str]]
    evidence: str

    @property
    def id(self) -> str:
        return self.intent.id

    @property
    def effects(self) -> frozenset[str]:
        """All that the intent does, wherever it does it."""
        return frozenset(effect for command in self.intent.planned_commands for effect in effects_of(command))

    def where(self, effects: Iterable[str]) -> list[Resource]:
        """The resources on which the intent has one of these effects."""
        return [resource for resource, found in self.touched.items() if found & set(effects)]


def effects_of(command: Command) -> frozenset[str]:
    """The declared effects and those that its words say; the words of a command that only looks say nothing."""
    if CALM.issuperset(command.effects):
        return frozenset(command.effects)
    said = " ".join(re.findall(r"[a-z]+", f"{command.command_id} {command.intent}".lower()))
    return frozenset(command.effects) | {effect for verb, effect in VERBS.items() if f" {verb} " in f" {said} "}


def targets_of(intent: Intent) -> set[Resource]:
    """The files, modules and services of an intent's scope."""
    files, modules = intent.scope.targets.files, intent.scope.targets.modules
    return {file(path, intent.scope.repo_root) for path in files} | {module(name) for name in modules}


def locks_of(intent: Intent) -> set[Resource]:
    """The files and folders that an intent locks."""
    lock = intent.constraints.lock_scope
    return {file(path, intent.scope.repo_root) for path in lock.paths} if lock.mode == "files" else set()


def side_of(intent: Intent) -> Side:
    """A command touches the targets that its text or evidence names, else all of them."""
    targets = targets_of(intent)
    touched: dict[Resource, frozenset[str]] = {}
    for command in intent.planned_commands:
        text = "\n".join((command.intent, *command.evidence_refs))
        named = {target for target in targets if names(text, target)}
        for target in named or targets:
            touched[target] = touched.get(target, frozenset()) | effects_of(command)
    refs = [*intent.evidence_refs, *(ref for command in intent.planned_commands for ref in command.evidence_refs)]
    return Side(intent, touched, "\n".join(refs))


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


def clashes(intent_set: IntentSet, intents: Sequence[Intent], policy: Policy) -> list[Clash]:
    """Every clash of every pair, and those of the whole set."""
    sides = [side_of(intent) for intent in sorted(intents, key=lambda intent: intent.id)]
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
    found += order_clashes(sides, policy)
    found += budget_clashes(intents, policy)
    return found


def resource_clashes(one: Side, other: Side, policy: Policy, *, complementary: bool) -> list[Clash]:
    """Two intents on one resource, of which one at least writes."""
    found: list[tuple[str, Resource]] = []
    for left, right in product(one.touched, other.touched):
        shared = meeting(left, right)
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
        if shared := meeting(left, right):
            for rule in rules(one.touched[left], other.touched[right]):
                yield clash(rule, str(shared))
    for name in policy.exclusive_resources:
        state = file(name) if not name.startswith(("module:", "service:")) else module(name.removeprefix("module:"))
        if all(any(meeting(state, resource) for resource in side.where(WRITERS)) for side in (one, other)):
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
    """Two locks on one path, or a lock and somebody without one who writes there."""
    for holder, visitor in ((one, other), (other, one)):
        open_mode = visitor.intent.constraints.lock_scope.mode == "none"
        entered = [*locks_of(visitor.intent), *(visitor.where(WRITERS) if open_mode else ())]
        for lock, path in product(locks_of(holder.intent), entered):
            if shared := meeting(lock, path):
                severity = policy.severity("constraint_lock")
                yield Clash("constraint_conflict", severity, str(shared), (one.id, other.id), "constraint_lock")


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


def declared_by(intent: Intent) -> set[str]:
    """The intents that this one says come before it."""
    return {*intent.lineage.derived_from, *(intent.metadata.depends_on if intent.metadata else ())}


def needs(one: Side, other: Side, policy: Policy) -> Iterator[str]:
    """What `other` takes from `one`, by its evidence, by their phases or by the registry."""
    made = one.where(WRITERS - {"delete"})
    own = other.where(WRITERS)
    cited = [resource for resource in made if names(other.evidence, resource)]
    yield from (str(resource) for resource in cited if not any(meeting(resource, mine) for mine in own))
    if one.id in other.evidence and one.id in re.split(r"[^a-z0-9_]+", other.evidence):
        yield one.id
    if "implementation" in phases(one) and "analysis" in phases(other):
        read = [resource for resource in other.touched if resource not in own]
        yield from (str(shared) for made_one, seen in product(made, read) if (shared := meeting(made_one, seen)))
    if policy.registry:
        required, produced = policy.registry.requires, policy.registry.produces
        commands = {command.command_id for command in other.intent.planned_commands}
        wanted = {artifact for command in commands for artifact in required.get(command, ())}
        wanted -= {artifact for command in commands for artifact in produced.get(command, ())}
        given = {artifact for c in one.intent.planned_commands for artifact in produced.get(c.command_id, ())}
        yield from (f"artifact:{artifact}" for artifact in wanted & given)


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


def budget_clashes(intents: Sequence[Intent], policy: Policy) -> Iterator[Clash]:
    """What all intents of the set ask for together, against what the policy allows."""
    everybody = tuple(sorted(intent.id for intent in intents))
    for name in BUDGETS:
        if fsum(getattr(intent.budgets, name) for intent in intents) > getattr(policy, name):
            severity = policy.severity("constraint_budget")
            yield Clash("constraint_conflict", severity, f"budgets.{name}", everybody, "constraint_budget")
