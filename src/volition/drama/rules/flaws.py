"""Flaws: what activates them, how they bias a score (specification 3.2), and how they colour quiet acts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    INTERNAL,
    LIE,
    OBSERVE,
    REVEAL,
    SOCIAL_MOVE,
    Effect,
    Trigger,
)
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.rules.tables import Departures, Flaws

(
    _STATUS_THREAT,
    _BETRAYAL_DETECTED,
    _SECRET_EXPOSURE,
    _REJECTION,
    _AUTHORITY_CHALLENGE,
    _INTIMACY_OFFERED,
    _CONFLICT_NEARBY,
    _LOSS_IMMINENT,
) = (int(trigger) for trigger in Trigger)

(
    _OVERWEIGHT_STATUS,
    _AVOID_CONFRONTATION,
    _DENY_EVIDENCE,
    _ESCALATE_CONFLICT,
    _SEEK_VALIDATION,
    _SELF_SACRIFICE,
    _FIXATE_ON_TARGET,
    _OVERCOMMIT,
) = Effect


AT_CLOSENESS = 1 << _INTIMACY_OFFERED
"""The triggers that are active while a person considers a CHAT or CONFIDE, whatever the scene."""


def active_triggers(
    suspicion: float,
    shame: float,
    stress: float,
    commitment: float,
    status_threat: bool,
    at_risk: bool,
    challenged: bool,
    conflict_nearby: bool,
    flaws: Flaws,
) -> int:
    """The triggers that are active while a person considers any act, as a set: the bit `1 << trigger` is on for each.

    The four flags describe the scene: the person's status is threatened, one of their secrets is at risk, they were
    challenged, there was a recent conflict in this room. The rest is the person's own state.
    """
    return (
        status_threat << _STATUS_THREAT
        | (suspicion > flaws.betrayal_suspicion) << _BETRAYAL_DETECTED
        | at_risk << _SECRET_EXPOSURE
        | (shame > flaws.rejection_shame) << _REJECTION
        | challenged << _AUTHORITY_CHALLENGE
        | conflict_nearby << _CONFLICT_NEARBY
        | (stress > flaws.loss_stress and commitment > flaws.loss_commitment) << _LOSS_IMMINENT
    )


def flaw_bias(
    effect: int,
    strength: float,
    act: int,
    dramatic: bool,
    status_effect: float,
    target_status: float,
    on_target: bool,
    colour: float,
    flaws: Flaws,
) -> float:
    """What one active flaw adds to an act: a leaf, within the cap if there is one.

    `status_effect` is what the act does for status, `target_status` the status goal of the person addressed (0 if there
    is none), and `on_target` whether the act is about the person the flaw is fixated on. `colour` is what the flaw does
    beyond the specification, which is nothing in the literal reading.
    """
    bias = leaf(strength * (_push(effect, act, dramatic, status_effect, target_status, on_target, flaws) + colour))
    if flaws.cap > 0.0:
        cap = leaf(flaws.cap)
        return max(-cap, min(cap, bias))
    return bias


def _push(
    effect: int,
    act: int,
    dramatic: bool,
    status_effect: float,
    target_status: float,
    on_target: bool,
    flaws: Flaws,
) -> float:
    """What a flaw of strength 1 adds to an act."""
    if effect == _OVERWEIGHT_STATUS:
        return status_effect * flaws.overweight_status
    if effect == _AVOID_CONFRONTATION:
        if act in (CONFLICT, REVEAL):
            return -flaws.avoid_confrontation
        if act == SOCIAL_MOVE:
            return flaws.flee
    elif effect == _DENY_EVIDENCE:
        if act == OBSERVE:
            return -flaws.deny_observe
        if act == LIE:
            return flaws.deny_lie
    elif effect == _ESCALATE_CONFLICT:
        if act == CONFLICT:
            return flaws.escalate
    elif effect == _SEEK_VALIDATION:
        if act == CHAT and target_status > flaws.validation_status:
            return flaws.validation
    elif effect == _SELF_SACRIFICE:
        if act in (CONFIDE, REVEAL):
            return flaws.sacrifice
    elif effect == _FIXATE_ON_TARGET:
        if on_target:
            return flaws.fixate
    elif effect == _OVERCOMMIT and dramatic:
        return flaws.overcommit
    return 0.0


def colour_alone(effect: int, act: int, departures: Departures) -> float:
    """What a flaw of strength 1 does to any act of a kind, as a departure: cowards fall silent, the driven press on."""
    if effect == _AVOID_CONFRONTATION and act == INTERNAL:
        return departures.shrink
    if effect == _OVERCOMMIT:
        if act == CHAT:
            return departures.press
        if act == INTERNAL:
            return -departures.press
    return 0.0


def colour_towards(
    effect: int, act: int, closeness: float, debt: float, standing: float, departures: Departures
) -> float:
    """What a flaw of strength 1 does to an act towards another person, as a departure, more than to any act of the kind.

    A person out for a quarrel keeps to those who are close and watches the others. One who would make a sacrifice
    attends to those to whom they owe something, and one who thinks of status to those of standing. `closeness` is
    the desire to be close to the other, `debt` an obligation or the harm of a secret held, `standing` the other's
    status goal.
    """
    if effect == _ESCALATE_CONFLICT:
        if act == CHAT:
            return departures.glare * closeness
        if act == OBSERVE:
            return departures.glare * (1.0 - closeness)
    elif act == CHAT:
        if effect == _SELF_SACRIFICE:
            return departures.amends * debt
        if effect == _OVERWEIGHT_STATUS:
            return departures.preen * standing
    return 0.0
