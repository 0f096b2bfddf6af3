"""What only the asyncio bridge promises: tasks share it, a cancelled task gives its intent up, and no loop is blocked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.bridge.bridges import EAST, QUICK, Puppet, Relay, Stamping, eventually, served
from tests.execution.transports.talker import Toy
from volition.execution import Jump, Timing
from volition.execution.aio import connect
from volition.execution.bridge.bridging import BridgeClosed
from volition.execution.door.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from volition.execution.door.told import DoorEvent

LIVELY = Timing(handshake=60.0, idle=0.05, dead=60.0, grace=0.05, stop=60.0, opening=60.0)


@pytest.mark.req("EX-11")
def test_tasks_share_a_bridge() -> None:
    """Any number of tasks ask side by side, and each gets the outcome of its own intent."""

    async def play(at: str) -> list[tuple[int, Outcome]]:
        async with await connect(at) as bridge:

            async def ask(n: int) -> tuple[int, Outcome]:
                return n, await bridge.execute(QUICK[n % 2], agent=f"a-{n}", deadline=60.0)

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
        async with await connect(at) as bridge:
            ticket = await bridge.submit(EAST, deadline=60.0)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(bridge.wait(ticket), 0.02)
            return await bridge.wait(ticket)

    with served(Toy()) as at:
        assert asyncio.run(play(at)).status == "SUCCESS"


@pytest.mark.req("EX-15", "EX-16")
def test_the_loop_is_never_blocked() -> None:
    """While a bridge dials, greets and waits for an executor that is silent or gone, other tasks go on."""

    async def beside(waiting: Coroutine[Any, Any, Outcome]) -> tuple[Outcome, int]:
        """An outcome, and how many turns another task had while it was waited for."""
        task, turns = asyncio.create_task(waiting), 0
        while not task.done():
            await asyncio.sleep(0.001)
            turns += 1
        return await task, turns

    async def play(at: str) -> None:
        async with await connect(at, timing=LIVELY) as bridge:
            mute, turns = await beside(bridge.execute(Jump(), deadline=0.2))
            assert mute.label == "timeout"
            assert turns > 2
            await asyncio.to_thread(serving.__exit__, None, None, None)
            gone, turns = await beside(bridge.execute(Jump(), deadline=0.3))
            assert gone.status == "FAILURE"
            assert turns > 2

    serving = served(Toy(mute=True))
    asyncio.run(play(serving.__enter__()))


def test_one_timer_serves_all_deadlines() -> None:
    """Intents with deadlines of their own leave no timer each: the loop holds one for the bridge."""

    async def play(at: str) -> int:
        async with await connect(at) as bridge:
            for _ in range(200):
                await bridge.execute(Jump(), deadline=60.0)
            timers = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
            return sum(not timer.cancelled() for timer in timers)

    with served(Toy(hz=0)) as at:
        assert asyncio.run(play(at)) == 1


@pytest.mark.req("EX-16")
def test_an_idle_bridge_keeps_its_connection() -> None:
    """While its loop runs, heartbeats are answered though no task asks."""

    async def play(at: str) -> int:
        async with await connect(at, timing=LIVELY) as bridge:
            await asyncio.to_thread(eventually, lambda: relay.asked.count(b'"type":"pong"') >= 3)
            return (await bridge.execute(Jump(), deadline=60.0)).connection

    with served(Toy(hz=0), timing=LIVELY) as real:
        relay = Relay(real)
        with Puppet(relay).running() as at:
            assert asyncio.run(play(at)) == 1


def test_closing_ends_what_other_tasks_wait_for() -> None:
    """A task that waits when the bridge is closed gets its outcome; who only watches is told."""

    async def play(at: str) -> None:
        bridge = await connect(at)
        waiting = asyncio.create_task(bridge.execute(EAST, deadline=1000.0))
        watching = asyncio.create_task(bridge.next_state(1000.0))
        await asyncio.sleep(0.05)
        await bridge.close()
        assert (await waiting).label == "unknown"
        with pytest.raises(BridgeClosed):
            await watching

    game = Toy(hz=0)
    with served(game) as at:
        asyncio.run(play(at))
        eventually(lambda: game.calls[-1] == "stopped")
