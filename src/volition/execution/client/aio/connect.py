"""From an address to an asyncio bridge."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from volition.execution.client.aio.bridge import AsyncBridge
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
    fences: Mapping[str, int] | None = None,
    allow_remote: bool = False,
    reconnect: bool = True,
    observe: bool = False,
    launch: str | Sequence[str] | None = None,
    pace: Pace = "virtual",
) -> AsyncBridge:
    """A bridge to an executor, ready for intents, in the running loop; the arguments are those of the blocking
    `connect`.

    >>> import asyncio
    >>> async def one_step():
    ...     async with await connect("embedded", seed=7) as body:
    ...         return await body.execute("MOVE", {"vector": [1, 0, 0]}, deadline=2.0)
    >>> asyncio.run(one_step()).status
    'SUCCESS'
    """
    endpoint = await asyncio.to_thread(  # a JVM's arena may have to be built first
        find_endpoint,
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
        endpoint,
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
    )
    bridge.at_end(close_records)
    bridge.at_end(endpoint.end)
    await bridge.open()
    return bridge
