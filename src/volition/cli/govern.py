"""`volition govern`: plans are checked, evaluated together, and their questions answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from volition.cli.exits import DONE, INVALID_INPUT, NEEDS_A_PERSON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.evaluator import Outcome
    from volition.governance.faults import Finding
    from volition.governance.policy import Policy

KINDS = ("intent", "intent_set", "evaluation_result", "merge_plan", "question_pack", "answer_pack")
path_type = click.Path(path_type=Path)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
lenient_option = click.option("--lenient", is_flag=True, help="Accept what older documents carry, with warnings.")


def _moment(_context: click.Context, _parameter: click.Parameter, given: str | None) -> str | None:
    """A time as documents write it; nothing where none was given."""
    import re  # noqa: PLC0415  only when it runs

    from volition.core.errors import refuse  # noqa: PLC0415
    from volition.governance.documents.closed import MOMENT  # noqa: PLC0415

    if given is not None and not re.match(MOMENT, given):
        expected = "a date and time with its zone, such as 2026-01-25T10:00:00Z"
        refuse(f"{given!r} is no such time", where="--now", expected=expected, remedy="write it like this")
    return given


now_option = click.option(
    "--now",
    metavar="TIME",
    callback=_moment,
    help="The time that stands in the document, such as 2026-01-25T10:00:00Z.",
)


@click.group()
def govern() -> None:
    """Judge several agents' plans together, before anything runs. Nothing here can run anything.

    \b
    Examples:
      volition govern new intent "Add logging" --project shop --file routes.py
      volition govern evaluate set.json --out evaluated
      volition govern radar plans
    """


@govern.command()
@click.argument("set_file", metavar="SET.json", type=path_type)
@click.option(
    "--intents", type=path_type, metavar="DIR", help="Where the intents are, as ID.json; beside the set if not given."
)
@click.option(
    "--answers",
    "answer_files",
    type=path_type,
    metavar="FILE",
    multiple=True,
    help="Answers to its questions; one file for each round.",
)
@click.option("--policy", type=path_type, metavar="FILE", help="A policy in TOML.")
@now_option
@lenient_option
@click.option("--no-limit", is_flag=True, help="Take more than 20 intents; then nothing is merged.")
@click.option(
    "--out",
    type=path_type,
    metavar="DIR",
    help="Keep the documents there, with a copy of what was judged and a manifest.",
)
@json_option
def evaluate(
    set_file: Path,
    intents: Path | None,
    answer_files: tuple[Path, ...],
    policy: Path | None,
    now: str | None,
    lenient: bool,
    no_limit: bool,
    out: Path | None,
    as_json: bool,
) -> int:
    """Find the conflicts of a set of intents, merge what can be merged, and ask what only a person can settle.

    Ends with 0 where the intents are merged, 3 where questions are asked or nothing is merged, 2 where a document is
    invalid; then nothing is written.

    \b
    Example:
      volition govern evaluate batch.json --out evaluated
    """
    from volition.governance.evaluator import evaluate as judge  # noqa: PLC0415  only when it runs
    from volition.governance.keeping import inputs_from, keep  # noqa: PLC0415
    from volition.governance.loading import load_set, read_file  # noqa: PLC0415
    from volition.governance.policy import chosen_policy  # noqa: PLC0415
    from volition.governance.reading import LIMITS, read_answer_pack  # noqa: PLC0415

    rules = chosen_policy(policy)
    packs = [
        read_answer_pack(read_file(file, LIMITS["answer_pack"]), where=str(file)).document for file in answer_files
    ]
    loaded = load_set(set_file, intents, lenient=lenient, limit=not no_limit)
    for warning in loaded.warnings:
        click.echo(f"warning: {warning.where}: {warning.what}", err=True)
    outcome = judge(loaded.intent_set, loaded.intents, rules, packs or None, now, limit=not no_limit)
    files = outcome.files()
    if out is not None:
        given = (
            None if no_limit else inputs_from(set_file, intents, loaded, policy, answer_files, lenient=lenient, now=now)
        )
        keep(out, files, given)
    if as_json:
        click.echo(files["result.json"].decode())
    else:
        _print_outcome(outcome, out)
    return NEEDS_A_PERSON if outcome.strategy == "reject" else DONE


def _print_outcome(outcome: Outcome, out: Path | None) -> None:
    from volition.cli.called import called  # noqa: PLC0415  only when it runs
    from volition.cli.govern_view import overview  # noqa: PLC0415

    click.echo(overview(outcome.result))
    if out is not None:
        click.echo(f"\nwritten to {out}: {', '.join(outcome.files())}")
        click.echo(f"more: {called()} govern explain {out / 'result.json'}")
    if outcome.question_pack is not None:
        pack = f"{out}/question_pack.json" if out is not None else "question_pack.json"
        first = outcome.question_pack.questions[0]
        click.echo(
            f"\nanswer with: {called()} govern answer {pack} --choose {first.question_id}={first.options[0].option_id}"
        )


@govern.command()
@click.option("--kind", type=click.Choice(KINDS), required=True, help="What the files are.")
@click.argument("files", metavar="FILE...", type=path_type, nargs=-1, required=True)
@click.option("--policy", type=path_type, metavar="FILE", help="A policy in TOML, with the registry.")
@lenient_option
@json_option
def validate(kind: str, files: Sequence[Path], policy: Path | None, lenient: bool, as_json: bool) -> int:
    """Check documents: schema, checksum, red lines, and the rules of their kind; all findings at once.

    Ends with 0 where every file is valid, 2 where one is not.

    \b
    Example:
      volition govern validate --kind intent plans/*.json
    """
    import json  # noqa: PLC0415  only when it runs

    from volition.governance.policy import chosen_policy  # noqa: PLC0415
    from volition.governance.validation import is_valid  # noqa: PLC0415

    rules = chosen_policy(policy)
    found = {str(file): _findings(kind, file, rules, lenient=lenient) for file in files}
    if as_json:
        data = [
            {"file": file, "valid": is_valid(findings), "findings": [finding.to_data() for finding in findings]}
            for file, findings in found.items()
        ]
        click.echo(json.dumps(data, ensure_ascii=False))
    for file, findings in found.items() if not as_json else ():
        click.echo(f"{file}: {'valid' if is_valid(findings) else 'invalid'}")
        for finding in findings:
            click.echo(f"  {'warning' if finding.warning else finding.code} at {finding.path}: {finding.message}")
            click.echo(f"    {finding.remedy}")
    return DONE if all(map(is_valid, found.values())) else INVALID_INPUT


def _findings(kind: str, file: Path, policy: Policy, *, lenient: bool) -> list[Finding]:
    """All findings on a file; that it cannot be read is one, so that the others are still told of theirs."""
    from volition.core.errors import InvalidInput  # noqa: PLC0415  only when it runs
    from volition.governance.faults import Finding  # noqa: PLC0415
    from volition.governance.loading import read_file  # noqa: PLC0415
    from volition.governance.reading import LIMITS  # noqa: PLC0415
    from volition.governance.validation import validate as check  # noqa: PLC0415

    try:
        content = read_file(file, LIMITS[kind])
    except InvalidInput as error:
        return [Finding("file", "$", problem.what, problem.expected, problem.remedy) for problem in error.problems]
    return check(kind, content, lenient=lenient, policy=policy)


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
    help="A new file for the answers; answer_pack.json beside PACK if not given, with a number if there is one.",
)
@json_option
def answer(pack_file: Path, choices: tuple[str, ...], now: str | None, out: Path | None, as_json: bool) -> int:
    """Answer the questions of an evaluation; evaluate again with --answers to go on.

    \b
    Example:
      volition govern answer evaluated/question_pack.json --choose question_0001=option_0002
    """
    import msgspec  # noqa: PLC0415  only when it runs

    from volition.cli.called import called  # noqa: PLC0415
    from volition.core.document import write_atomically  # noqa: PLC0415
    from volition.governance.loading import read_file  # noqa: PLC0415
    from volition.governance.questions import answer as answered  # noqa: PLC0415
    from volition.governance.reading import LIMITS, read_question_pack  # noqa: PLC0415

    pack = read_question_pack(read_file(pack_file, LIMITS["question_pack"]), where=str(pack_file)).document
    made = answered(pack, _pairs(choices), now or time_now())
    content = msgspec.json.encode(made)
    file = new_file(out) if out else _free_name(pack_file.with_name("answer_pack.json"))
    write_atomically(file, content + b"\n")
    then = f"{called()} govern evaluate SET.json --answers {file}"
    click.echo(content.decode() if as_json else f"wrote {file}; go on with: {then}")
    return DONE


def _pairs(choices: Sequence[str]) -> dict[str, str]:
    from volition.core.errors import refuse  # noqa: PLC0415  only when it runs

    pairs: dict[str, str] = {}
    for choice in choices:
        question, equals, option = choice.partition("=")
        if not equals or not question or not option:
            refuse(f"this is {choice!r}", where="--choose", expected="QUESTION=OPTION", remedy="name both by their ids")
        if question in pairs:
            refuse(f"{question} is answered twice", where="--choose", expected="one answer", remedy="choose one option")
        pairs[question] = option
    return pairs


def _free_name(file: Path) -> Path:
    """The first of NAME.json, NAME_2.json, ... that is not there: each round of answers is kept."""
    from itertools import count  # noqa: PLC0415  only when it runs
    from os.path import lexists  # noqa: PLC0415

    names = (file if n == 1 else file.with_stem(f"{file.stem}_{n}") for n in count(1))
    return next(name for name in names if not lexists(name))


def new_file(file: Path) -> Path:
    """The name of a file that is not there yet; one that is there is refused."""
    from os.path import lexists  # noqa: PLC0415  only when it runs

    from volition.core.errors import refuse  # noqa: PLC0415

    if lexists(file):
        remedy = "choose another name, or remove it first"
        refuse("there is something of this name already", where=str(file), expected="a new file", remedy=remedy)
    return file


def time_now() -> str:
    """This moment, as documents write it."""
    from datetime import UTC, datetime  # noqa: PLC0415  the clock is read at the door alone

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
