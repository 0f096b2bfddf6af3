"""Everybody's decisions in many states at once: what each would choose now, without anything happening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.choose import add_noise, add_noise_of, best_of, take_best, weigh
from volition.drama.evening.perceive import make_out, survey
from volition.drama.evening.record import DEPARTED, NONE
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.evening.house import House
    from volition.drama.evening.perceive import Perceived
    from volition.drama.evening.record import IntTable, Name, RealCube, RealTable
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.terms import AddTerms
    from volition.drama.evening.weigh import Desk


def decide(
    evening: EveningState,
    house: House,
    me: int,
    seen: Perceived,
    desk: Desk,
    added: RealCube,
    number: int,
    add_terms: AddTerms,
) -> None:
    """Let somebody choose by what they make out of a survey, and write the choice into the evening."""
    make_out(evening, house, me, seen)
    weigh_all(evening, house, me, seen, desk, added, number, add_terms)
    add_noise(evening, house, me, desk)
    take_best(evening, house, me, seen, desk)


def weigh_all(
    evening: EveningState,
    house: House,
    me: int,
    seen: Perceived,
    desk: Desk,
    added: RealCube,
    number: int,
    add_terms: AddTerms,
) -> None:
    """Weigh every act that somebody may choose, with what custom terms add.

    Those that are laws add it themselves, where the desk says that there are any. What others add to each act of each
    person in each evening is in `added`, where there is any; it is rounded to the grain of scores.
    """
    weigh(evening, house, me, seen, desk)
    if desk.custom != 0:
        add_terms(evening, house, me, seen, desk)
    if len(added) > 0:
        for place in range(desk.acts):
            desk.worth[place] += leaf(added[number][me][desk.act[place]])


def decide_everything(
    evenings: Sequence[EveningState],
    houses: Sequence[House],
    seen: Sequence[Perceived],
    desks: Sequence[Desk],
    added: RealCube,
    add_terms: AddTerms,
    seeds: Sequence[Name],
    acts: IntTable,
    totals: RealTable,
) -> None:
    """Write everybody's choice in each state and its score, and change no state; those who left choose nothing.

    There is a seed of the noise for each state.
    """
    house, desk = houses[0], desks[0]
    for number in range(len(evenings)):
        evening = evenings[number]
        survey(evening, house, seen[0])
        for who in range(house.people):
            acts[number][who] = NONE
            if evening.room[who] != DEPARTED:
                make_out(evening, house, who, seen[0])
                weigh_all(evening, house, who, seen[0], desk, added, number, add_terms)
                add_noise_of(house, who, seeds[number], evening.tick, desk)
                best = best_of(house, desk)
                acts[number][who] = desk.act[best]
                totals[number][who] = desk.worth[best]
