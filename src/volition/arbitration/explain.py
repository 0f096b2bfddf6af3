"""Why, and why not: exact answers from what was said during the decision, without asking any intention again.

Contributions are kept as fractions of the weighted votes as they were rounded, so they sum to the margin without an
error. Every answer is data first; its `text` is one sentence made from that data, whose numbers add up as printed.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, Any

from volition.arbitration.breakdown import reason_of
from volition.arbitration.choice import best_other, draw_of, has_opinions, leader_of, level_value, shortfall_of
from volition.arbitration.doubles import double_at, position
from volition.arbitration.why_answers import (
    Contribution,
    Held,
    LostTie,
    NotDrawn,
    NotOffered,
    Outscored,
    Vetoed,
    Why,
    Won,
)
from volition.arbitration.wording import join_names, print_reach, print_sum
from volition.core.errors import did_you_mean, format_value, refuse
from volition.core.pausing import pause

if TYPE_CHECKING:
    from volition.arbitration.choice import Shortfall, WeightedDraw
    from volition.arbitration.tally import Tally
    from volition.arbitration.why_answers import WhyNot


def margin(tally: Tally) -> float | None:
    """How far the leader's total lies above the best of the others; None without a leader or a rival."""
    leader = leader_of(tally)
    rival = None if leader is None else best_other(tally.totals, leader)
    return None if leader is None or rival is None else tally.totals[leader] - tally.totals[rival]


def why(tally: Tally, over: Any = None) -> Why:
    """Why the winner won, over the runner-up or another survivor; or why the leader did not."""
    leader = leader_of(tally)
    if leader is None:
        return Why(None, None, tally.rule, None, (), (), _why_none(tally))
    rival = best_other(tally.totals, leader) if over is None else _survivor(tally, over)
    if rival is not None and rival == leader:
        refuse(
            f"{format_value(over)} is {'the winner' if tally.winner is not None else 'what leads'} itself",
            where="why",
            expected="another candidate that survived",
            remedy="leave it out to compare with the runner-up",
        )
    parts = () if rival is None else _contributions(tally, leader, rival)
    decided_by_votes = rival is not None and not _is_tied_with(tally, rival) and draw_of(tally) is None
    sufficient = _sufficient(parts) if decided_by_votes else ()
    return Why(
        tally.winner_id,
        None if rival is None else tally.survivors[rival],
        tally.rule,
        None if rival is None else _lead(parts),
        parts,
        sufficient,
        " ".join([_why_text(tally, leader, rival, parts), *(f"{id} {remark}." for id, remark in tally.remarks)]),
    )


def why_not(tally: Tally, candidate: Any) -> WhyNot:
    """Why a candidate, given as it is or by its id, did not win."""
    pause()
    place = _place(tally, candidate)
    if place is None:
        id = candidate if isinstance(candidate, str) else format_value(candidate)
        return NotOffered(id, f"{id} was not offered: {did_you_mean(id, tally.ids)}")
    id = tally.ids[place]
    if id in tally.vetoed:
        by = tally.vetoed_by(id)
        need = "that veto" if len(by) == 1 else "all of those vetoes"
        return Vetoed(id, by, f"{id} was vetoed by {tally.veto_text(id)}; it would be considered only without {need}.")
    rival, leader = tally.survivors.index(id), leader_of(tally)
    if rival == leader:
        return _explain_first(tally, id)
    draw = draw_of(tally)
    if draw is not None:
        return _explain_not_drawn(draw, id)
    assert leader is not None  # somebody survived, and chance was not to choose
    if _is_tied_with(tally, rival):
        return _lost_tie(tally, leader, rival)
    return _explain_outscored(tally, leader, rival)


def _explain_first(tally: Tally, id: str) -> Won | Held:
    short = shortfall_of(tally)
    if short is None:
        return Won(id, f"{id} won.")
    text = f"{id} came first and was not chosen: {_describe_shortfall(short)}."
    return Held(id, short.what, short.value, short.least, text)


def _explain_not_drawn(draw: WeightedDraw, id: str) -> NotDrawn:
    chance = draw.chances[id]
    if not chance:
        text = f"{id} could not be drawn: its total is not above 0."
    else:
        text = f"{id} had a chance of {float(chance):.4g}, and the draw fell on {draw.chosen}."
    return NotDrawn(id, draw.chosen, chance, text)


def _explain_outscored(tally: Tally, winner: int, rival: int) -> Outscored:
    id, parts = tally.survivors[rival], _contributions(tally, winner, rival)
    fewest, needed = _fewest(tally, winner, rival), _scores_needed(tally, winner, rival)
    lead, reasons = print_sum([(part.by, part.exact) for part in parts])
    text = f"{id} was outscored by {lead}{reasons}; {_how_to_draw_level(tally, fewest, needed)}"
    if tally.winner is None:
        text += f"; {tally.survivors[winner]}, which leads, was not chosen either"
    name = tally.survivors[winner]
    return Outscored(id, name, parts[0].by, float(_lead(parts)), parts, fewest, needed, f"{text}.")


def _how_to_draw_level(tally: Tally, fewest: tuple[str, ...] | None, needed: dict[str, float]) -> str:
    if fewest is None:
        return "with these weights no scores could bring it level"
    tops = {entry.id: entry.range[1] for entry in tally.composite.heuristics}
    if len(fewest) == 1:
        (by,) = fewest
        return f"it would draw level if the score of {by} rose {print_reach(needed[by], tops[by])}"
    highest = join_names(f"{tops[by]:.6g}" for by in fewest)
    return f"it would at least draw level if the scores of {join_names(fewest)} rose to {highest}"


def _contributions(tally: Tally, winner: int, rival: int) -> tuple[Contribution, ...]:
    parts = [
        Contribution(entry.id, entry.weight, score, other, Fraction(mine) - Fraction(theirs))
        for entry, score, other, mine, theirs in zip(
            tally.composite.heuristics,
            tally.scores[winner],
            tally.scores[rival],
            tally.products[winner],
            tally.products[rival],
            strict=True,
        )
    ]
    return tuple(sorted(parts, key=lambda part: (-part.exact, part.by)))


def _lead(parts: tuple[Contribution, ...]) -> Fraction:
    return sum((part.exact for part in parts), Fraction())


def _sufficient(parts: tuple[Contribution, ...]) -> tuple[str, ...]:
    """The fewest votes for the winner that outweigh all votes against it: the largest first."""
    against = -sum((part.exact for part in parts if part.exact < 0), Fraction())
    gathered, names = Fraction(), []
    for part in parts:
        if gathered > against or part.exact <= 0:
            break
        gathered += part.exact
        names.append(part.by)
    return tuple(names) if gathered > against else ()


def _fewest(tally: Tally, winner: int, rival: int) -> tuple[str, ...] | None:
    """The fewest scores that draw level together when each is the highest of its range: those that gain most."""
    products = list(tally.products[rival])
    tops = [entry.weight * entry.range[1] for entry in tally.composite.heuristics]
    gains = {place: Fraction(top) - Fraction(now) for place, (top, now) in enumerate(zip(tops, products, strict=True))}
    names: list[str] = []
    for place in sorted(gains, key=lambda place: (-gains[place], tally.composite.voters[place])):
        if gains[place] <= 0:
            break
        products[place] = tops[place]
        names.append(tally.composite.voters[place])
        if fsum(products) >= tally.totals[winner]:
            return tuple(names)
    return None


def _scores_needed(tally: Tally, winner: int, rival: int) -> dict[str, float]:
    """For each score that alone can draw level, the lowest double that does: a total never falls as a score rises."""
    needed = {}
    for place, entry in enumerate(tally.composite.heuristics):
        pause()
        others = tally.products[rival][:place] + tally.products[rival][place + 1 :]

        def level(score: float, weight: float = entry.weight, others: tuple[float, ...] = others) -> bool:
            return fsum((*others, weight * score)) >= tally.totals[winner]

        if level(entry.range[1]):
            short, enough = position(tally.scores[rival][place] or 0.0), position(entry.range[1])
            while enough - short > 1:
                middle = (short + enough) // 2
                short, enough = (short, middle) if level(double_at(middle)) else (middle, enough)
            needed[entry.id] = double_at(enough)
    return needed


def _lost_tie(tally: Tally, winner: int, rival: int) -> LostTie:
    id, name = tally.survivors[rival], tally.survivors[winner]
    for priority, members in tally.composite.levels:
        theirs, ours = level_value(tally.scores[rival], members), level_value(tally.scores[winner], members)
        if theirs != ours:
            by = tuple(tally.composite.voters[member] for member in members)
            text = f"{id} tied with {name} and lost at priority {priority}: {join_names(by)} {ours:+.6g} against {theirs:+.6g}."
            return LostTie(id, name, priority, by, theirs, ours, text)
    text = f"{id} tied with {name} on every count; {name} was offered first."
    return LostTie(id, name, None, (), None, None, text)


def _why_none(tally: Tally) -> str:
    if tally.rule == "no_candidates":
        return f"{tally.kind}: no candidate was offered."
    if tally.rule == "no_positive_total":
        return f"{tally.kind}: no total is above 0, so that no candidate could be drawn."
    ways = " or ".join(" and ".join(by) for by in reason_of(tally).relaxations)
    also = f" Staying put ({tally.settings.stay}) is forbidden too." if tally.settings.stay is not None else ""
    return f"{tally.kind}: every candidate is forbidden.{also} Something would be allowed without {ways}."


def _why_text(tally: Tally, leader: int, rival: int | None, parts: tuple[Contribution, ...]) -> str:
    id, short, draw = tally.survivors[leader], shortfall_of(tally), draw_of(tally)
    if short is not None:
        forbidden = f" Staying put ({tally.settings.stay}) is forbidden." if tally.kind == "fail" else ""
        came = "was drawn" if draw is not None else "comes first"
        return f"{tally.kind}: {id} {came}, but {_describe_shortfall(short)}.{forbidden}"
    if draw is not None:
        return _describe_draw(draw, id)
    silent = bool(tally.composite.heuristics) and not has_opinions(tally.scores)
    if rival is None:
        return f"{id} was the only candidate that nothing forbade{', and nobody has an opinion' if silent else ''}."
    if silent or not tally.composite.heuristics:
        return f"{id} was offered first, and nobody {'has an opinion' if silent else 'votes'}."
    name = tally.survivors[rival]
    if _is_tied_with(tally, rival):
        lost = _lost_tie(tally, leader, rival)
        if lost.level is None:
            return f"{id} and {name} tied on every count; {id} was offered first."
        values = f"{lost.winner_value:+.6g} against {lost.value:+.6g}"
        return f"{id} tied with {name} and won at priority {lost.level}: {join_names(lost.by)} {values}."
    lead, reasons = print_sum([(part.by, part.exact) for part in parts])
    return f"{id} leads {name} by {lead}{reasons}."


def _describe_shortfall(short: Shortfall) -> str:
    """Both numbers, with as many digits as tell them apart."""
    has, least = f"{short.value:.6g}", f"{short.least:.6g}"
    if has == least:
        has, least = repr(short.value), repr(short.least)
    if has == least:  # the margin itself is rounded, and it is judged without rounding
        has = f"{least} less a rounding"
    return f"its {short.what} {has} is below {least}, the least to act on"


def _describe_draw(draw: WeightedDraw, id: str) -> str:
    assert draw.low is not None
    assert draw.high is not None
    whole = fsum(draw.weights.values())
    part = f"[{float(draw.low):.6g}, {float(draw.high):.6g})"
    share = f"its total {draw.weights[id]:.6g} of {whole:.6g} is a chance of {float(draw.chances[id]):.4g}"
    return f"{id} was drawn: {share}, and the draw {draw.value:.6g} of seed {draw.seed} lies in its part {part}."


def _is_tied_with(tally: Tally, rival: int) -> bool:
    return not tally.composite.heuristics or (tally.tie is not None and rival in tally.tie.tied)


def find_offered(tally: Tally, candidate: Any) -> int:
    """The position at which a candidate, given as it is or by its id, was offered; what was not is refused."""
    place = _place(tally, candidate)
    if place is None:
        refuse(
            f"{format_value(candidate)} was not offered",
            where="candidate",
            expected="a candidate, or its id",
            remedy=did_you_mean(candidate if isinstance(candidate, str) else format_value(candidate), tally.ids),
        )
    return place


def _place(tally: Tally, candidate: Any) -> int | None:
    """Where a candidate was offered: by its id, as the object itself, or as one that is equal to it."""
    if isinstance(candidate, str):
        return tally.ids.index(candidate) if candidate in tally.ids else None
    for place, offered in enumerate(tally.candidates):
        if offered is candidate:
            return place
    for place, offered in enumerate(tally.candidates):
        try:
            if type(offered) is type(candidate) and bool(offered == candidate):
                return place
        except Exception:  # noqa: BLE001, S112  what cannot be compared is another one
            continue
    return None


def _survivor(tally: Tally, candidate: Any) -> int:
    id = tally.ids[find_offered(tally, candidate)]
    if id in tally.vetoed:
        refuse(
            f"{id!r} was vetoed, so no vote tells the two apart",
            where="why",
            expected="a candidate that survived",
            remedy=f"ask why_not({id!r})",
        )
    return tally.survivors.index(id)
