"""A journal is looked at moment by moment: nothing twice, nothing lost, nothing without a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.execution.connecting.connect import connect
from volition.execution.journal import read_transitions
from volition.execution.worlds.pilot import Pilot, drive
from volition.studio.moments import read_moments

if TYPE_CHECKING:
    from pathlib import Path


def recorded(path: Path, steps: int) -> None:
    with connect("embedded", seed=steps, journal=path, meta={"seed": steps}) as bridge:
        drive(bridge, steps, lambda _: None, pilot=Pilot())


def test_every_attempt_is_in_one_moment_with_its_states(tmp_path: Path) -> None:
    """The attempts of all runs are there once and in order, each with the state after it; runs say what they are."""
    for steps in (12, 5):
        recorded(tmp_path / "j", steps)
    runs = read_moments(tmp_path / "j")
    assert [(run.run, run.meta, run.executor, run.closed) for run in runs] == [
        (1, {"seed": 12}, "arena", True),
        (2, {"seed": 5}, "arena", True),
    ]
    found = [moment for run in runs for moment in run.moments if moment.attempt is not None]
    written = list(read_transitions(tmp_path / "j"))
    assert [(moment.attempt, moment.state) for moment in found] == [
        (step.attempt, step.next_state or step.state) for step in written
    ]
    for run in runs:
        assert [moment.number for moment in run.moments] == list(range(1, len(run.moments) + 1))
        assert run.map["name"] == "courtyard"
        assert run.attempts == sum(moment.attempt is not None for moment in run.moments)


def test_what_is_too_much_is_counted(tmp_path: Path) -> None:
    """No more moments are held than are allowed; the others are counted, and what is held is the beginning."""
    recorded(tmp_path / "j", 12)
    (whole,) = read_moments(tmp_path / "j")
    (part,) = read_moments(tmp_path / "j", most=7)
    assert part.moments == whole.moments[:7]
    assert (part.attempts, part.closed) == (whole.attempts, True)
    assert part.left_out >= len(whole.moments) - 7
