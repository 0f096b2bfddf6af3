"""Footprints: what a plan names and does, read once from its document.

A merged plan has one part for each plan that it comes from, with the targets of that plan and its commands. A file that
a text names without its folder is the one of the part's paths that ends in it, or all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from volition.governance.claims import algebra
from volition.governance.claims.mentions import names_in, readable_text, split_sources
from volition.governance.claims.spelling import spelling_of
from volition.governance.documents.effects import WRITES, effect_bits
from volition.governance.documents.intent import parts_of
from volition.governance.documents.policy import BUILT_IN
from volition.governance.paths.names import MODULE, PART, SERVICE, clean_path, holders, module_name, split_part
from volition.governance.paths.patterns import WHOLE_PROJECT, is_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from volition.governance.documents.intent import Command, IntentDocument, Scope
    from volition.governance.documents.policy import Policy


class CommandFootprint(Struct, frozen=True, gc=False):
    """A command with its place in the plan, what it does as bits, and what its text names."""

    command: Command
    place: int
    bits: int
    text: str
    """What can be searched for names of targets: the text with clean and whole paths, without what it only reads."""
    files: list[str]
    """The files and services that the text names."""
    sources: list[str]
    """The files that the text names as what something else is made from."""


class PartFootprint(Struct, frozen=True, gc=False):
    """The targets of a scope, and the commands that have this scope."""

    targets: dict[str, tuple[str, ...]]
    """The resources that are affected, each with the names that a text may use for it."""
    commands: list[CommandFootprint]
    reads: list[str] = []
    """What the scope declares to rely on."""
    removes: list[str] = []
    """What the scope declares to remove, or to rename."""
    makes: list[str] = []
    """The new names of what it renames."""


class Footprint(Struct, frozen=True, gc=False):
    """A plan, the targets of its whole scope, and its parts."""

    intent: IntentDocument
    targets: dict[str, tuple[str, ...]]
    parts: list[PartFootprint]

    def is_unknown(self) -> bool:
        """Whether the plan writes and does not say what: then it may write anything."""
        return any(
            not part.targets
            and not part.removes
            and any(command.bits & WRITES and not command.files for command in part.commands)
            for part in self.parts
        )

    def reach(self) -> set[str]:
        """The targets of the plan, and the files outside of them that the texts of its commands name."""
        return (
            self.targets.keys()
            | {file for part in self.parts for file in (*part.removes, *part.makes)}
            | {
                file
                for part in self.parts
                for command in part.commands
                for file in command.files
                if not is_within(file, part.targets)
            }
        )


def footprint_of(intent: IntentDocument, policy: Policy = BUILT_IN) -> Footprint:
    """What a plan names and does; the policy says whether case matters."""
    whole, parts = targets_of(intent.scope), []
    for scope, commands in parts_of(intent):
        targets = whole if scope is intent.scope else targets_of(scope)
        texts = [_read_text(command, scope.repo_root) for command in commands.values()]
        if any(bare for each_text in texts for _, bare in (*each_text.files, *each_text.sources)):
            texts = _with_whole_paths(texts, targets, spelling_of(policy).fold)
        read = [
            CommandFootprint(command, place, effect_bits(command), text, _paths(files), _paths(sources))
            for (place, command), (text, files, sources) in zip(commands.items(), texts, strict=True)
        ]
        parts.append(_part_of(scope, targets, read))
    return Footprint(intent, whole, parts)


def _part_of(scope: Scope, targets: dict[str, tuple[str, ...]], commands: list[CommandFootprint]) -> PartFootprint:
    declared, root = scope.targets, scope.repo_root
    if not (declared.reads or declared.removes or declared.renames):
        return PartFootprint(targets, commands)
    reads, removes, makes = (
        [resource_in(name, root) for name in names]
        for names in (declared.reads, (*declared.removes, *declared.renames), declared.renames.values())
    )
    return PartFootprint(targets, commands, reads, removes, makes)


class _Text(NamedTuple):
    """What the text of a command names: each file with whether it is named without its folder."""

    text: str
    files: list[tuple[str, bool]]
    sources: list[tuple[str, bool]]


def _read_text(command: Command, root: str) -> _Text:
    text, sources = split_sources(command.intent)
    return _Text(readable_text(text), names_in(text, root), names_in(sources, root) if sources else [])


def _paths(files: Iterable[tuple[str, bool]]) -> list[str]:
    return list(dict.fromkeys(path for path, _ in files))


def _with_whole_paths(texts: Sequence[_Text], targets: Collection[str], fold: Callable[[str], str]) -> list[_Text]:
    """The texts with each bare name as the paths that end in it: targets, and what the texts name with a folder."""
    named = {fold(target) for target in targets}
    paths = [
        *targets,
        *(file for each_text in texts for file, bare in (*each_text.files, *each_text.sources) if not bare),
    ]
    ending: dict[str, list[str]] = {}
    for path in dict.fromkeys(paths):
        ending.setdefault(fold(_file_name(path)), []).append(path)

    def whole(files: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
        whole_paths: dict[tuple[str, bool], None] = {}
        for file, bare in files:
            meant = ending.get(fold(_file_name(file)), []) if bare and fold(file) not in named else []
            part = split_part(file)[1]
            whole_paths |= dict.fromkeys(
                (f"{split_part(path)[0]}{PART}{part}" if part else path, False) for path in meant
            )
            whole_paths |= {(file, False): None} if not meant else {}
        return list(whole_paths)

    completed = []
    for each_text in texts:
        files, known = whole(each_text.files), {file for file, _ in each_text.files}
        text = "\n".join((each_text.text, *(split_part(file)[0] for file, _ in files if file not in known)))
        completed.append(_Text(text, files, whole(each_text.sources)))
    return completed


def _file_name(path: str) -> str:
    """The name of a file without its folder and its part."""
    return split_part(path)[0].rpartition("/")[2]


def targets_of(scope: Scope) -> dict[str, tuple[str, ...]]:
    """The resources that a scope affects, each with the names that a text may use for it: as the scope writes it, and from
    the project's root."""
    targets, root = scope.targets, scope.repo_root
    if root == WHOLE_PROJECT:
        names_of: dict[str, tuple[str, ...]] = {path: (path,) for path in map(clean_path, targets.files)}
    else:
        names_of = {}
        for path in targets.files:
            whole = clean_path(path, root)
            names_of[whole] = tuple(dict.fromkeys((*names_of.get(whole, ()), clean_path(path), whole)))
    for name in targets.modules:
        module = module_name(name, root)
        names = (module_name(name).partition(":")[2], module.partition(":")[2])
        names_of[module] = tuple(dict.fromkeys((*names_of.get(module, ()), *names)))
    return names_of


def resource_in(name: str, root: str) -> str:
    """The resource that a scope declares to read, remove or rename: a path, or `module:NAME` and `service:NAME`."""
    if name.startswith((MODULE, SERVICE)):
        return module_name(name.removeprefix(MODULE), root)
    return clean_path(name, root)


def rename_of(resource: str, intent: IntentDocument, fold: Callable[[str], str]) -> tuple[str, str] | None:
    """The old and the new name of what a plan renames, if a resource is one of the two."""
    root = intent.scope.repo_root
    for names in intent.scope.targets.renames.items():
        old, new = (fold(resource_in(name, root)) for name in names)
        if resource in (old, new):
            return old, new
    return None


def is_within(resource: str, targets: Collection[str]) -> bool:
    """Whether a resource is one of the targets or lies in one, or a target is a part of it, so that it is claimed with it."""
    if resource in targets or any(around in targets for around in holders(resource)):
        return True
    return any(
        algebra.covers(target, resource) or (PART in target and split_part(target)[0] == resource)
        for target in targets
        if PART in target or is_pattern(target)
    )
