"""Judging: goals are met by what later states show, and by nothing else."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from volition.core.errors import InvalidInput
from volition.execution.worlds.pilot import DefeatOpponent, Spot
from volition.execution.worlds.pilot import judge as judging
from volition.execution.worlds.pilot.judge import Judge
from volition.execution.worlds.pilot.situation import Foe, Me, PilotSituation

if TYPE_CHECKING:
    from tests.sentences import Told

START = PilotSituation(1, 0, 1, Me((1.5, 1.5)), Foe((3.5, 1.5)))


def later(seq: int, me: Me | None = None, foe: Foe | None = None, episode: int = 1) -> PilotSituation:
    return replace(START, seq=seq, tick=seq, episode=episode, me=me or START.me, foe=foe or START.foe)


@pytest.mark.req("EX-10")
def test_a_judge_knows_no_results() -> None:
    """Nothing in the module names a result, an outcome or a status, so none can be mistaken for a goal."""
    source = inspect.getsource(judging)
    assert "results" not in source
    assert "outcome" not in source.lower()
    assert [*inspect.signature(Judge.see).parameters] == ["self", "situation"]


@pytest.mark.req("EX-10")
def test_no_later_state_no_verdict() -> None:
    """Silence, and a state that is not later, leave the verdict unchanged and count nothing."""
    judge = Judge(DefeatOpponent())
    judge.begin(START)
    down = replace(START, foe=Foe((3.5, 1.5), alive=False, health=0.0))
    for seen in (None, down, START):
        judged = judge.see(seen)
        assert (judged.verdict, judged.seq, judged.hurt, judged.defeated) == ("open", None, 0.0, False)


@pytest.mark.req("EX-10")
def test_the_opponent_is_defeated_when_a_later_state_says_so() -> None:
    """Hurt is not defeated; down is, once, and stays met while it is down."""
    judge = Judge(DefeatOpponent())
    judge.begin(START)
    hurt = judge.see(later(2, foe=Foe((3.5, 1.5), health=0.25)))
    assert (hurt.verdict, hurt.hurt, hurt.seq) == ("open", 0.75, 2)
    down = judge.see(later(3, foe=Foe((3.5, 1.5), alive=False, health=0.0)))
    assert (down.verdict, down.defeated) == ("met", True)
    still = judge.see(later(4, foe=Foe((3.5, 1.5), alive=False, health=0.0)))
    assert (still.verdict, still.defeated) == ("met", False)
    assert judge.see(later(5, foe=Foe((3.5, 1.5)))).verdict == "open"


def test_an_opponent_found_down_was_not_defeated() -> None:
    """An opponent that was down in the first state, or fell in another episode, does not count."""
    down = Foe((3.5, 1.5), alive=False, health=0.0)
    judge = Judge(DefeatOpponent())
    judge.begin(later(1, foe=down))
    assert judge.see(later(2, foe=down)).verdict == "open"
    other = Judge(DefeatOpponent())
    other.begin(START)
    assert not other.see(later(2, foe=down, episode=2)).defeated


def test_a_place_is_reached_on_the_ground_and_alive() -> None:
    """Near enough counts; above it in the air does not, and who is dead has lost."""
    judge = Judge(Spot(2.5, 1.5, near=0.2))
    judge.begin(START)
    assert judge.see(later(2, Me((2.2, 1.5)))).verdict == "open"
    assert judge.see(later(3, Me((2.5, 1.5), in_air=True))).verdict == "open"
    assert judge.see(later(4, Me((2.4, 1.5)))).verdict == "met"
    dead = judge.see(later(5, Me((2.5, 1.5), alive=False, health=0.0)))
    assert (dead.verdict, dead.died, dead.harm) == ("lost", True, 1.0)


def test_a_new_connection_begins_again() -> None:
    """After a connection was lost, a lower count of states is later all the same."""
    judge = Judge(Spot(1.5, 1.5))
    judge.begin(later(50))
    judge.forget()
    judge.begin(later(1))
    assert judge.see(later(2)).seq == 2


@pytest.mark.parametrize("place", [(float("nan"), 1.0, 0.3), (1.0, float("inf"), 0.3), (1.0, 1.0, 0.0)])
def test_a_goal_is_a_place(place: tuple[float, float, float], told: Told) -> None:
    """A goal that is nowhere, or that nothing is near enough to, is refused."""
    with told.raises(InvalidInput):
        Spot(*place)
