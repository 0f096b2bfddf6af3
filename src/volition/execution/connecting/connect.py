"""Connect to an executor by its address: from the arguments of `connect` to a bridge, the same for both kinds."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from volition.core.clock import SystemClock
from volition.core.errors import refuse
from volition.execution.client.bridge.bridge import Bridge
from volition.execution.connecting.endpoint import find_endpoint
from volition.execution.wire.session.handshake import FEATURES, OBSERVE, Offer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from ssl import SSLContext

    from volition.execution.client.driver import DriverOptions, Records
    from volition.execution.client.endpoint import Endpoint
    from volition.execution.connecting.endpoint import Pace
    from volition.execution.door.request import Numbers
    from volition.execution.journal import Durable
    from volition.execution.transports import Address
    from volition.execution.wire.frames import StateSchema
    from volition.execution.wire.session.link import Timing
    from volition.execution.worlds.arena import ArenaMap

P = ParamSpec("P")
T = TypeVar("T")


class Prepared(NamedTuple):
    """What a bridge is made from, and what to do when it is closed."""

    endpoint: Endpoint
    options: DriverOptions
    close: Callable[[], None]


def prepare(
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
    tls: SSLContext | None = None,
    numbers: Numbers | None = None,
) -> Prepared:
    """Check the arguments of `connect`, and open the journal."""
    endpoint = find_endpoint(
        address,
        map=map,
        seed=seed,
        token=token,
        timing=timing,
        allow_remote=allow_remote,
        launch=launch,
        pace=pace,
        tls=tls,
    )
    try:
        records, close_records = _open_journal(journal, durable, meta)
    except BaseException:
        endpoint.end()
        raise

    def close() -> None:
        try:
            endpoint.end()
        finally:
            close_records()

    options: DriverOptions = {
        "offer": Offer(
            state_schema=schema,
            token=token,
            features=(*features, OBSERVE) if observe else features,
            fences=fences or {},
        ),
        "timing": timing,
        "strict": strict,
        "seed": seed,
        "journal": records,
        "reconnect": reconnect,
        "numbers": numbers,
    }
    return Prepared(endpoint, options, close)


def takes_arguments_of(other: Callable[P, object]) -> Callable[[Callable[..., T]], Callable[P, T]]:
    """Give a function that passes its arguments on to another the signature of that one, for people and type checkers."""

    def declare(function: Callable[..., T]) -> Callable[P, T]:
        result = signature(function).return_annotation
        function.__signature__ = signature(other).replace(return_annotation=result)  # type: ignore[attr-defined]
        return function

    return declare


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


def _open_journal(
    journal: Records | str | Path | None, durable: Durable | None, meta: dict[str, Any] | None
) -> tuple[Records | None, Callable[[], Any]]:
    """A journal, and a function that closes it; a journal that the caller has opened stays open."""
    if journal is None or not isinstance(journal, str | Path):
        if durable is not None:
            refuse(
                f"durable={durable!r} without the folder of a journal",
                where="durable",
                expected="journal=FOLDER beside it",
                remedy="name a folder, or open the journal with Journal(FOLDER, durable=...)",
            )
        return journal, lambda: None
    from volition.execution.journal import Journal  # noqa: PLC0415  imported only if it is used

    opened = Journal(journal, durable=durable, meta=meta)
    return opened, opened.close
