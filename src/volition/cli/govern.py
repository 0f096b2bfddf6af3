"""`volition govern`: validate plans, evaluate them together, and answer their questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.common import (
    CommandAnswer,
    answering,
    json_option,
    new_file,
    parse_assignments,
    path_type,
    program_name,
)
from volition.cli.exits import DONE, INVALID_INPUT, NEEDS_A_PERSON

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from volition.governance import EvaluationOutcome
    from volition.governance.documents.findings import Finding
    from volition.governance.documents.policy import Policy

KINDS = ("intent", "intent_set", "evaluation_result", "merge_plan", "question_pack", "answer_pack")


def _check_time(_context: click.Context, _parameter: click.Parameter, given: str | None) -> str | None:
    """Check a time of --now: it is written as in documents."""
    from volition.core.errors import refuse
    from volition.governance.documents.findings import is_moment

    if given is not None and not is_moment(given):
        expected = "a date and time with its zone, such as 2026-01-25T10:00:00Z"
        refuse(f"the time is {given!r}", where="--now", expected=expected, remedy="write it like this")
    return given


now_option = click.option(
    "--now",
    metavar="TIME",
    callback=_check_time,
    help="The time to write into the document, such as 2026-01-25T10:00:00Z.",
)


@click.group()
def govern() -> None:
    """Judge the plans of several agents together, before anything runs. Nothing here can execute a plan.

    \b
    Examples:
      volition govern new intent "Add logging" --project shop --file routes.py
      volition govern evaluate set.json --out evaluated
      volition govern radar plans
    """


@govern.command()
@click.argument("set_file", metavar="SET.json", type=path_type)
@click.option(
    "--intents",
    type=path_type,
    metavar="DIR",
    help="The folder of the intents, as ID.json; that of the set if not given.",
)
@click.option(
    "--intent",
    "plan_files",
    type=path_type,
    metavar="FILE",
    multiple=True,
    help="An intent of the set in another folder or under another name, such as a merged one; found by its id.",
)
@click.option(
    "--answers",
    "answer_files",
    type=path_type,
    metavar="FILE",
    multiple=True,
    help="Answers to the questions; one file for each round.",
)
@click.option("--policy", type=path_type, metavar="FILE", help="A policy in TOML.")
@now_option
@click.option("--no-limit", is_flag=True, help="Allow more than 20 intents; then nothing is merged.")
@click.option(
    "--out",
    type=path_type,
    metavar="DIR",
    help="Write the documents there, with a copy of the input and a manifest.",
)
@click.option(
    "--apply", is_flag=True, help="Mark the losing intents as superseded in their files: all of them or none."
)
@json_option
def evaluate(
    set_file: Path,
    intents: Path | None,
    plan_files: tuple[Path, ...],
    answer_files: tuple[Path, ...],
    policy: Path | None,
    now: str | None,
    no_limit: bool,
    out: Path | None,
    apply: bool,
    as_json: bool,
) -> int:
    """Find the conflicts in a set of intents, merge what can be merged, and ask what only a person can settle.

    The first lines say which intent lost to which, by which rule, and what was dropped; and which intents depend on one
    that is not there. --apply also writes that into
    the losers' files; if it is interrupted, the same command finishes it. Exit code 0: the intents are merged; 3:
    questions are asked or nothing is merged; 2: a document is invalid, and nothing is written.

    \b
    Example:
      volition govern evaluate batch.json --out evaluated
    """
    from volition.cli.govern_rounds import ROUNDS, record
    from volition.governance.documents.loading import intent_files, load_document, load_set
    from volition.governance.documents.packs import AnswerPack
    from volition.governance.documents.policy import chosen_policy
    from volition.governance.documents.supersession import marked_files, replace_together
    from volition.governance.evaluation_folder import inputs_from, write_evaluation
    from volition.governance.evaluator import evaluate as judge

    rules = chosen_policy(policy)
    packs = [load_document(file, AnswerPack) for file in answer_files]
    elsewhere = intent_files(plan_files)
    loaded = load_set(set_file, intents, limit=not no_limit, elsewhere=plan_files, restore=apply)
    outcome = judge(loaded.intent_set, loaded.intents, rules, packs or None, now, limit=not no_limit)
    folder = set_file.parent if intents is None else intents

    def place(name: str) -> Path:
        return elsewhere.get(name, folder / f"{name}.json")

    marks = marked_files(outcome.result, place) if apply else {}
    files = outcome.files()
    if out is not None:
        options = {
            "set": set_file, "intents": intents, "intent": plan_files, "policy": policy, "answers": answer_files,
            "now": now, "apply": apply,
        }  # fmt: skip
        pack = outcome.question_pack
        rounds = {ROUNDS: record(out, pack.pack_id, options)} if pack else {}
        given = inputs_from(set_file, place, loaded, policy, answer_files, now=now, limit=not no_limit)
        write_evaluation(out, files | rounds, given)
    replace_together(marks)
    if as_json:
        click.echo(files["result.json"].decode())
    else:
        _print_outcome(outcome, out)
        if apply:
            names = ", ".join(file.name for file in marks) or "nothing that was not marked before"
            click.echo(f"marked as superseded: {names}")
    return NEEDS_A_PERSON if outcome.strategy == "reject" else DONE


def _print_outcome(outcome: EvaluationOutcome, out: Path | None) -> None:
    from volition.cli.govern_view import overview

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


@govern.command()
@click.option("--kind", type=click.Choice(KINDS), required=True, help="What the files are.")
@click.argument("files", metavar="FILE...", type=path_type, nargs=-1, required=True)
@click.option("--policy", type=path_type, metavar="FILE", help="A policy in TOML, with the registry.")
@answering
def validate(kind: str, files: Sequence[Path], policy: Path | None) -> CommandAnswer:
    """Check documents: schema, checksum, red lines, and the rules of their kind. All findings are listed at once.

    Exit code 0: every file is valid; 2: at least one is not.

    \b
    Example:
      volition govern validate --kind intent plans/*.json
    """
    from msgspec import to_builtins

    from volition.governance.documents.policy import chosen_policy
    from volition.governance.documents.validation import is_valid

    rules = chosen_policy(policy)
    found = {str(file): _findings(kind, file, rules) for file in files}
    data = [
        {"file": file, "valid": is_valid(findings), "findings": to_builtins(findings)}
        for file, findings in found.items()
    ]
    lines = []
    for file, findings in found.items():
        lines.append(f"{file}: {'valid' if is_valid(findings) else 'invalid'}")
        for finding in findings:
            lines.append(f"  {'warning' if finding.warning else finding.code} at {finding.path}: {finding.message}")
            lines.append(f"    {finding.remedy}")
    code = DONE if all(map(is_valid, found.values())) else INVALID_INPUT
    return CommandAnswer(data, "\n".join(lines), code, indent=None)


def _findings(kind: str, file: Path, policy: Policy) -> list[Finding]:
    """All findings on a file. A file that cannot be read is a finding too, so the other files are still checked."""
    from volition.core.errors import InvalidInput
    from volition.governance.documents.findings import Finding
    from volition.governance.documents.kinds import LIMITS
    from volition.governance.documents.loading import read_file
    from volition.governance.documents.validation import validate as check

    try:
        content = read_file(file, LIMITS[kind])
    except InvalidInput as error:
        return [Finding("file", "$", problem.what, problem.expected, problem.remedy) for problem in error.problems]
    return check(kind, content, policy=policy)


@govern.command()
@click.argument("pack_file", metavar="PACK", type=path_type)
@click.option(
    "--choose", "choices", metavar="QUESTION=OPTION", multiple=True, required=True, help="An answer; may be repeated."
)
@now_option
@click.option(
    "--out",
    type=path_type,
    metavar="FILE",
    help="A new file for the answers; answer_pack.json beside PACK if not given, numbered if that exists.",
)
@json_option
def answer(pack_file: Path, choices: tuple[str, ...], now: str | None, out: Path | None, as_json: bool) -> None:
    """Answer the questions of an evaluation; then evaluate again with --answers.

    \b
    Example:
      volition govern answer evaluated/question_pack.json --choose question_0001=option_0002
    """
    import msgspec

    from volition.cli.govern_rounds import next_command
    from volition.core.document import write_atomically
    from volition.governance.documents.loading import load_document
    from volition.governance.documents.packs import QuestionPack
    from volition.governance.settlement.questions import answer_questions

    pack = load_document(pack_file, QuestionPack)
    made = answer_questions(pack, parse_assignments(choices, "--choose", "QUESTION=OPTION"), now or time_now())
    content = msgspec.json.encode(made)
    file = new_file(out) if out else _free_name(pack_file.with_name("answer_pack.json"))
    write_atomically(file, content + b"\n")
    then = next_command(pack_file, pack.pack_id, file)
    click.echo(content.decode() if as_json else f"wrote {file}; next: {then}")


def _free_name(file: Path) -> Path:
    """The first of NAME.json, NAME_2.json, ... that does not exist, so that every round of answers is kept."""
    from itertools import count
    from os.path import lexists

    names = (file if n == 1 else file.with_stem(f"{file.stem}_{n}") for n in count(1))
    return next(name for name in names if not lexists(name))


def time_now() -> str:
    """The present time as documents write it. The clock is read only here, in the commands."""
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
