"""`volition govern evaluate`, `validate` and `answer`: judge plans together, check documents, and answer questions.

Beside the questions of an evaluation it is recorded how they were asked, to suggest the command that continues.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any, Final

import click

from volition.cli.exits import DONE, INVALID_INPUT, NEEDS_A_PERSON
from volition.cli.options import json_option, new_file, now_option, parse_assignments, path_type, time_now
from volition.cli.printing import CommandAnswer, answering, program_name
from volition.cli.signing import (
    describe_signature,
    find_signer,
    keys_of,
    known_keys_option,
    signer_of,
    signing_options,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from volition.governance.documents.findings import Finding
    from volition.governance.documents.policy import Policy

KINDS = ("intent", "intent_set", "evaluation_result", "merge_plan", "question_pack", "answer_pack")
ROUNDS: Final = "rounds.toml"
"""The file beside a question pack that records the options of `evaluate`. No evaluation reads it."""
_PATHS: Final = ("set", "intents", "policy")
_LISTS: Final = ("intent", "answers")


@click.command()
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
@known_keys_option
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
    keys: tuple[tuple[str, str], ...],
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
    questions are asked or nothing is merged, or an answer was changed after it was signed, and nothing is written; 2: a
    document is invalid, and nothing is written.

    \b
    Example:
      volition govern evaluate batch.json --out evaluated
    """
    from volition.cli.show.governance import print_outcome
    from volition.governance.documents.loading import intent_files, load_document, load_set
    from volition.governance.documents.packs import AnswerPack
    from volition.governance.documents.policy import chosen_policy
    from volition.governance.documents.signatures import check_signature
    from volition.governance.documents.supersession import marked_files, replace_together
    from volition.governance.evaluation_folder import inputs_from, write_evaluation
    from volition.governance.evaluator import evaluate as judge

    rules = chosen_policy(policy)
    packs = [load_document(file, AnswerPack) for file in answer_files]
    for file, pack in zip(answer_files, packs, strict=True):
        check_signature(pack, keys_of(keys), only=bool(keys), where=str(file))
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
        questions = outcome.question_pack
        rounds = {ROUNDS: _record_round(out, questions.pack_id, options)} if questions else {}
        inputs = inputs_from(set_file, place, loaded, policy, answer_files, now=now, limit=not no_limit)
        write_evaluation(out, files | rounds, inputs)
    replace_together(marks)
    if as_json:
        click.echo(files["result.json"].decode())
    else:
        print_outcome(outcome, out)
        for file, pack in zip(answer_files, packs, strict=True):
            by, key = signer_of(pack)
            click.echo(f"{file}: {describe_signature(by, key)}")
        if apply:
            names = ", ".join(file.name for file in marks) or "nothing that was not marked before"
            click.echo(f"marked as superseded: {names}")
    return NEEDS_A_PERSON if outcome.strategy == "reject" else DONE


@click.command()
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

    from volition.cli.show.governance import findings_lines
    from volition.governance.documents.policy import chosen_policy
    from volition.governance.documents.validation import is_valid

    rules = chosen_policy(policy)
    by_file = {str(file): _findings(kind, file, rules) for file in files}
    data = [
        {"file": file, "valid": is_valid(findings), "findings": to_builtins(findings)}
        for file, findings in by_file.items()
    ]
    code = DONE if all(map(is_valid, by_file.values())) else INVALID_INPUT
    return CommandAnswer(data, "\n".join(findings_lines(by_file)), code, indent=None)


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


@click.command()
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
@signing_options
@json_option
def answer(
    pack_file: Path, choices: tuple[str, ...], now: str | None, out: Path | None, by: str, unsigned: bool, as_json: bool
) -> None:
    """Answer the questions of an evaluation; then evaluate again with --answers.

    Whoever has a key (volition team key) signs with it. An answer that is changed afterwards does not count.

    \b
    Example:
      volition govern answer evaluated/question_pack.json --choose question_0001=option_0002
    """
    import msgspec

    from volition.core.document import write_atomically
    from volition.governance.documents.loading import load_document
    from volition.governance.documents.packs import QuestionPack
    from volition.governance.documents.signatures import sign_answers
    from volition.governance.settlement.questions import answer_questions

    pack = load_document(pack_file, QuestionPack)
    answers = answer_questions(pack, parse_assignments(choices, "--choose", "QUESTION=OPTION"), now or time_now())
    who = find_signer(by, unsigned=unsigned)
    if who.signer is not None:
        answers = sign_answers(answers, who.by, who.signer)
    content = msgspec.json.encode(answers)
    file = new_file(out) if out else _free_name(pack_file.with_name("answer_pack.json"))
    write_atomically(file, content + b"\n")
    then = _next_command(pack_file, pack.pack_id, file)
    click.echo(content.decode() if as_json else f"{who}\nwrote {file}; next: {then}")


def _free_name(file: Path) -> Path:
    """The first of NAME.json, NAME_2.json, ... that does not exist, so that every round of answers is kept."""
    from itertools import count
    from os.path import lexists

    names = (file if n == 1 else file.with_stem(f"{file.stem}_{n}") for n in count(1))
    return next(name for name in names if not lexists(name))


def _record_round(out: Path, pack_id: str, arguments: dict[str, Any]) -> bytes:
    """The content of the file: the options of `evaluate`, with paths relative to the folder `out`."""
    from volition.core.document import dump_toml

    options: dict[str, Any] = {"questions": pack_id}
    options |= {name: os.path.relpath(arguments[name], out) for name in _PATHS if arguments.get(name)}
    options |= {
        name: [os.path.relpath(path, out) for path in arguments[name]] for name in _LISTS if arguments.get(name)
    }
    options |= {name: arguments[name] for name in ("now", "apply") if arguments.get(name)}
    return dump_toml(options).rstrip("\n").encode()


def _next_command(pack_file: Path, pack_id: str, answers: Path) -> str:
    """The command that evaluates again with these answers, and with the options of the last round if they are known."""
    folder = pack_file.parent
    options = _read_round(folder / ROUNDS, pack_id)
    if options is None:
        return f"{program_name()} govern evaluate SET.json --answers {shlex.quote(str(answers))}"
    words = ["evaluate", _from_here(folder, options["set"])]
    for name in _PATHS[1:]:
        words += [f"--{name}", _from_here(folder, options[name])] if name in options else []
    for path in options.get("intent", ()):
        words += ["--intent", _from_here(folder, path)]
    for path in (*(_from_here(folder, path) for path in options.get("answers", ())), str(answers)):
        words += ["--answers", path]
    words += ["--now", options["now"]] if "now" in options else []
    words += ["--apply"] if options.get("apply") else []
    return f"{program_name()} govern {shlex.join([*words, '--out', str(folder)])}"


def _read_round(file: Path, pack_id: str) -> dict[str, Any] | None:
    """The options recorded for this pack; None if there is no such file, or it belongs to another pack."""
    from volition.core.document import read_document
    from volition.core.errors import InvalidInput

    try:
        options = read_document(file)
    except InvalidInput:
        return None
    fits = isinstance(options, dict) and options.get("questions") == pack_id and isinstance(options.get("set"), str)
    return options if fits and all(_is_text(options.get(name, [])) for name in (*_PATHS, *_LISTS, "now")) else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _from_here(folder: Path, path: str) -> str:
    """A path relative to `folder` as seen from the current folder: relative or absolute, whichever is shorter."""
    whole = os.path.normpath(folder.absolute() / path)
    return min(os.path.relpath(whole), whole, key=len)
