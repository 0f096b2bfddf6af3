"""Beliefs: how they change when somebody is told a secret, gets a hint or is lied to, and with which probability.

Nothing is ever forgotten (no belief becomes UNKNOWN again), and knowledge never turns back into suspicion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import Belief
from volition.drama.rules.physics import clamp

if TYPE_CHECKING:
    from volition.drama.rules.stage_tables import Information

_UNKNOWN, _SUSPECTS, _BELIEVES_TRUE, _BELIEVES_FALSE = map(int, Belief)  # what a compiled rule returns is a number


def belief_when_hinted(belief: int) -> int:
    """The belief of somebody who notices or overhears something: SUSPECTS, unless they know the truth."""
    if belief == _BELIEVES_TRUE:
        return belief
    return _SUSPECTS


def belief_when_lied_to(belief: int, believed: bool) -> int:
    """The belief of somebody who is lied to: BELIEVES_FALSE if they believe the lie, else SUSPECTS.

    Somebody who knows the truth keeps knowing it, and a lie that is not believed does not change an older false belief.
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
    """The probability that watching somebody betrays one of their secrets, by its weight, their composure and the watcher."""
    shown = information.watch_composed + information.watch_unmasked * (1.0 - composure)
    return clamp(information.watch * weight * shown * (information.watch_idle + truth_seeking), 0.0, 1.0)


def forced_truth_chance(composure: float, information: Information) -> float:
    """The probability that a secret comes out in a quarrel, by the composure of the accused."""
    return clamp(information.forced * (1.0 - composure), 0.0, 1.0)
