"""Choosing: everything that may be done is weighed, noise is added, and the best act wins; of equals the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.chance import gauss, stream, word
from volition.drama.evening.dramatic import (
    offer_confidences,
    offer_conflicts,
    offer_lies,
    offer_reveals,
    price_tellings,
)
from volition.drama.evening.gestures import offer_gestures
from volition.drama.evening.house import FOR_NOISE
from volition.drama.evening.quiet import offer_handling, offer_looks, offer_moves, offer_words
from volition.drama.evening.record import NONE
from volition.drama.evening.weigh import NOISE, add_recency, clear_desk
from volition.drama.rules.leaf import leaf
from volition.drama.rules.pacing import priority_class

if TYPE_CHECKING:
    from volition.drama.evening.house import House
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.record import Name
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.weigh import Desk


def weigh(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """Put down every act that somebody may choose, with its worth before noise.

    Acts that a gate bars are left out; where the desk is itemised they are weighed too, since somebody will ask about
    them.
    """
    clear_desk(evening, house, me, seen, desk)
    offer_words(evening, house, me, seen, desk)
    offer_looks(evening, house, me, seen, desk)
    offer_moves(evening, house, me, seen, desk)
    offer_handling(evening, house, me, seen, desk)
    if house.departs != 0:
        offer_gestures(evening, house, me, seen, desk)
    if seen.company != 0 and (desk.barred == 0 or desk.itemised != 0):
        if seen.told != 0:
            if house.departs != 0:
                price_tellings(evening, house, me, seen, desk)
            offer_reveals(evening, house, me, seen, desk)
        offer_conflicts(evening, house, me, seen, desk)
        offer_confidences(evening, house, me, seen, desk)
        if seen.told != 0:
            offer_lies(evening, house, me, seen, desk)
    if house.departs != 0:
        add_recency(evening, house, me, desk)


def add_noise(evening: EveningState, house: House, me: int, desk: Desk) -> None:
    """Add the noise of an evening."""
    add_noise_of(house, me, evening.seed, evening.tick, desk)


def add_noise_of(house: House, me: int, seed: Name, tick: int, desk: Desk) -> None:
    """Add noise that is a function of what it is for, so that nobody else's changes with it."""
    sigma = house.rules.noise.sigma
    if sigma == 0.0:
        return
    key = stream(seed, tick, house.person_name[me], house.purpose[FOR_NOISE])
    names, acts, worth, noise = house.act_name, desk.act, desk.worth, desk.terms[NOISE]
    for place in range(desk.acts):
        drawn = leaf(sigma * gauss(word(key, names[acts[place]])))
        worth[place] += drawn
        noise[place] = drawn


def best_of(house: House, desk: Desk) -> int:
    """The place on the desk of the best act that no gate bars; there is always one, for everybody may think."""
    if desk.itemised != 0 and desk.barred != 0:
        return best_quiet(house, desk)
    best, most, worth = 0, desk.worth[0], desk.worth
    for place in range(1, desk.acts):
        if worth[place] > most:
            best = place
            most = worth[place]
    return best


def best_quiet(house: House, desk: Desk) -> int:
    """The place on the desk of the best act that is not dramatic."""
    best, most = NONE, 0.0
    for place in range(desk.acts):
        worth = desk.worth[place]
        if (best == NONE or worth > most) and house.dramatic[desk.act[place]] == 0:
            best = place
            most = worth
    return best


def choose(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """Let somebody choose; the act, its score and its class are written into the evening."""
    weigh(evening, house, me, seen, desk)
    add_noise(evening, house, me, desk)
    take_best(evening, house, me, seen, desk)


def take_best(evening: EveningState, house: House, me: int, seen: Perceived, desk: Desk) -> None:
    """Let somebody take the best act that is on the desk."""
    best = best_of(house, desk)
    take(evening, house, me, seen.present, desk.act[best], desk.worth[best])


def take(evening: EveningState, house: House, me: int, met: int, act: int, score: float) -> None:
    """Write down what somebody chose before those whom they met, with its score; its class follows from their stress."""
    evening.choice[me] = act
    evening.score[me] = score
    evening.met[me] = met
    evening.priority[me] = priority_class(
        house.kind[act], house.dramatic[act] != 0, evening.stress[me], house.rules.pacing
    )
