"""The kit comes to an end, whatever an executor does or leaves, and does not wait again and again for what never comes."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, ClassVar

import pytest

from tests.execution.conformance.laws.defects_success import FailsAllButStop
from tests.execution.conformance.laws.defects_world import MoveWithoutMovement
from tests.execution.conformance.subject import Frame, Subject, Wire, written
from volition.core.clock import SystemClock
from volition.execution.conformance import check, connection
from volition.execution.conformance.kit import LIMIT, LONGEST
from volition.execution.conformance.laws import CHECKS
from volition.execution.conformance.patience import PROVEN, Blocked, LoadMeter, LoadReading, Unjudged, Waiting
from volition.execution.executor.host import Host
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News
    from volition.execution.transports.stream import Stream


class Absent(Subject):
    """Welcomes, and then says nothing more."""

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        return [frame] if frame["type"] == "welcome" else []


class Chatterbox(Subject):
    """Says everything a thousand times."""

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        return [frame] if frame["type"] == "welcome" else [written(frame)] * 1000


class Dumping(Subject):
    """Answers with a line that does not end."""

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        return [frame] if frame["type"] == "welcome" else [b"x" * 2**23]


class Nonsense(Subject):
    """Its frames have fields of the wrong types, or none."""

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        if frame["type"] in {"welcome", "reject"}:
            return [frame]
        return [frame | dict.fromkeys([key for key in frame if key not in {"type", "id", "v"}], None), b"[]", b""]


class Late(Subject):
    """Says everything but the welcome after some time."""

    after: ClassVar = 29.0

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        if frame["type"] in {"welcome", "reject"}:
            return [frame]
        wire.notes.setdefault("late", []).append((self.now + self.after, frame))
        return []

    def stepped(self, wire: Wire) -> None:
        late = wire.notes.get("late", [])
        wire.add(*(frame for due, frame in late if due <= self.now))
        wire.notes["late"] = [each for each in late if each[0] > self.now]


class JustInTime(Late):
    """Says everything but the welcome as late as it may."""

    after: ClassVar = 1.9


class Sluggish(Late):
    """Takes 1.5 s for every STOP."""

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        if frame["type"] == "result" and frame["intent"] == "STOP":
            wire.notes.setdefault("late", []).append((max(self.now, wire.notes.get("free", 0)) + 1.5, frame))
            wire.notes["free"] = wire.notes["late"][-1][0]
            return []
        return [frame]


class Clinging(Subject):
    """Never ends a connection."""

    def dial(self) -> Stream:
        stream = super().dial()
        stream.peer = Endless(stream.peer)  # type: ignore[attr-defined]
        return stream


class Endless:
    """A peer that is never over: what was said last stays the last word."""

    over = False

    def __init__(self, inner: Wire) -> None:
        self.inner = inner

    @property
    def wake_at(self) -> float | None:
        return None if self.inner.over else self.inner.wake_at

    def receive(self, data: bytes, now: float) -> None:
        if not self.inner.over:
            self.inner.receive(data, now)

    def step(self, now: float) -> None:
        self.inner.step(now)

    def take(self) -> bytes:
        return b"".join(line for line in self.inner.take().splitlines(keepends=True) if b"goodbye" not in line)

    def end(self, now: float) -> None:
        self.inner.end(now)


class Walker(Subject):
    """Never ends a MOVE, whatever is sent."""

    class game(ArenaExecutor):  # noqa: N801  in the place of the subject's own
        def attempt(self, attempt: IncomingIntent) -> list[News]:
            return [] if attempt.intent.name == "MOVE" else super().attempt(attempt)


class Frozen(Subject):
    """Its ticks stand still."""

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        for state in (frame, frame.get("next_state")):
            if isinstance(state, dict) and "tick" in state:
                state["tick"] = 7
        return [frame]


@pytest.mark.req("EX-26")
@pytest.mark.parametrize(
    ("subject", "silent"),
    [
        (Absent, True), (Late, True), (Clinging, True), (Walker, True), (Frozen, True),
        (Chatterbox, False), (Dumping, False), (Nonsense, False), (JustInTime, False),
    ],
)  # fmt: skip
def test_a_bad_executor_cannot_hold_the_kit_up(
    subject: type[Subject], silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever an executor does or leaves, there is a row for each law within the time limit, and it does not conform.

    Where something never comes, laws that need it name the one that has proven it, and do not wait for it again.
    """
    monkeypatch.setattr(connection, "MOST_LINES", 10_000)
    report = subject().tested()
    assert len(report.rows) == len(CHECKS)
    assert report.broken
    assert not report.holds
    assert report.seconds <= LIMIT + 1
    blocked = [row.found.partition("blocked by ")[2].partition(":")[0] for row in report.rows]
    assert not silent or {*filter(None, blocked)}
    assert {*filter(None, blocked)} <= {each.name for each in CHECKS}


@pytest.mark.req("EX-26")
@pytest.mark.parametrize("limit", [1.0, 12.0])
def test_what_is_not_reached_is_not_judged(limit: float, told: Told) -> None:
    """A good executor that is not tried to the end does not conform: each row that is missing says why."""
    report = Subject().tested(limit=limit)
    assert report.seconds <= limit + 1
    assert report.broken == ()
    assert not report.holds
    assert len(report.rows) == len(CHECKS)
    missing = [row for row in report.rows if row.verdict == "not judged"]
    assert missing
    assert all(f"the time limit of the run, {limit:g} s," in row.found for row in missing)
    told(report.summary.partition(":")[0])


@pytest.mark.req("EX-26")
def test_the_first_broken_law_may_be_the_last() -> None:
    """With fail_fast nothing is tried after the first law that breaks, and each row says so."""
    report = MoveWithoutMovement().tested("opening", "truth", "goodbye", fail_fast=True)
    at = [row.verdict for row in report.rows].index("breaks")
    after = report.rows[at + 1 :]
    assert report.broken == ("truth.move",)
    assert after
    assert {(row.verdict, row.found) for row in after} == {
        ("not judged", "not tried: truth.move breaks, and the run ends there")
    }


def test_no_law_takes_minutes() -> None:
    """A law that an executor is too slow for is left without a verdict when its time is over; then it does not conform."""
    report = Sluggish().tested("ids.remembered", "window", "stop.overtakes")
    (row,) = (row for row in report.rows if row.check == "ids.remembered")
    assert row.verdict == "not judged"
    assert f"no verdict within {LONGEST:g} s" in row.found
    assert all(row.seconds <= LONGEST + 10 for row in report.rows)
    assert "stop.overtakes" in report.broken
    assert not report.holds


@pytest.mark.parametrize("overslept", [0.0, 0.5], ids=["calm", "busy"])
def test_an_executor_that_cannot_be_dialled_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch, overslept: float, told: Told
) -> None:
    """A dial that hangs ends with the time of the run; a busy machine is named as well. What it brings later is closed."""
    monkeypatch.setattr(LoadMeter, "read", lambda meter: LoadReading(overslept, 0.0, 0.0))
    host = Host(ArenaExecutor(Arena(shipped_map("courtyard"))), now=SystemClock().monotonic())
    open_again, dials = Event(), 0

    def dial() -> Stream:
        nonlocal dials
        dials += 1
        if dials > 1:
            open_again.wait()
        return host.connect(SystemClock())

    report = check(dial, limit=0.3, only=["handshake.welcome", "goodbye"])
    open_again.set()
    assert {row.verdict for row in report.rows} == {"not judged"}
    told(report.rows[0].found)


def test_patience_ends_with_the_proof_and_returns_with_an_answer(told: Told) -> None:
    """Laws wait in full until the silence is proven; later ones hardly, and are blocked; one answer, and all wait again."""
    waiting = Waiting()
    for n in range(PROVEN):
        waiting.begin(f"law {n}", None, "")
        assert waiting.time_for("a pong", 4.0) == 4.0
        waiting.note_silence("a pong")
        assert waiting.time_for("a pong", 4.0) == 4.0, "the law that misses it may look again"
    times = []
    for n in range(6):
        waiting.begin(f"later {n}", None, "")
        times.append(waiting.time_for("a pong", 4.0))
        assert waiting.time_for("a state", 4.0) == 4.0
        with told.raises(Blocked):
            waiting.note_silence("a pong")
    assert times == [2.0, 1.0, 0.5, 0.25, 0.25, 0.25]
    waiting.note_answer("a pong")
    assert waiting.time_for("a pong", 4.0) == 4.0


def test_a_law_has_no_more_time_than_the_run(told: Told) -> None:
    """Every wait ends with the time of its law, which is then not judged."""
    waiting = Waiting()
    waiting.begin("a law", 10.0, "the time is over")
    assert waiting.until(4.0, 2.0) == 6.0
    assert waiting.until(4.0, 20.0) == 10.0
    waiting.expect_time(9.9)
    with told.raises(Unjudged):
        waiting.expect_time(10.0)


@pytest.mark.req("EX-26")
def test_nobody_conforms_who_succeeds_at_nothing(told: Told) -> None:
    """An executor that fails everything but STOP does not conform, and neither does one of which hardly a law could be tried."""
    report = FailsAllButStop().tested("intents", "conduct")
    (row,) = (row for row in report.rows if row.check == "conduct.each_succeeds")
    assert row.verdict == "breaks"
    assert {"JUMP", "FAILURE/INVALID_STATE"} <= set(row.found.replace(",", "").split())
    little = FailsAllButStop().tested("cancel")
    assert little.broken == ()
    assert not little.holds
    told(little.summary.rpartition(" (")[0])
