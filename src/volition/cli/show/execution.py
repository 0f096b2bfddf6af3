"""Drives and executors in words: one line for each step, how a drive ended, and the checks of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from volition.cli.printing import print_json
from volition.execution.worlds.pilot.course import Course

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.execution.conformance.law import Check
    from volition.execution.worlds.pilot.course import Course, PilotStep


def line_of(step: PilotStep) -> str:
    """One step in one line: when, what, its result, the health of both, and why.

    It contains no measured time, so the same drive prints the same lines.
    """
    after = step.after or step.situation
    foe = "?" if after.foe is None else f"{after.foe.health:.0%}"
    return (
        f"{step.number:>4}  tick {step.situation.tick:<5} {step.decision.id or step.decision.kind:<20} "
        f"{result_of(step):<27} me {after.me.health:>4.0%}  opponent {foe:>4}  {step.decision.why().text}"
    )


def result_of(step: PilotStep) -> str:
    """The result of a step in a word or two, with its label where the executor did not answer."""
    outcome = step.outcome
    if outcome is None:
        return "waited"
    status = outcome.status if outcome.reason == "NONE" else f"{outcome.status} {outcome.reason}"
    return status if outcome.answered else f"{status} ({outcome.label})"


def drive_data(course: Course, taken: list[dict[str, Any]], about: str | None, *, with_latency: bool) -> dict[str, Any]:
    """A drive with all of its steps; `about` is the name of the executor."""
    data: dict[str, Any] = {"executor": about, "steps": taken, "summary": course.to_data()}
    if with_latency and (times := course.latency) is not None:
        data["latency_ms"] = {"p50": times.p50 * 1e3, "p99": times.p99 * 1e3}
    return data


def print_course(course: Course, *, with_latency: bool) -> None:
    """Print how a drive ended, and what was counted on the way."""
    click.echo(f"goal {course.goal}: {course.verdict}, {course.because}")
    labels = ", ".join(f"{label} {count}" for label, count in sorted(course.labels.items())) or "none"
    click.echo(
        f"{course.steps} steps, {course.ticks} ticks: {course.sent} intents sent, {course.waited} times waited; "
        f"outcomes: {labels}"
    )
    health = "unknown" if course.health is None else f"{course.health:.0%}"
    opponent = "unknown" if course.opponent is None else f"{course.opponent:.0%}"
    click.echo(
        f"health {health}, opponent {opponent}; defeats {course.defeats}, deaths {course.deaths}; "
        f"options vetoed {course.vetoed}, retries refused {course.refused_retries}, violations {course.violations}"
    )
    if with_latency and (times := course.latency) is not None:
        click.echo(f"latency p50 {times.p50 * 1e3:.2f} ms, p99 {times.p99 * 1e3:.2f} ms")


def print_checks(checks: Iterable[Check], *, as_json: bool) -> None:
    """Print the checks and their laws."""
    if as_json:
        print_json([{"check": each.name, "law": each.law, "section": each.section} for each in checks], indent=2)
        return
    for each in checks:
        click.echo(f"{each.name:<32} {each.law} ({each.section})")
