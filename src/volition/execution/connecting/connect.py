"""Connect to an executor by its address, with a blocking bridge."""

from __future__ import annotations

from typing import Any

from volition.core.clock import SystemClock
from volition.execution.client.bridge.bridge import Bridge
from volition.execution.connecting.preparation import prepare, takes_arguments_of


@takes_arguments_of(prepare)
def connect(*address: Any, **options: Any) -> Bridge:
    """A bridge to an executor, ready for intents; HandshakeFailed, in six variants, says why there is none.

    `embedded` is an arena in this process, on a clock that advances only while a call waits (with `pace="real"`, on the
    system clock); `java` is the same arena in a JVM; `map` and `seed` are for these two. The other addresses are
    `tcp://HOST:PORT`, `tls://HOST:PORT` (with `tls`, a context, if the usual certificates are not enough), `unix:PATH` and
    `stdio:COMMAND`. `launch` starts a program that prints its address, and connects
    to it. `journal` is a journal, or the folder for one that is opened with `meta` and `durable`, and closed with the
    bridge. `schema` is the required schema of the states; by default any is accepted. `features` are what the executor
    may send besides results, if it can: a state with each result, pushed states, events, progress. `fences` are the
    numbers under which this side acts, by resource: an executor with the feature `requests` refuses lower ones.

    Bridges that record in one journal share `numbers`, and each of them tells a `BodyJournal`.

    With `observe` the bridge watches an executor that another bridge may drive, and sends no intents: `execute`
    refuses. Connecting takes at most `2 * timing.handshake + timing.opening` seconds (15 by default), whatever the
    executor does.

    >>> from volition.execution import Move
    >>> with connect("embedded", seed=7) as body:
    ...     outcome = body.execute(Move((1, 0, 0)), deadline=2.0)
    >>> outcome.status, outcome.next_state.data["actor"]["x"] - outcome.state.data["actor"]["x"]
    ('SUCCESS', 1000)
    """
    endpoint, driver_options, close = prepare(*address, **options)
    keep = isinstance(endpoint.clock, SystemClock)
    try:
        bridge = Bridge(endpoint.dial, clock=endpoint.clock, keep=keep, **driver_options)
    except BaseException:
        close()
        raise
    bridge.at_end(close)
    return bridge
