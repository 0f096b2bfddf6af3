"""Base utility: how well the effects of an act match somebody's goals (specification 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.rules.tables import EffectContext, Goals, Profile


def goal_pull(goals: Goals, effects: Profile) -> float:
    """The six scalar goals times what the act does for each: a sum of leaves. Closeness is counted per person."""
    return (
        leaf(goals[0] * effects[0])
        + leaf(goals[1] * effects[1])
        + leaf(goals[2] * effects[3])
        + leaf(goals[3] * effects[4])
        + leaf(goals[4] * effects[5])
        + leaf(goals[5] * effects[6])
    )


def closeness_pull(desire: float, effect: float) -> float:
    """The desire to be close to one addressed person, times what the act does for closeness."""
    return leaf(desire * effect)


def move_effects(effects: Profile, privacy: float, context: EffectContext) -> Profile:
    """The effects of a SOCIAL_MOVE: the more private the destination, the more it does for safety and secrecy."""
    safety, status, closeness, secrecy, truth, autonomy, loyalty = effects
    return (
        safety + privacy * context.move_safety,
        status,
        closeness,
        secrecy + privacy * context.move_secrecy,
        truth,
        autonomy,
        loyalty,
    )


def telling_effects(effects: Profile, weight: float, context: EffectContext) -> Profile:
    """The effects of a REVEAL or CONFIDE: the weightier the secret, the stronger those on truth and secrecy."""
    safety, status, closeness, secrecy, truth, autonomy, loyalty = effects
    factor = 1.0 + context.telling_weight * weight
    return (safety, status, closeness, secrecy * factor, truth * factor, autonomy, loyalty)


def conflict_effects(effects: Profile, trust: float, context: EffectContext) -> Profile:
    """The effects of a CONFLICT: with low trust, those on truth and closeness are stronger."""
    if trust < context.distrust:
        safety, status, closeness, secrecy, truth, autonomy, loyalty = effects
        factor = context.distrust_factor
        return (safety, status, closeness * factor, secrecy, truth * factor, autonomy, loyalty)
    return effects


def group(total: float, count: int, normalise: int) -> float:
    """A sum of leaves over the people addressed: as it is, or averaged over them if `normalise` is set."""
    if normalise and count > 1:
        return leaf(total / count)
    return total


def internal_base(base: float, cap: float) -> float:
    """The base utility of INTERNAL, at most `cap`; a cap of 0 means no cap."""
    if cap > 0.0:
        return min(base, leaf(cap))
    return base
