"""From an address to an asyncio bridge."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from volition.execution.aio.bridge import AsyncBridge
from volition.execution.bridge.way import open_journal, way_to
from volition.execution.session.handshake import FEATURES, OBSERVE, Offer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from volition.execution.arena import ArenaMap
    from volition.execution.bridge.bridging import Records
    from volition.execution.bridge.way import Pace
    from volition.execution.frames import StateSchema
    from volition.execution.journal import Durable
    from volition.execution.session.link import Timing
    from volition.execution.transports import Address


async def connect(
    address: str | Address = "embedded",
    *,
    token: str | None = None,
    journal: Records | str | Path | None = None,
    durable: Durable | None = None,
    map: str | Path | ArenaMap | None = None,
    seed: int = 0,
    timing: Timing | None = None,
    strict: bool = True,
    schema: StateSchema | None = None,
    features: tuple[str, ...] = FEATURES,
    allow_remote: bool = False,
    reconnect: bool = True,
    observe: bool = False,
    launch: str | Sequence[str] | None = None,
    pace: Pace = "virtual",
) -> AsyncBridge:
    """A bridge to an executor, ready to be asked, in the running loop; the arguments are those of the blocking one.

    >>> import asyncio
    >>> async def one_step():
    ...     async with await connect("embedded", seed=7) as body:
    ...         return await body.execute("MOVE", {"vector": [1, 0, 0]}, deadline=2.0)
    >>> asyncio.run(one_step()).status
    'SUCCESS'
    """
    way = await asyncio.to_thread(  # a JVM's arena may have to be built first
        way_to,
        address,
        map=map,
        seed=seed,
        token=token,
        timing=timing,
        allow_remote=allow_remote,
        launch=launch,
        pace=pace,
    )
    records, close_records = open_journal(journal, durable)
    bridge = AsyncBridge(
        way,
        offer=Offer(state_schema=schema, token=token, features=(*features, OBSERVE) if observe else features),
        timing=timing,
        strict=strict,
        seed=seed,
        journal=records,
        reconnect=reconnect,
    )
    bridge.at_end(close_records)
    bridge.at_end(way.end)
    await bridge.open()
    return bridge
