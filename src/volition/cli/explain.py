"""`volition explain`, `fork`, `significance` and `arcs`: questions to a recorded evening, about a choice, a branch and a story."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli import completion
from volition.cli.options import (
    json_option,
    load_custom,
    load_evening,
    minds_options,
    new_run,
    parse_weights,
    run_argument,
    run_out_option,
    time_now,
    with_option,
)
from volition.cli.printing import print_json, program_name, progress
from volition.cli.signing import find_signer, signing_options

if TYPE_CHECKING:
    from pathlib import Path

    from volition.cli.options import MindsNamed
    from volition.drama.playing.cast import Outside


most_option = click.option(
    "--most", type=click.IntRange(1, 10_000), default=60, show_default=True, help="Examine at most this many acts."
)


@click.command()
@run_argument
@click.option("--tick", type=click.IntRange(min=0), required=True, help="The tick at which the choice was made.")
@click.option("--agent", required=True, help="Who chose.", shell_complete=completion.people)
@click.option(
    "--why-not",
    "rivals",
    metavar="ACT",
    multiple=True,
    help="Explain why this was not chosen, by its id or its words; may be repeated.",
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
    weight 1; a choice that somebody played, or a custom mind made, is what the constraint `played` leaves. Acts are shown
    in words, and terms only where they count for something; --json has ids and all digits.

    \b
    Examples:
      volition explain dinner-party-8 --tick 40 --agent victor --why-not conflict:secret_embezzle_01:marcus
      volition explain dinner-party-8 --tick 25 --agent victor --what-if bonds=2 --without noise
    """
    from volition.cli.show.explained import ExplainedChoice
    from volition.drama.audience.deeds import describe_act

    path, evening = load_evening(run)
    weights = parse_weights(changes, "--what-if")
    decision = evening.decision(tick, agent)
    by_words = {describe_act(evening.scenario, agent, id): id for id in decision.tally.ids}
    rivals = tuple(by_words.get(rival, rival) for rival in rivals)
    record = evening.run.ticks[tick - evening.first]
    is_played = agent in record.played
    named = [id for id in (decision.id, *rivals) if id in decision.tally.survivors]
    explained = ExplainedChoice(
        evening.scenario,
        path.name,
        tick,
        agent,
        record.choices[agent],
        decision,
        answers=[decision.why_not(rival) for rival in rivals],
        situations={id: evening.situation(tick, agent, id) for id in dict.fromkeys(named) if id is not None},
        changed=[f"{id} x{weight:g}" for id, weight in weights.items()] + [f"no {id}" for id in without],
        then=decision.what_if(weights=weights, without=without, shadow=True) if weights or without else None,
        played_by=evening.run.custom.player_of(agent) if is_played else None,
        own=decision.what_if(without="played", shadow=True).after if is_played else None,
        thoughts=evening.thoughts(tick, agent) if thinks else None,
    )
    if as_json:
        print_json(explained.to_data())
    else:
        explained.show()


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
@minds_options
@click.option(
    "--outside",
    "answering",
    type=click.Choice(["ask", "record", "engine"]),
    help="Who answers for minds from outside: they are asked again, the record answers, or everybody decides alone.",
)
@run_out_option
@signing_options
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
    outside: MindsNamed,
    answering: Outside | None,
    out: Path | None,
    by: str,
    unsigned: bool,
    as_json: bool,
) -> None:
    """Branch off a recorded evening, play the branch to its end, and say what changed.

    Random draws stay the same, except those of choices that are new. PATH is PERSON.PART: stress, composure,
    commitment, dramatic_budget, recovery_timer, suppression_count, an emotion, alcohol, location, trust.PERSON,
    affection.PERSON, obligation.PERSON, grievance.PERSON or belief.SECRET. A belief is unknown, suspects, believes_true
    or believes_false; merely set, it has no consequences but those of knowing.

    Custom minds, terms and constraints that took part are asked again if --with names them. If not, the record
    answers for them as long as it can. So it is with minds from outside and --mind, unless --outside says otherwise.

    Whoever has a key (volition team key) signs that the branch is theirs; volition ledger verify says who did.

    \b
    Examples:
      volition fork dinner-party-8 --at 40 --force conflict:secret_embezzle_01:marcus --agent victor
      volition fork dinner-party-8 --at 41 --veto conflict:secret_embezzle_01:marcus --agent victor
      volition fork dinner-party-8 --at 60 --set elena.belief.secret_embezzle_01=suspects
      volition fork dinner-party-8 --at 30 --set thorne.belief.secret_affair_01=believes_true --as-told-by diana
      volition fork dinner-party-8 --at 25 --agent victor --weights bonds=20
    """
    from volition.drama.playing.fork import sign_fork

    path, evening = load_evening(run)
    evening = evening.with_custom(load_custom(custom) + outside.of(evening.scenario))
    who = find_signer(by, unsigned=unsigned)
    weights = parse_weights(changes, "--weights")
    branch = evening.fork(
        at,
        veto=veto,
        force=force,
        set=settings,
        agent=agent,
        weights=weights,
        told_by=told_by,
        outside=answering,
    )
    there, called = new_run(out, f"{path.name}-at-{at}")
    branch.save(there)
    signed = None if who.signer is None else sign_fork(there, path.name, at, who.by, who.signer, time_now())
    changed = evening.compare(branch)
    if as_json:
        signer = None if signed is None else {"by": signed.by, "key": signed.key}
        made = {"run": there.name, "path": str(there), "of": path.name, "at": at, "signed": signer}
        print_json({**made, **changed.to_data()})
    else:
        for interference in branch.run.interference:
            click.echo(str(interference))
        if weights:
            weighed = ", ".join(f"{id} x{weight:g}" for id, weight in weights.items())
            click.echo(f"with {weighed} {agent} would have chosen {branch.run.interference[-1].what}")
        click.echo(str(changed))
        click.echo(f"\n{who}\nrecorded in {there}; to read it: {program_name()} transcript {called}")


@click.command()
@run_argument
@most_option
@click.option("--all", "everything", is_flag=True, help="Examine quiet acts too.")
@json_option
def significance(run: str, most: int, everything: bool, as_json: bool) -> None:
    """Show which acts of an evening mattered, the most significant first. RUN is an id or a path.

    For each act the evening is played again without it, and compared: who would believe what, who would hold what
    against whom, who would have left, and how it would have ended. The same run gives the same answer.

    Examined are dramatic acts, acts by which somebody came to believe something, and departures.

    \b
    Examples:
      volition significance dinner-party-8
      volition significance dinner-party-8 --all --most 200 --json
    """
    from volition.cli.show.drama import LEGEND, print_act

    path, evening = load_evening(run)
    with progress(path.name, "acts") as bar:
        acts = evening.significance(most=most, everything=everything, progress=bar)
    if as_json:
        print_json({"run": path.name, "acts": [act.to_data() for act in acts]})
        return
    for act in acts:
        print_act(evening, act)
    if acts:
        click.secho(f"\n{LEGEND}", dim=True)
    else:
        click.echo("nothing happened that could be left out")


@click.command()
@run_argument
@click.option(
    "--genre", default="default", show_default=True, help="What is tense: default, thriller, relationship or mystery."
)
@most_option
@json_option
def arcs(run: str, genre: str, most: int, as_json: bool) -> None:
    """Show whose story an evening is, the best first: the beats of each, and how good a story it is. RUN is an id or a path.

    What mattered is found out as by `volition significance`, so a story is that of the person whose acts changed most.

    \b
    Examples:
      volition arcs dinner-party-8
      volition arcs dinner-party-8 --genre thriller --json
    """
    from volition.cli.show.drama import print_arc
    from volition.drama.audience.tension import weights_of

    weights_of(genre)  # an unknown name is refused before anything is played
    path, evening = load_evening(run)
    with progress(path.name, "acts") as bar:
        mattered = evening.significance(most=most, progress=bar)
    threads = evening.arcs(genre, mattered)
    if as_json:
        print_json({"run": path.name, "genre": genre, "arcs": [arc.to_data() for arc in threads]})
        return
    for arc in threads:
        print_arc(evening, arc)
    if not threads:
        click.echo("nobody has a story: there are too few events, in too short a time")
