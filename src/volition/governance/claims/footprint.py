"""Footprints: what a plan names and does, read once from its document.

A merged plan has one part for each plan that it comes from, with the targets of that plan and its commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from volition.governance.claims.effects import WRITES, effect_bits
from volition.governance.claims.mentions import files_in
from volition.governance.documents.parts import parts_of
from volition.governance.resources import clean_path, holder, module_name

if TYPE_CHECKING:
    from collections.abc import Container

    from volition.governance.documents import Command, IntentDocument, Scope


class CommandFootprint(NamedTuple):
    """A command with its place in the plan, what it does as bits, and the files and services that its text names."""

    command: Command
    place: int
    bits: int
    files: list[str]


class PartFootprint(NamedTuple):
    """The targets of a scope, each with the name that a text uses for it, and the commands that have this scope."""

    targets: dict[str, str]
    commands: list[CommandFootprint]


class Footprint(NamedTuple):
    """A plan, the targets of its whole scope, and its parts."""

    intent: IntentDocument
    targets: dict[str, str]
    parts: list[PartFootprint]

    def is_unknown(self) -> bool:
        """Whether the plan writes and does not say what: then it may write anything."""
        for targets, commands in self.parts:
            if not targets and any(one.bits & WRITES and not one.files for one in commands):
                return True
        return False

    def reach(self) -> set[str]:
        """The targets of the plan, and the files outside of them that the texts of its commands name."""
        return self.targets.keys() | {
            file
            for targets, commands in self.parts
            for one in commands
            for file in one.files
            if not is_within(file, targets)
        }


def footprint_of(intent: IntentDocument) -> Footprint:
    """What a plan names and does."""
    whole, parts = targets_of(intent.scope), []
    for scope, commands in parts_of(intent):
        read = [
            CommandFootprint(command, place, effect_bits(command), files_in(command.intent, scope.repo_root))
            for place, command in commands.items()
        ]
        parts.append(PartFootprint(whole if scope is intent.scope else targets_of(scope), read))
    return Footprint(intent, whole, parts)


def targets_of(scope: Scope) -> dict[str, str]:
    """The resources of a scope, each with the name that a text uses for it."""
    targets, root = scope.targets, scope.repo_root
    found = {path: path for path in [clean_path(path, root) for path in targets.files]}
    for name in targets.modules:
        module = module_name(name)
        found[module] = module.partition(":")[2]
    return found


def is_within(resource: str, targets: Container[str]) -> bool:
    """Whether a resource is one of the targets or lies in one, so that it is claimed with it."""
    around: str | None = resource
    while around is not None:
        if around in targets:
            return True
        around = holder(around)
    return False
