"""What only the asyncio bridge promises: tasks share it, a cancelled task gives its intent up, and no loop is blocked."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from tests.execution.bridge.bridges import EAST, QUICK, Stamping, eventually, served
from tests.execution.transports.talker import Toy
from volition.execution import Jump, Timing
from volition.execution.aio import connect
from volition.execution.bridge.bridging import BridgeClosed
from volition.execution.door.outcome import Outcome

if TYPE_CHECKING:
    from volition.execution.door.told import DoorEvent

BRIEF = Timing(handshake=0.4, idle=0.1, dead=0.4, grace=0.05, stop=0.3)


@pytest.mark.req("EX-11")
def test_tasks_share_a_bridge() -> None:
    """Any number of tasks ask side by side, and each gets the outcome of its own intent."""

    async def play(at: str) -> list[tuple[int, Outcome]]:
        async with await connect(at) as bridge:

            async def ask(n: int) -> tuple[int, Outcome]:
                return n, await bridge.execute(QUICK[n % 2], agent=f"a-{n}", deadline=5.0)

            return await asyncio.gather(*(ask(n) for n in range(100)))

    with served(Stamping()) as at:
        for n, outcome in asyncio.run(play(at)):
            assert (outcome.sent, outcome.requested.agent, outcome.status) == (QUICK[n % 2], f"a-{n}", "SUCCESS")
            assert outcome.result.metadata.engine_timestamp == outcome.id


def test_a_cancelled_task_gives_its_intent_up() -> None:
    """The executor is asked to cancel, the outcome is recorded when it comes, and the bridge goes on."""
    told: list[DoorEvent] = []

    class Noting:
        def tell(self, event: DoorEvent) -> None:
            told.append(event)

    async def play(at: str) -> None:
        async with await connect(at, journal=Noting()) as bridge:
            waiting = asyncio.create_task(bridge.execute(EAST, deadline=30.0))
            await asyncio.to_thread(eventually, lambda: "MOVE" in game.calls)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert (await bridge.execute(Jump())).status == "SUCCESS"
            assert bridge._waiting == {}
            assert bridge._orphans == set()

    game = Toy(hz=0.1)
    with served(game) as at:
        asyncio.run(play(at))
    assert "cancel" in game.calls
    outcomes = [event for event in told if isinstance(event, Outcome) and event.sent == EAST]
    assert [outcome.status for outcome in outcomes] == ["PARTIAL"]


def test_a_wait_that_was_cut_short_can_be_repeated() -> None:
    """A ticket outlives the task that waited for it."""

    async def play(at: str) -> Outcome:
        async with await connect(at) as bridge:
            ticket = await bridge.submit(EAST, deadline=5.0)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(bridge.wait(ticket), 0.02)
            return await bridge.wait(ticket)

    with served(Toy()) as at:
        assert asyncio.run(play(at)).status == "SUCCESS"


@pytest.mark.req("EX-15", "EX-16")
def test_the_loop_is_never_blocked() -> None:
    """While a bridge dials, greets and waits for an executor that is silent or gone, other tasks go on."""

    async def play(at: str) -> float:
        longest = 0.0

        async def watch() -> None:
            nonlocal longest
            last = time.monotonic()
            while True:
                await asyncio.sleep(0.005)
                now = time.monotonic()
                longest, last = max(longest, now - last), now

        watching = asyncio.create_task(watch())
        async with await connect(at, timing=BRIEF) as bridge:
            assert (await bridge.execute(Jump(), deadline=0.1)).label == "timeout"
            serving.__exit__(None, None, None)
            assert (await bridge.execute(Jump(), deadline=0.3)).status == "FAILURE"
        watching.cancel()
        return longest

    serving = served(Toy(mute=True))
    assert asyncio.run(play(serving.__enter__())) < 0.25


def test_one_timer_serves_all_deadlines() -> None:
    """Intents with deadlines of their own leave no timer each: the loop holds one for the bridge."""

    async def play(at: str) -> int:
        async with await connect(at) as bridge:
            for _ in range(200):
                await bridge.execute(Jump())
            timers = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
            return sum(not timer.cancelled() for timer in timers)

    with served(Toy(hz=0)) as at:
        assert asyncio.run(play(at)) == 1


@pytest.mark.req("EX-16")
def test_an_idle_bridge_keeps_its_connection() -> None:
    """While its loop runs, heartbeats are answered though no task asks."""

    async def play(at: str) -> int:
        async with await connect(at, timing=BRIEF) as bridge:
            await asyncio.sleep(2.5 * BRIEF.dead)
            return (await bridge.execute(Jump())).connection

    with served(Toy(hz=0), timing=BRIEF) as at:
        assert asyncio.run(play(at)) == 1


def test_closing_ends_what_other_tasks_wait_for() -> None:
    """A task that waits when the bridge is closed gets its outcome at once; who only watches is told."""

    async def play(at: str) -> None:
        bridge = await connect(at)
        waiting = asyncio.create_task(bridge.execute(EAST, deadline=30.0))
        watching = asyncio.create_task(bridge.next_state(30.0))
        await asyncio.sleep(0.05)
        await bridge.close()
        assert (await asyncio.wait_for(waiting, 1.0)).label == "unknown"
        with pytest.raises(BridgeClosed):
            await asyncio.wait_for(watching, 1.0)

    game = Toy(hz=0.1)
    with served(game) as at:
        asyncio.run(play(at))
        eventually(lambda: game.calls[-1] == "stopped")
