"""Asking intentions, and refusing what no intention may answer.

An intention that raises never counts as "no veto": the error is named with its intention and candidate, or, where the
author opted in with `on_error="veto"`, it forbids the candidate and says why.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn

from volition.core.errors import Problem, VolitionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration.intention import Constraint, Heuristic, Intention

Verdict = bool | str
Score = float | None


class IntentionFailed(VolitionError):
    """An intention raised, or answered what no intention may answer; nothing was decided."""


def verdicts(entry: Constraint, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Verdict]:
    """Ask a constraint about every candidate: True or a text forbids, False allows."""
    row: list[Verdict] = _answers(entry, candidates, ids, context)
    for name, verdict in zip(ids, row, strict=True):
        if type(verdict) is not bool:
            check_verdict(entry, name, verdict)
    return row


def scores(entry: Heuristic, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Score]:
    """Ask a heuristic about every candidate: a float in [-1, 1], or None where it abstains."""
    row = _answers(entry, candidates, ids, context)
    return [
        score if type(score) is float and -1.0 <= score <= 1.0 else checked(entry, name, score)
        for name, score in zip(ids, row, strict=True)
    ]


def scores_or_reasons(
    entry: Heuristic, candidates: Sequence[Any], ids: Sequence[str], context: Any
) -> list[Score | str]:
    """Ask a heuristic whose author lets an error veto: a text stands where it raised."""
    answers: list[Score | str] = []
    for candidate, name in zip(candidates, ids, strict=True):
        try:
            answers += scores(entry, [candidate], [name], context)
        except IntentionFailed as failure:
            if failure.__cause__ is None:
                raise
            answers.append(f"raised {_told(failure.__cause__)}")
    return answers


def check_verdict(entry: Intention, name: str, verdict: Any) -> None:
    """A verdict is True, False, or a text that says why the candidate is forbidden."""
    if type(verdict) is not bool and not (isinstance(verdict, str) and verdict):
        _refuse(entry, name, verdict, "True or a text that says why (forbidden), or False (allowed)")


def checked(entry: Heuristic, name: str, score: Any) -> Score:
    """A score as a float in [-1, 1], or None; anything else is refused."""
    if score is None:
        return None
    if not isinstance(score, Real) or isinstance(score, bool) or not -1 <= score <= 1:  # type: ignore[operator]
        _refuse(entry, name, score, "a score in [-1.0, 1.0], or None to abstain")
    return float(score)


def _answers(entry: Intention, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Any]:
    row: list[Any] = []
    raised = None
    try:
        call = entry.call
        row.extend(map(call, candidates) if call else entry.intent.ask(entry.kind, candidates, ids, context))
    except Exception as error:  # noqa: BLE001  whatever a user's function raises is named below
        raised = error
    if raised is not None or len(row) != len(candidates):
        return _resumed(entry, row, raised, candidates, ids, context)
    return row


def _resumed(
    entry: Intention,
    row: list[Any],
    raised: Exception | None,
    candidates: Sequence[Any],
    ids: Sequence[str],
    context: Any,
) -> list[Any]:
    """Go on behind an answer that was not given, where the author lets an error veto; else say what happened."""
    count = len(candidates)
    batch = getattr(entry.intent, "batch", False)
    while len(row) != count or raised is not None:
        if raised is None and (batch or len(row) > count):
            _refuse_count(entry, len(row), count)
        if raised is None:  # a StopIteration that a function lets out ends its answers early and silently
            raised = StopIteration("it ended the answers early")
        if entry.kind != "constraint" or entry.on_error != "veto":
            fail(entry, raised, f"a batch of {count} candidates" if batch else f"candidate {ids[len(row)]!r}")
        row.extend([f"raised {_told(raised)}"] * (count - len(row) if batch else 1))
        raised = None
        if len(row) < count:
            try:
                done = len(row)
                row.extend(entry.intent.ask(entry.kind, candidates[done:], ids[done:], context))
            except Exception as error:  # noqa: BLE001  as above
                raised = error
    return row


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def fail(entry: Intention, raised: Exception, where: str) -> NoReturn:
    """Let the error of an intention reach the caller, with its name and place."""
    raise IntentionFailed(
        Problem(
            f"{entry.kind} {entry.id!r} raised {_told(raised)}",
            where,
            "an answer for every candidate",
            "mend the intention, or let on_error='veto' forbid what it raises on",
        )
    ) from raised


def _refuse_count(entry: Intention, given: int, wanted: int) -> NoReturn:
    raise IntentionFailed(
        Problem(
            f"{entry.kind} {entry.id!r} gave {given} answers for {wanted} candidates",
            f"intention {entry.id!r}",
            "one answer per candidate, in their order",
            "let the batch function answer every candidate; a heuristic abstains with None",
        )
    )


def _refuse(entry: Intention, name: str, value: Any, expected: str) -> NoReturn:
    raise IntentionFailed(
        Problem(
            f"{entry.kind} {entry.id!r} answered {value!r}",
            f"candidate {name!r}",
            expected,
            "mend the intention; a curve turns a raw measure into a score",
        )
    )
