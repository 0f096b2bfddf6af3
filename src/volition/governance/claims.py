"""Claims: what an intent does to which resource, as numbers that can be compared fast.

A command claims those scope targets that its text or its evidence names, else all of them; and whatever else its text
names as a file. One that writes and has nothing to claim may write anything: it claims `UNKNOWN`. What it does there is
what its effects declare and what its words say (`VERBS`), unless they say that it does not; the words of a command that
only looks (read, network) say nothing, because a report about a rollback is none. A claim is an int: bits for what is
done, and above them the place of the command that does the most, so that a conflict can name it.

The commands of a merged plan claim what the plan from which each comes could claim, and no more.
"""

from __future__ import annotations

import re
from itertools import repeat
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from volition.governance.mentions import (
    are_plain,
    are_plain_texts,
    files_in,
    in_batches,
    is_word,
    names_one_of,
    readable,
    stands,
    texts_of,
)
from volition.governance.parts import parts_of
from volition.governance.policy import BUILT_IN
from volition.governance.resources import MODULE, SERVICE, UNKNOWN, clean_path, clean_paths, module_name
from volition.governance.spelling import spelling_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from volition.governance.documents import Command, Intent
    from volition.governance.documents.intent import Effect
    from volition.governance.policy import Policy
    from volition.governance.spelling import Spelling

TOUCH, WRITE, CREATE, DELETE, DEPLOY, ROLLBACK, LOCK, MAKES, STUDIES = (1 << n for n in range(9))
WRITES: Final = WRITE | CREATE | DELETE | DEPLOY | ROLLBACK
MADE: Final = WRITES & ~DELETE
"""What leaves something behind for others to use."""
BITS: Final = 9
"""Above so many bits stands the command's place; LOCK says a lock, MAKES what an implementation makes, STUDIES what an
analysis only reads."""
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
_DENIED = re.compile(
    r"(?:^|[^a-z])(?:not|never|without|no|avoid|cannot|dont|[a-z]+n['\u2019]t|instead[\s_-]+of|rather[\s_-]+than)"
    r"(?:[\s_-]+(?:to|ever|yet|longer))?[\s_-]+\Z"
).search
"""Whether what stands before a verb says that it is not done; a full stop or a comma between them parts them."""
_OR = re.compile(r"[\s_-]+n?or[\s_-]+").fullmatch
"""Whether a verb goes on where the one before it, which was denied, ended."""
_declared: dict[tuple[Effect, ...], int] = {}


def claims_of(intent: Intent, policy: Policy = BUILT_IN) -> dict[str, int]:
    """What an intent claims: resource -> what it does there."""
    texts = texts_of(intent)
    targets = intent.scope.targets
    plain = are_plain_texts("".join(texts)) and are_plain(targets.files, targets.modules)
    return _all_claims(intent, texts, plain, spelling_of(policy))


def claims_of_all(intents: Sequence[Intent], policy: Policy = BUILT_IN) -> Iterator[dict[str, int]]:
    """What each of some intents claims; oddly spelt names are looked for in many of them at once."""
    spelling = spelling_of(policy)
    for some, names in in_batches(intents):
        texts = [texts_of(intent) for intent in some]
        plain = names and are_plain_texts("".join(map("".join, texts)))
        yield from map(_all_claims, some, texts, repeat(plain), repeat(spelling))


def command_claims(intent: Intent, policy: Policy) -> list[dict[str, int]]:
    """What each command of an intent claims by itself."""
    spelling = spelling_of(policy)
    found: dict[int, dict[str, int]] = {}
    for part, commands in parts_of(intent):
        for place, command in commands.items():
            alone = replace(part, planned_commands=(command,))
            found[place] = _commanded(alone, texts_of(alone), False, spelling)
            _bind(found[place], spelling)
    return [found[place] for place in sorted(found)]


def _all_claims(intent: Intent, texts: list[str], plain: bool, spelling: Spelling) -> dict[str, int]:
    """What the commands of an intent claim, what it locks, and what the policy binds to either."""
    if intent.metadata is not None and intent.metadata.parts:
        claims: dict[str, int] = {}
        for part, commands in parts_of(intent):
            places = list(commands)
            for resource, claim in _commanded(part, [texts[n] for n in places], False, spelling).items():
                claims[resource] = _more(claims.get(resource, 0), claim & MASK, places[claim >> BITS])
    else:
        claims = _commanded(intent, texts, plain, spelling)
    claims = _marked(claims, intent)
    lock = intent.constraints.lock_scope
    if lock.mode == "files":
        for path in lock.paths:
            resource = spelling.fold(clean_path(path, intent.scope.repo_root))
            claims[resource] = claims.get(resource, 0) | LOCK
    if spelling.bindings:
        _bind(claims, spelling)
    return claims


def _commanded(intent: Intent, texts: list[str], plain: bool, spelling: Spelling) -> dict[str, int]:
    scope = intent.scope
    targets, root, fold = scope.targets, scope.repo_root, spelling.ignore_case
    paths = targets.files if plain else clean_paths(targets.files, root)
    modules = [(MODULE + name, name) for name in targets.modules] if plain else _cleaned(targets.modules)
    if fold:
        paths = [path.lower() for path in paths]
        modules = [(module.lower(), name.lower()) for module, name in modules]
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
        if fold:
            text = text.lower()
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
        beside = False
        said = command.intent
        if ("." in said or ":" in said) and not names_one_of(said, targets.files):
            for resource in files_in(said, root):
                resource = resource.lower() if fold else resource  # noqa: PLW2901  one name in this project
                beside = True
                if resource not in paths and not _within(resource, paths, modules):
                    claims[resource] = _more(claims.get(resource, 0), bits, place)
        if not named:
            if paths or modules:
                everywhere = _more(everywhere, bits, place)
            elif bits & WRITES and not beside:
                claims[UNKNOWN] = _more(claims.get(UNKNOWN, 0), bits, place)
    if everywhere:
        for resource in (*paths, *(module for module, _ in modules)):
            claim = claims.get(resource)
            claims[resource] = _more(claim, everywhere & MASK, everywhere >> BITS) if claim else everywhere
    return claims


def _within(resource: str, paths: Iterable[str], modules: Iterable[tuple[str, str]]) -> bool:
    """Whether a resource is one of the targets or lies in one, so that it is claimed with it."""
    if resource.startswith(SERVICE):
        return any(resource == module for module, _ in modules)
    return any(path in {resource, "."} or resource.startswith(f"{path}/") for path in paths)


def _bind(claims: dict[str, int], spelling: Spelling) -> None:
    """Add what the policy binds to what is claimed."""
    for resource, claim in list(claims.items()):
        for name, bound in spelling.bindings:
            if name != resource and any(spelling.meeting(resource, one) for one in bound):
                claims[name] = _more(claims.get(name, 0), claim & MASK, claim >> BITS)


def is_unknown(intent: Intent) -> bool:
    """Whether an intent writes and does not say what: then it may write anything."""
    parts = intent.metadata.parts if intent.metadata else ()
    targets = intent.scope.targets
    if not parts and (targets.files or targets.modules):
        return False
    return any(
        not (part.scope.targets.files or part.scope.targets.modules)
        and any(done_by(one) & WRITES and not files_in(one.intent, part.scope.repo_root) for one in commands.values())
        for part, commands in parts_of(intent)
    )


def named_beside(intent: Intent) -> set[str]:
    """What the texts of an intent's commands name outside its scope."""
    found: set[str] = set()
    files = intent.scope.targets.files
    for command in intent.planned_commands:
        said = command.intent
        if ("." in said or ":" in said) and not names_one_of(said, files):
            break
    else:
        return found
    for part, commands in parts_of(intent):
        scope = part.scope
        paths, modules = clean_paths(scope.targets.files, scope.repo_root), _cleaned(scope.targets.modules)
        for command in commands.values():
            found.update(one for one in files_in(command.intent, scope.repo_root) if not _within(one, paths, modules))
    return found


def _cleaned(modules: tuple[str, ...]) -> list[tuple[str, str]]:
    """The resources of some modules, each with the name by which a text speaks of it."""
    return [(module, module.partition(":")[2]) for module in map(module_name, modules)]


def _marked(claims: dict[str, int], intent: Intent) -> dict[str, int]:
    """The claims, with what the phases of the intent as a whole say of each."""
    makes = studies = 0
    for workflow in intent.selected_workflows:
        phases = workflow.phases
        if "implementation" in phases:
            makes = MAKES
        if "analysis" in phases:
            studies = STUDIES
    if not (makes or studies):
        return claims
    for resource, claim in claims.items():
        claims[resource] = claim | (studies if not claim & WRITES else makes if claim & MADE else 0)
    return claims


def done_by(command: Command) -> int:
    """All that a command does: what it declares and, unless it only looks, what its words say."""
    bits = _declared.get(command.effects) or _declare(command.effects)
    return bits if bits == TOUCH else bits | said_by(command)


def said_by(command: Command) -> int:
    """What the words of a command say that it does."""
    text = f"{command.command_id} {command.intent}".lower()
    # A plain look for the stems comes first: most commands hold none, and it is much faster than the pattern.
    if "deploy" in text or "creat" in text or "remov" in text or "elet" in text or "roll" in text or "revert" in text:
        bits = 0
        for verb in verbs_in(text):
            bits |= VERBS[verb]
        return bits
    return 0


def verbs_in(text: str) -> Iterator[str]:
    """The verbs of a text in small letters that says what is done; what it says is not done is left out.

    >>> list(verbs_in("do not delete or remove the old route, deploy it")), list(verbs_in("not only delete it"))
    (['deploy'], ['delete'])
    """
    denied_until = -1
    for match in _VERB.finditer(text):
        start = match.start()
        if start and "a" <= text[start - 1] <= "z":
            continue
        denied = _DENIED(text[max(0, start - 40) : start])
        if denied or (denied_until >= 0 and _OR(text, denied_until, start)):
            denied_until = match.end()
        else:
            denied_until = -1
            yield match[0] if match[0] in VERBS else _GAP.sub(" ", match[0])


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
    said = set(verbs_in(f"{command.command_id} {command.intent}".lower()))
    return next((verb for verb, meant in VERBS.items() if meant == bit and verb in said), None)


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
