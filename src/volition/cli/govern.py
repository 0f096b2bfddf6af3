"""`volition govern`: plans are drafted, sealed, checked, evaluated together, and their questions answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from volition.cli.exits import DONE, INVALID_INPUT, NEEDS_A_PERSON

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.governance.evaluator import Outcome

KINDS = ("intent", "intent_set", "evaluation_result", "merge_plan", "question_pack", "answer_pack")
path_type = click.Path(path_type=Path)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
lenient_option = click.option("--lenient", is_flag=True, help="Accept what older documents carry, with warnings.")
now_option = click.option(
    "--now", metavar="TIME", help="The time that stands in the document, such as 2026-01-25T10:00:00Z."
)


@click.group()
def govern() -> None:
    """Judge several agents' plans together, before anything runs. Nothing here can run anything."""


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
@click.option("--out", type=path_type, metavar="DIR", help="Write the documents there.")
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

    Ends with 0 where the intents are merged, 3 where questions are asked, 2 where a document is invalid.

    \b
    Example:
      volition govern evaluate batch.json --out evaluated
    """
    from volition.governance.evaluator import evaluate as judge  # noqa: PLC0415  only when it runs
    from volition.governance.loading import load_set, read_file  # noqa: PLC0415
    from volition.governance.policy import chosen_policy  # noqa: PLC0415
    from volition.governance.reading import read_answer_pack  # noqa: PLC0415

    rules = chosen_policy(policy)
    packs = [read_answer_pack(read_file(file, MOST_BYTES), where=str(file)).document for file in answer_files]
    loaded = load_set(set_file, intents, lenient=lenient, limit=not no_limit)
    for warning in loaded.warnings:
        click.echo(f"warning: {warning.where}: {warning.what}", err=True)
    outcome = judge(loaded.intent_set, loaded.intents, rules, packs or None, now, limit=not no_limit)
    files = outcome.files()
    if out is not None:
        write_all(out, files)
    if as_json:
        click.echo(files["result.json"].decode())
    else:
        _print_outcome(outcome, out)
    return NEEDS_A_PERSON if outcome.result.requires_questions else DONE


MOST_BYTES = 1 << 20
"""How large a pack of answers may be."""


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write documents into a folder: all of them under temporary names first, then each in its place."""
    from volition.core.document import write_atomically  # noqa: PLC0415  only when it runs

    folder.mkdir(parents=True, exist_ok=True)
    for stale in ("result.json", "merge_plan.json", "merged_intent.json", "question_pack.json"):
        if stale not in files:
            (folder / stale).unlink(missing_ok=True)
    for name, content in files.items():
        write_atomically(folder / name, content + b"\n")


def _print_outcome(outcome: Outcome, out: Path | None) -> None:
    from volition.governance.explain import explain  # noqa: PLC0415  only when it runs

    click.echo(explain(outcome.result))
    if out is not None:
        click.echo(f"\nwritten to {out}: {', '.join(outcome.files())}")
    if outcome.question_pack is not None:
        pack = f"{out}/question_pack.json" if out is not None else "question_pack.json"
        first = outcome.question_pack.questions[0]
        click.echo(
            f"\nanswer with: volition govern answer {pack} --choose {first.question_id}={first.options[0].option_id}"
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

    from volition.governance.loading import read_file  # noqa: PLC0415
    from volition.governance.policy import chosen_policy  # noqa: PLC0415
    from volition.governance.reading import LIMITS  # noqa: PLC0415
    from volition.governance.validation import is_valid  # noqa: PLC0415
    from volition.governance.validation import validate as check  # noqa: PLC0415

    rules = chosen_policy(policy)
    found = {str(file): check(kind, read_file(file, LIMITS[kind]), lenient=lenient, policy=rules) for file in files}
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
    help="Where to write the answers; answer_pack.json beside PACK if not given.",
)
@json_option
def answer(pack_file: Path, choices: tuple[str, ...], now: str | None, out: Path | None, as_json: bool) -> int:
    """Answer the questions of an evaluation; evaluate again with --answers to go on.

    \b
    Example:
      volition govern answer evaluated/question_pack.json --choose question_0001=option_0002
    """
    import msgspec  # noqa: PLC0415  only when it runs

    from volition.core.document import write_atomically  # noqa: PLC0415
    from volition.governance.loading import read_file  # noqa: PLC0415
    from volition.governance.questions import answer as answered  # noqa: PLC0415
    from volition.governance.reading import LIMITS, read_question_pack  # noqa: PLC0415

    pack = read_question_pack(read_file(pack_file, LIMITS["question_pack"]), where=str(pack_file)).document
    made = answered(pack, _pairs(choices), now or _now())
    content = msgspec.json.encode(made)
    file = out or pack_file.with_name("answer_pack.json")
    write_atomically(file, content + b"\n")
    click.echo(
        content.decode() if as_json else f"wrote {file}; go on with: volition govern evaluate SET.json --answers {file}"
    )
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


def _now() -> str:
    from datetime import UTC, datetime  # noqa: PLC0415  the clock is read at the door alone

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@govern.group()
def new() -> None:
    """Draft a valid document, sealed, so that nobody writes eighteen fields and a hash by hand."""


@new.command("intent")
@click.argument("title")
@click.option("--project", required=True, help="The project's id.")
@click.option(
    "--command",
    "commands",
    metavar="ID:EFFECTS:TEXT",
    multiple=True,
    help="A planned command, such as 'add_tests: write: cover the routes'.",
)
@click.option("--file", "files", metavar="PATH", multiple=True, help="A file it is about.")
@click.option("--module", "modules", metavar="NAME", multiple=True, help="A module it is about, or service:NAME.")
@click.option("--area", "areas", multiple=True, help="An area it is about.")
@click.option("--evidence", multiple=True, metavar="REF", help="What it relies on.")
@click.option("--priority", type=int, help="An explicit priority; the larger wins.")
@click.option("--depends-on", multiple=True, metavar="ID", help="An intent that must come first.")
@click.option("--by", "created_by", default="author", show_default=True, help="Who writes it.")
@click.option("--status", type=click.Choice(["draft", "proposed", "approved"]), default="draft", show_default=True)
@now_option
@click.option("--out", type=path_type, metavar="FILE", help="Where to write; ID.json if not given.")
def new_intent(title: str, now: str | None, out: Path | None, **given: Any) -> int:
    """Draft an intent.

    \b
    Example:
      volition govern new intent "Add logging" --project shop --file src/api/routes.py \\
        --command "add_logging: write: log every route"
    """
    from volition.governance.drafts import new_intent as draft  # noqa: PLC0415  only when it runs

    return _write_draft(draft(title, created_at=now or _now(), **given), out)


@new.command("set")
@click.argument("name")
@click.argument("intents", metavar="INTENT...", nargs=-1, required=True)
@click.option("--project", required=True, help="The project's id.")
@click.option("--env", type=click.Choice(["local", "dev", "staging", "prod"]), default="local", show_default=True)
@click.option("--purpose", help="What it is for.")
@click.option(
    "--complementary", nargs=2, multiple=True, metavar="ID ID", help="Two intents whose writes complement each other."
)
@now_option
@click.option("--out", type=path_type, metavar="FILE", help="Where to write; ID.json if not given.")
def new_set(name: str, intents: Sequence[str], now: str | None, out: Path | None, **given: Any) -> int:
    """Draft a set of intents, given by their ids or files.

    \b
    Example:
      volition govern new set "api batch" intent_add_logging.json intent_fix_routes.json --project shop
    """
    from volition.governance.drafts import new_set as draft  # noqa: PLC0415  only when it runs

    ids = [Path(intent).stem if intent.endswith(".json") else intent for intent in intents]
    return _write_draft(draft(name, ids, created_at=now or _now(), **given), out)


def _write_draft(data: Mapping[str, Any], out: Path | None) -> int:
    import os  # noqa: PLC0415  only when it runs

    from volition.core.document import dump_json, write_atomically  # noqa: PLC0415
    from volition.core.errors import refuse  # noqa: PLC0415

    file = out or Path(f"{data['id']}.json")
    if os.path.lexists(file):
        remedy = "choose another name, or remove it first"
        refuse("there is something of this name already", where=str(file), expected="a new file", remedy=remedy)
    write_atomically(file, dump_json(dict(data)).encode())
    click.echo(f"wrote {file}")
    return DONE


@govern.command()
@click.argument("files", metavar="FILE...", type=path_type, nargs=-1, required=True)
def seal(files: Sequence[Path]) -> int:
    """Set the checksums of documents to what they say; all files are read before the first is written.

    \b
    Example:
      volition govern seal intent_add_logging.json
    """
    from volition.core.document import dump_json, parse_json, write_atomically  # noqa: PLC0415  only when it runs
    from volition.governance.drafts import seal as sealed  # noqa: PLC0415
    from volition.governance.loading import read_file  # noqa: PLC0415

    most = 16 << 20
    made = {file: sealed(parse_json(read_file(file, most), where=str(file))) for file in files}
    for file, data in made.items():
        write_atomically(file, dump_json(data).encode())
        click.echo(f"sealed {file}")
    return DONE
