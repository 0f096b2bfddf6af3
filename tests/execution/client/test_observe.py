"""An observer sees what another bridge drives, and cannot interfere."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.execution.client.bridges import EAST, FLAVOURS, Flavour, Puppet, driving, eventually, served
from tests.execution.transports.stream_bridge import Toy
from tests.execution.wire.samples import WELCOME, lines, of
from tests.execution.worlds.java.jvm import arena
from volition.core.errors import InvalidInput
from volition.execution import Hold, Jump
from volition.execution.executor.contract import Occurred
from volition.execution.transports.address import parse_address
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import Cancel, ErrorFrame, GameEvent, IntentFrame, StateFrame, StateRequest, Welcome
from volition.execution.wire.session.handshake import FEATURES, OBSERVE, NotReady, Offer
from volition.execution.worlds.arena.ground import parse_map

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News

flavours = pytest.mark.parametrize("flavour", FLAVOURS)
CELL = parse_map("name: cell\n#####\n#@#&#\n#####")
"""Nobody disturbs the actor: a HOLD ends when its strength does, or with a STOP."""


class Noisy(Toy):
    """A game in which something happens at every jump."""

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        news = super().attempt(attempt)
        return [Occurred("jumped", id=attempt.id), *news] if attempt.intent.name == "JUMP" else news


@flavours
def test_an_observer_sees_and_does_not_disturb(flavour: Flavour, told: Told) -> None:
    """It comes and goes while another drives: it sees states, and events without the id of the driver's intent, it sends no
    STOP to the game, every intent is refused, and the driver's attempt continues."""
    game = Noisy(hz=20)
    with served(game) as at, driving("blocking", at) as driver:
        calls = [*game.calls]
        with driving(flavour, at, observe=True) as observer:
            for _ in range(2):
                with driving("blocking", at, observe=True) as other:
                    assert other.state is not None
            assert observer.refresh(60.0).full
            assert observer.next_state(60.0) is not None
            for wish in (Jump(), "STOP", "DANCE"):
                with told.raises(InvalidInput):
                    observer.execute(wish)
            with told.raises(InvalidInput):
                observer.execute_many([Jump()])
            assert game.calls == calls
            slow = driver.submit(EAST, deadline=60.0)
            driver.execute(Jump(), deadline=60.0)
            seen: list[tuple[str, int | None]] = []
            for _ in range(2000):
                observer.next_state(0.1)
                seen += [(event.name, event.id) for event in observer.events() if isinstance(event, GameEvent)]
                if seen:
                    break
            assert seen == [("jumped", None)]
            heard = [event for event in driver.events() if isinstance(event, GameEvent)]
            assert [(event.name, event.id is None) for event in heard] == [("jumped", False)]
        assert driver.wait(slow).status == "SUCCESS"
        assert driver.execute(Jump(), deadline=60.0).connection == 1
        assert "stopped" not in game.calls


@flavours
def test_an_observer_takes_no_seat(flavour: Flavour, told: Told) -> None:
    """Observers do not count as drivers: one driver is accepted next to them, a second one is not."""
    with (
        served(Toy()) as at,
        driving(flavour, at, observe=True),
        driving("blocking", at) as driver,
        driving(flavour, at, observe=True),
    ):
        assert driver.execute(Jump(), deadline=60.0).status == "SUCCESS"
        with told.raises(NotReady), driving(flavour, at):
            pass


@flavours
def test_an_executor_without_observers_says_so(flavour: Flavour, told: Told) -> None:
    """Where the welcome does not offer it, connecting as an observer fails clearly, and no intent has left."""
    heard: list[bytes] = []

    def play(connected: socket.socket) -> None:
        connected.recv(65536)
        connected.sendall(encode(msgspec.structs.replace(WELCOME, features=("events",))))
        while data := connected.recv(65536):
            heard.append(data)

    with (
        Puppet(play).running() as at,
        told.raises(NotReady),
        driving(flavour, at, observe=True),
    ):
        pass
    assert not of(IntentFrame, lines(b"".join(heard)))


def test_an_observers_intent_is_not_attempted() -> None:
    """An observer that sends an intent anyway gets an error, and the game is not affected."""
    game = Toy()
    with served(game) as at:
        (error,) = _refused(at, IntentFrame(id=2, intent="JUMP", ttl_ms=1000))
        assert (error.code, error.id) == ("out_of_order", 2)
        assert "an observer" in error.message
        with driving("blocking", at) as driver:
            driver.execute(Jump(), deadline=60.0)
        eventually(lambda: game.calls[-1] == "stopped")
    assert game.calls == ["STOP", "JUMP", "stopped", "stopped"]


@flavours
def test_a_java_executor_is_observed_too(flavour: Flavour, told: Told) -> None:
    """An observer of a JVM sees states and events; whatever other observers send and however they go, a HOLD of the
    driver is not stopped but lasts until the actor's strength ends; a second driver is turned away."""
    with (
        arena(map=CELL, hz=100) as cell,
        driving(flavour, cell, observe=True) as observer,
        driving("blocking", cell) as driver,
    ):
        assert observer.refresh(60.0).full
        assert driver.execute(Hold(), deadline=60.0).status == "SUCCESS"
        stop, cancel = IntentFrame(id=2, intent="STOP", ttl_ms=1000), Cancel(id=2)
        for rude in (stop, cancel):
            (error,) = _refused(cell, rude)
            assert (error.code, error.id) == ("out_of_order", 2)
            assert "an observer" in error.message
        with told.raises(NotReady), driving(flavour, cell):
            pass
        shown, seen = 0, []
        for _ in range(2000):
            shown += observer.next_state(0.1) is not None
            seen += [(event.name, event.data) for event in observer.events()]
            if seen:
                break
        assert seen == [("hold_ended", {"reason": "RESOURCE_EXHAUSTED"})]
        assert shown
        assert driver.execute("RELEASE", deadline=60.0).connection == 1


def _refused(at: str, rude: IntentFrame | Cancel) -> list[ErrorFrame]:
    """The errors that a client gets who observes and sends a driver's frame all the same; then it hangs up."""
    place, said = parse_address(at), b""
    with socket.create_connection((place.host, place.port)) as connected:
        hello = Offer(features=(*FEATURES, OBSERVE)).hello()
        connected.sendall(encode(hello) + encode(StateRequest(id=1, full=True)) + encode(rude))
        while not {Welcome, StateFrame, ErrorFrame} <= {type(frame) for frame in lines(said[: said.rfind(b"\n") + 1])}:
            data = connected.recv(65536)
            assert data, said
            said += data
    return of(ErrorFrame, lines(said[: said.rfind(b"\n") + 1]))
