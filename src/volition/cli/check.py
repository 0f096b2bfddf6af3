"""`volition check`: check a change against the plans that were approved, in CI and in git hooks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from volition.cli.entitled import let_entitled
from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import json_option, path_type, project_option, registry_option, repository_option
from volition.cli.printing import CommandAnswer, answering
from volition.cli.registry import open_team

if TYPE_CHECKING:
    from pathlib import Path

    from volition.agents.check.changes import Changes
    from volition.agents.check.checking import PlanCheck
    from volition.agents.repository import Repository


FORMS = ("text", "json", "github", "gitlab", "sarif")


class CheckCommand(click.Command):
    """`check`, with `check approve` as a subcommand: a range always contains two dots, so `approve` is never one."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args[:1] == ["approve"]:
            return approve.make_context(f"{info_name} approve", args[1:], parent=parent, **extra)
        return super().make_context(info_name, args, parent=parent, **extra)


@click.command()
@click.argument("plan", type=path_type)
@answering
def approve(plan: Path) -> CommandAnswer:
    """Approve a draft: sign the file PLAN with your key, and write the approval beside it.

    Commit both to the base. `volition check --plans` takes the draft for approved if the policy of the base lists your key
    under [check.approvers]. A plan that is changed afterwards needs another approval. Exit code 3: this is the session of an
    agent, and approving is for people.

    \b
    Example:
      volition check approve plans/intent_add_logging.json
    """
    import msgspec

    from volition.agents.check.approval import approve_plan
    from volition.cli.show.agents import approval_text

    approval, file = approve_plan(plan)
    return CommandAnswer({**msgspec.to_builtins(approval), "file": str(file)}, approval_text(approval, file))


let_entitled(approve, "check approve")


@click.command(cls=CheckCommand)
@click.argument("commits", metavar="[BASE..HEAD]", required=False)
@click.option("--plan", "plans", multiple=True, help="A plan that the change belongs to; can be repeated.")
@click.option("--plans", "folder", metavar="FOLDER", help="Take approved plans from this folder of the base.")
@click.option("--staged", is_flag=True, help="Check what the next commit would change: a pre-commit hook.")
@click.option("--pushed", is_flag=True, help="Check what a push would add: a pre-push hook, with its lines on stdin.")
@click.option(
    "--received", is_flag=True, help="Check what a push adds here: a pre-receive hook, with its lines on stdin."
)
@click.option("--format", "form", type=click.Choice(FORMS), help="How to write the result; text if not given.")
@click.option("--output", type=path_type, metavar="FILE", help="Write the result there, and text to stdout.")
@project_option
@registry_option
@repository_option
@json_option
def check(
    commits: str | None, plans: tuple[str, ...], folder: str | None, staged: bool, pushed: bool, received: bool,
    form: str | None, output: Path | None, project: str | None, registry: str | None, repository: Path, as_json: bool,
) -> int:  # fmt: skip
    """Check a change against approved plans: every changed file has to be one that a plan may write.

    Plans come from the registry, from a folder of BASE, or from the guard of this repository; never from the branch under
    test. The plans are named by --plan, or by the trailer Volition-Plan of the commits; with --plans, all that
    BASE has approved if none is named. A draft is approved by `volition check approve`. FOLDER/policy.toml of BASE, or the
    policy of the registry, says which files are generated and need no claim. Exit code 0: all files are in the plans; 3: some
    are not.

    --format github writes annotations, gitlab a report of Code Quality, sarif a log for code scanning; --json is --format
    json.

    \b
    Examples:
      volition check origin/main..HEAD --plans plans
      volition check origin/main..HEAD --registry team.db --plan intent_add_logging
      volition check origin/main..HEAD --plans plans --format sarif --output check.sarif
      volition check --staged
    """
    from volition.agents.repository import failures_explained, repository_of

    if sum((commits is not None, staged, pushed, received)) != 1:
        raise click.UsageError("Give one of BASE..HEAD, --staged, --pushed and --received.")
    if as_json and form not in {None, "json"}:
        raise click.UsageError(f"--json and --format {form} cannot both be given.")
    if folder is not None and commits is None:
        raise click.UsageError("--plans needs BASE..HEAD.")
    guarded = repository_of(repository)
    with failures_explained(str(guarded.root)):
        changes = _changes(str(guarded.root), commits, pushed=pushed, received=received)
        report = _report(changes, guarded, plans, folder, project, registry)
    _write(report, form or ("json" if as_json else "text"), output)
    return NEEDS_A_PERSON if report.unplanned else DONE


def _write(report: PlanCheck, form: str, output: Path | None) -> None:
    from volition.agents.check.formats import format_check

    printed = format_check(report, form)
    if output is not None:
        from volition.core.document import write_atomically

        write_atomically(output, f"{printed}\n".encode())
        printed = format_check(report, "text")
    click.echo(printed)


def _changes(tree: str, commits: str | None, *, pushed: bool, received: bool) -> Changes:
    from volition.agents.check.changes import changes_between, pushed_changes, received_changes, staged_changes

    if commits is not None:
        return changes_between(tree, commits)
    if pushed:
        return pushed_changes(tree, sys.stdin)
    return received_changes(tree, sys.stdin) if received else staged_changes(tree)


def _report(
    changes: Changes, repository: Repository, plans: tuple[str, ...], folder: str | None, project: str | None, registry: str | None
) -> PlanCheck:  # fmt: skip
    import os

    from volition.agents.guard.setting import FILE

    if folder is not None:
        from volition.agents.check.approval import check_with_base

        return check_with_base(changes, str(repository.root), folder, plans)
    if registry is not None or not (repository.home / FILE).exists():
        from volition.agents.check.approval import check_with_registry

        with open_team(registry, project) as team:
            return check_with_registry(changes, str(repository.root), team, plans)
    from volition.agents.check.checking import check_with_guard
    from volition.agents.guard.sessions import session_from

    return check_with_guard(changes, repository, plans, session_from(os.environ))
