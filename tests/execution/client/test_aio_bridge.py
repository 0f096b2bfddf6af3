"""Guarantees of the asyncio bridge: tasks share it, a cancelled task cancels its intent, and the loop is never
blocked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.execution.client.bridges import (
    EAST,
    PATIENT,
    QUICK,
    Endless,
    Puppet,
    Relay,
    Stamping,
    eventually,
    served,
)
from tests.execution.transports.stream_bridge import Toy
from volition.execution import Jump
from volition.execution.client.driver import BridgeClosed
from volition.execution.connecting.aio import connect
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.handshake import NothingListening
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from volition.execution.door.events import DoorEvent

LIVELY = Timing(handshake=60.0, idle=0.05, dead=60.0, grace=0.05, stop=60.0, opening=60.0)


@pytest.mark.req("EX-11")
def test_tasks_share_a_bridge() -> None:
    """Any number of tasks send intents concurrently, and each gets the outcome of its own intent."""

    async def play(at: str) -> list[tuple[int, Outcome]]:
        async with await connect(at, timing=PATIENT) as bridge:

            async def ask(n: int) -> tuple[int, Outcome]:
                return n, await bridge.execute(QUICK[n % 2], agent=f"a-{n}", deadline=60.0)

            return await asyncio.gather(*(ask(n) for n in range(100)))

    with served(Stamping()) as at:
        for n, outcome in asyncio.run(play(at)):
            assert (outcome.sent, outcome.agent, outcome.status) == (QUICK[n % 2], f"a-{n}", "SUCCESS")
            assert outcome.result.metadata.engine_timestamp == outcome.id


def test_a_cancelled_task_gives_its_intent_up() -> None:
    """The executor is asked to cancel, the outcome is still recorded, and the bridge remains usable."""
    told: list[DoorEvent] = []

    class Noting:
        def tell(self, event: DoorEvent) -> None:
            told.append(event)

    async def play(at: str) -> None:
        async with await connect(at, journal=Noting(), timing=PATIENT) as bridge:
            waiting = asyncio.create_task(bridge.execute(EAST, deadline=1000.0))
            await asyncio.to_thread(eventually, lambda: "MOVE" in game.calls)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert (await bridge.execute(Jump(), deadline=60.0)).status == "SUCCESS"
            assert bridge._waiting == {}
            assert bridge._orphans == set()

    game = Toy(hz=0)
    with served(game) as at:
        asyncio.run(play(at))
    assert "cancel" in game.calls
    outcomes = [event for event in told if isinstance(event, Outcome) and event.sent == EAST]
    assert [outcome.status for outcome in outcomes] == ["PARTIAL"]


def test_a_wait_that_was_cut_short_can_be_repeated() -> None:
    """A ticket outlives the task that waited for it."""

    async def play(at: str) -> Outcome:
        async with await connect(at, timing=PATIENT) as bridge:
            ticket = await bridge.submit(EAST, deadline=600.0)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(bridge.wait(ticket), 0.02)
            game.may_end.set()
            return await bridge.wait(ticket)

    game = Endless()
    with served(game) as at:
        assert asyncio.run(play(at)).status == "SUCCESS"


@pytest.mark.req("EX-15", "EX-16")
def test_the_loop_is_never_blocked() -> None:
    """While a bridge waits for an executor that is silent or gone, or dials, other tasks keep running."""

    async def work_beside(waiting: asyncio.Task[Outcome]) -> None:
        for _ in range(50):
            await asyncio.sleep(0.001)
        assert not waiting.done()

    async def play(at: str) -> None:
        async with await connect(at, timing=LIVELY) as bridge:
            mute = asyncio.create_task(bridge.execute(Jump(), deadline=3600.0))
            await work_beside(mute)
            await asyncio.to_thread(serving.__exit__, None, None, None)
            assert (await mute).label == "unknown"
            unsent = asyncio.create_task(bridge.execute(Jump(), deadline=3600.0))
            while not isinstance(bridge.error, NothingListening):
                await work_beside(unsent)
            await work_beside(unsent)
            unsent.cancel()

    serving = served(Toy(mute=True))
    asyncio.run(play(serving.__enter__()))


def test_one_timer_serves_all_deadlines() -> None:
    """Intents with different deadlines share one timer of the loop."""

    async def play(at: str) -> int:
        async with await connect(at, timing=PATIENT) as bridge:
            for _ in range(200):
                await bridge.execute(Jump(), deadline=60.0)
            timers = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
            return sum(not timer.cancelled() for timer in timers)

    with served(Toy(hz=0)) as at:
        assert asyncio.run(play(at)) == 1


@pytest.mark.req("EX-16")
def test_an_idle_bridge_keeps_its_connection() -> None:
    """While its loop runs, heartbeats are answered even if no task sends anything."""

    async def play(at: str) -> int:
        async with await connect(at, timing=LIVELY) as bridge:
            await asyncio.to_thread(eventually, lambda: relay.asked.count(b'"type":"pong"') >= 3)
            return (await bridge.execute(Jump(), deadline=60.0)).connection

    with served(Toy(hz=0), timing=LIVELY) as real:
        relay = Relay(real)
        with Puppet(relay).running() as at:
            assert asyncio.run(play(at)) == 1


def test_closing_ends_what_other_tasks_wait_for() -> None:
    """A task that waits for an outcome when the bridge is closed gets one; a task that waits for a state gets an
    error."""

    async def play(at: str) -> None:
        bridge = await connect(at, timing=PATIENT)
        waiting = asyncio.create_task(bridge.execute(EAST, deadline=1000.0))
        watching = asyncio.create_task(bridge.next_state(1000.0))
        await asyncio.to_thread(eventually, lambda: "MOVE" in game.calls)
        await bridge.close()
        assert (await waiting).label == "unknown"
        with pytest.raises(BridgeClosed):
            await watching

    game = Toy(hz=0)
    with served(game) as at:
        asyncio.run(play(at))
        eventually(lambda: game.calls[-1] == "stopped")


def test_an_interrupt_within_the_rules_closes_the_bridge(monkeypatch: pytest.MonkeyPatch) -> None:
    """If it is unknown what was done, nothing more is done: the actor stops, and every later call is refused."""

    def strike(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    async def play(at: str) -> None:
        async with await connect(at, timing=PATIENT) as bridge:
            monkeypatch.setattr(bridge._door, "request", strike)
            with pytest.raises(KeyboardInterrupt):
                await bridge.execute(Jump(), deadline=60.0)
            with pytest.raises(BridgeClosed, match="interrupted"):
                await bridge.execute(Jump(), deadline=60.0)

    game = Toy()
    with served(game) as at:
        asyncio.run(play(at))
        eventually(lambda: game.calls[-1] == "stopped")
