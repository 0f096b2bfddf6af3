"""`volition team`: register plans before work starts, keep the grant, end it, and see who works on what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import (
    by_option,
    grant_token_option,
    in_team,
    json_option,
    path_type,
    registry_option,
    why_option,
)
from volition.cli.printing import CommandAnswer, answering, warn
from volition.cli.registry import held_token, is_viewer, open_team, shown_event
from volition.cli.team.upkeep import print_event

if TYPE_CHECKING:
    from pathlib import Path

    from volition.workflow import Registration, Team


STATES: Final = ("active", "waiting", "finished", "withdrawn", "expired", "superseded")
lease_option = click.option(
    "--lease", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="How long it lasts without renewal."
)
plan_argument = click.argument("plan_id", metavar="PLAN")


@click.command()
@click.argument("file", metavar="PLAN.json", type=path_type)
@by_option
@lease_option
@click.option("--wait", is_flag=True, help="Put the plan in line if it collides, instead of refusing it.")
@click.option("--policy", type=path_type, metavar="FILE", help="The project's policy in TOML, while no plan is open.")
@click.option(
    "--env", type=click.Choice(["local", "dev", "staging", "prod"]), help="The project's environment, likewise."
)
@registry_option
@answering
def register(
    file: Path, by: str, lease: float | None, wait: bool, policy: Path | None, env: str | None, registry: str | None
) -> CommandAnswer:
    """Claim what a plan touches. It is granted unless it collides seriously with an active plan.

    Exit code 0: granted, with a token and a lease; 3: refused, with the evidence and the ways out, or put in line.

    \b
    Example:
      volition team register intent_add_logging.json --holder ann --registry team.db
    """
    from volition.workflow.team.team import LEASE

    rules = None if policy is None else _read_policy(policy)
    content, _, project = _read_plan(file)
    with open_team(registry, project, policy=rules, env=env, new=True) as team:
        return _answer_of(team.register(content, by, lease=LEASE if lease is None else lease, wait=wait))


@click.command()
@click.argument("file", metavar="PLAN.json", type=path_type)
@grant_token_option
@by_option
@lease_option
@registry_option
@answering
def revise(file: Path, token: int | None, by: str, lease: float | None, registry: str | None) -> CommandAnswer:
    """Replace a granted plan by another version of it; it is judged again and gets a new token.

    If it is refused (3), the granted plan stays unchanged. Flows that rely on the old version are void.

    \b
    Example:
      volition team revise intent_add_logging.json --by ann --registry team.db
    """
    content, plan_id, project = _read_plan(file)
    with open_team(registry, project) as team:
        return _answer_of(team.revise(content, held_token(team, plan_id, by, token), lease=lease))


@click.command()
@plan_argument
@grant_token_option
@by_option
@lease_option
@in_team
@answering
def renew(team: Team, plan_id: str, token: int | None, by: str, lease: float | None) -> CommandAnswer:
    """Renew a lease. A plan in line is judged again: granted (0), or still waiting (3).

    \b
    Example:
      volition team renew intent_add_logging --by ann --registry team.db
    """
    return _answer_of(team.renew(plan_id, held_token(team, plan_id, by, token), lease=lease))


@click.command()
@plan_argument
@grant_token_option
@by_option
@in_team
@answering
def finish(team: Team, plan_id: str, token: int | None, by: str) -> CommandAnswer:
    """Say that the work is done: what the plan claimed is free.

    \b
    Example:
      volition team finish intent_add_logging --by ann --registry team.db
    """
    team.finish(plan_id, held_token(team, plan_id, by, token))
    return _end_answer(team, plan_id)


@click.command()
@plan_argument
@grant_token_option
@by_option
@why_option
@in_team
@answering
def withdraw(team: Team, plan_id: str, token: int | None, by: str, reason: str) -> CommandAnswer:
    """Give a plan up: what it claimed is free, and flows that rely on it are void.

    \b
    Example:
      volition team withdraw intent_add_logging --by ann --why "the order changed" --registry team.db
    """
    team.withdraw(plan_id, held_token(team, plan_id, by, token), why=reason)
    return _end_answer(team, plan_id)


@click.command()
@plan_argument
@click.option("--reason", required=True, help="Why it is taken from its holder, for the record.")
@by_option
@in_team
@answering
def release(team: Team, plan_id: str, reason: str, by: str) -> CommandAnswer:
    """Take a plan from a holder who is gone, as a keeper: what it claimed is free, and flows that rely on it are void.

    \b
    Example:
      volition team release intent_add_logging --reason "ann is on leave" --by ann --registry team.db
    """
    team.release(plan_id, by, why=reason)
    return _end_answer(team, plan_id)


@click.command()
@by_option
@in_team
@answering
def me(team: Team, by: str) -> CommandAnswer:
    """Say who you are here: your name, role and key, the registry, and the project.

    \b
    Example:
      volition team me --registry team.db
    """
    from volition.cli.show.workflow import identity_text
    from volition.workflow.team.work import find_identity

    identity = find_identity(team, by)
    return CommandAnswer(identity.to_data(), identity_text(identity))


@click.command()
@by_option
@in_team
@answering
def work(team: Team, by: str) -> CommandAnswer:
    """List what is yours: plans with tokens and the time left, places in line, reports that are awaited, and what you may decide.

    \b
    Example:
      volition team work --by ann --registry team.db
    """
    from volition.cli.show.workflow import work_text
    from volition.workflow.team.work import find_work

    open_work = find_work(team, by)
    return CommandAnswer(open_work.to_data(), work_text(open_work))


@click.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only plans in this state.")
@in_team
@answering
def list_plans(team: Team, state: str | None) -> CommandAnswer:
    """List the plans of a project, with their holders and leases, and the tokens of yours.

    \b
    Example:
      volition team list --state active --registry team.db
    """
    from volition.cli.show.workflow import plan_table

    own = is_viewer(team)
    plans = [plan if own(plan.holder) else plan.without_token() for plan in team.list(state=state)]
    return CommandAnswer([plan.to_data() for plan in plans], "\n".join(plan_table(plans)))


@click.command()
@plan_argument
@in_team
@answering
def show(team: Team, plan_id: str) -> CommandAnswer:
    """Show one plan: its state, holder, lease, the token if it is yours, and the document itself.

    \b
    Example:
      volition team show intent_add_logging --registry team.db
    """
    from volition.cli.show.workflow import plan_text
    from volition.core.document import parse_json
    from volition.workflow.store.events import archive_text

    plan, archived = team.show(plan_id), team.last_archive()
    plan = plan if is_viewer(team)(plan.holder) else plan.without_token()
    where = archive_text(archived) if archived is not None and plan.seq <= archived.body["through"] else ""
    data = {**plan.to_data(), "document": parse_json(plan.document), **({"archived": where} if where else {})}
    return CommandAnswer(data, plan_text(plan, where))


@click.command()
@plan_argument
@in_team
@answering
def why(team: Team, plan_id: str) -> CommandAnswer:
    """Say why a plan is in its state: the judgement that led there, with its evidence.

    \b
    Example:
      volition team why intent_add_logging --registry team.db
    """
    from volition.cli.show.workflow import judgement_text

    event = shown_event(team, team.why(plan_id))
    return CommandAnswer(event.to_data(), judgement_text(event))


@click.command()
@click.argument("subject", metavar="[PLAN|FLOW]", required=False)
@in_team
@json_option
def history(team: Team, subject: str | None, as_json: bool) -> None:
    """Print what happened, in order: to the whole project, or to one plan or flow. Where older events are archived, stderr says so.

    \b
    Example:
      volition team history intent_add_logging --registry team.db
    """
    from volition.workflow.store.events import archive_text

    archived = team.last_archive()
    if archived is not None:
        warn(archive_text(archived))
    for event in team.history(subject):
        print_event(shown_event(team, event), as_json=as_json)


def _read_policy(file: Path) -> str:
    """The text of a policy, which must be valid."""
    from volition.governance.documents.policy import read_policy

    read_policy(file)
    return file.read_text(encoding="utf-8")


def _read_plan(file: Path) -> tuple[bytes, str, str]:
    """The exact bytes of a plan, its id, and its project."""
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.kinds import LIMITS
    from volition.governance.documents.loading import read_file
    from volition.governance.documents.reading import parse_document

    content = read_file(file, LIMITS["intent"])
    intent = parse_document(content, IntentDocument, where=str(file))
    return content, intent.id, intent.scope.project_id


def _answer_of(made: Registration) -> CommandAnswer:
    from volition.cli.show.workflow import registration_text

    return CommandAnswer(made.to_data(), registration_text(made), DONE if made.outcome == "granted" else NEEDS_A_PERSON)


def _end_answer(team: Team, plan_id: str) -> CommandAnswer:
    plan = team.show(plan_id)
    return CommandAnswer(plan.to_data(), f"{plan.plan_id} is {plan.state}")
