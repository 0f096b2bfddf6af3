"""What would have been: other weights, fewer intentions, and what the vetoed would have scored.

Other weights need nobody to be asked. Only the scores of vetoed candidates, which no decision ever asks for, are asked
for afterwards, on request, and are called shadow scores.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, TypeVar

from volition.arbitration.choice import choose_candidate
from volition.arbitration.explain import find_offered
from volition.arbitration.settings import read_settings
from volition.arbitration.stages import contributions, scores_of
from volition.arbitration.tally import Tally
from volition.arbitration.wording import join_names
from volition.core.errors import refuse
from volition.core.typed import FrozenStruct, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.arbitration.stages import Filtered, Score

T = TypeVar("T")


class Shadow(FrozenStruct, frozen=True):
    """What the heuristics say, asked afterwards, of a candidate that was vetoed; it took no part in the decision."""

    candidate: str
    scores: dict[str, Score]
    total: float
    above_winner: bool | None


def reconsider(
    tally: Tally,
    weights: Mapping[str, float],
    priorities: Mapping[str, int | None],
    changes: Mapping[str, Any],
    without: str | Iterable[str],
    *,
    shadow: bool,
) -> tuple[Tally, tuple[str, ...]]:
    """The tally as it would have been, and the candidates that were scored for this question only.

    `changes` are settings by name; the others are as they were.
    """
    gone = {without} if isinstance(without, str) else set(without)
    composite = tally.composite.with_weights(weights).with_priorities(priorities).without(gone)
    settings = read_settings(replace(tally.settings, **changes), tally.ids) if changes else tally.settings

    def of_the_others(ids: tuple[str, ...], row: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(answer for id, answer in zip(ids, row, strict=True) if id not in gone)

    verdicts = {name: of_the_others(tally.composite.judges, row) for name, row in tally.vetoed.items()}
    vetoed = {name: row for name, row in verdicts.items() if any(row)}
    scored = zip(tally.survivors, tally.scores, strict=True)
    rows = {name: of_the_others(tally.composite.voters, row) for name, row in scored}
    pool = dict(zip(tally.ids, tally.candidates, strict=True))
    freed = [name for name in tally.vetoed if name not in vetoed]
    if freed and composite.heuristics:
        if not shadow:
            refuse(
                f"without {join_names(sorted(gone))}, {join_names(freed)} would be considered, and nobody scored what was vetoed",
                where="what_if",
                expected="scores for every candidate that is left",
                remedy="pass shadow=True to ask the heuristics now",
            )
        allowed: Filtered = ({}, [pool[name] for name in freed], freed)
        (refused, _, scored_now), (scores, _) = composite.aggregate(allowed, freed, tally.context)
        vetoed = {name: (vetoed | refused)[name] for name in tally.ids if name in vetoed or name in refused}
        rows.update(zip(scored_now, scores, strict=True))
    rows.update((name, ()) for name in freed if name not in rows and name not in vetoed)
    survivors = [name for name in tally.ids if name in rows]
    scores = [rows[name] for name in survivors]
    products = contributions(composite.heuristics, scores)
    totals = list(map(fsum, products))
    fields = (composite, settings, tally.candidates, tally.ids, tally.context, tally.version)
    left = [pool[name] for name in survivors]
    chosen = choose_candidate(composite, settings, vetoed, tally.ids, scores, totals)
    remarks = tuple((id, remark) for id, remark in tally.remarks if id not in gone)
    then = Tally(*fields, vetoed, left, survivors, scores, products, totals, *chosen, remarks)
    return then, tuple(freed) if composite.heuristics else ()


def describe_change(before: Tally, after: Tally) -> str:
    """What would have been different, as a sentence."""
    then = _outcome(after)
    if (before.kind, before.winner_id) == (after.kind, after.winner_id):
        return f"it would still be {then}."
    return f"{then} instead of {_outcome(before)}."


def _outcome(tally: Tally) -> str:
    return f"a {tally.kind}" if tally.winner_id is None else tally.winner_id


def shadow(tally: Tally, asked: Any) -> Shadow:
    """Ask the heuristics about one vetoed candidate, given as it is or by its id."""
    place = find_offered(tally, asked)
    id, candidate = tally.ids[place], tally.candidates[place]
    if id not in tally.vetoed:
        refuse(
            f"{id!r} was not vetoed: its scores are in the trace",
            where="shadow",
            expected="a vetoed candidate",
            remedy="read decision.trace",
        )
    heuristics = tally.composite.heuristics
    scores = tuple(scores_of(entry, [candidate], [id], tally.context)[0] for entry in heuristics)
    (products,) = contributions(heuristics, [scores])
    total = fsum(products)
    above = None if tally.winner is None else total > tally.totals[tally.winner]
    return Shadow(id, dict(zip(tally.composite.voters, scores, strict=True)), total, above)


def price(tally: Tally, id: str) -> float | None:
    """The best total that a constraint alone forbade, less the winner's; None if there is none."""
    entry = tally.composite[id]
    if entry.kind != "constraint":
        refuse(
            f"{id!r} is a heuristic",
            where="price",
            expected="the id of a constraint",
            remedy="ask what_if(without=...)",
        )
    alone = [name for name in tally.vetoed if list(tally.vetoed_by(name)) == [id]]
    if not alone or tally.winner is None:
        return None
    return max(shadow(tally, name).total for name in alone) - tally.totals[tally.winner]
