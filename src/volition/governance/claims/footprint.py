"""Footprints: what a plan names and does, read once from its document.

A merged plan has one part for each plan that it comes from, with the targets of that plan and its commands. A file that
a text names without its folder is the one of the part's paths that ends in it, or all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from volition.governance.claims.effects import WRITES, effect_bits
from volition.governance.claims.mentions import files_in, readable_text
from volition.governance.claims.spelling import spelling_of
from volition.governance.documents.parts import parts_of
from volition.governance.documents.policy import BUILT_IN
from volition.governance.resources import SERVICE, clean_path, holders, module_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.governance.documents.intent import Command, IntentDocument, Scope
    from volition.governance.documents.policy import Policy


class CommandFootprint(Struct, frozen=True, gc=False):
    """A command with its place in the plan, what it does as bits, and the files and services that its text names.

    `text` is what can be searched for names: its text and references, with clean and whole paths.
    """

    command: Command
    place: int
    bits: int
    text: str
    files: list[str]


class PartFootprint(Struct, frozen=True, gc=False):
    """The targets of a scope, each with the name that a text uses for it, and the commands that have this scope."""

    targets: dict[str, str]
    commands: list[CommandFootprint]


class Footprint(Struct, frozen=True, gc=False):
    """A plan, the targets of its whole scope, and its parts."""

    intent: IntentDocument
    targets: dict[str, str]
    parts: list[PartFootprint]

    def is_unknown(self) -> bool:
        """Whether the plan writes and does not say what: then it may write anything."""
        return any(
            not part.targets and any(one.bits & WRITES and not one.files for one in part.commands)
            for part in self.parts
        )

    def reach(self) -> set[str]:
        """The targets of the plan, and the files outside of them that the texts of its commands name."""
        return self.targets.keys() | {
            file
            for part in self.parts
            for one in part.commands
            for file in one.files
            if not is_within(file, part.targets)
        }


def footprint_of(intent: IntentDocument, policy: Policy = BUILT_IN) -> Footprint:
    """What a plan names and does; the policy says whether case matters."""
    whole, parts = targets_of(intent.scope), []
    for scope, commands in parts_of(intent):
        targets = whole if scope is intent.scope else targets_of(scope)
        read = [
            CommandFootprint(
                command, place, effect_bits(command), readable_text(command), files_in(command.intent, scope.repo_root)
            )
            for place, command in commands.items()
        ]
        if any("/" not in file for one in read for file in one.files):
            read = _with_whole_paths(read, targets, spelling_of(policy).fold)
        parts.append(PartFootprint(targets, read))
    return Footprint(intent, whole, parts)


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
        ending.setdefault(fold(path.rpartition("/")[2]), []).append(path)
    found = []
    for one in commands:
        files: dict[str, None] = {}
        for file in one.files:
            meant = ending.get(fold(file)) if _is_bare(file) and fold(file) not in named else None
            files |= dict.fromkeys(meant or [file])
        text = "\n".join((one.text, *(file for file in files if file not in one.files)))
        found.append(replace(one, text=text, files=list(files)))
    return found


def targets_of(scope: Scope) -> dict[str, str]:
    """The resources of a scope, each with the name that a text uses for it."""
    targets, root = scope.targets, scope.repo_root
    found = {path: path for path in [clean_path(path, root) for path in targets.files]}
    for name in targets.modules:
        module = module_name(name)
        found[module] = module.partition(":")[2]
    return found


def is_within(resource: str, targets: dict[str, str]) -> bool:
    """Whether a resource is one of the targets or lies in one, so that it is claimed with it."""
    return resource in targets or not targets.keys().isdisjoint(holders(resource))
