"""From an address to a bridge: `connect`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.clock import SystemClock
from volition.execution.bridge.bridge import Bridge
from volition.execution.bridge.way import open_journal, way_to
from volition.execution.session.handshake import FEATURES, Offer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from volition.execution.arena import ArenaMap
    from volition.execution.bridge.bridging import Records
    from volition.execution.bridge.way import Pace
    from volition.execution.frames import StateSchema
    from volition.execution.session.link import Timing
    from volition.execution.transports import Address


def connect(
    address: str | Address = "embedded",
    *,
    token: str | None = None,
    journal: Records | str | Path | None = None,
    meta: dict[str, Any] | None = None,
    map: str | Path | ArenaMap | None = None,
    seed: int = 0,
    timing: Timing | None = None,
    strict: bool = True,
    schema: StateSchema | None = None,
    features: tuple[str, ...] = FEATURES,
    allow_remote: bool = False,
    reconnect: bool = True,
    launch: str | Sequence[str] | None = None,
    pace: Pace = "virtual",
) -> Bridge:
    """A bridge to an executor, ready to be asked; HandshakeFailed says for which of six causes there is none.

    `embedded` is an arena in this process, on a clock that moves while somebody waits (with `pace="real"`, on the one of
    the system); `java` is the same arena in a JVM; `map` and `seed` are for these two. The other addresses are
    `tcp://HOST:PORT`, `unix:PATH` and `stdio:COMMAND`. `launch` starts a program that prints its address, and goes there.
    `journal` is a journal, or the folder for one that is closed with the bridge and begins its run with `meta`. `schema` is what the states must be;
    without it any will do. `features` are what the executor may send beyond results, as far as it can: a state with each
    result, states nobody asked for, events, progress.

    >>> from volition.execution import Move
    >>> with connect("embedded", seed=7) as body:
    ...     outcome = body.execute(Move((1, 0, 0)), deadline=2.0)
    >>> outcome.status, outcome.next_state.data["actor"]["x"] - outcome.state.data["actor"]["x"]
    ('SUCCESS', 1000)
    """
    way = way_to(
        address,
        map=map,
        seed=seed,
        token=token,
        timing=timing,
        allow_remote=allow_remote,
        launch=launch,
        pace=pace,
    )
    records, close_records = open_journal(journal, meta)
    try:
        bridge = Bridge(
            way.dial,
            offer=Offer(state_schema=schema, token=token, features=features),
            timing=timing,
            strict=strict,
            seed=seed,
            journal=records,
            reconnect=reconnect,
            clock=way.clock,
            keep=isinstance(way.clock, SystemClock),
        )
    except BaseException:
        way.end()
        close_records()
        raise
    bridge.at_end(close_records)
    bridge.at_end(way.end)
    return bridge
