"""Beliefs: how they change when a person is told a secret, gets a hint or is lied to, and what the truth does to people.

Nothing is ever forgotten (no belief becomes UNKNOWN again), and knowledge never turns back into suspicion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import Belief
from volition.drama.rules.physics import clamp

if TYPE_CHECKING:
    from volition.drama.rules.stage_tables import Consequences, Grievance, Information

_UNKNOWN, _SUSPECTS, _BELIEVES_TRUE, _BELIEVES_FALSE = map(int, Belief)  # what a compiled rule returns is a number


def belief_when_hinted(belief: int) -> int:
    """The belief of a person who notices or overhears something: SUSPECTS, unless they know the truth."""
    if belief == _BELIEVES_TRUE:
        return belief
    return _SUSPECTS


def belief_when_lied_to(belief: int, believed: bool) -> int:
    """The belief of a person who is lied to: BELIEVES_FALSE if they believe the lie, else SUSPECTS.

    A person who knows the truth keeps knowing it, and a lie that is not believed does not change an older false belief.
    """
    if belief == _BELIEVES_TRUE:
        return belief
    if believed:
        return _BELIEVES_FALSE
    if belief == _UNKNOWN:
        return _SUSPECTS
    return belief


def lie_credibility(trust: float, suspects: bool, certain: bool, composure: float, information: Information) -> float:
    """The probability that a lie is believed, from the target's trust in the liar and the liar's composure.

    It is smaller if the target suspects the truth, and 0 if they know it.
    """
    if certain:
        return 0.0
    chance = information.lie_base + information.lie_trust * trust - information.lie_unmasked * (1.0 - composure)
    if suspects:
        chance -= information.lie_suspected
    return clamp(chance, 0.0, 1.0)


def evidence_chance(weight: float, composure: float, truth_seeking: float, information: Information) -> float:
    """The probability that watching a person betrays one of their secrets, by its weight, their composure and the watcher."""
    shown = information.watch_composed + information.watch_unmasked * (1.0 - composure)
    return clamp(information.watch * weight * shown * (information.watch_idle + truth_seeking), 0.0, 1.0)


def forced_truth_chance(composure: float, information: Information) -> float:
    """The probability that a secret comes out in a quarrel, by the composure of the accused."""
    return clamp(information.forced * (1.0 - composure), 0.0, 1.0)


def is_disturbing(about_me: bool, weight: float, affection: float, table: Consequences) -> bool:
    """Whether a secret disturbs the person who learns it: it is about them, weighty, or about a person they like."""
    return about_me or weight >= table.disturbing_weight or affection > table.disturbing_affection


def scale_by_harm(coefficient: float, weight: float, share: float) -> float:
    """A consequence, scaled by the weight of the secret and by the harm it does."""
    return coefficient * weight * share


def judgement(weight: float, affection: float, table: Consequences) -> float:
    """The change of trust in a holder by a person who is not harmed: smaller if they like the holder."""
    return -(table.judgement * weight * (1.0 - max(0.0, affection)))


def is_wrong(weight: float, harm: float, table: Consequences) -> bool:
    """Whether a secret is a wrong against a person whom it harms, which calls for an answer."""
    return weight * harm >= table.wrong_from > 0.0


def mends(grievance: float, shame: float, own_grievance: float, table: Grievance) -> bool:
    """Whether a word can mend the other's grievance: the speaker is ashamed, or bears no grudge."""
    return grievance > table.mending_above and (shame > table.mending_shame or own_grievance < table.mending_above)


def mending(affection: float, private: bool, table: Grievance) -> float:
    """How much of a grievance one word mends."""
    place = table.mending_private if private else table.mending_public
    return table.mending * (1.0 + table.mending_affection * affection) * place


def throws_out(resident: bool, guest: bool, trust: float, grievance: float, share: float, table: Grievance) -> bool:
    """Whether a confrontation ends with the guest being thrown out, when a share of the evening is over."""
    if not (resident and guest and share > table.throwing_out_from):
        return False
    return trust < table.throwing_out_trust and grievance > table.throwing_out_grievance
