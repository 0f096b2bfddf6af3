"""`volition flow`: judge registered plans together, answer, approve, carry out, and see what became of it."""

from __future__ import annotations

from contextlib import nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from volition.cli.common import anchor_option, json_option, path_type, print_answer, print_found
from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.team import in_team, open_team, project_option, registry_option, user_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from volition.workflow import Flows, FlowStatus, Team

flow_argument = click.argument("flow_id", metavar="FLOW")
node_argument = click.argument("node", metavar="NODE")
by_option = click.option(
    "--by", envvar="VOLITION_HOLDER", show_envvar=True, help="Who does it; your user name if not given."
)
why_option = click.option("--why", "reason", default="", help="Why, for the record.")
hours_option = click.option(
    "--hours", type=click.FloatRange(min=0, min_open=True), default=168.0, show_default=True,
    help="How long the question waits, or the permit lasts.",
)  # fmt: skip


def in_flows(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of `in_team`, and the flows of that project as its first argument."""

    @in_team
    @wraps(command)
    def run(team: Team, **given: Any) -> int:
        from volition.workflow import Flows

        return command(Flows(team), **given)

    return run


@click.group()
def flow() -> None:
    """Take registered plans from judgement to done: questions, a permit, and one node after the other.

    \b
    Examples:
      volition flow start --notify --registry team.db
      volition flow status --registry team.db
    """


@flow.command()
@click.argument("plans", metavar="[PLAN]...", nargs=-1)
@click.option("--bindings", type=path_type, metavar="FILE", help="What is done for each command, in TOML.")
@click.option("--notify", is_flag=True, help="Leave every command to the agent that holds its plan.")
@by_option
@hours_option
@project_option
@registry_option
@json_option
def start(
    plans: tuple[str, ...], bindings: Path | None, notify: bool, by: str | None, hours: float,
    project: str | None, registry: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Judge open plans together: those that are named, or all of the project.

    A command without a binding is refused before anything is stored. Exit code 3: a person has to answer or to approve.

    \b
    Example:
      volition flow start intent_add_logging intent_fix_routes --notify --registry team.db
    """
    from volition.workflow import NOTIFY_ALL, Flows, parse_bindings

    if (bindings is None) != notify:
        raise click.UsageError("Give either --bindings FILE or --notify.")
    table = NOTIFY_ALL if bindings is None else bindings_text(bindings)
    parse_bindings(table, where=str(bindings or "--notify"))
    with open_team(registry, project) as team:
        found = Flows(team).start(table, by or user_name(), plans=plans or None, patience=hours * 3600)
    return _print_status(found, as_json=as_json)


@flow.command()
@click.argument("flow_id", metavar="[FLOW]", required=False)
@in_flows
@json_option
def status(flows: Flows, flow_id: str | None, as_json: bool) -> int:
    """Show a flow: its questions, its permit, and every node; without FLOW, list all flows.

    \b
    Example:
      volition flow status --registry team.db
    """
    from volition.cli.flow_view import flow_table

    if flow_id is not None:
        _print_status(flows.status(flow_id), as_json=as_json)
        return DONE
    found = flows.list()
    print_found([each.to_data() for each in found], "\n".join(flow_table(found)), as_json=as_json)
    return DONE


@flow.command()
@flow_argument
@click.option("--choose", "choices", metavar="QUESTION=OPTION", multiple=True, required=True, help="May be repeated.")
@click.option(
    "--exactly", metavar="CHECKSUM", help="The beginning of the checksum of the question pack that you looked at."
)
@by_option
@hours_option
@in_flows
@json_option
def answer(
    flows: Flows,
    flow_id: str,
    choices: tuple[str, ...],
    exactly: str | None,
    by: str | None,
    hours: float,
    as_json: bool,
) -> int:
    """Answer the open questions of a flow, once. Refused if a plan has changed since they were asked.

    \b
    Example:
      volition flow answer flow_5d3c --choose question_0001=option_0003 --registry team.db
    """
    from volition.cli.govern import pairs

    found = flows.answer(flow_id, pairs(choices), by or user_name(), exactly=exactly, patience=hours * 3600)
    return _print_status(found, as_json=as_json)


@flow.command()
@flow_argument
@click.option(
    "--exactly", metavar="HASH", help="The beginning of the graph's hash that you looked at, 8 digits or more."
)
@by_option
@hours_option
@in_flows
@json_option
def approve(flows: Flows, flow_id: str, exactly: str | None, by: str | None, hours: float, as_json: bool) -> int:
    """Permit a flow exactly as it is stored: graph, plans, policy, environment and bindings.

    Plans that gave way are superseded, and waiting ones are granted. Nothing is sent yet: volition flow resume does that.

    \b
    Example:
      volition flow approve flow_5d3c --exactly 2c6b8112 --registry team.db
    """
    found = flows.approve(flow_id, by or user_name(), exactly=exactly, patience=hours * 3600)
    return _print_status(found, as_json=as_json)


@flow.command()
@flow_argument
@click.option("--node", help="Try only this node again; an unknown one has to be named.")
@click.option("--journal", type=path_type, metavar="FOLDER", help="Record what is sent and answered here.")
@by_option
@in_flows
@json_option
def resume(flows: Flows, flow_id: str, node: str | None, journal: Path | None, by: str | None, as_json: bool) -> int:
    """Carry out an approved flow, or go on with it: after a crash, or after a failure, with a new attempt.

    It ends when the flow is done (0), or when a person or a holder has to act (3). If an executor cannot be reached, the
    rest is done, and its nodes stay ready (4). A journal is for one process at a time; `volition flow verify` compares it
    with the events.

    \b
    Example:
      volition flow resume flow_5d3c --registry team.db
    """
    import os
    import socket

    from volition.workflow import FlowDriver, journaled_doors, open_bridge_door

    doors = nullcontext(open_bridge_door) if journal is None else journaled_doors(journal)
    holder = f"{by or user_name()} on {socket.gethostname()}, process {os.getpid()}"
    with doors as open_door:
        if node is not None or flows.status(flow_id).state == "held":
            flows.resume(flow_id, by or user_name(), node=node)
        found = FlowDriver(flows, holder, open_door=open_door).drive(flow_id)
    return _print_status(found, as_json=as_json)


@flow.command()
@flow_argument
@node_argument
@by_option
@why_option
@in_flows
@json_option
def skip(flows: Flows, flow_id: str, node: str, by: str | None, reason: str, as_json: bool) -> int:
    """Leave a node that failed, is unknown or has not begun; what waits for it goes on.

    \b
    Example:
      volition flow skip flow_5d3c node_0002 --why "done by hand" --registry team.db
    """
    found = flows.skip(flow_id, node, by or user_name(), why=reason)
    return _print_status(found, as_json=as_json)


@flow.command()
@flow_argument
@node_argument
@click.argument("outcome", type=click.Choice(["done", "failed"]))
@by_option
@why_option
@in_flows
@json_option
def settle(flows: Flows, flow_id: str, node: str, outcome: str, by: str | None, reason: str, as_json: bool) -> int:
    """Say what became of a node of unknown fate, after looking.

    \b
    Example:
      volition flow settle flow_5d3c node_0002 done --registry team.db
    """
    found = flows.settle(flow_id, node, outcome, by or user_name(), detail=reason)
    return _print_status(found, as_json=as_json)


@flow.command()
@flow_argument
@node_argument
@click.argument("outcome", type=click.Choice(["done", "failed"]))
@click.option("--token", type=click.IntRange(min=1), required=True, help="The token of the plan's grant.")
@why_option
@in_flows
@json_option
def report(flows: Flows, flow_id: str, node: str, outcome: str, token: int, reason: str, as_json: bool) -> int:
    """Report on a node that you, the holder of its plan, were notified of.

    \b
    Example:
      volition flow report flow_5d3c node_0001 done --token 2 --registry team.db
    """
    found = flows.report(flow_id, node, outcome, token, detail=reason)
    return _print_status(found, as_json=as_json)


@flow.command()
@flow_argument
@by_option
@why_option
@in_flows
@json_option
def abandon(flows: Flows, flow_id: str, by: str | None, reason: str, as_json: bool) -> int:
    """Give a flow up: nothing more is sent. What was done stays done, and grants stay with their holders.

    \b
    Example:
      volition flow abandon flow_5d3c --why "the order changed" --registry team.db
    """
    found = flows.abandon(flow_id, by or user_name(), why=reason)
    _print_status(found, as_json=as_json)
    return DONE


@flow.command()
@flow_argument
@in_flows
@json_option
def graph(flows: Flows, flow_id: str, as_json: bool) -> int:
    """Print the graph that is to be approved or carried out: the nodes, what each waits for, and why.

    \b
    Example:
      volition flow graph flow_5d3c --registry team.db
    """
    from volition.cli.flow_view import graph_lines
    from volition.core.errors import refuse

    found = flows.status(flow_id)
    if found.graph is None:
        refuse(
            f"the flow is {found.state}: it has no graph", where=found.flow_id, expected="a flow that is judged",
            remedy="answer its questions first",
        )  # fmt: skip
    print_found(found.graph, "\n".join(graph_lines(found)), as_json=as_json)
    return DONE


@flow.command()
@flow_argument
@in_flows
@json_option
def why(flows: Flows, flow_id: str, as_json: bool) -> int:
    """Say why a flow is where it is: everything that happened to it, in order, and by whom.

    \b
    Example:
      volition flow why flow_5d3c --registry team.db
    """
    from volition.cli.flow_view import why_lines

    found = flows.status(flow_id)
    events = flows.team.history(found.flow_id)
    print_found([event.to_data() for event in events], "\n".join(why_lines(found, events)), as_json=as_json)
    return DONE


@flow.command()
@anchor_option
@click.option(
    "--journal",
    "journals",
    type=path_type,
    metavar="FOLDER",
    multiple=True,
    help="A journal of a driver; may be repeated. Give all of them: a result that none has is a fault.",
)
@click.option(
    "--key",
    "keys",
    type=(str, str),
    metavar="NAME PUBLIC",
    multiple=True,
    help="The public key of a name, as `volition team key` printed it; may be repeated.",
)
@in_team
@json_option
def verify(
    team: Team, anchor: str | None, journals: tuple[Path, ...], keys: tuple[tuple[str, str], ...], as_json: bool
) -> int:
    """Check the chain of events, their signatures, that the tables are what the events say, and that the drivers' journals
    agree with them.

    Exit code 0: intact; 3: broken. The output says which key has signed in which names, and ends with an anchor to keep
    where nobody can change it.

    \b
    Example:
      volition flow verify --registry team.db
    """
    from volition.core.ledger import Anchor
    from volition.workflow.verification import verify_registry

    kept = None if anchor is None else Anchor.parse(anchor.strip())
    found = verify_registry(team.store, team.project, kept, journals=journals, keys=dict(keys))
    print_answer(found, as_json=as_json)
    return DONE if found.intact else NEEDS_A_PERSON


def bindings_text(file: Path) -> str:
    """The text of a file of bindings."""
    from volition.core.errors import refuse

    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        refuse(
            f"the bindings cannot be read: {getattr(error, 'strerror', None) or error}", where=str(file),
            expected="a TOML file in UTF-8", remedy="check the name and its mode",
        )  # fmt: skip


def _print_status(found: FlowStatus, *, as_json: bool) -> int:
    from volition.cli.flow_view import status_text

    print_found(found.to_data(), status_text(found), as_json=as_json)
    return DONE if found.state == "done" else NEEDS_A_PERSON
