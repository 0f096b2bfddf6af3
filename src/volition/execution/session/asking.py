"""What may be asked of a session: the checks of an intent that is to be sent."""

from __future__ import annotations

from typing import Final, NoReturn, get_args

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import refuse, shown
from volition.execution.frames import MAX_NAME
from volition.execution.intents import CanonicalIntent

_INTENTS: Final = frozenset(get_args(CanonicalIntent))


def check_sending(intent: object, ttl: float, based_on: object, agent: object) -> None:
    """Refuse what is no intent, no time to live, no state or no agent."""
    if type(intent) not in _INTENTS:
        refuse(
            f"{shown(intent)} is no canonical intent",
            where="intent",
            expected="one of the seven types",
            remedy="make it with read_intent",
        )
    if not 0.001 <= ttl <= 3600:
        refuse(f"a ttl of {ttl} s", where="ttl", expected="0.001 to 3600 seconds", remedy="give it a deadline")
    if based_on is not None and not (type(based_on) is int and 0 <= based_on <= MAX_INTEGER):
        refuse(
            f"based on {shown(based_on)}",
            where="based_on",
            expected="the seq of a state",
            remedy="name a state seen",
        )
    if agent is not None and not (type(agent) is str and 0 < len(agent) <= MAX_NAME):
        refuse(
            f"the agent {shown(agent)}",
            where="agent",
            expected=f"a name of 1 to {MAX_NAME} characters",
            remedy="name the actor as its world does",
        )


def refuse_sending(intent: CanonicalIntent, phase: str, open: int) -> NoReturn:
    """No intent can be sent now."""
    refuse(
        f"{intent.name} cannot be sent now: the session is {phase}, with {open} intents open",
        where="session",
        expected="a ready session with room",
        remedy="wait until room is above 0; STOP may be sent as soon as the handshake is over",
    )


def refuse_acting() -> NoReturn:
    """An observer has asked for an intent."""
    refuse(
        "an observer sends no intent",
        where="observe",
        expected="states and events to be looked at",
        remedy="connect without observe=True to drive",
    )


def refuse_asking(phase: str) -> NoReturn:
    """No state can be asked for now."""
    refuse(
        f"no state can be asked for: the session is {phase}",
        where="session",
        expected="a session after its handshake",
        remedy="wait for Welcomed",
    )
