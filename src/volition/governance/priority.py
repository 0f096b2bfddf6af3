"""Priority: which of two intents goes before the other, and by which key.

The keys are asked in the policy's order: an explicit `metadata.priority` (the larger goes first), lower declared risk,
newer, status. A key that one of the two does not have is skipped, an explicit tie is final, and time and status never
settle two deploys.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.governance.claims import DEPLOY, ROLLBACK, done_anywhere, is_unknown
from volition.governance.conflicts.finding import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.documents import Intent
    from volition.governance.policy import Policy

STATUSES: Final = ("draft", "proposed", "approved")
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class Settled(NamedTuple):
    """A member that goes before every other one: the losers, and the key that decided against each."""

    winner: Intent
    losers: tuple[tuple[Intent, str], ...]


def settle(members: Sequence[Intent], policy: Policy) -> Settled | None:
    """The member that goes before every other one, if there is one.

    A challenger takes the place of the one it beats, so the only member that can beat all is left at the end.
    """
    best = members[0]
    for challenger in members[1:]:
        if decides(challenger, best, policy):
            best = challenger
    keys = [(other, decides(best, other, policy)) for other in members if other is not best]
    losers = tuple((other, key) for other, key in keys if key)
    return Settled(best, losers) if len(losers) == len(keys) else None


def decides(one: Intent, other: Intent, policy: Policy) -> str | None:
    """The key by which `one` goes before `other`; None where it does not."""
    both_deploy: bool | None = None
    for key in policy.priority_order:
        if key in {"newer", "status"}:
            if both_deploy is None:
                both_deploy = bool(
                    done_anywhere(one) & (DEPLOY | ROLLBACK) and done_anywhere(other) & (DEPLOY | ROLLBACK)
                )
            if both_deploy:
                continue
        mine, yours = rank(one, key), rank(other, key)
        if mine is None or yours is None:
            continue
        if mine != yours:
            return key if mine > yours else None
        if key == "explicit":
            return None
    return None


def rank(intent: Intent, key: str) -> int | None:
    """How an intent ranks by a key, more being better; None where it has no rank."""
    if key == "explicit":
        return intent.metadata.priority if intent.metadata else None
    if key == "risk":
        # Whoever does not say what it writes may not be called less risky than anybody.
        return None if is_unknown(intent) else -LEVELS.index(intent.risk.overall)
    if key == "newer":
        return instant(intent.created_at)
    return STATUSES.index(intent.status)


def instant(moment: str) -> int:
    """A moment in nanoseconds, whatever its zone.

    >>> instant("2026-01-25T12:00:00+02:00") == instant("2026-01-25T10:00:00Z") < instant("2026-01-25T10:00:00.000000001Z")
    True
    """
    digits = moment[20:].rstrip("Z").partition("+")[0].partition("-")[0] if moment[19] == "." else ""
    zone = moment[19 + len(digits) + bool(digits) :]
    whole = datetime.fromisoformat(moment[:19] + zone.replace("Z", "+00:00"))
    return (whole - _EPOCH) // timedelta(seconds=1) * 10**9 + int(digits.ljust(9, "0"))


SAID: Final = {
    "explicit": "its priority is higher",
    "risk": "its risk is lower",
    "newer": "it is newer",
    "status": "its status is further",
    "answer": "a person chose it",
}


def reason(winner: Intent, loser: Intent, key: str) -> str:
    """Why the winner goes first, with both values."""
    mine, yours = (_value(intent, key) for intent in (winner, loser))
    shown = "" if mine is None else f" ({mine} against {yours})"
    return f"{winner.id} goes before {loser.id}, decided by {key}: {SAID[key]}{shown}"


def _value(intent: Intent, key: str) -> object:
    match key:
        case "explicit":
            return intent.metadata.priority if intent.metadata else None
        case "risk":
            return intent.risk.overall
        case "newer":
            return intent.created_at
        case "status":
            return intent.status
        case _:
            return None
