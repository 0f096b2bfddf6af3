"""`volition check-intention`: tell whether somebody's constraint or heuristic keeps the laws."""

from __future__ import annotations

from typing import Any

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON


@click.command("check-intention")
@click.argument("reference", metavar="MODULE:NAME")
@click.option(
    "--kind",
    type=click.Choice(["constraint", "heuristic"]),
    help="What a plain function is meant to be; otherwise its answers tell.",
)
@click.option("--samples", metavar="MODULE:NAME|FILE.json", help="Candidates to try it on; otherwise built-in ones.")
@click.option("--context", metavar="MODULE:NAME", help="The context, for an intention that reads one.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object.")
@click.pass_context
def check_intention(
    ctx: click.Context, reference: str, kind: str | None, samples: str | None, context: str | None, as_json: bool
) -> None:
    """Try a constraint or heuristic on samples: one answer each, of the right type, in range, deterministic, pure, and
    the same in another process. The current folder is importable; the module's code runs.

    Ends with 0 where it keeps every law, 3 where it breaks one, 2 where it cannot be found.

    \b
    Examples:
      volition check-intention mine:dry
      volition check-intention mine:near --samples tiles.json --context mine:home
    """
    import json  # noqa: PLC0415 - only a command that runs pays for its imports
    import sys  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    from volition.arbitration import checker  # noqa: PLC0415
    from volition.arbitration.reference import find  # noqa: PLC0415

    sys.path.insert(0, str(Path.cwd()))
    report = checker.check_intention(
        find(reference, "MODULE:NAME"),
        None if samples is None else _samples(samples),
        context=None if context is None else find(context, "--context"),
        kind=kind,  # type: ignore[arg-type]
        other_process=True,
        reference=reference,
    )
    click.echo(json.dumps(report.to_data(), ensure_ascii=False) if as_json else str(report))
    ctx.exit(DONE if report.ok else NEEDS_A_PERSON)


def _samples(named: str) -> Any:
    """The candidates in a JSON file, or under a name in a module, where a function of nothing gives them."""
    from volition.arbitration.reference import find  # noqa: PLC0415
    from volition.core.document import read_document  # noqa: PLC0415

    if named.endswith(".json"):
        return read_document(named)
    found = find(named, "--samples")
    return found() if callable(found) else found
