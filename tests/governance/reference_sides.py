"""The naive evaluator, part two: what each plan claims, read from its sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from tests.governance.reference_names import (
    Resource,
    covers,
    file,
    folded,
    is_absolute,
    meeting,
    module,
    place,
    segments,
)
from volition.governance.claims.mentions import EXTENSIONS, split_sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.documents.intent import Command, IntentDocument
    from volition.governance.documents.policy import Policy

WRITERS: Final = frozenset({"write", "create", "delete", "deploy", "rollback", "data", "security"})
PARTING: Final = r"[\s\"'`()\[\]{}<>,;:#?!=]+"
WORD: Final = r"[^\s\"'`()\[\]{}<>,;:#?!=]+"
SERVICE: Final = r"(?<![A-Za-z0-9_])service:([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)"
FILE: Final = r"(?P<path>.*\.(?P<ending>[A-Za-z][A-Za-z0-9]{0,7}))"
PART: Final = r"(?P<part>#[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::|-)[A-Za-z0-9_]+)*)?"


@dataclass(slots=True)
class Claim:
    """What an intent does with one resource: its effects, whether its result uses it, and whether it locks it.

    It is `declared` if the plan names the resource as its own. A lock is a `freeze` if it is of the whole
    project, with its services, or of a plan that does nothing.
    """

    effects: set[str] = field(default_factory=set)
    declared: bool = False
    uses: bool = False
    locks: bool = False
    freezes: bool = False

    @property
    def writes(self) -> set[str]:
        return self.effects & WRITERS

    def add(self, other: Claim) -> None:
        """Add what is claimed elsewhere."""
        self.effects |= other.effects
        self.declared |= other.declared
        self.uses |= other.uses
        self.locks |= other.locks
        self.freezes |= other.freezes


@dataclass(frozen=True, slots=True)
class Side:
    """An intent as the rules see it: what it claims, and what it does without saying where."""

    intent: IntentDocument
    claims: dict[Resource, Claim]
    unknown: frozenset[str]

    @property
    def id(self) -> str:
        return self.intent.id

    @property
    def effects(self) -> set[str]:
        """All that the commands of the intent do, wherever they do it."""
        return {effect for command in self.intent.planned_commands for effect in command.effects}

    @property
    def writes(self) -> bool:
        """Whether the intent changes anything."""
        return bool(self.effects & WRITERS) or any(claim.writes for claim in self.claims.values())

    @property
    def locks(self) -> bool:
        return any(claim.locks for claim in self.claims.values())

    def where(self, effects: Iterable[str]) -> list[Resource]:
        """The resources on which the intent has one of these effects."""
        return [resource for resource, claim in self.claims.items() if claim.effects & set(effects)]

    @property
    def touched(self) -> dict[Resource, Claim]:
        """What the intent works on; a lock alone is no work."""
        return {resource: claim for resource, claim in self.claims.items() if claim.effects}

    @property
    def evidence(self) -> set[str]:
        """The references of the intent, and of its commands."""
        return {*self.intent.evidence_refs, *(r for c in self.intent.planned_commands for r in c.evidence_refs)}


class Text(NamedTuple):
    """What a command's text names: its words, the files and services, and the files from which something is made."""

    words: list[list[str]]
    files: set[Resource]
    sources: set[Resource]


@lru_cache(maxsize=65536)
def words(text: str) -> list[list[str]]:
    """The words of a text, each in its segments, as it is and without the dots that may end a sentence.

    White space, brackets, quotes and most punctuation part words.
    """
    found = [word for word in re.split(PARTING, text) if word]
    bare = [segments(word.rstrip(".")) for word in found]
    return [segments(word) for word in found] + [[*word[:-1], word[-1].rstrip(".")] for word in bare if word]


def begins(word: list[str], name: str, *, dotted: bool = False) -> bool:
    """Whether a word begins with a name, by whole segments; after a module, dotted parts may follow.

    >>> begins(["src", "api", "a.py"], "src/api"), begins(["src", "api2"], "src/api"), begins(["shop.cart"], "shop", dotted=True)
    (True, False, True)
    """
    wanted = name.split("/")
    if re.search(PARTING, name) or name == "." or len(word) < len(wanted) or word[: len(wanted) - 1] != wanted[:-1]:
        return False
    last = word[len(wanted) - 1]
    return last == wanted[-1] or (dotted and last.startswith(f"{wanted[-1]}."))


def named_files(text: str, root: str) -> list[tuple[Resource, bool]]:
    """The files and services that a text names by itself; whether a file is named without a folder.

    A text may name a file from its plan's root or from the project's.
    """
    found = [(Resource("service", name), False) for name in re.findall(SERVICE, text)]
    for chunk in text.replace("\\", "/").split():
        for word, part in pieces(chunk):
            match = re.fullmatch(FILE, word)
            plain = match and match["ending"].lower() in EXTENSIONS and not set(word) & set("*?[{")
            is_file = match and ("/" in word or plain)
            if is_file and match and not word.startswith("//") and segments(word)[-1:] != [f".{match['ending']}"]:
                above = segments(root)
                inside = segments(word)[: len(above)] == above and len(segments(word)) > len(above)
                whole = inside and not is_absolute(root)
                path = file(word + part, "." if whole else root)
                if path.name != "." and path.name.split("/")[0] != "..":
                    found.append((path, len(segments(word)) == 1))
    return found


def pieces(chunk: str) -> list[tuple[str, str]]:
    """The words of a text without white space, each without the dots that end it; a part belongs to the file before it.

    >>> pieces("(src/a.py#Cart.add,b.py.)"), pieces("x#b.py")
    ([('src/a.py', '#Cart.add'), ('b.py', '')], [('x', ''), ('b.py', '')])
    """
    match = re.match(PARTING.replace("+", "*") + f"(?P<word>{WORD})", chunk)
    if not match:
        return []
    word, after = match["word"], chunk[match.end() :]
    part = re.match(rf"{PART}\.*(?!{WORD})", after) if re.fullmatch(FILE, word) else None
    named = (part["part"] or "") if part else ""
    return [(word.rstrip("."), named), *pieces(after[len(named) :])]


def read_commands(
    plan: IntentDocument, commands: Sequence[Command], policy: Policy, *, folding: bool = True
) -> list[Text]:
    """What the texts of a plan's commands name; a bare file name is what it ends among the paths of the plan, if any.

    Without `folding`, the names stay as they are written.
    """
    root, targets = plan.scope.repo_root, targets_of(plan)
    texts = [split_sources(command.intent) for command in commands]
    said = [(named_files(text, root), named_files(sources, root)) for text, sources in texts]
    paths = {*targets, *(one for pair in said for some in pair for one, bare in some if not bare)}
    known = {folded(target, policy) for target in targets}

    def whole(some: list[tuple[Resource, bool]]) -> set[Resource]:
        found = set()
        for one, bare in some:
            ends = {
                Resource("file", path.name, one.part or path.part)
                for path in paths
                if path.kind == "file" and last(folded(path, policy)) == last(folded(one, policy))
            }
            found |= ends if bare and ends and folded(one, policy) not in known else {one}
        return found

    read = []
    for (text, _), (some, others) in zip(texts, said, strict=True):
        files, sources = whole(some), whole(others)
        spelled = "\n".join([text, *(one.name for one in files - {one for one, _ in some})])
        if policy.ignore_case and folding:
            spelled = spelled.lower()
            files, sources = ({folded(one, policy) for one in some} for some in (files, sources))
        read.append(Text(words(spelled), files, sources))
    return read


def last(path: Resource) -> str:
    """The last name of a path."""
    return path.name.rpartition("/")[2]


def targets_of(plan: IntentDocument) -> dict[Resource, set[str]]:
    """The files, modules and services of a scope, each with the names that a text may use: as written, and in full."""
    found: dict[Resource, set[str]] = {}
    root, targets = plan.scope.repo_root, plan.scope.targets
    for path in targets.files:
        found.setdefault(file(path, root), set()).update({str(file(path)), str(file(path, root))})
    for name in targets.modules:
        found.setdefault(module(name, root), set()).update({module(name).name, module(name, root).name})
    return found


def locks_of(intent: IntentDocument) -> set[Resource]:
    """The files and folders that an intent locks."""
    lock = intent.constraints.lock_scope
    return {file(path, intent.scope.repo_root) for path in lock.paths} if lock.mode == "files" else set()


def is_of(path: Resource, target: Resource) -> bool:
    """Whether a named file is a target or lies in it, or is the file of which the target is a part."""
    if path == target:
        return True
    if path.kind != "file" or target.kind != "file":
        return False
    return covers(target, path) or (not path.part and bool(target.part) and path.name == target.name)


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


class Claims(dict[Resource, Claim]):
    """Resource -> what is claimed there."""

    def put(self, resource: Resource, effects: Iterable[str], *, declared: bool = True, uses: bool = False) -> None:
        self.setdefault(resource, Claim()).add(Claim(set(effects), declared, uses))


def removed_by(plan: IntentDocument) -> tuple[set[Resource], set[Resource]]:
    """What a scope removes, the old names of what it renames among it, and the new names."""
    root, declared = plan.scope.repo_root, plan.scope.targets
    old = {place(name, root) for name in (*declared.removes, *declared.renames)}
    return old, {place(name, root) for name in declared.renames.values()}


def claim_scope(claims: Claims, plan: IntentDocument, commands: Sequence[Command], policy: Policy) -> set[str]:
    """Add what the commands of one scope claim, and what it declares; returns what they do without saying where."""
    names = {folded(target, policy): said for target, said in targets_of(plan).items()}
    texts = read_commands(plan, commands, policy)
    named = [{target for target in names if is_named(target, names[target], text, policy)} for text in texts]
    sourced = [
        {target for target in names if target not in mine and any(is_of(one, target) for one in text.sources)}
        for text, mine in zip(texts, named, strict=True)
    ]
    unnamed = set(names).difference(*named, *sourced)
    writing = any(WRITERS & set(command.effects) for command in commands)
    removed, made = removed_by(plan)
    unknown: set[str] = set()
    for command, text, mine, sources in zip(commands, texts, named, sourced, strict=True):
        writes = bool(WRITERS & set(command.effects))
        done = mine or set(names) - sources
        if writes or not writing:
            done = done | unnamed
        beside = {one for one in text.files if not any(is_of(one, target) for target in names)}
        if writes and not done and not beside:
            done = sources
            if not done and not removed:
                unknown |= set(command.effects)
        for target in done:
            claims.put(target, command.effects)
        for target in sources - done:
            claims.put(target, {"read"})
        for one in beside:
            claims.put(one, command.effects, declared=False)
        for one in text.sources:
            if not any(is_of(one, target) for target in names):
                claims.put(one, {"read"}, declared=False)
    for name in plan.scope.targets.reads:
        claims.put(folded(place(name, plan.scope.repo_root), policy), {"read"}, uses=writing or bool(removed))
    for one in removed:
        claims.put(folded(one, policy), {"delete"})
    for one in made:
        claims.put(folded(one, policy), {"create", "write"})
    return unknown


def is_named(target: Resource, names: set[str], text: Text, policy: Policy) -> bool:
    """Whether a text names a target: by a word that begins with its name, by a file of it, or by the name of the part."""
    if any(is_of(one, target) for one in text.files):
        return True
    known = [name.lower() if policy.ignore_case else name for name in names]
    if any(begins(word, name, dotted=target.kind == "module") for word in text.words for name in known):
        return True
    return bool(target.part) and any(
        begins(word, part) for word in text.words for part in (target.part, target.part.lower())
    )


def side_of(intent: IntentDocument, policy: Policy) -> Side:
    """What an intent claims: through its commands, by declaring it, by locking it, and by what the policy binds to it."""
    claims = Claims()
    unknown: set[str] = set()
    for plan, commands in shares(intent):
        unknown |= claim_scope(claims, plan, commands, policy)
    for lock in {folded(lock, policy) for lock in locks_of(intent)}:
        frozen = lock.name == "." or not intent.planned_commands
        claims.setdefault(lock, Claim()).add(Claim(declared=True, locks=True, freezes=frozen))
        if lock.name == ".":
            everything = Resource("service", "*")
            claims.setdefault(everything, Claim()).add(Claim(declared=True, locks=True, freezes=True))
    own = [(resource, copy_of(claim)) for resource, claim in claims.items()]
    for name, bound in policy.bindings.items():
        state, others = folded(place(name), policy), [folded(place(one), policy) for one in bound]
        for resource, claim in own:
            if resource != state and any(meeting(resource, other, policy) for other in others):
                claims.setdefault(state, Claim()).add(claim)
    return Side(intent, dict(claims), frozenset(unknown))


def copy_of(claim: Claim) -> Claim:
    """The claim as it is before others are added to it."""
    copy = Claim()
    copy.add(claim)
    return copy
