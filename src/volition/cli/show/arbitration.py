"""Decisions in words: the table of what was weighed, and the answers to questions about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from volition.arbitration.case import Case
    from volition.arbitration.decision import Decision
    from volition.arbitration.interpreter import TacticalDecision


STYLES: dict[str, dict[str, Any]] = {
    "head": {"bold": True},
    "winner": {"fg": "green", "bold": True},
    "vetoed": {"fg": "red"},
    "note": {"dim": True},
}


def show_decision(decision: Decision[Any], lead: str = "", *, most: int | None = None) -> None:
    """Print the table of a decision, with at most `most` candidates; on a terminal winner and vetoes are coloured."""
    from volition.arbitration.report import lines

    for line in lines(decision.tally) if most is None else lines(decision.tally, most=most):
        click.secho(f"{lead}{line.text}".rstrip(), **STYLES.get(line.role, {}))


def print_case(decision: Decision[Any], step: TacticalDecision | None, answers: list[Any], then: Any) -> None:
    """Print a decision over a file, its step on the map, and the answers to questions about it."""
    show_decision(decision)
    if step is not None:
        click.echo(f"on the map: {step}")
    for answer in answers:
        click.echo(f"why not {answer.candidate}: {answer.text}")
    if then is not None:
        click.echo(f"what if: {then.text}")
        show_decision(then.decision, "    ")


def case_data(
    case: Case, decision: Decision[Any], step: TacticalDecision | None, answers: list[Any], then: Any
) -> dict[str, Any]:
    """A decision over a file, with its step on the map and the answers to questions about it."""
    data = decision.to_data()
    if step is not None:
        data["tactical"] = {key: value for key, value in step.to_data().items() if key != "decision"}
    if case.warnings:
        data["warnings"] = list(case.warnings)
    return data | answers_data(answers, then)


def answers_data(answers: list[Any], then: Any) -> dict[str, Any]:
    """The answers to why not and what if, where these were asked."""
    from volition.arbitration.report import explanation_to_data

    data: dict[str, Any] = {}
    if answers:
        data["why_not"] = {
            answer.candidate: {"answer": type(answer).__name__, **explanation_to_data(answer)} for answer in answers
        }
    if then is not None:
        data["what_if"] = then.to_data()
    return data
