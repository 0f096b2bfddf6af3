"""`volition explain`: any choice of a recorded evening, with everything that was weighed."""

from __future__ import annotations

from typing import Any

import click

from volition.cli import completion
from volition.cli.arbitrate import parse_weights, show
from volition.cli.common import json_option, load_evening, print_json, run_argument


@click.command()
@run_argument
@click.option("--tick", type=click.IntRange(min=0), required=True, help="The tick at which the choice was made.")
@click.option("--agent", required=True, help="Who chose.", shell_complete=completion.people)
@click.option(
    "--why-not", "rivals", metavar="ID", multiple=True, help="Explain why this was not chosen; may be repeated."
)
@click.option(
    "--what-if",
    "changes",
    metavar="TERM=WEIGHT",
    multiple=True,
    help="What another weight of a term would have chosen; may be repeated.",
)
@click.option(
    "--without", metavar="ID", multiple=True, help="What would have been chosen without this term or constraint."
)
@click.option("--thinks", is_flag=True, help="Show too what they thought that others know.")
@json_option
def explain(
    run: str,
    tick: int,
    agent: str,
    rivals: tuple[str, ...],
    changes: tuple[str, ...],
    without: tuple[str, ...],
    thinks: bool,
    as_json: bool,
) -> None:
    """Show everything that somebody could have done at a tick, what counted for and against it, and why this was
    chosen.

    The choice is made again from the recorded state. A run that was made by other rules is refused. Every term has
    weight 1; a choice that somebody played, or a custom mind made, is what the constraint `played` leaves.

    \b
    Examples:
      volition explain dinner-party-8 --tick 25 --agent victor --why-not conflict:marcus
      volition explain dinner-party-8 --tick 25 --agent victor --what-if bonds=2 --without noise
    """
    from volition.arbitration.report import explanation_to_data

    path, evening = load_evening(run)
    decision = evening.decision(tick, agent)
    choice = evening.run.ticks[tick - evening.first].choices[agent]
    answers = [decision.why_not(rival) for rival in rivals]
    weights = parse_weights(changes, "--what-if")
    then = decision.what_if(weights=weights, without=without, shadow=True) if weights or without else None
    played = agent in evening.run.ticks[tick - evening.first].played
    own = decision.what_if(without="played", shadow=True).after if played else None
    named = [id for id in (decision.id, *rivals) if id in decision.tally.survivors]
    thoughts = evening.thoughts(tick, agent) if thinks else ()
    items = {id: evening.situation(tick, agent, id) for id in dict.fromkeys(named) if id is not None}
    if as_json:
        data: dict[str, Any] = {"run": path.name, "tick": tick, "agent": agent, "choice": choice._asdict()}
        data |= {"decision": decision.to_data(), "why_not": [explanation_to_data(answer) for answer in answers]}
        data["situation"] = {id: dict(item) for id, item in items.items()}
        data |= {"thoughts": [thought._asdict() for thought in thoughts]} if thinks else {}
        if then is not None:
            data["what_if"] = then.to_data()
        print_json(data | {"played": {"own": own}} if played else data)
        return
    click.secho(f"{agent} at tick {tick} of {path.name}", bold=True)
    show(decision, most=len(decision.tally.ids))
    for id, item in items.items():
        terms = ", ".join(f"{name} {value:+.3f}" for name, value in item) or "nothing"
        click.echo(f"situation of {id}: {terms}")
    for answer in answers:
        click.echo(f"why not: {answer.text}")
    if then is not None:
        changed = [f"{id} x{weight:g}" for id, weight in weights.items()] + [f"no {id}" for id in without]
        click.echo(f"what if ({', '.join(changed)}): {then.text}")
    if played:
        by = evening.run.custom.minds.get(agent, "somebody")
        click.echo(f"played by {by}; without that it would have been {own}")
    for thought in thoughts:
        click.echo(f"{agent} thinks: {thought}")
    if thinks and not thoughts:
        click.echo(f"{agent} thinks that nobody else knows or suspects a secret")
    if choice.became != "done":
        click.echo(f"it did not happen ({choice.because}): {choice.became}")
