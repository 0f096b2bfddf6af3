"""The executor's side: each id attempted at most once, each intent answered exactly once, and STOP before all."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.hostile import HOSTILE
from tests.execution.wire.samples import WELCOME, limited, lines, of, serving, state
from volition.core.errors import InvalidInput
from volition.execution import make_result
from volition.execution.wire import frames as f
from volition.execution.wire.codec import FrameFault, encode
from volition.execution.wire.results import interpret_result
from volition.execution.wire.session.executor import ExecutorSession
from volition.execution.wire.session.handshake import Offer
from volition.execution.wire.session.incoming import BridgeLost

if TYPE_CHECKING:
    from tests.sentences import Told


def intent(id: int, name: str = "JUMP", ttl_ms: int = 1000, **more: Any) -> bytes:
    return encode(f.IntentFrame(id=id, intent=name, ttl_ms=ttl_ms, **more))


def results(executor: ExecutorSession) -> list[tuple[int, str, str, str | None]]:
    """What goes out: id, status, reason and detail of each result; each is a good one."""
    found: list[tuple[int, str, str, str | None]] = []
    for frame in of(f.ResultFrame, lines(executor.take())):
        result, _, violations = interpret_result(frame.result)
        assert violations == ()
        found.append((frame.id, result.status, result.failure_reason, frame.detail))
    return found


def taken(executor: ExecutorSession, now: float = 0) -> list[int]:
    ids = []
    while attempt := executor.take_attempt(now):
        ids.append(attempt.id)
    return ids


@pytest.mark.req("EX-04")
def test_an_id_is_attempted_once(told: Told) -> None:
    """A repeated id is not attempted again: while open it waits, afterwards the same result is sent again."""
    executor = serving()
    executor.receive(intent(5) + intent(5), 0)
    assert taken(executor) == [5]
    executor.receive(intent(5), 0)
    assert taken(executor) == []
    executor.finish(5, make_result(damage_dealt=3.0))
    first = executor.take()
    executor.receive(intent(5, "EVADE"), 0)
    assert executor.take() == first
    assert taken(executor) == []
    executor.receive(intent(4), 0)
    assert [frame.code for frame in of(f.ErrorFrame, lines(executor.take()))] == ["stale_id"]
    with told.raises(InvalidInput):
        executor.finish(5, make_result())


def test_a_forgotten_id_is_not_attempted_again() -> None:
    """An id that has left the cache is refused, not repeated."""
    executor = serving(welcome=limited(result_cache=1))
    for id in (1, 2):
        executor.receive(intent(id), 0)
        taken(executor)
        executor.finish(id, make_result())
    executor.take()
    executor.receive(intent(1), 0)
    assert taken(executor) == []
    assert of(f.ErrorFrame, lines(executor.take()))


@pytest.mark.req("EX-04")
def test_stop_overtakes_and_ends_everything() -> None:
    """STOP is taken first; what waited fails, what was under way is partial, and each has its result before STOP's."""
    executor = serving()
    executor.receive(intent(1), 0)
    assert taken(executor) == [1]
    executor.receive(intent(2) + intent(3) + intent(4, "STOP") + intent(5), 0)
    assert results(executor) == [(2, "FAILURE", "UNKNOWN", "STOPPED"), (3, "FAILURE", "UNKNOWN", "STOPPED")]
    assert taken(executor) == [4, 5]
    executor.finish(4, make_result())
    assert results(executor) == [(1, "PARTIAL", "NONE", "STOPPED"), (4, "SUCCESS", "NONE", None)]
    executor.finish(5, make_result())
    assert results(executor) == [(5, "SUCCESS", "NONE", None)]


def test_stop_of_one_agent_leaves_the_others() -> None:
    """A STOP that names an agent ends only that agent's attempts."""
    executor = serving()
    executor.receive(intent(1, agent="ann") + intent(2, agent="bob") + intent(3, "STOP", agent="ann"), 0)
    assert [id for id, *_ in results(executor)] == [1]
    assert taken(executor) == [3, 2]
    executor.receive(intent(4, agent="ann") + intent(5, "STOP"), 0)
    assert [id for id, *_ in results(executor)] == [4], "a STOP that names nobody means all"


@pytest.mark.req("EX-15")
def test_what_waits_too_long_is_not_attempted() -> None:
    """Past its time to live a waiting intent fails with INVALID_STATE; STOP never expires."""
    executor = serving()
    executor.receive(intent(1, ttl_ms=100) + intent(2, ttl_ms=200), 0)
    executor.receive(intent(3, "STOP", ttl_ms=1, agent="nobody"), 0)
    executor.poll(0.1)
    assert results(executor) == [(1, "FAILURE", "INVALID_STATE", "EXPIRED")]
    assert taken(executor, 0.2) == [3]
    assert results(executor) == [(2, "FAILURE", "INVALID_STATE", "EXPIRED")]


def test_the_window_is_held() -> None:
    """An intent beyond the window is answered at once with RESOURCE_EXHAUSTED; STOP always fits."""
    executor = serving(welcome=limited(max_inflight=2))
    executor.receive(intent(1) + intent(2) + intent(3), 0)
    assert results(executor) == [(3, "FAILURE", "RESOURCE_EXHAUSTED", "WINDOW_FULL")]
    executor.receive(intent(4, "STOP"), 0)
    assert taken(executor) == [4]


def test_cancel() -> None:
    """A cancel is acknowledged and the result follows: at once for what waits, from the game for what is under way."""
    executor = serving()
    executor.receive(intent(1), 0)
    taken(executor)
    executor.receive(intent(2), 0)
    events = executor.receive(encode(f.Cancel(id=1)) + encode(f.Cancel(id=2)), 0)
    assert events == [f.Cancel(id=1)]
    out = lines(executor.take())
    assert [type(frame).__name__ for frame in out] == ["Progress", "Progress", "ResultFrame"]
    executor.finish(1, make_result("PARTIAL"))
    executor.take()
    assert executor.receive(encode(f.Cancel(id=1)) + encode(f.Cancel(id=2)), 0) == []
    assert executor.take() == b""
    executor.receive(encode(f.Cancel(id=9)), 0)
    assert of(f.ErrorFrame, lines(executor.take()))[0].code == "unknown_id"


@pytest.mark.req("EX-01")
@pytest.mark.parametrize(("name", "parameters"), [("DANCE", {}), ("JUMP", {"key": "W"}), ("MOVE", {"vector": [1, 2]})])
def test_only_canonical_intents_are_attempted(name: str, parameters: dict[str, Any]) -> None:
    """What is not canonical is answered and never reaches the game."""
    executor = serving()
    executor.receive(intent(1, name, parameters=parameters), 0)
    assert taken(executor) == []
    assert results(executor) == [(1, "FAILURE", "UNKNOWN", "NOT_CANONICAL")]


@pytest.mark.req("EX-11")
def test_an_intent_of_a_former_episode_is_out_of_sync() -> None:
    """Once an episode has ended, what was based on its states fails with INVALID_STATE, STOP apart."""
    executor = serving()
    executor.show_state(state(1, episode=0))
    executor.show_state(state(5, episode=1))
    executor.take()
    executor.receive(intent(1, based_on=4) + intent(2, based_on=5) + intent(3, "STOP", based_on=4, agent="x"), 0)
    assert results(executor) == [(1, "FAILURE", "INVALID_STATE", "FORMER_EPISODE")]
    assert taken(executor) == [3, 2]


@pytest.mark.req("EX-26")
def test_the_first_reason_to_refuse_counts() -> None:
    """Of several reasons the first counts: the name, then the state that was never sent or is of a former episode, then the
    window; STOP needs neither a state nor room, and takes none."""
    executor = serving()
    executor.show_state(state(1, episode=0))
    executor.show_state(state(5, episode=1))
    executor.take()
    most = WELCOME.limits.max_inflight
    executor.receive(intent(1, "STOP") + b"".join(intent(2 + n) for n in range(most)), 0)
    assert results(executor) == []
    refused = intent(20, "DANCE", based_on=9) + intent(21, based_on=9) + intent(22, based_on=4) + intent(23)
    executor.receive(refused + intent(24, "STOP", based_on=9, agent="x"), 0)
    assert [detail for *_, detail in results(executor)] == [
        "NOT_CANONICAL", "NO_SUCH_STATE", "FORMER_EPISODE", "WINDOW_FULL",
    ]  # fmt: skip
    assert {1, 24} < set(taken(executor))


@pytest.mark.req("EX-26")
def test_the_hundredth_bad_line_is_answered() -> None:
    """Each of a hundred bad lines has its error, also the one that ends the session; then comes the goodbye."""
    executor = serving()
    executor.receive(b"?\n" * 120, 0)
    out = [type(frame) for frame in lines(executor.take())]
    assert out == [f.ErrorFrame] * 100 + [f.Goodbye]


@pytest.mark.req("EX-26")
@pytest.mark.parametrize(
    ("line", "lives"), [(b"?\n", False), (b'{"v":1', False), (encode(f.Cancel(id=99)), True), (encode(f.Hello(spec="1.0.0", client=f.Party(name="x", version="1"))), True)],
)  # fmt: skip
def test_a_frame_is_life_and_nothing_else_is(line: bytes, lives: bool) -> None:
    """A frame that is refused is a sign of life; a bad line and half a line are none. What the executor sends does not
    count: it pings while it pushes states."""
    executor = serving()
    executor.poll(0.5)
    executor.show_state(state(1))
    executor.receive(line, 0.9)
    executor.poll(1.8)
    assert [type(frame) for frame in of(f.Ping, lines(executor.take()))] == [f.Ping] * (not lives)
    executor.poll(3.0)
    assert (executor.phase == "open") == lives


@pytest.mark.req("EX-17")
@pytest.mark.parametrize(
    "wrong", [{"damage_dealt": math.nan}, {"damage_received": math.inf}, {"engine_timestamp": 2**53}, {"execution_time_ms": -math.inf}],
)  # fmt: skip
def test_what_the_wire_cannot_hold_is_not_sent(wrong: dict[str, Any]) -> None:
    """A result with a number that is none is refused, and the attempt still has its one result to come."""
    executor = serving()
    executor.receive(intent(1), 0)
    taken(executor)
    with pytest.raises(FrameFault):
        executor.finish(1, make_result(**wrong))
    assert executor.take() == b""
    executor.finish(1, make_result(damage_dealt=1e300), detail="wide: é")
    assert results(executor) == [(1, "SUCCESS", "NONE", "wide: é")]


@pytest.mark.req("EX-06")
def test_a_contradiction_is_not_sent(told: Told) -> None:
    """The session does not pass on a result that contradicts itself; the attempt stays open for a better one."""
    executor = serving()
    executor.receive(intent(1), 0)
    taken(executor)
    with told.raises(InvalidInput):
        executor.finish(1, make_result("SUCCESS", "BLOCKED"))
    executor.finish(1, make_result("FAILURE", "BLOCKED"))
    assert results(executor) == [(1, "FAILURE", "BLOCKED", None)]


@pytest.mark.req("EX-16")
@pytest.mark.parametrize("how", ["silence", "eof", "reset", "goodbye", "noise", "too long"])
def test_the_loss_of_the_bridge_is_told_once(how: str) -> None:
    """However the bridge goes, the game hears it once, within three seconds, and nothing is left to attempt."""
    executor = serving()
    executor.receive(intent(1), 0)
    ways = {
        "silence": lambda: executor.poll(1.0) + executor.poll(2.99) + executor.poll(3.0),
        "eof": lambda: executor.end(0),
        "reset": lambda: executor.end(0, "reset"),
        "goodbye": lambda: executor.receive(encode(f.Goodbye()), 0),
        "noise": lambda: executor.receive(b"?\n" * 200, 0),
        "too long": lambda: executor.receive(b"x" * 2**21, 0),
    }
    assert [type(event) for event in ways[how]()] == [BridgeLost]
    assert executor.take_attempt(0) is None
    assert executor.end(0) == executor.poll(99) == executor.close() == []
    assert executor.wake_at is None
    executor.finish(1, make_result())


def test_a_ping_is_answered_with_tick_and_open_ids() -> None:
    """The answer to a ping says where the game is and what it is at."""
    executor = serving()
    executor.tick = 7
    executor.receive(intent(1) + intent(2), 0)
    executor.take_attempt(0)
    executor.receive(encode(f.Ping(n=3)), 0)
    assert lines(executor.take()) == [f.Pong(n=3, tick=7, open=(1, 2))]


def test_states_and_events_reach_a_bridge_that_wants_them() -> None:
    """Requests are passed to the game; its states, events and progress go out."""
    executor = serving()
    assert executor.receive(encode(f.StateRequest(id=1, full=True)), 0) == [f.StateRequest(id=1, full=True)]
    executor.show_state(state(1, id=1))
    executor.happen(f.GameEvent(name="hold_interrupted", tick=1))
    executor.receive(intent(2), 0)
    taken(executor)
    executor.progress(2, "moving", 0.5)
    assert [type(frame).__name__ for frame in lines(executor.take())] == ["StateFrame", "GameEvent", "Progress"]


def test_requests_and_intents_share_their_ids() -> None:
    """An id that a request for a state has used is not free for an intent."""
    executor = serving()
    executor.receive(encode(f.StateRequest(id=3, full=True)) + intent(3), 0)
    assert taken(executor) == []
    assert [frame.code for frame in of(f.ErrorFrame, lines(executor.take()))] == ["stale_id"]


@pytest.mark.parametrize("features", [(), ("next_state",)])
def test_a_state_rides_in_a_result_only_where_it_is_wanted(features: tuple[str, ...]) -> None:
    """The state after an attempt goes along exactly where both sides have the feature."""
    executor = ExecutorSession(WELCOME, now=0)
    executor.receive(encode(Offer(features=features).hello()) + intent(1), 0)
    taken(executor)
    executor.finish(1, make_result(), next_state=state(4))
    (frame,) = of(f.ResultFrame, lines(executor.take()))
    assert frame.next_state == (state(4) if features else None)


@pytest.mark.req("EX-17")
@pytest.mark.parametrize(
    ("line", "code"), [(line, code) for _, line, code in HOSTILE], ids=[name for name, *_ in HOSTILE]
)
def test_hostile_lines_are_survived(line: bytes, code: str) -> None:
    """A bad line is answered with its code and attempts nothing; the next good line is read; an over-long one ends it."""
    executor = serving()
    executor.receive(line + b"\n" + intent(1), 0)
    if code == "too_long":
        assert executor.phase == "closed"
        return
    assert [frame.code for frame in of(f.ErrorFrame, lines(executor.take()))] == [code]
    assert taken(executor) == [1]


@pytest.mark.req("EX-17")
@given(st.data())
def test_any_cut_of_the_stream_gives_the_same_events(draw: st.DataObject) -> None:
    """However the bytes are cut, the same events are told and the same bytes sent."""
    parts = [
        intent(1),
        intent(2, "STOP"),
        encode(f.Cancel(id=1)),
        encode(f.StateRequest(id=3, full=True)),
        b"?\n",
        b"\xff",
        b"\n",
    ]
    stream = b"".join(draw.draw(st.lists(st.sampled_from(parts), max_size=8)))
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    whole, pieces = serving(), serving()
    expected = whole.receive(stream, 0)
    found = [event for a, b in pairwise([0, *cuts, len(stream)]) for event in pieces.receive(stream[a:b], 0)]
    assert found == expected
    assert pieces.take() == whole.take()
