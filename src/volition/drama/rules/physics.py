"""The pacing physics: what a tick does to the six pacing numbers of a person, to their bonds and to their emotions.

Every rule reads the values from before the tick, so their order does not matter; `end_of_tick` applies all six.
A room is private if its privacy is at least `private_from`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFIDE, CONFLICT, LIE, REVEAL

if TYPE_CHECKING:
    from volition.drama.rules.stage_tables import Information, Physics


class Pace(NamedTuple):
    """The six pacing numbers of a person."""

    budget: float
    stress: float
    composure: float
    commitment: float
    timer: int
    suppression: int


class Tick(NamedTuple):
    """What one person experienced in a tick.

    `stress_gain` and `commitment_gain` are sums over its events, `cost` is what their own act costs and `lock` the ticks
    of recovery that it requires. `fought`: they took part in a conflict or catastrophe; `unrest`: they were present at
    one; `dramatic`: they acted dramatically; `upheld`: their commitment does not fade.
    """

    stress_gain: float
    sensitivity: float
    commitment_gain: float
    cost: float
    lock: int
    drinks: int
    private: bool
    fought: bool
    unrest: bool
    dramatic: bool
    upheld: bool


def clamp(x: float, low: float, high: float) -> float:
    """The nearest number to `x` from `low` to `high`."""
    return max(low, min(high, x))


def clash_stress(takes_part: bool, present: bool, overhears: bool, physics: Physics) -> float:
    """The stress of a CONFLICT or CATASTROPHE, for those who take part, are in its room, or are within earshot."""
    if takes_part:
        return physics.stress_direct
    if present:
        return physics.stress_witness
    if overhears:
        return physics.stress_overhear
    return 0.0


def learning_stress(
    disturbing: bool, lied_to: bool, wronged: bool, trust: float, physics: Physics, information: Information
) -> float:
    """The stress of learning a secret: because it is disturbing, because a lie is found out, or because of a betrayal.

    Being `wronged` by a person, by what they hid or by their lie, is a betrayal if there was enough `trust` in them.
    """
    total = 0.0
    if disturbing:
        total += physics.stress_secret_learned
    if lied_to:
        total += physics.stress_lied_to
    if wronged and trust > information.betrayal_trust:
        total += physics.stress_betrayal
    return total


def commitment_gain(act: int, states: bool, sides: bool, physics: Physics) -> float:
    """The commitment that an act adds: for a public statement, a side taken, a confrontation or a secret revealed."""
    total = 0.0
    if act == CHAT and states:
        total += physics.commitment_public_statement
    elif act == CONFLICT:
        total += physics.commitment_confrontation
    elif act == REVEAL:
        total += physics.commitment_reveal
    if sides and act in (CHAT, CONFLICT):
        total += physics.commitment_take_side
    return total


def is_major(act: int, weight: float, physics: Physics) -> bool:
    """Whether a dramatic act is major: CONFLICT, LIE and the REVEAL of a weighty secret are, CONFIDE never is."""
    if act == REVEAL:
        return weight >= physics.major_weight
    return act in (CONFLICT, LIE)


def budget_cost(act: int, weight: float, physics: Physics) -> float:
    """What an act costs its source; a CATASTROPHE costs nothing here, because its aftermath charges it."""
    if is_major(act, weight, physics):
        return physics.budget_cost_major
    if act in (REVEAL, CONFIDE):
        return physics.budget_cost_minor
    return 0.0


def recovery_lock(act: int, physics: Physics) -> int:
    """The ticks of recovery that an act requires of its source; the end of the same tick takes off the first."""
    if act == CATASTROPHE:
        return physics.recovery_catastrophe
    if act in (CONFLICT, LIE):
        return physics.recovery_major
    if act in (REVEAL, CONFIDE):
        return physics.recovery_minor
    return 0


def stress_after(
    stress: float, gain: float, sensitivity: float, fought: bool, private: bool, physics: Physics
) -> float:
    """Stress after a tick: it grows by the gain times the person's sensitivity, and decays without a fight."""
    after = stress + sensitivity * gain
    if not fought:
        after -= physics.stress_decay
        if private:
            after -= physics.stress_decay_private
    return clamp(after, 0.0, 1.0)


def composure_after(
    composure: float, drinks: int, stress: float, private: bool, unrest: bool, physics: Physics
) -> float:
    """Composure after a tick: it falls with wine and stress, and recovers in private and in calm."""
    after = composure - physics.composure_alcohol * drinks
    if stress > physics.stress_erodes_above:
        after -= physics.composure_erosion
    if private and not unrest and stress < physics.stress_calm_below:
        after += physics.composure_recovery
    return clamp(after, physics.composure_floor, 1.0)


def commitment_after(commitment: float, gain: float, upheld: bool, physics: Physics) -> float:
    """Commitment after a tick: it grows with acts, and fades while it is low, unless something upholds it."""
    after = commitment + gain
    if after <= physics.commitment_decay_below and not upheld:
        after -= physics.commitment_decay
    return clamp(after, 0.0, 1.0)


def budget_after(budget: float, cost: float, dramatic: bool, private: bool, physics: Physics) -> float:
    """The budget after a tick: it pays for dramatic acts and recharges in other ticks, faster in private."""
    after = budget - cost
    if not dramatic:
        after += physics.budget_recharge
        if private:
            after += physics.budget_recharge_private
    return clamp(after, 0.0, 1.0)


def recovery_after(timer: int, lock: int) -> int:
    """The recovery timer after a tick: set by the longest lock, and one less each tick."""
    return max(0, max(timer, lock) - 1)


def suppression_after(suppression: int, dramatic: bool, stress: float, physics: Physics) -> int:
    """Suppression after a tick: it counts up under high stress, and a dramatic act resets it."""
    if dramatic:
        return 0
    if stress >= physics.stress_high:
        return suppression + 1
    return suppression


def end_of_tick(pace: Pace, tick: Tick, physics: Physics) -> Pace:
    """All six numbers of a person after a tick, each computed from the values before it."""
    return Pace(
        budget_after(pace.budget, tick.cost, tick.dramatic, tick.private, physics),
        stress_after(pace.stress, tick.stress_gain, tick.sensitivity, tick.fought, tick.private, physics),
        composure_after(pace.composure, tick.drinks, pace.stress, tick.private, tick.unrest, physics),
        commitment_after(pace.commitment, tick.commitment_gain, tick.upheld, physics),
        recovery_after(pace.timer, tick.lock),
        suppression_after(pace.suppression, tick.dramatic, pace.stress, physics),
    )


def emotion_after(emotion: float, change: float) -> float:
    """An emotion after an event."""
    return clamp(emotion + change, 0.0, 1.0)


def emotion_decay(emotion: float, physics: Physics) -> float:
    """An emotion one tick later, closer to 0."""
    return max(0.0, emotion - physics.emotion_decay)


def trust_after(trust: float, change: float, physics: Physics) -> float:
    """Trust after an event: it is regained `trust_repair` times more slowly than it is lost."""
    if change > 0.0:
        return clamp(trust + change / physics.trust_repair, -1.0, 1.0)
    return clamp(trust + change, -1.0, 1.0)


def affection_after(affection: float, change: float) -> float:
    """Affection after an event."""
    return clamp(affection + change, -1.0, 1.0)
