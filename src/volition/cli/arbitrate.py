"""`volition arbitrate`: decide over a file, and say why."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from volition.cli.common import json_option, print_json, warn
from volition.cli.exits import DONE, NEEDS_A_PERSON

if TYPE_CHECKING:
    from volition.arbitration.case import Case
    from volition.arbitration.decision import Decision
    from volition.arbitration.interpreter import TacticalDecision
    from volition.arbitration.settings import HoldBelow

STYLES: dict[str, dict[str, Any]] = {
    "head": {"bold": True},
    "winner": {"fg": "green", "bold": True},
    "vetoed": {"fg": "red"},
    "note": {"dim": True},
}


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "--why-not",
    "rivals",
    metavar="ID",
    multiple=True,
    help="Explain why this candidate was not chosen; may be repeated.",
)
@click.option(
    "--what-if",
    "changes",
    metavar="ID=WEIGHT",
    multiple=True,
    help="Decide again with another weight; may be repeated.",
)
@click.option("--without", metavar="ID", multiple=True, help="Decide again without this intention; may be repeated.")
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
        _print_json(case, decision, step, answers, then)
    else:
        _print_text(decision, step, answers, then)
    lost = step is not None and step.is_lost
    return DONE if decision.kind == "act" and not lost else NEEDS_A_PERSON


def _read(file: str, *, allow_python: bool) -> Case:
    from volition.arbitration.case import case_from_data, load_case
    from volition.core.document import parse_json

    if file == "-":
        return case_from_data(parse_json(sys.stdin.buffer.read(), where="standard input"), allow_python=allow_python)
    return load_case(file, allow_python=allow_python)


def parse_weights(changes: tuple[str, ...], option: str) -> dict[str, float]:
    """Weights given as ID=WEIGHT."""
    weights = {}
    for change in changes:
        id, equals, number = change.rpartition("=")
        try:
            weights[id] = float(number)
        except ValueError:
            equals = ""
        if not equals or not id:
            raise click.BadParameter(f"{change!r} is not ID=WEIGHT, such as goal=0.5", param_hint=option)
    return weights


def parse_bound(given: str | None) -> HoldBelow | None:
    """A bound given as margin=NUMBER or total=NUMBER."""
    from volition.arbitration.settings import Margin, Total

    if given is None:
        return None
    name, _, number = given.partition("=")
    try:
        least = float(number)
    except ValueError:
        name = ""
    if name not in ("margin", "total"):
        hint = f"{given!r} is neither margin=NUMBER nor total=NUMBER, such as margin=0.1"
        raise click.BadParameter(hint, param_hint="--hold-below")
    return Margin(least) if name == "margin" else Total(least)


def show(decision: Decision[Any], lead: str = "", *, most: int | None = None) -> None:
    """Print the table of a decision, with at most `most` candidates; on a terminal winner and vetoes are coloured."""
    from volition.arbitration.report import lines

    for line in lines(decision.tally) if most is None else lines(decision.tally, most=most):
        click.secho(f"{lead}{line.text}".rstrip(), **STYLES.get(line.role, {}))


def _print_text(decision: Decision[Any], step: TacticalDecision | None, answers: list[Any], then: Any) -> None:
    show(decision)
    if step is not None:
        click.echo(f"on the map: {step}")
    for answer in answers:
        click.echo(f"why not {answer.candidate}: {answer.text}")
    if then is not None:
        click.echo(f"what if: {then.text}")
        show(then.decision, "    ")


def _print_json(
    case: Case, decision: Decision[Any], step: TacticalDecision | None, answers: list[Any], then: Any
) -> None:
    from volition.arbitration.report import explanation_to_data

    data = decision.to_data()
    if step is not None:
        data["tactical"] = {key: value for key, value in step.to_data().items() if key != "decision"}
    if case.warnings:
        data["warnings"] = list(case.warnings)
    if answers:
        data["why_not"] = {
            answer.candidate: {"answer": type(answer).__name__, **explanation_to_data(answer)} for answer in answers
        }
    if then is not None:
        data["what_if"] = then.to_data()
    print_json(data, indent=2)
