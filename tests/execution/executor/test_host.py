"""The host: a game that knows nothing of the wire keeps the whole contract, and stops when nobody drives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.execution.transports.stream_bridge import StreamBridge, Toy
from tests.execution.wire.samples import lines, of
from volition.core.clock import ManualClock
from volition.execution import Evade, Hold, Jump, Move, Stop, make_result
from volition.execution.executor.contract import About, Ended, Occurred
from volition.execution.executor.host import MOST_LATE, Host
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import (
    GameEvent,
    Goodbye,
    Hello,
    IntentFrame,
    Ping,
    Pong,
    Reject,
    ResultFrame,
    StateFrame,
    StateRequest,
    Welcome,
)
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.handshake import NotReady, Offer
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from volition.execution.executor.contract import News
    from volition.execution.executor.host import Guest
    from volition.execution.wire.session.incoming import IncomingIntent

HELLO = encode(Offer().hello())
EAST = Move((1.0, 0.0, 0.0))


def talking(game: Toy) -> tuple[StreamBridge, Host]:
    """A ready bridge in this process, on a manual clock."""
    clock = ManualClock()
    host = Host(game)
    bridge = StreamBridge(host.connect(clock), clock=clock)
    bridge.ready()
    return bridge, host


def greeted(host: Host, now: float = 0.0) -> Guest:
    guest = host.open(now)
    guest.receive(HELLO, now)
    assert isinstance(lines(guest.take())[0], Welcome)
    return guest


def intent(id: int, name: str = "MOVE", **more: object) -> bytes:
    parameters = {"vector": [1.0, 0.0, 0.0]} if name == "MOVE" else {}
    return encode(IntentFrame(id=id, intent=name, ttl_ms=1000, parameters=parameters, **more))  # type: ignore[arg-type]


def results(data: bytes) -> list[tuple[int, str, str | None]]:
    return [(frame.id, frame.result["status"], frame.detail) for frame in of(ResultFrame, lines(data))]


# What a game does, as a bridge sees it.


@pytest.mark.req("EX-04")
def test_a_result_may_come_at_once_or_later() -> None:
    """What ends in `attempt` is answered with no time passing; what ends in a later step is answered then."""
    bridge, _ = talking(Toy())
    assert bridge.execute(Jump()).elapsed == 0.0
    assert bridge.execute(EAST).elapsed == pytest.approx(0.15)


@pytest.mark.req("EX-11")
def test_results_carry_the_state_after_and_states_are_pushed() -> None:
    """Every result has its next state; every tick pushes one; the numbers grow from one state to the next."""
    bridge, _ = talking(Toy())
    moved = bridge.execute(EAST)
    assert moved.next_state is not None
    assert moved.next_state.data["tick"] == 3
    seqs = [event.seq for event in of(StateFrame, bridge.events)]
    assert len(seqs) > 3
    assert seqs == sorted(set(seqs))


def test_a_step_may_end_several_and_events_are_passed_on() -> None:
    """What a game reports besides results reaches the bridge, in the order in which it was reported."""

    class Loud(Toy):
        def attempt(self, attempt: IncomingIntent) -> list[News]:
            return [Occurred("bang", {"loud": True}, attempt.id), *super().attempt(attempt)]

    bridge, _ = talking(Loud())
    jumped = bridge.execute(Jump())
    heard = [event for event in of(GameEvent, bridge.events) if event.id == jumped.id]
    assert [event.name for event in heard] == ["bang"]


def test_a_cancel_reaches_the_game_and_the_result_follows() -> None:
    """A started attempt that is cancelled ends as the game says."""
    game = Toy()
    bridge, _ = talking(game)
    id = bridge.send(EAST)
    bridge.until(lambda event: isinstance(event, StateFrame) and event.tick > 0)
    bridge.session.cancel(id)
    assert bridge.result(id).result.status == "PARTIAL"
    assert game.calls[-1] == "cancel"


@pytest.mark.req("EX-15")
@pytest.mark.parametrize("hz", [0.0, 1.0])
def test_what_outlives_its_time_is_cancelled_once(hz: float) -> None:
    """An attempt under way is cancelled when its time to live is over, in a still world too, and never again."""
    game = Toy(hz=hz)
    bridge, host = talking(game)
    finished = bridge.result(bridge.send(EAST, ttl=0.5))
    assert (finished.result.status, finished.elapsed, game.calls.count("cancel")) == ("PARTIAL", 0.5, 1)
    game.mute = True
    bridge.send(EAST, ttl=0.5)
    bridge.until(lambda event: isinstance(event, Outcome) and event.label == "timeout")
    assert game.calls.count("cancel") <= 3  # at its time, and by the bridge that gave it up
    assert host.driver is not None


def test_a_game_may_end_itself_what_outlives_its_time() -> None:
    """A game that says that it ends what is overdue is never told to."""

    class Punctual(Toy):
        @property
        def about(self) -> About:
            return replace(super().about, ends_overdue=True)

    game = Punctual(hz=1.0)
    host = Host(game)
    guest = greeted(host)
    guest.receive(intent(1), 0.0)
    for now in (0.9, 1.1, 2.1):
        host.step(now)
    assert (game.calls, results(guest.take())) == (["MOVE"], [])
    host.step(3.1)
    assert results(guest.take()) == [(1, "SUCCESS", None)]


def test_a_finished_stop_leaves_nothing_open_even_if_the_game_forgets() -> None:
    """A game that answers STOP alone still gets its bridge a result for each; its late results change nothing."""

    class Forgetful(Toy):
        def attempt(self, attempt: IncomingIntent) -> list[News]:
            return [Ended(attempt, make_result())] if isinstance(attempt.intent, Stop) else super().attempt(attempt)

    bridge, host = talking(Forgetful())
    first = bridge.send(EAST)
    bridge.until(lambda event: isinstance(event, StateFrame) and event.tick > 0)
    bridge.execute(Stop())
    assert bridge.result(first).result.status == "PARTIAL"
    for _ in range(5):
        host.executor.step()
    host.step(bridge.clock.monotonic() + 1.0)
    assert len([event for event in of(Outcome, bridge.events) if event.id == first]) == 1


# Many bridges, one after the other and at once.


@pytest.mark.req("EX-13")
def test_a_second_bridge_is_not_let_in_while_one_drives() -> None:
    """Of two bridges the second is told `not_ready`, until the first is gone."""
    clock = ManualClock()
    host = Host(Toy())
    first = StreamBridge(host.connect(clock), clock=clock)
    first.ready()
    second = StreamBridge(host.connect(clock), clock=clock)
    assert isinstance(second.closed().error, NotReady)
    assert first.execute(Jump()).result.status == "SUCCESS"
    first.stream.close()
    third = StreamBridge(host.connect(clock), clock=clock)
    third.ready()


@pytest.mark.req("EX-13")
def test_a_world_that_is_not_loaded_is_not_ready() -> None:
    """While the game says that it is not ready, bridges are refused; afterwards they are accepted."""
    host = Host(Toy())
    host.ready = False
    guest = host.open(0.0)
    guest.receive(HELLO, 0.0)
    assert [frame.code for frame in of(Reject, lines(guest.take()))] == ["not_ready"]
    assert guest.over
    host.ready = True
    greeted(host)


def test_a_late_word_about_a_former_bridges_intent_binds_to_nothing() -> None:
    """Ids start again with every connection: the result of an old attempt never answers a new one of the same id."""
    game = Toy(mute=True)
    host = Host(game)
    old = greeted(host)
    old.receive(intent(5), 0.0)
    (stale,) = old.session.under_way.values()
    old.end(0.0)
    new = greeted(host)
    new.receive(intent(5), 0.0)
    host.report([Ended(stale, make_result())])
    assert results(new.take()) == []
    host.report([Ended(new.session.under_way[5], make_result("FAILURE", "BLOCKED"))])
    assert results(new.take()) == [(5, "FAILURE", None)]


def test_sessions_have_names_of_their_own() -> None:
    """No two connections share the name of their session."""
    host = Host(Toy())
    names = set()
    for _ in range(3):
        guest = host.open(0.0)
        guest.receive(HELLO, 0.0)
        names |= {frame.session for frame in of(Welcome, lines(guest.take()))}
        guest.end(0.0)
    assert len(names) == 3


# However the bridge leaves.


@pytest.mark.req("EX-16")
@pytest.mark.parametrize("how", ["eof", "reset", "torn", "goodbye", "silence", "noise", "overrun", "host"])
def test_however_the_bridge_goes_the_actor_stops(how: str) -> None:
    """A clean end, a reset, half a line, a goodbye, silence, noise, an endless line, our own end: each stops it once."""
    game = Toy(hz=1.0)
    host = Host(game)
    guest = greeted(host)
    guest.receive(intent(1), 0.0)
    assert game.moving
    match how:
        case "eof":
            guest.end(0.1)
        case "reset":
            guest.end(0.1, "reset")
        case "torn":
            guest.receive(b'{"v":1,"ty', 0.1)
            guest.end(0.1)
        case "goodbye":
            guest.receive(encode(Goodbye()), 0.1)
        case "silence":
            host.step(1.5)
            assert game.calls[-1] != "stopped"
            host.step(3.0)
        case "noise":
            guest.receive(b"?\n" * 200, 0.1)
        case "overrun":
            guest.receive(b"x" * (2**20 + 1), 0.1)
        case _:
            host.close(0.1)
    assert game.calls.count("stopped") >= 1
    assert not game.moving
    assert guest.over
    assert host.driver is None


@pytest.mark.req("EX-16")
def test_a_bridge_that_never_drove_stops_nothing() -> None:
    """A connection that greets too late, or is refused, goes without touching the actor."""
    game = Toy()
    host = Host(game)
    driver = greeted(host)
    refused, mute = host.open(0.0), host.open(0.0)
    refused.receive(HELLO, 0.0)
    refused.end(0.0)
    driver.receive(encode(Pong(n=1)), 4.0)
    host.step(5.0)
    assert mute.over
    assert "stopped" not in game.calls
    assert host.driver is driver


# States, episodes, time.


def test_states_are_answered_after_what_was_asked_before_them() -> None:
    """A state that was asked for behind an intent shows the outcome of that."""

    class Counting(Toy):
        def state(self, *, full: bool) -> object:
            return {"calls": [*self.calls]}

    host = Host(Counting())
    guest = greeted(host)
    guest.receive(intent(1, "JUMP") + encode(StateRequest(id=2, full=True)), 0.0)
    answer = of(StateFrame, lines(guest.take()))[-1]
    assert (answer.id, answer.full, answer.data) == (2, True, {"calls": ["JUMP"]})


@pytest.mark.req("EX-11")
@pytest.mark.parametrize(
    ("name", "based_on", "detail"),
    [
        ("JUMP", 1, "FORMER_EPISODE"),
        ("JUMP", 99, "NO_SUCH_STATE"),
        ("JUMP", None, None),
        ("STOP", 1, None),
    ],
)
def test_an_intent_must_rest_on_a_state_of_this_episode(name: str, based_on: int | None, detail: str | None) -> None:
    """A state of a former episode, or one never shown, is no basis for an intent; STOP needs none.

    The bridge has not seen a state of the new episode: the game alone knows that it began.
    """
    game = Toy()
    host = Host(game)
    guest = greeted(host)
    guest.receive(encode(StateRequest(id=1, full=True)), 0.0)
    assert of(StateFrame, lines(guest.take()))[0].seq == 1
    game.episode += 1
    guest.receive(intent(2, name, **({} if based_on is None else {"based_on": based_on})), 0.0)
    assert results(guest.take()) == [(2, "FAILURE" if detail else "SUCCESS", detail)]
    assert game.calls == ([] if detail else [name])


@given(st.lists(st.integers(1, 50 * MOST_LATE), min_size=1, max_size=30))
def test_the_world_keeps_the_clocks_pace(naps: list[int]) -> None:
    """However the calls fall, the world has made exactly the ticks that are due."""
    game = Toy(hz=20.0)
    host = Host(game)
    now = 0
    for nap in naps:
        now += nap
        host.step(now / 1000)
        assert game.tick == now // 50


def test_a_world_that_was_held_up_does_not_race() -> None:
    """After a long pause a few ticks are made up for, and then the pace is the usual one."""
    game = Toy(hz=20.0)
    host = Host(game)
    host.step(100.0)
    assert game.tick == MOST_LATE
    assert host.wake_at == pytest.approx(100.05)
    host.step(100.05)
    assert game.tick == MOST_LATE + 1


def test_a_still_world_wakes_only_for_its_guests() -> None:
    """A world without ticks needs no time itself; only its guests' heartbeats do."""
    host = Host(Toy(hz=0.0), timing=Timing(idle=1.0))
    assert host.wake_at is None
    greeted(host)
    assert host.wake_at == pytest.approx(1.0)
    host.step(50.0)
    assert host.executor.tick == 0


def test_who_reads_slowly_gets_fewer_states_and_never_old_ones() -> None:
    """Between two readings any number of ticks leaves one pushed state, the newest, behind all results."""
    game = Toy()
    host = Host(game)
    guest = greeted(host)
    guest.receive(intent(1), 0.0)
    for tick in range(1, 5):
        host.step(tick * 0.05)
    frames = lines(guest.take())
    assert [type(frame) for frame in frames] == [ResultFrame, StateFrame]
    assert of(StateFrame, frames)[0].tick == 4
    assert guest.take() == b""


def test_features_that_were_not_asked_for_are_not_used() -> None:
    """A bridge that wants no pushes, events or next states gets results alone."""
    host = Host(Toy())
    guest = host.open(0.0)
    hello = Hello(spec="1.0.0", client=Offer().client)
    guest.receive(encode(hello) + intent(1, "JUMP"), 0.0)
    host.step(0.1)
    frames = lines(guest.take())
    assert [type(frame) for frame in frames] == [Welcome, ResultFrame]
    assert of(ResultFrame, frames)[0].next_state is None


def test_pongs_tell_the_tick_and_what_is_open() -> None:
    """A bridge that pings learns how far the world is, so that a world that stands still is found."""
    host = Host(Toy())
    guest = greeted(host)
    guest.receive(intent(1), 0.0)
    host.step(0.1)
    guest.take()
    guest.receive(encode(Ping(n=7)), 0.1)
    assert of(Pong, lines(guest.take())) == [Pong(n=7, tick=2, open=(1,))]


@given(st.data())
def test_any_cut_of_the_stream_brings_the_same_answers(data: st.DataObject) -> None:
    """Lengths are counted in bytes: frames cut anywhere, in the middle of a character too, are answered alike."""
    asked = HELLO + encode(StateRequest(id=1, full=True)) + intent(2, "JUMP", agent="Zażółć 🎭")
    cuts = sorted(data.draw(st.sets(st.integers(1, len(asked) - 1), max_size=6)))
    whole, cut = Host(Toy()).open(0.0), Host(Toy()).open(0.0)
    whole.receive(asked, 0.0)
    for start, end in zip([0, *cuts], [*cuts, len(asked)], strict=True):
        cut.receive(asked[start:end], 0.0)
    kinds = [[type(frame) for frame in lines(guest.take())] for guest in (whole, cut)]
    assert sorted(map(str, kinds[0])) == sorted(map(str, kinds[1]))


def test_the_seven_reach_the_game_as_types() -> None:
    """A game is asked with intents, never with text."""
    bridge, host = talking(Toy())
    for asked in (EAST, Evade(), Hold(), Jump()):
        bridge.execute(asked)
    assert isinstance(host.executor, Toy)
    assert host.executor.calls == ["STOP", "MOVE", "EVADE", "HOLD", "JUMP"]
