"""The naive evaluator, part four: from clashes to a verdict, that is groups, winners, a merged plan, and risks compared."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations, permutations, product
from math import fsum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import structs

from tests.governance.reference import (
    BUDGETS,
    IN_TURNS,
    LEVELS,
    Clash,
    circles,
    clashes,
    comes_first,
    declared_by,
    highest,
    needs,
    said_orders,
)
from tests.governance.reference_names import meeting, place
from tests.governance.reference_risk import compare, dimensions
from tests.governance.reference_sides import (
    locks_of,
    side_of,
    targets_of,
)
from volition.governance.documents.policy import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.governance.documents.intent import IntentDocument, Level
    from volition.governance.documents.intent_set import IntentSet
    from volition.governance.documents.policy import Policy

STATUSES: Final = ("draft", "proposed", "approved")
MODES: Final = ("full_auto", "semi_auto", "interactive")
LOCKS: Final = ("none", "task", "files")
ONLY_EXPLICIT: Final = {"resource_contract", "constraint_freeze"}
"""Rules by which no plan gives way because of its risk, age or status."""
WHOLE_SET: Final = {"constraint_budget", "constraint_capacity"}


class Group(NamedTuple):
    """A contested thing with all who contest it."""

    type: str
    severity: Level
    resource_ref: str | None
    intent_ids: tuple[str, ...]


class Loss(NamedTuple):
    """A plan that gave way, the winner, and the key that decided."""

    loser: str
    winner: str
    key: str


@dataclass(frozen=True, slots=True)
class Merged:
    """What the merged intent holds, as far as the rules say."""

    commands: tuple[Any, ...]
    workflows: frozenset[Any]
    agents: frozenset[Any]
    evidence: frozenset[str]
    reviews: frozenset[str]
    budgets: tuple[float, ...]
    risk: Level
    mode: str
    question_budget: int
    lock: tuple[str, frozenset[str]]
    lineage: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """All that the evaluator has to agree with."""

    conflicts: frozenset[Group]
    strategy: str
    lost: frozenset[Loss]
    asked: frozenset[tuple[str, ...]]
    merged: Merged | None
    matrix: tuple[tuple[str, Level, tuple[float, ...]], ...]
    dominance: frozenset[tuple[str, str, str]]
    incomparable: frozenset[tuple[str, str]]


def evaluate(intent_set: IntentSet, intents: Iterable[IntentDocument], policy: Policy) -> Verdict:
    """Judge a set of valid intents, pair by pair."""
    ordered = sorted(intents, key=lambda intent: intent.id)
    found = [*clashes(intent_set, ordered, policy), *capacity_clashes(ordered, policy)]
    deploying = {intent.id for intent in ordered if side_of(intent, policy).effects & {"deploy", "rollback"}}
    clashing = {pair for clash in found if is_grave(clash) for pair in permutations(clash.members, 2)}
    clashing -= let_through(ordered, found, deploying, policy)
    by_person = {frozenset(clash.members) for clash in found if clash.rule in ONLY_EXPLICIT}
    lost: list[Loss] = []
    asked: list[tuple[str, ...]] = []
    for component in components(found):
        some, left = settle([i for i in ordered if i.id in component], clashing, deploying, by_person, policy)
        lost += some
        asked += parts(left, clashing, policy)
    asked += gaps(intent_set, ordered, {loss.loser for loss in lost}, policy)
    asked += [clash.members for clash in found if clash.rule in WHOLE_SET]
    strategy = "reject" if asked else "override_by_priority" if lost else "merge_union"
    matrix = tuple((i.id, i.risk.overall, dimensions(i, intent_set.context.env, policy)) for i in ordered)
    dominance, incomparable = compare(matrix)
    return Verdict(
        conflicts=frozenset(grouped(found)),
        strategy=strategy,
        lost=frozenset(lost),
        asked=frozenset(asked),
        merged=None if asked else merge(ordered, lost, found, policy),
        matrix=matrix,
        dominance=dominance,
        incomparable=incomparable,
    )


def let_through(
    intents: Sequence[IntentDocument], found: Sequence[Clash], deploying: set[str], policy: Policy
) -> set[tuple[str, str]]:
    """The pairs, either way round, of a freeze and a plan with a higher priority whom nothing but the freeze stops: it is
    let through, and the freeze stays for the others."""
    other_reasons = {frozenset(c.members) for c in found if is_grave(c) and c.rule != "constraint_freeze"}
    pairs: set[tuple[str, str]] = set()
    for holder, visitor in permutations(intents, 2):
        if freezes(holder, visitor, policy) and not freezes(visitor, holder, policy):
            wins = decides(visitor, holder, deploying, policy) == "explicit"
            if wins and frozenset({holder.id, visitor.id}) not in other_reasons:
                pairs |= {(holder.id, visitor.id), (visitor.id, holder.id)}
    return pairs


def freezes(holder: IntentDocument, visitor: IntentDocument, policy: Policy) -> bool:
    """Whether one freezes what the other writes, or may write."""
    one, other = side_of(holder, policy), side_of(visitor, policy)
    frozen = [place for place, claim in one.claims.items() if claim.freezes]
    written = [place for place, claim in other.claims.items() if claim.writes]
    return bool(frozen and other.unknown) or any(meeting(a, b, policy) for a, b in product(frozen, written))


def grouped(found: Iterable[Clash]) -> list[Group]:
    """One group per kind and contested thing, as severe as its worst pair; each circle is a group of its own."""
    groups: dict[tuple[Any, ...], list[Clash]] = defaultdict(list)
    for clash in found:
        own = clash.members if clash.about is None else ()
        groups[clash.kind, clash.about, own].append(clash)
    return [
        Group(kind, highest(c.severity for c in group), about, tuple(sorted({m for c in group for m in c.members})))
        for (kind, about, _), group in groups.items()
    ]


def components(found: Iterable[Clash]) -> list[tuple[str, ...]]:
    """The intents that high clashes and circles connect; what concerns the whole set connects nobody."""
    parts: list[set[str]] = []
    for clash in found:
        if is_grave(clash) or clash.rule == "order_cycle":
            touched = [part for part in parts if part & set(clash.members)]
            parts = [part for part in parts if part not in touched] + [set(clash.members).union(*touched)]
    return sorted(tuple(sorted(part)) for part in parts)


def is_grave(clash: Clash) -> bool:
    """Whether two who clash like this cannot both be kept."""
    return clash.rule not in {*WHOLE_SET, "order_cycle"} and clash.severity in {"high", "critical"}


def settle(
    members: Sequence[IntentDocument],
    clashing: set[tuple[str, str]],
    deploying: set[str],
    by_person: set[frozenset[str]],
    policy: Policy,
) -> tuple[list[Loss], list[IntentDocument]]:
    """Who gives way in a component, and who is left open; one plan at a time is kept, until none can be.

    Between some, nothing but an explicit priority decides.
    """

    def key_of(one: IntentDocument, other: IntentDocument) -> str | None:
        key = decides(one, other, deploying, policy)
        return None if key != "explicit" and frozenset({one.id, other.id}) in by_person else key

    left = list(members)
    kept: list[IntentDocument] = []
    gone: list[IntentDocument] = []
    circling = {name for circle in circles(before_in(members, policy)) for name in circle}
    while True:
        rivals = {one.id: [other for other in left if (one.id, other.id) in clashing] for one in left}
        sure = [
            one
            for one in left
            if circling.isdisjoint([one.id, *(other.id for other in rivals[one.id])])
            and all(key_of(one, other) for other in rivals[one.id])
        ]
        if not sure:
            break
        kept.append(sure[0])
        gone += rivals[sure[0].id]
        left = [one for one in left if one is not sure[0] and one not in rivals[sure[0].id]]
    lost = []
    for loser in gone:
        better = [(one.id, key_of(one, loser)) for one in kept if (one.id, loser.id) in clashing]
        lost.append(Loss(loser.id, *min((name, key) for name, key in better if key)))
    return lost, left


def parts(left: Sequence[IntentDocument], clashing: set[tuple[str, str]], policy: Policy) -> list[tuple[str, ...]]:
    """The open intents, those together that clash or need each other in a circle."""
    linked = [{one.id, other.id} for one, other in combinations(left, 2) if (one.id, other.id) in clashing]
    found: list[set[str]] = []
    for group in (*linked, *map(set, circles(before_in(left, policy)))):
        touched = [part for part in found if part & group]
        found = [part for part in found if part not in touched] + [group.union(*touched)]
    return sorted(tuple(sorted(part)) for part in found)


def gaps(
    intent_set: IntentSet, intents: Sequence[IntentDocument], lost: set[str], policy: Policy
) -> list[tuple[str, ...]]:
    """For each plan that will not be executed, those that depend on it and are left: it is not in the set, or it lost.

    What a plan only needs, rather than declares, has to be produced or created, and another one that is left may do so.
    """
    hints = intent_set.metadata.merge_hints if intent_set.metadata else None
    present, ids = [i for i in intents if i.id not in lost], {i.id for i in intents}
    waiting: dict[str, set[str]] = defaultdict(set)
    for taker in present:
        depends = taker.metadata.depends_on if taker.metadata else ()
        for name in {*depends} - ids - {*(hints.done if hints else ())} | {*depends} & lost:
            waiting[name].add(taker.id)
        makers: dict[str, set[str]] = defaultdict(set)
        for maker in intents:
            side = side_of(maker, policy)
            created = {str(one) for one, claim in side.claims.items() if "create" in claim.effects}
            for about in needs(side, side_of(taker, policy), policy) if maker is not taker else ():
                if about in created or about == maker.id or about.startswith("artifact:"):
                    makers[about].add(maker.id)
        for some in makers.values():
            for name in some if some <= lost else ():
                waiting[name].add(taker.id)
    return [tuple(sorted(takers)) for takers in waiting.values()]


def before_in(intents: Sequence[IntentDocument], policy: Policy) -> set[tuple[str, str]]:
    """The pairs (earlier, later) among these, declared or not."""
    return {
        (one.id, two.id)
        for one, two in permutations(intents, 2)
        if one.id in declared_by(two) or comes_first(side_of(one, policy), side_of(two, policy), policy)
    }


def decides(one: IntentDocument, other: IntentDocument, deploying: set[str], policy: Policy) -> str | None:
    """The key by which `one` goes before `other`; nothing where it does not."""
    both_deploy = {one.id, other.id} <= deploying
    for key in policy.priority_order:
        if both_deploy and key in {"newer_same_author", "newer", "status"}:
            continue
        if key == "newer_same_author" and (one.audit.created_by != other.audit.created_by or by_nobody(one)):
            continue
        mine, yours = RANKS[key](one), RANKS[key](other)
        if mine is None or yours is None:
            continue
        if mine != yours:
            return key if mine > yours else None
        if key == "explicit":
            return None
    return None


def by_nobody(intent: IntentDocument) -> bool:
    """Whether its author was never named."""
    return intent.audit.created_by == "author"


RANKS: Final[dict[str, Callable[[IntentDocument], Any]]] = {
    "explicit": lambda intent: intent.metadata.priority if intent.metadata else None,
    "risk": lambda intent: None if side_of(intent, BUILT_IN).unknown else -LEVELS.index(intent.risk.overall),
    "newer_same_author": lambda intent: instant(intent.created_at),
    "newer": lambda intent: instant(intent.created_at),
    "status": lambda intent: STATUSES.index(intent.status),
}
"""How an intent ranks by each key, more being better; None where it has no rank."""


def instant(moment: str) -> tuple[datetime, str]:
    """A moment that can be compared, to the last digit that was written."""
    whole, _, rest = moment.partition(".")
    digits = rest.rstrip("Z").partition("+")[0].partition("-")[0]
    zone = rest[len(digits) :] if rest else ""
    return datetime.fromisoformat(whole + zone), digits.rstrip("0")


def united(intents: Iterable[IntentDocument]) -> dict[str, set[Any]]:
    """Everything of which a merged intent can hold only so much."""
    return {
        "planned_commands": {c for i in intents for c in sourced(i)},
        "selected_workflows": {w for i in intents for w in i.selected_workflows},
        "selected_agents": {a for i in intents for a in i.selected_agents},
        "evidence_refs": {ref for i in intents for ref in i.evidence_refs},
        "scope.targets.files": {t for i in intents for t in targets_of(i) if t.kind == "file"},
        "scope.targets.modules": {t for i in intents for t in targets_of(i) if t.kind != "file"},
        "scope.targets.reads": {place(n, i.scope.repo_root) for i in intents for n in i.scope.targets.reads},
        "scope.targets.removes": {place(n, i.scope.repo_root) for i in intents for n in i.scope.targets.removes},
        "scope.targets.renames": {place(n, i.scope.repo_root) for i in intents for n in i.scope.targets.renames},
        "constraints.lock_scope.paths": {path for i in intents for path in locks_of(i)},
    }


def sourced(intent: IntentDocument) -> list[Any]:
    """The commands of an intent, each with the plan from which it comes."""
    known = {part.intent_id for part in intent.metadata.parts} if intent.metadata else set()
    return [
        command if command.source in known else structs.replace(command, source=intent.id)
        for command in intent.planned_commands
    ]


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


def capacity_clashes(intents: Sequence[IntentDocument], policy: Policy) -> list[Clash]:
    """What all intents together hold, against what one intent can hold."""
    everybody = tuple(intent.id for intent in intents)
    severity = policy.severity("constraint_capacity")
    return [
        Clash("constraint_conflict", severity, name, everybody, "constraint_capacity")
        for name, held in united(intents).items()
        if len(held) > CAPACITIES[name]
    ]


def merge(intents: Sequence[IntentDocument], lost: Sequence[Loss], found: Sequence[Clash], policy: Policy) -> Merged:
    """One intent of all that did not lose; of the losers, what does not conflict: evidence and reviews."""
    losers = {loss.loser for loss in lost}
    kept = [intent for intent in intents if intent.id not in losers]
    never = any(i.interaction.question_policy == "never" for i in kept)
    whole = united(kept)
    contested = {pair for clash in found if clash.rule in IN_TURNS for pair in permutations(clash.members, 2)}
    turns = contested & said_orders(intents)
    return Merged(
        commands=tuple(dict.fromkeys(c for i in in_order(kept, turns, policy) for c in sourced(i))),
        workflows=frozenset(whole["selected_workflows"]),
        agents=frozenset(whole["selected_agents"]),
        evidence=frozenset(ref for i in intents for ref in i.evidence_refs),
        reviews=frozenset(review for i in intents for review in i.risk.requires_review),
        budgets=tuple(fsum(getattr(i.budgets, name) for i in kept) for name in BUDGETS),
        risk=highest(i.risk.overall for i in kept),
        mode=max((i.interaction.mode for i in kept), key=MODES.index),
        question_budget=0 if never else min(i.interaction.question_budget for i in kept),
        lock=(
            max((i.constraints.lock_scope.mode for i in kept), key=LOCKS.index),
            frozenset(map(str, whole["constraints.lock_scope.paths"])),
        ),
        lineage=(tuple(i.id for i in kept), tuple(sorted(losers))),
    )


def in_order(intents: Sequence[IntentDocument], turns: set[tuple[str, str]], policy: Policy) -> list[IntentDocument]:
    """The intents, each after all that it needs, after whom it follows by turns, and after whose lock it violates; where
    both are free, the first by id.

    Where turns and locks contradict needs they do not count, where locks contradict turns neither, and where they
    contradict each other, the first by id count.
    """
    before = before_in(intents, policy)
    ids = {intent.id for intent in intents}
    for pair in (*sorted(pair for pair in turns if ids.issuperset(pair)), *sorted(by_locks(intents, policy))):
        if not circles({*before, pair}):
            before.add(pair)
    left = {intent.id: intent for intent in intents}
    ordered: list[IntentDocument] = []
    while left:
        free = min(name for name in left if not any((other, name) in before for other in left))
        ordered.append(left.pop(free))
    return ordered


def by_locks(intents: Sequence[IntentDocument], policy: Policy) -> set[tuple[str, str]]:
    """The pairs (holder of a lock, who writes there); where two only lock the same, the first by id comes first."""
    held: set[tuple[str, str]] = set()
    shared: set[tuple[str, str]] = set()
    for one, other in permutations((side_of(intent, policy) for intent in intents), 2):
        if one.locks and other.unknown:
            held.add((one.id, other.id))
        for left, right in product(one.claims, other.claims):
            mine, yours = one.claims[left], other.claims[right]
            if mine.locks and (yours.writes or yours.locks) and meeting(left, right, policy):
                (held if yours.writes else shared).add((one.id, other.id))
    return held | {pair for pair in shared if pair[0] < pair[1] and not held & {pair, pair[::-1]}}
