"""The naive evaluator, part one: what each plan touches, read from its sentences without any index.

This file, `reference` and `reference_merge` are the executable specification: no cleverness, so that a reader can hold
each rule against its sentence. The evaluator that people use must agree with it on every set of intents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from volition.governance.claims.mentions import EXTENSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.governance.documents.intent import Command, IntentDocument
    from volition.governance.documents.policy import Policy

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
DENIALS: Final = frozenset({"not", "never", "without", "no", "avoid", "cannot", "dont"})
FILLERS: Final = frozenset({"to", "ever", "yet", "longer"})
PARTING: Final = r"[\s\"'`()\[\]{}<>,;:#?!=]+"
SERVICE: Final = r"(?<![A-Za-z0-9_])service:([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)"


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
    for segment in path.replace("\\", "/").split("/"):
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
    path, root = path.replace("\\", "/"), root.replace("\\", "/")
    parts, above = segments(path.partition("*")[0].rpartition("/")[0] if "*" in path else path), segments(root)
    absolute = path.startswith("/") and root.startswith("/")
    if (absolute or (path[1:3] == ":/" and root[1:3] == ":/")) and parts[: len(above)] == above:
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


def named(name: str, policy: Policy) -> Resource:
    """The resource that a policy calls by this name."""
    state = module(name.removeprefix("module:")) if name.startswith(("module:", "service:")) else file(name)
    return folded(state, policy)


def folded(resource: Resource, policy: Policy) -> Resource:
    """The resource under its one name, where case is ignored in small letters."""
    parts = tuple(part.lower() for part in resource.parts)
    return Resource(resource.kind, parts) if policy.ignore_case else resource


def meeting(one: Resource, other: Resource, policy: Policy) -> Resource | None:
    """Where two resources meet: at the one that holds the other, or nowhere; a module holds the files that it is.

    >>> from volition.governance.documents.policy import BUILT_IN
    >>> meeting(file("src"), file("src/a.py"), BUILT_IN) == file("src"), meeting(file("src"), file("src2/a.py"), BUILT_IN)
    (True, None)
    >>> str(meeting(module("shop.cart"), file("shop/cart.py"), BUILT_IN))
    'module:shop.cart'
    """
    if {one.kind, other.kind} == {"module", "file"}:
        dotted, path = (one, other) if one.kind == "module" else (other, one)
        lying = places(dotted, policy)
        if any(is_in(path.parts, place) or path.parts == source(place) for place in lying):
            return dotted
        return path if any(is_in(place, path.parts) for place in lying) else None
    large, small = (one, other) if len(one.parts) <= len(other.parts) else (other, one)
    return large if small.kind == large.kind and is_in(small.parts, large.parts) else None


def is_in(small: tuple[str, ...], large: tuple[str, ...]) -> bool:
    """Whether the segments of one begin with those of the other."""
    return small[: len(large)] == large


def places(dotted: Resource, policy: Policy) -> list[tuple[str, ...]]:
    """The paths at which a module may lie, in their segments: the root, `src`, and what the policy adds."""
    if not dotted.parts or any(sign in part for part in dotted.parts for sign in "/\\"):
        return []
    found = [dotted.parts, ("src", *dotted.parts)]
    for name, path in policy.modules.items():
        row, place = folded(module(name), policy).parts, folded(file(path), policy).parts
        if is_in(dotted.parts, row):
            last = tuple(part.removesuffix(".py") for part in place[-1:])
            found.append((*place[:-1], *last, *dotted.parts[len(row) :]))
    return found


def source(place: tuple[str, ...]) -> tuple[str, ...]:
    """The file of a module that lies at a place."""
    return (*place[:-1], f"{place[-1]}.py") if place else ()


@lru_cache(maxsize=65536)
def words(text: str) -> list[list[str]]:
    """The words of a text, each in its segments, as it is and without the dots that may end a sentence.

    White space, brackets, quotes and most punctuation part words.
    """
    found = [word for word in re.split(PARTING, text) if word]
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


def mentions(text: str, resource: Resource, policy: Policy) -> bool:
    """Whether evidence names a resource by its own name, or a module by its file, or a file by a dotted module.

    >>> from volition.governance.documents.policy import BUILT_IN
    >>> mentions("file://shop/cart.py", module("shop.cart"), BUILT_IN), mentions("see shop.cart", file("shop/cart.py"), BUILT_IN)
    (True, True)
    """
    if names(text, resource) or resource.kind == "service":
        return names(text, resource)
    paths = {resource.parts}
    if resource.kind == "module":
        paths = {path for place in places(resource, policy) for path in (place, source(place))}
    return any(names(text, Resource("file", path)) or (path and path in dotted(text, policy)) for path in paths)


def dotted(text: str, policy: Policy) -> set[tuple[str, ...]]:
    """The paths at which the modules may lie that a text names; a single word, or the name of a file, names none."""
    found: set[tuple[str, ...]] = set()
    for parts in (segment.rstrip(".").split(".") for word in words(text) for segment in word):
        if len(parts) > 1 and parts[-1].lower() not in EXTENSIONS:
            for size in range(1, len(parts) + 1):
                if all(parts[:size]):
                    lying = places(Resource("module", tuple(parts[:size])), policy)
                    found.update(path for place in lying for path in (place, source(place)))
    return found


def may_be(dotted: Resource, path: Resource, policy: Policy) -> bool:
    """Whether a path ends like a module that lies elsewhere as far as anybody has said, so that it may be that module."""
    if dotted.kind != "module" or path.kind != "file" or not dotted.parts or meeting(dotted, path, policy):
        return False
    if any(is_in(dotted.parts, folded(module(name), policy).parts) for name in policy.modules):
        return False
    parts = path.parts[:-1] if path.parts[-1:] == ("__init__.py",) else path.parts
    stem = (*parts[:-1], *(part.removesuffix(".py") for part in parts[-1:]))
    return stem[-len(dotted.parts) :] == dotted.parts


@dataclass(frozen=True, slots=True)
class Side:
    """An intent as the rules see it.

    `touched` are the resources that it touches, each with all effects that it has there; `evidence` holds its
    references and those of its commands, one in a line. `unknown` is what it does without saying where.
    """

    intent: IntentDocument
    touched: Mapping[Resource, frozenset[str]]
    locks: frozenset[Resource]
    unknown: frozenset[str]
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
    return frozenset(command.effects) | said(f"{command.command_id} {command.intent}")


def said(text: str) -> set[str]:
    """What the verbs of a text say that is done.

    >>> said("Do not remove the old route"), said("Never deploy or delete it. Create a copy")
    (set(), {'create'})
    """
    pieces = re.findall(r"[a-z]+|[^a-z]+", text.lower())
    found: set[str] = set()
    for start, end in permutations(range(len(pieces) + 1), 2):
        verb = " ".join(pieces[start:end:2])
        if start < end <= start + 3 and (end - start) % 2 and verb in VERBS and not denied(pieces, start):
            found.add(VERBS[verb])
    return found


def denied(pieces: list[str], verb: int) -> bool:
    """Whether the pieces before a verb, words and gaps in turn, say that it is not done."""
    if verb < 2 or not re.fullmatch(r"[\s_-]+", pieces[verb - 1]):
        return False
    before = verb - 2
    if pieces[before] in {"or", "nor"} and before >= 2 and re.fullmatch(r"[\s_-]+", pieces[before - 1]):
        for start in (before - 2, before - 4):
            if start >= 0 and " ".join(pieces[start : before - 1 : 2]) in VERBS:
                return denied(pieces, start)
    if pieces[before] in FILLERS and before >= 2 and re.fullmatch(r"[\s_-]+", pieces[before - 1]):
        before -= 2
    if pieces[before] in DENIALS:
        return True
    if before < 2:
        return False
    phrase = (pieces[before - 2], pieces[before])
    if phrase in {("instead", "of"), ("rather", "than")}:
        return bool(re.fullmatch(r"[\s_-]+", pieces[before - 1]))
    return (
        pieces[before] == "t"
        and pieces[before - 1] in {"'", "\u2019"}
        and phrase[0].endswith("n")
        and len(phrase[0]) > 1
    )


def targets_of(intent: IntentDocument) -> set[Resource]:
    """The files, modules and services of an intent's scope."""
    files, modules = intent.scope.targets.files, intent.scope.targets.modules
    return {file(path, intent.scope.repo_root) for path in files} | {module(name) for name in modules}


def locks_of(intent: IntentDocument) -> set[Resource]:
    """The files and folders that an intent locks."""
    lock = intent.constraints.lock_scope
    return {file(path, intent.scope.repo_root) for path in lock.paths} if lock.mode == "files" else set()


def beside(command: Command, root: str) -> set[Resource]:
    """The files and services that a command's text names by itself."""
    found = {Resource("service", (name,)) for name in re.findall(SERVICE, command.intent)}
    for word in re.split(PARTING, command.intent.replace("\\", "/")):
        bare = word.rstrip(".")
        match = re.fullmatch(r"(?P<folder>.*/)?[^/]+\.(?P<ending>[A-Za-z][A-Za-z0-9]{0,7})", bare, re.DOTALL)
        if match and not bare.startswith("//") and (match["folder"] or match["ending"].lower() in EXTENSIONS):
            path = file(bare, root)
            if path.parts and path.parts[0] != "..":
                found.add(path)
    return found


def said_by(command: Command, plan: IntentDocument, commands: Iterable[Command], policy: Policy) -> set[Resource]:
    """What a command's text names; a bare file name is what it ends among the paths that its plan names, if it does."""
    targets = targets_of(plan)
    paths = targets | {one for other in commands for one in beside(other, plan.scope.repo_root)}
    found = set()
    for one in beside(command, plan.scope.repo_root):
        known = folded(one, policy) in {folded(target, policy) for target in targets}
        ends = {
            path
            for path in paths
            if path.kind == one.kind == "file"
            and len(one.parts) == 1 < len(path.parts)
            and folded(path, policy).parts[-1:] == folded(one, policy).parts
        }
        found |= {one} if known or not ends else ends
    return found


def shares(intent: IntentDocument) -> list[tuple[IntentDocument, list[Command]]]:
    """The plans of which an intent was merged, each as an intent of its scope, with its commands; or the intent itself."""
    parts = intent.metadata.parts if intent.metadata else ()
    left = list(intent.planned_commands)
    found: list[tuple[IntentDocument, list[Command]]] = []
    for part in parts:
        scope = structs.replace(intent.scope, repo_root=part.repo_root, targets=part.targets)
        found.append((structs.replace(intent, scope=scope), [c for c in left if c.source == part.intent_id]))
        left = [command for command in left if command.source != part.intent_id]
    return [*found, (intent, left)] if left or not parts else found


def side_of(intent: IntentDocument, policy: Policy) -> Side:
    """A command touches the targets that its text or evidence names, else all of them, and what else its text names.

    One that writes and can touch nothing may write anything.
    """
    touched: dict[Resource, frozenset[str]] = {}
    unknown: frozenset[str] = frozenset()
    for plan, commands in shares(intent):
        targets = {folded(target, policy) for target in targets_of(plan)}
        for command in commands:
            said_too = {folded(resource, policy) for resource in said_by(command, plan, commands, policy)}
            text = "\n".join(
                (command.intent, *command.evidence_refs, *(str(one) for one in said_too if one.kind == "file"))
            )
            new = {
                one for one in said_too if not any(t.kind == one.kind and is_in(one.parts, t.parts) for t in targets)
            }
            named_ones = {target for target in targets if names(text.lower() if policy.ignore_case else text, target)}
            effects = effects_of(command)
            for target in (named_ones or targets) | new:
                touched[target] = touched.get(target, frozenset()) | effects
            if not targets and not said_too and effects & WRITERS:
                unknown |= effects
    locks = {folded(lock, policy) for lock in locks_of(intent)}
    own_touched, own_locks = dict(touched), set(locks)
    for name, bound in policy.bindings.items():
        state, others = named(name, policy), [named(one, policy) for one in bound]
        for resource, effects in own_touched.items():
            if resource != state and any(meeting(resource, other, policy) for other in others):
                touched[state] = touched.get(state, frozenset()) | effects
        if any(lock != state and meeting(lock, other, policy) for lock in own_locks for other in others):
            locks.add(state)
    refs = [*intent.evidence_refs, *(ref for command in intent.planned_commands for ref in command.evidence_refs)]
    evidence = "\n".join(refs)
    return Side(intent, touched, frozenset(locks), unknown, evidence.lower() if policy.ignore_case else evidence)
