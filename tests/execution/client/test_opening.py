"""connect always ends: with executors that send partial states while still stopping, and with ones that hang."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from tests.execution.client.bridges import FLAVOURS, PATIENT, Flavour, Puppet, driving
from tests.execution.wire.samples import WELCOME, answer, lines, state
from tests.execution.worlds.java.jvm import game
from volition.execution import Jump
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import Hello, IntentFrame, StateRequest
from volition.execution.wire.session.handshake import NotReady

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

flavours = pytest.mark.parametrize("flavour", FLAVOURS)


def scripted(stopped: Callable[[int], bytes], *, full: bool = True) -> Puppet:
    """An executor that answers each frame with fixed lines, and pushes a partial state after each of them."""

    def play(connected: socket.socket) -> None:
        seq, rest = 0, b""
        while data := connected.recv(65536):
            *whole, rest = (rest + data).split(b"\n")
            for frame in [decoded for line in whole for decoded in lines(line)]:
                seq += 2
                if isinstance(frame, Hello):
                    connected.sendall(encode(WELCOME))
                    continue
                if isinstance(frame, StateRequest) and full:
                    connected.sendall(encode(state(seq, id=frame.id)))
                elif isinstance(frame, IntentFrame) and frame.intent == "STOP":
                    connected.sendall(stopped(frame.id))
                elif isinstance(frame, IntentFrame):
                    connected.sendall(answer(frame.id, frame.intent))
                connected.sendall(encode(state(seq + 1, full=False)))

    return Puppet(play)


@pytest.mark.req("EX-20")
@flavours
def test_half_states_do_not_undo_the_full_one(flavour: Flavour) -> None:
    """An executor that pushes states with `full: false` during the opening, and answers STOP with one, is connected to."""
    braking = scripted(lambda id: encode(state(90, full=False)) + answer(id, next_state=state(91, full=False)))
    with braking.running() as at, driving(flavour, at) as bridge:
        assert bridge.execute(Jump(), deadline=60.0).status == "SUCCESS"


@pytest.mark.req("EX-20")
@flavours
@pytest.mark.parametrize(
    ("executor", "missing"),
    [
        (scripted(lambda id: b""), "the full state was answered, STOP was not"),
        (scripted(answer, full=False), "STOP was answered, the full state was not"),
    ],
)
def test_connecting_ends_and_says_what_is_missing(flavour: Flavour, executor: Puppet, missing: str) -> None:
    """If the opening is not answered, connect raises, and names what is missing."""
    executor = Puppet(executor.play)
    timing = replace(PATIENT, opening=0.5, stop=0.2)
    # On a busy machine even the answers may come too late; the exact words are tested with the session, in virtual time.
    missing = f"{missing}|neither the full state nor STOP was answered"
    with executor.running() as at, pytest.raises(NotReady, match=missing), driving(flavour, at, timing=timing):
        pass


@pytest.mark.req("EX-20", "EX-14")
@flavours
def test_a_java_hero_that_brakes_is_connected_to(flavour: Flavour) -> None:
    """A game on the Java library whose STOP takes three ticks, and that pushes every tick, can be driven."""
    hero = game(Path(__file__).parent / "braking/BrakingHero.java")
    with driving(flavour, "embedded", launch=hero) as bridge:
        assert bridge.execute(Jump(), deadline=60.0).status == "SUCCESS"
        assert bridge.execute("STOP", deadline=60.0).status == "SUCCESS"


@pytest.mark.req("EX-20")
@flavours
def test_noise_without_end_does_not_prolong_the_opening(flavour: Flavour) -> None:
    """An executor that sends endless pushes after the welcome, and answers nothing, is given up in time."""

    def play(connected: socket.socket) -> None:
        connected.recv(65536)
        connected.sendall(encode(WELCOME))
        for seq in range(1, 10**6):
            connected.sendall(encode(state(seq, full=False)))
            time.sleep(0.01)

    timing = replace(PATIENT, opening=0.3)
    with Puppet(play).running() as at, pytest.raises(NotReady, match="neither"), driving(flavour, at, timing=timing):
        pass
