"""A request on its way through the door."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import refuse, shown
from volition.execution.door.outcome import Requested
from volition.execution.intents import CANONICAL, CanonicalIntent, Move, Stop, read_intent

if TYPE_CHECKING:
    from volition.execution.frames import StateFrame
    from volition.execution.session.events import Purpose

SHORTEST: Final = 0.001
LONGEST: Final = 3600.0
_NAMES: Final[dict[type, str]] = {kind: name for name, kind in CANONICAL.items()}
_PLAIN: Final[dict[type, Requested]] = {kind: Requested(name) for name, kind in CANONICAL.items() if kind is not Move}


class Ask(Struct, gc=False):
    """One request that has not had its final word."""

    ticket: int
    purpose: Purpose
    requested: Requested
    intent: CanonicalIntent
    asked_at: float
    ttl: float
    based_on: int | None
    state: StateFrame | None

    @property
    def deadline(self) -> float:
        return self.asked_at + self.ttl

    def time_left(self, now: float) -> float:
        """How long it is still worth sending; 0 where that is too short to be said on the wire."""
        if now == self.asked_at:
            return self.ttl
        left = min(self.ttl, self.deadline - now)
        return max(left, SHORTEST) if left > SHORTEST / 2 else 0.0

    def stops(self, other: Ask) -> bool:
        """Whether this is a STOP that ends another: it names the same agent, or none and so all of them."""
        agent = self.requested.agent
        return isinstance(self.intent, Stop) and (agent is None or agent == other.requested.agent)


def check_terms(ttl: float, agent: str | None, based_on: int | None) -> None:
    """InvalidInput where a request has no deadline, or names an agent or a state that the wire cannot name."""
    if not (type(ttl) is float or type(ttl) is int) or not SHORTEST <= ttl <= LONGEST:
        refuse(f"a ttl of {shown(ttl)} s", where="ttl", expected="0.001 to 3600 seconds", remedy="give it a deadline")
    if agent is not None and not _nameable(agent):
        refuse(
            f"an agent named {shown(agent)}",
            where="agent",
            expected="a text of 1 to 200 characters, or None where there is one actor",
            remedy="give it a shorter name",
        )
    if based_on is not None and not (type(based_on) is int and 0 <= based_on <= MAX_INTEGER):
        refuse(
            f"a decision based on {shown(based_on)}",
            where="based_on",
            expected="the seq of a state",
            remedy="leave it out: then it is the newest one",
        )


def asked(intent: object, parameters: Any, agent: str | None) -> Requested:
    """What was asked for, as it was at that moment: a caller may change its dictionaries afterwards."""
    if parameters is None and agent is None and (plain := _PLAIN.get(type(intent))) is not None:
        return plain
    kept = None if parameters is None else _kept(parameters)
    if type(intent) is str:
        return Requested(intent, kept, agent)
    if isinstance(intent, Move) and parameters is None:
        return Requested("MOVE", intent.parameters, agent)
    return Requested(_NAMES.get(type(intent)) or shown(intent), kept, agent)


_BARE: Final[dict[object, tuple[CanonicalIntent, Requested]]] = {
    key: (read_intent(requested.intent), requested)
    for kind, requested in _PLAIN.items()
    if kind is not Stop
    for key in (kind, requested.intent)
}


def plainly(intent: object) -> tuple[CanonicalIntent, Requested] | None:
    """The canonical intent, and what was asked for, where no parameters were given, both are beyond doubt, and
    it is no STOP."""
    kind = type(intent)
    if kind is Move:
        return intent, Requested("MOVE", intent.parameters)  # type: ignore[return-value, attr-defined]
    return _BARE.get(intent if kind is str else kind)


def _kept(parameters: Any) -> Any:
    if type(parameters) is dict and len(parameters) == 1 and type(parameters.get("vector")) in {list, tuple}:
        vector = parameters["vector"]
        if all(type(number) in {float, int} for number in vector):
            return {"vector": list(vector)}
    try:
        return copy.deepcopy(parameters)
    except Exception:  # noqa: BLE001  what cannot be kept is at least shown
        return shown(parameters)


def _nameable(agent: object) -> bool:
    if type(agent) is not str or not 1 <= len(agent) <= 200:
        return False
    try:
        agent.encode()
    except UnicodeEncodeError:
        return False
    return True
