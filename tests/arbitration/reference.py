"""The arbiter as the spec describes it: naive, in exact fractions, over given answers.

A case holds what every intention would answer about every candidate; `decide` reads the laws one after the other. It
shares no code with the arbiter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import Any, NamedTuple

from volition.arbitration.choice import Shortfall


@dataclass(frozen=True)
class Raises:
    """An answer that is not given: the intention raises ValueError with this text."""

    text: str


@dataclass(frozen=True)
class Judge:
    """A constraint, and its verdict on each candidate."""

    id: str
    answers: dict[str, Any]
    on_error: str = "raise"


@dataclass(frozen=True)
class Voter:
    """A heuristic, and its score of each candidate."""

    id: str
    answers: dict[str, Any]
    weight: float = 1.0
    priority: int | None = None
    on_error: str = "raise"


@dataclass(frozen=True)
class Case:
    """One call of the arbiter: who is offered, who judges, who votes, and how it was asked."""

    candidates: tuple[str, ...]
    judges: tuple[Judge, ...] = ()
    voters: tuple[Voter, ...] = ()
    on_impossible: str = "hold"
    tie_margin: float = 0.0
    stay: str | None = None
    hold_below: tuple[str, float] | None = None


class Expected(NamedTuple):
    """What the laws demand: the outcome, and the reason and trace field by field."""

    kind: str
    id: str | None
    reason: dict[str, Any]
    trace: dict[str, Any]


def decide(case: Case) -> Expected:
    """Filter, aggregate, tie-break."""
    constraints = sorted(case.judges, key=lambda judge: judge.id)
    voters = sorted(case.voters, key=lambda voter: voter.id)
    guards = [voter for voter in voters if voter.on_error == "veto"]
    verdicts = _filter(case.candidates, constraints, guards)
    survivors = [name for name in case.candidates if name not in verdicts]

    scores = {name: tuple(_score(voter.answers[name]) for voter in voters) for name in survivors}
    products = {
        name: tuple(0.0 if score is None else voter.weight * score for voter, score in zip(voters, row, strict=True))
        for name, row in scores.items()
    }
    totals = {name: _rounded_sum(row) for name, row in products.items()}
    leader, rule, tied, level = _choose(case, voters, survivors, totals)
    short = None if leader is None else _shortfall(case, leader, totals)
    winner = None if short else leader

    kind = "act"
    if short:
        rule, kind = f"below_{short.what}", "fail" if case.stay in verdicts else "hold"
    elif winner is None:
        kind = "fail" if rule == "all_candidates_vetoed" and case.stay is not None else case.on_impossible
    judges: list[Judge | Voter] = [*constraints, *guards]
    reason = {
        "rule": rule,
        "voted_by": () if leader is None else _voted_by(voters, products[leader]),
        "vetoed_by": tuple(sorted({judge.id for row in verdicts.values() for judge in _vetoing(judges, row)})),
        "vetoed_count": len(verdicts),
        "final_scores": {} if leader is None else _final_scores(leader, totals, voters),
        "tied": tied,
        "relaxations": relaxations(verdicts, judges) if leader is None else (),
        "shortfall": short,
    }
    trace = {
        "judges": tuple(judge.id for judge in judges),
        "vetoed": tuple(verdicts),
        "verdicts": tuple(verdicts.values()),
        "voters": tuple(voter.id for voter in voters),
        "survivors": tuple(survivors),
        "scores": tuple(scores.values()),
        "contributions": tuple(products.values()),
        "totals": tuple(totals.values()),
        "tied": tied,
        "level": level,
    }
    return Expected(kind, winner, reason, trace)


def relaxations(verdicts: dict[str, tuple[Any, ...]], judges: list[Judge | Voter]) -> tuple[tuple[str, ...], ...]:
    """Brute force: every set of judges whose absence frees something, less those that hold a smaller such set."""
    ids = [judge.id for judge in judges]
    freeing = [
        set(gone)
        for gone in chain.from_iterable(combinations(ids, size) for size in range(len(ids) + 1))
        if any(all(judge.id in gone for judge in _vetoing(judges, row)) for row in verdicts.values())
    ]
    smallest = [gone for gone in freeing if not any(other < gone for other in freeing)]
    return tuple(sorted((tuple(sorted(gone)) for gone in smallest), key=lambda gone: (len(gone), gone)))


def _filter(candidates: tuple[str, ...], constraints: list[Judge], guards: list[Voter]) -> dict[str, tuple[Any, ...]]:
    """Law 1: every constraint judges every candidate; an error whose author opted in forbids and says why.

    A heuristic whose errors veto is asked about what the constraints left, and only there.
    """
    verdicts = {}
    for name in candidates:
        row = [_verdict(judge.answers[name]) for judge in constraints]
        allowed = not any(row)
        for guard in guards:
            answer = guard.answers[name]
            row.append((_verdict(answer) if isinstance(answer, Raises) else False) if allowed else None)
        if any(row):
            verdicts[name] = tuple(row)
    return verdicts


def _choose(
    case: Case, voters: list[Voter], survivors: list[str], totals: dict[str, float]
) -> tuple[str | None, str, tuple[str, ...], int | None]:
    """Law 3: the highest total; among the tied, level by level; then the first offered."""
    if not case.candidates:
        return None, "no_candidates", (), None
    if not survivors:
        return None, "all_candidates_vetoed", (), None
    if len(survivors) == 1:
        return survivors[0], "only_survivor", (), None
    if not voters:
        return survivors[0], "no_heuristics", (), None
    best = max(Fraction(total) for total in totals.values())
    tied = [name for name in survivors if best - Fraction(totals[name]) <= Fraction(case.tie_margin)]
    if len(tied) == 1:
        return tied[0], "highest_total", (), None
    left = tied
    for level in sorted({voter.priority for voter in voters if voter.priority is not None}, reverse=True):
        members = [voter for voter in voters if voter.priority == level]
        values = {name: _rounded_sum(_score(voter.answers[name]) or 0 for voter in members) for name in left}
        left = [name for name in left if values[name] == max(values.values())]
        if len(left) == 1:
            return left[0], "priority", tuple(tied), level
    silent = all(voter.answers[name] is None for voter in voters for name in survivors)
    return left[0], "no_opinion" if silent else "order", tuple(tied), None


def _shortfall(case: Case, leader: str, totals: dict[str, float]) -> Shortfall | None:
    """A leader whose total, or whose lead over the best of the others, is below what the caller named is not acted on."""
    if case.hold_below is None:
        return None
    what, least = case.hold_below
    if what == "total":
        return Shortfall(leader, "total", totals[leader], least) if totals[leader] < least else None
    others = [total for name, total in totals.items() if name != leader]
    if not others or Fraction(totals[leader]) - Fraction(max(others)) >= Fraction(least):
        return None
    return Shortfall(leader, "margin", totals[leader] - max(others), least)


def _verdict(answer: Any) -> Any:
    return f"raised ValueError: {answer.text}" if isinstance(answer, Raises) else answer


def _score(answer: Any) -> float | None:
    return None if answer is None else float(answer)


def _rounded_sum(numbers: Any) -> float:
    """The exact sum, rounded once."""
    return float(sum(map(Fraction, numbers), Fraction(0)))


def _vetoing(judges: list[Judge | Voter], row: tuple[Any, ...]) -> list[Judge | Voter]:
    return [judge for judge, verdict in zip(judges, row, strict=True) if verdict]


def _voted_by(voters: list[Voter], products: tuple[float, ...]) -> tuple[str, ...]:
    return tuple(voter.id for voter, product in zip(voters, products, strict=True) if product != 0)


def _final_scores(winner: str, totals: dict[str, float], voters: list[Voter]) -> dict[str, float]:
    """The winner, then at most three rivals whose gap is within 5 % of the widest possible gap, best first."""
    floor = totals[winner] - 2 * 0.05 * _rounded_sum(voter.weight for voter in voters)
    offered = list(totals)
    close = [name for name in offered if name != winner and totals[name] >= floor]
    close.sort(key=lambda name: (-totals[name], offered.index(name)))
    return {name: totals[name] for name in [winner, *close[:3]]}
