"""Random cases for the arbiter, and composites with the same answers, in every form an intent can take."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from hypothesis import strategies as st
from msgspec.structs import asdict

from tests.arbitration.reference import Case, Judge, Raises, Voter
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intent import Function, Intent
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.settings import Margin, Total
from volition.arbitration.stages import aggregate_votes, filter_candidates
from volition.arbitration.tables import Scores, Violates

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.arbitration.decision import Decision
    from volition.arbitration.intention import Intention

Form = Literal["plain", "context", "batch", "batch with context", "table"]
FORMS: tuple[Form, ...] = ("plain", "context", "batch", "batch with context", "table")

CONTEXT = "the world"

NAMES = "hdbgface"
"""Candidates in an order that is not the alphabet's: a tie broken by name must show."""

IDS = ("safety", "goal", "alpha", "zeta", "mid")

grid_scores = st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1, 0, -1, None])
decimal_scores = st.sampled_from([0.1, 0.2, 0.3, 0.7, -0.1, -0.3, 0.6, None])
any_scores = st.one_of(grid_scores, decimal_scores, st.floats(-1, 1))
verdicts = st.sampled_from([False, False, False, True, "wet", "too far"])
weights = st.sampled_from([0, 0.0, 0.25, 0.5, 1, 1.0, 1.0, 2.0, 0.1, 0.3])
priorities = st.sampled_from([None, None, 0, 5, 5, 10, -3])
bounds = st.none() | st.tuples(st.sampled_from(["margin", "total"]), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
margins = st.sampled_from([0.0, 0.0, 0, 0.1, 0.25, 0.5, 1, 3.0])
raising = st.builds(Raises, st.sampled_from(["broken", "lost"]))


@st.composite
def cases(draw: st.DrawFn, *, guards: bool = True, margin: bool = True, least: int = 0, held: bool = False) -> Case:
    """A case that ties often, vetoes often and repeats priorities; with `guards`, errors may veto; `held`, it may hold."""
    names = tuple(draw(st.permutations(NAMES))[: draw(st.integers(least, 6))])
    ids = draw(st.permutations([f"c-{id}" for id in IDS[:4]] + [f"h-{id}" for id in IDS]))
    scores = draw(st.sampled_from([grid_scores, grid_scores, decimal_scores, any_scores]))
    judges = tuple(
        _judge(draw, id, names, guards=guards) for id in ids if id[0] == "c" and draw(st.integers(0, 2)) == 0
    )
    voters = tuple(_voter(draw, id, names, scores, guards=guards) for id in ids if id[0] == "h" and draw(st.booleans()))
    return Case(
        names,
        judges,
        voters,
        draw(st.sampled_from(["hold", "fail"])),
        draw(margins) if margin else 0.0,
        draw(st.sampled_from([None, None, *names])),
        draw(bounds) if held else None,
    )


def _judge(draw: st.DrawFn, id: str, names: tuple[str, ...], *, guards: bool) -> Judge:
    guarded = guards and draw(st.integers(0, 3)) == 0
    answers = verdicts | raising if guarded else verdicts
    return Judge(id, {name: draw(answers) for name in names}, "veto" if guarded else "raise")


def _voter(draw: st.DrawFn, id: str, names: tuple[str, ...], scores: Any, *, guards: bool) -> Voter:
    guarded = guards and draw(st.integers(0, 4)) == 0
    answers = scores | scores | raising if guarded else scores
    row = {name: draw(answers) for name in names}
    return Voter(id, row, draw(weights), draw(priorities), "veto" if guarded else "raise")


def composite_of(case: Case, form: Form | Callable[[str], Form] = "plain") -> CompositeIntention:
    """The case's intentions, each in the given form; an intent whose errors veto must be a function of one candidate."""
    return CompositeIntention(*entries_of(case, form))


def without_loops(composite: CompositeIntention) -> CompositeIntention:
    """The same composite, which asks through the general stages."""
    general = CompositeIntention(*composite.intentions)
    constraints, heuristics = general.constraints, general.heuristics
    object.__setattr__(general, "filter", partial(filter_candidates, constraints))
    object.__setattr__(general, "aggregate", partial(aggregate_votes, heuristics, len(constraints)))
    return general


def entries_of(case: Case, form: Form | Callable[[str], Form] = "plain") -> list[Intention]:
    def chosen(entry: Judge | Voter) -> Intent | Callable[..., Any]:
        wanted = form(entry.id) if callable(form) else form
        if entry.on_error == "veto" and wanted not in ("plain", "context"):
            wanted = "context"
        return intent_of(entry, wanted)

    judges = [Constraint(judge.id, chosen(judge), on_error=judge.on_error) for judge in case.judges]  # type: ignore[arg-type]
    voters = [
        Heuristic(voter.id, chosen(voter), weight=voter.weight, priority=voter.priority, on_error=voter.on_error)  # type: ignore[arg-type]
        for voter in case.voters
    ]
    return [*judges, *voters]


def intent_of(entry: Judge | Voter, form: Form) -> Intent | Callable[..., Any]:
    """The same answers as a function of a candidate, of a candidate and a context, of all of them, or as a table."""
    answers = entry.answers

    def plain(candidate: str) -> Any:
        return given_answer(answers[candidate])

    def with_context(candidate: str, context: Any) -> Any:
        assert context == CONTEXT
        return plain(candidate)

    def batch(candidates: list[str]) -> list[Any]:
        return [plain(candidate) for candidate in candidates]

    def batch_with_context(candidates: list[str], context: Any) -> Any:
        assert context == CONTEXT
        return (plain(candidate) for candidate in candidates)

    if form == "table":
        if isinstance(entry, Voter):
            return Scores(answers)
        return Violates({name: verdict for name, verdict in answers.items() if verdict is not False})
    return {
        "plain": Function(plain),
        "context": Function(with_context),
        "batch": Function(batch, batch=True),
        "batch with context": Function(batch_with_context, batch=True),
    }[form]


def given_answer(answer: Any) -> Any:
    """The answer, or its error."""
    if isinstance(answer, Raises):
        raise ValueError(answer.text)  # noqa: TRY004  what a user's function might raise
    return answer


def run(case: Case, form: Form | Callable[[str], Form] = "plain") -> Decision[str]:
    """Put the case to the arbiter."""
    return arbitrated(case, composite_of(case, form))


def arbitrated(case: Case, composite: CompositeIntention) -> Decision[str]:
    return arbitrate(
        case.candidates,
        composite,
        on_impossible=case.on_impossible,  # type: ignore[arg-type]
        tie_margin=case.tie_margin,
        stay=case.stay,
        hold_below=bound_of(case.hold_below),
        context=CONTEXT,
    )


def bound_of(bound: tuple[str, float] | None) -> Margin | Total | None:
    """A bound as the arbiter takes it."""
    if bound is None:
        return None
    what, least = bound
    return Margin(least) if what == "margin" else Total(least)


def comparable(decision: Decision[Any]) -> dict[str, Any]:
    """Everything that a decision says, for comparison, with the order of its final scores."""
    return {
        "kind": decision.kind,
        "id": decision.id,
        "reason": asdict(decision.reason),
        "final order": list(decision.reason.final_scores),
        "trace": asdict(decision.trace),
    }


def scored(*rows: dict[str, Any], weights: tuple[float, ...] = (), priorities: tuple[int | None, ...] = ()) -> Case:
    """A case of voters alone, one per row of scores, named h0, h1 and so on."""
    voters = tuple(Voter(f"h{n}", row) for n, row in enumerate(rows))
    voters = tuple(replace(v, weight=w) for v, w in zip(voters, weights, strict=True)) if weights else voters
    voters = tuple(replace(v, priority=p) for v, p in zip(voters, priorities, strict=True)) if priorities else voters
    return Case(tuple(rows[0]), (), voters)
