"""Both sides talk over a wire that loses, delays, doubles, reorders and spoils, on a clock that is moved by hand."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.execution.wire.samples import WELCOME, Pair, lines, of, state
from volition.core.clock import ManualClock
from volition.execution import Evade, IncomingIntent, Jump, Move, Stop, make_result
from volition.execution.wire import frames as f
from volition.execution.wire.frames import Hello, StateRequest, Welcome
from volition.execution.wire.request import Outcome
from volition.execution.wire.session.events import Closed, LateAnswer, Ready, SessionEvent, Stalled
from volition.execution.wire.session.executor import ExecutorSession
from volition.execution.wire.session.incoming import BridgeLost, ExecutorEvent
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from volition.execution.wire.intents import CanonicalIntent

STEP = 0.05


class Wire:
    """One direction: what is put in comes out later, or not, or twice, or spoilt; `trouble` is how likely each is."""

    def __init__(self, random: Random, trouble: float) -> None:
        self.random, self.trouble = random, trouble
        self.cut = False
        self._flying: list[tuple[float, int, bytes]] = []
        self._count = 0

    def put(self, data: bytes, now: float) -> None:
        for line in data.splitlines(keepends=True):
            copies = 0 if self._bad() else 2 if self._bad() else 1
            for _ in range(copies):
                spoilt = bytes(self.random.choices(line, k=len(line) - 1)).replace(b"\n", b"") + b"\n"
                delay = self.random.random() * 0.6 if self._bad() else 0.0
                self._count += 1
                self._flying.append((now + delay, self._count, spoilt if self._bad() else line))

    def get(self, now: float) -> list[bytes]:
        """What has arrived, in pieces of any size."""
        due = sorted(flight for flight in self._flying if flight[0] <= now)
        self._flying = [flight for flight in self._flying if flight[0] > now]
        data = b"" if self.cut else b"".join(line for *_, line in due)
        cuts = sorted(self.random.randint(0, len(data)) for _ in range(3))
        return [piece for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True) if (piece := data[a:b])]

    def _bad(self) -> bool:
        return self.random.random() < self.trouble


class Conversation:
    """A bridge with a restless policy, a game that takes its time, and all that an observer of both sees."""

    def __init__(self, seed: int, trouble: float) -> None:
        self.random = Random(seed)
        self.clock = ManualClock()
        self.session = Session(now=0.0)
        self.executor = ExecutorSession(WELCOME, now=0.0)
        self.there, self.back = Wire(self.random, trouble), Wire(self.random, trouble)
        self.sent: dict[int, CanonicalIntent] = {}
        self.attempted: list[IncomingIntent] = []
        self.told: list[SessionEvent] = []
        self.heard: list[ExecutorEvent] = []
        self.out: list[f.Frame] = []
        self.under_way: dict[int, float] = {}
        self.seq = 0

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.clock.advance(STEP)
            self._policy()
            self._bridge()
            self._game()

    def hang_up(self) -> None:
        """The wire goes silent both ways; both sides get the time to notice."""
        self.there.cut = self.back.cut = True
        self.run(round(6 / STEP))

    def _policy(self) -> None:
        now = self.clock.monotonic()
        if self.session.room and self.random.random() < 0.6:
            offered: list[CanonicalIntent] = [Jump(), Evade(), Move((self.random.random(), 0, 0))]
            intent = self.random.choice(offered)
            self.sent[self.session.send(intent, now=now, ttl=self.random.choice([0.1, 0.4, 2.0]))] = intent
        if self.session.open_ids and self.random.random() < 0.1:
            self.session.cancel(self.random.choice(self.session.open_ids))

    def _bridge(self) -> None:
        now = self.clock.monotonic()
        for piece in self.back.get(now):
            self.told += self.session.receive(piece, now)
        self.told += self.session.poll(now)
        assert self.session.wake_at is None or self.session.wake_at > now
        data = self.session.take()
        self.out += lines(data)
        self.there.put(data, now)

    def _game(self) -> None:
        now, executor = self.clock.monotonic(), self.executor
        executor.tick += 1
        events = [event for piece in self.there.get(now) for event in executor.receive(piece, now)] + executor.poll(now)
        assert executor.wake_at is None or executor.wake_at > now
        self.heard += events
        for asked in of(StateRequest, events):
            self.seq += 1
            executor.show_state(state(self.seq, id=asked.id, tick=executor.tick))
        while attempt := executor.take_attempt(now):
            self.attempted.append(attempt)
            self.under_way[attempt.id] = now + self.random.choice([0, 0, 0.1, 0.7])
        for id in [id for id, due in sorted(self.under_way.items()) if due <= now]:
            del self.under_way[id]
            if id in executor.under_way:
                executor.finish(id, make_result(engine_timestamp=id))
        self.back.put(executor.take(), now)


@pytest.mark.req("EX-04", "EX-11", "EX-13", "EX-15", "EX-16")
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.01, 0.03, 0.1, 0.4]))
@example(0, 0.0)
@example(1128, 0.03)
def test_the_contract_holds_on_a_bad_wire(seed: int, trouble: float) -> None:
    """Whatever the wire does, the laws of the conversation hold, and both sides come to an end."""
    connection = Conversation(seed, trouble)
    connection.run(300)
    connection.hang_up()
    finished, frames_out = of(Outcome, connection.told), connection.out
    intents = of(f.IntentFrame, frames_out)

    # Exactly one final word for each intent that went out, and for no other.
    assert Counter(event.id for event in finished) == Counter(frame.id for frame in intents)
    assert all(event.sent == connection.sent.get(event.id or 0, Stop()) for event in finished)
    # A result is bound to the intent that it answers: the game stamps each with its id, the session with 0.
    read = [(event.id, event.result) for event in finished if event.label != "malformed"]
    read += [(event.id, event.result) for event in of(LateAnswer, connection.told)]
    assert all(result.metadata.engine_timestamp in {0, id} for id, result in read)
    # Nothing late that was not given up before.
    given_up = {event.id for event in finished if not event.answered and event.label in {"timeout", "malformed"}}
    assert {event.id for event in of(LateAnswer, connection.told)} <= given_up
    # No id is attempted twice, and what is attempted is what was sent.
    assert len({attempt.id for attempt in connection.attempted}) == len(connection.attempted)
    assert all(attempt.intent == connection.sent.get(attempt.id, Stop()) for attempt in connection.attempted)
    # The greeting comes first and once; then the request for the state, then STOP, then the policy.
    assert isinstance(frames_out[0], f.Hello)
    assert len(of(f.Hello, frames_out)) == 1
    if intents:
        assert of(Welcome, connection.told)
        assert intents[0].intent == "STOP"
        assert of(f.StateRequest, frames_out)[0].id < intents[0].id
    # The policy speaks only after the opening.
    assert bool(of(Ready, connection.told)) >= bool(connection.sent)
    # Both sides notice the end, once, and tell nothing after it.
    assert [type(event) for event in connection.told].index(Closed) == len(connection.told) - 1
    assert len(of(BridgeLost, connection.heard)) == len(of(Hello, connection.heard))
    assert connection.executor.phase == connection.session.phase == "closed"


def test_a_good_wire_loses_nothing() -> None:
    """Without trouble and with time enough, nothing stalls or breaks until the wire is cut."""
    connection = Conversation(seed=1, trouble=0.0)
    connection.run(200)
    assert connection.session.phase == "ready"
    assert not of(Stalled, connection.told)
    answered = [event for event in of(Outcome, connection.told) if event.answered]
    assert len(answered) > 50
    assert {event.label for event in answered} >= {"positive", "unknown"}


@pytest.mark.req("EX-16")
def test_between_a_fallback_and_its_answer_the_policy_is_silent() -> None:
    """No intent but STOP goes out while a STOP of the session's own is open, and never two of those at once."""
    for seed in range(20):
        connection = Conversation(seed, trouble=0.05)
        for _ in range(200):
            connection.run(1)
            own = connection.session._open.stop
            assert own is None or connection.session.room == 0
            open_stops = [id for id in connection.session.open_ids if id not in connection.sent]
            assert open_stops == ([] if own is None else [own])


@pytest.mark.req("EX-16")
def test_a_new_connection_starts_from_nothing() -> None:
    """After a loss a new pair of sessions goes through handshake, full state and STOP again before any intent."""
    pair = Pair()
    pair.exchange()
    pair.session.send(Jump(), now=0, ttl=60)
    pair.exchange(play=False)
    pair.wait(3.0)
    (lost,) = of(Outcome, pair.told[-2:])
    assert (lost.sent, lost.answered) == (Jump(), False)
    assert [type(event) for event in pair.heard][-1] is BridgeLost

    again = Pair(Session(now=3.0), ExecutorSession(WELCOME, now=3.0), now=3.0)
    assert [type(event).__name__ for event in again.exchange()] == ["Welcome", "StateFrame", "Outcome", "Ready"]


@pytest.mark.req("EX-16")
def test_idle_sides_keep_each_other_alive() -> None:
    """With nothing to say both sides ping and answer, and neither gives the other up."""
    pair = Pair()
    pair.exchange()
    for second in range(60):
        pair.executor.tick = second
        pair.wait(1.0)
        pair.exchange()
    assert pair.session.phase == "ready"
    assert pair.executor.phase == "open"
