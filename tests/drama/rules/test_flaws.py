"""Flaws: triggers and biases."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.rules.numbers import LITERAL
from volition.drama.rules.catalog import CHOSEN, DRAMATIC, Effect, EventType, Trigger
from volition.drama.rules.flaws import AT_CLOSENESS, active_triggers, colour_alone, colour_towards, flaw_bias
from volition.drama.rules.leaf import leaf

pytestmark = pytest.mark.req("DE-05")

flaws = LITERAL.flaws
CALM: dict[str, Any] = {
    "suspicion": 0.0,
    "shame": 0.0,
    "stress": 0.0,
    "commitment": 0.0,
    "status_threat": False,
    "at_risk": False,
    "challenged": False,
    "conflict_nearby": False,
}
ON: dict[Trigger, dict[str, Any]] = {
    Trigger.STATUS_THREAT: {"status_threat": True},
    Trigger.BETRAYAL_DETECTED: {"suspicion": 0.41},
    Trigger.SECRET_EXPOSURE: {"at_risk": True},
    Trigger.REJECTION: {"shame": 0.31},
    Trigger.AUTHORITY_CHALLENGE: {"challenged": True},
    Trigger.CONFLICT_NEARBY: {"conflict_nearby": True},
    Trigger.LOSS_IMMINENT: {"stress": 0.51, "commitment": 0.41},
}
OFF: list[tuple[Trigger, dict[str, Any]]] = [
    (Trigger.BETRAYAL_DETECTED, {"suspicion": 0.4}),
    (Trigger.REJECTION, {"shame": 0.3}),
    (Trigger.LOSS_IMMINENT, {"stress": 0.5, "commitment": 0.9}),
    (Trigger.LOSS_IMMINENT, {"stress": 0.9, "commitment": 0.4}),
]


def active(**scene: Any) -> list[Trigger]:
    found = active_triggers(flaws=flaws, **{**CALM, **scene})
    return [trigger for trigger in Trigger if found >> trigger & 1]


@pytest.mark.parametrize("trigger", ON)
def test_a_trigger_is_woken_by_its_own_scene_alone(trigger: Trigger) -> None:
    """In calm no flaw is active; each of the seven scenes activates its trigger and no other."""
    assert active() == []
    assert active(**ON[trigger]) == [trigger]


@pytest.mark.parametrize(("trigger", "scene"), OFF)
def test_thresholds_are_not_met_by_being_reached(trigger: Trigger, scene: dict[str, Any]) -> None:
    """The numeric triggers want more than their threshold."""
    assert trigger not in active(**scene)


def test_only_an_offer_of_closeness_wakes_without_a_scene() -> None:
    """The eighth trigger is active while a CHAT or CONFIDE with somebody is considered, and never otherwise."""
    assert [trigger for trigger in Trigger if AT_CLOSENESS >> trigger & 1] == [Trigger.INTIMACY_OFFERED]
    assert {*ON, Trigger.INTIMACY_OFFERED} == set(Trigger)


PUSHES: dict[Effect, dict[EventType, float]] = {
    Effect.OVERWEIGHT_STATUS: {},
    Effect.AVOID_CONFRONTATION: {EventType.CONFLICT: -0.5, EventType.REVEAL: -0.5, EventType.SOCIAL_MOVE: 0.3},
    Effect.DENY_EVIDENCE: {EventType.OBSERVE: -0.3, EventType.LIE: 0.3},
    Effect.ESCALATE_CONFLICT: {EventType.CONFLICT: 0.4},
    Effect.SEEK_VALIDATION: {EventType.CHAT: 0.3},
    Effect.SELF_SACRIFICE: {EventType.CONFIDE: 0.3, EventType.REVEAL: 0.3},
    Effect.FIXATE_ON_TARGET: dict.fromkeys(CHOSEN, 0.5),
    Effect.OVERCOMMIT: dict.fromkeys(DRAMATIC, 0.4),
}


@pytest.mark.parametrize("effect", Effect)
@pytest.mark.parametrize("act", CHOSEN)
def test_every_effect_pushes_every_act_as_specified(effect: Effect, act: EventType) -> None:
    """Strength times the specification's number for the act, and 0.0 for every other act."""
    status = LITERAL.effects[act][1]
    expected = status * 0.5 if effect is Effect.OVERWEIGHT_STATUS else PUSHES[effect].get(act, 0.0)
    assert flaw_bias(effect, 0.7, act, act in DRAMATIC, status, 0.61, True, 0.0, flaws) == leaf(0.7 * expected)


@pytest.mark.parametrize(
    ("effect", "strength", "act", "expected"),
    [
        (Effect.SEEK_VALIDATION, 0.4, EventType.CHAT, 0.12),
        (Effect.FIXATE_ON_TARGET, 0.8, EventType.OBSERVE, 0.40),
        (Effect.SELF_SACRIFICE, 0.7, EventType.CONFIDE, 0.21),
        (Effect.AVOID_CONFRONTATION, 0.5, EventType.SOCIAL_MOVE, 0.15),
        (Effect.AVOID_CONFRONTATION, 0.5, EventType.CONFLICT, -0.25),
    ],
)
def test_the_worked_traces_have_these_biases(effect: Effect, strength: float, act: EventType, expected: float) -> None:
    """The corrected flaw column of the specification's two traces."""
    bias = flaw_bias(effect, strength, act, act in DRAMATIC, 0.1, 0.9, True, 0.0, flaws)
    assert bias == pytest.approx(expected, abs=1e-12)


def test_validation_and_fixation_need_their_person() -> None:
    """Without a person of higher status, or without the fixation's target, there is no push."""
    assert flaw_bias(Effect.SEEK_VALIDATION, 1.0, EventType.CHAT, False, 0.1, 0.6, True, 0.0, flaws) == 0.0
    assert flaw_bias(Effect.FIXATE_ON_TARGET, 1.0, EventType.CHAT, False, 0.1, 0.9, False, 0.0, flaws) == 0.0


@given(
    st.sampled_from(Effect),
    st.sampled_from(EventType),
    st.floats(0.0, 1.0),
    st.floats(-1.0, 1.0),
    st.floats(0.01, 0.5),
    st.floats(-1.0, 1.0),
)
def test_a_cap_bounds_one_flaw_and_changes_nothing_below_it(
    effect: Effect, act: EventType, strength: float, status: float, cap: float, colour: float
) -> None:
    """With a cap the bias, its colour included, is the uncapped one, held within plus and minus the cap."""
    free = flaw_bias(effect, strength, act, act in DRAMATIC, status, 0.9, True, colour, flaws)
    held = flaw_bias(effect, strength, act, act in DRAMATIC, status, 0.9, True, colour, flaws._replace(cap=cap))
    assert held == max(-leaf(cap), min(leaf(cap), free))


COLOURED = LITERAL.departures._replace(glare=0.2, amends=0.3, shrink=0.1, press=0.4, preen=0.5)
CLOSE, OWED, STANDING = 0.6, 0.8, 0.9
ALONE: dict[Effect, dict[EventType, float]] = {
    Effect.AVOID_CONFRONTATION: {EventType.INTERNAL: 0.1},
    Effect.OVERCOMMIT: {EventType.CHAT: 0.4, EventType.INTERNAL: -0.4},
}
TOWARDS: dict[Effect, dict[EventType, float]] = {
    Effect.ESCALATE_CONFLICT: {EventType.CHAT: 0.2 * CLOSE, EventType.OBSERVE: 0.2 * (1.0 - CLOSE)},
    Effect.SELF_SACRIFICE: {EventType.CHAT: 0.3 * OWED},
    Effect.OVERWEIGHT_STATUS: {EventType.CHAT: 0.5 * STANDING},
}


@pytest.mark.req("DE-25")
@pytest.mark.parametrize("effect", Effect)
def test_flaws_colour_quiet_acts(effect: Effect) -> None:
    """Each flaw shows in words, glances or silence by one separate setting, and read literally in none of them."""
    for act in EventType:
        assert colour_alone(effect, act, COLOURED) == ALONE.get(effect, {}).get(act, 0.0)
        assert colour_towards(effect, act, CLOSE, OWED, STANDING, COLOURED) == TOWARDS.get(effect, {}).get(act, 0.0)
        by_the_letter = colour_towards(effect, act, CLOSE, OWED, STANDING, LITERAL.departures)
        assert colour_alone(effect, act, LITERAL.departures) == by_the_letter == 0.0
    bias = flaw_bias(effect, 0.5, EventType.PHYSICAL, False, 0.0, 0.0, False, 0.25, flaws)
    assert bias == leaf(0.125)
