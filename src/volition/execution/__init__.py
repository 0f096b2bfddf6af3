"""The only way out of the process: intents are sent, results come back, and success is never assumed.

The names below are imported when first used.

What may be asked:
    Move               move along a vector
    Hold               hold something, or hold still
    Release            end a hold
    Jump               jump
    Evade              get out of the way
    PrimaryAttack      attack
    Stop               end everything that goes on
    Custom             an intent that the executor declares
    Declaration        how an executor declares an intent
    object_schema      the schema of a declared intent's parameters

Driving a body:
    connect            opens a bridge to an executor: embedded, in Java, or at an address
    Bridge             sends intents, and waits for their outcomes
    aio                the same for asyncio
    Fleet              several bodies at once
    RequestMark        names a request that is to be done once
    Outcome            what became of a request, answered or not
    Result             what the executor said
    BridgeClosed       the bridge was closed
    HandshakeFailed    the executor cannot be used; its kinds say why

Recording it:
    Journal            records everything that crosses a bridge
    read_journal       reads a journal
    verify_journal     checks a journal
    summarise_journal  a journal in figures

Implementing a body:
    Executor           what a body implements
    About              what a body says about itself
    StateSchema        the name and version of its states
    Places             how it tells places, and how exactly
    IncomingIntent     an intent to attempt
    Ended              the end of an attempt
    make_result        a result
    Occurred           an event of the world
    Resettable         a body with episodes
    SeveralActors      a body of several
    RequestMemory      remembers marked requests, so that none is done twice
    ExecutorServer     serves a body to bridges
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.lazy import lazy_names

if TYPE_CHECKING:
    from volition.execution.client.bridge import Bridge
    from volition.execution.client.driver import BridgeClosed
    from volition.execution.connecting import aio
    from volition.execution.connecting.connect import connect
    from volition.execution.connecting.fleet import Fleet
    from volition.execution.executor.contract import About, Ended, Executor, Occurred, Resettable, SeveralActors
    from volition.execution.executor.requests import RequestMemory
    from volition.execution.executor.server import ExecutorServer
    from volition.execution.journal.entries import read_journal
    from volition.execution.journal.journal import Journal
    from volition.execution.journal.summary import summarise_journal
    from volition.execution.journal.verification import verify_journal
    from volition.execution.wire.declared import Custom, Declaration
    from volition.execution.wire.frames import Places, StateSchema
    from volition.execution.wire.intents import Evade, Hold, Jump, Move, PrimaryAttack, Release, Stop
    from volition.execution.wire.parameter_schema import object_schema
    from volition.execution.wire.request import Outcome, RequestMark
    from volition.execution.wire.results import Result, make_result
    from volition.execution.wire.session.handshake import HandshakeFailed
    from volition.execution.wire.session.incoming import IncomingIntent

__all__ = [  # noqa: RUF022  in the order of the page above
    "Move",
    "Hold",
    "Release",
    "Jump",
    "Evade",
    "PrimaryAttack",
    "Stop",
    "Custom",
    "Declaration",
    "object_schema",
    "connect",
    "Bridge",
    "aio",
    "Fleet",
    "RequestMark",
    "Outcome",
    "Result",
    "BridgeClosed",
    "HandshakeFailed",
    "Journal",
    "read_journal",
    "verify_journal",
    "summarise_journal",
    "Executor",
    "About",
    "StateSchema",
    "Places",
    "IncomingIntent",
    "Ended",
    "make_result",
    "Occurred",
    "Resettable",
    "SeveralActors",
    "RequestMemory",
    "ExecutorServer",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "volition.execution.client.bridge": "Bridge",
        "volition.execution.client.driver": "BridgeClosed",
        "volition.execution.connecting.aio": "aio",
        "volition.execution.connecting.connect": "connect",
        "volition.execution.connecting.fleet": "Fleet",
        "volition.execution.executor.contract": "About Ended Executor Occurred Resettable SeveralActors",
        "volition.execution.executor.requests": "RequestMemory",
        "volition.execution.executor.server": "ExecutorServer",
        "volition.execution.journal.entries": "read_journal",
        "volition.execution.journal.journal": "Journal",
        "volition.execution.journal.summary": "summarise_journal",
        "volition.execution.journal.verification": "verify_journal",
        "volition.execution.wire.declared": "Custom Declaration",
        "volition.execution.wire.frames": "Places StateSchema",
        "volition.execution.wire.intents": "Evade Hold Jump Move PrimaryAttack Release Stop",
        "volition.execution.wire.parameter_schema": "object_schema",
        "volition.execution.wire.request": "Outcome RequestMark",
        "volition.execution.wire.results": "Result make_result",
        "volition.execution.wire.session.handshake": "HandshakeFailed",
        "volition.execution.wire.session.incoming": "IncomingIntent",
    },
)
