"""`volition govern explain`, `verify`, `diff`, `graph`, `gates` and `radar`: read results, and watch plans arrive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import json_option, path_type
from volition.cli.printing import CommandAnswer, answering, print_json
from volition.cli.signing import describe_signature, keys_of, known_keys_option, signer_of

if TYPE_CHECKING:
    from volition.governance.documents.result import EvaluationResult


@click.command()
@click.argument("result", metavar="RESULT", type=path_type)
@answering
def explain(result: Path) -> CommandAnswer:
    """Say in plain words what an evaluation found, what follows from it, and which questions it asks.

    \b
    Example:  volition govern explain evaluated/result.json
    """
    from volition.governance.explanation import explain_result

    text = explain_result(_read_result(result))
    return CommandAnswer({"result": str(result), "text": text}, text.rstrip("\n"), indent=None)


@click.command()
@click.argument("folder", metavar="DIR", type=path_type)
@known_keys_option
@answering
def verify(folder: Path, keys: tuple[tuple[str, str], ...]) -> CommandAnswer:
    """Check every byte of an evaluation that was written with --out, the signatures of its answers, and evaluate it again.

    Exit code 0: it is intact; 3: a file was changed, cut or extended, an answer is not as it was signed, or the new
    evaluation differs; 2: there is none.

    \b
    Example:  volition govern verify evaluated
    """
    from volition.governance.documents.signatures import check_signature
    from volition.governance.evaluation_folder import read_answers, verify_evaluation

    packs = read_answers(folder)
    for number, pack in enumerate(packs, 1):
        check_signature(pack, keys_of(keys), only=bool(keys), where=f"{folder}, answers {number}")
    files = verify_evaluation(folder)
    signers = [(pack.pack_id, *signer_of(pack)) for pack in packs]
    lines = [f"  {id}: {describe_signature(by, key)}" for id, by, key in signers]
    answers = [{"pack_id": id, "by": by, "key": key} for id, by, key in signers]
    data = {"intact": True, "files": files, "answers": answers}
    return CommandAnswer(data, "\n".join(["intact", f"  files: {files}, evaluated again", *lines]), indent=None)


@click.command()
@click.argument("one", metavar="A", type=path_type)
@click.argument("other", metavar="B", type=path_type)
@answering
def diff(one: Path, other: Path) -> CommandAnswer:
    """List the differences between two results.

    \b
    Example:  volition govern diff monday/result.json tuesday/result.json
    """
    from msgspec import to_builtins

    from volition.governance.explanation import compare_results

    difference = compare_results(_read_result(one), _read_result(other))
    return CommandAnswer(to_builtins(difference), str(difference), indent=None)


@click.command()
@click.argument("intent", metavar="INTENT", type=path_type)
@click.option(
    "--policy", type=path_type, metavar="FILE", help="A policy in TOML, for a plan that no evaluation merged."
)
@click.option("--dot", is_flag=True, help="Print Graphviz text.")
@json_option
def graph(intent: Path, policy: Path | None, dot: bool, as_json: bool) -> None:
    """Order the commands of an intent, usually a merged one: what comes before what, and why. Nothing is executed.

    A merged intent carries the order that its evaluation found, so it needs no policy.

    \b
    Example:  volition govern graph evaluated/merged_intent.json --dot | dot -Tsvg > plan.svg
    """
    from msgspec import to_builtins

    from volition.cli.show.governance import graph_lines
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.loading import load_document
    from volition.governance.documents.policy import chosen_policy
    from volition.governance.merge.coordinator import coordinate

    read = load_document(intent, IntentDocument)
    made = coordinate(read, chosen_policy(policy))
    if as_json:
        print_json(to_builtins(made))
    elif dot:
        click.echo(made.to_dot(), nl=False)
    else:
        click.echo("\n".join(graph_lines(made)))


@click.command()
@click.argument("folder", metavar="[DIR]", type=path_type, required=False)
@click.option(
    "--policy",
    "policies",
    type=path_type,
    metavar="FILE",
    multiple=True,
    help="A policy under which results were made; may be repeated.",
)
@answering
def gates(folder: Path | None, policies: tuple[Path, ...]) -> CommandAnswer:
    """Put a folder of sets, intents and results through the gates A to J; without DIR, the evaluator's built-in samples.

    Every result is compared field by field with a fresh evaluation of its set, so the set, its intents and the answers
    must be in the folder. Exit code 0: every gate is passed; 3: at least one is not.

    \b
    Example:  volition govern gates project
    """
    from tempfile import TemporaryDirectory

    from volition.cli.show.governance import gate_lines
    from volition.core.errors import refuse
    from volition.governance.documents.policy import read_policy
    from volition.governance.gates.gatekeeper import check_folder, check_ourselves

    if folder is not None and not folder.is_dir():
        refuse("this is not a folder", where=str(folder), expected="a folder of documents", remedy="name one")
    with TemporaryDirectory() as own, TemporaryDirectory() as out:
        if folder is None:
            verdicts = check_ourselves(Path(own), Path(out))
        else:
            verdicts = check_folder(folder, Path(out), map(read_policy, policies))
    data = [
        {"gate": verdict.gate, "title": verdict.title, "passed": verdict.passed, "reasons": list(verdict.reasons)}
        for verdict in verdicts
    ]
    code = DONE if all(verdict.passed for verdict in verdicts) else NEEDS_A_PERSON
    return CommandAnswer(data, "\n".join(gate_lines(verdicts)), code, indent=None)


@click.command()
@click.argument("folder", metavar="DIR", type=path_type)
@click.option("--env", type=click.Choice(["local", "dev", "staging", "prod"]), default="local", show_default=True)
@click.option("--policy", type=path_type, metavar="FILE", help="A policy in TOML.")
@click.option(
    "--poll", type=click.FloatRange(min=0.01), default=0.5, show_default=True, help="Seconds between two looks."
)
@click.option("--once", is_flag=True, help="Look once, and end.")
@json_option
def radar(folder: Path, env: Any, policy: Path | None, poll: float, once: bool, as_json: bool) -> int:
    """Watch a folder of intents and print collisions as they appear, before any work starts.

    A plan is a file ID.json in DIR; plans may be added, changed and removed. --json prints one object per line for each
    collision. It runs until interrupted; with --once, exit code 3 means that plans collide, and 0 that none do.

    \b
    Example:  volition govern radar plans
    """
    import time

    from volition.cli.show.governance import print_sighting
    from volition.governance.documents.policy import chosen_policy
    from volition.governance.live.radar import Radar

    watching, collisions = Radar(folder, chosen_policy(policy), env), 0
    while True:
        for sighting in watching.look():
            collisions += len(sighting.collisions)
            print_sighting(sighting, as_json=as_json)
        if once:
            return NEEDS_A_PERSON if collisions else DONE
        time.sleep(poll)


def _read_result(file: Path) -> EvaluationResult:
    from volition.governance.documents.loading import load_document
    from volition.governance.documents.result import EvaluationResult

    return load_document(file, EvaluationResult)
