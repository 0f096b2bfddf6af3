"""How an executor is reached, worked out once from what `connect` was given; both bridges start from it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from volition.core.clock import ManualClock, SystemClock
from volition.core.errors import refuse
from volition.execution.bridge.launch import Launched
from volition.execution.transports import Address, check_near, dial, parse_address

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.core.clock import Clock
    from volition.execution.arena import ArenaMap
    from volition.execution.bridge.bridging import Records
    from volition.execution.executor.host import Host
    from volition.execution.session.link import Timing
    from volition.execution.transports import Stream

Pace: TypeAlias = Literal["virtual", "real"]
"""Whether an embedded arena's time moves only while somebody waits, or with the clock on the wall."""


@dataclass(frozen=True, slots=True)
class Way:
    """A host in this process, or a program to launch, or an address."""

    address: Address
    clock: Clock = field(default_factory=SystemClock)
    host: Host | None = None
    launched: Launched | None = None
    allow_remote: bool = False

    def place(self, timeout: float) -> Address:
        """Where to dial; a program that is launched says so itself, within `timeout` seconds."""
        if self.launched is None:
            return self.address
        address = self.launched.address(timeout)
        check_near(address, allow_remote=self.allow_remote)
        return address

    def dial(self, timeout: float) -> Stream:
        """A connection, blocking; HandshakeFailed where there is none within `timeout` seconds."""
        if self.host is not None:
            return self.host.connect(self.clock)
        until = time.monotonic() + timeout
        place = self.place(timeout)
        left = max(0.01, until - time.monotonic())
        return dial(place, timeout=left, allow_remote=self.allow_remote)

    def end(self) -> None:
        """End what was launched for this way."""
        if self.launched is not None:
            self.launched.end()


def way_to(
    address: str | Address,
    *,
    map: str | Path | ArenaMap | None,
    seed: int,
    token: str | None,
    timing: Timing | None,
    allow_remote: bool,
    launch: str | Sequence[str] | None,
    pace: Pace,
) -> Way:
    """The way to an address; InvalidInput where the arguments do not go together."""
    place = parse_address(address)
    if launch is not None:
        if place.kind != "embedded":
            refuse(
                f"both an address ({place}) and a program to launch",
                where="launch",
                expected="one of them: a launched program says where it listens",
                remedy="leave the address out",
            )
        return Way(place, launched=Launched(launch, token=token), allow_remote=allow_remote)
    if place.kind not in {"embedded", "java"}:
        if map is not None:
            refuse(
                f"a map for {place}",
                where="map",
                expected="a map only for 'embedded' and 'java': others have their own world",
                remedy="give the map to the executor",
            )
        check_near(place, allow_remote=allow_remote)
        return Way(place, allow_remote=allow_remote)
    if place.kind == "java":
        return Way(place, launched=Launched(_java(map, seed), token=token))
    if pace not in {"virtual", "real"}:
        refuse(f"a pace of {pace!r}", where="pace", expected="'virtual' or 'real'", remedy="leave it out")
    clock: Clock = ManualClock() if pace == "virtual" else SystemClock()
    return Way(place, clock=clock, host=_embedded(map, seed, token, timing, clock))


def _embedded(
    map: str | Path | ArenaMap | None, seed: int, token: str | None, timing: Timing | None, clock: Clock
) -> Host:
    from volition.execution.arena import Arena  # noqa: PLC0415  only who plays in it pays for it
    from volition.execution.executor.arena_executor import ArenaExecutor, find_map  # noqa: PLC0415
    from volition.execution.executor.host import Host  # noqa: PLC0415

    ground = find_map(str(map or "courtyard")) if map is None or isinstance(map, str | Path) else map
    return Host(ArenaExecutor(Arena(ground, seed=seed)), now=clock.monotonic(), token=token, timing=timing)


def _java(map: str | Path | ArenaMap | None, seed: int) -> Sequence[str]:
    from volition.execution.executor.java import arena_command  # noqa: PLC0415  a JDK is looked for only where it is needed

    return arena_command(map=map, seed=seed, leash=True)


def open_journal(
    journal: Records | str | Path | None, meta: dict[str, Any] | None = None
) -> tuple[Records | None, Callable[[], Any]]:
    """A journal to tell, and what closes it: one that the caller has opened stays open, and says what it says."""
    if journal is None or not isinstance(journal, str | Path):
        return journal, lambda: None
    from volition.execution.journal import Journal  # noqa: PLC0415  only who records pays for it

    opened = Journal(journal, meta=meta)
    return opened, opened.close
