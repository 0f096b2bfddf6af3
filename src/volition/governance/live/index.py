"""The live index: reports immediately which plans a new plan collides with, before any work starts.

It knows the clashes of two plans on a resource: resource, effect and lock conflicts, and what an implementation makes
for an analysis. A plan that writes without naming a target collides with every lock and every writer. What needs the
whole set (budgets, capacities, crowds, evidence, circles), and what cannot be decided (a module that may be a file
elsewhere), is left to the evaluation.
"""

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from volition.core.errors import refuse
from volition.governance.claims.effects import LOCK, MASK, WRITES
from volition.governance.claims.extract import claims_of
from volition.governance.claims.footprint import footprint_of
from volition.governance.claims.spelling import SOURCE, spelling_of
from volition.governance.conflicts.detection import clash, levels_of
from volition.governance.conflicts.ledger import severity_of
from volition.governance.documents.intent import LEVELS
from volition.governance.documents.policy import BUILT_IN
from volition.governance.resources import MODULE, UNKNOWN, WHOLE_PROJECT, holders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.governance.documents.intent import IntentDocument, Level
    from volition.governance.documents.intent_set import Env
    from volition.governance.documents.policy import Policy

    Met = dict[tuple[str, Level, str], set[str]]


class Collision(NamedTuple):
    """What a plan would contest: the rule, its severity, the resource, and the other plans in the order of their ids."""

    rule: str
    severity: Level
    resource: str
    intent_ids: tuple[str, ...]


class ConflictIndex:
    """The plans in progress, by what they claim.

    Adding a plan costs what it claims and what it collides with, however many plans there are.
    """

    def __init__(self, policy: Policy = BUILT_IN, env: Env = "local") -> None:
        self._policy, self._env = policy, env
        self._spelling = spelling_of(policy)
        self._levels = levels_of(policy, env)
        self._claims: dict[str, dict[str, int]] = {}
        self._direct: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        """Resource -> what is done there -> the plans that do it."""
        self._within: defaultdict[str, set[str]] = defaultdict(set)
        """Folder or module -> its direct children that are claimed or contain something claimed."""
        self._modules: defaultdict[str, set[str]] = defaultdict(set)
        """Folder -> the claimed modules that may lie in it."""
        self._modules_at: defaultdict[str, set[str]] = defaultdict(set)
        """Path -> the claimed modules that are the folder there, with all that is in it."""
        self._modules_in: defaultdict[str, set[str]] = defaultdict(set)
        """File -> the claimed modules that it is."""
        self._writers: set[str] = set()
        self._locking: set[str] = set()
        self._unknown: set[str] = set()

    def __len__(self) -> int:
        return len(self._claims)

    def __contains__(self, intent_id: object) -> bool:
        return intent_id in self._claims

    def __iter__(self) -> Iterator[str]:
        return iter(self._claims)

    def check(self, intent: IntentDocument) -> list[Collision]:
        """The collisions that a plan would have; it is not added, and does not collide with itself."""
        return self._collisions(claims_of(footprint_of(intent, self._policy), self._policy), intent.id)

    def add(self, intent: IntentDocument) -> list[Collision]:
        """Add a plan and return its collisions; a plan that is already in the index is refused."""
        own = intent.id
        if own in self._claims:
            refuse(f"{own} is in the index", where="index", expected="a new id", remedy="remove it first")
        claims = claims_of(footprint_of(intent, self._policy), self._policy)
        found = self._collisions(claims, own)
        self._claims[own] = claims
        for resource, claim in claims.items():
            if resource == UNKNOWN:
                self._unknown.add(own)
                continue
            if resource not in self._direct:
                self._place(resource)
            self._direct[resource][claim & MASK].add(own)
        done = reduce(or_, claims.values(), 0)
        if done & WRITES:
            self._writers.add(own)
        if done & LOCK:
            self._locking.add(own)
        return found

    def remove(self, intent_id: str) -> None:
        """Remove a plan; one that is not in the index is refused."""
        if intent_id not in self._claims:
            refuse(f"{intent_id} is not in the index", where="index", expected="a plan that was added", remedy="add it")
        for some in (self._writers, self._locking, self._unknown):
            some.discard(intent_id)
        for resource, claim in self._claims.pop(intent_id).items():
            if resource != UNKNOWN:
                names = self._direct[resource][claim & MASK]
                names.discard(intent_id)
                if not names:
                    del self._direct[resource][claim & MASK]
                if not self._direct[resource]:
                    del self._direct[resource]
                    self._displace(resource)

    def _place(self, resource: str) -> None:
        """Put a resource into its folder, and new folders into theirs."""
        for table, path in self._entries(resource):
            table[path].add(resource)
        for around in holders(resource):
            known = around in self._within
            self._within[around].add(resource)
            if known:
                return
            resource = around

    def _displace(self, resource: str) -> None:
        """Take a resource out of its folder, and empty folders out of theirs."""
        for table, path in self._entries(resource):
            table[path].discard(resource)
            if not table[path]:
                del table[path]
        for around in holders(resource):
            if resource in self._within or resource in self._direct:
                return
            self._within[around].discard(resource)
            if self._within[around]:
                return
            del self._within[around]
            resource = around

    def _entries(self, resource: str) -> list[tuple[dict[str, set[str]], str]]:
        """Under which paths a module is found, and in which tables; a path is found under itself."""
        if not resource.startswith(MODULE):
            return []
        places = self._spelling.places(resource)
        return [
            *((self._modules, folder) for folder in self._spelling.folders(resource)),
            *((self._modules_at, place) for place in places),
            *((self._modules_in, place + SOURCE) for place in places if place != WHOLE_PROJECT),
        ]

    def _collisions(self, claims: dict[str, int], own: str) -> list[Collision]:
        met: Met = {}
        for resource, claim in claims.items():
            if resource != UNKNOWN:
                for outer in (resource, *self._around(resource)):
                    if outer in self._direct:
                        self._meet(met, outer, claim, outer)
                for inner in self._inside(resource):
                    if inner in self._direct:
                        self._meet(met, resource, claim, inner)
        found = [
            Collision(rule, severity, resource, names)
            for (rule, severity, resource), others in met.items()
            if (names := tuple(sorted(others - {own})))
        ]
        found += self._unknown_collisions(claims, own)
        return sorted(found, key=lambda one: (-LEVELS.index(one.severity), one.resource, one.rule))

    def _meet(self, met: Met, resource: str, claim: int, place: str) -> None:
        """Record the plans that clash with a claim by their claims at `place`: the resource or something in it."""
        for mask, names in self._direct[place].items():
            flags = clash(claim & MASK, mask)
            for flag, (rule, level) in self._levels.items() if flags else ():
                if flags & flag:
                    met.setdefault((rule, LEVELS[level], resource), set()).update(names)

    def _around(self, resource: str) -> list[str]:
        """What contains a resource."""
        around = holders(resource)
        if resource.startswith(MODULE):
            return [*around, *self._spelling.folders(resource)]
        found = [*around, *self._modules_in.get(resource, ())]
        for path in (resource, *around):
            found += self._modules_at.get(path, ())
        return found

    def _inside(self, resource: str) -> list[str]:
        """What a resource contains."""
        found = self._below(resource)
        if not resource.startswith(MODULE):
            return [*found, *self._modules.get(resource, ())]
        for place in self._spelling.places(resource):
            found += [place, place + SOURCE, *self._below(place)]
        return found

    def _below(self, resource: str) -> list[str]:
        """What is claimed, or contains something claimed, in a folder or module."""
        found = [*self._within.get(resource, ())]
        for inner in found:
            found += self._within.get(inner, ())
        return found

    def _unknown_collisions(self, claims: dict[str, int], own: str) -> Iterator[Collision]:
        """The collisions of plans of unknown scope: this one, or others."""
        done, may_be_anything = reduce(or_, claims.values(), 0), UNKNOWN in claims
        locked = (self._locking if may_be_anything else set()) | (self._unknown if done & LOCK else set())
        written = (self._writers if may_be_anything else set()) | (self._unknown if done & WRITES else set())
        for rule, others in (("constraint_lock", locked), ("resource_unknown", written)):
            if names := tuple(sorted(others - {own})):
                yield Collision(rule, LEVELS[severity_of(rule, self._policy, self._env)], UNKNOWN, names)
