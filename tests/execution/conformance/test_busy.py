"""A busy machine is not the executor's fault: the kit waits longer, tries again, and then leaves a law without a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from tests.execution.conformance.subject import TOKEN, Subject
from tests.execution.conformance.test_limits import Late
from volition.core.clock import SystemClock
from volition.execution.conformance import check, kit
from volition.execution.conformance.bed import TestBed
from volition.execution.conformance.law import Check, in_time
from volition.execution.conformance.laws import restart, select_checks
from volition.execution.conformance.patience import LoadMeter, LoadReading
from volition.execution.conformance.verdict import Breaks, NotApplicable, TooLate, Unseen
from volition.execution.executor.host import Host
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from tests.sentences import Told


@pytest.mark.req("EX-18")
@pytest.mark.parametrize(
    ("busy", "late", "verdict", "tries"),
    [
        ([False], [True], "breaks", 1),
        ([True, True, True], [True, True, True], "not judged", 3),
        ([True, True], [True, False], "holds", 2),
        ([True, False], [True, True], "breaks", 2),
    ],
)
def test_a_busy_machine_is_not_the_executors_fault(
    monkeypatch: pytest.MonkeyPatch, busy: list[bool], late: list[bool], verdict: str, tries: int, told: Told
) -> None:
    """What only the clock of a busy machine calls broken is tried again, and then left without a verdict."""
    readings = iter([False, *busy])  # before the first try, and after each that was late
    tried: list[bool] = []

    def trial(bed: TestBed) -> None:
        tried.append(True)
        in_time(not late[len(tried) - 1], "an answer after 9 s", "an answer within 1 s")

    class Reading(LoadMeter):
        def read(self) -> LoadReading:
            return LoadReading(0.5 if next(readings) else 0.0, 0.0, 0.0)

    monkeypatch.setattr(kit, "LoadMeter", Reading)
    monkeypatch.setattr(kit, "select_checks", lambda only: (Check("late.law", "It is in time.", "Intents", trial),))
    host = Host(ArenaExecutor(Arena(shipped_map("courtyard"))), now=SystemClock().monotonic())
    report = check(lambda: host.connect(SystemClock()))
    (row,) = report.rows
    assert (row.verdict, len(tried)) == (verdict, tries)
    assert report.holds == (verdict == "holds")
    if verdict == "not judged":
        told(row.found, report.summary.rpartition(" (")[0])


@pytest.mark.parametrize(("silence", "kind"), [(4.0, TooLate), (1.0, Breaks)])
def test_a_kit_without_a_core_blames_nobody(silence: float, kind: type[Breaks]) -> None:
    """Where the kit itself sent nothing for too long, that the executor hung up is only the clock's evidence."""
    subject = Subject()
    connection = subject.bed().open_session()
    subject.clock.sleep(silence)
    subject.host.close(subject.now)
    with pytest.raises(Breaks) as found:
        connection.do("STOP")
    assert type(found.value) is kind


@pytest.mark.req("EX-18")
@pytest.mark.parametrize(
    ("overslept", "verdict", "tries"), [(0.5, "not judged", kit.TRIES), (0.0, "not applicable", 1)]
)
def test_what_a_busy_machine_hides_is_not_judged(
    monkeypatch: pytest.MonkeyPatch, overslept: float, verdict: str, tries: int
) -> None:
    """A law whose subject was not seen on a busy machine may well apply: it is tried again, and then not judged."""
    tried: list[bool] = []

    def trial(bed: TestBed) -> None:
        tried.append(True)
        raise Unseen("it was over too soon")

    monkeypatch.setattr(LoadMeter, "read", lambda meter: LoadReading(overslept, 0.0, 0.0))
    monkeypatch.setattr(kit, "select_checks", lambda only: (Check("brief.law", "It is seen.", "Intents", trial),))
    host = Host(ArenaExecutor(Arena(shipped_map("courtyard"))), now=SystemClock().monotonic())
    report = check(lambda: host.connect(SystemClock()))
    (row,) = report.rows
    assert (row.verdict, len(tried)) == (verdict, tries)
    assert not report.holds


@pytest.mark.parametrize("dies", [False, True])
def test_a_new_episode_under_a_law_may_be_the_clocks_doing(dies: bool) -> None:
    """A law that breaks while another episode begins may break because the kit looked too late; otherwise it does not."""
    subject = Subject()

    def trial(bed: TestBed) -> None:
        connection = bed.session()
        if dies:
            subject.executor.arena.reset(0)
        connection.state()
        raise Breaks("it is elsewhere", expected="an actor that stands still")

    row, late = kit._Run(subject.bed(), 0.0, 120.0, fail_fast=False, meter=None).try_once(
        Check("a.law", "It stands.", "Intents", trial)
    )
    assert (row.verdict, late) == ("breaks", dies)


class Sleepy(Late):
    """Says everything but the welcome later than a calm kit waits for it."""

    after: ClassVar = 2.6


@pytest.mark.req("EX-18")
@pytest.mark.parametrize(("overslept", "verdict"), [(0.0, "breaks"), (0.5, "holds")])
def test_a_busy_machine_gives_more_time(overslept: float, verdict: str) -> None:
    """Where programs wait for a core, an answer is waited for longer, and a law that is not about time holds."""

    class Reading(LoadMeter):
        def read(self) -> LoadReading:
            return LoadReading(overslept, 0.0, 0.0)

    run = kit._Run(Sleepy().bed(), 0.0, 120.0, fail_fast=False, meter=Reading())
    (check,) = select_checks(["opening.full_state"])
    row = run.judge(check)
    assert row.verdict == verdict
    assert row.seconds < kit.LONGEST


@pytest.mark.parametrize(("reason", "late"), [(Unseen("too late"), True), (NotApplicable("none lasts"), False)])
def test_a_late_kit_does_not_call_the_restart_inapplicable(
    reason: NotApplicable, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a late kit saw no MOVE under way at the restart, only the law about it may be tried again; the others hold."""

    def no_move(*_: object) -> int:
        raise reason

    monkeypatch.setattr(restart, "long_move", no_move)
    subject = Subject()
    bed = TestBed(subject.dial, subject.clock, token=TOKEN, seed=0, probe=None, shared=True, restart=subject.restart)
    kit._meet(bed)
    run = kit._Run(bed, 0.0, 120.0, fail_fast=False, meter=None)
    tried = {check.name: run.try_once(check) for check in select_checks(["restart"])}
    assert {name: (row.verdict, by_the_clock) for name, (row, by_the_clock) in tried.items()} == {
        "restart.requests_remembered": ("holds", False),
        "restart.tokens_remembered": ("holds", False),
        "restart.interrupted": ("not applicable", late),
    }
