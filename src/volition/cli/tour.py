"""`volition tour`: what volition does, shown by running it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from volition.cli.printing import program_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.arbitration import CompositeIntention

MAP = """
#########
#.......#
#.~~~~~.#
#...#...#
#########
"""

AFTERWARDS = {
    "arbitrate --help": "decide over your own file",
    "play --seed 8": "play and record a whole evening, then ask about any choice",
    "govern --help": "judge the plans of several agents together",
    "drive": "drive a body through the arena, and see why it does what it does",
    "check-intention --help": "does your constraint or heuristic keep the laws?",
    "studio --open": "look at all of it in a browser",
}
"""What to type next, and what it does."""


@click.command()
def tour() -> None:
    """Show in a minute what volition does, by doing it.

    \b
    Example:  volition tour
    """
    steps: list[tuple[str, Callable[[], None]]] = [
        ("A decision: constraints veto, heuristics vote", _decision),
        ("Why not that one?", _why_not),
        ("What if? And how robust is it?", _what_if),
        ("Everything is forbidden: never the lesser evil", _nothing_allowed),
        ("A walk over tiles: avoid is a constraint, reach a heuristic", _walk),
        ("An evening: six guests decide, and any choice can be explained", _guests),
        ("Several plans: judged together before anything runs", _plans),
        ("Driving a body: success is never assumed", _drive),
        ("The record: append-only, hash-chained, honest about its limits", _record),
    ]
    click.echo(f"Volition in {len(steps)} steps. Each shows a line or two of Python, and below it the answer.")
    for number, (title, step) in enumerate(steps, 1):
        click.secho(f"\n{number}. {title}\n", bold=True)
        step()
    click.secho("\nFrom here", bold=True)
    name = program_name()
    for line, what in AFTERWARDS.items():
        click.echo(f"  {name} {line:<24}  {what}")
    click.echo(f"  {'examples/':<{len(name) + 25}}  one idea each; docs/ explains the design and the words")


def _evening() -> CompositeIntention:
    from volition.arbitration import CompositeIntention, Constraint, Heuristic, Scores, Violates

    return CompositeIntention(
        Constraint("manners", Violates({"shout": "guests are present"})),
        Heuristic("curiosity", Scores({"ask": 0.75, "listen": 0.5, "leave": -0.5, "shout": 0.25}), weight=1.0),
        Heuristic("caution", Scores({"ask": -0.25, "listen": 0.0, "leave": 1.0}), weight=0.5, priority=10),
    )


def _choose() -> Any:
    from volition.arbitration import arbitrate

    return arbitrate(["ask", "listen", "leave", "shout"], _evening())


def _decision() -> None:
    from volition.cli.show.arbitration import show_decision

    click.echo('  decision = arbitrate(["ask", "listen", "leave", "shout"], evening)\n  print(decision)\n')
    show_decision(_choose(), "    ")


def _why_not() -> None:
    decision = _choose()
    for name in ("listen", "shout", "dance"):
        click.echo(f'  decision.why_not("{name}")')
        click.echo(f"    {decision.why_not(name).text}")


def _what_if() -> None:
    decision = _choose()
    click.echo('  decision.what_if(weights={"caution": 1.5})')
    click.echo(f"    {decision.what_if(weights={'caution': 1.5}).text}")
    sensitivity = decision.sensitivity()
    flip = sensitivity.nearest
    click.echo("  decision.sensitivity()")
    click.echo(f"    all weights may change by {sensitivity.robustness:.0%} at once, and it is still {decision.id};")
    click.echo(
        f"    the nearest flip: {flip.intention} from {sensitivity.ranges[flip.intention].weight:g} to {flip.weight:.6g} -> {flip.to}"
    )


def _nothing_allowed() -> None:
    from volition.arbitration import CompositeIntention as Composite
    from volition.arbitration import Constraint, Violates, arbitrate

    rules = Composite(
        Constraint("manners", Violates(["ask", "shout"])), Constraint("promise", Violates(["listen", "shout"]))
    )
    click.echo(f"  {arbitrate(['ask', 'listen', 'shout'], rules).why().text}")


def _walk() -> None:
    from volition.arbitration import CompositeIntention, Constraint, Heuristic, TacticalInterpreter, TileMap
    from volition.arbitration.tiles import avoid, reach

    goal = (7, 3)
    interpreter = TacticalInterpreter(TileMap.parse(MAP))
    careful = CompositeIntention(Constraint("safety", avoid("hazard")), Heuristic("goal", reach(goal)))
    position = (1, 3)
    steps: list[str] = []
    while position != goal and len(steps) < 40:
        move = interpreter.decide(position, careful)
        if move.payload is None:
            break
        position = move.payload.destination
        steps.append(move.payload.direction)
    click.echo(indent(MAP.strip(), "  "))
    click.echo(f"  from (1, 3) to {goal} around the hazard (~): {' '.join(steps)}")


def _guests() -> None:
    from volition.drama import TemplateNarrator, play, scenario
    from volition.drama.stage.replay import walk

    evening = play(scenario("dinner-party"), seed=8, ticks=45)
    narrator = TemplateNarrator(evening.seed)
    click.echo('  evening = play(scenario("dinner-party"), seed=8, ticks=45)')
    for world, event in islice(walk(evening.run), 3):
        for line in narrator.tell(world, event):
            click.echo(click.wrap_text(line, 100, "    ", "    "))
    decision = evening.decision(40, "victor")
    click.echo(f'  evening.decision(40, "victor")  # {decision.id}')
    click.echo('  evening.decision(40, "victor").why_not("conflict:secret_embezzle_01:marcus")')
    click.echo(f"    {decision.why_not('conflict:secret_embezzle_01:marcus').text}")


def _plans() -> None:
    from volition.governance import Plan, evaluate

    outcome = evaluate(
        Plan(f"Deploy version {n}", modules=["service:shop"], commands=[f"deploy_v{n}: deploy: deploy it"])
        for n in (1, 2)
    )
    click.echo('  outcome = evaluate([Plan("Deploy version 1", ...), Plan("Deploy version 2", ...)])')
    for conflict in outcome.conflicts:
        click.echo(click.wrap_text(f"{conflict.severity}: {conflict.description}", 100, "    ", "    "))
    for question in outcome.questions:
        click.echo(click.wrap_text(f"question: {question.reason}", 100, "    ", "    "))


def _drive() -> None:
    from volition.execution import Move, PrimaryAttack
    from volition.execution.connecting.connect import connect

    click.echo('  with connect("embedded") as body:')
    with connect("embedded", seed=7) as body:
        for intent in (Move((1, 0, 0)), PrimaryAttack()):
            outcome = body.execute(intent, deadline=2.0)
            click.echo(f"    body.execute({intent!r})  # {outcome.status} {outcome.reason}: {outcome.label}")
        outcome = body.execute("CAST_SPELL")
        click.echo(
            f'    body.execute("CAST_SPELL")  # {outcome.status} {outcome.reason}: {outcome.label}, STOP was sent'
        )


def _record() -> None:
    from volition.core.ledger import Ledger, verify

    with TemporaryDirectory() as folder:
        path = Path(folder) / "evening"
        with Ledger(path, kind="tour") as ledger:
            for act in ("ask", "listen", "leave"):
                ledger.append({"act": act})
        click.echo(f"  three acts written; verify: {_describe(verify(path))}")
        segment = next(path.glob("*.jsonl"))
        segment.write_bytes(segment.read_bytes().replace(b'"listen"', b'"shout!"'))
        click.echo(f"  one word changed by hand; verify: {_describe(verify(path))}")


def _describe(verified: Any) -> str:
    return (
        f"intact, {verified.count} records"
        if verified.intact
        else f"broken at record {verified.fault.seq}: {verified.fault.reason}"
    )
