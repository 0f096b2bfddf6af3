"""Footprints: what a plan names and does, read once from its document.

A merged plan has one part for each plan that it comes from, with the targets of that plan and its commands. A file that
a text names without its folder is the one of the part's paths that ends in it, or all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from volition.governance.claims import algebra
from volition.governance.claims.effects import WRITES, effect_bits
from volition.governance.claims.mentions import files_in, readable_text, split_sources
from volition.governance.claims.names import PART, SERVICE, clean_path, holders, module_name, split_part
from volition.governance.claims.patterns import WHOLE_PROJECT, is_pattern
from volition.governance.claims.spelling import spelling_of
from volition.governance.documents.parts import parts_of
from volition.governance.documents.policy import BUILT_IN

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

    targets: dict[str, str]
    """The resources that are affected, each with the name that a text uses for it."""
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
    targets: dict[str, str]
    parts: list[PartFootprint]

    def is_unknown(self) -> bool:
        """Whether the plan writes and does not say what: then it may write anything."""
        return any(
            not part.targets and not part.removes and any(one.bits & WRITES and not one.files for one in part.commands)
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
                for one in part.commands
                for file in one.files
                if not is_within(file, part.targets)
            }
        )


def footprint_of(intent: IntentDocument, policy: Policy = BUILT_IN) -> Footprint:
    """What a plan names and does; the policy says whether case matters."""
    whole, parts = targets_of(intent.scope), []
    for scope, commands in parts_of(intent):
        targets = whole if scope is intent.scope else targets_of(scope)
        read = [_read_command(command, place, scope.repo_root) for place, command in commands.items()]
        if any("/" not in file for one in read for file in (*one.files, *one.sources)):
            read = _with_whole_paths(read, targets, spelling_of(policy).fold)
        parts.append(_part_of(scope, targets, read))
    return Footprint(intent, whole, parts)


def _part_of(scope: Scope, targets: dict[str, str], commands: list[CommandFootprint]) -> PartFootprint:
    declared, root = scope.targets, scope.repo_root
    if not (declared.reads or declared.removes or declared.renames):
        return PartFootprint(targets, commands)
    reads, removes, makes = (
        [resource_in(name, root) for name in names]
        for names in (declared.reads, (*declared.removes, *declared.renames), declared.renames.values())
    )
    return PartFootprint(targets, commands, reads, removes, makes)


def _read_command(command: Command, place: int, root: str) -> CommandFootprint:
    text, sources = split_sources(command.intent)
    read = files_in(sources, root) if sources else []
    return CommandFootprint(command, place, effect_bits(command), readable_text(text), files_in(text, root), read)


def _is_bare(file: str) -> bool:
    """Whether a file is named without its folder."""
    return "/" not in file and not file.startswith(SERVICE)


def _with_whole_paths(
    commands: Sequence[CommandFootprint], targets: Iterable[str], fold: Callable[[str], str]
) -> list[CommandFootprint]:
    """The commands with each bare name as the paths that end in it: targets, and what the texts name with a folder."""
    paths = dict.fromkeys([*targets, *(file for one in commands for file in one.files if not _is_bare(file))])
    named = {fold(target) for target in targets}
    ending: dict[str, list[str]] = {}
    for path in paths:
        ending.setdefault(fold(split_part(path)[0].rpartition("/")[2]), []).append(path)

    def whole(files: list[str]) -> list[str]:
        found: dict[str, None] = {}
        for file in files:
            meant = ending.get(fold(file)) if _is_bare(file) and fold(file) not in named else None
            found |= dict.fromkeys(meant or [file])
        return list(found)

    found = []
    for one in commands:
        files = whole(one.files)
        text = "\n".join((one.text, *(file for file in files if file not in one.files)))
        found.append(replace(one, text=text, files=files, sources=whole(one.sources)))
    return found


def targets_of(scope: Scope) -> dict[str, str]:
    """The resources that a scope affects, each with the name that a text uses for it."""
    targets, root = scope.targets, scope.repo_root
    if root == WHOLE_PROJECT:
        found = {path: path for path in map(clean_path, targets.files)}
    else:
        found = {clean_path(path, root): clean_path(path) for path in targets.files}
    for name in targets.modules:
        resource = module_name(name, root)
        found[resource] = (resource if root == WHOLE_PROJECT else module_name(name)).partition(":")[2]
    return found


def resource_in(name: str, root: str) -> str:
    """The resource that a scope declares to read, remove or rename: a path, or `module:NAME` and `service:NAME`."""
    if name.startswith(("module:", SERVICE)):
        return module_name(name.removeprefix("module:"), root)
    return clean_path(name, root)


def is_within(resource: str, targets: Collection[str]) -> bool:
    """Whether a resource is one of the targets or lies in one, or a target is a part of it, so that it is claimed with it."""
    if resource in targets or any(around in targets for around in holders(resource)):
        return True
    return any(
        algebra.covers(target, resource) if is_pattern(target) else PART in target and split_part(target)[0] == resource
        for target in targets
    )
