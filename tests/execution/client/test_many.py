"""Many intents at once have one deadline, whatever the executor does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.client.bridges import EAST, FLAVOURS, Awaited, Flavour
from tests.execution.transports.stream_bridge import Toy
from volition.core.clock import ManualClock
from volition.core.errors import Problem
from volition.execution import Evade, Jump, Stop
from volition.execution.client.aio_bridge import AsyncBridge
from volition.execution.client.bridge import Bridge
from volition.execution.executor.host import Host
from volition.execution.transports.address import parse_address
from volition.execution.transports.endpoint import Endpoint
from volition.execution.wire.session.handshake import NothingListening
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.transports.stream import Stream
    from volition.execution.wire.intents import CanonicalIntent

TIMING = Timing(idle=50.0, dead=100.0, grace=0.25, stop=1.0)


class Mortal(Host):
    """A host that cannot be reached once it is `dead`."""

    dead = False

    def connect(self, clock: Any) -> Stream:
        self._answer()
        return super().connect(clock)

    def open(self, now: float) -> Any:
        self._answer()
        return super().open(now)

    def _answer(self) -> None:
        if self.dead:
            raise NothingListening(Problem("it is dead", "host", "a live one", "start it"))


@pytest.fixture(params=FLAVOURS)
def bridge(request: pytest.FixtureRequest) -> Iterator[tuple[Any, Mortal, Toy, ManualClock]]:
    """A bridge of either kind to a game in this process, on a clock that advances only while a call waits."""
    clock, game = ManualClock(), Toy(hz=0)
    host = Mortal(game, now=clock.monotonic(), timing=TIMING)
    flavour: Flavour = request.param
    if flavour == "blocking":
        with Bridge(lambda _: host.connect(clock), timing=TIMING, clock=clock, keep=False) as made:
            yield made, host, game, clock
        return
    with asyncio.Runner() as runner:

        async def start() -> AsyncBridge:
            made = AsyncBridge(Endpoint(parse_address("embedded"), clock=clock, host=host), timing=TIMING)
            await made.open()
            return made

        awaited = Awaited(runner, runner.run(start()))
        yield awaited, host, game, clock
        awaited.close()


@pytest.mark.req("EX-15")
@pytest.mark.parametrize("death", ["gone", "mute"])
def test_many_intents_have_one_deadline(bridge: tuple[Any, Mortal, Toy, ManualClock], death: str) -> None:
    """Twenty intents with a deadline of 0.5 s end after that and one grace at the latest, by the bridge's clock, each
    with its outcome in its place, whether the executor is gone or says nothing."""
    made, host, game, clock = bridge
    if death == "gone":
        host.dead = True
        host.close(clock.monotonic())
    else:
        game.mute = True
    began = clock.monotonic()
    some: list[CanonicalIntent] = [EAST, Jump(), Evade()]
    asked = some * 6 + some[:2]
    outcomes = made.execute_many(asked, deadline=0.5)
    assert clock.monotonic() - began <= 0.5 + TIMING.grace + 0.01
    assert [outcome.requested.intent for outcome in outcomes] == [intent.name for intent in asked]
    assert {outcome.status for outcome in outcomes} == {"FAILURE"}
    assert {outcome.label for outcome in outcomes} <= {"timeout", "unknown"}
    assert all(outcome.elapsed <= 0.76 for outcome in outcomes)


def test_many_that_fit_are_all_done(bridge: tuple[Any, Mortal, Toy, ManualClock]) -> None:
    """A window of eight is filled again and again within the one deadline, and no time is needed for it."""
    made, _, game, clock = bridge
    began = clock.monotonic()
    outcomes = made.execute_many([Jump()] * 50, deadline=0.5)
    assert {outcome.status for outcome in outcomes} == {"SUCCESS"}
    assert clock.monotonic() - began < 0.5
    assert game.calls.count("JUMP") == 50


def test_a_stop_among_many_is_sent_however_late(bridge: tuple[Any, Mortal, Toy, ManualClock]) -> None:
    """STOP does not expire: it is still sent after the deadline of the others."""
    made, _, game, _ = bridge
    game.mute = True
    before = game.calls.count("STOP")
    outcomes = made.execute_many([*[Jump()] * 9, Stop()], deadline=0.5)
    assert outcomes[-1].sent == Stop()
    assert game.calls.count("STOP") > before
