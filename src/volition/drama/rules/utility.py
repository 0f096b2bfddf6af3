"""Goals, bonds, alcohol and other rooms in the score.

Base utility is how well the effects of an act match a person's goals (specification 3.1). Bonds add by trust, affection
and obligation towards those addressed (3.4), alcohol by lowered inhibitions (6.1), and other rooms by who is there and by
their privacy (6.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CHAT, CONFIDE, CONFLICT, LIE, REVEAL
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.rules.tables import Alcohol, Bonds, EffectContext, Goals, Movement, Profile


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


def bond_pull(act: int, trust: float, affection: float, obligation: float, bonds: Bonds) -> float:
    """What the bond with one addressed person adds to an act: a sum of leaves."""
    if act == CHAT:
        return leaf(affection * bonds.chat_affection)
    if act == CONFIDE:
        return leaf(trust * bonds.confide_trust) + leaf(obligation * bonds.confide_obligation)
    if act == CONFLICT:
        return leaf(trust * bonds.conflict_trust) + leaf(affection * bonds.conflict_affection)
    if act == REVEAL:
        return leaf(trust * bonds.reveal_trust)
    if act == LIE:
        return leaf(trust * bonds.lie_trust) + leaf(affection * bonds.lie_affection)
    return 0.0


def alcohol_pull(dramatic: bool, level: float, alcohol: Alcohol) -> float:
    """What an alcohol level adds to a dramatic act."""
    if dramatic and level >= alcohol.threshold:
        return leaf(level * alcohol.pull)
    return 0.0


def company_pull(desire: float, movement: Movement) -> float:
    """What one person in the other room adds, by the desire to be close to them."""
    if desire > movement.closeness_above:
        return leaf(desire * movement.closeness)
    return 0.0


def privacy_pull(stress: float, pending: bool, privacy: float, movement: Movement) -> float:
    """What the other room's privacy adds under stress, and with a dramatic act pending: a sum of leaves."""
    total = 0.0
    if stress > movement.stress_above:
        total += leaf(privacy * movement.stress_privacy)
    if pending:
        total += leaf(privacy * movement.pending_privacy)
    return total


def follow_pull(trust: float, suspicion: float, movement: Movement) -> float:
    """What one person who just went there adds: people follow out of trust, or out of suspicion."""
    if trust > movement.follow_trust or suspicion > movement.follow_suspicion:
        return leaf(movement.follow)
    return 0.0
