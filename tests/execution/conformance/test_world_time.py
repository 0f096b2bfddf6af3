"""Waiting by the executor's own ticks: a machine that loses time gives the kit more of it, not fewer looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.conformance.subject import Frame, Subject, Wire
from volition.execution.conformance.verdict import NotApplicable, Unseen
from volition.execution.conformance.world_time import LOOKS, Patience, seconds_until, shown_seconds

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed

TICK = 0.05
"""A tick of the arena, in seconds."""


def greeted(subject: Subject) -> TestBed:
    """The test bed of an executor whose welcome is known."""
    bed = subject.bed()
    bed.know(bed.greet(bed.connect()))
    return bed


class Timeless(Subject):
    """Shows no ticks at all."""

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        return [{key: value for key, value in frame.items() if key != "tick"}]


class Standing(Subject):
    """A world whose ticks stand still."""

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        return [frame | {"tick": 7} if "tick" in frame else frame]


@pytest.mark.parametrize(("pause", "looks"), [(5.0, LOOKS), (0.03125, 193)])
def test_the_kit_looks_often_before_it_says_never(pause: float, looks: int) -> None:
    """Where no tick is shown, a machine that leaves the kit few looks in six seconds gives it more seconds."""
    bed = greeted(Timeless())
    patience, looked = bed.patience(bed.open_session(), 6.0), 0
    for _ in patience:
        bed.clock.sleep(pause)
        looked += 1
    assert looked == looks
    assert type(patience.give_up("it never came")) is Unseen


@pytest.mark.parametrize("lost", [0.0, 0.1])
def test_a_wait_is_for_the_world_not_for_the_clock(lost: float) -> None:
    """However much time the world loses between two looks, it has had its seconds before the kit gives up; then that is
    a finding."""
    subject = Subject()
    bed = greeted(subject)
    connection = bed.open_session()
    patience, began = bed.patience(connection, 6.0), connection.state()["tick"]
    for _ in patience:
        subject.clock.sleep(lost)
        subject.host._began += lost  # the world had no core in this time
        connection.state()
        connection.gather(TICK)
    assert 6.0 <= (connection.state()["tick"] - began) * TICK <= 6.0 + 10 * TICK
    assert type(patience.give_up("it never came")) is NotApplicable


def test_a_world_that_stands_still_does_not_hold_the_kit_up() -> None:
    """Ticks that do not grow end the wait all the same, and prove nothing."""
    bed = greeted(Standing())
    connection = bed.open_session()
    patience, began = bed.patience(connection, 6.0), connection.now
    for _ in patience:
        connection.state()
        connection.gather(TICK)
    assert connection.now - began <= 30.0
    assert type(patience.give_up("it never came")) is Unseen
    bed.let_pass(connection, 3)


@pytest.mark.parametrize("ticks", [1, 3, 40])
def test_ticks_pass(ticks: int) -> None:
    """Letting ticks pass ends when the states show that they have passed."""
    bed = greeted(Subject())
    connection = bed.open_session()
    before = connection.state()["tick"]
    bed.let_pass(connection, ticks)
    assert connection.state()["tick"] - before in {ticks, ticks + 1}


class Heard:
    """What a connection has heard, for pure functions about it."""

    def __init__(self, *frames: Frame) -> None:
        self.heard = [type("LoggedLine", (), {"data": frame})() for frame in frames]


def shown(tick: Any) -> Frame:
    return {"type": "state", "tick": tick}


@pytest.mark.parametrize(
    ("frames", "seconds"),
    [
        ((), None),
        ((shown(None),), None),
        ((shown(3),), 0.0),
        ((shown(3), {"type": "pong", "tick": 5}, shown(9)), 0.3),
        ((shown(90), shown(2), shown(4)), 0.1),  # another episode began between the first two
        ((shown(3), {"type": "result", "next_state": shown(1)}, shown(4)), 0.05),  # a result that was sent again
    ],
)
def test_shown_seconds(frames: tuple[Frame, ...], seconds: float | None) -> None:
    """Time is the sum of the ticks by which states and pongs grow; no tick shown is no time known."""
    found = shown_seconds(Heard(*frames), 0, TICK)  # type: ignore[arg-type]
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_seconds_until_a_result() -> None:
    """A next_state says when its result was made; without one it is at least what was shown before the result."""
    late = {"type": "result", "id": 1}
    heard: Any = Heard(shown(10), shown(14), late, shown(90))
    assert seconds_until(heard, shown(10), late, TICK) == pytest.approx(0.2)
    assert seconds_until(heard, shown(10), late | {"next_state": {"tick": 16}}, TICK) == pytest.approx(0.3)
    assert seconds_until(heard, shown(None), late, TICK) is None
    assert seconds_until(heard, shown(10), late, 0.0) is None


def test_no_tick_rate_is_no_tick_time() -> None:
    """Where the world moves only when acted upon, patience is by the clock."""
    bed = greeted(Subject())
    connection = bed.open_session()
    began = connection.now
    for _ in Patience(connection, 6.0, 0.0):
        connection.state()
        connection.gather(0.1)
    assert 6.0 <= connection.now - began <= LOOKS * 0.1 + 0.2
