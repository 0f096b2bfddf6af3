"""`volition journal`: summarise a journal, verify it, ask why, replay it, and export it for training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.options import (
    anchor_option,
    arena_seed_option,
    executor_token_option,
    json_option,
    map_option,
    parse_anchor,
    parse_weights,
    path_type,
    question_options,
    record_argument,
)
from volition.cli.printing import CommandAnswer, answering, counter, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution.client.replay import Pace


@click.group()
def journal() -> None:
    """Summarise, verify, explain, replay and export the record of decisions, intents and their results.

    \b
    Examples:
      volition drive --journal runs/arena
      volition journal summary runs/arena
      volition journal verify runs/arena
      volition journal explain runs/arena --step 12
      volition journal replay runs/arena embedded
    """


@journal.command()
@record_argument
@answering
def summary(path: Path) -> CommandAnswer:
    """Summarise a journal: attempts by intent and label, breaches, latency, reward, connections.

    \b
    Example:
      volition journal summary runs/arena
    """
    from volition.execution.journal.summary import summarise_journal

    return CommandAnswer.of(summarise_journal(path))


@journal.command()
@record_argument
@anchor_option
@answering
def verify(path: Path, anchor: str | None) -> CommandAnswer:
    """Check every byte, and the journal's laws: one final record for each ticket, every reference resolves.

    Exit code 0: the journal is intact; 3: it is not; 2: there is none. The output also says what a check cannot show.

    \b
    Example:
      volition journal verify runs/arena
    """
    from volition.execution.journal.verification import verify_journal

    verified = verify_journal(path, parse_anchor(anchor))
    return CommandAnswer.of(verified, holds=verified.intact)


@journal.command()
@record_argument
@click.option("--step", type=click.IntRange(min=1), required=True, help="Which step; `volition drive` numbers them.")
@click.option(
    "--run", type=click.IntRange(min=1), help="Which run of the journal; the last with this step if not given."
)
@click.option("--body", help="Whose step, in the journal of a fleet.")
@question_options
@json_option
def explain(
    path: Path,
    step: int,
    run: int | None,
    body: str | None,
    rivals: tuple[str, ...],
    changes: tuple[str, ...],
    without: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show a decision of a recorded drive: what was considered, vetoed and preferred, and why this was chosen.

    The decision is in the journal, with every veto and every score, so no executor is needed, and what is shown does
    not depend on the code that decided. Without a constraint, what it had vetoed is scored as it was at that time.

    \b
    Examples:
      volition journal explain runs/arena --step 12
      volition journal explain runs/arena --step 12 --why-not attack --what-if caution=3
      volition journal explain runs/arena --step 12 --without hazard --json
    """
    from volition.cli.show.arbitration import answers_data, print_case
    from volition.execution.journal.decisions import find_decision

    weights = parse_weights(changes, "--what-if")
    recorded = find_decision(path, step, run=run, body=body)
    decision = recorded.decision()
    answers = [decision.why_not(rival) for rival in rivals]
    then = decision.what_if(weights=weights, without=without, shadow=True) if weights or without else None
    if as_json:
        where = {"run": recorded.run, "step": recorded.step, "tick": recorded.tick, "record": recorded.number}
        print_json(where | decision.to_data() | answers_data(answers, then), indent=2)
    else:
        tick = "" if recorded.tick is None else f", tick {recorded.tick}"
        click.secho(f"run {recorded.run}, step {recorded.step}{tick}", dim=True)
        print_case(decision, None, answers, then)


@journal.command()
@record_argument
@click.argument("executor", metavar="EXECUTOR")
@click.option(
    "--pace",
    type=click.Choice(["recorded", "fast"]),
    default="recorded",
    show_default=True,
    help="Send each intent in its recorded tick, or as soon as the previous one is answered.",
)
@click.option("--run", type=click.IntRange(min=1), help="Which run of the journal; the last one if not given.")
@arena_seed_option
@map_option
@executor_token_option
@answering
def replay(
    path: Path, executor: str, pace: Pace, run: int | None, seed: int, map_: str | None, token: str | None
) -> CommandAnswer:
    """Send the recorded intents to EXECUTOR again, and list the results that differ. EXECUTOR is embedded, java,
    tcp://HOST:PORT, tls://HOST:PORT, unix:PATH or stdio:COMMAND.

    EXECUTOR should be at the start of its world, with the seed and map of the recording. The engine's clock and the
    time that results took are not compared. Exit code 0: all results are the same; 3: at least one differs.

    \b
    Examples:
      volition journal replay runs/arena embedded
      volition journal replay runs/arena embedded --run 1 --json
    """
    from volition.execution.client.replay import recorded_intents
    from volition.execution.client.replay import replay as play
    from volition.execution.connecting.connect import connect

    number, intents = recorded_intents(path, run)
    with connect(executor, token=token, map=map_, seed=seed) as bridge, counter("replay", "attempts") as progress:
        replayed = play(intents, bridge, run=number, pace=pace, progress=progress)
    return CommandAnswer.of(replayed, holds=replayed.same)


@journal.command()
@record_argument
@click.option("--to", "form", type=click.Choice(["minari", "parquet"]), required=True, help="The format.")
@click.option("--out", type=path_type, required=True, help="A folder of Minari datasets, or the Parquet file.")
@click.option("--id", "dataset", default="volition/journal-v0", show_default=True, help="The Minari dataset's id.")
@answering
def export(path: Path, form: str, out: Path, dataset: str) -> CommandAnswer:
    """Write a journal as a Minari dataset (hdf5) or a Parquet file. Nothing is overwritten or left half-written.

    Parquet has a row for every attempt; Minari has those of the policy, split into episodes. Exit code 4: the extra
    `learn` is not installed.

    \b
    Examples:
      volition journal export runs/arena --to parquet --out arena.parquet
      volition journal export runs/arena --to minari --out datasets --id arena/first-v0
    """
    from volition.execution.journal.experience.minari_export import export_minari
    from volition.execution.journal.experience.parquet_export import export_parquet

    with counter(form, "attempts") as progress:
        if form == "parquet":
            rows = export_parquet(path, out, progress=progress)
            return CommandAnswer({"file": str(out), "rows": rows}, f"{rows} attempts written to {out}")
        exported = export_minari(path, out, id=dataset, progress=progress)
    lines = [
        f"{exported.steps} steps in {exported.episodes} episodes written to {out / dataset}",
        f"  read it: MINARI_DATASETS_PATH={out} python -c \"import minari; minari.load_dataset('{dataset}')\"",
    ]
    if exported.left_out:
        lines.append(f"  not numeric, so left out of the observations: {', '.join(exported.left_out[:12])}")
    return CommandAnswer(exported.to_data(), "\n".join(lines))
