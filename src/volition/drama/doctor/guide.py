"""The problems of the specification's tuning guide (7.2), as they show in decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.doctor.remedies import symptom_of
from volition.drama.doctor.symptom import Evidence, ScenarioCase, Symptom, percent

if TYPE_CHECKING:
    from collections.abc import Iterator


DRAMA: Final = 8
"""Fewer dramatic acts than this in an evening (of six people and 150 minutes) count as none."""
CHANCE: Final = 0.25
"""If noise changes a smaller share of the winners, it is too weak for the gaps between scores."""
ROW: Final = 8
"""This many equal acts in a row are too many if more than half of the evenings have them."""
BONDS: Final = 0.05
"""If bonds change a smaller share of the winners, people ignore them."""
MOVES: Final = 0.12
"""If moves win a larger share of the decisions, people are always on the move."""
BIAS: Final = 1.0
"""A flaw that adds this much or more leaves nothing to decide."""
BIASED: Final = 0.01
FLAWS: Final = 0.4
"""If flaws change a larger share of the winners, they dominate everything."""


def guide_symptoms(case: ScenarioCase) -> Iterator[Symptom]:
    """The symptoms of the tuning guide that are found in a case."""
    pooled = case.pooled
    if pooled.dramatic_acts < DRAMA * pooled.size or case.fails("conflicts"):
        yield symptom_of(case, "never_dramatic", _calm(case))
    rows = pooled.share(lambda record: record.row.times >= ROW)
    if pooled.share_hung("noise") < CHANCE or rows > 0.5:
        yield symptom_of(case, "same_act", _repetition(case, rows))
    if pooled.share_hung("bonds") < BONDS:
        evidence = [percent("winners that bonds change", pooled.share_hung("bonds"))]
        yield symptom_of(case, "ignore_bonds", evidence)
    if pooled.share_won("SOCIAL_MOVE") > MOVES or case.fails("moves"):
        evidence = [
            percent("decisions that a move wins", pooled.share_won("SOCIAL_MOVE")),
            percent("events that are moves", pooled.share_of_events("SOCIAL_MOVE")),
        ]
        yield symptom_of(case, "always_flee", evidence)
    biased = pooled.spread("biases").share_from(BIAS)
    if biased >= BIASED or pooled.share_hung("flaws") > FLAWS:
        evidence = [
            percent("winners to which flaws add 1.0 or more", biased),
            percent("winners that flaws change", pooled.share_hung("flaws")),
        ]
        yield symptom_of(case, "flaws_dominate", evidence)


def _calm(case: ScenarioCase) -> Iterator[Evidence]:
    winners, dramatic = case.pooled.spread("winners"), case.pooled.spread("dramatic")
    yield Evidence("dramatic acts in an evening", case.pooled.dramatic_acts)
    yield percent("winners below 0.5", 1.0 - winners.share_from(0.5))
    yield Evidence("median total of the winner", winners.quantile(0.5) or 0.0)
    yield Evidence("median total of the best dramatic act", dramatic.quantile(0.5) or 0.0)


def _repetition(case: ScenarioCase, rows: float) -> Iterator[Evidence]:
    pooled = case.pooled
    who, act = pooled.commonest_row
    yield percent("winners that noise changes", pooled.share_hung("noise"))
    yield Evidence("median gap to the runner-up", pooled.spread("gaps").quantile(0.5) or 0.0)
    yield percent(f"evenings in which somebody does the same {ROW} times in a row (mostly {who}: {act})", rows)
    yield percent("acts that repeat the one before", pooled.mean(lambda record: record.repeats))
