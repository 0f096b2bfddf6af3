"""Why, and why not: exact answers from what was said during the decision, without asking any intention again.

Contributions are kept as fractions of the weighted votes as they were rounded, so they sum to the margin without an
error. Every answer is data first; its `text` is one sentence made from that data.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, Any

from volition.arbitration.breakdown import reason_of
from volition.arbitration.choice import level_value
from volition.arbitration.doubles import double_at, position
from volition.core.errors import did_you_mean, format_value, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.arbitration.answers import Score
    from volition.arbitration.tally import Rule, Tally


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one intention adds to the winner's lead over a rival: `exact` is weight * score of one less the other."""

    by: str
    weight: float
    score: Score
    rival_score: Score
    exact: Fraction

    @property
    def value(self) -> float:
        return float(self.exact)


@dataclass(frozen=True, slots=True)
class Why:
    """Why the winner won, against one rival.

    `contributions` sum to `margin` exactly, largest first. `sufficient` is the shortest list of reasons: the votes for
    the winner that alone outweigh all votes against it; empty where no votes decided.
    """

    winner: str | None
    over: str | None
    rule: Rule
    margin: Fraction | None
    contributions: tuple[Contribution, ...]
    sufficient: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NotOffered:
    """It was never a candidate."""

    candidate: str
    text: str


@dataclass(frozen=True, slots=True)
class Vetoed:
    """It was forbidden; `by` holds everyone who did and why. All of them would have to go to free it."""

    candidate: str
    by: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Outscored:
    """Its total was lower.

    `by` is the intention that did most for the winner. `fewest` are the scores that would have to rise, at most to the
    top of their ranges, for it to draw level: the fewest that can do it, or None where even all of them cannot.
    `needed` says, for each intention whose score alone could do it, the lowest score at which it draws level.
    """

    candidate: str
    winner: str
    by: str
    margin: float
    contributions: tuple[Contribution, ...]
    fewest: tuple[str, ...] | None
    needed: dict[str, float]
    text: str


@dataclass(frozen=True, slots=True)
class LostTie:
    """Its total counted as equal, and the winner was preferred.

    `level` is the priority at which they differ, with both values and the intentions of that level; None where they
    cannot be told apart and the winner was offered earlier.
    """

    candidate: str
    winner: str
    level: int | None
    by: tuple[str, ...]
    value: float | None
    winner_value: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Won:
    """It is the winner."""

    candidate: str
    text: str


WhyNot = NotOffered | Vetoed | Outscored | LostTie | Won


def runner_up(tally: Tally) -> int | None:
    """The best of the others, by total and then by order offered, as a position among the survivors."""
    others = [position for position in range(len(tally.totals)) if position != tally.winner]
    return max(others, key=tally.totals.__getitem__, default=None)


def margin(tally: Tally) -> float | None:
    """How far the winner's total lies above the best of the others; None without a winner or a rival."""
    rival = runner_up(tally)
    if rival is None or tally.winner is None:
        return None
    return tally.totals[tally.winner] - tally.totals[rival]


def why(tally: Tally, over: Any = None) -> Why:
    """Why the winner won, over the runner-up or another survivor."""
    if tally.winner is None:
        return Why(None, None, tally.rule, None, (), (), _why_none(tally))
    winner = tally.survivors[tally.winner]
    rival = runner_up(tally) if over is None else _survivor(tally, over)
    if rival is not None and rival == tally.winner:
        refuse(
            f"{format_value(over)} is the winner itself",
            where="why",
            expected="another candidate that survived",
            remedy="leave it out to compare with the runner-up",
        )
    if rival is None:
        text = f"{winner} was the only candidate that nothing forbade."
        return Why(winner, None, tally.rule, None, (), (), text)
    parts = _contributions(tally, tally.winner, rival)
    lead = _lead(parts)
    sufficient = _sufficient(parts) if not _is_tied_with(tally, rival) else ()
    text = _why_text(tally, tally.winner, rival, parts, sufficient)
    return Why(winner, tally.survivors[rival], tally.rule, lead, parts, sufficient, text)


def why_not(tally: Tally, candidate: Any) -> WhyNot:
    """Why a candidate, given as it is or by its id, did not win."""
    place = _place(tally, candidate)
    if place is None:
        id = candidate if isinstance(candidate, str) else format_value(candidate)
        return NotOffered(id, f"{id} was not offered: {did_you_mean(id, tally.ids)}")
    id = tally.ids[place]
    if id in tally.vetoed:
        by = tally.vetoed_by(id)
        need = "it" if len(by) == 1 else "all of them"
        return Vetoed(id, by, f"{id} was vetoed by {tally.veto_text(id)}; it would be heard only without {need}.")
    rival, winner = tally.survivors.index(id), tally.winner
    assert winner is not None  # somebody survived
    if rival == winner:
        return Won(id, f"{id} won.")
    if _is_tied_with(tally, rival):
        return _lost_tie(tally, winner, rival)
    parts = _contributions(tally, winner, rival)
    lead = float(_lead(parts))
    fewest, needed = _fewest(tally, winner, rival), _scores_needed(tally, winner, rival)
    told = f"{id} was outscored by {lead:.6g}, most of all by {parts[0].by} ({parts[0].value:+.6g})"
    if fewest is None:
        told += "; with these weights no scores could bring it level."
    else:
        told += f"; it would draw level if {join_names(fewest)} rose."
    return Outscored(id, tally.survivors[winner], parts[0].by, lead, parts, fewest, needed, told)


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
            told = f"{id} tied with {name} and lost at priority {priority}: {join_names(by)} {ours:+.6g} against {theirs:+.6g}."
            return LostTie(id, name, priority, by, theirs, ours, told)
    told = f"{id} tied with {name} on every count; {name} was offered first."
    return LostTie(id, name, None, (), None, None, told)


def _why_none(tally: Tally) -> str:
    if tally.rule == "no_candidates":
        return f"{tally.kind}: no candidate was offered."
    ways = " or ".join(" and ".join(by) for by in reason_of(tally).relaxations)
    held = f" Staying put ({tally.settings.stay}) is forbidden too." if tally.settings.stay is not None else ""
    return f"{tally.kind}: every candidate is forbidden.{held} Something would be allowed without {ways}."


def _why_text(
    tally: Tally, winner: int, rival: int, parts: tuple[Contribution, ...], sufficient: tuple[str, ...]
) -> str:
    id, name = tally.survivors[winner], tally.survivors[rival]
    if tally.rule == "no_heuristics":
        return f"{id} was offered first, and nobody votes."
    if _is_tied_with(tally, rival):
        lost = _lost_tie(tally, winner, rival)
        if lost.level is None:
            return f"{id} and {name} tied on every count; {id} was offered first."
        values = f"{lost.winner_value:+.6g} against {lost.value:+.6g}"
        return f"{id} tied with {name} and won at priority {lost.level}: {join_names(lost.by)} {values}."
    reasons = ", ".join(f"{part.by} {part.value:+.6g}" for part in parts if part.by in sufficient)
    against = [f"{part.by} {part.value:+.6g}" for part in reversed(parts) if part.exact < 0]
    despite = f", despite {', '.join(against)}" if against else ""
    return f"{id} leads {name} by {float(_lead(parts)):.6g}: {reasons}{despite}."


def _is_tied_with(tally: Tally, rival: int) -> bool:
    return tally.rule == "no_heuristics" or (tally.tie is not None and rival in tally.tie.tied)


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


def join_names(names: Iterable[str]) -> str:
    """Names as a sentence has them."""
    return " and ".join(names)
