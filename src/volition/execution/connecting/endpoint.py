"""From an address and its options to the endpoint that a bridge dials: here the shipped worlds have their names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from volition.core.clock import ManualClock, SystemClock
from volition.core.errors import refuse
from volition.execution.client.endpoint import Endpoint
from volition.execution.client.launch import Launched
from volition.execution.transports import Address, check_near, parse_address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ssl import SSLContext

    from volition.core.clock import Clock
    from volition.execution.executor.host import Host
    from volition.execution.wire.session.link import Timing
    from volition.execution.worlds.arena import ArenaMap

Pace: TypeAlias = Literal["virtual", "real"]
"""Whether an embedded arena's time advances only while a call waits, or in real time."""


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
) -> Endpoint:
    """The endpoint at an address; InvalidInput where the arguments contradict each other."""
    place = parse_address(address)
    if tls is not None and place.kind != "tls":
        refuse(f"a TLS context for {place}", where="tls", expected="tls://HOST:PORT", remedy="leave it out")
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
    return Endpoint(place, clock=clock, host=_make_arena_host(map, seed, token, timing, clock))


def _make_arena_host(
    map: str | Path | ArenaMap | None, seed: int, token: str | None, timing: Timing | None, clock: Clock
) -> Host:
    from volition.execution.executor.host import Host  # noqa: PLC0415
    from volition.execution.worlds.arena import Arena  # noqa: PLC0415  imported only if it is used
    from volition.execution.worlds.arena.executor import ArenaExecutor, find_map  # noqa: PLC0415

    ground = find_map(str(map or "courtyard")) if map is None or isinstance(map, str | Path) else map
    return Host(ArenaExecutor(Arena(ground, seed=seed)), now=clock.monotonic(), token=token, timing=timing)
