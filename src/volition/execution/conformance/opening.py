"""The opening: after every welcome the full state and STOP, then a session that is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.execution.conformance.bench import RELEASE, expect, in_time, status, words
from volition.execution.conformance.law import Group
from volition.execution.conformance.talk import ANSWER
from volition.execution.conformance.verdict import NotApplicable
from volition.execution.wire.session.events import Closed
from volition.execution.wire.session.handshake import Offer
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench

OPENING: Final = Group("opening")

READY: Final = 5.0
"""How long, in seconds, an executor may take from the greeting to a session that is ready."""
_ROUNDS: Final = 3
_MOMENT: Final = 0.01


@OPENING.law("Opening")
def full_state(bench: Bench) -> None:
    """The request for the full state is answered by a full state with its id."""
    state = bench.begin_session().state()
    expect(state.get("full") is True, f"full is {state.get('full')!r}", "true")


@OPENING.law("Opening")
def first_stop(bench: Bench) -> None:
    """The STOP of the opening is answered by a result other than FAILURE."""
    talk = bench.begin_session()
    result = talk.do("STOP", ttl_ms=1000, within=ANSWER)
    expect(status(result) in {"SUCCESS", "PARTIAL"}, words(result), "SUCCESS, or PARTIAL in the air")


@OPENING.law("Opening")
def together(bench: Bench) -> None:
    """Greeting, request and STOP may arrive in one write."""
    talk = bench.connect()
    request = {"type": "state_request", "id": talk.next_id(), "full": True}
    stop = talk.intent("STOP")
    talk.say(bench.hello(), request, stop)
    answer = talk.until(lambda frame: frame.get("type") in {"welcome", "reject"}, "welcome or reject", since=0)
    if answer["type"] == "reject":
        raise NotApplicable("the executor was not ready")
    talk.await_frame("state", since=0, id=request["id"])
    talk.result(stop["id"])


@OPENING.law("Opening")
def ready(bench: Bench) -> None:
    """A bridge that wants every feature is ready within 5 s of its greeting, while states are pushed."""
    for _ in range(_ROUNDS):
        phase, why, took = _open_as_a_bridge(bench)
        expect(phase != "closed", f"the opening failed: {why}", "a session that is ready")
        what = f"after {took:.1f} s the bridge waits for its opening ({phase})"
        in_time(phase == "ready", what, f"full state and STOP answered within {READY:g} s")


def _open_as_a_bridge(bench: Bench) -> tuple[str, str, float]:
    """Open a connection with a real bridge session: its last phase, why it closed, and the seconds it took."""
    until = bench.clock.monotonic() + RELEASE
    while True:
        talk = bench.connect()
        talk.polite = False
        began = talk.now
        session = Session(Offer(token=bench.token), now=began)
        why = ""
        while session.phase in {"greeting", "opening"} and talk.now <= began + READY:
            if out := session.take():
                talk.write(out)
            # Never for too short a time: rounding may stop a manual clock just short of what is due.
            spoken = talk.hear(max(_MOMENT, min(began + READY, session.wake_at or began) - talk.now))
            if spoken is not None:
                events = session.receive(spoken.line + b"\n", talk.now)
            elif talk.ended:
                events = session.end(talk.now)
            else:
                events = session.poll(talk.now)
            why = next((f"{event.reason}: {event.error}" for event in events if isinstance(event, Closed)), why)
        if not talk.frames("reject", code="not_ready") or bench.clock.monotonic() > until:
            return session.phase, why, talk.now - began
        bench.clock.sleep(0.02)
