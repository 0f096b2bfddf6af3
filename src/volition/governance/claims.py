"""Claims: what an intent does to which resource, as numbers that can be compared fast.

A command claims those scope targets that its text or its evidence names, else all of them. What it does there is what
its effects declare and what its words say (`VERBS`); the words of a command that only looks (read, network) say nothing,
because a report about a rollback is none. A claim is an int: bits for what is done, and above them the place of the
command that does the most, so that a conflict can name it.
"""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING, Final

from volition.governance.mentions import are_plain, are_plain_texts, in_batches, is_word, readable, stands, texts_of
from volition.governance.resources import MODULE, clean_path, clean_paths, module_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
_declared: dict[tuple[Effect, ...], int] = {}


def claims_of(intent: Intent) -> dict[str, int]:
    """What an intent claims: resource -> what it does there."""
    texts = texts_of(intent)
    targets = intent.scope.targets
    return _claims(intent, texts, are_plain_texts("".join(texts)) and are_plain(targets.files, targets.modules))


def claims_of_all(intents: Sequence[Intent]) -> Iterator[dict[str, int]]:
    """What each of some intents claims; oddly spelt names are looked for in many of them at once."""
    for some, names in in_batches(intents):
        texts = [texts_of(intent) for intent in some]
        plain = names and are_plain_texts("".join(map("".join, texts)))
        yield from map(_claims, some, texts, repeat(plain))


def _claims(intent: Intent, texts: list[str], plain: bool) -> dict[str, int]:
    scope = intent.scope
    targets, root = scope.targets, scope.repo_root
    paths = targets.files if plain else clean_paths(targets.files, root)
    modules = [(MODULE + name, name) for name in targets.modules] if plain else _cleaned(targets.modules)
    claims: dict[str, int] = {}
    everywhere = 0
    for place, command in enumerate(intent.planned_commands):
        effects = command.effects
        bits = _declared.get(effects) or _declare(effects)
        if bits != TOUCH:
            bits |= said_by(command)
        text = texts[place]
        if not (plain or are_plain_texts(text)):
            text = readable(text)
        named = False
        for path in paths:
            if path in text and (f"/{path}\n" in text or stands(text, path, False)) and (plain or is_word(path)):
                named = True
                claim = claims.get(path)
                claims[path] = _more(claim, bits, place) if claim else place << BITS | bits
        for module, name in modules:
            if name in text and stands(text, name, module[: len(MODULE)] == MODULE) and (plain or is_word(name)):
                named = True
                claims[module] = _more(claims.get(module, 0), bits, place)
        if not named:
            everywhere = _more(everywhere, bits, place)
    if everywhere:
        for resource in (*paths, *(module for module, _ in modules)):
            claim = claims.get(resource)
            claims[resource] = _more(claim, everywhere & MASK, everywhere >> BITS) if claim else everywhere
    lock = intent.constraints.lock_scope
    claims = _marked(claims, intent, OPEN if lock.mode == "none" else 0)
    if lock.mode == "files":
        for path in lock.paths:
            resource = clean_path(path, root)
            claims[resource] = claims.get(resource, 0) | LOCK
    return claims


def _cleaned(modules: tuple[str, ...]) -> list[tuple[str, str]]:
    """The resources of some modules, each with the name by which a text speaks of it."""
    return [(module, module.partition(":")[2]) for module in map(module_name, modules)]


def _marked(claims: dict[str, int], intent: Intent, unlocked: int) -> dict[str, int]:
    """The claims, with what the intent as a whole says of each: its phases, and that it locks nothing."""
    makes = studies = 0
    for workflow in intent.selected_workflows:
        phases = workflow.phases
        if "implementation" in phases:
            makes = MAKES
        if "analysis" in phases:
            studies = STUDIES
    if not (makes or studies or unlocked):
        return claims
    made = unlocked | makes
    for resource, claim in claims.items():
        claims[resource] = claim | (studies if not claim & WRITES else made if claim & MADE else unlocked)
    return claims


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
    return _GRAVEST[claim & WRITES]


def _more(claim: int, bits: int, place: int) -> int:
    """A claim and what one more command does; the place is that of the command that does the gravest thing first."""
    if not claim:
        return place << BITS | bits
    if GRAVITY[bits & WRITES] > GRAVITY[claim & WRITES]:
        return place << BITS | claim & MASK | bits
    return claim | bits


_GRAVEST: Final = [
    next(((bit, word) for bit, word in SAID if mask & bit), (TOUCH, "read")) for mask in range(WRITES + 1)
]
GRAVITY: Final = [
    next((len(SAID) - n for n, (bit, _) in enumerate(SAID) if mask & bit), 0) for mask in range(WRITES + 1)
]
"""How grave the gravest of some writes is."""
