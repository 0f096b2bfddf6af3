"""The order of commands: which of them come before which in a merged plan, and why.

An order between two plans, declared, found or chosen, is an order between all their commands. Who violates a lock waits
for the plan that holds it. Commands of one plan keep what the registry says, and what an earlier merge had found. Commands
that would clash, of one plan or of two, keep the order in which they are listed unless something else decides.
"""

from __future__ import annotations

from itertools import chain, combinations, pairwise, product
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import asdict

from volition.governance.claims.extract import command_claims
from volition.governance.claims.footprint import footprint_of, rename_of
from volition.governance.claims.spelling import spelling_of
from volition.governance.conflicts import resource as rule
from volition.governance.conflicts.graphs import in_order, reachable
from volition.governance.conflicts.order import REMOVAL
from volition.governance.documents.effects import LOCK, MASK, WRITES
from volition.governance.documents.intent import CommandLink, commands_of, commands_with_sources
from volition.governance.paths.names import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.governance.claims.spelling import Spelling
    from volition.governance.conflicts.ledger import ConflictLedger, LockClash
    from volition.governance.conflicts.order import Needs
    from volition.governance.documents.intent import Command, IntentDocument
    from volition.governance.documents.policy import Policy, Registry

    Waits = dict[tuple[str, str], str]

LONGEST: Final = 800
"""How long a reason may be."""


class Preference(Struct, frozen=True):
    """An order between two plans that is not needed, but wanted: by a person, or by a lock."""

    before: int
    after: int
    why: str


def preferences(kept: Iterable[int], sequences: Iterable[Sequence[int]], findings: ConflictLedger) -> list[Preference]:
    """The orders that are declared through plans that are not kept, that people chose and that locks ask for, in this
    order."""
    present = set(kept)
    ids = [intent.id for intent in findings.intents]
    wanted = [
        Preference(one, other, f"both change {about}, and {ids[other]} comes after {ids[one]} as declared")
        for (one, other), about in sorted(findings.ordered.items())
        if not findings.declared.is_said_among(other, one, present)
    ]
    wanted += [
        Preference(one, other, "a person chose this order") for each in sequences for one, other in pairwise(each)
    ]
    by_lock: dict[tuple[int, int], LockClash] = {}
    # Where nobody writes what several lock, the first by id comes first.
    for clash in sorted(findings.locked, key=lambda one: one.shared):
        for pair in product(clash.holders, clash.visitors):
            order = (min(pair), max(pair)) if clash.shared else pair
            if (
                pair[0] != pair[1]
                and {*pair} <= present
                and not (clash.shared and (order in by_lock or order[::-1] in by_lock))
            ):
                by_lock.setdefault(order, clash)
    wanted += [
        Preference(*pair, f"{ids[pair[0]]} locks {_find_locked(*pair, by_lock[pair], findings)}")
        for pair in sorted(by_lock)
    ]
    return [one for one in wanted if one.before in present and one.after in present]


def _find_locked(holder: int, visitor: int, clash: LockClash, findings: ConflictLedger) -> str:
    """What a plan locks, in its own words, of what another writes or locks as well; the meeting may be at a larger place."""
    spelling, bits = spelling_of(findings.policy), LOCK if clash.shared else WRITES
    mine, yours = findings.claims[holder], findings.claims[visitor]
    meant = [one for one, claim in mine.items() if claim & LOCK]
    if clash.about != UNKNOWN:
        theirs = [other for other, claim in yours.items() if claim & bits and other != UNKNOWN]
        meant = [
            one
            for one in meant
            if spelling.meets(one, clash.about) and any(spelling.meets(one, other) for other in theirs)
        ]
    return meant[0] if meant else clash.about


def order_of_work(kept: Sequence[int], needs: Needs, wanted: Iterable[Preference] = ()) -> list[int]:
    """The numbers, each after all that it needs, and as far as that allows in the wanted order; among those that may come
    next, the smallest first.

    If a circle is left, because a person chose to merge it, its smallest comes first.
    """
    waits: dict[int, set[int]] = {number: set() for number in kept}
    for _, maker, taker in needs.each():
        if taker in waits and maker in waits:
            waits[taker].add(maker)
    for preference in wanted:
        if preference.after not in reachable(preference.before, waits.__getitem__):
            waits[preference.after].add(preference.before)
    return in_order(waits)


def waits_of(kept: Sequence[int], needs: Needs, findings: ConflictLedger, wanted: Iterable[Preference] = ()) -> Waits:
    """(earlier, later) -> why one of the kept plans waits for another; `kept` is in the order of the work.

    What contradicts that order, such as a part of a circle that a person chose to merge, is no reason.
    """
    ids = [intent.id for intent in needs.intents]
    rank = {number: place for place, number in enumerate(kept)}
    reasons_of: dict[tuple[int, int], list[str]] = {}

    def add(maker: int, taker: int, why: str) -> None:
        if maker in rank and taker in rank and rank[maker] < rank[taker]:
            reasons_of.setdefault((maker, taker), []).append(why)

    for about, maker, taker in needs.each():
        add(maker, taker, _need(about, ids[maker], needs.intents[taker], spelling_of(findings.policy)))
    for preference in wanted:
        if rank[preference.before] < rank[preference.after]:
            add(preference.before, preference.after, preference.why)
        else:
            add(
                preference.after,
                preference.before,
                f"{preference.why}, and {ids[preference.before]} needs {ids[preference.after]}",
            )
    for about, members in findings.exclusive:
        for first, then in combinations(sorted(rank.keys() & set(members), key=rank.__getitem__), 2):
            declared = findings.declared.comes_after(then, first)
            why = f"{ids[then]} comes after {ids[first]} as declared" if declared else ""
            add(first, then, f"{about} is exclusive, and {why or f'{ids[first]} is listed before {ids[then]}'}")
    return {
        (ids[maker], ids[taker]): "; ".join(sorted(set(reasons)))[:LONGEST]
        for (maker, taker), reasons in reasons_of.items()
    }


def _need(about: str | None, maker: str, later: IntentDocument, spelling: Spelling) -> str:
    taker = later.id
    if about is None:
        return f"{taker} says that it comes after {maker}"
    kind, _, name = about.partition(":")
    if about.startswith(REMOVAL):
        renames = rename_of(name, later, spelling.fold)
        return f"{maker} relies on {name}, which {taker} {f'renames to {renames[1]}' if renames else 'removes'}"
    if about == maker:
        return f"the evidence of {taker} names {maker}"
    if kind == "artifact":
        return f"{taker} requires {name}, which {maker} produces"
    return f"{taker} needs {about}, which {maker} makes"


def links(
    kept: Sequence[IntentDocument], waits: Mapping[tuple[str, str], str], policy: Policy
) -> tuple[CommandLink, ...]:
    """The order of the commands of some plans, which are in the order of the work; no link closes a circle."""
    commands = commands_with_sources(kept)
    place = {command: at for at, command in enumerate(commands)}
    where = [[place[command] for command in commands_of(intent)] for intent in kept]
    claims: list[dict[str, int]] = [{} for _ in commands]
    order = Order(len(commands))
    for intent, mine in zip(kept, where, strict=True):
        for at, claimed in zip(mine, command_claims(footprint_of(intent, policy), policy), strict=True):
            claims[at] = claimed
        for link in intent.metadata.order if intent.metadata else ():
            if link.before < len(mine) > link.after:
                order.add(mine[link.before], mine[link.after], link.reason)
        _by_registry(order, commands, mine, policy.registry)
        _by_claims(order, commands, claims, combinations(sorted(set(mine)), 2), policy)
    _by_plans(order, kept, where, waits)
    _by_claims(order, commands, claims, combinations(range(len(commands)), 2), policy)
    return tuple(CommandLink(before=a, after=b, reason=why) for (a, b), why in sorted(order.reasons.items()))


def order_by_plan(merged: IntentDocument, kept: Sequence[IntentDocument]) -> dict[str, list[dict[str, object]]]:
    """Plan -> the links into its commands, as plain data, for the step that adds them to a merged intent."""
    owner: dict[int, str] = {}
    place = {command: at for at, command in enumerate(merged.planned_commands)}
    for intent in kept:
        for command in commands_of(intent):
            owner.setdefault(place[command], intent.id)
    links_of: dict[str, list[dict[str, object]]] = {}
    for link in merged.metadata.order if merged.metadata else ():
        links_of.setdefault(owner[link.after], []).append(asdict(link))
    return links_of


class Order:
    """What comes before what, with reasons; a link that would close a circle is refused.

    >>> order = Order(3)
    >>> order.add(0, 1, "so"), order.add(1, 2, "so"), order.add(2, 0, "not so"), order.decides(0, 2)
    (True, True, False, True)
    """

    def __init__(self, size: int) -> None:
        self.reasons: dict[tuple[int, int], str] = {}
        self.after = [0] * size
        """Which nodes come after each, as bits."""

    def decides(self, one: int, other: int) -> bool:
        """Whether one of the two comes before the other."""
        return bool(self.after[one] >> other & 1 or self.after[other] >> one & 1)

    def add(self, before: int, later: int, reason: str) -> bool:
        """Let one come before another; False if that would close a circle."""
        if before == later or self.after[later] >> before & 1:
            return False
        self.reasons.setdefault((before, later), reason[:LONGEST])
        if not self.after[before] >> later & 1:
            gained = self.after[later] | 1 << later
            self.after = [
                mine | gained if node == before or mine >> before & 1 else mine for node, mine in enumerate(self.after)
            ]
        return True


def _by_registry(order: Order, commands: Sequence[Command], mine: Iterable[int], registry: Registry | None) -> None:
    """Add the order that the registry requires between commands of one plan."""
    if registry is None:
        return
    for at in mine:
        taker = commands[at].command_id
        for artifact in registry.requires.get(taker, ()):
            for other in mine:
                maker = commands[other].command_id
                if artifact in registry.produces.get(maker, ()):
                    order.add(other, at, f"{taker} requires {artifact}, which {maker} produces")


def _by_plans(
    order: Order, kept: Sequence[IntentDocument], where: Sequence[Sequence[int]], waits: Mapping[tuple[str, str], str]
) -> None:
    """Let the last commands of a plan come before the first ones of each plan that waits for it."""
    numbers = {intent.id: number for number, intent in enumerate(kept)}
    before: list[list[tuple[int, str]]] = [[] for _ in kept]
    for (maker, taker), why in sorted(waits.items(), key=lambda item: (numbers[item[0][0]], numbers[item[0][1]])):
        before[numbers[taker]].append((numbers[maker], why))
    for later, mine in enumerate(where):
        inner = set(mine)
        first = [at for at in sorted(inner) if not any(order.after[other] >> at & 1 for other in inner)]
        for earlier, why in _effective(later, before, where):
            outer = set(where[earlier])
            last = [at for at in sorted(outer) if not any(order.after[at] >> other & 1 for other in outer)]
            for one in last:
                for other in first:
                    order.add(one, other, why)


def _effective(
    plan: int, before: Sequence[Sequence[tuple[int, str]]], where: Sequence[Sequence[int]]
) -> Iterable[tuple[int, str]]:
    """The plans that a plan waits for; a plan without commands is replaced by those that it waits for."""
    for earlier, why in before[plan]:
        if where[earlier]:
            yield earlier, why
        else:
            yield from ((effective, f"{why}; {reason}") for effective, reason in _effective(earlier, before, where))


def _by_claims(
    order: Order,
    commands: Sequence[Command],
    claims: Sequence[dict[str, int]],
    pairs: Iterable[tuple[int, int]],
    policy: Policy,
) -> None:
    """Let clashing commands keep their order, the nearest pairs first, so that a chain needs only its links."""
    spelling = spelling_of(policy)
    changes = [any(claim & WRITES for claim in claimed.values()) for claimed in claims]
    for one, other in sorted(pairs, key=lambda pair: (pair[1] - pair[0], pair)):
        if (changes[one] or changes[other]) and not order.decides(one, other):
            place = contested_place(claims[one], claims[other], spelling)
            if place == UNKNOWN:
                unknown = commands[one] if UNKNOWN in claims[one] else commands[other]
                order.add(one, other, f"{unknown.command_id} names no target, so it may write what the other uses")
            elif place is not None:
                order.add(one, other, f"both use {place}, in the order of the plan")


def contested_place(mine: Mapping[str, int], yours: Mapping[str, int], spelling: Spelling) -> str | None:
    """The resource on which two commands clash, an equal one before a larger one; None if they do not clash."""
    for one, other in chain(((same, same) for same in mine if same in yours), product(mine, yours)):
        if UNKNOWN in (one, other):
            if (mine[one] if one == UNKNOWN else yours[other]) & WRITES:
                return UNKNOWN
        elif rule.clash(mine[one] & MASK, yours[other] & MASK) and (place := spelling.outer(one, other)):
            return place
    return None
