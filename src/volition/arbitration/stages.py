"""The two stages that ask the intentions: filter by vetoes, then aggregate the votes. What they give are fields of a tally."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

from volition.arbitration import answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration.answers import Score, Verdict
    from volition.arbitration.intention import Constraint, Heuristic

    Filtered = tuple[dict[str, tuple[Verdict, ...]], list[Any], list[str]]
    """The verdicts on what is vetoed, by id; the candidates that are left; and their ids."""
    Votes = tuple[list[tuple[Score, ...]], list[tuple[float, ...]]]
    """The scores and the contributions of each candidate that is left."""


def filter_candidates(
    constraints: Sequence[Constraint], candidates: list[Any], ids: list[str], context: Any
) -> Filtered:
    """Ask every constraint about every candidate."""
    columns = [answers.verdicts(entry, candidates, ids, context) for entry in constraints]
    if not any(map(any, columns)):
        return {}, candidates, ids
    return _split(list(zip(*columns, strict=True)), candidates, ids)


def aggregate_votes(
    heuristics: Sequence[Heuristic], constraints: int, filtered: Filtered, ids: Sequence[str], context: Any
) -> tuple[Filtered, Votes]:
    """Ask every heuristic about every survivor of the constraints, and weigh the scores.

    Heuristics whose errors veto judge like constraints, so fewer candidates may survive. They are asked first, and about
    all survivors of the constraints, so that neither the survivors nor the trace depend on the order of intentions; the
    others are never asked about what those forbade.
    """
    vetoed, left, survivors = filtered
    guards = [entry for entry in heuristics if entry.on_error == "veto"]
    columns: dict[str, list[Any]] = {
        entry.id: answers.answers_or_reasons(answers.scores, entry, left, survivors, context) for entry in guards
    }
    if guards:
        reasons: list[tuple[Verdict, ...]] = [
            tuple(answer if isinstance(answer, str) else False for answer in row)
            for row in zip(*columns.values(), strict=True)
        ]
        columns = {
            id: [answer for answer, row in zip(column, reasons, strict=True) if not any(row)]
            for id, column in columns.items()
        }
        raised, left, survivors = _split(reasons, left, survivors)
        not_asked, passed = (None,) * len(guards), (False,) * constraints
        judged = {name: (*row, *not_asked) for name, row in vetoed.items()}
        judged |= {name: (*passed, *row) for name, row in raised.items()}
        filtered = {name: judged[name] for name in ids if name in judged}, left, survivors
    for entry in heuristics:
        if entry.on_error != "veto":
            columns[entry.id] = answers.scores(entry, left, survivors, context)
    by_voter = [columns[entry.id] for entry in heuristics]
    scores: list[tuple[Score, ...]] = list(zip(*by_voter, strict=True)) if by_voter else [()] * len(survivors)
    return filtered, (scores, answers.contributions(heuristics, scores))


def _split(rows: list[tuple[Verdict, ...]], candidates: list[Any], ids: list[str]) -> Filtered:
    """The rows of those that somebody forbids; the other candidates, and their ids."""
    allowed = [not any(row) for row in rows]
    vetoed = {name: row for name, row, free in zip(ids, rows, allowed, strict=True) if not free}
    return vetoed, list(compress(candidates, allowed)), list(compress(ids, allowed))
