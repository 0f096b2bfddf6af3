"""Heartbeat, dead-man stop and goodbye: a silent side is gone, and an actor without a bridge stands still."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.execution.conformance.connection import ANSWER, Leaving
from volition.execution.conformance.law import Group, expect, expect_errors, expect_standstill, in_time
from volition.execution.conformance.open_moves import TRIES, open_moves
from volition.execution.conformance.verdict import Breaks, NotApplicable, TooLate, Unseen

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame


HEARTBEAT: Final = Group("heartbeat")
DEAD_MAN: Final = Group("dead_man")
GOODBYE: Final = Group("goodbye")

_IDLE: Final = 1.0
_DEAD: Final = 3.0
_MARGIN: Final = 1.0
_BAD_AT: Final = 1.5
_HALF_AT: Final = 2.0
_REFUSED: Final = 0.9
"""How long the kit is silent between two frames that are refused."""


@HEARTBEAT.law("Heartbeat")
def pong(bed: TestBed) -> None:
    """A ping is answered by one pong with the same n."""
    connection = bed.session()
    since = len(connection.heard)
    numbers = [0, 1, 2**53 - 1, 41]
    connection.say(*({"type": "ping", "n": n} for n in numbers))
    connection.await_frame("pong", since=since, n=41)
    echoed = [frame.get("n") for frame in connection.frames("pong", since=since)]
    expect(echoed == numbers, f"pongs {echoed}", f"pongs {numbers}")


@HEARTBEAT.law("Heartbeat")
def unasked_pong(bed: TestBed) -> None:
    """An unsolicited pong has no effect and is not answered."""
    connection = bed.session()
    expect_errors(connection, connection.exchange({"type": "pong", "n": 12345}))


@HEARTBEAT.law("Heartbeat")
def tick_grows(bed: TestBed) -> None:
    """In a world with a tick rate, the tick in pongs grows."""
    connection = bed.session()
    first, last = bed.watch_tick(connection, lambda: _ping(connection, 61).get("tick"))
    expect(isinstance(first, int) and isinstance(last, int), f"ticks {first} and {last}", "the tick in every pong")
    in_time(last > first, f"tick {first}, then {last}, over {ANSWER:g} s", "a tick that grows")


@HEARTBEAT.law("Heartbeat")
def open_ids(bed: TestBed) -> None:
    """A pong lists the open intents, and no others."""
    for connection, id in open_moves(bed):
        during = _ping(connection, 71)
        done = id in connection.results
        connection.do("STOP")
        after = _ping(connection, 72)
        expect(done or during.get("open") == [id], f"open {during.get('open')}", f"open [{id}]")
        expect(not after.get("open"), f"open {after.get('open')}", "nothing open")
        if not done:
            return


@HEARTBEAT.law("Heartbeat")
def refused_is_life(bed: TestBed) -> None:
    """A frame that is refused is a sign of life like any other."""
    connection = bed.open_session()
    connection.polite = False
    until = connection.now + _DEAD
    while connection.now <= until and not connection.wait_for_end(_REFUSED, due=False):
        connection.say({"type": "cancel", "id": 2**50})
    in_time(not connection.ended, "a bridge that sent frames was given up", "a session that continues")
    connection.state()


class Silence(Struct, frozen=True):
    """What the executor did while the bridge sent no frame, only a bad line and half of one, in seconds since the last."""

    pings: tuple[float, ...]
    ended: float | None
    holding: bool
    """Whether the actor was holding when the silence began."""


def fall_silent(bed: TestBed) -> Silence:
    """Fall silent during a HOLD, and write a bad line and half a line meanwhile."""
    connection = bed.open_session()
    holding = bed.supports("HOLD") and _hold(bed, connection)
    connection.polite = False
    # Before the last line: without a core the kit may continue only long after it.
    began, first = connection.now, len(connection.heard)
    connection.say({"type": "pong", "n": 0})
    over = connection.wait_for_end(_BAD_AT, due=False)
    if not over:
        connection.write(b"?\n")
        over = connection.wait_for_end(_HALF_AT - _BAD_AT, due=False)
    if not over:
        connection.write(b'{"v":1,"type":"ping",')
        over = connection.wait_for_end(_DEAD + _MARGIN - _HALF_AT, due=False)
    pings = tuple(
        logged.at - began for logged in connection.heard[first:] if logged.data and logged.data.get("type") == "ping"
    )
    return Silence(pings, connection.now - began if over else None, holding)


def _hold(bed: TestBed, connection: KitConnection) -> bool:
    """Begin a HOLD: whether the actor is seen to hold. What else happens in the world may prevent it for a while."""
    for _ in range(TRIES):
        bed.rest(connection)
        connection.do("HOLD")
        if bed.probe is None:
            break
        if bed.see(connection).holding:
            return True
    return False


@HEARTBEAT.law("Heartbeat")
def pings_when_idle(bed: TestBed) -> None:
    """After each second without a frame of the bridge the executor pings, whatever it sends itself."""
    silence = bed.once(fall_silent)
    early = [f"{at:.2f}" for at in silence.pings]
    fits = bool(silence.pings) and _IDLE - 0.25 <= silence.pings[0] <= _IDLE + _MARGIN
    in_time(fits, f"pings after {early} s", f"the first ping after {_IDLE:g} s")
    again = len(silence.pings) > 1 or (silence.ended is not None and silence.ended < _DEAD - 0.25)
    in_time(again, f"one ping, after {early} s", f"another one after each further {_IDLE:g} s")


@HEARTBEAT.law("Heartbeat")
def silence_is_death(bed: TestBed) -> None:
    """A bridge that sends no frame for 3 s is given up, and not earlier; a bad line and half a line do not count."""
    silence = bed.once(fall_silent)
    if silence.ended is None:
        in_time(False, f"the session continues after {_DEAD + _MARGIN:g} s", f"the end after {_DEAD:g} s")
    else:
        in_time(silence.ended >= _DEAD - 0.25, f"given up after {silence.ended:.2f} s", f"{_DEAD:g} s of patience")


@DEAD_MAN.law("Heartbeat")
def after_silence(bed: TestBed) -> None:
    """An actor whose bridge fell silent no longer holds."""
    bed.need_shared()
    bed.need_probe()
    silence = bed.once(fall_silent)
    if not silence.holding:
        raise NotApplicable("no HOLD was visible")
    sight = bed.see(bed.begin_session())
    expect(not sight.holding, "the actor still holds in the next session's first state", "an actor at rest")


@GOODBYE.law("Errors and the end")
def ends(bed: TestBed) -> None:
    """After a goodbye the session is over: nothing is answered, and the connection is closed."""
    connection = bed.open_session()
    since = len(connection.heard)
    request = connection.state_request()
    connection.say({"type": "goodbye", "reason": "done"}, request)
    ended = connection.wait_for_end(ANSWER)
    expect(not connection.frames("state", since=since, id=request["id"]), "an answer after the goodbye", "no answer")
    in_time(ended, "the connection stays", "the end of the connection")


@GOODBYE.law("Errors and the end")
def before_hello(bed: TestBed) -> None:
    """A goodbye counts before the greeting too."""
    connection = bed.connect()
    connection.say({"type": "goodbye"})
    in_time(connection.wait_for_end(ANSWER), "the connection stays", "the end of the connection")


def _ping(connection: KitConnection, n: int) -> Frame:
    connection.say({"type": "ping", "n": n})
    try:
        return connection.await_frame("pong", n=n)
    except TooLate as error:
        raise Unseen("no ping was answered in time") from error
    except Breaks as error:
        raise NotApplicable("pings are not answered") from error


def _expect_left_still(how: Leaving, bed: TestBed) -> None:
    bed.need_shared()
    bed.need_probe()
    connection, _ = next(open_moves(bed, own=True))
    connection.leave(how)
    after = bed.begin_session()
    expect_standstill(bed, after)


_LEAVING: Final[tuple[tuple[str, Leaving, str], ...]] = (
    ("after_the_end", "hung up", "hung up"),
    ("after_goodbye", "goodbye", "said goodbye"),
    ("after_torn_line", "torn", "went in the middle of a line"),
)
for _name, _how, _words in _LEAVING:
    _law = f"An actor whose bridge {_words} does not move in the next session's first states."
    DEAD_MAN.add(_name, _law, "Heartbeat", partial(_expect_left_still, _how))
