"""`volition fork`: an evening as it would have gone."""

from __future__ import annotations

from pathlib import Path

import click

from volition.cli import completion
from volition.cli.evening import json_option, run_argument
from volition.cli.exits import DONE


@click.command()
@run_argument
@click.option("--at", type=click.IntRange(min=0), required=True, metavar="TICK", help="Where the branch begins.")
@click.option("--veto", metavar="ID", help="Forbid this act at that tick.")
@click.option("--force", metavar="ID", help="Let this act be done at that tick.")
@click.option(
    "--set", "settings", metavar="PATH=VALUE", multiple=True, help="Set a part of the state; may be repeated."
)
@click.option("--agent", help="Whose act is meant, where several could do it.", shell_complete=completion.people)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Where to record it; volition-runs/ID if not given."
)
@json_option
def fork(
    run: str,
    at: int,
    veto: str | None,
    force: str | None,
    settings: tuple[str, ...],
    agent: str | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Branch off a recorded evening, play it to its end, and say what changed.

    All chance but that of the new choices stays as it was. PATH is PERSON.PART: stress, composure, commitment,
    dramatic_budget, recovery_timer, suppression_count, an emotion, alcohol, location, trust.PERSON, affection.PERSON,
    obligation.PERSON, grievance.PERSON or belief.SECRET.

    \b
    Examples:
      volition fork dinner-party-8 --at 25 --force conflict:marcus --agent victor
      volition fork dinner-party-8 --at 80 --veto conflict:marcus
      volition fork dinner-party-8 --at 60 --set elena.belief.secret_embezzle_01=suspects
    """
    from volition.cli.called import called  # noqa: PLC0415  only when it runs
    from volition.cli.evening import new_place  # noqa: PLC0415
    from volition.drama.evening import Evening  # noqa: PLC0415
    from volition.drama.stage.library import Library  # noqa: PLC0415

    library = Library()
    path = library.find(run)
    evening = Evening.load(path)
    branch = evening.fork(at, veto=veto, force=force, set=settings, agent=agent)
    there = new_place(out) if out is not None else library.new(f"{path.name}-at-{at}")
    branch.save(there)
    changed = evening.compare(branch)
    if as_json:
        import json  # noqa: PLC0415  only when asked for

        data = {"run": there.name, "path": str(there), "of": path.name, "at": at, **changed.to_data()}
        click.echo(json.dumps(data, ensure_ascii=False))
    else:
        for one in branch.run.interference:
            click.echo(str(one))
        click.echo(str(changed))
        click.echo(f"\nrecorded in {there}; tell it: {called()} transcript {there.name if out is None else there}")
    return DONE
