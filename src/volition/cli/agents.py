"""`volition agents`: arm coding agents and git in a repository, disarm them, and say what is really in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import in_repository, json_option, project_option, registry_option
from volition.cli.printing import CommandAnswer, answering, print_json
from volition.cli.registry import open_team

if TYPE_CHECKING:
    from volition.agents.guard.setting import GuardSetting
    from volition.agents.install.arming import Arming
    from volition.agents.repository import Repository
    from volition.workflow.store.address import StoreAddress

PARTS = ("claude", "codex", "gemini", "cursor", "git")
parts_argument = click.argument(
    "parts", metavar="[claude|codex|gemini|cursor|git]...", type=click.Choice(PARTS), nargs=-1
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")


@click.group()
def agents() -> None:
    """Let coding agents of this repository work under the registry: their hooks, the server, and git hooks.

    \b
    Examples:
      volition agents install --dry-run
      volition agents doctor
    """


@agents.command()
@parts_argument
@click.option("--strict/--lenient", default=None, help="Deny what cannot be judged, or let it pass marked (as it was).")
@click.option(
    "--auto-claim/--no-auto-claim",
    default=None,
    help="Whether the first write of a file that no plan has claims it for the session (as it was).",
)
@dry_run_option
@project_option
@registry_option
@in_repository
@json_option
def install(
    repository: Repository, parts: tuple[str, ...], strict: bool | None, auto_claim: bool | None, dry_run: bool,
    project: str | None, registry: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Write hooks and the server into the settings of clients, and git hooks; all of them if none is named.

    The difference is shown first. Nothing else in the files changes; a file with comments or errors is never overwritten;
    installing again changes nothing. The worktree around the folder is armed, and no other one. Without --registry and
    VOLITION_REGISTRY, the first time makes one in git's folder, .git/volition/team.db, with the repository's name as its
    project. Exit code 4: this system has no POSIX shell (Windows).

    \b
    Examples:
      volition agents install --dry-run
      volition agents install claude git --registry team.db
    """
    from volition.agents.install.arming import plan_arming

    _refuse_windows()
    setting, new = _setting(repository, registry, project, strict=strict, auto_claim=auto_claim)
    arming = plan_arming(repository, setting, parts or PARTS, arm=True, registry=new)
    _carry_out(arming, dry_run=dry_run, as_json=as_json)


@agents.command()
@parts_argument
@dry_run_option
@in_repository
@json_option
def uninstall(repository: Repository, parts: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Remove what `install` wrote, and nothing else; the guard's journal stays.

    \b
    Example:
      volition agents uninstall cursor --dry-run
    """
    from volition.agents.install.arming import plan_arming

    _carry_out(
        plan_arming(repository, repository.setting(), parts or PARTS, arm=False), dry_run=dry_run, as_json=as_json
    )


@agents.command()
@in_repository
@answering
def doctor(repository: Repository) -> CommandAnswer:
    """Say what is really in force: a write that no plan allows is sent through every installed hook.

    Exit code 0: everything that is installed holds; 3: something does not, or nothing is installed.

    \b
    Example:
      volition agents doctor
    """
    import msgspec

    from volition.agents.install.doctor import all_hold, examine_agents
    from volition.agents.repository import failures_explained
    from volition.cli.show.agents import diagnosis_line

    setting = repository.setting()
    with failures_explained(str(repository.root)):
        parts = examine_agents(repository, setting)
    holds = all_hold(parts)
    data = {"holds": holds, "parts": msgspec.to_builtins(parts)}
    return CommandAnswer(data, "\n".join(map(diagnosis_line, parts)), DONE if holds else NEEDS_A_PERSON)


def _setting(
    repository: Repository, registry: str | None, project: str | None, *, strict: bool | None, auto_claim: bool | None
) -> tuple[GuardSetting, tuple[StoreAddress, str] | None]:
    """The guard's setting: as it was, with what is given now; and the registry to make, where none was ever named."""
    import os

    from volition.agents.guard.setting import FILE, GuardSetting
    from volition.workflow.store.address import VARIABLE
    from volition.workflow.team.guard_index import index_file

    before = repository.setting() if (repository.home / FILE).exists() else None
    if before is not None and registry is None:
        registry, project = before.registry, project or before.project
    new = None
    if registry is None and not os.environ.get(VARIABLE):
        address, name = new = _default_registry(repository, project)
    else:
        with open_team(registry, project) as team:
            address, name = team.store.address, team.project
        _refuse_password(address)
    severe = strict if strict is not None else before.strict if before else False
    does_claim = auto_claim if auto_claim is not None else before.auto_claim if before else False
    is_lenient = before.lenient if before else False
    place = str(index_file(address))
    return GuardSetting(str(repository.home), address.place, name, place, severe, is_lenient, does_claim), new


def _default_registry(repository: Repository, project: str | None) -> tuple[StoreAddress, str]:
    """A registry beside the guard, which all worktrees share, and a project with the repository's name."""
    import os

    from volition.workflow.store.address import StoreAddress
    from volition.workflow.store.database import VARIABLE

    main = repository.common.parent if repository.common.name == ".git" else repository.common
    named = project or os.environ.get(VARIABLE) or main.name.removesuffix(".git")
    return StoreAddress("sqlite", str(repository.home / "team.db")), named or "project"


def _refuse_password(address: StoreAddress) -> None:
    from volition.core.errors import refuse

    if "://" in address.place and address.place != str(address):
        refuse(
            "the address holds a password, which would be written into settings",
            where=str(address),
            expected="an address without a password",
            remedy="put the password into ~/.pgpass, and leave it out here",
        )


def _refuse_windows() -> None:
    """The hook's line is one of a POSIX shell, and the guard locks files as POSIX systems do."""
    import sys

    from volition.core.errors import MissingPart

    if sys.platform == "win32":
        raise MissingPart.of(
            "hooks and the guard do not work on Windows",
            where="this system",
            expected="a POSIX shell and fcntl, as on Linux, macOS and in WSL",
            remedy="install in WSL; volition check, govern and team work here too",
        )


def _carry_out(arming: Arming, *, dry_run: bool, as_json: bool) -> None:
    from volition.cli.show.agents import arming_data, arming_text

    if as_json:
        print_json({**arming_data(arming), "applied": not dry_run}, indent=2)
    else:
        click.echo(arming_text(arming), nl=False)
    if not dry_run:
        arming.apply()
        if not as_json:
            click.echo("done; see what is in force: volition agents doctor" if arming.arm else "done")
