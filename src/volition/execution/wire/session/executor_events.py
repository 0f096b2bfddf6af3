"""The events of the executor's side of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from volition.execution.wire.frames import Hello
    from volition.execution.wire.intents import CanonicalIntent
    from volition.execution.wire.marks import RequestMark


class IncomingIntent(Struct, frozen=True, gc=False):
    """One intent for the game to attempt, once, within `ttl_ms` of its arrival. A STOP never expires."""

    id: int
    intent: CanonicalIntent
    agent: str | None
    based_on: int | None
    expires: float
    ttl_ms: int
    mark: RequestMark | None = None

    def stops(self, other: IncomingIntent) -> bool:
        """Whether this STOP ends `other`: it names the same agent, or none and therefore all."""
        return self.agent is None or self.agent == other.agent


class Greeted(Struct, frozen=True, gc=False):
    """A bridge was accepted."""

    hello: Hello


class CancelAsked(Struct, frozen=True, gc=False):
    """The game should abort a started attempt, and finish it as PARTIAL, or with its actual result if it has ended by
    then."""

    id: int


class StateAsked(Struct, frozen=True, gc=False):
    """The game should answer with a state: `answer_state`."""

    id: int
    full: bool
    agent: str | None


class ProbeAsked(Struct, frozen=True, gc=False):
    """The game should report the true state of its world: `answer_probe`. Only if both sides have the feature
    `probe`."""

    id: int


class BridgeLost(Struct, frozen=True, gc=False):
    """The bridge is gone: the game must stop its actor. Reported once."""

    reason: str


ExecutorEvent: TypeAlias = Greeted | CancelAsked | StateAsked | ProbeAsked | BridgeLost
