"""The table of phases: both sides keep to it, frame by frame, and it says all that there is to say."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from tests.execution.wire.samples import WELCOME, answer, state
from volition.execution.wire import frames as f
from volition.execution.wire.codec import encode
from volition.execution.wire.session.events import Breach
from volition.execution.wire.session.executor import ExecutorSession
from volition.execution.wire.session.handshake import FEATURES, OBSERVE, Offer
from volition.execution.wire.session.phases import DRIVER_SENDS, EXECUTOR_SENDS, NEXT, OBSERVER_SENDS
from volition.execution.wire.session.session import Session

pytestmark = pytest.mark.req("EX-13", "EX-16")

SAMPLES: dict[type, Any] = {
    f.Hello: Offer().hello(),
    f.Welcome: WELCOME,
    f.Reject: f.Reject(code="not_ready", message="no", supported="1.0.0"),
    f.IntentFrame: f.IntentFrame(id=9, intent="JUMP", ttl_ms=500),
    f.ResultFrame: f.ResultFrame(id=2, intent="STOP", result=None),
    f.Progress: f.Progress(id=2, stage="started"),
    f.Cancel: f.Cancel(id=1),
    f.StateRequest: f.StateRequest(id=9, full=True),
    f.Reset: f.Reset(id=9, seed=7),
    f.StateFrame: state(7),
    f.GameEvent: f.GameEvent(name="rain", tick=1),
    f.Ping: f.Ping(n=1),
    f.Pong: f.Pong(n=1),
    f.ErrorFrame: f.ErrorFrame(code="stale_id", message=""),
    f.Goodbye: f.Goodbye(),
    f.ProbeRead: f.ProbeRead(id=9),
    f.ProbeSight: f.ProbeSight(id=9, sight={}),
}
FEATURED = f.Welcome(**{name: getattr(WELCOME, name) for name in WELCOME.__struct_fields__} | {"features": (*FEATURES, OBSERVE, "probe")})  # fmt: skip


def bridge_in(phase: str) -> Session:
    session = Session(now=0)
    if phase != "greeting":
        session.receive(encode(WELCOME), 0)
    if phase == "ready":
        session.receive(encode(state(0, id=1)) + answer(2), 0)
    assert session.phase == phase
    return session


def executor_in(phase: str, *features: str) -> ExecutorSession:
    session = ExecutorSession(FEATURED, now=0)
    if phase == "open":
        session.receive(encode(Offer(features=(*FEATURES, "probe", *features)).hello()), 0)
    assert session.phase == phase
    session.take()
    return session


def test_every_frame_and_phase_is_in_the_table() -> None:
    """There is a sample of every frame, and a row for every phase; `closed` ends both sides."""
    assert set(SAMPLES) == set(get_args(f.Frame))
    assert set(EXECUTOR_SENDS) | set(DRIVER_SENDS) == set(NEXT)
    assert {phase for phase, following in NEXT.items() if not following} == {"closed"}
    assert all("closed" in following for phase, following in NEXT.items() if phase != "closed")


@pytest.mark.parametrize("phase", ["greeting", "opening", "ready"])
@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: kind.__name__)
def test_the_bridge_hears_what_the_table_allows(phase: Any, kind: type) -> None:
    """A frame is a breach called unexpected exactly where the table does not allow it."""
    events = bridge_in(phase).receive(encode(SAMPLES[kind]), 0)
    unexpected = [event for event in events if isinstance(event, Breach) and event.kind == "unexpected"]
    assert bool(unexpected) == (kind not in EXECUTOR_SENDS[phase])


@pytest.mark.parametrize("phase", ["waiting", "open"])
@pytest.mark.parametrize("observes", [False, True])
@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: kind.__name__)
def test_the_executor_hears_what_the_table_allows(phase: Any, observes: bool, kind: type) -> None:
    """A frame is answered with `out_of_order` exactly where the table does not allow it, for drivers and observers."""
    session = executor_in(phase, *([OBSERVE] if observes else []))
    session.receive(encode(SAMPLES[kind]), 0)
    table = OBSERVER_SENDS if observes and phase == "open" else DRIVER_SENDS
    assert (b"out_of_order" in session.take()) == (kind not in table[phase])


def test_a_probe_needs_its_feature() -> None:
    """Where the feature was not agreed on, a probe is out of order."""
    session = ExecutorSession(WELCOME, now=0)
    session.receive(encode(Offer().hello()), 0)
    session.take()
    session.receive(encode(f.ProbeRead(id=9)), 0)
    assert b"out_of_order" in session.take()
