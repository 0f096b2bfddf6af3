"""The checks on what a session is asked to send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn, get_args

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import InvalidInput, format_value, refuse
from volition.execution.wire.declared import Custom
from volition.execution.wire.frames import MAX_NAME, RESET
from volition.execution.wire.intents import CanonicalIntent, Stop
from volition.execution.wire.request import MIN_TTL, REQUESTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from volition.execution.wire.declared import DeclaredIntents
    from volition.execution.wire.request import RequestMark

MAX_TTL: Final = 3600.0

_INTENTS: Final = frozenset(get_args(CanonicalIntent))


def check_intent(intent: object, declared: DeclaredIntents) -> None:
    """Refuse anything but a canonical intent, or one that the executor has declared."""
    if isinstance(intent, Custom):
        if problems := declared.problems(intent.name, intent.parameters):
            raise InvalidInput(*problems)
    elif type(intent) not in _INTENTS:
        refuse(
            f"{format_value(intent)} is not a canonical intent",
            where="intent",
            expected="one of the seven types, or Custom",
            remedy="make it with parse_intent",
        )


def check_terms(ttl: object, based_on: object, agent: object) -> None:
    """Refuse an invalid time to live, and a state or agent that the wire cannot name."""
    if not (type(ttl) is float or type(ttl) is int) or not MIN_TTL <= ttl <= MAX_TTL:
        refuse(
            f"a ttl of {format_value(ttl)} s",
            where="ttl",
            expected="0.001 to 3600 seconds",
            remedy="give it a deadline",
        )
    if based_on is not None and not (type(based_on) is int and 0 <= based_on <= MAX_INTEGER):
        refuse(
            f"a decision based on {format_value(based_on)}",
            where="based_on",
            expected="the seq of a state",
            remedy="leave it out: then it is the newest one",
        )
    if agent is not None and not _is_name(agent):
        refuse(
            f"an agent named {format_value(agent)}",
            where="agent",
            expected=f"a text of 1 to {MAX_NAME} characters, or None where there is one actor",
            remedy="give it a shorter name",
        )


def check_mark(
    mark: RequestMark | None, intent: object, wanted: Collection[str], shared: Collection[str] | None
) -> None:
    """Refuse a mark that could not be kept: on STOP, and where requests are not remembered.

    `wanted` are the features that this side asks for, and `shared` those that both have; None before the welcome.
    """
    if mark is None:
        return
    if isinstance(intent, Stop) or intent == "STOP":
        refuse(
            "a mark on STOP, which is carried out every time",
            where="mark",
            expected="a mark on any other intent",
            remedy="leave it out: to stop again does no harm",
        )
    if REQUESTS not in wanted:
        refuse(
            f"this side did not ask for the feature {REQUESTS!r}, so that a mark would have no effect",
            where="mark",
            expected=f"{REQUESTS!r} among the features of this connection",
            remedy="connect without features=..., or name it among them",
        )
    if shared is not None and REQUESTS not in shared:
        refuse(
            "the executor remembers no requests, so that a mark would have no effect",
            where="mark",
            expected=f"an executor with the feature {REQUESTS!r}",
            remedy="give it a memory (RequestMemory, or --requests of the arenas), or leave the mark out",
        )


def check_reset(seed: object, wanted: Collection[str], shared: Collection[str]) -> None:
    """Refuse a seed that the wire cannot carry, and a reset where the feature is missing on either side."""
    if type(seed) is not int or not 0 <= seed <= MAX_INTEGER:
        refuse(
            f"a seed of {format_value(seed)}",
            where="seed",
            expected="an integer from 0 to 2^53 - 1",
            remedy="choose a smaller one",
        )
    if RESET not in shared:
        here = RESET not in wanted
        refuse(
            "this side did not ask for resets" if here else "the executor cannot begin again with a seed",
            where="reset",
            expected=f"the feature {RESET!r} on both sides",
            remedy="connect without features=..., or name it among them" if here else "restart the executor instead",
        )


def refuse_reset() -> NoReturn:
    """A reset without a connection on which it could be asked for."""
    refuse(
        "no episode can be begun now: there is no connection, or it is still opening",
        where="reset",
        expected="a connection that is ready",
        remedy="wait for a state, then reset",
    )


def refuse_acting() -> NoReturn:
    """An observer has asked for an intent."""
    refuse(
        "an observer sends no intent",
        where="observe",
        expected="states and events to be looked at",
        remedy="connect without observe=True to drive",
    )


def _is_name(agent: object) -> bool:
    if type(agent) is not str or not 1 <= len(agent) <= MAX_NAME:
        return False
    try:
        agent.encode()
    except UnicodeEncodeError:
        return False
    return True
