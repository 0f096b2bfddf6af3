"""From an address to a bridge: `connect`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.clock import SystemClock
from volition.execution.client.bridge.bridge import Bridge
from volition.execution.client.endpoint import find_endpoint, open_journal
from volition.execution.wire.session.handshake import FEATURES, OBSERVE, Offer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from volition.execution.arena import ArenaMap
    from volition.execution.client.driver import Records
    from volition.execution.client.endpoint import Pace
    from volition.execution.client.transports import Address
    from volition.execution.journal import Durable
    from volition.execution.wire.frames import StateSchema
    from volition.execution.wire.session.link import Timing


def connect(
    address: str | Address = "embedded",
    *,
    token: str | None = None,
    journal: Records | str | Path | None = None,
    meta: dict[str, Any] | None = None,
    durable: Durable | None = None,
    map: str | Path | ArenaMap | None = None,
    seed: int = 0,
    timing: Timing | None = None,
    strict: bool = True,
    schema: StateSchema | None = None,
    features: tuple[str, ...] = FEATURES,
    fences: Mapping[str, int] | None = None,
    allow_remote: bool = False,
    reconnect: bool = True,
    observe: bool = False,
    launch: str | Sequence[str] | None = None,
    pace: Pace = "virtual",
) -> Bridge:
    """A bridge to an executor, ready for intents; HandshakeFailed, in six variants, says why there is none.

    `embedded` is an arena in this process, on a clock that advances only while a call waits (with `pace="real"`, on the
    system clock); `java` is the same arena in a JVM; `map` and `seed` are for these two. The other addresses are
    `tcp://HOST:PORT`, `unix:PATH` and `stdio:COMMAND`. `launch` starts a program that prints its address, and connects
    to it. `journal` is a journal, or the folder for one that is opened with `meta` and `durable`, and closed with the
    bridge. `schema` is the required schema of the states; by default any is accepted. `features` are what the executor
    may send besides results, if it can: a state with each result, pushed states, events, progress. `fences` are the
    numbers under which this side acts, by resource: an executor with the feature `requests` refuses lower ones.

    With `observe` the bridge watches an executor that another bridge may drive, and sends no intents: `execute`
    refuses. Connecting takes at most `2 * timing.handshake + timing.opening` seconds (15 by default), whatever the
    executor does.

    >>> from volition.execution import Move
    >>> with connect("embedded", seed=7) as body:
    ...     outcome = body.execute(Move((1, 0, 0)), deadline=2.0)
    >>> outcome.status, outcome.next_state.data["actor"]["x"] - outcome.state.data["actor"]["x"]
    ('SUCCESS', 1000)
    """
    endpoint = find_endpoint(
        address,
        map=map,
        seed=seed,
        token=token,
        timing=timing,
        allow_remote=allow_remote,
        launch=launch,
        pace=pace,
    )
    records, close_records = open_journal(journal, durable, meta)
    try:
        bridge = Bridge(
            endpoint.dial,
            offer=Offer(
                state_schema=schema,
                token=token,
                features=(*features, OBSERVE) if observe else features,
                fences=fences or {},
            ),
            timing=timing,
            strict=strict,
            seed=seed,
            journal=records,
            reconnect=reconnect,
            clock=endpoint.clock,
            keep=isinstance(endpoint.clock, SystemClock),
        )
    except BaseException:
        endpoint.end()
        close_records()
        raise
    bridge.at_end(close_records)
    bridge.at_end(endpoint.end)
    return bridge
