"""Effects: what a command does, as bits: the effects that it declares, and no others.

The verbs of a text only warn: a command that says "remove" and declares `write` writes. A verb that is denied warns of
nothing, nor do the words of a command that only looks, because a report about a rollback is not a rollback. A claim is an
int: bits for what is done, and above them the place of the command that does the most, so that a conflict can name it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.governance.documents.intent import Command, Effect, IntentDocument

TOUCH, WRITE, CREATE, DELETE, DEPLOY, ROLLBACK, LOCK, FREEZE, MAKES, STUDIES, USES, DECLARED = (
    1 << n for n in range(12)
)
"""LOCK is a lock, FREEZE one that no work of the plan will end, MAKES what an implementation makes, STUDIES what an
analysis only reads, USES what the result of a plan relies on, and DECLARED what the plan names as its own, rather than in
the text of a command."""
WRITES: Final = WRITE | CREATE | DELETE | DEPLOY | ROLLBACK
MADE: Final = WRITES & ~DELETE
"""What leaves something behind for others to use."""
BITS: Final = 12
"""The index of the command is stored above these bits."""
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
"""Words that say what is done; one that no effect of the command declares is worth a warning."""
GRAVEST_FIRST: Final = (
    (DELETE, "delete"),
    (ROLLBACK, "rollback"),
    (DEPLOY, "deploy"),
    (CREATE, "create"),
    (WRITE, "write"),
)
"""What a claim may do, the gravest first."""
_GRAVEST: Final = [
    next(((bit, word) for bit, word in GRAVEST_FIRST if mask & bit), (TOUCH, "read")) for mask in range(WRITES + 1)
]
GRAVITY: Final = [len(GRAVEST_FIRST) - GRAVEST_FIRST.index(one) if one in GRAVEST_FIRST else 0 for one in _GRAVEST]
"""The gravity of the gravest of some writes."""

_VERB = re.compile(
    f"(?=[{''.join(sorted({verb[0] for verb in VERBS}))}])(?<![a-z])"
    f"(?:{'|'.join(sorted(VERBS, reverse=True)).replace(' ', '[^a-z]+')})(?![a-z])"
)
_GAP = re.compile("[^a-z]+")
_DENIED = re.compile(
    r"(?:^|[^a-z])(?:not|never|without|no|avoid|cannot|dont|[a-z]+n['\u2019]t|instead[\s_-]+of|rather[\s_-]+than)"
    r"(?:[\s_-]+(?:to|ever|yet|longer))?[\s_-]+\Z"
).search
"""Whether what comes before a verb says that it is not done; a full stop or a comma between them ends the denial."""
_OR = re.compile(r"[\s_-]+n?or[\s_-]+").fullmatch
"""Whether a verb continues the one before it, which was denied."""


def effect_bits(command: Command) -> int:
    """Everything that a command declares to do."""
    return declared_bits(command.effects)


def all_effect_bits(intent: IntentDocument) -> int:
    """Everything that the commands of an intent do, wherever they do it."""
    bits = 0
    for command in intent.planned_commands:
        bits |= effect_bits(command)
    return bits


def declared_bits(effects: tuple[Effect, ...]) -> int:
    """What some effects mean together; those of a command that only looks are `TOUCH`.

    >>> declared_bits(("read", "network")) == TOUCH, declared_bits(("read", "write")) == TOUCH | WRITE
    (True, True)
    """
    bits = 0
    for effect in effects:
        bits |= EFFECTS[effect]
    return bits


def verbs_in(text: str) -> Iterator[str]:
    """The verbs of a lower-case text that say what is done; negated ones are left out.

    >>> list(verbs_in("do not delete or remove the old route, deploy it")), list(verbs_in("not only delete it"))
    (['deploy'], ['delete'])
    """
    denied_until = -1
    for match in _VERB.finditer(text):
        start = match.start()
        denied = _DENIED(text[max(0, start - 40) : start])
        if denied or (denied_until >= 0 and _OR(text, denied_until, start)):
            denied_until = match.end()
        else:
            denied_until = -1
            yield match[0] if match[0] in VERBS else _GAP.sub(" ", match[0])


def undeclared_verbs(command: Command) -> list[tuple[str, str]]:
    """The verbs of a command for effects that it does not declare, each with that effect, in the order of the text.

    >>> from volition.governance.drafts.plan import Plan
    >>> tidy = Plan("Tidy up", files=["a.py"], commands=["tidy_up: write: remove unused imports"]).intent
    >>> undeclared_verbs(tidy.planned_commands[0])
    [('remove', 'delete')]
    """
    bits = declared_bits(command.effects)
    if bits == TOUCH:
        return []
    verbs = dict.fromkeys(verbs_in(_words(command)))
    return [(verb, gravest(VERBS[verb])[1]) for verb in verbs if not bits & VERBS[verb]]


def _words(command: Command) -> str:
    return f"{command.command_id} {command.intent}".lower()


def gravest(claim: int) -> tuple[int, str]:
    """The gravest thing that a claim does, as a bit and as a word.

    >>> gravest(WRITE | DELETE)[1], gravest(TOUCH)[1]
    ('delete', 'read')
    """
    return _GRAVEST[claim & WRITES]


def combine(claim: int, bits: int, place: int) -> int:
    """A claim and what one more command does; the place is that of the first command that does the gravest thing."""
    if not claim:
        return place << BITS | bits
    if GRAVITY[bits & WRITES] > GRAVITY[claim & WRITES]:
        return place << BITS | claim & MASK | bits
    return claim | bits
