"""`volition explain`: any choice of a recorded evening, with all that was weighed."""

from __future__ import annotations

from typing import Any

import click

from volition.cli import completion
from volition.cli.arbitrate import STYLES
from volition.cli.evening import json_option, run_argument
from volition.cli.exits import DONE


@click.command()
@run_argument
@click.option("--tick", type=click.IntRange(min=0), required=True, help="The tick of the choice.")
@click.option("--agent", required=True, help="Who chose.", shell_complete=completion.people)
@click.option("--why-not", "rivals", metavar="ID", multiple=True, help="Say why this was not chosen; may be repeated.")
@json_option
def explain(run: str, tick: int, agent: str, rivals: tuple[str, ...], as_json: bool) -> int:
    """Show everything that somebody could have done at a tick, what spoke for and against it, and why it came so.

    The choice is made again from the recorded state; where other rules made the run, nothing is guessed.

    \b
    Example:
      volition explain dinner-party-8 --tick 25 --agent victor --why-not conflict:marcus
    """
    from volition.arbitration.report import lines, plain  # noqa: PLC0415  only when it runs
    from volition.drama.evening import Evening  # noqa: PLC0415
    from volition.drama.stage.library import Library  # noqa: PLC0415

    path = Library().find(run)
    evening = Evening.load(path)
    decision = evening.decision(tick, agent)
    choice = evening.run.ticks[tick - evening.first].choices[agent]
    answers = [decision.why_not(rival) for rival in rivals]
    named = [id for id in (decision.id, *rivals) if id in decision.tally.survivors]
    items = {id: evening.situation(tick, agent, id) for id in dict.fromkeys(named) if id is not None}
    if as_json:
        import json  # noqa: PLC0415  only when asked for

        data: dict[str, Any] = {"run": path.name, "tick": tick, "agent": agent, "choice": choice._asdict()}
        data |= {"decision": decision.to_data(), "why_not": [plain(answer) for answer in answers]}
        click.echo(json.dumps(data | {"situation": {id: dict(item) for id, item in items.items()}}, ensure_ascii=False))
        return DONE
    click.secho(f"{agent} at tick {tick} of {path.name}", bold=True)
    for line in lines(decision, most=len(decision.tally.ids)):
        click.secho(line.text, **STYLES.get(line.role, {}))
    for id, item in items.items():
        said = ", ".join(f"{name} {value:+.3f}" for name, value in item) or "nothing"
        click.echo(f"situation of {id}: {said}")
    for answer in answers:
        click.echo(f"why not: {answer.text}")
    if choice.became != "done":
        click.echo(f"it came to nothing ({choice.because}): {choice.became}")
    return DONE
