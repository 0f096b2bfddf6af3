"""`volition fork`: an evening as it would have gone otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli import completion
from volition.cli.arbitrate import parse_weights
from volition.cli.common import (
    json_option,
    load_evening,
    new_run,
    print_json,
    program_name,
    run_argument,
    run_out_option,
)
from volition.cli.custom import load_custom, with_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@run_argument
@click.option(
    "--at", type=click.IntRange(min=0), required=True, metavar="TICK", help="The tick at which the branch begins."
)
@click.option("--veto", metavar="ID", help="Forbid this act at that tick.")
@click.option("--force", metavar="ID", help="Force this act at that tick.")
@click.option(
    "--set", "settings", metavar="PATH=VALUE", multiple=True, help="Change part of the state; may be repeated."
)
@click.option(
    "--as-told-by",
    "told_by",
    metavar="PERSON",
    help="What others believe is set as if this person, who must know it and be in the room, had told them in private, "
    "with all that follows.",
    shell_complete=completion.people,
)
@click.option(
    "--weights",
    "changes",
    metavar="TERM=WEIGHT",
    multiple=True,
    help="Force what --agent would have chosen with another weight; may be repeated.",
)
@click.option("--agent", help="Whose act is meant, if several people could do it.", shell_complete=completion.people)
@with_option
@run_out_option
@json_option
def fork(
    run: str,
    at: int,
    veto: str | None,
    force: str | None,
    settings: tuple[str, ...],
    told_by: str | None,
    changes: tuple[str, ...],
    agent: str | None,
    custom: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Branch off a recorded evening, play the branch to its end, and say what changed.

    Random draws stay the same, except those of choices that are new. PATH is PERSON.PART: stress, composure,
    commitment, dramatic_budget, recovery_timer, suppression_count, an emotion, alcohol, location, trust.PERSON,
    affection.PERSON, obligation.PERSON, grievance.PERSON or belief.SECRET. A belief is unknown, suspects, believes_true
    or believes_false; merely set, it has no consequences but those of knowing.

    Custom minds, terms and constraints that took part are asked again if --with names them. If not, the record
    answers for them as long as it can.

    \b
    Examples:
      volition fork dinner-party-8 --at 25 --force conflict:marcus --agent victor
      volition fork dinner-party-8 --at 25 --veto conflict:marcus --agent victor
      volition fork dinner-party-8 --at 60 --set elena.belief.secret_embezzle_01=suspects
      volition fork dinner-party-8 --at 30 --set thorne.belief.secret_affair_01=believes_true --as-told-by diana
      volition fork dinner-party-8 --at 25 --agent victor --weights bonds=20
    """
    path, evening = load_evening(run)
    evening = evening.with_custom(load_custom(custom))
    weights = parse_weights(changes, "--weights")
    branch = evening.fork(at, veto=veto, force=force, set=settings, agent=agent, weights=weights, told_by=told_by)
    there, called = new_run(out, f"{path.name}-at-{at}")
    branch.save(there)
    changed = evening.compare(branch)
    if as_json:
        print_json({"run": there.name, "path": str(there), "of": path.name, "at": at, **changed.to_data()})
    else:
        for one in branch.run.interference:
            click.echo(str(one))
        if weights:
            said = ", ".join(f"{id} x{weight:g}" for id, weight in weights.items())
            click.echo(f"with {said} {agent} would have chosen {branch.run.interference[-1].what}")
        click.echo(str(changed))
        click.echo(f"\nrecorded in {there}; to read it: {program_name()} transcript {called}")
