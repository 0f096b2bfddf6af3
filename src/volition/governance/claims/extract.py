"""Claims: what an intent does to which resource.

What a scope declares is claimed. A command claims the targets that its text names, else all of them; a target that no
command names is claimed by every command that writes. Evidence narrows nothing. A command also claims whatever else its
text names as a file: for reading, if it only says that something is made from it. One that writes and has nothing to claim
may write anything: it claims `UNKNOWN`. The commands of a merged plan claim what the plan from which each comes could
claim, and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from volition.governance.claims.footprint import is_within
from volition.governance.claims.mentions import is_named
from volition.governance.claims.spelling import spelling_of
from volition.governance.documents.effects import (
    BITS,
    CREATE,
    DECLARED,
    DELETE,
    FREEZE,
    LOCK,
    MADE,
    MAKES,
    MASK,
    STUDIES,
    TOUCH,
    USES,
    WRITE,
    WRITES,
    combine,
)
from volition.governance.paths.names import ALL_SERVICES, MODULE, PART, UNKNOWN, clean_path, holders, split_part
from volition.governance.paths.patterns import is_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from volition.governance.claims.footprint import CommandFootprint, Footprint, PartFootprint
    from volition.governance.claims.spelling import Spelling
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.policy import Policy

    Claims = dict[str, int]

NO_COMMAND: Final = 127
"""The place of what a plan declares and no command does; an intent has at most 80 commands."""


def claims_of(footprint: Footprint, policy: Policy) -> Claims:
    """What a plan claims: resource -> what it does there, what it locks, and what the policy binds to either."""
    spelling, intent = spelling_of(policy), footprint.intent
    claims: Claims = {}
    for part in footprint.parts:
        for place, mine in _claims_by_command(part, spelling):
            for resource, bits in mine.items():
                claims[resource] = combine(claims.get(resource, 0), bits, place)
    _lock(claims, intent, spelling)
    _bind(claims, spelling)
    _mark_phases(claims, intent)
    return claims


def command_claims(footprint: Footprint, policy: Policy) -> list[Claims]:
    """What each command of a plan claims by itself, in the order of the plan."""
    spelling = spelling_of(policy)
    by_place: dict[int, Claims] = {}
    for part in footprint.parts:
        for place, mine in _claims_by_command(part, spelling):
            by_place[place] = {resource: place << BITS | bits for resource, bits in mine.items()}
            _bind(by_place[place], spelling)
    return [by_place[place] for place in sorted(by_place) if place < len(footprint.intent.planned_commands)]


def _claims_by_command(part: PartFootprint, spelling: Spelling) -> list[tuple[int, dict[str, int]]]:
    """What each command claims, as bits. What is removed is claimed by those that delete, else by those that write, else
    by none in particular: then it stands at the end, at a place that no command has."""
    targets, commands = _fold(part, spelling)
    odd = [target for target in targets if PART in target or is_pattern(target)]
    holding = {
        file: _holding(file, targets, odd) for command in commands for file in (*command.files, *command.sources)
    }
    named = [_named_targets(targets, holding, command) for command in commands]
    read = [_sources_among(holding, command, mine) for command, mine in zip(commands, named, strict=True)]
    known = set().union(*named, *read)
    unnamed = [target for target in targets if target not in known]
    writing = any(command.bits & WRITES for command in commands)
    by_command: list[tuple[int, dict[str, int]]] = []
    for command, mine, sources in zip(commands, named, read, strict=True):
        bits = command.bits
        claims = dict.fromkeys(sources, TOUCH | DECLARED)
        beside = [file for file in command.files if not holding[file]]
        done = mine or [target for target in targets if target not in sources]
        if bits & WRITES or not writing:
            done = [*done, *unnamed]
        if not done and not beside and bits & WRITES:
            # What is written has to be among what is named, if nothing else is.
            done = sources
        claims |= dict.fromkeys(done, bits | DECLARED)
        claims |= dict.fromkeys(beside, bits)
        for file in command.sources:
            if not holding[file]:
                claims.setdefault(file, TOUCH)
        if not done and not beside and not part.removes and bits & WRITES:
            claims[UNKNOWN] = bits
        by_command.append((command.place, claims))
    _add_declared(by_command, part, commands, spelling)
    return by_command


def _fold(part: PartFootprint, spelling: Spelling) -> tuple[dict[str, tuple[str, ...]], Sequence[CommandFootprint]]:
    """The targets and commands of a part as the project compares names."""
    if not spelling.ignore_case:
        return part.targets, part.commands
    targets: dict[str, tuple[str, ...]] = {}
    for target, names in part.targets.items():
        folded = spelling.fold(target)
        targets[folded] = (*targets.get(folded, ()), *map(str.lower, names))
    fold = spelling.fold
    return targets, [
        replace(
            command, text=command.text.lower(), files=[*map(fold, command.files)], sources=[*map(fold, command.sources)]
        )
        for command in part.commands
    ]


def _named_targets(
    targets: Mapping[str, tuple[str, ...]], holding: Mapping[str, Sequence[str]], command: CommandFootprint
) -> list[str]:
    """The targets that the text of a command names; a file names what it lies in, and the targets that are parts of it."""
    text = command.text
    named = {target for file in command.files for target in holding[file]}
    named |= {
        target
        for target, names in targets.items()
        for name in names
        if name in text and is_named(name, text, dotted=target.startswith(MODULE))
    }
    return [target for target in targets if target in named or (PART in target and _names_part(target, text))]


def _names_part(target: str, text: str) -> bool:
    part = split_part(target)[1]
    # In a text in lower case lines are in lower case, too.
    return bool(part) and any(is_named(spelled, text, dotted=False) for spelled in (part, part.lower()))


def _holding(file: str, targets: Collection[str], odd: Sequence[str]) -> list[str]:
    """The targets that a file is, lies in, or of which it is the file; `odd` are the patterns and parts among them."""
    holding = [target for target in (file, *holders(file)) if target in targets]
    return holding + [target for target in odd if is_within(file, [target])] if odd else holding


def _sources_among(holding: Mapping[str, Sequence[str]], command: CommandFootprint, named: Sequence[str]) -> list[str]:
    """The targets that a command only reads to make something else."""
    read = dict.fromkeys(target for file in command.sources for target in holding[file])
    return [target for target in read if target not in named]


def _add_declared(
    by_command: list[tuple[int, dict[str, int]]],
    part: PartFootprint,
    commands: Sequence[CommandFootprint],
    spelling: Spelling,
) -> None:
    """Add what the scope declares to read, to remove and to rename to what its commands claim."""
    if not (part.reads or part.removes or part.makes):
        return
    writers = [command.place for command in commands if command.bits & WRITES]
    deleters = [command.place for command in commands if command.bits & DELETE]
    by_place = dict(by_command)
    uses = TOUCH | DECLARED | (USES if writers or part.removes else 0)
    for names, bits, places in (
        (part.reads, uses, writers or [*by_place]),
        (part.removes, TOUCH | DECLARED | DELETE, deleters or writers),
        (part.makes, TOUCH | DECLARED | CREATE | WRITE, deleters or writers),
    ):
        for name in map(spelling.fold, names):
            for place in places or [NO_COMMAND]:
                if place not in by_place:
                    by_place[place] = {}
                    by_command.append((place, by_place[place]))
                by_place[place][name] = by_place[place].get(name, 0) | bits


def _lock(claims: Claims, intent: IntentDocument, spelling: Spelling) -> None:
    """Add what a plan locks; who locks the whole project locks its services, too. A lock of everything, and one of a
    plan without commands, is a freeze: there is no work whose end others could wait for."""
    lock = intent.constraints.lock_scope
    for path in lock.paths if lock.mode == "files" else ():
        resource = spelling.fold(clean_path(path, intent.scope.repo_root))
        frozen = spelling.is_everything(resource) or not intent.planned_commands
        claims[resource] = claims.get(resource, 0) | LOCK | DECLARED | (FREEZE if frozen else 0)
        if spelling.is_everything(resource):
            claims[ALL_SERVICES] = claims.get(ALL_SERVICES, 0) | LOCK | DECLARED | FREEZE


def _bind(claims: Claims, spelling: Spelling) -> None:
    """Add what the policy binds to what is claimed."""
    if not spelling.bindings:
        return
    for resource, claim in list(claims.items()):
        for name, bound in spelling.bindings:
            if resource not in (name, UNKNOWN) and any(spelling.meets(resource, bound_name) for bound_name in bound):
                claims[name] = combine(claims.get(name, 0), claim & MASK, claim >> BITS)


def _mark_phases(claims: Claims, intent: IntentDocument) -> None:
    """Mark each claim by the phases of the intent: as made by an implementation, or as only read by an analysis."""
    phases = {phase for workflow in intent.selected_workflows for phase in workflow.phases}
    makes = MAKES if "implementation" in phases else 0
    studies = STUDIES if "analysis" in phases else 0
    for resource, claim in claims.items():
        if claim & WRITES:
            claims[resource] = claim | (makes if claim & MADE and not claim & DELETE else 0)
        elif claim & TOUCH:
            claims[resource] = claim | studies
