"""Asking intentions, and refusing invalid answers.

An intention that raises never counts as "no veto": the error is named with its intention and candidate, or, where the
author opted in with `on_error="veto"`, it forbids the candidate and says why.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import islice
from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn

from volition.arbitration.data_checks import is_truth
from volition.core.errors import Problem, VolitionError, format_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.arbitration.intention import Constraint, Heuristic, Intention

Verdict = bool | str | None
"""True or a text forbids, False allows, None was not asked."""
Score = float | None


_BOOL = {bool}


class IntentionFailed(VolitionError):
    """An intention raised or gave an invalid answer; nothing was decided."""


def verdicts(entry: Constraint, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Verdict]:
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


def scores(entry: Heuristic, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Score]:
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
    alone = [([one], [id]) for one, id in zip(candidates, ids, strict=True)]
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
        given = _ask(entry, candidates, ids, context)
        asking = True
        row.extend(given)
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
    given = entry.intent.ask(entry.kind, list(candidates), list(ids), context)
    return given if type(given) is list else islice(given, len(candidates) + 1)


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


def _refuse_count(entry: Intention, given: int, wanted: int) -> NoReturn:
    raise IntentionFailed.of(
        f"{entry.kind} {entry.id!r} gave {given} answers for {wanted} candidates",
        where=f"intention {entry.id!r}",
        expected="one answer per candidate, in their order",
        remedy="let the batch function answer every candidate; a heuristic abstains with None",
    )


def _refuse(entry: Intention, name: str, value: Any, expected: str, remedy: str) -> NoReturn:
    raise IntentionFailed(
        Problem(f"{entry.kind} {entry.id!r} answered {format_value(value)}", f"candidate {name!r}", expected, remedy)
    )
