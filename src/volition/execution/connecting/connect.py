"""Connect to an executor by its address: from the arguments of `connect` to a bridge, the same for both kinds.

Here the shipped worlds have their names.
"""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar

from volition.core.clock import ManualClock, SystemClock
from volition.core.errors import refuse
from volition.execution.client.bridge import Bridge
from volition.execution.transports.address import Address, check_near, parse_address
from volition.execution.transports.child import Launched
from volition.execution.transports.endpoint import Endpoint
from volition.execution.wire.session.handshake import FEATURES, OBSERVE, Offer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from ssl import SSLContext

    from volition.core.clock import Clock
    from volition.execution.client.driver import DriverOptions, Records
    from volition.execution.executor.contract import Executor
    from volition.execution.journal.journal import Durable
    from volition.execution.wire.frames import StateSchema
    from volition.execution.wire.request import Numbers
    from volition.execution.wire.session.link import Timing
    from volition.execution.worlds.arena import ArenaMap

P = ParamSpec("P")
T = TypeVar("T")

Pace: TypeAlias = Literal["virtual", "real"]
"""Whether an embedded executor's time advances only while a call waits, or in real time."""


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
    executor: Executor | None = None,
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
        executor=executor,
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
    system clock), or your `executor` in its place; `java` is the same arena in a JVM; `map` and `seed` are for these two
    arenas. The other addresses are
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


def find_endpoint(
    address: str | Address,
    *,
    map: str | Path | ArenaMap | None,
    seed: int,
    token: str | None,
    timing: Timing | None = None,
    allow_remote: bool,
    launch: str | Sequence[str] | None,
    pace: Pace = "virtual",
    tls: SSLContext | None = None,
    executor: Executor | None = None,
) -> Endpoint:
    """The endpoint at an address; InvalidInput where the arguments contradict each other."""
    place = parse_address(address)
    if tls is not None and place.kind != "tls":
        refuse(f"a TLS context for {place}", where="tls", expected="tls://HOST:PORT", remedy="leave it out")
    if executor is not None and (place.kind != "embedded" or launch is not None or map is not None):
        refuse(
            f"an executor of this process, and {place if place.kind != 'embedded' else 'a program' if launch else 'a map'}",
            where="executor",
            expected="the executor alone: it has its own world, in this process",
            remedy="leave the other one out",
        )
    if launch is not None:
        if place.kind != "embedded":
            refuse(
                f"both an address ({place}) and a program to launch",
                where="launch",
                expected="one of them: a launched program says where it listens",
                remedy="leave the address out",
            )
        return Endpoint(place, launched=Launched(launch, token=token), allow_remote=allow_remote)
    if place.kind not in {"embedded", "java"}:
        if map is not None:
            refuse(
                f"a map for {place}",
                where="map",
                expected="a map only for 'embedded' and 'java': others have their own world",
                remedy="give the map to the executor",
            )
        check_near(place, allow_remote=allow_remote)
        return Endpoint(place, allow_remote=allow_remote, tls=tls)
    if place.kind == "java":
        from volition.execution.worlds.java import arena_command  # noqa: PLC0415  imported only if it is used

        return Endpoint(place, launched=Launched(arena_command(map=map, seed=seed, leash=True), token=token))
    if pace not in {"virtual", "real"}:
        refuse(f"a pace of {pace!r}", where="pace", expected="'virtual' or 'real'", remedy="leave it out")
    clock: Clock = ManualClock() if pace == "virtual" else SystemClock()
    from volition.execution.executor.host import Host  # noqa: PLC0415  imported only if it is used

    game = _make_arena(map, seed) if executor is None else executor
    return Endpoint(place, clock=clock, host=Host(game, now=clock.monotonic(), token=token, timing=timing))


def _make_arena(map: str | Path | ArenaMap | None, seed: int) -> Executor:
    from volition.execution.worlds.arena import Arena  # noqa: PLC0415  imported only if it is used
    from volition.execution.worlds.arena.executor import ArenaExecutor, find_map  # noqa: PLC0415

    ground = find_map(str(map or "courtyard")) if map is None or isinstance(map, str | Path) else map
    return ArenaExecutor(Arena(ground, seed=seed))


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
    from volition.execution.journal.journal import Journal  # noqa: PLC0415  imported only if it is used

    opened = Journal(journal, durable=durable, meta=meta)
    return opened, opened.close
