"""`volition govern explain`, `verify`, `diff`, `graph`, `gates` and `radar`: results looked at, and plans watched as they come."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.govern import govern, json_option, path_type
from volition.cli.govern_drafts import new, seal

if TYPE_CHECKING:
    from volition.governance.documents import EvaluationResult
    from volition.governance.index import Collision
    from volition.governance.radar import Sighting

govern.add_command(new)
govern.add_command(seal)


@govern.command()
@click.argument("result", metavar="RESULT", type=path_type)
@json_option
def explain(result: Path, as_json: bool) -> int:
    """Say in plain words what an evaluation found, what follows from it, and what is asked.

    \b
    Example:  volition govern explain evaluated/result.json
    """
    from volition.governance.explain import explain as told  # noqa: PLC0415  only when it runs

    text = told(_result(result))
    click.echo(_json({"result": str(result), "text": text}) if as_json else text.rstrip("\n"))
    return DONE


@govern.command()
@click.argument("folder", metavar="DIR", type=path_type)
@json_option
def verify(folder: Path, as_json: bool) -> int:
    """Check every byte of an evaluation that was kept with --out, and evaluate it again.

    Ends with 0 where it is intact, 3 where a file was changed, cut or added to, or comes out otherwise.

    \b
    Example:  volition govern verify evaluated
    """
    from volition.governance.keeping import verify_evaluation  # noqa: PLC0415  only when it runs

    files = verify_evaluation(folder)
    click.echo(_json({"intact": True, "files": files}) if as_json else f"intact\n  files: {files}, evaluated again")
    return DONE


@govern.command()
@click.argument("one", metavar="A", type=path_type)
@click.argument("other", metavar="B", type=path_type)
@json_option
def diff(one: Path, other: Path, as_json: bool) -> int:
    """Say what a second result says otherwise than a first one.

    \b
    Example:  volition govern diff monday/result.json tuesday/result.json
    """
    from volition.governance.difference import difference  # noqa: PLC0415  only when it runs

    found = difference(_result(one), _result(other))
    click.echo(_json(found.to_data()) if as_json else str(found))
    return DONE


@govern.command()
@click.argument("intent", metavar="INTENT", type=path_type)
@click.option("--policy", type=path_type, metavar="FILE", help="A policy in TOML, with the registry.")
@click.option("--dot", is_flag=True, help="Print Graphviz text.")
@json_option
def graph(intent: Path, policy: Path | None, dot: bool, as_json: bool) -> int:
    """Order the commands of an intent, mostly a merged one: what comes before what, and why. Data only.

    \b
    Example:  volition govern graph evaluated/merged_intent.json --dot | dot -Tsvg > plan.svg
    """
    from volition.governance.coordinator import coordinate  # noqa: PLC0415  only when it runs
    from volition.governance.loading import read_file  # noqa: PLC0415
    from volition.governance.policy import chosen_policy  # noqa: PLC0415
    from volition.governance.reading import LIMITS, read_intent  # noqa: PLC0415

    read = read_intent(read_file(intent, LIMITS["intent"]), where=str(intent)).document
    made = coordinate(read, chosen_policy(policy).registry)
    if as_json:
        click.echo(_json(made.to_data()))
    elif dot:
        click.echo(made.to_dot(), nl=False)
    else:
        for node in made.nodes:
            before = [f"{edge.before} ({edge.reason})" for edge in made.edges if edge.after == node.node_id]
            after = f"  after {', '.join(before)}" if before else ""
            click.echo(f"{node.node_id}  {node.phase}: {node.command_id} [{', '.join(node.effects)}]{after}")
    return DONE


@govern.command()
@click.argument("folder", metavar="[DIR]", type=path_type, required=False)
@json_option
def gates(folder: Path | None, as_json: bool) -> int:
    """Put a folder of sets, intents and results through the gates A to J; without one, the evaluator's own samples.

    Ends with 0 where all are passed, 3 where one is not.

    \b
    Example:  volition govern gates evaluated
    """
    from tempfile import TemporaryDirectory  # noqa: PLC0415  only when it runs

    from volition.core.errors import refuse  # noqa: PLC0415
    from volition.governance.gatekeeper import check_folder, check_ourselves  # noqa: PLC0415

    if folder is not None and not folder.is_dir():
        refuse("this is no folder", where=str(folder), expected="a folder of documents", remedy="name one")
    with TemporaryDirectory() as own, TemporaryDirectory() as out:
        verdicts = check_ourselves(Path(own), Path(out)) if folder is None else check_folder(folder, Path(out))
    if as_json:
        data = [
            {"gate": one.gate, "title": one.title, "passed": one.passed, "reasons": list(one.reasons)}
            for one in verdicts
        ]
        click.echo(_json(data))
    for one in verdicts if not as_json else ():
        click.echo(f"{one.gate}  {'passed' if one.passed else 'FAILED'}  {one.title}")
        for reason in one.reasons:
            click.echo(f"     {reason}")
    return DONE if all(one.passed for one in verdicts) else NEEDS_A_PERSON


@govern.command()
@click.argument("folder", metavar="DIR", type=path_type)
@click.option("--env", type=click.Choice(["local", "dev", "staging", "prod"]), default="local", show_default=True)
@click.option("--policy", type=path_type, metavar="FILE", help="A policy in TOML.")
@click.option("--poll", type=click.FloatRange(min=0.01), default=0.5, show_default=True, help="Seconds between looks.")
@click.option("--once", is_flag=True, help="Look once, and end.")
@json_option
def radar(folder: Path, env: Any, policy: Path | None, poll: float, once: bool, as_json: bool) -> int:
    """Watch a folder of intents and print collisions as they appear, before any work starts.

    A plan is an ID.json in DIR; it may come, change and go. With --json every collision is an object on a line. Ends
    when interrupted; with --once it ends with 3 where plans collide and 0 where none do.

    \b
    Example:  volition govern radar plans
    """
    import time  # noqa: PLC0415  only when it runs

    from volition.governance.policy import chosen_policy  # noqa: PLC0415
    from volition.governance.radar import Radar  # noqa: PLC0415

    watching, met = Radar(folder, chosen_policy(policy), env), 0
    while True:
        for sighting in watching.look():
            met += len(sighting.collisions)
            _print_sighting(sighting, as_json=as_json)
        if once:
            return NEEDS_A_PERSON if met else DONE
        time.sleep(poll)


def _print_sighting(sighting: Sighting, *, as_json: bool) -> None:
    if sighting.fault is not None:
        click.echo(f"{sighting.file}: left out: {sighting.fault}; volition govern validate says more", err=True)
    for collision in sighting.collisions:
        _print_collision(str(sighting.intent_id), collision, as_json=as_json)


def _print_collision(id: str, collision: Collision, *, as_json: bool) -> None:
    if as_json:
        click.echo(_json({"intent_id": id, **collision._asdict()}))
    else:
        others = ", ".join(other for other in collision.intent_ids if other != id)
        click.echo(f"{id}: {collision.severity}: {collision.rule} on {collision.resource} with {others}")


def _result(file: Path) -> EvaluationResult:
    from volition.governance.loading import read_file  # noqa: PLC0415  only when it runs
    from volition.governance.reading import LIMITS, read_result  # noqa: PLC0415

    return read_result(read_file(file, LIMITS["evaluation_result"]), where=str(file)).document


def _json(data: Any) -> str:
    import json  # noqa: PLC0415  only when asked for

    return json.dumps(data, ensure_ascii=False)
