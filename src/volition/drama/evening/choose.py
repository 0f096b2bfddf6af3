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
from volition.drama.evening.quiet import offer_gestures, offer_handling, offer_looks, offer_moves, offer_words
from volition.drama.evening.record import NONE
from volition.drama.evening.tables import FOR_NOISE
from volition.drama.evening.weigh import ALLOWED, NOISE, add_recency, clear_sheet
from volition.drama.rules.leaf import leaf
from volition.drama.rules.pacing import priority_class

if TYPE_CHECKING:
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.record import Name
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.weigh import ScoreSheet


def weigh(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """Put down every act that `me` may choose, with its worth before noise.

    Acts that a gate bars are left out; where the sheet is itemised they are weighed too: an explanation
    names them.
    """
    clear_sheet(evening, tables, me, seen, sheet)
    offer_words(evening, tables, me, seen, sheet)
    offer_looks(evening, tables, me, seen, sheet)
    offer_moves(evening, tables, me, seen, sheet)
    offer_handling(evening, tables, me, seen, sheet)
    if tables.departs != 0:
        offer_gestures(evening, tables, me, seen, sheet)
    if seen.company != 0 and (sheet.barred == 0 or sheet.itemised != 0):
        if seen.told != 0:
            if tables.departs != 0:
                price_tellings(evening, tables, me, seen, sheet)
            offer_reveals(evening, tables, me, seen, sheet)
        offer_conflicts(evening, tables, me, seen, sheet)
        offer_confidences(evening, tables, me, seen, sheet)
        if seen.told != 0:
            offer_lies(evening, tables, me, seen, sheet)
    if tables.departs != 0:
        add_recency(evening, tables, me, sheet)


def add_noise(evening: EveningState, tables: ScenarioTables, me: int, sheet: ScoreSheet) -> None:
    """Add the noise of an evening."""
    add_noise_of(tables, me, evening.seed, evening.tick, sheet)


def add_noise_of(tables: ScenarioTables, me: int, seed: Name, tick: int, sheet: ScoreSheet) -> None:
    """Add noise that is a function of what it is for, so that nobody else's changes with it."""
    sigma = tables.rules.noise.sigma
    if sigma == 0.0:
        return
    key = stream(seed, tick, tables.person_name[me], tables.purpose[FOR_NOISE])
    names, acts, worth, noise = tables.act_name, sheet.act, sheet.worth, sheet.terms[NOISE]
    for place in range(sheet.acts):
        drawn = leaf(sigma * gauss(word(key, names[acts[place]])))
        worth[place] += drawn
        noise[place] = drawn


def best_of(tables: ScenarioTables, sheet: ScoreSheet) -> int:
    """The place on the sheet of the best act that no gate bars; there is always one, for everybody may think."""
    if sheet.itemised != 0:
        return best_allowed(tables, sheet)
    best, most, worth = 0, sheet.worth[0], sheet.worth
    for place in range(1, sheet.acts):
        if worth[place] > most:
            best = place
            most = worth[place]
    return best


def best_allowed(tables: ScenarioTables, sheet: ScoreSheet) -> int:
    """The place on the sheet of the best act that is neither barred by pacing nor vetoed."""
    best, most = NONE, 0.0
    for place in range(sheet.acts):
        worth = sheet.worth[place]
        barred = sheet.barred != 0 and tables.dramatic[sheet.act[place]] != 0
        if (best == NONE or worth > most) and not barred and sheet.vetoed[place] == ALLOWED:
            best = place
            most = worth
    return best


def choose(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """Let `me` choose; the act, its score and its class are written into the evening."""
    weigh(evening, tables, me, seen, sheet)
    add_noise(evening, tables, me, sheet)
    take_best(evening, tables, me, seen, sheet)


def take_best(evening: EveningState, tables: ScenarioTables, me: int, seen: Perceived, sheet: ScoreSheet) -> None:
    """Let `me` take the best act that is on the sheet."""
    best = best_of(tables, sheet)
    take(evening, tables, me, seen.present, sheet.act[best], sheet.worth[best])


def take(evening: EveningState, tables: ScenarioTables, me: int, met: int, act: int, score: float) -> None:
    """Write down what `me` chose before those whom they met, with its score; its class follows from their stress."""
    evening.choice[me] = act
    evening.score[me] = score
    evening.met[me] = met
    evening.priority[me] = priority_class(
        tables.kind[act], tables.dramatic[act] != 0, evening.stress[me], tables.rules.pacing
    )
