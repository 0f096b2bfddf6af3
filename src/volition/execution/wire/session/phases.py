"""The phases of a session, for both sides.

Theory of operation. A session is one connection. It goes forward only, and remembers nothing of the session before it:

    bridge    greeting --> opening --> ready --> closed
    executor  waiting  ---> open --------------> closed

    phase      begins with                       may hear                           ends with
    greeting   the bridge's hello                welcome, reject                    a welcome; or `closed`
    opening    the welcome                       states, results, progress, events  both answers; or `closed`
    ready      a full state and STOP's result    states, results, progress, events  `closed`
    waiting    a connection                      hello                              a hello that is welcome; or `closed`
    open       the executor's welcome            what a driver or observer sends    `closed`
    closed     goodbye, the connection's end,    nothing                            never
               silence, noise, a deadline

Greeting: nothing is known of the other side, so nothing but the greeting and its answer counts. Opening: the executor
may still be busy with what another bridge asked for, and what it shows may be old; so the bridge asks for a full state
and sends STOP before anything else, and waits for both answers. Ready: the policy's intents may be sent. The executor
cannot tell `opening` from `ready`, and need not: both are `open`. An observer asks for states only; it sends no intent,
not even the STOP of the opening.

Pings, complaints and goodbyes are allowed in every phase but `closed`. What the table does not allow is a breach of the
contract: the bridge's side answers one with STOP, the executor's side with an error frame of the code `out_of_order`.

What can never happen: a phase that goes back or is skipped; an intent of the policy before `ready`; a frame that is sent
or heard in `closed`.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from volition.execution.wire import frames

BridgePhase: TypeAlias = Literal["greeting", "opening", "ready", "closed"]
ExecutorPhase: TypeAlias = Literal["waiting", "open", "closed"]

Ending: TypeAlias = Literal[
    "refused", "goodbye", "eof", "torn", "reset", "dead", "overrun", "faults", "stop_failed", "local"
]
"""Why a session of a bridge ended: `torn` is an end in the middle of a frame, `dead` is silence, `faults` is too many
unreadable lines."""

_ALWAYS: Final = frozenset({frames.Ping, frames.Pong, frames.ErrorFrame, frames.Goodbye})
_GREETING: Final = _ALWAYS | {frames.Welcome, frames.Reject}
_PLAYING: Final = _ALWAYS | {frames.StateFrame, frames.ResultFrame, frames.Progress, frames.GameEvent}
_LOOKING: Final = _ALWAYS | {frames.StateRequest, frames.ProbeRead}
_NOTHING: Final[frozenset[type]] = frozenset()

NEXT: Final[dict[str, frozenset[str]]] = {
    # the bridge's side
    "greeting": frozenset({"opening", "closed"}),
    "opening": frozenset({"ready", "closed"}),
    "ready": frozenset({"closed"}),
    # the executor's side
    "waiting": frozenset({"open", "closed"}),
    "open": frozenset({"closed"}),
    # both
    "closed": frozenset(),
}
"""Phase -> the phases that may follow it."""

EXECUTOR_SENDS: Final[dict[BridgePhase, frozenset[type]]] = {
    "greeting": _GREETING,
    "opening": _PLAYING,
    "ready": _PLAYING,
    "closed": _NOTHING,
}
"""The bridge's phase -> what the executor may send."""

DRIVER_SENDS: Final[dict[ExecutorPhase, frozenset[type]]] = {
    "waiting": _ALWAYS | {frames.Hello},
    "open": _LOOKING | {frames.IntentFrame, frames.Cancel, frames.Reset},
    "closed": _NOTHING,
}
"""The executor's phase -> what a bridge that drives may send."""

OBSERVER_SENDS: Final[dict[ExecutorPhase, frozenset[type]]] = DRIVER_SENDS | {"open": _LOOKING}
"""The executor's phase -> what a bridge that observes may send."""

GREETED: Final[frozenset[BridgePhase]] = frozenset({"opening", "ready"})
"""The phases in which the bridge may ask for a state and send STOP; other intents are for `ready`."""
