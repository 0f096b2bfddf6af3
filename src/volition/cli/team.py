"""`volition team`: register plans before work starts, keep the grant, end it, and see who works on what."""

from __future__ import annotations

from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from volition.cli.common import CommandAnswer, answering, json_option, path_type, print_found
from volition.cli.exits import DONE, NEEDS_A_PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.workflow import RecordedEvent, Registration, Store, Team


def use_user_name(_context: click.Context, _parameter: click.Parameter, given: str | None) -> str:
    """Who types this, where no name is given. A blank one is given, and refused."""
    import getpass

    return getpass.getuser() if given is None else given


STATES: Final = ("active", "waiting", "finished", "withdrawn", "expired", "superseded")
registry_option = click.option(
    "--registry", metavar="PATH|postgresql://...", help="The registry; VOLITION_REGISTRY if not given."
)
project_option = click.option(
    "--project", help="The project; VOLITION_PROJECT, or the only one in the registry, if not given."
)
token_option = click.option("--token", type=click.IntRange(min=1), required=True, help="The token of the grant.")
lease_option = click.option(
    "--lease", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="How long it lasts without renewal."
)
holder_option = click.option(
    "--holder",
    envvar="VOLITION_HOLDER",
    show_envvar=True,
    callback=use_user_name,
    help="Who works on it; your user name if not given.",
)
plan_argument = click.argument("plan_id", metavar="PLAN")


def in_team(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command the options that choose a project of a registry, and that project's team as its first argument."""

    @project_option
    @registry_option
    @wraps(command)
    def run(project: str | None, registry: str | None, **given: Any) -> int | None:
        with open_team(registry, project) as team:
            return command(team, **given)

    return run


@click.group()
def team() -> None:
    """Register plans before work starts: each is judged against everything that others are working on.

    \b
    Examples:
      volition team register intent_add_logging.json --holder ann --registry team.db
      volition team list --registry team.db
    """


@team.command()
@click.argument("file", metavar="PLAN.json", type=path_type)
@holder_option
@lease_option
@click.option("--wait", is_flag=True, help="Put the plan in line if it collides, instead of refusing it.")
@click.option("--policy", type=path_type, metavar="FILE", help="The project's policy in TOML, while no plan is open.")
@click.option(
    "--env", type=click.Choice(["local", "dev", "staging", "prod"]), help="The project's environment, likewise."
)
@registry_option
@answering
def register(
    file: Path, holder: str, lease: float | None, wait: bool, policy: Path | None, env: str | None, registry: str | None
) -> CommandAnswer:
    """Claim what a plan touches. It is granted unless it collides seriously with an active plan.

    Exit code 0: granted, with a token and a lease; 3: refused, with the evidence and the ways out, or put in line.

    \b
    Example:
      volition team register intent_add_logging.json --holder ann --registry team.db
    """
    from volition.workflow import LEASE

    rules = None if policy is None else _read_policy(policy)
    content, project = _read_plan(file)
    with open_team(registry, project, policy=rules, env=env, new=True) as team:
        return _answer_of(team.register(content, holder, lease=LEASE if lease is None else lease, wait=wait))


@team.command()
@click.argument("file", metavar="PLAN.json", type=path_type)
@token_option
@lease_option
@registry_option
@answering
def revise(file: Path, token: int, lease: float | None, registry: str | None) -> CommandAnswer:
    """Replace a granted plan by another version of it; it is judged again and gets a new token.

    If it is refused (3), the granted plan stays unchanged. Flows that rely on the old version are void.

    \b
    Example:
      volition team revise intent_add_logging.json --token 3 --registry team.db
    """
    content, project = _read_plan(file)
    with open_team(registry, project) as team:
        return _answer_of(team.revise(content, token, lease=lease))


@team.command()
@plan_argument
@token_option
@lease_option
@in_team
@answering
def renew(team: Team, plan_id: str, token: int, lease: float | None) -> CommandAnswer:
    """Renew a lease. A plan in line is judged again: granted (0), or still waiting (3).

    \b
    Example:
      volition team renew intent_add_logging --token 3 --registry team.db
    """
    return _answer_of(team.renew(plan_id, token, lease=lease))


@team.command()
@plan_argument
@token_option
@in_team
@answering
def finish(team: Team, plan_id: str, token: int) -> CommandAnswer:
    """Say that the work is done: what the plan claimed is free.

    \b
    Example:
      volition team finish intent_add_logging --token 3 --registry team.db
    """
    team.finish(plan_id, token)
    return _end_answer(team, plan_id)


@team.command()
@plan_argument
@token_option
@click.option("--why", "reason", default="", help="Why, for the record.")
@in_team
@answering
def withdraw(team: Team, plan_id: str, token: int, reason: str) -> CommandAnswer:
    """Give a plan up: what it claimed is free, and flows that rely on it are void.

    \b
    Example:
      volition team withdraw intent_add_logging --token 3 --why "the order changed" --registry team.db
    """
    team.withdraw(plan_id, token, why=reason)
    return _end_answer(team, plan_id)


@team.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only plans in this state.")
@in_team
@answering
def list_plans(team: Team, state: str | None) -> CommandAnswer:
    """List the plans of a project, with their holders, tokens and leases.

    \b
    Example:
      volition team list --state active --registry team.db
    """
    from volition.cli.team_view import plan_table

    plans = team.list(state=state)
    return CommandAnswer([plan.to_data() for plan in plans], "\n".join(plan_table(plans)))


@team.command()
@plan_argument
@in_team
@answering
def show(team: Team, plan_id: str) -> CommandAnswer:
    """Show one plan: its state, holder, token, lease, and the document itself.

    \b
    Example:
      volition team show intent_add_logging --registry team.db
    """
    from volition.cli.team_view import plan_text
    from volition.core.document import parse_json

    plan = team.show(plan_id)
    return CommandAnswer({**plan.to_data(), "document": parse_json(plan.document)}, plan_text(plan))


@team.command()
@plan_argument
@in_team
@answering
def why(team: Team, plan_id: str) -> CommandAnswer:
    """Say why a plan is in its state: the judgement that led there, with its evidence.

    \b
    Example:
      volition team why intent_add_logging --registry team.db
    """
    from volition.cli.team_view import judgement_text

    event = team.why(plan_id)
    return CommandAnswer(event.to_data(), judgement_text(event))


@team.command()
@click.argument("subject", metavar="[PLAN|FLOW]", required=False)
@in_team
@json_option
def history(team: Team, subject: str | None, as_json: bool) -> None:
    """Print what happened, in order: to the whole project, or to one plan or flow.

    \b
    Example:
      volition team history intent_add_logging --registry team.db
    """
    for event in team.history(subject):
        _print_event(event, as_json=as_json)


@team.command()
@click.option("--after", type=click.IntRange(min=0), help="Begin after the event with this number; now if not given.")
@click.option("--poll", type=click.FloatRange(min=0.01), default=0.5, show_default=True, help="Seconds between looks.")
@in_team
@json_option
def watch(team: Team, after: int | None, poll: float, as_json: bool) -> None:
    """Print events as they happen, until interrupted.

    \b
    Example:
      volition team watch --registry team.db
    """
    import time

    seen = after if after is not None else max((event.seq for event in team.history()), default=0)
    while True:
        for event in team.history(after=seen):
            seen = event.seq
            _print_event(event, as_json=as_json)
        time.sleep(poll)


@contextmanager
def open_team(
    registry: str | None, project: str | None, *, policy: str | None = None, env: str | None = None, new: bool = False
) -> Iterator[Team]:
    """The team of a project, while the block runs; `new` if the project need not exist yet."""
    with open_store(registry, new=new) as store:
        from volition.workflow import Team
        from volition.workflow.store.projects import chosen_project

        name = project if new and project else chosen_project(store, project)
        yield Team(store, name, policy=policy, env=env)


@contextmanager
def open_store(registry: str | None, *, new: bool = False) -> Iterator[Store]:
    """A registry, while the block runs; `new` if it need not exist yet."""
    from volition.core.extras import require
    from volition.workflow.store.address import chosen_address

    address = chosen_address(registry)
    require("sqlalchemy", "cryptography")
    if address.kind == "postgresql":
        require("psycopg")
    from volition.workflow import Store

    if address.kind == "sqlite" and not new:
        refuse_missing(Path(address.place))
    with Store(address) as store:
        yield store


def refuse_missing(file: Path) -> None:
    """Refuse a registry that does not exist where only a plan to register may make one."""
    from volition.core.errors import refuse

    if not file.exists():
        refuse(
            "there is no registry",
            where=str(file),
            expected="a registry",
            remedy="check its path; registering a plan makes it",
        )


def _read_policy(file: Path) -> str:
    """The text of a policy, which must be valid."""
    from volition.governance.documents.policy import read_policy

    read_policy(file)
    return file.read_text(encoding="utf-8")


def _read_plan(file: Path) -> tuple[bytes, str]:
    """The exact bytes of a plan, and its project."""
    from volition.governance.documents.loading import read_file
    from volition.governance.documents.readers import LIMITS, read_intent

    content = read_file(file, LIMITS["intent"])
    return content, read_intent(content, where=str(file)).document.scope.project_id


def _answer_of(made: Registration) -> CommandAnswer:
    from volition.cli.team_view import registration_text

    return CommandAnswer(made.to_data(), registration_text(made), DONE if made.outcome == "granted" else NEEDS_A_PERSON)


def _end_answer(team: Team, plan_id: str) -> CommandAnswer:
    plan = team.show(plan_id)
    return CommandAnswer(plan.to_data(), f"{plan.plan_id} is {plan.state}")


def _print_event(event: RecordedEvent, *, as_json: bool) -> None:
    from volition.cli.team_view import event_line

    print_found(event.to_data(), event_line(event), as_json=as_json, indent=None)
