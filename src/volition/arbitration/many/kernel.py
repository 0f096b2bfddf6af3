"""The loop over deciders, in the subset of Python that Numba compiles.

Totals are first summed with rounding, and the rounding error is bounded. Where the best total leads all others by more
than the bound and the tie margin, it also wins by exact sums, and nothing more is computed; noise is drawn only for
candidates that it could still lift to the top. Only otherwise are the sums taken exactly and ties broken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from volition.core.chance import GAUSS_BOUND
from volition.core.chance_arrays import _gauss as gauss
from volition.core.chance_arrays import _word as word

NOBODY = -1
_UNIT = 2.0**-53


def choose(
    scores: Any,
    weights: Any,
    reaches: Any,
    closed: Any,
    levels: Any,
    keys: Any,
    slots: Any,
    sigma: float,
    margin: float,
    winners: Any,
) -> None:
    """Write the winner of each decider, or NOBODY, into `winners`.

    `scores` is (1 or N, K, C), `weights` (1 or N, K). `reaches` (K) is how large scores can be, `closed` (1 or N, C) what
    cannot be chosen. `levels` (L, K) says which heuristics belong to each priority level, the highest first. `keys` are
    the random streams of the deciders (1 or N), `slots` the numbers of the candidates in them (C). `margin` is the tie
    margin.
    """
    heuristics, candidates = scores.shape[1], scores.shape[2]
    plain, near = np.empty(candidates), np.empty(candidates, dtype=np.int64)
    terms, parts = np.empty(heuristics + 3), np.empty(heuristics + 3)
    for decider in range(len(winners)):
        # Indices instead of row views: making a view takes as long as processing a row.
        table, weight, shut = decider * (len(scores) > 1), decider * (len(weights) > 1), decider * (len(closed) > 1)
        heaviest = sigma * GAUSS_BOUND + margin
        for place in range(candidates):
            plain[place] = -np.inf if closed[shut, place] else 0.0
        for voter in range(heuristics):
            mine = weights[weight, voter]
            heaviest += mine * reaches[voter]
            for place in range(candidates):
                plain[place] += mine * scores[table, voter, place]
        slack = (3 * heuristics + 9) * _UNIT * heaviest
        first = highest(plain)
        if first == -np.inf:
            winners[decider] = NOBODY
            continue
        best = 0
        while plain[best] != first:
            best += 1
        key = keys[decider * (len(keys) > 1)]
        if sigma > 0.0:
            floor = first + sigma * gauss(word(key, slots[best])) - (sigma * GAUSS_BOUND + (margin + slack))
            count = not_below(floor, plain, near)
            first = second = -np.inf
            for at in range(count):
                place = near[at]
                total = plain[place] + sigma * gauss(word(key, slots[place]))
                plain[place] = total
                best = place if total > first else best
                second = max(second, min(first, total))
                first = max(first, total)
            clear = first - second > margin + slack
        else:
            clear = not_below(first - (margin + slack), plain, near) == 1
        winners[decider] = (
            best
            if clear
            else settle(
                scores[table], weights[weight], levels, plain, first, slack, key, slots, sigma, margin, terms, parts
            )
        )


def highest(plain: Any) -> float:
    """The highest total, found in four independent lanes, which a CPU overlaps; -inf if there is none."""
    one = two = three = four = -np.inf
    whole = len(plain) - len(plain) % 4
    for place in range(0, whole, 4):
        one = max(one, plain[place])
        two = max(two, plain[place + 1])
        three = max(three, plain[place + 2])
        four = max(four, plain[place + 3])
    for place in range(whole, len(plain)):
        one = max(one, plain[place])
    return max(one, two, three, four)


def not_below(floor: float, plain: Any, near: Any) -> int:
    """How many totals are not below the floor; their indices go into `near`. It has no branch to mispredict."""
    count = 0
    for place in range(len(plain)):
        near[count] = place
        count += plain[place] >= floor
    return count


def settle(
    table: Any,
    weight: Any,
    levels: Any,
    plain: Any,
    first: float,
    slack: float,
    key: Any,
    slots: Any,
    sigma: float,
    margin: float,
    terms: Any,
    parts: Any,
) -> int:
    """The winner among those whose plain total is near the `first`: by exact sums, then by levels, then by order.

    Near are those that the tie margin and rounding (`slack`) can make tied; their exact totals are written to `plain`.
    """
    count = len(plain)
    left = np.zeros(count, dtype=np.bool_)
    best = -np.inf
    for place in range(count):
        if plain[place] >= first - (margin + slack):
            plain[place] = total_of(table, weight, place, key, slots, sigma, terms, parts)
            best = max(best, plain[place])
            left[place] = True
    for place in range(count):
        if left[place] and plain[place] != best:
            left[place] = ahead_by_more(best, plain[place], margin, terms, parts) <= 0.0
    for level in range(len(levels)):
        highest = -np.inf
        for place in range(count):
            if left[place]:
                members = 0
                for voter in range(len(weight)):
                    if levels[level, voter]:
                        terms[members] = table[voter, place]
                        members += 1
                value = exact_sum(terms, members, parts)
                if value > highest:
                    highest = value
                    left[:place] = False
                left[place] = value == highest
    winner = NOBODY
    for place in range(count - 1, -1, -1):
        if left[place]:
            winner = place
    return winner


def ahead_by_more(one: float, other: float, margin: float, terms: Any, parts: Any) -> float:
    """By how much one total is farther ahead of another than a margin, rounded once: its sign is exact."""
    terms[0], terms[1], terms[2] = one, -other, -margin
    return exact_sum(terms, 3, parts)


def total_of(table: Any, weight: Any, place: int, key: Any, slots: Any, sigma: float, terms: Any, parts: Any) -> float:
    """The total of one candidate, correctly rounded."""
    count = len(weight)
    for voter in range(count):
        terms[voter] = weight[voter] * table[voter, place]
    if sigma > 0.0:
        terms[count] = sigma * gauss(word(key, slots[place]))
        count += 1
    return exact_sum(terms, count, parts)


def totals_of(scores: Any, weights: Any, keys: Any, slots: Any, sigma: float, winners: Any, totals: Any) -> None:
    """Write the winners' totals into `totals`, NaN where nobody won."""
    heuristics = scores.shape[1]
    terms, parts = np.empty(heuristics + 1), np.empty(heuristics + 1)
    for decider in range(len(winners)):
        if winners[decider] == NOBODY:
            totals[decider] = np.nan
        else:
            table = scores[decider if len(scores) > 1 else 0]
            weight = weights[decider if len(weights) > 1 else 0]
            key = keys[decider * (len(keys) > 1)]
            totals[decider] = total_of(table, weight, winners[decider], key, slots, sigma, terms, parts)


def hold_below(
    scores: Any,
    weights: Any,
    reaches: Any,
    closed: Any,
    keys: Any,
    slots: Any,
    sigma: float,
    least: float,
    is_margin: bool,
    winners: Any,
    held: Any,
) -> None:
    """Write into `held` which winners are below the bound: by their total, or by their lead over the best of the others.

    What rounding cannot bring to the bound is judged by plain sums, and noise is drawn only for rivals that it could lift
    so near to the winner; anything else is summed exactly.
    """
    heuristics, candidates = scores.shape[1], scores.shape[2]
    plain, near = np.empty(candidates), np.empty(candidates, dtype=np.int64)
    terms, parts = np.empty(heuristics + 3), np.empty(heuristics + 3)
    for decider in range(len(winners)):
        held[decider] = False
        winner = winners[decider]
        if winner == NOBODY:
            continue
        table, weight, shut = decider * (len(scores) > 1), decider * (len(weights) > 1), decider * (len(closed) > 1)
        heaviest = sigma * GAUSS_BOUND + abs(least)
        for place in range(candidates):
            plain[place] = -np.inf if closed[shut, place] else 0.0
        for voter in range(heuristics):
            mine = weights[weight, voter]
            heaviest += mine * reaches[voter]
            for place in range(candidates):
                plain[place] += mine * scores[table, voter, place]
        slack = (3 * heuristics + 9) * _UNIT * heaviest
        key = keys[decider * (len(keys) > 1)]
        total = plain[winner] + (sigma * gauss(word(key, slots[winner])) if sigma > 0.0 else 0.0)
        if not is_margin:
            if abs(total - least) <= slack:
                total = total_of(scores[table], weights[weight], winner, key, slots, sigma, terms, parts)
            held[decider] = total < least
            continue
        plain[winner] = -np.inf
        for at in range(not_below(total - (least + slack + sigma * GAUSS_BOUND), plain, near)):
            place = near[at]
            rival = plain[place] + (sigma * gauss(word(key, slots[place])) if sigma > 0.0 else 0.0)
            lead = total - rival - least
            if abs(lead) <= slack:
                exact = total_of(scores[table], weights[weight], winner, key, slots, sigma, terms, parts)
                rival = total_of(scores[table], weights[weight], place, key, slots, sigma, terms, parts)
                lead = ahead_by_more(exact, rival, least, terms, parts)
            if lead < 0.0:
                held[decider] = True
                break


def exact_sum(terms: Any, count: int, parts: Any) -> float:
    """The sum of the first `count` terms, correctly rounded; `parts` is scratch space for as many numbers.

    The parts are numbers whose digits do not overlap, and whose sum is exact. They are added from the largest down until
    rounding loses something; if that was exactly half of the last digit, the remaining parts decide which way to round.
    """
    size = 0
    for place in range(count):
        value = terms[place]
        kept = 0
        for at in range(size):
            other = parts[at]
            if abs(value) < abs(other):
                value, other = other, value
            high = value + other
            low = other - (high - value)
            if low != 0.0:
                parts[kept] = low
                kept += 1
            value = high
        parts[kept] = value
        size = kept + 1
    if size == 0:
        return 0.0
    size -= 1
    total, lost = parts[size], 0.0
    while size > 0 and lost == 0.0:
        size -= 1
        before = total
        total = before + parts[size]
        lost = parts[size] - (total - before)
    if size > 0 and lost != 0.0 and (lost > 0.0) == (parts[size - 1] > 0.0):
        doubled = lost * 2.0
        nudged = total + doubled
        if nudged - total == doubled:
            total = nudged
    return float(total)
