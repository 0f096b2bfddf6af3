"""`volition team`, the people: who is in a project, who may do what, whose key is whose, and what a server lets them do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.options import by_option, in_team, json_option, project_option, registry_option
from volition.cli.printing import CommandAnswer, answering, print_found
from volition.cli.registry import open_store, open_team

if TYPE_CHECKING:
    from volition.workflow import Members, Team

name_argument = click.argument("name", metavar="NAME")


@click.command()
@in_team
@answering
def members(team: Team) -> CommandAnswer:
    """List the people of a project, with their roles and the beginnings of their keys.

    \b
    Example:
      volition team members --registry team.db
    """
    return _members_answer(_people(team))


@click.command()
@by_option
@in_team
@answering
def join(team: Team, by: str) -> CommandAnswer:
    """Join a project with the role of newcomers. Registering a plan, starting a flow and driving one do so too.

    \b
    Example:
      volition team join --by ann --registry team.db
    """
    people = _people(team)
    people.join(by)
    return _members_answer(people)


@click.command()
@name_argument
@click.argument("role", type=click.Choice(["member", "approver", "keeper"]))
@by_option
@in_team
@answering
def role(team: Team, name: str, role: str, by: str) -> CommandAnswer:
    """Give somebody a role, as a keeper; somebody new is added.

    Members register and drive; approvers also answer, approve and settle; keepers also appoint, release plans of others and
    change rules, settings and keys.

    \b
    Example:
      volition team role bob approver --by ann --registry team.db
    """
    people = _people(team)
    people.give_role(name, role, by)
    return _members_answer(people)


@click.command()
@click.option(
    "--own-approval", type=click.Choice(["refuse", "allow"]), help="Approving plans that you hold, where others could."
)
@click.option("--newcomers", type=click.Choice(["approver", "member", "refused"]), help="The role of whoever joins.")
@by_option
@in_team
@answering
def settings(team: Team, own_approval: str | None, newcomers: str | None, by: str) -> CommandAnswer:
    """Print the settings of a project, or change some of them, as a keeper.

    \b
    Example:
      volition team settings --own-approval allow --newcomers member --by ann --registry team.db
    """
    people = _people(team)
    if own_approval is not None or newcomers is not None:
        people.change_settings(by, own_approval=own_approval, newcomers=newcomers)
    current = people.settings()
    return CommandAnswer(current, "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in current.items()))


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def key(context: click.Context, as_json: bool) -> None:
    """Print the public key of this user, which signs what you record; it is made if there is none yet.

    Give it to those who verify the record. The private part stays in its file, which only you may read.

    \b
    Examples:
      volition team key
      volition team key lock
      volition team key rotate --registry team.db
      volition team key revoke bob --by ann --registry team.db
    """
    if context.invoked_subcommand is not None:
        return
    from volition.core.extras import require

    require("cryptography")
    from volition.core.signing import key_place, own_signer

    public = own_signer().public
    print_found({"public": public, "private": key_place()}, f"{public}\n  private: {key_place()}", as_json=as_json)


@key.command()
@click.option("--name", help="Whose key; --public is needed, too. Without it, your own key is replaced by a new one.")
@click.option("--public", metavar="HEX", help="The new public key, as `volition team key` prints it.")
@by_option
@project_option
@registry_option
@answering
def rotate(name: str | None, public: str | None, by: str, project: str | None, registry: str | None) -> CommandAnswer:
    """Replace a key: your own, or, as a keeper, that of somebody who has lost theirs. What was signed before stays valid.

    Your own: a new key is made, every name of yours in this registry gets it, and it takes the place of the old one, which is
    kept beside it. If that is interrupted, type it again: it finishes what was begun. With --name and --public, that name
    gets that key in the project; no file is changed.

    \b
    Examples:
      volition team key rotate --registry team.db
      volition team key rotate --name bob --public 4b5f76b2e2ee48bfc1b3ea43e46e4f1b7b5a0ddc03d5c1ce0f4d0d4d7d0ad7f1 --by ann --registry team.db
    """
    if (name is None) != (public is None):
        raise click.UsageError("Give both --name and --public, or neither.")
    if name is not None and public is not None:
        with open_team(registry, project) as team:
            people = _people(team)
            people.change_key(name, public, by)
            return _members_answer(people)
    from volition.workflow.team.members import rotate_own_key

    with open_store(registry) as store:
        return CommandAnswer.of(rotate_own_key(store))


@key.command()
@answering
def lock() -> CommandAnswer:
    """Lock your key with a passphrase, which is asked at the terminal: from then on nothing is signed in your name unless you
    type it. Locking again changes the passphrase.

    VOLITION_KEY_PASSPHRASE holds the passphrase where nobody can type, as in CI. The sessions of your agents sign with
    a key of theirs, which needs none. Exit code 3: there is no terminal.

    \b
    Example:
      volition team key lock
    """
    return _change_lock(locked=True)


@key.command()
@answering
def unlock() -> CommandAnswer:
    """Store your key without a passphrase again.

    \b
    Example:
      volition team key unlock
    """
    return _change_lock(locked=False)


@key.command()
@name_argument
@by_option
@in_team
@answering
def revoke(team: Team, name: str, by: str) -> CommandAnswer:
    """Take its key from a name: your own, or as a keeper. Nobody acts in it until a keeper gives it another key.

    What was signed before stays valid.

    \b
    Example:
      volition team key revoke bob --by ann --registry team.db
    """
    people = _people(team)
    people.revoke_key(name, by)
    return _members_answer(people)


@click.command()
@click.option("--role", required=True, help="The user of the PostgreSQL server.")
@click.option("--keeper", is_flag=True, help="For somebody who archives and restores: may also change and delete rows.")
@answering
def grants(role: str, keeper: bool) -> CommandAnswer:
    """Print the SQL that gives a user of a PostgreSQL server the rights of a member: events may only be appended.

    Run it as the owner of the tables, once they are there.

    \b
    Example:
      volition team grants --role ann
    """
    from volition.core.extras import require

    require("sqlalchemy")
    from volition.workflow.store.server import grants_for

    statements = grants_for(role, keeper=keeper)
    return CommandAnswer({"role": role, "keeper": keeper, "statements": statements}, "\n".join(statements))


def _change_lock(*, locked: bool) -> CommandAnswer:
    from volition.core.errors import refuse
    from volition.core.extras import require

    require("cryptography")
    from volition.core.signing import key_file, lock_key, own_signer, type_passphrase, unlock_key

    file = key_file()
    own_signer()  # it is made if there is none, and unlocked if it is locked
    if locked:
        passphrase, again = (type_passphrase(text, str(file)) for text in ("New passphrase: ", "The same again: "))
        if passphrase != again:
            refuse("the passphrases differ", where=str(file), expected="the same one twice", remedy="type it again")
    public = lock_key(file, passphrase) if locked else unlock_key(file)
    shown = f"{public}\n  private: {file}, {'locked' if locked else 'not locked'}"
    return CommandAnswer({"public": public, "private": str(file), "locked": locked}, shown)


def _people(team: Team) -> Members:
    from volition.workflow import Members

    return Members(team)


def _members_answer(people: Members) -> CommandAnswer:
    from volition.cli.show.workflow import member_table

    members = people.list()
    return CommandAnswer([each.to_data() for each in members], "\n".join(member_table(members)))
