"""Plans judged together, in words: evaluations as tables, findings, graphs, gates, collisions, and the parts of source files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec.structs import asdict

from volition.cli.printing import columns, print_found, program_name, warn
from volition.governance.explanation import describe_dominance, describe_loss, describe_missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from volition.core.errors import VolitionError
    from volition.governance import EvaluationOutcome
    from volition.governance.documents.findings import Finding
    from volition.governance.documents.result import EvaluationResult
    from volition.governance.gates.gates import GateVerdict
    from volition.governance.live.radar import Sighting
    from volition.governance.merge.coordinator import ExecutionGraph
    from volition.governance.outline.parts import Outline


MOST_ROWS: Final = 20
"""How many rows of a table are printed; the rest are counted."""


_STRATEGIES: Final = {
    "merge_union": "all of them are merged",
    "override_by_priority": "they are merged, and some give way to others",
    "reject": "nothing is merged",
    "no_merge_needed": "there is nothing to merge",
}


def overview(result: EvaluationResult) -> str:
    """The gist of a result; `volition govern explain` says more."""
    evaluation = result.evaluation
    plan = evaluation.merge_plan
    count = len(result.input.intent_checksums)
    lines = [f"{result.input.intent_set_id}: {count} plans, {_STRATEGIES[plan.strategy]} ({plan.strategy})"]
    lines += [describe_loss(loss) for loss in result.losses]
    lines += [describe_missing(missing) for missing in result.missing]
    if plan.result_intent_id:
        lines.append(f"merged into {plan.result_intent_id}")
    if evaluation.conflicts:
        lines += ["", *_table(("severity", "conflict", "on", "plans"), [
            (c.severity, c.type.removesuffix("_conflict"), c.resource_ref or "a circle", _names(c.intent_ids))
            for c in evaluation.conflicts
        ])]  # fmt: skip
    else:
        lines += ["", "no conflicts"]
    lines += ["", *_table(("plan", "declared", "effects", "scope", "blast", "unknowns"), [
        (row.intent_id, row.overall_risk, *row.texts()) for row in evaluation.risk_comparison.matrix
    ])]  # fmt: skip
    lines += describe_dominance(evaluation.risk_comparison)
    for question in result.requires_questions:
        lines += ["", f"{question.question_id}: {question.condition}", f"  {question.reason}"]
        lines += [f"  {o.option_id}: {o.label}. {o.implications or ''}".rstrip() for o in question.options]
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from columns([head, *rows[:MOST_ROWS]])
    if len(rows) > MOST_ROWS:
        yield f"... and {len(rows) - MOST_ROWS} more; --json has them all"


def _names(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")


def print_outcome(outcome: EvaluationOutcome, out: Path | None) -> None:
    """Print the gist of an evaluation, where it was written, and how to answer its questions."""
    click.echo(overview(outcome.result))
    if out is not None:
        click.echo(f"\nwritten to {out}: {', '.join(outcome.files())}")
        click.echo(f"more: {program_name()} govern explain {out / 'result.json'}")
    if outcome.question_pack is not None and out is None:
        click.echo("\nto answer, evaluate with --out DIR, which writes the questions to a file")
    elif outcome.question_pack is not None:
        pack = f"{out}/question_pack.json"
        first = outcome.question_pack.questions[0]
        click.echo(
            f"\nanswer with: {program_name()} govern answer {pack} "
            f"--choose {first.question_id}={first.options[0].option_id}"
        )


def print_sighting(sighting: Sighting, *, as_json: bool) -> None:
    """Print what a look at a folder of plans found: a file that is no plan, and collisions."""
    if sighting.fault is not None:
        warn(f"{sighting.file}: ignored: {sighting.fault}; volition govern validate says more")
    id = str(sighting.intent_id)
    for collision in sighting.collisions:
        others = ", ".join(other for other in collision.intent_ids if other != id)
        text = f"{id}: {collision.severity}: {collision.rule} on {collision.resource} with {others}"
        print_found({"intent_id": id, **asdict(collision)}, text, as_json=as_json, indent=None)


def parts_data(outlines: dict[str, Outline], faults: dict[str, VolitionError]) -> dict[str, Any]:
    """The parts of source files, and what could not be read."""
    from volition.governance.outline.touched import claim_on

    return {
        "files": [
            {
                "path": path,
                "language": outline.language,
                "parts": [
                    {"claim": claim_on(path, part.name), "name": part.name, "kind": part.kind, "first": part.first, "last": part.last}
                    for part in outline.parts
                ],
            }
            for path, outline in outlines.items()
        ],
        "faults": [{"path": path, **problem.to_data()} for path, fault in faults.items() for problem in fault.problems],
    }  # fmt: skip


def print_parts(outlines: dict[str, Outline], faults: dict[str, VolitionError]) -> None:
    """Print the parts of source files as a table, and on stderr what could not be read."""
    from volition.governance.outline.touched import claim_on

    rows = [("claim", "kind", "lines")]
    for path, outline in outlines.items():
        rows += [(claim_on(path, part.name), part.kind, f"{part.first}-{part.last}") for part in outline.parts]
    for line in columns(rows):
        click.echo(line)
    by_fault: dict[tuple[str, str], list[str]] = {}
    for fault in faults.values():
        for problem in fault.problems:
            by_fault.setdefault((problem.what, problem.remedy), []).append(problem.where)
    for (what, remedy), places in by_fault.items():
        others = f" and {len(places) - 1} more" if len(places) > 1 else ""
        warn(f"not listed: {places[0]}{others}: {what}; {remedy}")


def findings_lines(by_file: Mapping[str, list[Finding]]) -> Iterator[str]:
    """File -> what is wrong with it, each finding with its remedy."""
    from volition.governance.documents.validation import is_valid

    for file, findings in by_file.items():
        yield f"{file}: {'valid' if is_valid(findings) else 'invalid'}"
        for finding in findings:
            yield f"  {'warning' if finding.warning else finding.code} at {finding.path}: {finding.message}"
            yield f"    {finding.remedy}"


def graph_lines(graph: ExecutionGraph) -> Iterator[str]:
    """The commands of an intent in order, each with what comes before it and why."""
    for node in graph.nodes:
        before = [f"{edge.before} ({edge.reason})" for edge in graph.edges if edge.after == node.node_id]
        after = f"  after {', '.join(before)}" if before else ""
        what = f"{node.phase}: {node.command_id} [{', '.join(node.effects)}]"
        yield f"{node.node_id}  {node.intent_id}, {' or '.join(node.agents)}  {what}{after}"


def gate_lines(verdicts: Sequence[GateVerdict]) -> Iterator[str]:
    """Which gates were passed, and why not."""
    for verdict in verdicts:
        yield f"{verdict.gate}  {'passed' if verdict.passed else 'FAILED'}  {verdict.title}"
        yield from (f"     {reason}" for reason in verdict.reasons)
