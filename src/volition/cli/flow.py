"""`volition flow`: judge registered plans together, answer, approve, carry out, and see the result."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from volition.cli.exits import DONE
from volition.cli.options import (
    anchor_option,
    by_option,
    grant_token_option,
    in_team,
    parse_anchor,
    parse_assignments,
    path_type,
    project_option,
    registry_option,
    why_option,
)
from volition.cli.printing import CommandAnswer, answering
from volition.cli.registry import held_token, open_team, shown_event

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from volition.workflow import Flows, Team
    from volition.workflow.flow.status import FlowStatus

flow_argument = click.argument("flow_id", metavar="FLOW")
node_argument = click.argument("node", metavar="NODE")
hours_option = click.option(
    "--hours", type=click.FloatRange(min=0, min_open=True), default=168.0, show_default=True,
    help="How long the question waits, or the permit lasts.",
)  # fmt: skip


def in_flows(command: Callable[..., FlowStatus | CommandAnswer]) -> Callable[..., int | None]:
    """Give a command the options of `in_team` and the flows of that project; the flow that it returns is printed."""

    @in_team
    @answering
    @wraps(command)
    def run(team: Team, **options: Any) -> CommandAnswer:
        from volition.workflow import Flows

        flows = Flows(team)
        result = command(flows, **options)
        return result if isinstance(result, CommandAnswer) else _answer(flows, result)

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
@answering
def start(
    plans: tuple[str, ...], bindings: Path | None, notify: bool, by: str, hours: float, project: str | None, registry: str | None
) -> CommandAnswer:  # fmt: skip
    """Judge open plans together: those that are named, or all of the project.

    A command without a binding is refused before anything is stored. Exit code 3: a person has to answer or to approve.

    \b
    Example:
      volition flow start intent_add_logging intent_fix_routes --notify --registry team.db
    """
    from volition.workflow import NOTIFY_ALL, Flows, parse_bindings

    if (bindings is None) != notify:
        raise click.UsageError("Give either --bindings FILE or --notify.")
    table = NOTIFY_ALL if bindings is None else _read_bindings(bindings)
    parse_bindings(table, where=str(bindings or "--notify"))
    with open_team(registry, project) as team:
        flows = Flows(team)
        return _answer(flows, flows.start(table, by, plans=plans or None, patience=hours * 3600))


@flow.command()
@click.argument("flow_id", metavar="[FLOW]", required=False)
@in_flows
def status(flows: Flows, flow_id: str | None) -> CommandAnswer:
    """Show a flow as `volition flow show` does; without FLOW, list all flows.

    \b
    Example:
      volition flow status --registry team.db
    """
    from volition.cli.show.workflow import flow_table

    if flow_id is not None:
        return _answer(flows, flows.status(flow_id))._replace(code=DONE)
    listed = flows.list()
    return CommandAnswer([each.to_data() for each in listed], "\n".join(flow_table(listed)))


@flow.command()
@flow_argument
@in_flows
def show(flows: Flows, flow_id: str) -> CommandAnswer:
    """Show a flow: its questions, its permit, every node, and for each command what is done: where, what, with which
    parameters, and what happens if it fails. A permit is bound to exactly this.

    Where some of its plans had a permit before, it says what has changed since then.

    \b
    Example:
      volition flow show flow_5d3c --registry team.db
    """
    return _answer(flows, flows.status(flow_id))._replace(code=DONE)


@flow.command()
@flow_argument
@click.option("--choose", "choices", metavar="QUESTION=OPTION", multiple=True, required=True, help="May be repeated.")
@click.option(
    "--exactly", metavar="CHECKSUM", help="The beginning of the checksum of the question pack that you looked at."
)
@by_option
@hours_option
@in_flows
def answer(
    flows: Flows, flow_id: str, choices: tuple[str, ...], exactly: str | None, by: str, hours: float
) -> FlowStatus:
    """Answer the open questions of a flow, once. Refused if a plan has changed since they were asked.

    \b
    Example:
      volition flow answer flow_5d3c --choose question_0001=option_0003 --registry team.db
    """
    chosen = parse_assignments(choices, "--choose", "QUESTION=OPTION")
    return flows.answer(flow_id, chosen, by, exactly=exactly, patience=hours * 3600)


@flow.command()
@flow_argument
@click.option(
    "--exactly", metavar="HASH", help="The beginning of the graph's hash that you looked at, 8 digits or more."
)
@by_option
@hours_option
@in_flows
def approve(flows: Flows, flow_id: str, exactly: str | None, by: str, hours: float) -> FlowStatus:
    """Permit a flow exactly as it is stored: graph, plans, policy, environment and bindings.

    `volition flow show` prints what that is. Plans that gave way are superseded, and waiting ones are granted: their holders
    find the tokens with `volition team work`. Nothing is sent yet: volition flow resume does that.

    \b
    Example:
      volition flow approve flow_5d3c --exactly 2c6b8112 --registry team.db
    """
    return flows.approve(flow_id, by, exactly=exactly, patience=hours * 3600)


@flow.command()
@flow_argument
@click.option(
    "--node", help="Only this node: tried again if it failed; if it is unknown, you are asked whether it happened."
)
@click.option("--journal", type=path_type, metavar="FOLDER", help="Record what is sent and answered here.")
@by_option
@in_flows
def resume(flows: Flows, flow_id: str, node: str | None, journal: Path | None, by: str) -> FlowStatus:
    """Carry out an approved flow, or continue it: after a crash, or after a failure, with a new attempt.

    Executors that remember requests are asked again for what is unknown. What is still unknown then is listed with everything
    that is known of it; with --node you are asked on a terminal whether it happened.

    It ends when the flow is done (0), or when a person or a holder has to act (3). If an executor cannot be reached, the
    rest is done, and its nodes stay ready (4). A journal is for one process at a time; `volition flow verify` compares it
    with the events.

    \b
    Example:
      volition flow resume flow_5d3c --registry team.db
    """
    from volition.workflow import FlowDriver, journaled_doors, open_bridge_door
    from volition.workflow.law.states import DRIVEN

    current = flows.status(flow_id)
    if node is not None and any(each.node_id == node and each.state == "unknown" for each in current.nodes):
        current, settled = _ask_whether_it_happened(flows, current, node, by)
        if not settled or current.state not in DRIVEN:
            return current
    elif node is not None or (current.state == "held" and any(each.state == "failed" for each in current.nodes)):
        current = flows.resume(flow_id, by, node=node)
    doors = nullcontext(open_bridge_door) if journal is None else journaled_doors(journal)
    with doors as open_door:
        return FlowDriver(flows, by, open_door=open_door).drive(current.flow_id)


@flow.command()
@flow_argument
@node_argument
@by_option
@why_option
@in_flows
def skip(flows: Flows, flow_id: str, node: str, by: str, reason: str) -> FlowStatus:
    """Leave a node that failed, is unknown or has not begun; what waits for it goes on.

    \b
    Example:
      volition flow skip flow_5d3c node_0002 --why "done by hand" --registry team.db
    """
    return flows.skip(flow_id, node, by, why=reason)


@flow.command()
@flow_argument
@node_argument
@click.argument("outcome", type=click.Choice(["done", "failed"]))
@by_option
@why_option
@in_flows
def settle(flows: Flows, flow_id: str, node: str, outcome: str, by: str, reason: str) -> FlowStatus:
    """Settle a node whose result is unknown, after you have looked.

    \b
    Example:
      volition flow settle flow_5d3c node_0002 done --registry team.db
    """
    return flows.settle(flow_id, node, outcome, by, detail=reason)


@flow.command()
@flow_argument
@node_argument
@click.argument("outcome", type=click.Choice(["done", "failed"]))
@grant_token_option
@by_option
@why_option
@in_flows
def report(flows: Flows, flow_id: str, node: str, outcome: str, token: int | None, by: str, reason: str) -> FlowStatus:
    """Report on a node that you, the holder of its plan, were notified of.

    \b
    Example:
      volition flow report flow_5d3c node_0001 done --by ann --registry team.db
    """
    if token is None:
        plans = [each.plan_id for each in flows.status(flow_id).nodes if each.node_id == node]
        token = held_token(flows.team, plans[0], by, None) if plans else 0  # without a node, its verb says so
    return flows.report(flow_id, node, outcome, token, detail=reason)


@flow.command()
@flow_argument
@by_option
@why_option
@in_flows
def abandon(flows: Flows, flow_id: str, by: str, reason: str) -> CommandAnswer:
    """Give a flow up: nothing more is sent. What was done stays done, and grants stay with their holders.

    \b
    Example:
      volition flow abandon flow_5d3c --why "the order changed" --registry team.db
    """
    return _answer(flows, flows.abandon(flow_id, by, why=reason))._replace(code=DONE)


@flow.command()
@flow_argument
@in_flows
def graph(flows: Flows, flow_id: str) -> CommandAnswer:
    """Print the graph that is to be approved or carried out: the nodes, what each waits for and why, and what is done.

    \b
    Example:
      volition flow graph flow_5d3c --registry team.db
    """
    from volition.cli.show.workflow import graph_lines
    from volition.core.errors import refuse

    status = flows.status(flow_id)
    if status.graph is None:
        what, remedy = f"the flow is {status.state}: it has no graph", "answer its questions first"
        refuse(what, where=status.flow_id, expected="a flow that is judged", remedy=remedy)
    data = {**status.graph, "graph_hash": status.graph_hash, "actions": [action.to_data() for action in status.actions]}
    return CommandAnswer(data, "\n".join(graph_lines(status)))


@flow.command()
@flow_argument
@in_flows
def why(flows: Flows, flow_id: str) -> CommandAnswer:
    """Say why a flow is where it is: everything that happened to it, in order, by whom, and which options were chosen.

    \b
    Example:
      volition flow why flow_5d3c --registry team.db
    """
    from volition.cli.show.workflow import why_data, why_lines

    status = flows.status(flow_id)
    events = [shown_event(flows.team, event) for event in flows.team.history(status.flow_id)]
    return CommandAnswer(why_data(events), "\n".join(why_lines(status, events, flows.team.last_archive())))


@flow.command()
@anchor_option
@click.option(
    "--journal", "journals", type=path_type, metavar="FOLDER", multiple=True,
    help="A journal of a driver; may be repeated. Give all of them: a result that none has is a fault.",
)  # fmt: skip
@click.option(
    "--key", "keys", type=(str, str), metavar="NAME PUBLIC", multiple=True,
    help="The public key with which a name began, as `volition team key` printed it; may be repeated.",
)  # fmt: skip
@click.option(
    "--archive", "archives", type=path_type, metavar="FILE", multiple=True,
    help="An archive of earlier events; may be repeated. Give all of them to begin with the first event.",
)  # fmt: skip
@in_team
@answering
def verify(
    team: Team, anchor: str | None, journals: tuple[Path, ...], keys: tuple[tuple[str, str], ...], archives: tuple[Path, ...]
) -> CommandAnswer:  # fmt: skip
    """Let everything that was recorded happen again, by the same laws: who was entitled, in which order, by which clock and
    key; compare every row with what comes of it, and the drivers' journals.

    Exit code 0: intact; 3: broken, with what, by whom, when and what was expected. The output says which key has signed in
    which names, and ends with an anchor to keep where nobody can change it. Where events were archived and no archive is given, it
    begins with the rows that a keeper has signed, and says what was not checked.

    \b
    Examples:
      volition flow verify --registry team.db
      volition flow verify --archive spring.archive --registry shop.db
    """
    from volition.workflow.verification.verify import verify_registry

    verified = verify_registry(
        team.store, team.project, parse_anchor(anchor), journals=journals, keys=dict(keys), archives=archives
    )
    return CommandAnswer.of(verified, holds=verified.intact)


def _answer(flows: Flows, status: FlowStatus) -> CommandAnswer:
    from volition.cli.show.workflow import flow_answer

    return flow_answer(flows, status)


def _read_bindings(file: Path) -> str:
    """The text of a file of bindings."""
    from volition.core.errors import refuse

    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = f"the bindings cannot be read: {getattr(error, 'strerror', None) or error}"
        refuse(what, where=str(file), expected="a TOML file in UTF-8", remedy="check the name and its mode")


def _ask_whether_it_happened(flows: Flows, status: FlowStatus, node: str, by: str) -> tuple[FlowStatus, bool]:
    """Ask whoever is at the terminal what became of an unknown node, and record it; and say whether anything was recorded.

    One that did not happen is tried again, unless its failure undoes what its plan has done.
    """
    from volition.cli.show.workflow import unanswered_lines
    from volition.workflow.flow.review import unanswered_nodes

    if not sys.stdin.isatty() or click.get_current_context().params.get("as_json"):
        return status, False
    nodes = unanswered_nodes(status, flows.team.history(status.flow_id))
    known = next(each for each in nodes if each.node_id == node)
    click.echo("\n".join(unanswered_lines(known)), err=True)
    answer = click.prompt("Did it happen?", type=click.Choice(["yes", "no", "leave"]), err=True)
    if answer == "leave":
        return status, False
    outcome = "done" if answer == "yes" else "failed"
    after = flows.settle(status.flow_id, node, outcome, by, detail=f"{by} has looked: {answer}")
    (settled,) = (each for each in after.nodes if each.node_id == node)
    if answer == "no" and after.state == "held" and settled.does["failure"] == "hold":
        after = flows.resume(status.flow_id, by, node=node)
    return after, True
