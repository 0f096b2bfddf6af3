"""Priority: which of two intents wins over the other, and by which key.

The keys are compared in the policy's order: an explicit `metadata.priority` (the larger goes first), lower declared risk,
newer, status. A key that one of the two does not have is skipped, an explicit tie is final, and time and status never
settle two deploys. Unless a policy says otherwise, the clock counts between plans of one author alone: writing last
is no reason to win over somebody else.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.governance.documents.effects import DEPLOY, ROLLBACK, all_effect_bits
from volition.governance.documents.intent import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.claims.footprint import Footprint
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.policy import Policy

STATUSES: Final = ("draft", "proposed", "approved")
UNNAMED: Final = "author"
"""The author of a draft without a named author; two such drafts may be by different people."""
_NOT_FOR_DEPLOYS: Final = frozenset({"newer_same_author", "newer", "status"})
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class Standing(Struct, frozen=True):
    """What a plan brings into a comparison: its rank by each key (higher is better, None if it has none), its author,
    and whether it deploys or rolls back."""

    ranks: dict[str, int | None]
    author: str
    deploys: bool


def standing_of(footprint: Footprint) -> Standing:
    """The standing of a plan."""
    intent = footprint.intent
    age = instant(intent.created_at)
    ranks = {
        "explicit": intent.metadata.priority if intent.metadata else None,
        # A plan that does not say what it writes is never less risky than another.
        "risk": None if footprint.is_unknown() else -LEVELS.index(intent.risk.overall),
        "newer_same_author": age,
        "newer": age,
        "status": STATUSES.index(intent.status),
    }
    return Standing(ranks, intent.audit.created_by, bool(all_effect_bits(intent) & (DEPLOY | ROLLBACK)))


class Priority:
    """Which of some plans, by their numbers, wins over which under a policy; each standing is found once."""

    def __init__(self, footprints: Sequence[Footprint], policy: Policy) -> None:
        self._order = policy.priority_order
        self._standing = cache(lambda number: standing_of(footprints[number]))

    def decides(self, one: int, other: int) -> str | None:
        """The key by which `one` wins over `other`; None if it does not."""
        return _deciding_key(self._standing(one), self._standing(other), self._order)

    def only_the_clock_decides(self, one: int, other: int) -> bool:
        """Whether `one` would win over `other` if the clock counted between different authors too."""
        order = ["newer" if key == "newer_same_author" else key for key in self._order]
        clocked = _deciding_key(self._standing(one), self._standing(other), order)
        return clocked == "newer" and not self.decides(one, other)


def _deciding_key(one: Standing, other: Standing, order: Iterable[str]) -> str | None:
    for key in order:
        if key in _NOT_FOR_DEPLOYS and one.deploys and other.deploys:
            continue
        if key == "newer_same_author" and not one.author == other.author != UNNAMED:
            continue
        mine, yours = one.ranks[key], other.ranks[key]
        if mine is None or yours is None:
            continue
        if mine != yours:
            return key if mine > yours else None
        if key == "explicit":
            return None
    return None


def instant(moment: str) -> int:
    """A moment in nanoseconds, whatever its zone.

    >>> instant("2026-01-25T12:00:00+02:00") == instant("2026-01-25T10:00:00Z") < instant("2026-01-25T10:00:00.000000001Z")
    True
    """
    digits = moment[20:].rstrip("Z").partition("+")[0].partition("-")[0] if moment[19] == "." else ""
    zone = moment[19 + len(digits) + bool(digits) :]
    whole = datetime.fromisoformat(moment[:19] + zone.replace("Z", "+00:00"))
    return (whole - _EPOCH) // timedelta(seconds=1) * 10**9 + int(digits.ljust(9, "0"))


REASONS: Final = {
    "explicit": "its priority is higher",
    "risk": "its risk is lower",
    "newer_same_author": "it is newer, by the same author",
    "newer": "it is newer",
    "status": "its status is further",
    "answer": "a person chose it",
}


def reason(winner: IntentDocument, loser: IntentDocument, key: str) -> str:
    """Why the winner goes first, with both values."""
    mine, yours = (_value(intent, key) for intent in (winner, loser))
    shown = "" if mine is None else f" ({mine} against {yours})"
    return f"{winner.id} goes before {loser.id}, decided by {key}: {REASONS[key]}{shown}"


def _value(intent: IntentDocument, key: str) -> object:
    values = {
        "explicit": intent.metadata.priority if intent.metadata else None,
        "risk": intent.risk.overall,
        "newer_same_author": intent.created_at,
        "newer": intent.created_at,
        "status": intent.status,
    }
    return values.get(key)
