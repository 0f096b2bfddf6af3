"""Goals, bonds, alcohol and other rooms in the score."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.rules.numbers import LITERAL, near
from volition.drama.rules.catalog import EventType
from volition.drama.rules.leaf import leaf
from volition.drama.rules.utility import (
    alcohol_pull,
    bond_pull,
    closeness_pull,
    company_pull,
    conflict_effects,
    follow_pull,
    goal_pull,
    group,
    internal_base,
    move_effects,
    privacy_pull,
    telling_effects,
)

CLOSENESS: Final = 2
INVESTIGATOR: Final = (0.3, 0.6, 0.6, 1.0, 0.8, 0.4)
UNFAITHFUL: Final = (0.7, 0.4, 0.9, 0.3, 0.8, 0.3)
THIEF: Final = (0.8, 0.7, 1.0, 0.1, 0.6, 0.2)
effects, context = LITERAL.effects, LITERAL.context
unit = st.floats(-1.0, 1.0)
profiles = st.tuples(unit, unit, unit, unit, unit, unit, unit)


def base(goals: tuple[float, float, float, float, float, float], act: EventType, desire: float = 0.0) -> float:
    profile = effects[act]
    return goal_pull(goals, profile) + closeness_pull(desire, profile[CLOSENESS])


@pytest.mark.parametrize(
    ("goals", "act", "desire", "expected"),
    [
        (INVESTIGATOR, EventType.CHAT, 0.5, 0.23),
        (INVESTIGATOR, EventType.CHAT, -0.2, 0.09),
        (INVESTIGATOR, EventType.CHAT, 0.3, 0.19),
        (INVESTIGATOR, EventType.OBSERVE, 0.0, 0.50),
        (INVESTIGATOR, EventType.CONFLICT, -0.2, 0.60),
        (INVESTIGATOR, EventType.INTERNAL, 0.0, 0.53),
        (UNFAITHFUL, EventType.CHAT, 0.1, 0.16),
        (UNFAITHFUL, EventType.CHAT, 0.8, 0.30),
        (UNFAITHFUL, EventType.OBSERVE, 0.0, 0.40),
        (UNFAITHFUL, EventType.INTERNAL, 0.0, 0.67),
        (UNFAITHFUL, EventType.PHYSICAL, 0.0, 0.12),
        (UNFAITHFUL, EventType.LIE, 0.1, 0.07),
        (UNFAITHFUL, EventType.CONFIDE, 0.8, 0.03),
        (THIEF, EventType.INTERNAL, 0.0, 0.67),
    ],
)
@pytest.mark.req("DE-04")
def test_the_worked_traces_have_these_base_utilities(
    goals: tuple[float, float, float, float, float, float], act: EventType, desire: float, expected: float
) -> None:
    """Goals against profiles give the corrected base column of the specification's two traces."""
    assert base(goals, act, desire) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("goals", "privacy", "expected"),
    [(INVESTIGATOR, 0.7, 0.358), (UNFAITHFUL, 0.7, 0.517), (UNFAITHFUL, 0.9, 0.599)],
)
@pytest.mark.req("DE-04")
def test_private_destinations_are_safer_and_more_secret(
    goals: tuple[float, float, float, float, float, float], privacy: float, expected: float
) -> None:
    """A move's base utility grows with the destination's privacy as the traces say."""
    assert goal_pull(goals, move_effects(effects[EventType.SOCIAL_MOVE], privacy, context)) == pytest.approx(expected)


@pytest.mark.req("DE-04")
def test_weighty_secrets_mean_more() -> None:
    """Truth and secrecy of a telling grow by the secret's weight, and nothing else does."""
    plain = effects[EventType.REVEAL]
    heavy = telling_effects(plain, 0.9, context)
    assert heavy == (*plain[:3], plain[3] * 1.9, plain[4] * 1.9, *plain[5:])
    reveal = goal_pull(INVESTIGATOR, heavy) + closeness_pull(0.5, heavy[CLOSENESS])
    assert reveal == pytest.approx(0.848)


@pytest.mark.req("DE-04")
def test_a_confrontation_is_sharper_below_the_threshold_of_distrust() -> None:
    """Below a trust of -0.3, and not at it, truth and closeness count half as much again."""
    plain = effects[EventType.CONFLICT]
    sharp = conflict_effects(plain, -0.31, context)
    assert conflict_effects(plain, -0.3, context) == plain
    assert sharp == (*plain[:2], plain[2] * 1.5, plain[3], plain[4] * 1.5, *plain[5:])


@given(profiles, st.floats(0.0, 1.0))
@pytest.mark.req("DE-04")
def test_context_leaves_public_rooms_and_weightless_secrets_alone(
    profile: tuple[float, float, float, float, float, float, float], trust: float
) -> None:
    """No privacy, no weight and no distrust change nothing."""
    assert move_effects(profile, 0.0, context) == profile
    assert telling_effects(profile, 0.0, context) == profile
    assert conflict_effects(profile, trust, context) == profile


@given(st.lists(unit.map(leaf), min_size=1, max_size=6))
@pytest.mark.req("DE-04")
def test_a_group_is_the_sum_or_the_mean(pulls: list[float]) -> None:
    """By the letter a group's pulls add up; normalised they lie between the least and the greatest, and are a leaf."""
    total, count = sum(pulls, 0.0), len(pulls)
    mean = group(total, count, 1)
    assert group(total, count, 0) == total
    assert min(pulls) - 2**-45 <= mean <= max(pulls) + 2**-45
    assert leaf(mean) == mean


@given(unit.map(leaf), st.floats(0.01, 1.0))
@pytest.mark.req("DE-04")
def test_internal_is_capped_where_a_cap_is_set(pull: float, cap: float) -> None:
    """A cap of 0 is none; any other is an upper bound and nothing more."""
    assert internal_base(pull, 0.0) == pull
    assert internal_base(pull, cap) == min(pull, leaf(cap))


WEIGHTS: dict[EventType, tuple[float, float, float]] = {
    EventType.CHAT: (0.0, 0.2, 0.0),
    EventType.CONFIDE: (0.5, 0.0, 0.2),
    EventType.CONFLICT: (-0.3, -0.2, 0.0),
    EventType.REVEAL: (0.3, 0.0, 0.0),
    EventType.LIE: (-0.2, -0.3, 0.0),
}


@pytest.mark.parametrize(
    ("act", "bond", "expected"),
    [
        (EventType.CHAT, (0.5, 0.4, 0.1), 0.08),
        (EventType.CHAT, (0.3, 0.1, 0.6), 0.02),
        (EventType.CHAT, (0.7, 0.8, 0.2), 0.16),
        (EventType.CONFIDE, (0.7, 0.8, 0.2), 0.39),
        (EventType.CONFLICT, (-0.1, 0.0, 0.0), 0.03),
        (EventType.REVEAL, (0.5, 0.4, 0.1), 0.15),
        (EventType.LIE, (0.3, 0.1, 0.6), -0.09),
    ],
)
@pytest.mark.req("DE-07")
def test_the_worked_traces_have_these_bonds(act: EventType, bond: tuple[float, float, float], expected: float) -> None:
    """The corrected relationship column of the specification's two traces."""
    assert bond_pull(act, *bond, LITERAL.bonds) == pytest.approx(expected, abs=1e-12)


@given(st.sampled_from(EventType), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.0, 1.0))
@pytest.mark.req("DE-07")
def test_every_act_weighs_a_bond_as_specified(
    act: EventType, trust: float, affection: float, obligation: float
) -> None:
    """A pull is linear in trust, affection and obligation by the act's weights, and 0.0 for acts without any."""
    by_trust, by_affection, by_obligation = WEIGHTS.get(act, (0.0, 0.0, 0.0))
    expected = trust * by_trust + affection * by_affection + obligation * by_obligation
    pull = bond_pull(act, trust, affection, obligation, LITERAL.bonds)
    assert pull == pytest.approx(expected, abs=1e-12)
    assert act in WEIGHTS or pull == 0.0


movement = LITERAL.movement


@given(st.floats(0.0, 1.0))
@pytest.mark.req("DE-09")
def test_alcohol_draws_to_dramatic_acts_from_its_threshold_on(level: float) -> None:
    """From .15 on, .3 of the level; below, and for all else, nothing."""
    assert alcohol_pull(True, level, LITERAL.alcohol) == near(level * 0.3 if level >= 0.15 else 0.0)
    assert alcohol_pull(True, 0.15, LITERAL.alcohol) == near(0.045)
    assert alcohol_pull(False, level, LITERAL.alcohol) == 0.0


@pytest.mark.req("DE-09")
def test_who_is_there_draws_by_the_wish_for_closeness() -> None:
    """Above a desire of .3, and not at it, three tenths of the desire; nobody repels."""
    assert company_pull(0.6, movement) == near(0.18)
    assert company_pull(0.3, movement) == company_pull(-1.0, movement) == 0.0


@pytest.mark.req("DE-09")
def test_privacy_draws_under_stress_and_with_something_to_tell() -> None:
    """A fifth of the privacy above a stress of .5, and three tenths with something pending; they add up."""
    assert privacy_pull(0.55, False, 0.7, movement) == near(0.14)
    assert privacy_pull(0.5, True, 0.7, movement) == near(0.21)
    assert privacy_pull(0.9, True, 0.7, movement) == near(0.35)
    assert privacy_pull(0.5, False, 0.9, movement) == 0.0


@pytest.mark.parametrize(
    ("trust", "suspicion", "follows"), [(0.5, 0.4, False), (0.51, 0.0, True), (-1.0, 0.41, True), (0.0, 0.0, False)]
)
@pytest.mark.req("DE-09")
def test_a_mover_is_followed_out_of_trust_or_suspicion(trust: float, suspicion: float, follows: bool) -> None:
    """Trust above .5 or suspicion above .4 adds .2."""
    assert follow_pull(trust, suspicion, movement) == near(0.2 if follows else 0.0)
