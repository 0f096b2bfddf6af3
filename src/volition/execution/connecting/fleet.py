"""Many bodies, driven together: one call for all of them, one deadline, one journal, one summary.

All bodies live in one event loop in a separate thread, so heartbeats are answered while the caller is busy, and a slow
or dead body does not delay the others.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, cast

from volition.core.errors import Problem, VolitionError, format_value, refuse
from volition.execution.client.aio_bridge import AsyncBridge
from volition.execution.client.driver import bridge_closed, pair_with_parameters
from volition.execution.connecting.connect import prepare
from volition.execution.journal.journal import BodyJournal, Journal
from volition.execution.journal.summary import JournalSummary, summarise_journal
from volition.execution.wire.request import Numbers
from volition.execution.wire.session.handshake import HandshakeFailed

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator, Iterable
    from concurrent.futures import Future
    from ssl import SSLContext

    from volition.execution.client.driver import IntentLike
    from volition.execution.journal.journal import Durable
    from volition.execution.transports.address import Address
    from volition.execution.wire.frames import GameEvent, Progress, StateFrame, StateSchema, Welcome
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.request import Outcome
    from volition.execution.wire.session.link import Timing
    from volition.execution.worlds.arena import ArenaMap

T = TypeVar("T")


class Fleet:
    """Several executors, seen from the side that decides; `connect` makes one.

    Each body has its own bridge, with the usual guarantees: one outcome for every intent, lost connections are dialled
    again, and at most three retries. Tickets and connections are numbered across the whole fleet, so that one journal
    can tell the bodies apart. A failing journal closes the fleet.

    >>> with Fleet.connect({"ann": "embedded", "bob": "embedded"}, seed=7) as fleet:
    ...     outcomes = fleet.execute({"ann": ("MOVE", {"vector": [1, 0, 0]}), "bob": "JUMP"}, deadline=2.0)
    >>> {name: outcome.status for name, outcome in outcomes.items()}
    {'ann': 'SUCCESS', 'bob': 'SUCCESS'}
    """

    def __init__(
        self, bridges: Mapping[str, AsyncBridge], loop: _Loop, journal: Journal | None, *, owned: bool
    ) -> None:
        self._bridges, self._loop, self._journal, self._owned = dict(bridges), loop, journal, owned
        self._closed = False

    @classmethod
    def connect(
        cls,
        bodies: Mapping[str, str | Address] | Iterable[str | Address],
        *,
        journal: Journal | str | Path | None = None,
        durable: Durable | None = None,
        token: str | None = None,
        map: str | Path | ArenaMap | None = None,
        seed: int = 0,
        timing: Timing | None = None,
        strict: bool = True,
        schema: StateSchema | None = None,
        allow_remote: bool = False,
        tls: SSLContext | None = None,
    ) -> Fleet:
        """A fleet of the bodies at these addresses, all of them ready; HandshakeFailed names every one that is not.

        Addresses without names are named after themselves. The other arguments are those of `connect` for one body; the
        n-th body gets `seed` + n.
        """
        prepared = {
            name: prepare(
                address,
                token=token,
                map=map,
                seed=seed + number,
                timing=timing,
                strict=strict,
                schema=schema,
                allow_remote=allow_remote,
                tls=tls,
            )
            for number, (name, address) in enumerate(_name_bodies(bodies).items())
        }
        owned = isinstance(journal, str | Path)
        records = Journal(journal, durable=durable) if isinstance(journal, str | Path) else journal
        loop, numbers = _Loop(), Numbers()

        async def start() -> dict[str, AsyncBridge]:
            bridges: dict[str, AsyncBridge] = {}
            for name, (endpoint, options, close) in prepared.items():
                options["journal"] = None if records is None else BodyJournal(records, name)
                options["numbers"] = numbers
                bridges[name] = AsyncBridge(endpoint, **options)
                bridges[name].at_end(close)
            opened = await _gather({name: bridge.open() for name, bridge in bridges.items()})
            failures = {name: error for name, error in opened.items() if error is not None}
            if failures:
                await _gather({name: bridge.close() for name, bridge in bridges.items()})
                raise _combine_failures(failures)
            return bridges

        try:
            return cls(loop.run(start()), loop, records, owned=owned)
        except BaseException:
            loop.close()
            if owned and records is not None:
                records.close()
            raise

    # What is known without asking.

    @property
    def bodies(self) -> tuple[str, ...]:
        """The names of the bodies, in the order in which they were given."""
        return tuple(self._bridges)

    @property
    def states(self) -> dict[str, StateFrame | None]:
        """The newest state of each body; None for one without a connection."""
        return {name: bridge.state for name, bridge in self._bridges.items()}

    @property
    def welcomes(self) -> dict[str, Welcome | None]:
        """What each executor said of itself in its handshake; None for a body without a connection."""
        return {name: bridge.welcome for name, bridge in self._bridges.items()}

    @property
    def errors(self) -> dict[str, HandshakeFailed]:
        """Why the last connection attempt failed, for each body for which it did."""
        return {name: bridge.error for name, bridge in self._bridges.items() if bridge.error is not None}

    # Asking.

    def execute(self, intents: Mapping[str, IntentLike], *, deadline: float = 0.5) -> dict[str, Outcome]:
        """Send each named body its intent, all at once, and wait for the outcomes: for `deadline` seconds and the grace
        at the longest. A body without a connection is not waited for: its intent ends unsent."""
        return self._run(self._calls(intents, deadline))

    def execute_each(
        self, intents: Mapping[str, IntentLike], *, deadline: float = 0.5
    ) -> Generator[tuple[str, Outcome]]:
        """As `execute`, but each outcome comes as soon as it is known, with the name of its body. Whoever stops listening
        gives up the intents that are still open."""
        heard: SimpleQueue[tuple[str, Outcome | BaseException]] = SimpleQueue()

        async def hear(name: str, call: Coroutine[Any, Any, Outcome]) -> None:
            try:
                heard.put((name, await call))
            except Exception as error:  # noqa: BLE001  raised to whoever listens
                heard.put((name, error))

        calls = self._calls(intents, deadline)
        hearing = {name: hear(name, call) for name, call in calls.items()}
        self._check_open(calls, hearing)
        running = self._loop.start(_gather(hearing))
        try:
            for _ in calls:
                name, outcome = heard.get()
                if isinstance(outcome, BaseException):
                    raise outcome
                yield name, outcome
        finally:
            running.cancel()

    def refresh(self, timeout: float = 1.0, *, bodies: Iterable[str] | None = None) -> dict[str, StateFrame | None]:
        """Ask every body, or those named, for a full state and wait; None for one that gave none in time."""

        async def one(bridge: AsyncBridge) -> StateFrame | None:
            try:
                return await bridge.refresh(timeout)
            except HandshakeFailed:
                return None

        return self._run({name: one(self._bridges[name]) for name in self._check_names(bodies)})

    def next_states(self, timeout: float = 1.0, *, bodies: Iterable[str] | None = None) -> dict[str, StateFrame | None]:
        """Wait until every body, or those named, has a state that is newer than its last; None where none comes in time."""
        return self._run({name: self._bridges[name].next_state(timeout) for name in self._check_names(bodies)})

    def reset(self, seeds: Mapping[str, int], *, timeout: float = 5.0) -> dict[str, StateFrame | None]:
        """Begin a new episode in each named body, with its seed; None for one that gave no state in time."""

        async def one(bridge: AsyncBridge, seed: int) -> StateFrame | None:
            try:
                return await bridge.reset(seed, timeout=timeout)
            except HandshakeFailed:
                return None

        return self._run({name: one(self._bridges[name], seeds[name]) for name in self._check_names(seeds)})

    def events(self) -> dict[str, list[GameEvent | Progress]]:
        """What each game has told since the last call, oldest first."""
        return {name: bridge.events() for name, bridge in self._bridges.items()}

    def summary(self) -> JournalSummary:
        """What the journal says so far of all bodies, and of each."""
        if self._journal is None:
            refuse(
                "a fleet without a journal has no summary",
                where="summary",
                expected="a journal",
                remedy="connect it with journal=FOLDER",
            )
        if not self._closed:
            self._journal.flush()
        return summarise_journal(self._journal.path)

    def close(self) -> None:
        """Say goodbye to all bodies, and close a journal that was opened here; closing twice changes nothing.

        Where the journal's disk fails, this raises, and closing again goes on with the journal.
        """
        try:
            if not self._closed:
                self._run({name: bridge.close() for name, bridge in self._bridges.items()})
        finally:
            if not self._closed:
                self._closed = True
                self._loop.close()
            if self._owned and self._journal is not None:
                self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Fleet: {len(self._bridges)} bodies{', closed' * self._closed}>"

    def _calls(self, intents: Mapping[str, IntentLike], deadline: float) -> dict[str, Coroutine[Any, Any, Outcome]]:
        """What sends each body its intent, and waits for its outcome."""
        self._check_names(intents)
        asked = zip(intents, pair_with_parameters(intents.values()), strict=True)
        return {
            name: _execute(self._bridges[name], intent, parameters, deadline) for name, (intent, parameters) in asked
        }

    def _check_names(self, bodies: Iterable[str] | None) -> list[str]:
        """These names, or those of all bodies."""
        names = list(self._bridges if bodies is None else bodies)
        if unknown := [name for name in names if name not in self._bridges]:
            refuse(
                f"no body is named {format_value(unknown[0])}",
                where="bodies",
                expected=f"names among {', '.join(self._bridges)}",
                remedy="connect a fleet that has it",
            )
        return names

    def _check_open(self, *unused: Mapping[str, Coroutine[Any, Any, Any]]) -> None:
        if self._closed:
            for calls in unused:
                for call in calls.values():
                    call.close()
            raise bridge_closed("the fleet was closed")

    def _run(self, calls: dict[str, Coroutine[Any, Any, T]]) -> dict[str, T]:
        """What each of these calls returns; when all have ended, the error of the first that failed."""
        self._check_open(calls)
        outcomes = self._loop.run(_gather(calls))
        for each in outcomes.values():
            if isinstance(each, BaseException):
                raise each
        return cast("dict[str, T]", outcomes)


class _Loop:
    """An event loop in a separate thread."""

    def __init__(self) -> None:
        self._loop: Final = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="volition-fleet", daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin a coroutine; cancelling what this returns gives its intents up."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine; an interrupt of the wait cancels it, so that its intents are given up."""
        future = self.start(coroutine)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _execute(bridge: AsyncBridge, intent: AnyIntent | str, parameters: Any, deadline: float) -> Outcome:
    """Send a body its intent and wait for the outcome; without a connection, which is dialled meanwhile, it ends at once."""
    if bridge.state is not None:
        return await bridge.execute(intent, parameters, deadline=deadline)
    ticket = await bridge.submit(intent, parameters, deadline=deadline)
    await bridge.cancel(ticket, "it has no connection")
    return await bridge.wait(ticket)


async def _gather(calls: Mapping[str, Coroutine[Any, Any, T]]) -> dict[str, T | BaseException]:
    """What each of these calls returns, or the error that it raises."""
    return dict(zip(calls, await asyncio.gather(*calls.values(), return_exceptions=True), strict=True))


def _name_bodies(bodies: Mapping[str, str | Address] | Iterable[str | Address]) -> dict[str, str | Address]:
    if isinstance(bodies, Mapping):
        named = dict(bodies)
    else:
        named = {}
        for address in bodies:
            name, number = str(address), 1
            while name in named:
                number += 1
                name = f"{address}-{number}"
            named[name] = address
    if not named or not all(isinstance(name, str) and name for name in named):
        refuse(
            f"a fleet of {format_value(bodies)}",
            where="bodies",
            expected="addresses, or a dict from names to addresses; at least one",
            remedy='give it as in {"ann": "tcp://127.0.0.1:7777"}',
        )
    return named


def _combine_failures(failures: dict[str, BaseException]) -> BaseException:
    """One error for all bodies that could not be reached; its kind is theirs where it is the same."""
    problems: list[Problem] = []
    for name, error in failures.items():
        if not isinstance(error, HandshakeFailed):
            return error
        problems += [Problem(f"{name}: {each.what}", each.where, each.expected, each.remedy) for each in error.problems]
    kinds = {type(error) for error in failures.values()}
    kind: type[VolitionError] = kinds.pop() if len(kinds) == 1 else HandshakeFailed  # type: ignore[assignment]
    return kind(*problems)
