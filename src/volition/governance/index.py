"""The live index: tells at once with which plans a new plan collides, before any work starts.

It knows the clashes of two plans on a resource: resource, effect and lock conflicts, and what an implementation makes
for an analysis; and who changes something and names nothing collides with every lock and every writer. What needs the whole set (budgets, capacities, crowds, evidence, circles), and
what cannot be decided (a module that may be a file elsewhere), is the evaluation's matter.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.core.errors import refuse
from volition.governance.claims import LOCK, MASK, WRITES, claims_of
from volition.governance.conflicts import clash, levels_of, unknown_level
from volition.governance.conflicts.finding import LEVELS
from volition.governance.policy import BUILT_IN
from volition.governance.resources import MODULE, SERVICE, UNKNOWN, holder
from volition.governance.spelling import SOURCE, spelling_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.governance.documents import Intent
    from volition.governance.documents.intent import Level
    from volition.governance.documents.intent_set import Env
    from volition.governance.policy import Policy

    Met = dict[tuple[str, int], list[Sequence[str]]]

_MODULE: Final = len(MODULE)


class Collision(NamedTuple):
    """What a plan would contest: the rule, how severe it is, the resource, and with whom, in the order of their ids."""

    rule: str
    severity: Level
    resource: str
    intent_ids: tuple[str, ...]


class ConflictIndex:
    """The plans that are on their way, by what they claim.

    Adding a plan costs what it claims and what it collides with, however many plans there are.
    """

    def __init__(self, policy: Policy = BUILT_IN, env: Env = "local") -> None:
        self._policy = policy
        self._spelling = spelling_of(policy)
        self._levels = levels_of(policy, env)
        self._lock_level: Level = policy.severity("constraint_lock")
        self._unknown_level: Level = LEVELS[unknown_level(policy, env)]
        self._known: dict[int, list[tuple[str, Level]]] = {}
        self._claims: dict[str, dict[str, int]] = {}
        # Who claims a resource: the only one, because most stand alone, or what is done there -> those who do it.
        self._direct: dict[str, str | dict[int, list[str]]] = {}
        self._within: dict[str, set[str]] = {}
        # What is claimed and holds something else that is claimed.
        self._outer: set[str] = set()
        self._around: dict[str, tuple[str, ...]] = {}
        # Folder -> the claimed modules that may lie in it; most plans name no module, and then nothing is looked up.
        self._modules: dict[str, set[str]] = {}
        self._dotted: set[str] = set()
        self._writers: set[str] = set()
        self._locking: set[str] = set()
        self._unknown: set[str] = set()

    def __len__(self) -> int:
        return len(self._claims)

    def __contains__(self, intent_id: object) -> bool:
        return intent_id in self._claims

    def __iter__(self) -> Iterator[str]:
        return iter(self._claims)

    def check(self, intent: Intent) -> list[Collision]:
        """With whom a plan would collide; it is not added, and does not collide with itself."""
        return self._collisions(claims_of(intent, self._policy), intent.id if intent.id in self._claims else None)

    def add(self, intent: Intent) -> list[Collision]:
        """Add a plan and tell with whom it collides; a plan that is there already is refused."""
        own = intent.id
        if own in self._claims:
            refuse(f"{own} is in the index", where="index", expected="a new id", remedy="remove it first")
        claims = claims_of(intent, self._policy)
        found = self._collisions(claims, None)
        self._claims[own] = claims
        direct, within = self._direct, self._within
        done = 0
        for resource, claim in claims.items():
            done |= claim
            if resource == UNKNOWN:
                self._unknown.add(own)
                continue
            held = direct.setdefault(resource, own)
            if held is own:
                # Most are files in a folder that is known, and need no call.
                inside = within.get(resource.rpartition("/")[0]) if resource[:_MODULE] != MODULE else None
                if inside is None or resource in within:
                    self._place(resource)
                else:
                    inside.add(resource)
            else:
                if isinstance(held, str):
                    held = direct[resource] = {self._claims[held][resource] & MASK: [held]}
                insort(held.setdefault(claim & MASK, []), own)
        if done & WRITES:
            self._writers.add(own)
        if done & LOCK:
            self._locking.add(own)
        return found

    def remove(self, intent_id: str) -> None:
        """Forget a plan; one that is not there is refused."""
        if intent_id not in self._claims:
            refuse(f"{intent_id} is not in the index", where="index", expected="a plan that was added", remedy="add it")
        for some in (self._writers, self._locking, self._unknown):
            some.discard(intent_id)
        for resource, claim in self._claims.pop(intent_id).items():
            if resource == UNKNOWN:
                continue
            held = self._direct[resource]
            if not isinstance(held, str):
                names = held[claim & MASK]
                del names[bisect_left(names, intent_id)]
                if not names:
                    del held[claim & MASK]
            if isinstance(held, str) or not held:
                del self._direct[resource]
                self._displace(resource)

    def _place(self, resource: str) -> None:
        """Hang a resource into its folder, and new folders into theirs."""
        within = self._within
        if resource.startswith(MODULE):
            self._dotted.add(resource)
            for folder in self._spelling.folders(resource):
                self._modules.setdefault(folder, set()).add(resource)
        if resource in within:
            self._outer.add(resource)
        for around in self._above(resource):
            inside = within.get(around)
            if inside is not None:
                inside.add(resource)
                return
            within[around] = {resource}
            if around in self._direct:
                self._outer.add(around)
            resource = around

    def _displace(self, resource: str) -> None:
        """Take a resource out of its folder, and folders that hold nothing any more out of theirs."""
        self._outer.discard(resource)
        if resource in self._dotted:
            self._dotted.discard(resource)
            for folder in self._spelling.folders(resource):
                inside = self._modules.get(folder, set())
                inside.discard(resource)
                if not inside:
                    self._modules.pop(folder, None)
        while resource not in self._within and resource not in self._direct:
            around = holder(resource)
            if around is None:
                return
            inside = self._within[around]
            inside.discard(resource)
            if inside:
                return
            del self._within[around]
            self._outer.discard(around)
            resource = around

    def _above(self, resource: str) -> tuple[str, ...]:
        """Everything that holds a resource, claimed or not."""
        folder = resource.rpartition("/")[0]
        known = self._around.get(folder) if folder and resource[:_MODULE] != MODULE else None
        if known is None:
            chain = []
            around = holder(resource)
            while around is not None:
                chain.append(around)
                around = holder(around)
            known = tuple(chain)
            if folder and resource[:_MODULE] != MODULE:
                self._around[folder] = known
        return known

    def _collisions(self, claims: dict[str, int], own: str | None) -> list[Collision]:
        met: Met = {}
        direct, within, outers = self._direct, self._within, self._outer
        for resource, claim in claims.items():
            if resource == UNKNOWN:
                continue
            if resource in direct:
                self._meet(met, resource, claim, resource)
            # Few plans claim whole folders, so most need not look above a folder that is known.
            if outers or resource[:_MODULE] == MODULE or resource.rpartition("/")[0] not in within:
                for outer in self._above(resource):
                    if outer in direct:
                        self._meet(met, outer, claim, outer)
            if resource in within:
                for inner in self._below(resource):
                    self._meet(met, resource, claim, inner)
            if self._dotted or resource[:_MODULE] == MODULE:
                self._cross(met, resource, claim)
        found = self._told(met, own) if met else []
        return _grouped([*found, *self._unknowns(claims, own)]) if self._unknown or UNKNOWN in claims else found

    def _unknowns(self, claims: dict[str, int], own: str | None) -> Iterator[Collision]:
        """What comes of not knowing what a plan, this one or one of the others, may change."""
        done = 0
        for claim in claims.values():
            done |= claim
        may_be_anything = UNKNOWN in claims
        locked = (self._locking if may_be_anything else set()) | (self._unknown if done & LOCK else set())
        written = (self._writers if may_be_anything else set()) | (self._unknown if done & WRITES else set())
        for rule, level, others in (
            ("constraint_lock", self._lock_level, locked),
            ("resource_unknown", self._unknown_level, written),
        ):
            names = tuple(sorted(others - {own}))
            if names:
                yield Collision(rule, level, UNKNOWN, names)

    def _cross(self, met: Met, resource: str, claim: int) -> None:
        """Note who clashes with a claim on a file by claiming a module that is or holds it, or the reverse."""
        direct = self._direct
        if resource.startswith(MODULE):
            for outer in dict.fromkeys(self._spelling.folders(resource)):
                if outer in direct:
                    self._meet(met, outer, claim, outer)
            for place in self._spelling.places(resource):
                for inner in (place + SOURCE, place, *self._below(place)):
                    if inner in direct and not inner.startswith((MODULE, SERVICE)):
                        self._meet(met, resource, claim, inner)
        elif not resource.startswith(SERVICE):
            for outer in self._spelling.modules(resource):
                if outer in direct:
                    self._meet(met, outer, claim, outer)
            for module in self._modules.get(resource, ()):
                self._meet(met, resource, claim, module)

    def _below(self, resource: str) -> Iterator[str]:
        todo = [resource]
        while todo:
            for inner in self._within.get(todo.pop(), ()):
                if inner in self._direct:
                    yield inner
                if inner in self._within:
                    todo.append(inner)

    def _meet(self, met: Met, resource: str, claim: int, place: str) -> None:
        """Note who clashes with a claim by what they claim at `place`, which is the resource or something in it."""
        mine, held = claim & MASK, self._direct[place]
        if isinstance(held, str):
            if flags := clash(mine, self._claims[held][place] & MASK):
                met.setdefault((resource, flags), []).append((held,))
            return
        for mask, names in held.items():
            if flags := clash(mine, mask):
                met.setdefault((resource, flags), []).append(names)

    def _rules(self, flags: int) -> list[tuple[str, Level]]:
        """By which rules, and how severely, two claims clash; there are few different ways, so each answer is kept."""
        found = [(rule, LEVELS[level]) for flag, (rule, level) in self._levels.items() if flags & flag]
        self._known[flags] = found
        return found

    def _told(self, met: Met, own: str | None) -> list[Collision]:
        found: list[Collision] = []
        for (resource, flags), runs in met.items():
            # Each run is in order and holds nobody twice; most stand alone, and the sort of several is quick.
            names = tuple(runs[0]) if len(runs) == 1 else tuple(sorted(dict.fromkeys(chain.from_iterable(runs))))
            if own is not None:
                names = tuple(name for name in names if name != own)
            if names:
                for rule, severity in self._known.get(flags) or self._rules(flags):
                    found.append(Collision(rule, severity, resource, names))
        return _grouped(found) if len(found) > 1 else found


def _grouped(found: list[Collision]) -> list[Collision]:
    """One collision per rule and resource, the gravest first."""
    together: dict[tuple[str, Level, str], tuple[str, ...]] = {}
    for rule, severity, resource, names in found:
        key = (rule, severity, resource)
        others = together.get(key)
        together[key] = tuple(sorted(dict.fromkeys((*others, *names)))) if others else names
    found = [Collision(*key, names) for key, names in together.items()]
    found.sort(key=lambda c: (-LEVELS.index(c.severity), c.resource, c.rule))
    return found
