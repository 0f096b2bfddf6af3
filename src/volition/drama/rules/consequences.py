"""What the truth does to people, and how a grievance is mended or ends with a guest being thrown out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from volition.drama.rules.stage_tables import Consequences, Grievance


def is_disturbing(about_me: bool, weight: float, affection: float, table: Consequences) -> bool:
    """Whether a secret disturbs the person who learns it: it is about them, weighty, or about somebody they like."""
    return about_me or weight >= table.disturbing_weight or affection > table.disturbing_affection


def scale_by_harm(coefficient: float, weight: float, share: float) -> float:
    """A consequence, scaled by the weight of the secret and by the harm it does."""
    return coefficient * weight * share


def judgement(weight: float, affection: float, table: Consequences) -> float:
    """The change of trust in a holder by somebody who is not harmed: smaller if they like the holder."""
    return -(table.judgement * weight * (1.0 - max(0.0, affection)))


def is_wrong(weight: float, harm: float, table: Consequences) -> bool:
    """Whether a secret is a wrong against somebody whom it harms, which calls for an answer."""
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
