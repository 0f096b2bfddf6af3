"""The opening: after every welcome the full state and STOP, then a session that is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.execution.conformance.bed import RELEASE, expect, in_time, status, words
from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.law import Group
from volition.execution.conformance.verdict import NotApplicable
from volition.execution.wire.session.events import Closed
from volition.execution.wire.session.handshake import Offer
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed

OPENING: Final = Group("opening")

READY: Final = 5.0
"""How long, in seconds, an executor may take from the greeting to a session that is ready."""
_ROUNDS: Final = 3
_MOMENT: Final = 0.01


@OPENING.law("Opening")
def full_state(bed: TestBed) -> None:
    """The request for the full state is answered by a full state with its id."""
    state = bed.begin_session().state()
    expect(state.get("full") is True, f"full is {state.get('full')!r}", "true")


@OPENING.law("Opening")
def first_stop(bed: TestBed) -> None:
    """The STOP of the opening is answered by a result other than FAILURE."""
    connection = bed.begin_session()
    result = connection.do("STOP", ttl_ms=1000, within=ANSWER)
    expect(status(result) in {"SUCCESS", "PARTIAL"}, words(result), "SUCCESS, or PARTIAL in the air")


@OPENING.law("Opening")
def together(bed: TestBed) -> None:
    """Greeting, request and STOP may arrive in one write."""
    connection = bed.connect()
    request = {"type": "state_request", "id": connection.next_id(), "full": True}
    stop = connection.intent("STOP")
    connection.say(bed.hello(), request, stop)
    answer = connection.until(lambda frame: frame.get("type") in {"welcome", "reject"}, "welcome or reject", since=0)
    if answer["type"] == "reject":
        raise NotApplicable("the executor was not ready")
    connection.await_frame("state", since=0, id=request["id"])
    connection.result(stop["id"])


@OPENING.law("Opening")
def ready(bed: TestBed) -> None:
    """A bridge that wants every feature is ready within 5 s of its greeting, while states are pushed."""
    for _ in range(_ROUNDS):
        phase, why, took = _open_as_a_bridge(bed)
        expect(phase != "closed", f"the opening failed: {why}", "a session that is ready")
        what = f"after {took:.1f} s the bridge waits for its opening ({phase})"
        in_time(phase == "ready", what, f"full state and STOP answered within {READY:g} s")


def _open_as_a_bridge(bed: TestBed) -> tuple[str, str, float]:
    """Open a connection with a real bridge session: its last phase, why it closed, and the seconds it took."""
    until = bed.clock.monotonic() + RELEASE
    while True:
        connection = bed.connect()
        connection.polite = False
        began = connection.now
        session = Session(Offer(token=bed.token), now=began)
        why = ""
        while session.phase in {"greeting", "opening"} and connection.now <= began + READY:
            if out := session.take():
                connection.write(out)
            # Never for too short a time: rounding may stop a manual clock just short of what is due.
            logged = connection.hear(max(_MOMENT, min(began + READY, session.wake_at or began) - connection.now))
            if logged is not None:
                events = session.receive(logged.line + b"\n", connection.now)
            elif connection.ended:
                events = session.end(connection.now)
            else:
                events = session.poll(connection.now)
            why = next((f"{event.reason}: {event.error}" for event in events if isinstance(event, Closed)), why)
        if not connection.frames("reject", code="not_ready") or bed.clock.monotonic() > until:
            return session.phase, why, connection.now - began
        bed.clock.sleep(0.02)
