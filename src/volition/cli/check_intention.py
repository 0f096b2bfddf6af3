"""`volition check-intention`: check whether a constraint or heuristic keeps the laws."""

from __future__ import annotations

from typing import Any

import click

from volition.cli.common import CommandAnswer, answering, load_reference


@click.command("check-intention")
@click.argument("reference", metavar="MODULE:NAME")
@click.option(
    "--kind",
    type=click.Choice(["constraint", "heuristic"]),
    help="What an undecorated function is meant to be; judged by its answers if not given.",
)
@click.option("--samples", metavar="MODULE:NAME|FILE.json", help="Candidates to try it on; built-in ones if not given.")
@click.option("--context", metavar="MODULE:NAME", help="The context, for an intention that reads one.")
@answering
def check_intention(reference: str, kind: str | None, samples: str | None, context: str | None) -> CommandAnswer:
    """Try a constraint or heuristic on samples: one answer each, of the right type, in range, deterministic, pure, and
    the same in another process. The current folder is importable; the module's code runs.

    Exit code 0: it keeps every law; 3: it breaks one; 2: it cannot be found.

    \b
    Examples:
      volition check-intention mine:dry
      volition check-intention mine:near --samples tiles.json --context mine:home
    """
    from volition.arbitration import checker

    report = checker.check_intention(
        load_reference(reference, "MODULE:NAME"),
        None if samples is None else _samples(samples),
        context=None if context is None else load_reference(context, "--context"),
        kind=kind,  # type: ignore[arg-type]
        other_process=True,
        reference=reference,
    )
    return CommandAnswer.of(report, holds=report.ok, indent=None)


def _samples(name: str) -> Any:
    """The candidates in a JSON file, or those that MODULE:NAME holds or, as a function without arguments, returns."""
    from volition.core.document import read_document

    if name.endswith(".json"):
        return read_document(name)
    found = load_reference(name, "--samples")
    return found() if callable(found) else found
