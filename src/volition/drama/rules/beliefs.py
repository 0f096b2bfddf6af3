"""Beliefs: how being told, hinted at or lied to changes what is held of a secret, and by what chance.

Nothing is ever forgotten (no way leads back to UNKNOWN), and who knows does not fall back to suspecting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import Belief
from volition.drama.rules.physics import clamp

if TYPE_CHECKING:
    from volition.drama.rules.stage_tables import Information

_UNKNOWN, _SUSPECTS, _BELIEVES_TRUE, _BELIEVES_FALSE = Belief


def allowed(before: int, after: int) -> bool:
    """Whether a belief may change so; to stay as it is, it always may."""
    if before == after:
        return True
    if before == _BELIEVES_TRUE:
        return after == _BELIEVES_FALSE
    return after != _UNKNOWN


def told(belief: int) -> int:
    """After the truth was told, shown or shouted: BELIEVES_TRUE."""
    return _BELIEVES_TRUE


def hinted(belief: int) -> int:
    """After a sight, a hint or something overheard: SUSPECTS, unless the truth is known."""
    if belief == _BELIEVES_TRUE:
        return belief
    return _SUSPECTS


def lied_to(belief: int, believed: bool) -> int:
    """After a lie: who believes it holds the secret false, who does not begins to suspect; who knows, knows.

    A lie that is not believed leaves an older false belief as it is.
    """
    if belief == _BELIEVES_TRUE:
        return belief
    if believed:
        return _BELIEVES_FALSE
    if belief == _UNKNOWN:
        return _SUSPECTS
    return belief


def lie_credibility(trust: float, suspects: bool, certain: bool, composure: float, information: Information) -> float:
    """The chance that a lie is believed: by the target's trust in the liar, and by the liar's composure.

    It is smaller with somebody who suspects the truth, and 0 against certain knowledge.
    """
    if certain:
        return 0.0
    chance = information.lie_base + information.lie_trust * trust - information.lie_unmasked * (1.0 - composure)
    if suspects:
        chance -= information.lie_suspected
    return clamp(chance, 0.0, 1.0)


def evidence_chance(weight: float, composure: float, truth_seeking: float, information: Information) -> float:
    """The chance that watching somebody betrays a secret of theirs, by its weight, their composure and the watcher."""
    shown = information.watch_composed + information.watch_unmasked * (1.0 - composure)
    return clamp(information.watch * weight * shown * (information.watch_idle + truth_seeking), 0.0, 1.0)


def forced_truth_chance(composure: float, information: Information) -> float:
    """The chance that a secret comes out in a quarrel, by the composure of the accused."""
    return clamp(information.forced * (1.0 - composure), 0.0, 1.0)
