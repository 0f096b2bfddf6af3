"""Who may act: members with roles, and the keys that sign in their names.

A name belongs to the key that first signed in it, until that key is replaced or revoked. One key may sign in several names,
because one user may run several agents; what a signature proves is the key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from volition.core.errors import NotPossible, did_you_mean, refuse
from volition.core.names import is_readable_name
from volition.workflow.store.events import CLOCK
from volition.workflow.store.rows import MemberRow, ProjectRow

if TYPE_CHECKING:
    from volition.workflow.law.bodies import ArchivedBody, KeyBody, NoBody, RestoredBody, RoleBody, SettingsBody
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import Rows

ROLES: Final = ("member", "approver", "keeper")
"""Each may do what those before it may: members register and drive, approvers answer, approve and settle, and keepers
appoint, release the plans of others, and change the rules."""
OWN_APPROVAL: Final = ("refuse", "allow")
NEWCOMERS: Final = ("approver", "member", "refused")
REVOKED: Final = "revoked"
LONGEST_NAME: Final = 300
"""An agent's name, its session and its place in it."""
HIGHEST_EPOCH: Final = 9 * 10**6
"""The last epoch whose tokens every JSON reader keeps exact."""


class WrongSigner(NotPossible):
    """Somebody acts in a name that belongs to another key."""


class NotEntitled(NotPossible):
    """Somebody may not do this: the name is unknown, or its role does not reach."""


def settings_of(rows: Rows) -> ProjectRow:
    """The project with its rules."""
    project = rows.find(ProjectRow)
    assert project is not None
    return project


def check_name(name: str) -> None:
    """Refuse what is not a valid name: blank, padded, too long, unprintable, spelled in two ways, or the clock's."""
    if name == CLOCK or not is_readable_name(name) or len(name) > LONGEST_NAME:
        refuse(
            f"{name!r} is not a valid name",
            where="name",
            expected=f"1 to {LONGEST_NAME} characters that can be seen, without blanks around them",
            remedy="say who you are: --by or --holder, or VOLITION_HOLDER",
        )


def joining_role(rows: Rows) -> str:
    """The role of whoever joins now: the first is the keeper."""
    return settings_of(rows).newcomers if rows.all(MemberRow) else "keeper"


def check_actor(rows: Rows, event: RecordedEvent) -> None:
    """Check that the actor is a member, or joins with this event, and that the event is signed with the actor's key.

    The first event in a name gives it to its key.
    """
    check_name(event.actor)
    joins = event.what == "role" and event.subject == event.actor
    member = rows.find(MemberRow, event.actor)
    if member is None and joins:
        return
    if member is None:
        names = [row.name for row in rows.all(MemberRow)]
        raise NotEntitled.of(
            f"{event.actor!r} is not a member of the project",
            where=rows.project,
            expected="a name that has registered a plan, started or driven a flow, or that a keeper added",
            remedy=f"{did_you_mean(event.actor, names)}; or join: volition team join --by {event.actor!r}",
        )
    if member.public_key == REVOKED:
        raise WrongSigner.of(
            f"the key of {event.actor!r} was revoked by event {member.since}",
            where="the key of this user",
            expected="a key that a keeper has given to this name",
            remedy=f"ask a keeper: volition team key rotate --name {event.actor!r} --public YOUR_NEW_KEY",
        )
    if not member.public_key:
        rows.put(replace(member, public_key=event.signer, since=event.seq))
    elif member.public_key != event.signer:
        raise WrongSigner.of(
            f"the name {event.actor!r} belongs to the key {member.public_key[:16]}... since event {member.since},"
            f" and here it is {event.signer[:16]}...",
            where="the key of this user",
            expected="the key of this name",
            remedy=(
                "act in another name, or bring that key here and name its file in VOLITION_KEY; if a rotation was interrupted,"
                " finish it: volition team key rotate"
            ),
        )


def need_role(rows: Rows, event: RecordedEvent, role: str) -> None:
    """Refuse what takes a higher role than the actor has."""
    member = rows.find(MemberRow, event.actor)
    if member is None or ROLES.index(member.role) < ROLES.index(role):
        able = [row.name for row in rows.all(MemberRow) if ROLES.index(row.role) >= ROLES.index(role)]
        raise NotEntitled.of(
            f"{event.actor} is {_a(member.role) if member else 'not a member'} in the project, and this takes {_a(role)}",
            where=event.subject,
            expected=f"one of {', '.join(able)}",
            remedy=f"ask one of them; a keeper appoints: volition team role {event.actor!r} {role}",
        )


def need_another(rows: Rows, event: RecordedEvent, holders: set[str], verb: str) -> None:
    """Refuse people who judge what is their own, unless the project allows it or they are alone in it."""
    alone = len(rows.all(MemberRow)) < 2
    if event.actor in holders and not alone and settings_of(rows).own_approval == "refuse":
        raise NotEntitled.of(
            f"{event.actor} holds a plan of this flow, and nobody {verb} their own plan",
            where=event.subject,
            expected="another person",
            remedy="ask another person; a keeper may allow it: volition team settings --own-approval allow",
        )


def give_role(rows: Rows, event: RecordedEvent, body: RoleBody) -> None:
    """Somebody joins with the role of newcomers, or a keeper gives a role; the last keeper stays one."""
    name, role = event.subject, body.role
    check_name(name)
    member, members = rows.find(MemberRow, name), rows.all(MemberRow)
    if name == event.actor and member is None:
        if settings_of(rows).newcomers == "refused" and members:
            raise NotEntitled.of(
                f"{name!r} is not a member of the project, and newcomers are refused",
                where=rows.project,
                expected="a name that a keeper added",
                remedy=f"ask a keeper: volition team role {name!r} member",
            )
        _check_choice(role, ROLES, "role")
        if role != joining_role(rows):
            raise NotEntitled.of(
                f"{name!r} joins as {role}", where=rows.project, expected=joining_role(rows), remedy="ask a keeper"
            )
        rows.put(MemberRow(project=rows.project, name=name, role=role, public_key=event.signer, since=event.seq))
        return
    _check_choice(role, ROLES, "role")
    need_role(rows, event, "keeper")
    if role != "keeper":
        _keep_a_keeper(members, name)
    rows.put(
        replace(member, role=role)
        if member
        else MemberRow(project=rows.project, name=name, role=role, public_key="", since=event.seq)
    )


def _keep_a_keeper(members: list[MemberRow], name: str) -> None:
    """Refuse to take the last keeper from a project: nobody could appoint another one."""
    if [row.name for row in members if row.role == "keeper" and row.public_key != REVOKED] == [name]:
        refuse(f"{name} is the last keeper", where=name, expected="a keeper", remedy="appoint another one first")


def change_key(rows: Rows, event: RecordedEvent, body: KeyBody) -> None:
    """Give a name another key, by itself with the old one, or by a keeper. What was signed before stays valid."""
    member = _need_member(rows, event.subject)
    if event.subject != event.actor:
        need_role(rows, event, "keeper")
    key = body.key
    if len(key) != 64 or set(key) - set("0123456789abcdef"):
        refuse(
            f"{key!r} is not a public key",
            where=event.subject,
            expected="64 hexadecimal digits",
            remedy="see volition team key",
        )
    if key == member.public_key:
        refuse(f"{event.subject} has this key", where=event.subject, expected="another key", remedy="make a new one")
    rows.put(replace(member, public_key=key, since=event.seq))


def revoke_key(rows: Rows, event: RecordedEvent, body: NoBody) -> None:
    """Take its key from a name. From then on nobody acts in it until a keeper gives it another key."""
    member = _need_member(rows, event.subject)
    if event.subject != event.actor:
        need_role(rows, event, "keeper")
    if member.public_key == REVOKED:
        refuse(
            f"the key of {event.subject} is already revoked",
            where=event.subject,
            expected="a valid key",
            remedy="nothing is left to do",
        )
    _keep_a_keeper(rows.all(MemberRow), event.subject)
    rows.put(replace(member, public_key=REVOKED, since=event.seq))


def change_settings(rows: Rows, event: RecordedEvent, body: SettingsBody) -> None:
    """Say whether people approve their own plans, and what newcomers may do."""
    need_role(rows, event, "keeper")
    _check_choice(body.own_approval, OWN_APPROVAL, "own_approval")
    _check_choice(body.newcomers, NEWCOMERS, "newcomers")
    rows.put(replace(settings_of(rows), own_approval=body.own_approval, newcomers=body.newcomers))


def begin_epoch(rows: Rows, event: RecordedEvent, body: RestoredBody) -> None:
    """The registry was restored from a backup: tokens that are given from now on are higher than all that were lost."""
    need_role(rows, event, "keeper")
    project = settings_of(rows)
    if not project.epoch < body.epoch <= HIGHEST_EPOCH:
        refuse(
            f"epoch {body.epoch}",
            where=rows.project,
            expected=f"more than {project.epoch}, and at most {HIGHEST_EPOCH}",
            remedy="choose another one",
        )
    rows.put(replace(project, epoch=body.epoch))


def archive_events(rows: Rows, event: RecordedEvent, body: ArchivedBody) -> None:
    """The events up to a number are in an archive, and leave the registry; each archive begins where the one before it ends."""
    need_role(rows, event, "keeper")
    project, through = settings_of(rows), body.through
    if not project.archived < through < event.seq:
        refuse(
            f"an archive up to event {through}",
            where=rows.project,
            expected=f"one that ends after event {project.archived}, and before event {event.seq}",
            remedy="choose another date",
        )
    rows.put(replace(project, archived=through))


def _need_member(rows: Rows, name: str) -> MemberRow:
    member = rows.find(MemberRow, name)
    if member is None:
        names = [row.name for row in rows.all(MemberRow)]
        refuse(
            f"there is no member {name!r}", where=rows.project, expected="a member", remedy=did_you_mean(name, names)
        )
    return member


def _check_choice(value: object, allowed: tuple[str, ...], where: str) -> None:
    if value not in allowed:
        refuse(f"{value!r}", where=where, expected=f"one of {', '.join(allowed)}", remedy=did_you_mean(value, allowed))


def _a(role: str) -> str:
    return f"an {role}" if role == "approver" else f"a {role}"
