"""What would have been: other weights, fewer intentions, and what the vetoed would have scored.

Other weights need nobody to be asked. Only the scores of vetoed candidates, which no decision ever asks for, are asked
for afterwards, on request, and are called shadow scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

from volition.arbitration import answers
from volition.arbitration.arbiter import aggregate, conclude
from volition.arbitration.decision import Decision, vetoed_by
from volition.arbitration.explain import listed, offered_at
from volition.arbitration.tally import check_settings
from volition.core.errors import InvalidInput, Problems, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.arbitration.answers import Score
    from volition.arbitration.tally import Settings, Tally


@dataclass(frozen=True, slots=True)
class Shadow:
    """What the heuristics say, asked afterwards, of a candidate that was vetoed; it took no part in the decision."""

    candidate: str
    scores: dict[str, Score]
    total: float
    above_winner: bool | None


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The decision as it would have been; `shadows` were scored for this question only."""

    decision: Decision[Any]
    before: str | None
    after: str | None
    changed: bool
    shadows: tuple[str, ...]
    text: str


def what_if(
    decision: Decision[Any],
    weights: Mapping[str, float],
    priorities: Mapping[str, int | None],
    tie_margin: float | None,
    without: str | Iterable[str],
    *,
    shadow: bool,
) -> WhatIf:
    tally = decision.tally
    gone = {without} if isinstance(without, str) else set(without)
    composite = tally.composite.with_weights(weights).with_priorities(priorities).without(gone)
    settings = tally.settings if tie_margin is None else _settings(tally, tie_margin)
    judges = tuple(id for id in tally.judges if id not in gone)
    vetoed = {}
    for name, row in tally.vetoed.items():
        kept = tuple(verdict for id, verdict in zip(tally.judges, row, strict=True) if id not in gone)
        if any(kept):
            vetoed[name] = kept
    rows = {
        name: tuple(score for id, score in zip(tally.composite.voters, row, strict=True) if id not in gone)
        for name, row in zip(tally.survivors, tally.scores, strict=True)
    }
    pool = dict(zip(tally.ids, tally.candidates, strict=True))
    freed = [name for name in tally.vetoed if name not in vetoed]
    if freed and composite.heuristics:
        if not shadow:
            refuse(
                f"without {listed(sorted(gone))}, {listed(freed)} would be heard, and nobody scored what was vetoed",
                where="what_if",
                expected="scores for every candidate that is left",
                remedy="pass shadow=True to ask the heuristics now",
            )
        asked = [pool[name] for name in freed]
        _, failed, _, heard, columns = aggregate(composite, {}, asked, freed, freed, tally.context)
        vetoed = {name: (vetoed | failed)[name] for name in tally.ids if name in vetoed or name in failed}
        rows.update(zip(heard, answers.rows(columns, len(heard)), strict=True))
    rows.update((name, ()) for name in freed if name not in rows and name not in vetoed)
    survivors = [name for name in tally.ids if name in rows]
    scores = [rows[name] for name in survivors]
    products = answers.weighed(composite.heuristics, scores)
    then: Decision[Any] = conclude(
        composite, settings, tally.candidates, tally.ids, tally.context, tally.version,
        judges, vetoed, [pool[name] for name in survivors], survivors, scores, products,
    )  # fmt: skip
    changed = (decision.kind, decision.id) != (then.kind, then.id)
    told = f"{_outcome(then)} instead of {_outcome(decision)}." if changed else f"it would still be {_outcome(then)}."
    return WhatIf(then, decision.id, then.id, changed, tuple(freed) if composite.heuristics else (), told)


def _settings(tally: Tally, tie_margin: Any) -> Settings:
    problems = Problems()
    check_settings(tally.settings.on_impossible, tie_margin, tally.settings.stay, tally.ids, problems)
    problems.raise_if_any(InvalidInput)
    return tally.settings._replace(tie_margin=float(tie_margin))


def _outcome(decision: Decision[Any]) -> str:
    return f"a {decision.kind}" if decision.id is None else decision.id


def shadow(decision: Decision[Any], asked: Any) -> Shadow:
    tally = decision.tally
    place = offered_at(tally, asked)
    id, candidate = tally.ids[place], tally.candidates[place]
    if id not in tally.vetoed:
        refuse(
            f"{id!r} was not vetoed: its scores are in the trace",
            where="shadow",
            expected="a vetoed candidate",
            remedy="read decision.trace",
        )
    heuristics = tally.composite.heuristics
    scores = tuple(answers.scores(entry, [candidate], [id], tally.context)[0] for entry in heuristics)
    (products,) = answers.weighed(heuristics, [scores])
    total = fsum(products)
    above = None if tally.winner is None else total > tally.totals[tally.winner]
    return Shadow(id, dict(zip(tally.composite.voters, scores, strict=True)), total, above)


def price(decision: Decision[Any], id: str) -> float | None:
    tally = decision.tally
    entry = tally.composite[id]
    if entry.kind != "constraint":
        refuse(
            f"{id!r} is a heuristic",
            where="price",
            expected="the id of a constraint",
            remedy="ask what_if(without=...)",
        )
    alone = [name for name in tally.vetoed if list(vetoed_by(tally, name)) == [id]]
    if not alone or tally.winner is None:
        return None
    return max(shadow(decision, name).total for name in alone) - tally.totals[tally.winner]
