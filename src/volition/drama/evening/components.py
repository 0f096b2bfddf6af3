"""The components of tension as formulas: eight numbers from 0 to 1, and what they are made of.

The audience asks them about the events of a run, and `tension` asks them while an evening is played. Every result is a
leaf, so their sums are exact: added in any order, by any version of Python, they give the same bits.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from volition.drama.rules.catalog import CATASTROPHE, CONFIDE, CONFLICT, INTERNAL, LIE, OBSERVE, REVEAL, Belief
from volition.drama.rules.leaf import leaf

COMPONENTS: Final = 8
INHERITED: Final = 0.5
"""The share of an overheard event's danger that its listener feels."""
CLOSE: Final = 0.5
"""Above this affection, people are close."""
RELEVANT: Final = 0.3
"""The relevance from which a secret concerns a person."""
SHARED: Final = 5
"""The number of earlier events of the same people that count for the volatility of their bonds."""

_UNKNOWN, _SUSPECTS, _FALSE = int(Belief.UNKNOWN), int(Belief.SUSPECTS), int(Belief.BELIEVES_FALSE)


def danger_of(kind: int, loss: float, public: bool, heard: float) -> float:
    """Physical and social danger: the greatest loss of trust, a secret gone public, or a share of what was heard."""
    if kind == INTERNAL:
        return 0.0
    if kind == OBSERVE:
        return leaf(INHERITED * heard)
    physical, social = 0.0, 0.0
    if kind == CONFLICT:
        physical = 0.8
    elif kind == CATASTROPHE:
        physical = 1.0
    if loss > 0.3:
        social = loss
    if public:
        social = max(social, 0.7)
    return leaf(min(max(physical, social) + 0.15 * min(physical, social), 1.0))


def is_aloud(kind: int) -> bool:
    """Whether what comes out in such an event is heard by the whole room."""
    return kind in (REVEAL, CONFLICT, CATASTROPHE)


def clock_of(minutes: float, last_minute: float) -> float:
    """The part of time pressure that depends only on the time: the share of the evening that is over, squared."""
    share = min(minutes / last_minute, 1.0)
    return leaf(share * share)


def pressure_of(timer: int, suspecters: int, composure: float) -> float:
    """How pressed a person is: recovering, with a secret that two or more people suspect, or losing composure."""
    pressure, lost = 0.0, 1.0 - composure
    if timer > 0:
        pressure = 0.6 * max(0.0, 1.0 - timer / 10.0)
    if suspecters >= 2:
        pressure = max(pressure, min(suspecters / 4.0, 1.0))
    if lost > 0.3:
        pressure = max(pressure, 0.5 * lost)
    return leaf(pressure)


def standing_of(trust: float, others: int) -> float:
    """How well the wish for status is met: the mean of the trust of `others`, whose sum is given."""
    mean = 0.0
    if others > 0:
        mean = trust / others
    return leaf((mean + 1.0) / 2.0)


def share_of(count: int, whole: int) -> float:
    """A share of secrets; all of none."""
    if whole == 0:
        return 1.0
    return leaf(count / whole)


def freedom_of(commitments: int) -> float:
    """How well the wish for autonomy is met."""
    return leaf(1.0 - min(commitments / 5.0, 1.0))


def frustration_of(product: float, wanted: float, had: float) -> float:
    """How far satisfaction is from the goals: half of 1 minus their cosine, by their product and both squares."""
    lengths = sqrt(wanted) * sqrt(had)
    if lengths == 0.0:
        return 0.0
    return leaf(min(max((1.0 - product / lengths) / 2.0, 0.0), 1.0))


def volatility_of(change: float, changes: int, turned: bool) -> float:
    """How much bonds change, by the sum and the number of the changes, and whether one changed in both directions.

    The mean change is divided by 0.5. Reversals count a third each but 0.3 at most, so one already gives the full 0.3.
    """
    if changes == 0:
        return 0.0
    mean = change / changes / 0.5
    if turned:
        mean += 0.3
    return leaf(min(mean, 1.0))


def relevance_of(about: bool, near: bool, close: bool, holds: bool) -> float:
    """How much a secret concerns a person, 0.2 to 1.

    1 if it is about them; 0.9 if its subject is `near` and `close` to them; 0.7 if they hold it; 0.5 if its
    subject is near; 0.2 otherwise.
    """
    if about:
        return 1.0
    if near and close:
        return 0.9
    if holds:
        return 0.7
    if near:
        return 0.5
    return 0.2


def gap_of(belief: int, relevance: float) -> float:
    """What a person lacks of the truth of a secret, by how much it concerns them."""
    if belief == _FALSE:
        return leaf(relevance)
    if belief == _UNKNOWN:
        return leaf(0.5 * relevance)
    if belief == _SUSPECTS:
        return leaf(0.25 * relevance)
    return 0.0


def irony_of(belief: int, relevance: float, own: bool) -> float:
    """The irony of one belief: the most for a wrong one, and a lot for not knowing what is one's `own` secret."""
    if belief == _FALSE:
        return leaf(2.0 * relevance)
    if belief == _UNKNOWN:
        if own:
            return 1.5
        return 0.5 if relevance >= RELEVANT else 0.0
    if belief == _SUSPECTS:
        return leaf(0.25 * relevance)
    return 0.0


def mean_of(total: float, count: int) -> float:
    """The mean of `count` leaves; 0 of none."""
    if count == 0:
        return 0.0
    return leaf(total / count)


def density_of(irony: float, pairs: int) -> float:
    """The irony of those present, relative to the maximum for this many pairs of a person and their secret."""
    if pairs == 0:
        return 0.0
    return leaf(min(irony / (2.0 * pairs), 1.0))


def is_private(kind: int) -> bool:
    """Whether such an act is a private matter."""
    return kind in (CONFIDE, REVEAL, CONFLICT)


def scarcity_of(allies: int, enemies: int, others: int, full: bool, exposed: bool) -> float:
    """How scarce resources are: allies among the others, a free place where one goes, or privacy."""
    scarcity = 0.0
    if others > 0:
        scarcity = (1.0 - allies / others + enemies / others) / 2.0
    if full:
        scarcity = max(scarcity, 0.7)
    if exposed:
        scarcity = max(scarcity, 0.6)
    return leaf(scarcity)


def abuse_of(kind: int, trust: float, harm: float) -> float:
    """What it costs the conscience to harm, or to lie to, a person, by how much they trust."""
    cost = 0.0
    if trust > 0.3:
        cost = max(cost, 2.0 * trust * harm)
    if kind == LIE:
        cost = max(cost, 0.7 * trust)
    return cost


def moral_cost_of(abuse: float, betrays: bool, loyalty: float, commits: bool) -> float:
    """What an act costs one's conscience: trust that is hurt or abused, others' secrets, and what one is loyal to."""
    cost = abuse
    if betrays:
        cost = max(cost, 0.8)
    if loyalty > 0.6 and commits:
        cost = max(cost, 0.6 * loyalty)
    return leaf(min(cost, 1.0))
