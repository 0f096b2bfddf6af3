"""The live index: reports immediately which plans a new plan collides with, before any work starts.

It knows what the evaluation knows about two plans: resource, effect and lock conflicts, exclusive states, shared files,
modes of interaction, and what an implementation makes for an analysis. A plan that writes without naming a target collides
with every lock and every writer. What needs the whole set (budgets, capacities, crowds, evidence, prerequisites, circles),
and what cannot be decided (a module that may be a file elsewhere), is left to the evaluation.

Theory of operation. A plan is in the index or not. `add` enters it under every resource that it claims, under every mark of
the plan as a whole, and under the plans that it comes after; `remove` takes out exactly what `add` entered, because what
is known of a plan is kept as it was then; `check` changes nothing. Collisions are looked up from the claims of the one plan, so
they do not depend on the order in which the others were added.
"""

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.errors import InvalidInput, Problems, refuse
from volition.governance.claims.extract import claims_of
from volition.governance.claims.footprint import footprint_of
from volition.governance.claims.index import LivePlaceIndex
from volition.governance.claims.spelling import spelling_of
from volition.governance.conflicts.declared import SETTLED
from volition.governance.conflicts.detection import clash, levels_of
from volition.governance.conflicts.effect import ExclusiveStates, level_in_env
from volition.governance.conflicts.graphs import reachable
from volition.governance.conflicts.ledger import MEDIUM, severity_of
from volition.governance.conflicts.resource import SHARED, SHARED_FILE
from volition.governance.documents.effects import DEPLOY, FREEZE, LOCK, MASK, ROLLBACK, TOUCH, WRITES, all_effect_bits
from volition.governance.documents.intent import GRAVE, LEVELS
from volition.governance.documents.loading import check_targets
from volition.governance.documents.policy import BUILT_IN
from volition.governance.paths.names import PART, UNKNOWN, parts_meet, split_part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from volition.governance.documents.intent import IntentDocument, Level
    from volition.governance.documents.intent_set import Env
    from volition.governance.documents.policy import Policy

    Met = dict[tuple[str, Level, str], set[str]]


_MARKS: Final = (
    (WRITES, "writes"),
    (LOCK, "locks"),
    (FREEZE, "freezes"),
    (DEPLOY, "deploys"),
    (ROLLBACK, "rolls back"),
)


class Collision(Struct, frozen=True):
    """What a plan would contest: the rule, its severity, the resource, and the other plans in the order of their ids."""

    rule: str
    severity: Level
    resource: str
    intent_ids: tuple[str, ...]
    in_order: bool = False
    """Whether only a declared order keeps it from being grave: the plans can be merged, and not work at the same time."""


class _Standing(Struct, frozen=True):
    """What the index knows of a plan: its claims, everything that it does, and how much it asks."""

    claims: dict[str, int]
    done: int
    mode: str
    states: list[str]
    """The exclusive states that it writes."""
    before: frozenset[str]
    """The plans that it declares to come before it."""


class ConflictIndex:
    """The plans in progress, by what they claim.

    Adding a plan costs what it claims and what it collides with, however many plans there are.
    """

    def __init__(self, policy: Policy = BUILT_IN, env: Env = "local") -> None:
        self._policy, self._env = policy, env
        self._levels = levels_of(policy, env)
        self._exclusive = ExclusiveStates(policy)
        self._places = LivePlaceIndex(spelling_of(policy))
        self._plans: dict[str, _Standing] = {}
        self._direct: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        """Resource -> what is done there -> the plans that do it."""
        self._after: defaultdict[str, set[str]] = defaultdict(set)
        """Plan -> those in the index that declare to come after it."""
        self._marked: defaultdict[str, set[str]] = defaultdict(set)
        """What is true of a plan as a whole, or of an exclusive state or a file of which it writes a part -> the plans."""

    def __len__(self) -> int:
        return len(self._plans)

    def __contains__(self, intent_id: object) -> bool:
        return intent_id in self._plans

    def __iter__(self) -> Iterator[str]:
        return iter(self._plans)

    def check(self, intent: IntentDocument) -> list[Collision]:
        """The collisions that a plan would have; it is not added, and does not collide with itself."""
        return self._collisions(self._stand(intent), intent.id)

    def add(self, intent: IntentDocument) -> list[Collision]:
        """Add a plan and return its collisions; a plan that is already in the index is refused."""
        own = intent.id
        if own in self._plans:
            refuse(f"{own} is in the index", where="index", expected="a new id", remedy="remove it first")
        standing = self._plans[own] = self._stand(intent)
        collisions = self._collisions(standing, own)
        for resource, claim in standing.claims.items():
            if resource != UNKNOWN:
                if resource not in self._direct:
                    self._places.add(resource)
                self._direct[resource][claim & MASK].add(own)
        for mark in self._marks(standing):
            self._marked[mark].add(own)
        for earlier in standing.before:
            self._after[earlier].add(own)
        return collisions

    def remove(self, intent_id: str) -> None:
        """Remove a plan; one that is not in the index is refused."""
        if intent_id not in self._plans:
            refuse(f"{intent_id} is not in the index", where="index", expected="a plan that was added", remedy="add it")
        standing = self._plans.pop(intent_id)
        for mark in self._marks(standing):
            _discard(self._marked, mark, intent_id)
        for earlier in standing.before:
            _discard(self._after, earlier, intent_id)
        for resource, claim in standing.claims.items():
            if resource != UNKNOWN:
                names = self._direct[resource][claim & MASK]
                names.discard(intent_id)
                if not names:
                    del self._direct[resource][claim & MASK]
                if not self._direct[resource]:
                    del self._direct[resource]
                    self._places.remove(resource)

    def _stand(self, intent: IntentDocument) -> _Standing:
        problems = Problems()
        check_targets(intent, intent.id, problems)
        problems.raise_if_any(InvalidInput)
        claims = claims_of(footprint_of(intent, self._policy), self._policy)
        effects = reduce(or_, claims.values(), all_effect_bits(intent))
        written = [resource for resource, claim in claims.items() if claim & WRITES]
        states = self._exclusive.of(written)
        return _Standing(claims, effects, intent.interaction.mode, states, _declared_before(intent))

    def _marks(self, standing: _Standing) -> Iterator[str]:
        """What a plan is found by, beside its resources."""
        yield f"mode {standing.mode}"
        yield from (mark for bits, mark in _MARKS if standing.done & bits)
        if UNKNOWN in standing.claims:
            yield UNKNOWN
        yield from (f"state {state}" for state in standing.states)
        yield from dict.fromkeys(f"part {path}" for path, _ in _written_parts(standing.claims))

    def _collisions(self, standing: _Standing, own: str) -> list[Collision]:
        met: Met = {}
        for resource, claim in standing.claims.items():
            if resource != UNKNOWN:
                for place, other in self._places.meeting(resource):
                    self._meet(met, place, claim, other)
        self._meet_states(met, standing)
        self._meet_modes(met, standing)
        self._meet_parts(met, standing)
        self._meet_unknown(met, standing)
        grave = {key for key in met if key[0] in SETTLED and key[1] in GRAVE}
        ordered = self._ordered_with(standing, own) if grave else set()
        collisions = []
        for key, others in met.items():
            rule, severity, resource = key
            settled = others & ordered if key in grave else set()
            for names, in_order in ((others - settled - {own}, False), (settled, True)):
                if names:
                    level = LEVELS[MEDIUM] if in_order else severity
                    collisions.append(Collision(rule, level, resource, tuple(sorted(names)), in_order))
        return sorted(collisions, key=lambda one: (-LEVELS.index(one.severity), one.resource, one.rule, one.in_order))

    def _ordered_with(self, standing: _Standing, own: str) -> set[str]:
        """The plans that come before or after this one, as some plans of the index or this one declare, and not both."""

        def earlier(name: str) -> AbstractSet[str]:
            if name == own:
                return standing.before
            return self._plans[name].before if name in self._plans else frozenset()

        def later(name: str) -> AbstractSet[str]:
            # A plan that is checked again may have declared something else when it was added.
            if name != own and name not in self._plans:
                return frozenset()
            return (self._after.get(name, set()) - {own}) | ({own} if name in standing.before else set())

        return (reachable(own, earlier) ^ reachable(own, later)) & self._plans.keys()

    def _meet(self, met: Met, resource: str, claim: int, place: str) -> None:
        """Record the plans that clash with a claim by their claims at `place`: the resource or something that meets it."""
        for mask, names in self._direct[place].items() if place in self._direct else ():
            flags = clash(claim & MASK, mask)
            for flag, (rule, level) in self._levels.items() if flags else ():
                if flags & flag:
                    met.setdefault((rule, LEVELS[level], resource), set()).update(names)

    def _add(self, met: Met, rule: str, resource: str, names: set[str], level: int | None = None) -> None:
        if names:
            level = severity_of(rule, self._policy, self._env) if level is None else level
            met.setdefault((rule, LEVELS[level], resource), set()).update(names)

    def _meet_states(self, met: Met, standing: _Standing) -> None:
        """Record who writes the same exclusive states; who may write anything may write each of them."""
        for state in standing.states:
            writers = self._marked.get(f"state {state}", set()) | self._marked.get(UNKNOWN, set())
            self._add(met, "effect_exclusive", state, writers)
        if UNKNOWN in standing.claims:
            for mark, names in self._marked.items():
                if mark.startswith("state "):
                    self._add(met, "effect_exclusive", mark.removeprefix("state "), names)
        if self._env in self._policy.exclusive_envs:
            about, done = f"env:{self._env}", standing.done
            deploying, undoing = self._marked.get("deploys", set()), self._marked.get("rolls back", set())
            level = level_in_env("effect_deploy_rollback", self._policy, self._env)
            if done & DEPLOY:
                self._add(met, "effect_exclusive", about, deploying)
                self._add(met, "effect_deploy_rollback", about, undoing, level)
            if done & ROLLBACK:
                self._add(met, "effect_exclusive", about, undoing)
                self._add(met, "effect_deploy_rollback", about, deploying, level)

    def _meet_modes(self, met: Met, standing: _Standing) -> None:
        """Record who wants to be asked where this one never asks, or the other way round."""
        other = {"full_auto": "interactive", "interactive": "full_auto"}.get(standing.mode)
        if other:
            self._add(met, "constraint_mode", "interaction.mode", self._marked.get(f"mode {other}", set()))

    def _meet_parts(self, met: Met, standing: _Standing) -> None:
        """Record who writes other parts of the same files."""
        for path, part in _written_parts(standing.claims):
            for name in self._marked.get(f"part {path}", ()):
                theirs = [other for file, other in _written_parts(self._plans[name].claims) if file == path]
                if any(not parts_meet(part, other) for other in theirs):
                    self._add(met, SHARED_FILE, SHARED + path, {name})

    def _meet_unknown(self, met: Met, standing: _Standing) -> None:
        """Record the collisions of plans of unknown scope: this one, or others."""
        may_be_anything, unknown = UNKNOWN in standing.claims, self._marked.get(UNKNOWN, set())
        for rule, bits, mark in (
            ("constraint_lock", LOCK, "locks"),
            ("constraint_freeze", FREEZE, "freezes"),
            ("resource_unknown", WRITES, "writes"),
        ):
            others = self._marked.get(mark, set()) if may_be_anything else set()
            self._add(met, rule, UNKNOWN, others | (unknown if standing.done & bits else set()))


def _declared_before(intent: IntentDocument) -> frozenset[str]:
    declared = intent.metadata.depends_on if intent.metadata else ()
    return frozenset((*intent.lineage.derived_from, *declared)) - {intent.id}


def _discard(index: dict[str, set[str]], key: str, name: str) -> None:
    """Take a name out of a set, and the set out where it is empty."""
    index[key].discard(name)
    if not index[key]:
        del index[key]


def _written_parts(claims: dict[str, int]) -> Iterator[tuple[str, str]]:
    """The files of which a plan writes a part, each with the part."""
    for resource, claim in claims.items():
        if PART in resource and claim & TOUCH and claim & WRITES:
            path, part = split_part(resource)
            if part:
                yield path, part
