"""How large each term of a score can get: the range that its heuristic declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.chance import GAUSS_BOUND
from volition.drama.rules.catalog import EFFECTS

if TYPE_CHECKING:
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import Scenario

_CLOSENESS = EFFECTS.index("closeness")


def term_bounds(scenario: Scenario, tables: Tables) -> dict[str, float]:
    """How large each term can get with any rules."""
    people = scenario.people
    flaws, pacing, bonds, movement = tables.flaws, tables.pacing, tables.bonds, tables.movement
    crowd, profiles = float(len(people)), [*tables.effects]
    widest = max(sum(map(abs, profile)) for profile in profiles)
    closest = max(abs(profile[_CLOSENESS]) for profile in profiles)
    scale = (1.0 + abs(tables.context.telling_weight)) * max(1.0, abs(tables.context.distrust_factor))
    drawn = abs(tables.context.move_secrecy) + abs(tables.context.move_safety)
    frailty = max((sum([flaw.strength for flaw in person.flaws]) for person in people.values()), default=0.0)
    sharpest = max(map(abs, flaws[: flaws._fields.index("cap")])) * max(1.0, widest)
    sharpest += most_coloured(tables)
    relief = max(abs(pacing.move_relief), abs(pacing.confide_relief), abs(pacing.drink_relief))
    held = abs(pacing.masking) + abs(pacing.consistent) + abs(pacing.contradicting) + abs(pacing.quiet)
    pulls = abs(movement.stress_privacy) + abs(movement.pending_privacy)
    return {
        "utility": max(4.0, scale) * (widest + drawn + crowd * closest),
        "flaws": max(4.0, frailty * sharpest),
        "pacing": max(4.0, held + relief),
        "bonds": max(2.0, sum(map(abs, bonds))) * crowd,
        "alcohol": max(1.0, abs(tables.alcohol.pull)),
        "movement": crowd * max(1.0, abs(movement.closeness) + abs(movement.follow)) + max(2.0, pulls),
        "situation": max(16.0, most_added(scenario, tables)),
        "noise": abs(tables.noise.sigma) * GAUSS_BOUND,
    }


def most_coloured(tables: Tables) -> float:
    """The most that the colour of a flaw of strength 1 can add: closeness lies within 1 of 0, and so do debt and standing."""
    departures = tables.departures
    colours = (2.0 * departures.glare, departures.amends, departures.shrink, departures.press, departures.preen)
    return max(map(abs, colours))


def most_added(scenario: Scenario, tables: Tables) -> float:
    """The most that a situation can add with any rules: what every act may get, plus the most for any kind of act."""
    d, shape, leaving, wants = tables.departures, tables.situation, tables.leaving, tables.wants
    crowd, late = (
        float(len(scenario.people)),
        scenario.evening.minutes + tables.time.catastrophe * scenario.evening.time_scale,
    )
    again = max(abs(d.recency), abs(d.recency_dramatic)) * (1.0 + abs(d.recency_slope) * d.recency_ticks)
    telling = abs(d.telling_cost) * max(2.0, abs(shape.telling_open)) + abs(d.denounce) + abs(d.protect)
    telling += abs(d.ally) + abs(d.chill)
    sting = max(1.0, abs(shape.wrong_least) * 2.0 + 1.0) * max(1.0, abs(shape.wrong_answered))
    quarrel = abs(d.politeness) + abs(d.opening_restraint) + abs(d.grievance) + abs(d.suspicion_pull)
    quarrel += abs(d.outrage) * sting + abs(d.swallow) + abs(d.owed) + abs(d.stake)
    quarrel += abs(d.fatigue) * tables.grievance.fatigue_most
    wish = abs(leaving.scene) + abs(leaving.broken) + abs(leaving.stress) * (1.0 + abs(leaving.stress_above)) + 1.0
    over = late / scenario.evening.minutes
    wish += abs(leaving.late) * max(0.0, over - leaving.late_from) / leaving.late_share + abs(leaving.decency)
    wish += abs(leaving.wronged)
    need = max(wants.most, wants.start, 1.0) + abs(wants.glass_relief) * len(
        scenario.evening.courses + scenario.evening.pours
    )
    wanted = len(scenario.evening.needs) * abs(d.needs) * (need + abs(shape.need_felt))
    move = abs(d.move_cost) + abs(d.move_again) + abs(d.company) + abs(d.course_window) + abs(d.courses)
    move += abs(d.flight) + abs(d.seek) + abs(d.unrest) + abs(d.chill)
    move += abs(d.manners) * (
        abs(shape.manners_least) + abs(shape.manners_most) * max(1.0, crowd / shape.manners_company)
    )
    move += _cap(d.away_pull, d.away_most, late)
    move += _cap(d.crowd_pull, d.crowd_pull_most, crowd) + _cap(d.crowd_push, d.crowd_push_most, crowd)
    handling = (
        abs(d.courses) + abs(leaving.departure) + wish + abs(d.need_base) + abs(d.need_use) * need + abs(d.slam_pull)
    )
    handling += abs(d.unrest) + abs(d.chill) + abs(d.drinking) * (1.0 + abs(shape.thirst))
    gesture = abs(d.cold) * sting + abs(d.swallow) + abs(d.comfort) + abs(d.protect) + abs(d.chill)
    gesture += abs(d.owed) + abs(d.forgive) * (2.0 + abs(shape.forgiving)) + 2.0 * abs(d.break_with)
    words = abs(d.making_up) + abs(d.chill)
    kinds = (telling, quarrel, abs(d.lie_pull), words, move + wish + wanted, handling, gesture)
    return again + abs(d.opening_restraint) + max(kinds)


def _cap(rate: float, most: float, times: float) -> float:
    """The largest absolute value of the smaller of `most` and a rate times `times`."""
    return most if rate >= 0.0 <= most else max(abs(most), abs(rate) * times)


def power_of_two(bound: float) -> float:
    """The smallest power of two that is not below a bound: the limit of a term, with room for rounding.

    >>> power_of_two(0.6), power_of_two(4.0), power_of_two(5.0)
    (1.0, 4.0, 8.0)
    """
    weight = 1.0
    while weight < bound:
        weight *= 2.0
    return weight
