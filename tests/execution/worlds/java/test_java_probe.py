"""The probe of the Java arena: off by default, and exactly what the kit's own probe reads in the same state."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.execution.wire.samples import lines
from tests.execution.worlds.java.jvm import arena
from volition.execution.transports.endpoint import dial
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import (
    ErrorFrame,
    Frame,
    IntentFrame,
    Ping,
    ProbeRead,
    ProbeSight,
    StateFrame,
    StateRequest,
    Welcome,
)
from volition.execution.wire.session.handshake import Offer
from volition.execution.worlds.arena.probe import probe_sight

if TYPE_CHECKING:
    from volition.execution.transports.stream import Stream

WISHES = ("PRIMARY_ATTACK", "EVADE", "MOVE", "MOVE", "MOVE", "HOLD", "RELEASE", "JUMP", "STOP")
ASKS = Offer(features=("probe",)).hello()


class Line:
    """A raw connection on which nothing but answers arrives, and pings on a slow machine."""

    def __init__(self, stream: Stream) -> None:
        self.stream, self.rest = stream, b""

    def ask(self, *frames: Frame) -> list[Frame]:
        """Send frames in one write, and wait for as many."""
        self.stream.send(b"".join(map(encode, frames)))
        heard: list[Frame] = []
        while len(heard) < len(frames):
            data = self.stream.receive(30.0)
            assert data, heard
            whole, end, self.rest = (self.rest + data).rpartition(b"\n")
            heard += [frame for frame in lines(whole + end) if not isinstance(frame, Ping)]
        return heard


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("map_", ["courtyard", "foundry"])
def test_both_arenas_see_alike(map_: str) -> None:
    """Wherever chance leads the actor, the engine's own answer in Java is what Python reads in the state beside it."""
    chance = random.Random(map_)
    compared: list[ProbeSight] = []
    with arena(busy=True, map=map_, hz=200, probe=True) as address:
        line = Line(dial(address))
        (welcome,) = line.ask(ASKS)
        assert isinstance(welcome, Welcome)
        assert welcome.features == ("probe",)
        id = 0
        while len(compared) < 120:
            wish = chance.choice(WISHES)
            vector = {"vector": [chance.randint(-3, 3), chance.randint(-3, 3), 0]} if wish == "MOVE" else {}
            intent = IntentFrame(id=id + 1, intent=wish, ttl_ms=chance.choice([20, 100]), parameters=vector)
            line.ask(intent)
            id += 4
            before, sight, after = line.ask(
                StateRequest(id=id - 2, full=True), ProbeRead(id=id - 1), StateRequest(id=id, full=True)
            )
            assert isinstance(before, StateFrame)
            assert isinstance(sight, ProbeSight)
            assert isinstance(after, StateFrame)
            # A write may be read in two turns, with a tick between them.
            if before.tick == after.tick:
                assert sight == probe_sight(sight.id, before.data)
                compared.append(sight)
        line.stream.close()
    assert {sight.sight["grounded"] for sight in compared} == {True, False}
    assert {sight.sight["holding"] for sight in compared} == {True, False}
    assert len({tuple(sight.sight["place"]) for sight in compared}) > 20


def test_it_is_off_by_default() -> None:
    """Without the option the arena does not offer the feature, and answers a probe with an error."""
    with arena() as address:
        line = Line(dial(address))
        welcome, refused = line.ask(ASKS, ProbeRead(id=1))
        assert isinstance(welcome, Welcome)
        assert welcome.features == ()
        assert isinstance(refused, ErrorFrame)
        assert (refused.code, refused.id) == ("out_of_order", 1)
        line.stream.close()
