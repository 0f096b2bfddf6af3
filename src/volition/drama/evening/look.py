"""A look at every decision of an evening: who won, what it hung on, and how totals are spread."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Final

from volition.drama.evening.record import COUNT, FLAG, Ints, IntTable, Kind, part, record
from volition.drama.evening.sets import has
from volition.drama.evening.state import PEOPLE
from volition.drama.evening.tables import FLAWS, KINDS
from volition.drama.evening.weigh import BONDS, NOISE, OF_FLAWS
from volition.drama.rules.catalog import CHAT, CONFIDE, INTERNAL

if TYPE_CHECKING:
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.weigh import ScoreSheet

HUNDREDTHS: Final = "hundredths"
"""How many hundredths there is room for, half of them below zero."""
HUNG: Final = ("bonds", "flaws", "noise")
"""The terms that are checked for having decided: would another act have won without them?"""
HUNG_BONDS, HUNG_FLAWS, HUNG_NOISE = range(len(HUNG))
SPREADS: Final = ("internal", "winners", "all", "dramatic", "gaps", "biases")
"""What is spread: totals of INTERNAL, of winners, of all acts, the best dramatic ones, gaps, and what flaws added."""
OF_INTERNAL, OF_WINNERS, OF_ALL, OF_DRAMATIC, OF_GAPS, OF_BIASES = range(len(SPREADS))
FAR: Final = 1e9
"""Further from zero than any total."""

_TALLY = Kind("tally", "i4", "i4", 0)


@record
class EveningLooks:
    """All decisions of an evening in numbers."""

    decisions: int = part(COUNT)
    won: Ints = part(COUNT, KINDS)  # how often each kind of act won
    hung: Ints = part(COUNT, len(HUNG))  # how often another act would have won without each of the terms
    decided: Ints = part(COUNT, PEOPLE)  # how often each person decided
    awake: IntTable = part(COUNT, PEOPLE, FLAWS)  # how often with each of their flaws awake
    swayed: IntTable = part(COUNT, PEOPLE, FLAWS)  # how often each flaw changed what they chose


@record
class EveningSpreads:
    """How the scores of an evening are spread; they are totals as played, with noise."""

    overflow: int = part(FLAG)  # whether a number lies beyond the hundredths that there is room for
    hundredths: int = part(COUNT)
    spread: IntTable = part(_TALLY, len(SPREADS), HUNDREDTHS)  # how many numbers are in each hundredth


def look(
    evening: EveningState,
    tables: ScenarioTables,
    me: int,
    sheet: ScoreSheet,
    looks: EveningLooks,
    spreads: EveningSpreads,
) -> None:
    """Look at what `me` has just chosen, while all that they weighed is still on the sheet."""
    worth, acts, bonds, flaws, noise = (
        sheet.worth,
        sheet.act,
        sheet.terms[BONDS],
        sheet.terms[OF_FLAWS],
        sheet.terms[NOISE],
    )
    winner, without_bonds, without_flaws, without_noise = 0, 0, 0, 0
    most_without_bonds, most_without_flaws, most_without_noise = -FAR, -FAR, -FAR
    best_act, second, dramatic = evening.choice[me], -FAR, -FAR
    for place in range(sheet.acts):
        act, total = acts[place], worth[place]
        count(spreads, OF_ALL, total)
        if act == best_act:
            winner = place
        else:
            second = max(second, total)
        if tables.kind[act] == INTERNAL:
            count(spreads, OF_INTERNAL, total)
        if tables.dramatic[act] != 0:
            dramatic = max(dramatic, total)
        if total - bonds[place] > most_without_bonds:
            most_without_bonds = total - bonds[place]
            without_bonds = place
        if total - flaws[place] > most_without_flaws:
            most_without_flaws = total - flaws[place]
            without_flaws = place
        if total - noise[place] > most_without_noise:
            most_without_noise = total - noise[place]
            without_noise = place
    looks.decisions += 1
    looks.decided[me] += 1
    for flaw in range(FLAWS):
        if has(sheet.offered, flaw):
            looks.awake[me][flaw] += 1
            looks.swayed[me][flaw] += int(without_flaw(tables, me, flaw, sheet) != winner)
    looks.won[tables.kind[best_act]] += 1
    looks.hung[HUNG_BONDS] += int(without_bonds != winner)
    looks.hung[HUNG_FLAWS] += int(without_flaws != winner)
    looks.hung[HUNG_NOISE] += int(without_noise != winner)
    count(spreads, OF_WINNERS, worth[winner])
    count(spreads, OF_BIASES, abs(flaws[winner]))
    if dramatic > -FAR:
        count(spreads, OF_DRAMATIC, dramatic)
    if second > -FAR:  # everybody may think and look around, but a custom mind leaves one act
        count(spreads, OF_GAPS, worth[winner] - second)


def without_flaw(tables: ScenarioTables, me: int, flaw: int, sheet: ScoreSheet) -> int:
    """The place of the act that would have won without one of `me`'s flaws: awake at all acts, or at closeness alone."""
    best, most, sway, acts, worth = 0, -FAR, tables.sway[me][flaw], sheet.act, sheet.worth
    always = has(sheet.awake, flaw)
    for place in range(sheet.acts):
        act, without = acts[place], worth[place]
        if always or tables.kind[act] in (CHAT, CONFIDE):
            without -= sway[act]
        if without > most:
            most = without
            best = place
    return best


def count(spreads: EveningSpreads, which: int, value: float) -> None:
    """Count a number in the hundredth where it lies."""
    place = int(floor(value * 100.0)) + spreads.hundredths // 2  # noqa: RUF046 - a device has real floors
    if place < 0 or place >= spreads.hundredths:
        spreads.overflow = 1
    else:
        spreads.spread[which][place] += 1


def clear_looks(tables: ScenarioTables, looks: EveningLooks, spreads: EveningSpreads) -> None:
    """Forget all decisions."""
    looks.decisions = 0
    for who in range(tables.people):
        looks.decided[who] = 0
        for flaw in range(FLAWS):
            looks.awake[who][flaw] = 0
            looks.swayed[who][flaw] = 0
    for kind in range(KINDS):
        looks.won[kind] = 0
    for term in range(len(HUNG)):
        looks.hung[term] = 0
    spreads.overflow = 0
    for which in range(len(SPREADS)):
        for place in range(spreads.hundredths):
            spreads.spread[which][place] = 0
