"""The two stages that ask the intentions: filter by vetoes, then aggregate the votes. What they give are fields of a tally.

An intention that raises never counts as "no veto": the error is named with its intention and candidate, or, where the
author opted in with `on_error="veto"`, it forbids the candidate and says why. Invalid answers are refused.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import compress, islice
from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn

from volition.arbitration.data_checks import is_truth
from volition.core.errors import Problem, VolitionError, format_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.arbitration.intention import Constraint, Heuristic, Intention

_BOOL = {bool}
Verdict = bool | str | None
"""True or a text forbids, False allows, None was not asked."""
Score = float | None
"""None is an abstention."""
Filtered = tuple[dict[str, tuple[Verdict, ...]], list[Any], list[str]]
"""The verdicts on what is vetoed, by id; the candidates that are left; and their ids."""
Votes = tuple[list[tuple[Score, ...]], list[tuple[float, ...]]]
"""The scores and the contributions of each candidate that is left."""


class IntentionFailed(VolitionError):
    """An intention raised or gave an invalid answer; nothing was decided."""


def filter_candidates(
    constraints: Sequence[Constraint], candidates: list[Any], ids: list[str], context: Any
) -> Filtered:
    """Ask every constraint about every candidate."""
    columns = [verdicts_of(entry, candidates, ids, context) for entry in constraints]
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
        entry.id: answers_or_reasons(scores_of, entry, left, survivors, context) for entry in guards
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
            columns[entry.id] = scores_of(entry, left, survivors, context)
    by_voter = [columns[entry.id] for entry in heuristics]
    scores: list[tuple[Score, ...]] = list(zip(*by_voter, strict=True)) if by_voter else [()] * len(survivors)
    return filtered, (scores, contributions(heuristics, scores))


def _split(rows: list[tuple[Verdict, ...]], candidates: list[Any], ids: list[str]) -> Filtered:
    """The rows of those that somebody forbids; the other candidates, and their ids."""
    allowed = [not any(row) for row in rows]
    vetoed = {name: row for name, row, free in zip(ids, rows, allowed, strict=True) if not free}
    return vetoed, list(compress(candidates, allowed)), list(compress(ids, allowed))


def verdicts_of(entry: Constraint, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Verdict]:
    """Ask a constraint about every candidate: True or a text forbids, False allows."""
    if entry.on_error == "veto":
        # Where a batch raises there is no way to know on which candidate.
        together = getattr(entry.intent, "batch", False)
        return answers_or_reasons(_verdicts, entry, candidates, ids, context, together=together)
    return _verdicts(entry, candidates, ids, context)


def _verdicts(entry: Constraint, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Verdict]:
    row: list[Verdict] = _answers(entry, candidates, ids, context)
    if {*map(type, row)} <= _BOOL:
        return row
    return [check_verdict(entry, name, verdict) for name, verdict in zip(ids, row, strict=True)]


def scores_of(entry: Heuristic, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Score]:
    """Ask a heuristic about every candidate: a float in its range, or None where it abstains."""
    row = _answers(entry, candidates, ids, context)
    low, high = entry.range
    for score in row:  # every vote passes here, and a generator takes twice as long
        if not (type(score) is float and low <= score <= high):
            break
    else:
        return row
    return [check_score(entry, name, score) for name, score in zip(ids, row, strict=True)]


def answers_or_reasons(
    ask: Callable[[Any, Sequence[Any], Sequence[str], Any], list[Any]],
    entry: Intention,
    candidates: Sequence[Any],
    ids: Sequence[str],
    context: Any,
    *,
    together: bool = False,
) -> list[Any]:
    """Ask an intention whose author lets an error veto, about each candidate alone: where it raised, the answer is a text."""
    answers: list[Any] = []
    alone = [([candidate], [id]) for candidate, id in zip(candidates, ids, strict=True)]
    for some, names in [(candidates, ids)] if together else alone:
        try:
            answers += ask(entry, some, names, context)
        except IntentionFailed as failure:
            if failure.__cause__ is None:
                raise
            answers += [describe_raised(failure.__cause__)] * len(names)
    return answers


def contributions(entries: Sequence[Heuristic], scores: Iterable[Sequence[Score]]) -> list[tuple[float, ...]]:
    """Weight * score of checked scores, a row for each candidate; an abstention adds nothing."""
    weights = [entry.weight for entry in entries]
    return [
        tuple([0.0 if score is None else weight * score for weight, score in zip(weights, row, strict=True)])
        for row in scores
    ]


def remarks_of(entries: Iterable[Heuristic]) -> tuple[tuple[str, str], ...]:
    """What those who have just voted say about it, each with its id."""
    remarks = ((entry.id, entry.intent.remark()) for entry in entries)  # type: ignore[attr-defined]
    return tuple((id, remark) for id, remark in remarks if remark)


def check_verdict(entry: Intention, name: str, verdict: Any) -> Verdict:
    """A verdict as True, False, or a text that says why the candidate is forbidden; anything else is refused."""
    if isinstance(verdict, str) and verdict:
        return verdict
    if not is_truth(verdict):
        expected = "True or a text that says why (forbidden), or False (allowed)"
        _refuse(entry, name, verdict, expected, "let the constraint say whether the candidate violates it")
    return bool(verdict)


def check_score(entry: Heuristic, name: str, score: Any) -> Score:
    """A score as a float in the heuristic's range, or None; anything else is refused."""
    if score is None:
        return None
    low, high = entry.range
    if isinstance(score, bool) or not isinstance(score, (Real, Decimal)) or not lies_in(low, score, high):
        remedy = "fix the intention; a curve turns a raw measure into a score, and a range declares another scale"
        _refuse(entry, name, score, f"a score in [{low!r}, {high!r}], or None to abstain", remedy)
    return float(score)


def lies_in(low: float, score: Any, high: float) -> bool:
    """Whether a number of any type lies between two; what does not compare does not."""
    try:
        return bool(low <= score <= high)
    except ArithmeticError:  # a Decimal that is not a number does not compare
        return False


def _answers(entry: Intention, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Any]:
    count = len(candidates)
    batch = getattr(entry.intent, "batch", False)
    row: list[Any] = []
    asking = False
    try:
        answers = _ask(entry, candidates, ids, context)
        asking = True
        row.extend(answers)
    except Exception as error:  # noqa: BLE001  whatever a user's function raises is named here
        if batch:
            where = f"a batch of {count} candidates"
        elif asking:
            where = f"candidate {ids[min(len(row), count - 1)]!r}"
        else:  # it raised before it looked at any candidate
            where = f"intention {entry.id!r}"
        fail(entry, error, where)
    if len(row) == count:
        return row
    if len(row) > count or batch:
        _refuse_count(entry, len(row), count)
    # A StopIteration that a function lets out ends its answers early and silently.
    return fail(entry, StopIteration("it ended the answers early"), f"candidate {ids[len(row)]!r}")


def _ask(entry: Intention, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
    """The answers as they come; at most one more than wanted, where they may never end.

    An intent gets lists that it may keep or use up.
    """
    if entry.call is not None:
        return map(entry.call, candidates)
    answers = entry.intent.ask(entry.kind, list(candidates), list(ids), context)
    return answers if type(answers) is list else islice(answers, len(candidates) + 1)


def describe_raised(error: BaseException) -> str:
    """That an error was raised, with its type and text."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  an error that cannot say what it is
        text = ""
    return f"raised {type(error).__name__}: {text}" if text else f"raised {type(error).__name__}"


def fail(entry: Intention, raised: Exception, where: str) -> NoReturn:
    """Let the error of an intention reach the caller, with its name and place."""
    raise IntentionFailed.of(
        f"{entry.kind} {entry.id!r} {describe_raised(raised)}",
        where=where,
        expected="an answer for every candidate",
        remedy="fix the intention, or let on_error='veto' forbid what it raises on",
    ) from raised


def _refuse_count(entry: Intention, count: int, wanted: int) -> NoReturn:
    raise IntentionFailed.of(
        f"{entry.kind} {entry.id!r} gave {count} answers for {wanted} candidates",
        where=f"intention {entry.id!r}",
        expected="one answer per candidate, in their order",
        remedy="let the batch function answer every candidate; a heuristic abstains with None",
    )


def _refuse(entry: Intention, name: str, value: Any, expected: str, remedy: str) -> NoReturn:
    raise IntentionFailed(
        Problem(f"{entry.kind} {entry.id!r} answered {format_value(value)}", f"candidate {name!r}", expected, remedy)
    )
