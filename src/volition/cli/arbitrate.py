"""`volition arbitrate` and `check-intention`: decide over a file and say why, and check whether an intention keeps the laws."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import json_option, load_reference, parse_weights, question_options
from volition.cli.printing import CommandAnswer, answering, print_json, warn
from volition.cli.show.arbitration import case_data, print_case

if TYPE_CHECKING:
    from volition.arbitration.case import Case
    from volition.arbitration.settings import HoldBelow


@click.command()
@click.argument("file", type=click.Path())
@question_options
@click.option(
    "--on-impossible", type=click.Choice(["hold", "fail"]), help="What to answer when every candidate is forbidden."
)
@click.option("--tie-margin", type=float, help="Totals within this distance of the best count as tied.")
@click.option(
    "--hold-below",
    metavar="margin=N|total=N",
    help="Hold where the best leads by less than this margin, or has less than this total.",
)
@click.option("--choose", type=click.Choice(["best", "weighted"]), help="Who chooses: the best total, or chance.")
@click.option("--seed", type=int, help="What chance draws by, with --choose weighted.")
@click.option("--allow-python", is_flag=True, help="Import and run the Python code that the file names.")
@json_option
def arbitrate(
    file: str,
    rivals: tuple[str, ...],
    changes: tuple[str, ...],
    without: tuple[str, ...],
    on_impossible: Any,
    tie_margin: float | None,
    hold_below: str | None,
    choose: Any,
    seed: int | None,
    allow_python: bool,
    as_json: bool,
) -> int:
    """Decide over FILE (JSON or TOML; - reads JSON from standard input), and say why.

    FILE holds candidates and intentions:

    \b
    {"candidates": ["a", "b"],
     "intentions": [
       {"id": "safety", "kind": "constraint", "intent": {"violates": ["b"]}},
       {"id": "goal", "kind": "heuristic", "intent": {"scores": {"a": 0.5}},
        "weight": 1.0, "priority": 10}]}

    or a tile map ("map", "position") in place of the candidates, with the intents {"avoid": "hazard"},
    {"reach": [x, y]} and {"hold": true}. Exit code 0: act; 3: hold or fail; 2: invalid input. On a map, choosing to
    stay is an act; staying because no path leads to the target is a hold.

    \b
    Example:  volition arbitrate decision.json --why-not b --what-if goal=0.5
    """
    if allow_python:
        sys.path.insert(0, "")
    case = _read(file, allow_python=allow_python)
    for warning in case.warnings:
        warn(f"warning: {warning}")
    bound = parse_bound(hold_below)
    decision = case.decide(
        on_impossible=on_impossible, tie_margin=tie_margin, hold_below=bound, choose=choose, seed=seed
    )
    weights = parse_weights(changes, "--what-if")
    answers = [decision.why_not(rival) for rival in rivals]
    then = decision.what_if(weights=weights, without=without, shadow=True) if weights or without else None
    step = case.interpret(decision)
    if as_json:
        print_json(case_data(case, decision, step, answers, then), indent=2)
    else:
        print_case(decision, step, answers, then)
    lost = step is not None and step.is_lost
    return DONE if decision.kind == "act" and not lost else NEEDS_A_PERSON


def _read(file: str, *, allow_python: bool) -> Case:
    from volition.arbitration.case import case_from_data, load_case
    from volition.core.document import parse_json

    if file == "-":
        return case_from_data(parse_json(sys.stdin.buffer.read(), where="standard input"), allow_python=allow_python)
    return load_case(file, allow_python=allow_python)


def parse_bound(text: str | None) -> HoldBelow | None:
    """A bound given as margin=NUMBER or total=NUMBER."""
    from volition.arbitration.settings import Margin, Total

    if text is None:
        return None
    name, _, number = text.partition("=")
    try:
        least = float(number)
    except ValueError:
        name = ""
    if name not in ("margin", "total"):
        hint = f"{text!r} is neither margin=NUMBER nor total=NUMBER, such as margin=0.1"
        raise click.BadParameter(hint, param_hint="--hold-below")
    return Margin(least) if name == "margin" else Total(least)


@click.command("check-intention")
@click.argument("reference", metavar="MODULE:NAME")
@click.option(
    "--kind",
    type=click.Choice(["constraint", "heuristic"]),
    help="What an undecorated function is meant to be; judged by its answers if not given.",
)
@click.option("--samples", metavar="MODULE:NAME|FILE.json", help="Candidates to try it on; built-in ones if not given.")
@click.option("--context", metavar="MODULE:NAME", help="The context, for an intention that reads one.")
@answering
def check_intention(reference: str, kind: str | None, samples: str | None, context: str | None) -> CommandAnswer:
    """Try a constraint or heuristic on samples: one answer each, of the right type, in range, deterministic, pure, and
    the same in another process. The current folder is importable; the module's code runs.

    Exit code 0: it keeps every law; 3: it breaks one; 2: it cannot be found.

    \b
    Examples:
      volition check-intention mine:dry
      volition check-intention mine:near --samples tiles.json --context mine:home
    """
    from volition.arbitration import checker

    report = checker.check_intention(
        load_reference(reference, "MODULE:NAME"),
        None if samples is None else _samples(samples),
        context=None if context is None else load_reference(context, "--context"),
        kind=kind,  # type: ignore[arg-type]
        other_process=True,
        reference=reference,
    )
    return CommandAnswer.of(report, holds=report.ok, indent=None)


def _samples(name: str) -> Any:
    """The candidates in a JSON file, or those that MODULE:NAME holds or, as a function without arguments, returns."""
    from volition.core.document import read_document

    if name.endswith(".json"):
        return read_document(name)
    samples = load_reference(name, "--samples")
    return samples() if callable(samples) else samples
