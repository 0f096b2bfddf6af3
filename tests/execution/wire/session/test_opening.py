"""The opening of a session always ends: ready once the full state and STOP are answered, or closed with what is missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.wire.samples import WELCOME, answer, of, state
from volition.execution.wire import frames as f
from volition.execution.wire.codec import encode
from volition.execution.wire.session.events import Closed, Ready
from volition.execution.wire.session.handshake import NotReady
from volition.execution.wire.session.link import Timing
from volition.execution.wire.session.session import Session

PIECES = {
    "the full state": lambda seq: encode(state(seq, id=1)),
    "STOP": lambda seq: answer(2),
    "STOP with half a state": lambda seq: answer(2, next_state=state(seq, full=False)),
    "a push": lambda seq: encode(state(seq, full=False)),
    "a full push": lambda seq: encode(state(seq)),
    "an event": lambda seq: encode(f.GameEvent(name="wind", tick=seq)),
}
STOPS = {"STOP", "STOP with half a state"}


@pytest.mark.req("EX-16", "EX-20")
@given(st.lists(st.sampled_from([*PIECES]), max_size=12))
def test_a_session_is_ready_once_both_are_answered(order: list[str]) -> None:
    """Whatever is pushed in between, and whatever states come with STOP's result, a session is ready exactly when
    the full state and STOP have been answered."""
    session, seen = Session(now=0), set[str]()
    session.receive(encode(WELCOME), 0)
    for seq, name in enumerate(order):
        if name in seen and name in {"the full state", *STOPS}:
            continue
        session.receive(PIECES[name](seq), 0)
        seen.add("STOP" if name in STOPS else name)
        assert session.phase == ("ready" if {"the full state", "STOP"} <= seen else "opening")


@pytest.mark.req("EX-16", "EX-20")
def test_what_was_pushed_meanwhile_is_the_newest_state() -> None:
    """Ready names the full state that was answered; the newest state, on which intents rest, is the push."""
    session = Session(now=0)
    told = session.receive(
        encode(WELCOME)
        + encode(state(3, id=1))
        + encode(state(4, full=False))
        + answer(2, next_state=state(5, full=False)),
        0,
    )
    assert of(Ready, told) == [Ready(state(3, id=1))]
    assert session.state == state(5, full=False)


@pytest.mark.req("EX-20")
@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (b"", "neither the full state nor STOP was answered"),
        (encode(state(1, id=1)), "the full state was answered, STOP was not"),
        (answer(2), "STOP was answered, the full state was not"),
        (answer(2) + encode(state(1, full=False)) + encode(state(2)), "STOP was answered, the full state was not"),
    ],
)
@pytest.mark.parametrize("timing", [Timing(), Timing(opening=0.5), Timing(stop=60.0, grace=60.0)])
def test_an_opening_ends_in_time_and_says_what_is_missing(given: bytes, missing: str, timing: Timing) -> None:
    """However often the executor pings, an opening that is not answered ends at `opening` seconds at the latest."""
    session, now = Session(now=0, timing=timing), 0.0
    told = session.receive(encode(WELCOME) + given, 0)
    while not of(Closed, told):
        assert session.wake_at is not None
        assert session.wake_at <= timing.opening
        now = max(now, min(session.wake_at, now + 0.4))
        told += session.receive(encode(f.Ping(n=1)), now) + session.poll(now)
    (closed,) = of(Closed, told)
    assert now <= timing.opening
    assert type(closed.error) is NotReady
    assert missing in str(closed.error)
