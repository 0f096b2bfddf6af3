"""The pacing physics."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.rules.numbers import LITERAL, near
from volition.drama.rules.catalog import EventType
from volition.drama.rules.pacing import barred_by_recovery
from volition.drama.rules.physics import (
    Pace,
    Tick,
    affection_after,
    budget_after,
    budget_cost,
    clash_stress,
    commitment_after,
    commitment_gain,
    composure_after,
    emotion_after,
    emotion_decay,
    end_of_tick,
    is_major,
    learning_stress,
    recovery_after,
    recovery_lock,
    stress_after,
    suppression_after,
    trust_after,
)

physics, information = LITERAL.physics, LITERAL.information
QUIET: Final = Tick(
    stress_gain=0.0,
    sensitivity=1.0,
    commitment_gain=0.0,
    cost=0.0,
    lock=0,
    drinks=0,
    private=False,
    fought=False,
    unrest=False,
    dramatic=False,
    upheld=False,
)
share = st.floats(0.0, 1.0)
change = st.floats(-2.0, 2.0)
flag = st.booleans()
paces = st.builds(Pace, share, share, st.floats(0.05, 1.0), share, st.integers(0, 8), st.integers(0, 40))
ticks = st.builds(
    Tick, change, st.floats(0.0, 2.0), share, share, st.integers(0, 6), st.integers(0, 5), flag, flag, flag, flag, flag
)


@given(paces, ticks)
def test_whatever_a_tick_holds_everybody_stays_within_bounds(pace: Pace, tick: Tick) -> None:
    """Shares stay within 0 and 1, composure above its floor, and counters are not negative."""
    after = end_of_tick(pace, tick, physics)
    assert all(0.0 <= number <= 1.0 for number in after[:4])
    assert after.composure >= physics.composure_floor
    assert min(after.timer, after.suppression) >= 0


@given(paces, ticks)
def test_every_update_reads_the_values_before_the_tick(pace: Pace, tick: Tick) -> None:
    """An update does not depend on the stress that the same tick brings."""
    after = end_of_tick(pace, tick, physics)
    other = end_of_tick(pace, tick._replace(stress_gain=tick.stress_gain + 0.5), physics)
    assert after._replace(stress=0.0) == other._replace(stress=0.0)


def test_a_quiet_tick_in_public_and_in_private() -> None:
    """Stress and loose commitment fade and the budget recharges; in private more so, and composure returns."""
    pace = Pace(0.5, 0.2, 0.6, 0.4, 0, 3)
    assert end_of_tick(pace, QUIET, physics) == near((0.58, 0.17, 0.6, 0.39, 0, 3))
    assert end_of_tick(pace, QUIET._replace(private=True), physics) == near((0.62, 0.15, 0.61, 0.39, 0, 3))


def test_a_confrontation_as_a_tick() -> None:
    """Its source pays .35, gains .12 stress and .15 commitment, loses composure under stress, and locks for 3 ticks."""
    act = EventType.CONFLICT
    tick = QUIET._replace(
        stress_gain=clash_stress(True, True, False, physics),
        commitment_gain=commitment_gain(act, False, False, physics),
        cost=budget_cost(act, 0.0, physics),
        lock=recovery_lock(act, physics),
        fought=True,
        unrest=True,
        dramatic=True,
    )
    assert end_of_tick(Pace(1.0, 0.7, 0.5, 0.4, 0, 9), tick, physics) == near((0.65, 0.82, 0.48, 0.55, 3, 0))


def test_a_clash_is_felt_by_how_near_one_is() -> None:
    """Taking part counts alone, then being present, then overhearing."""
    assert clash_stress(True, True, True, physics) == 0.12
    assert clash_stress(False, True, True, physics) == 0.05
    assert clash_stress(False, False, True, physics) == 0.03
    assert clash_stress(False, False, False, physics) == 0.0


@pytest.mark.parametrize(
    ("disturbing", "lied", "wronged", "trust", "expected"),
    [
        (True, False, False, 1.0, 0.08),
        (True, True, True, 0.5, 0.18),
        (True, True, True, 0.51, 0.33),
        (True, False, True, 0.6, 0.23),
        (False, False, False, 0.9, 0.0),
    ],
)
def test_learning_hurts_by_what_is_learned(
    disturbing: bool, lied: bool, wronged: bool, trust: float, expected: float
) -> None:
    """A disturbing secret, a lie found out, and a betrayal by somebody trusted above .5 add up."""
    assert learning_stress(disturbing, lied, wronged, trust, physics, information) == near(expected)


def test_what_commits() -> None:
    """Statements, sides, confrontations and revelations commit by their numbers; nothing else does."""
    assert commitment_gain(EventType.CHAT, True, True, physics) == near(0.22)
    assert commitment_gain(EventType.CHAT, False, False, physics) == 0.0
    assert commitment_gain(EventType.CONFLICT, True, True, physics) == near(0.27)
    assert commitment_gain(EventType.REVEAL, True, True, physics) == near(0.20)
    assert commitment_gain(EventType.OBSERVE, True, True, physics) == 0.0


def test_what_dramatic_acts_cost() -> None:
    """CONFLICT, LIE and a weighty REVEAL are major; a light REVEAL and any CONFIDE are minor; the rest is free."""
    costs = {act: budget_cost(act, 0.8, physics) for act in EventType if budget_cost(act, 0.8, physics)}
    assert costs == {
        EventType.CONFLICT: 0.35,
        EventType.LIE: 0.35,
        EventType.REVEAL: 0.35,
        EventType.CONFIDE: 0.15,
    }
    assert budget_cost(EventType.REVEAL, 0.79, physics) == 0.15
    assert not is_major(EventType.CATASTROPHE, 1.0, physics)


@pytest.mark.req("DE-06")
@pytest.mark.parametrize(
    ("act", "locked"),
    [(EventType.CONFLICT, 3), (EventType.LIE, 3), (EventType.REVEAL, 1), (EventType.CONFIDE, 1), (EventType.CHAT, 0)],
)
def test_recovery_locks_three_ticks_after_a_major_act_and_one_after_a_minor(act: EventType, locked: int) -> None:
    """Counted in ticks in which a dramatic act is barred."""
    timer, barred = recovery_after(0, recovery_lock(act, physics)), []
    for _ in range(8):
        barred.append(barred_by_recovery(True, timer))
        timer = recovery_after(timer, 0)
    assert barred == [True] * locked + [False] * (8 - locked)


@given(st.integers(0, 20), st.integers(0, 6))
def test_the_longest_lock_counts(timer: int, lock: int) -> None:
    """A shorter lock does not shorten a longer recovery, and a timer at rest stays there."""
    assert recovery_after(timer, lock) == max(timer, lock, 1) - 1


@given(share, change, change, st.floats(0.0, 2.0), flag, flag)
def test_more_strain_is_never_less_stress(
    stress: float, one: float, other: float, sensitivity: float, fought: bool, private: bool
) -> None:
    """Stress grows with the gain and with having fought, and is no higher in private."""
    less, more = sorted((one, other))
    low = stress_after(stress, less, sensitivity, fought, private, physics)
    assert low <= stress_after(stress, more, sensitivity, fought, private, physics)
    assert low <= stress_after(stress, less, sensitivity, True, private, physics)
    assert stress_after(stress, less, sensitivity, fought, True, physics) <= stress_after(
        stress, less, sensitivity, fought, False, physics
    )


def test_sensitivity_scales_the_gain_and_not_the_decay() -> None:
    """Twice as sensitive: twice the gain, the same decay."""
    assert stress_after(0.5, 0.1, 2.0, False, False, physics) == near(0.5 + 0.2 - 0.03)


@given(st.floats(0.05, 1.0), st.integers(0, 5), share, flag, flag)
def test_composure_falls_with_wine_and_stress_and_returns_in_calm(
    composure: float, drinks: int, stress: float, private: bool, unrest: bool
) -> None:
    """.06 a glass, .02 above a stress of .5, and .01 back in private calm below .3."""
    calm = private and not unrest and stress < 0.3
    expected = composure - 0.06 * drinks - (0.02 if stress > 0.5 else 0.0) + (0.01 if calm else 0.0)
    assert composure_after(composure, drinks, stress, private, unrest, physics) == near(max(0.05, min(1.0, expected)))
    assert (
        composure_after(0.5, 0, 0.3, True, False, physics) == composure_after(0.5, 0, 0.5, True, False, physics) == 0.5
    )


@pytest.mark.parametrize(
    ("commitment", "gain", "upheld", "after"),
    [
        (0.4, 0.0, False, 0.39),
        (0.5, 0.0, False, 0.49),
        (0.51, 0.0, False, 0.51),
        (0.4, 0.2, False, 0.6),
        (0.4, 0.0, True, 0.4),
    ],
)
def test_commitment_fades_until_it_is_firm(commitment: float, gain: float, upheld: bool, after: float) -> None:
    """At .50 or below it loses .01 a tick, unless it is upheld; what it is after the gain decides."""
    assert commitment_after(commitment, gain, upheld, physics) == near(after)


@given(share, flag, share)
def test_the_budget_recharges_when_nothing_dramatic_is_done(budget: float, private: bool, cost: float) -> None:
    """A quiet tick recharges .08, in private .12; a dramatic one pays and does not recharge."""
    assert budget_after(budget, 0.0, False, private, physics) == near(min(1.0, budget + (0.12 if private else 0.08)))
    assert budget_after(budget, cost, True, private, physics) == near(max(0.0, budget - cost))


@given(st.integers(0, 40), share)
def test_suppression_counts_under_high_stress_and_is_let_go_by_acting(count: int, stress: float) -> None:
    """It grows at a stress of .60 and above, does not reset in calm, and is 0 after a dramatic act."""
    assert suppression_after(count, False, stress, physics) == count + (stress >= 0.60)
    assert suppression_after(count, False, 0.60, physics) == count + 1
    assert suppression_after(count, True, stress, physics) == 0


@given(st.floats(-1.0, 1.0), share)
def test_trust_is_lost_at_once_and_regained_slowly(trust: float, step: float) -> None:
    """A loss counts in full and a gain by a third, so losing and regaining the same leaves less, within bounds."""
    assert trust_after(trust, -step, physics) == near(max(-1.0, trust - step))
    assert trust_after(trust, step, physics) == near(min(1.0, trust + step / 3.0))
    assert trust_after(trust_after(trust, -step / 4, physics), step / 4, physics) <= trust or trust - step / 4 < -1.0


@given(st.floats(-1.0, 1.0), share, change)
def test_bonds_and_emotions_stay_within_bounds(affection: float, part: float, step: float) -> None:
    """Affection within -1 and 1, emotions within 0 and 1; emotions fade by .02 a tick, to 0."""
    assert affection_after(affection, step) == near(max(-1.0, min(1.0, affection + step)))
    assert emotion_after(part, step) == near(max(0.0, min(1.0, part + step)))
    assert emotion_decay(part, physics) == near(max(0.0, part - 0.02))
