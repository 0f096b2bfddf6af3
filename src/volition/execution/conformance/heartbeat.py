"""Heartbeat, dead-man stop and goodbye: a silent side is gone, and an actor without a bridge stands still."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from volition.execution.conformance.bench import expect, expect_errors, in_time
from volition.execution.conformance.lasting import TRIES, open_moves
from volition.execution.conformance.law import Group
from volition.execution.conformance.talk import ANSWER, Leaving
from volition.execution.conformance.verdict import Breaks, NotApplicable, TooLate, Unseen

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame
    from volition.execution.conformance.talk import Talk

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
def pong(bench: Bench) -> None:
    """A ping is answered by one pong with the same n."""
    talk = bench.session()
    since = len(talk.heard)
    numbers = [0, 1, 2**53 - 1, 41]
    talk.say(*({"type": "ping", "n": n} for n in numbers))
    talk.await_frame("pong", since=since, n=41)
    echoed = [frame.get("n") for frame in talk.frames("pong", since=since)]
    expect(echoed == numbers, f"pongs {echoed}", f"pongs {numbers}")


@HEARTBEAT.law("Heartbeat")
def unasked_pong(bench: Bench) -> None:
    """An unsolicited pong has no effect and is not answered."""
    talk = bench.session()
    expect_errors(talk, talk.exchange({"type": "pong", "n": 12345}))


@HEARTBEAT.law("Heartbeat")
def tick_grows(bench: Bench) -> None:
    """In a world with a tick rate, the tick in pongs grows."""
    talk = bench.session()
    first, last = bench.watch_tick(talk, lambda: _ping(talk, 61).get("tick"))
    expect(isinstance(first, int) and isinstance(last, int), f"ticks {first} and {last}", "the tick in every pong")
    in_time(last > first, f"tick {first}, then {last}, over {ANSWER:g} s", "a tick that grows")


@HEARTBEAT.law("Heartbeat")
def open_ids(bench: Bench) -> None:
    """A pong lists the open intents, and no others."""
    for talk, id in open_moves(bench):
        during = _ping(talk, 71)
        done = id in talk.results
        talk.do("STOP")
        after = _ping(talk, 72)
        expect(done or during.get("open") == [id], f"open {during.get('open')}", f"open [{id}]")
        expect(not after.get("open"), f"open {after.get('open')}", "nothing open")
        if not done:
            return


@HEARTBEAT.law("Heartbeat")
def refused_is_life(bench: Bench) -> None:
    """A frame that is refused is a sign of life like any other."""
    talk = bench.open_session()
    talk.polite = False
    until = talk.now + _DEAD
    while talk.now <= until and not talk.wait_for_end(_REFUSED):
        talk.say({"type": "cancel", "id": 2**50})
    in_time(not talk.ended, "a bridge that sent frames was given up", "a session that continues")
    talk.state()


@dataclass(frozen=True, slots=True)
class Silence:
    """What the executor did while the bridge sent no frame, only a bad line and half of one, in seconds since the last."""

    pings: tuple[float, ...]
    ended: float | None
    holding: bool
    """Whether the actor was holding when the silence began."""


def fall_silent(bench: Bench) -> Silence:
    """Fall silent during a HOLD, and write a bad line and half a line meanwhile."""
    talk = bench.open_session()
    holding = bench.supports("HOLD") and _hold(bench, talk)
    talk.polite = False
    # Before the last line: without a core the kit may continue only long after it.
    began, first = talk.now, len(talk.heard)
    talk.say({"type": "pong", "n": 0})
    over = talk.wait_for_end(_BAD_AT, due=False)
    if not over:
        talk.write(b"?\n")
        over = talk.wait_for_end(_HALF_AT - _BAD_AT, due=False)
    if not over:
        talk.write(b'{"v":1,"type":"ping",')
        over = talk.wait_for_end(_DEAD + _MARGIN - _HALF_AT, due=False)
    pings = tuple(
        spoken.at - began for spoken in talk.heard[first:] if spoken.data and spoken.data.get("type") == "ping"
    )
    return Silence(pings, talk.now - began if over else None, holding)


def _hold(bench: Bench, talk: Talk) -> bool:
    """Begin a HOLD: whether the actor is seen to hold. What else happens in the world may prevent it for a while."""
    for _ in range(TRIES):
        bench.rest(talk)
        talk.do("HOLD")
        if bench.probe is None:
            break
        if bench.see(talk).holding:
            return True
    return False


@HEARTBEAT.law("Heartbeat")
def pings_when_idle(bench: Bench) -> None:
    """After each second without a frame of the bridge the executor pings, whatever it sends itself."""
    found = bench.once(fall_silent)
    early = [f"{at:.2f}" for at in found.pings]
    fits = bool(found.pings) and _IDLE - 0.25 <= found.pings[0] <= _IDLE + _MARGIN
    in_time(fits, f"pings after {early} s", f"the first ping after {_IDLE:g} s")
    again = len(found.pings) > 1 or (found.ended is not None and found.ended < _DEAD - 0.25)
    in_time(again, f"one ping, after {early} s", f"another one after each further {_IDLE:g} s")


@HEARTBEAT.law("Heartbeat")
def silence_is_death(bench: Bench) -> None:
    """A bridge that sends no frame for 3 s is given up, and not earlier; a bad line and half a line do not count."""
    found = bench.once(fall_silent)
    if found.ended is None:
        in_time(False, f"the session continues after {_DEAD + _MARGIN:g} s", f"the end after {_DEAD:g} s")
    else:
        in_time(found.ended >= _DEAD - 0.25, f"given up after {found.ended:.2f} s", f"{_DEAD:g} s of patience")


@DEAD_MAN.law("Heartbeat")
def after_silence(bench: Bench) -> None:
    """An actor whose bridge fell silent no longer holds."""
    bench.need_shared()
    bench.need_probe()
    found = bench.once(fall_silent)
    if not found.holding:
        raise NotApplicable("no HOLD was visible")
    sight = bench.see(bench.begin_session())
    expect(not sight.holding, "the actor still holds in the next session's first state", "an actor at rest")


@GOODBYE.law("Errors and the end")
def ends(bench: Bench) -> None:
    """After a goodbye the session is over: nothing is answered, and the connection is closed."""
    talk = bench.open_session()
    since = len(talk.heard)
    id = talk.next_id()
    talk.say({"type": "goodbye", "reason": "done"}, {"type": "state_request", "id": id, "full": True})
    ended = talk.wait_for_end(ANSWER)
    expect(not talk.frames("state", since=since, id=id), "an answer after the goodbye", "no answer")
    in_time(ended, "the connection stays", "the end of the connection")


@GOODBYE.law("Errors and the end")
def before_hello(bench: Bench) -> None:
    """A goodbye counts before the greeting too."""
    talk = bench.connect()
    talk.say({"type": "goodbye"})
    in_time(talk.wait_for_end(ANSWER), "the connection stays", "the end of the connection")


def _ping(talk: Talk, n: int) -> Frame:
    talk.say({"type": "ping", "n": n})
    try:
        return talk.await_frame("pong", n=n)
    except TooLate as error:
        raise Unseen("no ping was answered in time") from error
    except Breaks as error:
        raise NotApplicable("pings are not answered") from error


def _expect_standstill(how: Leaving, bench: Bench) -> None:
    bench.need_shared()
    bench.need_probe()
    talk, _ = next(open_moves(bench, own=True))
    talk.leave(how)
    after = bench.begin_session()
    first = bench.see(after)
    bench.let_pass(after, 3)
    second = bench.see(after)
    moved = first.place != second.place and first.alive and second.alive
    expect(not moved, f"it was at {first.place}, then at {second.place}", "an actor that stands still")


_LEAVING: Final[tuple[tuple[str, Leaving, str], ...]] = (
    ("after_the_end", "hung up", "hung up"),
    ("after_goodbye", "goodbye", "said goodbye"),
    ("after_torn_line", "torn", "went in the middle of a line"),
)
for _name, _how, _words in _LEAVING:
    _law = f"An actor whose bridge {_words} does not move in the next session's first states."
    DEAD_MAN.add(_name, _law, "Heartbeat", partial(_expect_standstill, _how))
