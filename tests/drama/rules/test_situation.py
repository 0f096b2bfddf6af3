"""The situation in the score."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.rules.numbers import LITERAL, arguments, near, parameters, public_rules, rule_id
from volition.drama.rules import situation as rules
from volition.drama.rules.catalog import EventType
from volition.drama.rules.leaf import leaf
from volition.drama.rules.tables import Departures

if TYPE_CHECKING:
    from types import FunctionType

pytestmark = pytest.mark.req("DE-10")

OFF: Final = LITERAL.departures
ON: Final = OFF._replace(
    recency=0.15,
    recency_dramatic=0.08,
    opening_restraint=0.55,
    politeness=0.80,
    telling_cost=0.25,
    denounce=0.20,
    protect=0.30,
    grievance=0.35,
    outrage=0.60,
    swallow=0.30,
    cold=0.40,
    ally=0.15,
    chill=0.30,
    fatigue=0.15,
    suspicion_pull=0.10,
    lie_pull=0.20,
    move_cost=0.50,
    move_again=0.15,
    flight=0.40,
    manners=0.50,
    away_pull=0.045,
    crowd_pull=0.05,
    crowd_push=0.03,
    company=0.15,
    courses=0.9,
    course_window=0.25,
    unrest=1.0,
    drinking=0.60,
    needs=1.0,
    leaving=1,
    making_up=0.20,
    comfort=0.40,
    slam=0.85,
    slam_pull=0.20,
    owed=0.50,
    seek=0.30,
    forgive=0.40,
    break_with=0.60,
    stake=0.30,
)
SHAPE: Final = LITERAL.situation
CALM: Final = LITERAL.leaving
TERMS: Final = [
    rule for rule in public_rules() if rule.__module__ == rules.__name__ and Departures in parameters(rule).values()
]
COSTS: Final = frozenset(
    {
        "recency",
        "restraint",
        "politeness",
        "telling_cost",
        "protecting",
        "chill",
        "unrest",
        "fatigue_cost",
        "move_cost",
        "move_again",
        "manners",
    }
)
SIGNED: Final = frozenset(
    {"crowd", "course_window", "leave_desire", "swallowing", "flight", "forgiving", "breaking_with"}
)


def answers(rule: FunctionType, departures: Departures, sets: int = 150) -> list[float]:
    """The values of a term for random arguments under these departures; shares from 0 to 1, as in an evening."""
    random, found = Random(rule.__name__), []
    for _ in range(sets):
        given = [abs(value) if isinstance(value, float) else value for value in arguments(rule, random)]
        place = list(parameters(rule).values()).index(Departures)
        found.append(rule(*given[:place], departures, *given[place + 1 :]))
    return found


@pytest.mark.parametrize("term", TERMS, ids=rule_id)
def test_with_all_departures_off_every_term_is_zero(term: FunctionType) -> None:
    """Under the literal rules no term adds anything, not even a negative zero."""
    assert all(answer == 0.0 and math.copysign(1.0, answer) == 1.0 for answer in answers(term, OFF))


@pytest.mark.parametrize("term", TERMS, ids=rule_id)
def test_a_term_that_is_on_says_something_of_its_own_sign(term: FunctionType) -> None:
    """Costs subtract and pulls add, in leaves, and each does so for some arguments."""
    found = answers(term, ON)
    assert any(found)
    assert [leaf(answer) for answer in found] == found
    if term.__name__ not in SIGNED:
        assert all(answer <= 0.0 if term.__name__ in COSTS else answer >= 0.0 for answer in found)


def test_recency_weighs_on_what_was_just_done() -> None:
    """An act of the last three ticks costs more the fresher it is; a dramatic one less; an old or new one nothing."""
    assert [rules.recency(False, age, ON) for age in (1, 2, 3)] == [near(-0.255), near(-0.2025), near(-0.15)]
    assert rules.recency(True, 3, ON) == near(-0.08)
    assert rules.recency(False, 4, ON) == rules.recency(False, 0, ON) == 0.0


def test_restraint_fades_over_the_opening() -> None:
    """Dramatic acts cost the whole restraint at first, half of it halfway, nothing after."""
    costs = [rules.restraint(True, share, ON) for share in (0.0, 0.12, 0.24, 0.6)]
    assert costs == [near(-0.55), near(-0.275), 0.0, 0.0]
    assert rules.restraint(False, 0.0, ON) == 0.0


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_politeness_and_restraint_come_to_the_greater_of_both(share: float, restraint: float) -> None:
    """For a CONFLICT the two terms add up to the greater cost exactly; for all else politeness is nothing."""
    departures = ON._replace(opening_restraint=restraint)
    polite = leaf(-(0.8 * max(0.0, 1.0 - share / departures.politeness_share)))
    held = rules.restraint(True, share, departures)
    assert held + rules.politeness(EventType.CONFLICT, share, departures) == min(polite, held)
    assert rules.politeness(EventType.REVEAL, share, departures) == 0.0


def test_telling_costs_holders_and_friends() -> None:
    """A holder pays all, or half unbound; another pays for affection to a holder, and for what it does not cost them."""
    reveal = EventType.REVEAL
    assert rules.telling_cost(reveal, True, True, 0.9, 0.0, ON, SHAPE) == near(-0.25)
    assert rules.telling_cost(reveal, True, False, 0.9, 0.0, ON, SHAPE) == near(-0.125)
    assert rules.telling_cost(reveal, False, False, 0.4, 0.7, ON, SHAPE) == near(-0.1 - 0.075)
    assert rules.telling_cost(EventType.CONFIDE, False, False, -0.4, 1.0, ON, SHAPE) == 0.0
    assert rules.telling_cost(EventType.LIE, True, True, 1.0, 0.0, ON, SHAPE) == 0.0
    assert rules.denouncing(reveal, 0.5, ON) == near(0.1)
    assert rules.denouncing(EventType.CONFIDE, 0.5, ON) == 0.0
    assert rules.protecting(reveal, True, ON) == rules.protecting(EventType.CONFIDE, True, ON) == near(-0.3)
    assert rules.protecting(reveal, False, ON) == rules.protecting(EventType.LIE, True, ON) == 0.0


def test_a_wrong_calls_for_an_answer() -> None:
    """Half of outrage and coldness is there in any case, the rest by grievance; an answer leaves a part of the outrage.

    Whoever swallows a wrong confronts less and turns away more; an ally is told; those who are resented are served less.
    """
    assert rules.outrage(1.0, False, ON, SHAPE) == near(0.6)
    assert rules.outrage(0.0, False, ON, SHAPE) == near(0.3)
    assert rules.outrage(1.0, True, ON, SHAPE) == near(0.24)
    assert rules.going_cold(0.5, ON, SHAPE) == near(0.3)
    assert rules.swallowing(True, True, ON) == -rules.swallowing(False, True, ON) == near(-0.3)
    assert rules.swallowing(True, False, ON) == rules.swallowing(False, False, ON) == 0.0
    assert (rules.ally_pull(True, ON), rules.ally_pull(False, ON)) == (near(0.15), 0.0)
    assert rules.chill(0.5, ON) == near(-0.15)
    assert (rules.unrest(True, ON), rules.unrest(False, ON)) == (near(-1.0), 0.0)


@pytest.mark.req("DE-32")
def test_a_wrong_stays_open_until_a_scene() -> None:
    """The wish for a scene grows to its whole, and who did it is sought; affection forgives, grievance without trust breaks."""
    assert [rules.owing(minutes, ON, SHAPE) for minutes in (0.0, 10.0, 20.0, 60.0)] == [
        0.0,
        near(0.25),
        near(0.5),
        near(0.5),
    ]
    assert rules.seeking(ON) == near(0.3)
    assert rules.forgiving(0.5, 0.2, ON, SHAPE) == near(0.24)
    assert rules.forgiving(0.1, 0.9, ON, SHAPE) == near(-0.2)
    assert rules.breaking_with(-0.5, 0.8, ON) == rules.breaking_with(0.0, 0.8, ON) == near(0.48)
    assert rules.breaking_with(0.9, 0.4, ON) == near(-0.3)


def test_comfort_drink_and_flight() -> None:
    """Friends comfort, and protectors more; stress is drowned where there is a glass; people flee to where the other is
    not."""
    assert [rules.comforting(liked, False, ON) for liked in (-0.5, 0.5)] == [0.0, near(0.2)]
    assert rules.comforting(0.5, True, ON) == near(0.5)
    assert [rules.drinking(stress, True, ON, SHAPE) for stress in (0.3, 0.8)] == [0.0, near(0.3)]
    assert rules.drinking(0.8, False, ON, SHAPE) == 0.0
    fled = [rules.flight(here, there, ON) for here in (False, True) for there in (False, True)]
    assert fled == [0.0, near(-0.4), near(0.4), near(-0.4)]


def test_quarrels_are_drawn_by_grievance_and_suspicion_and_tire() -> None:
    """CONFLICT gains by grievance and suspicion and loses by fatigue; a LIE and a making up have their own pull."""
    conflict = EventType.CONFLICT
    assert rules.grievance_pull(conflict, 0.6, ON) == near(0.21)
    assert rules.fatigue_cost(conflict, 1.5, ON) == near(-0.225)
    assert rules.suspicion_pull(conflict, True, ON) == near(0.10)
    assert rules.suspicion_pull(conflict, False, ON) == rules.suspicion_pull(EventType.CHAT, True, ON) == 0.0
    assert rules.lie_pull(EventType.LIE, ON) == near(0.20)
    assert rules.making_up(EventType.CHAT, True, 0.26, ON, SHAPE) == near(0.20)
    assert rules.making_up(EventType.CHAT, True, 0.25, ON, SHAPE) == 0.0


def test_moving_costs_and_leaving_the_table_costs_more() -> None:
    """Every move costs, another within three ticks again, and leaving the gathering by how many are left behind."""
    assert rules.move_cost(ON) == near(-0.5)
    assert [rules.move_again(age, ON) for age in (0, 1, 3, 4)] == [0.0, near(-0.15), near(-0.15), 0.0]
    assert [rules.manners(True, False, others, ON, SHAPE) for others in (0, 3, 5)] == [
        near(-0.25),
        near(-0.5),
        near(-0.5),
    ]
    assert rules.manners(True, True, 5, ON, SHAPE) == rules.manners(False, False, 5, ON, SHAPE) == 0.0


def test_people_draw_up_to_a_bound() -> None:
    """The gathering draws by the minutes away, a crowd by its heads, each up to its bound; the lonely seek company."""
    assert [rules.away_pull(True, minutes, ON) for minutes in (10.0, 60.0)] == [near(0.45), near(0.9)]
    assert rules.away_pull(False, 60.0, ON) == 0.0
    assert rules.crowd(2, 1, ON) == near(0.10 - 0.03)
    assert rules.crowd(6, 6, ON) == 0.0
    assert rules.company(0, 1, ON) == near(0.15)
    assert rules.company(1, 1, ON) == rules.company(0, 0, ON) == 0.0


def test_courses_and_needs_move_people() -> None:
    """Tasks weigh, a course holds people at the table for its window, and needs are felt above one half."""
    assert rules.task_pull(True, ON) == near(0.9)
    assert [rules.course_window(True, False, since, ON) for since in (-1.0, 0.0, 14.0, 14.5)] == [0.0, 0.25, 0.25, 0.0]
    assert rules.course_window(False, True, 5.0, ON) == near(-0.25)
    assert rules.need_pull(0.9, ON, SHAPE) == near(0.4)
    assert rules.need_pull(0.5, ON, SHAPE) == 0.0
    assert rules.need_use(0.9, ON) == near(0.4 + 0.27)


def test_the_angry_are_drawn_to_slam_a_door() -> None:
    """The pull grows with the anger."""
    assert [rules.slam_pull(anger, ON) for anger in (0.0, 0.5, 1.0)] == [0.0, near(0.1), near(0.2)]


def test_the_desire_to_leave() -> None:
    """Decency holds guests early; a scene, a breakdown, stress, a wrong and the hour send them; the thrown out just go."""

    def desire(
        minute: float, since: float = -1.0, *, broken: bool = False, stress: float = 0.0, wronged: float = 0.0
    ) -> float:
        return rules.leave_desire(minute / 150.0, since, broken, stress, False, wronged, ON, CALM)

    assert desire(0.0) == near(-0.9)
    assert desire(130.0) == 0.0
    assert [desire(minute) for minute in (135.0, 142.5, 150.0)] == [0.0, near(0.3), near(0.6)]
    assert desire(130.0, 0.0) == desire(130.0, 25.0) == near(0.35)
    assert desire(130.0, 25.5) == 0.0
    assert desire(130.0, 10.0, broken=True, stress=0.6) == near(0.8)
    assert desire(130.0, wronged=0.8) == near(CALM.wronged * 0.8)
    assert rules.leave_desire(0.0, -1.0, False, 0.0, True, 0.0, ON, CALM) == 1.0


@given(st.floats(-1.0, 2.0))
def test_who_wants_to_leave_goes_to_the_exit(desire: float) -> None:
    """The desire draws to the exit, and there, with a half more, to a departure; without desire neither does."""
    assert rules.exit_pull(desire) == max(0.0, leaf(desire))
    assert rules.departure_pull(desire, CALM) == (0.5 + leaf(desire) if desire > 0.0 else 0.0)
