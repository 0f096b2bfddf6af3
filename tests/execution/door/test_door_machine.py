"""A door against an executor's session, with whatever can happen between them, in any order."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.execution.door.door_laws import broken_laws
from tests.execution.door.doorway import Doorway
from tests.execution.wire.samples import limited, of, state
from volition.execution import make_result
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import Frame, IntentFrame, ResultFrame, StateRequest
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.executor import ExecutorSession

REQUESTS: list[tuple[Any, Any]] = [*[("JUMP", None)] * 6, *[("EVADE", None)] * 2, ("STOP", None), ("DANCE", None)]
RESULTS = [
    make_result(),
    make_result("FAILURE", "BLOCKED"),
    make_result("FAILURE", "BLOCKED"),
    make_result("FAILURE", "INVALID_STATE"),
    make_result("PARTIAL", "BLOCKED"),
]
MALFORMED: list[Any] = [None, [], {"status": "DONE"}, make_result().to_data() | {"status": "FAILURE"}]
NOISE = [b"nonsense\n", b'{"v":1,"type":"ping"}\n', b'{"v":1,"type":"result","id":4096,"intent":"JUMP"}\n', b"\n"]
AGENTS = st.sampled_from(["hero", None])


class Meeting(RuleBasedStateMachine):
    """Bytes lie in two buffers until a rule delivers them, so everything may be late, cut or lost."""

    def __init__(self) -> None:
        super().__init__()
        self.way = Doorway()
        self.game: ExecutorSession | None = None
        self.wanted: list[int] = []
        self.up, self.down = b"", b""
        self.seq = 0
        self.frames: list[Frame] = []

    @initialize(max_inflight=st.sampled_from([1, 4, 16]))
    def dial(self, max_inflight: int) -> None:
        self.reconnect(max_inflight)
        self.all_is_well()

    def _settle(self) -> None:
        self.up += b"".join(map(encode, self.way.out))
        self.frames += self.way.out
        self.way.out = []

    @rule(
        requests=st.lists(st.sampled_from(REQUESTS), min_size=1, max_size=5),
        agent=AGENTS,
        ttl=st.sampled_from([0.2, 1.0, 5.0]),
    )
    def ask(self, requests: list[tuple[Any, Any]], agent: str | None, ttl: float) -> None:
        for request in requests:
            self.way.ask(*request, agent=agent, ttl=ttl)
            self._settle()

    @rule(up=st.sampled_from([0.0, 0.5, 1.0]), down=st.sampled_from([0.0, 0.5, 1.0]))
    def deliver(self, up: float, down: float) -> None:
        self.deliver_up(up)
        self.deliver_down(down)

    def deliver_up(self, share: float) -> None:
        cut = int(len(self.up) * share)
        data, self.up = self.up[:cut], self.up[cut:]
        if self.game is not None and data:
            self.wanted += [asked.id for asked in of(StateRequest, self.game.receive(data, self.way.now))]
            self.down += self.game.take()

    def deliver_down(self, share: float) -> None:
        cut = int(len(self.down) * share)
        data, self.down = self.down[:cut], self.down[cut:]
        self.way.receive(data)
        self._settle()

    @rule(results=st.lists(st.sampled_from(RESULTS), min_size=1, max_size=5), shows=st.booleans())
    def play(self, results: list[Any], shows: bool) -> None:
        """The game finishes some attempts; STOP always works."""
        self.deliver_up(1.0)
        for result in results:
            if self.game is not None and (attempt := self.game.take_attempt(self.way.now)):
                self.seq += 1
                well = attempt.intent.name == "STOP"
                next_state = state(self.seq) if shows else None
                self.game.finish(attempt.id, make_result() if well else result, next_state=next_state)
                self.down += self.game.take()
        self.deliver_down(1.0)

    @rule(
        requests=st.lists(st.sampled_from(REQUESTS[:-2]), min_size=1, max_size=4),
        results=st.lists(st.sampled_from(RESULTS), min_size=1, max_size=4),
        agent=AGENTS,
        shows=st.booleans(),
    )
    def turn(self, requests: list[tuple[Any, Any]], results: list[Any], agent: str | None, shows: bool) -> None:
        """A turn as it should be: asked, tried, answered."""
        self.ask(requests, agent, 5.0)
        self.play(results, shows)
        if shows:
            self.all_is_well()

    @rule()
    def show(self) -> None:
        """The game answers the oldest request for a state."""
        if self.game is not None and self.wanted:
            self.seq += 1
            self.game.show_state(state(self.seq, id=self.wanted.pop(0)))
            self.down += self.game.take()

    @rule()
    def all_is_well(self) -> None:
        """Everything is connected, delivered, shown and done."""
        self.reconnect(max_inflight=8)
        for _ in range(3):
            self.deliver_up(1.0)
            while self.wanted and self.game is not None:
                self.show()
            while self.game is not None and (attempt := self.game.take_attempt(self.way.now)):
                self.game.finish(attempt.id, make_result())
            self.down += self.game.take() if self.game is not None else b""
            self.deliver_down(1.0)

    @rule(mishap=st.sampled_from([*MALFORMED, *NOISE, "hang up"]))
    def break_the_contract(self, mishap: Any) -> None:
        """The executor sends noise, answers an intent badly, or hangs up; then what was in the pipes is lost."""
        sent = [frame for frame in self.frames if isinstance(frame, IntentFrame)]
        if mishap == "hang up":
            self.way.end()
        elif isinstance(mishap, bytes):
            self.down += mishap
        elif sent:
            self.down += encode(ResultFrame(id=sent[-1].id, intent=sent[-1].intent, result=mishap))

    @rule(seconds=st.sampled_from([0.01, 0.05, 0.3, 1.0]))
    def wait(self, seconds: float) -> None:
        self.way.wait(seconds)
        self._settle()
        if self.game is not None:
            self.game.poll(self.way.now)
            self.down += self.game.take()

    @rule(back=st.integers(-1, 3))
    def cancel_or_refresh(self, back: int) -> None:
        if back < 0:
            self.way.refresh()
        elif len(self.way.door.waiting) > back:
            self.way.door.cancel(self.way.door.waiting[-1 - back])
            self.way.flush()
        self._settle()

    @rule(max_inflight=st.sampled_from([1, 4, 16]), fits=st.booleans())
    def reconnect(self, max_inflight: int, fits: bool = True) -> None:
        """A new connection, to an executor that knows nothing of the one before; it may be of another version."""
        if self.way.door.dial_at is None:
            return
        self.way.now = max(self.way.now, self.way.door.dial_at)
        self.up, self.down, self.wanted, self.frames, self.seq = b"", b"", [], [], 0
        welcome = limited(max_inflight=max_inflight)
        if not fits:
            welcome = msgspec.structs.replace(welcome, spec="2.0.0")
        self.game = ExecutorSession(welcome, now=self.way.now)
        self.way.door.connection_made(self.way.now)
        self.way.flush()
        self._settle()

    @invariant()
    def what_is_seen_agrees(self) -> None:
        door = self.way.door
        assert (door.dial_at is None) == (door._session is not None)
        assert door.room == 0 or (door.phase == "ready" and door.fresh)

    def teardown(self) -> None:
        """When all is over, everything that was recorded keeps every law."""
        self.way.close()
        told = {outcome.ticket: outcome for outcome in of(Outcome, self.way.record)}
        for ticket, outcome in told.items():
            taken = self.way.door.outcome(ticket)
            assert taken is (outcome if outcome.purpose == "policy" else None)
        assert broken_laws(self.way.record) == []
        assert self.way.door.waiting == ()


@pytest.mark.req("EX-03", "EX-05", "EX-07", "EX-08", "EX-16")
def test_whatever_happens_the_record_keeps_every_law() -> None:
    """Whatever happens between a door and an executor, in whatever order, every law holds of the record."""
    run_state_machine_as_test(Meeting, settings=settings(stateful_step_count=50, deadline=None))
