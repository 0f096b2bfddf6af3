"""Claims: what an intent does to which resource, as numbers that can be compared fast.

A command claims those scope targets that its text or its evidence names, else all of them. What it does there is what
its effects declare and what its words say (`VERBS`); the words of a command that only looks (read, network) say nothing,
because a report about a rollback is none. A claim is an int: bits for what is done, and above them the place of the
command that does the most, so that a conflict can name it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from volition.governance.resources import MODULE, WHOLE_PROJECT, clean_path, clean_paths, lexical, module_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance.documents import Command, Intent
    from volition.governance.documents.intent import Effect

TOUCH, WRITE, CREATE, DELETE, DEPLOY, ROLLBACK, LOCK, OPEN, MAKES, STUDIES = (1 << n for n in range(10))
WRITES: Final = WRITE | CREATE | DELETE | DEPLOY | ROLLBACK
MADE: Final = WRITES & ~DELETE
"""What leaves something behind for others to use."""
BITS: Final = 10
"""Above so many bits stands the command's place; LOCK says a lock, OPEN a write by somebody who locks nothing, MAKES
what an implementation makes, STUDIES what an analysis only reads."""
MASK: Final = (1 << BITS) - 1

EFFECTS: Final = {
    "read": TOUCH,
    "network": TOUCH,
    "write": TOUCH | WRITE,
    "data": TOUCH | WRITE,
    "security": TOUCH | WRITE,
    "create": TOUCH | CREATE,
    "delete": TOUCH | DELETE,
    "deploy": TOUCH | DEPLOY,
    "rollback": TOUCH | ROLLBACK,
}
VERBS: Final = {
    **dict.fromkeys(("deploy", "deploys", "deploying"), DEPLOY),
    **dict.fromkeys(
        ("rollback", "roll back", "rolls back", "rolling back", "revert", "reverts", "reverting"), ROLLBACK
    ),
    **dict.fromkeys(("create", "creates", "creating"), CREATE),
    **dict.fromkeys(("delete", "deletes", "deleting", "remove", "removes", "removing"), DELETE),
}
"""Words of a command that say what it does beside the effects that it declares."""
SAID: Final = ((DELETE, "delete"), (ROLLBACK, "rollback"), (DEPLOY, "deploy"), (CREATE, "create"), (WRITE, "write"))
"""What a claim may do, the gravest first."""

_VERB = re.compile(f"(?:{'|'.join(sorted(VERBS, reverse=True)).replace(' ', '[^a-z]+')})(?![a-z])")
_GAP = re.compile("[^a-z]+")
_PARTING = re.compile(r"[\s\"'`()\[\]{}<>,;:#?!=]")
_PLAIN = re.compile(r"(?!\.\Z)[A-Za-z0-9_./-]+").fullmatch
_declared: dict[tuple[Effect, ...], int] = {}
_EDGES = frozenset("/ \n\"'`()[]{}<>,;:#?!=")


def claims_of(intent: Intent) -> dict[str, int]:
    """What an intent claims: resource -> what it does there."""
    scope = intent.scope
    root = scope.repo_root
    targets = scope.targets
    paths = clean_paths(targets.files, root)
    modules = [(module, module.partition(":")[2]) for module in map(module_name, targets.modules)]
    claims: dict[str, int] = {}
    everywhere = 0
    for place, command in enumerate(intent.planned_commands):
        effects = command.effects
        bits = _declared.get(effects) or _declare(effects)
        if bits != TOUCH:
            bits |= said_by(command)
        # Each part ends in a line of its own, so that a name at its end, where most stand, is found at once.
        text = "\n".join((command.intent, *command.evidence_refs, ""))
        if "./" in text or text.count("//") != text.count("://"):
            text = _readable(text)
        named = False
        for path in paths:
            if (
                path in text
                and (f"/{path}\n" in text or _stands(text, path, False))
                and (_PLAIN(path) or _is_word(path))
            ):
                named = True
                claim = claims.get(path)
                claims[path] = _more(claim, bits, place) if claim else place << BITS | bits
        for module, name in modules:
            if name in text and _stands(text, name, module[: len(MODULE)] == MODULE) and _is_word(name):
                named = True
                claims[module] = _more(claims.get(module, 0), bits, place)
        if not named:
            everywhere = _more(everywhere, bits, place)
    if everywhere:
        for resource in (*paths, *(module for module, _ in modules)):
            claim = claims.get(resource)
            claims[resource] = _more(claim, everywhere & MASK, everywhere >> BITS) if claim else everywhere
    lock = intent.constraints.lock_scope
    _mark(claims, intent, OPEN if lock.mode == "none" else 0)
    if lock.mode == "files":
        for path in lock.paths:
            resource = clean_path(path, root)
            claims[resource] = claims.get(resource, 0) | LOCK
    return claims


def _mark(claims: dict[str, int], intent: Intent, unlocked: int) -> None:
    """Add what the intent as a whole says of each of its claims: its phases, and that it locks nothing."""
    makes = studies = 0
    for workflow in intent.selected_workflows:
        if "implementation" in workflow.phases:
            makes = MAKES
        if "analysis" in workflow.phases:
            studies = STUDIES
    if not (makes or studies or unlocked):
        return
    for resource, claim in claims.items():
        if not claim & WRITES:
            claims[resource] = claim | studies
        elif claim & MADE:
            claims[resource] = claim | unlocked | makes
        else:
            claims[resource] = claim | unlocked


def done_by(command: Command) -> int:
    """All that a command does: what it declares and, unless it only looks, what its words say."""
    bits = _declared.get(command.effects) or _declare(command.effects)
    return bits if bits == TOUCH else bits | said_by(command)


def said_by(command: Command) -> int:
    """What the words of a command say that it does."""
    text = f"{command.command_id} {command.intent}".lower()
    bits = 0
    # A plain look for the stems comes first: most commands hold none, and it is much faster than the pattern.
    if "deploy" in text or "creat" in text or "remov" in text or "elet" in text or "roll" in text or "revert" in text:
        for match in _VERB.finditer(text):
            start = match.start()
            if not (start and "a" <= text[start - 1] <= "z"):
                bits |= VERBS.get(match[0]) or VERBS[_GAP.sub(" ", match[0])]
    return bits


def looks_only(effects: tuple[Effect, ...]) -> bool:
    """Whether some effects change nothing.

    >>> looks_only(("read", "network")), looks_only(("read", "write"))
    (True, False)
    """
    return _declare(effects) == TOUCH


def _declare(effects: tuple[Effect, ...]) -> int:
    """What some effects mean together; there are few different ones, so each answer is kept."""
    bits = 0
    for effect in effects:
        bits |= EFFECTS[effect]
    _declared[effects] = bits
    return bits


def done_anywhere(intent: Intent) -> int:
    """All that the commands of an intent do, wherever they do it."""
    bits = 0
    for command in intent.planned_commands:
        bits |= done_by(command)
    return bits


def word_for(command: Command, bit: int) -> str | None:
    """The word by which a command does what `bit` stands for; None where an effect declares it, or it only looks."""
    declared = _declared.get(command.effects) or _declare(command.effects)
    if declared & bit or declared == TOUCH:
        return None
    said = " ".join(re.findall("[a-z]+", f"{command.command_id} {command.intent}".lower()))
    return next((verb for verb, meant in VERBS.items() if meant == bit and f" {verb} " in f" {said} "), None)


def gravest(claim: int) -> tuple[int, str]:
    """The gravest thing that a claim does, as a bit and as a word.

    >>> gravest(WRITE | DELETE)[1], gravest(TOUCH)[1]
    ('delete', 'read')
    """
    return next(((bit, word) for bit, word in SAID if claim & bit), (TOUCH, "read"))


def _more(claim: int, bits: int, place: int) -> int:
    """A claim and what one more command does; the place is that of the command that does the gravest thing first."""
    if not claim:
        return place << BITS | bits
    if GRAVITY[bits & WRITES] > GRAVITY[claim & WRITES]:
        return place << BITS | claim & MASK | bits
    return claim | bits


GRAVITY: Final = [
    next((len(SAID) - n for n, (bit, _) in enumerate(SAID) if mask & bit), 0) for mask in range(WRITES + 1)
]
"""How grave the gravest of some writes is."""


def _readable(text: str) -> str:
    """A text whose paths are spelt oddly, as its words with clean paths, so that resources can be found in it."""
    return " ".join(spelling for word in words_of(text) for spelling in spellings(word))


def spellings(word: str) -> tuple[str, str]:
    """A word as a clean path, as it stands and without the dots that may end a sentence."""
    return lexical(word), lexical(word.rstrip(".")).rstrip(".")


def words_of(text: str) -> Iterable[str]:
    """The words of a text; white space, brackets, quotes and most punctuation part words."""
    return filter(None, _PARTING.split(text))


def _stands(text: str, name: str, dotted: bool) -> bool:
    """Whether a name stands in a text as a run of whole segments; a module may go on after it, dotted."""
    size, length = len(name), len(text)
    start = text.find(name)
    while start >= 0:
        end = start + size
        before = text[start - 1] if start else "/"
        if before in _EDGES or before.isspace():
            after = text[end] if end < length else "/"
            if after == "." and not dotted:
                while end < length and text[end] == ".":
                    end += 1
                after = text[end] if end < length else " "
                after = after if after != "/" else "."
            if after in _EDGES or after.isspace() or (dotted and after == "."):
                return True
        start = text.find(name, start + 1)
    return False


def _is_word(name: str) -> bool:
    """Whether a name can stand in a text at all: it is not the whole project, and nothing in it parts words."""
    return not (name in {"", WHOLE_PROJECT} or _PARTING.search(name))
