"""A MOVE that stays open: the same verdict however late the kit is, and no liar escapes because of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.conformance.laws.defects import DEFECTS
from tests.execution.conformance.starving import Starved, Suspended
from tests.execution.conformance.subject import TOKEN, Probed, Queueing, Subject
from volition.core.clock import ManualClock
from volition.execution import About, Ended, IncomingIntent, Move, make_result
from volition.execution.conformance import check, kit
from volition.execution.executor.host import Host
from volition.execution.wire.frames import StateSchema
from volition.execution.worlds.arena.probe import ArenaProbe

if TYPE_CHECKING:
    from tests.execution.conformance.laws.defect import Defect
    from volition.execution.conformance.law import Check
    from volition.execution.conformance.verdict import CheckResult, Report

LAWS = (
    "ids.repeated_while_open", "cancel.acknowledged", "cancel.result_follows", "cancel.twice", "cancel.only_its_own",
    "stop.ends_what_is_open", "stop.overtakes", "heartbeat.open_ids",
)  # fmt: skip
"""What begins with an open MOVE and needs no probe."""
UNTIMED = ("ids.repeated_while_open", "cancel.acknowledged", "stop.ends_what_is_open", "heartbeat.open_ids")
"""Those of them that measure nothing."""
TICK = 0.05
"""A tick of the arena: what is under way for one tick only is over when a later kit sends its cancel."""
PROBED = ("truth.stop_stands", "dead_man.after_the_end", "dead_man.after_goodbye", "dead_man.after_torn_line")


@dataclass
class Crane:
    """A world of 100 ticks a second in which every MOVE takes the same number of ticks."""

    ticks: int
    tick: int = 0
    episode: int = 1
    alive: bool = True
    under_way: dict[IncomingIntent, int] = field(default_factory=dict)

    @property
    def about(self) -> About:
        schema = StateSchema(name="crane", version="1", hash="none")
        return About(name="crane", version="1", state_schema=schema, intents=("MOVE", "STOP"), tick_hz=100.0)

    def attempt(self, attempt: IncomingIntent) -> list[Ended]:
        ended = self.cancel(attempt)
        if isinstance(attempt.intent, Move):
            self.under_way[attempt] = self.tick + self.ticks
            return ended
        return [*ended, Ended(attempt, make_result())]

    def cancel(self, attempt: IncomingIntent) -> list[Ended]:
        ended = [Ended(each, make_result("PARTIAL")) for each in self.under_way]
        self.under_way.clear()
        return ended

    def step(self) -> list[Ended]:
        self.tick += 1
        done = [attempt for attempt, due in self.under_way.items() if due <= self.tick]
        for attempt in done:
            del self.under_way[attempt]
        return [Ended(attempt, make_result()) for attempt in done]

    def state(self, *, full: bool) -> Any:
        return {}

    def stop(self) -> None:
        self.under_way.clear()


def judged(ticks: int, late: float, *, together: bool) -> Report:
    """What a kit that is `late` for every write says of a world whose MOVEs take that many ticks."""
    clock = ManualClock()
    host = Host(Crane(ticks))
    return check(lambda: Starved(host.connect(clock), clock, late, together=together), clock=clock, only=LAWS)


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("late", [0.0, 0.02, 0.3])
@pytest.mark.parametrize(("ticks", "verdict"), [(1, "not applicable"), (8, "not applicable"), (200, "holds")])
def test_a_late_kit_says_the_same(ticks: int, verdict: str, late: float, together: bool) -> None:
    """Whether a MOVE stays open is a matter of the executor's ticks, not of how fast the kit or its machine is."""
    report = judged(ticks, late, together=together)
    assert {row.check: row.verdict for row in report.rows} == dict.fromkeys(LAWS, verdict)


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("pause", [0.0, 2.9, 4.5, 12.0])
@pytest.mark.parametrize(("ticks", "verdict"), [(8, "not applicable"), (200, "holds")])
def test_a_suspended_machine_says_the_same(ticks: int, verdict: str, pause: float) -> None:
    """A pause of the whole machine is no proof that ticks stand still, nor that a MOVE stays open."""
    clock, host = ManualClock(), Host(Crane(ticks))

    def lose(seconds: float) -> None:
        host._began += seconds

    stream = partial(Suspended, clock=clock, pauses=chain([pause], repeat(0.0, 6), [pause]), lose=lose)
    report = check(lambda: stream(host.connect(clock)), clock=clock, only=UNTIMED, limit=1e6)
    assert {row.check: row.verdict for row in report.rows} == dict.fromkeys(UNTIMED, verdict)


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("late", [0.03, 0.06])
def test_the_kit_tries_again_until_it_is_in_time(late: float) -> None:
    """A MOVE that is over before a late kit looks is begun again, and no law calls a short one broken."""
    report = judged(20, late, together=False)
    assert report.broken == ()
    assert {row.verdict for row in report.rows} <= {"holds", "not applicable"}


@pytest.mark.req("EX-26")
@pytest.mark.parametrize(
    ("kind", "late", "together"), [(Subject, 0.06, False), (Queueing, 0.1, False), (Probed, 0.3, True)]
)
def test_a_late_kit_blames_nobody(
    kind: type[Subject], late: float, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late the kit is, no law breaks on a good executor by more than the clock."""
    blamed: list[str] = []

    def watched(self: kit._Run, check: Check, patience: float) -> tuple[CheckResult, bool]:
        row, by_the_clock = once(self, check, patience)
        blamed.extend([str(row)] if row.verdict == "breaks" and not by_the_clock else [])
        return row, by_the_clock

    once = kit._Run.try_once
    monkeypatch.setattr(kit._Run, "try_once", watched)
    subject = kind()
    check(
        lambda: Starved(subject.dial(), subject.clock, late, together=together),
        token=TOKEN,
        clock=subject.clock,
        known_probes=(ArenaProbe(),),
    )
    assert blamed == []


def begins_with_a_move(defect: type[Defect]) -> bool:
    return bool(defect.caught_by & {*LAWS, *PROBED})


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("late", [0.02, 0.1])
@pytest.mark.parametrize("defect", [*filter(begins_with_a_move, DEFECTS)], ids=lambda defect: defect.__name__)
def test_a_late_kit_catches_liars(defect: type[Defect], late: float) -> None:
    """A defect that shows only while a MOVE is open is caught by a late kit as by a fast one, or not judged at all."""
    subject = defect()
    wanted = defect.caught_by & {*LAWS, *PROBED}
    report = check(
        lambda: Starved(subject.dial(), subject.clock, late),
        token=TOKEN,
        clock=subject.clock,
        only=sorted(wanted),
        known_probes=(ArenaProbe(),),
    )
    if late < TICK:
        assert set(report.broken) == wanted
    assert report.count("holds") == 0
