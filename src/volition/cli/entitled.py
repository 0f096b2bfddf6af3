"""Who runs a command: before a command that is for people, or that acts in a name, the session of an agent is told apart.

The table is `volition.agents.reserved`; every command that it lists is wrapped here, once, when it is loaded.
"""

from __future__ import annotations

import os
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.agents.persons import AgentSession
    from volition.workflow import Team


def let_entitled(command: click.Command, called: str) -> click.Command:
    """Let a command, and every command below it, ask first who runs it; `called` are the words that call it."""
    from volition.agents.reserved import GROUPS, OPTIONS, standing_of

    if isinstance(command, click.Group) and called.partition(" ")[0] in GROUPS:
        for name, inner in command.commands.items():
            let_entitled(inner, f"{called} {name}")
    is_reserved = standing_of(called) != "free" or called in OPTIONS
    if is_reserved and command.callback is not None and not hasattr(command.callback, "called"):
        command.callback = _asking_first(called, command.callback)
    return command


def _asking_first(called: str, callback: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(callback)
    def run(*arguments: Any, **options: Any) -> Any:
        return callback(*arguments, **_check_caller(called, options))

    vars(run)["called"] = called  # so that it is wrapped once, however often it is loaded
    return run


def _check_caller(called: str, given_options: dict[str, Any]) -> dict[str, Any]:
    """What a command was given, with an agent's own name where none was given; NotPossible where it is for people."""
    from volition.agents.persons import only_for_people
    from volition.agents.reserved import OPTIONS, PEOPLE, PLANNED

    options = OPTIONS.get(called, {})
    act = PEOPLE.get(called) or next((act for name, act in options.items() if given_options.get(name) is not None), "")
    session = _agent_here(*_places(called, given_options))
    if session is None:
        return given_options
    if act:
        raise only_for_people(act, session)
    if called == "mcp":
        _check_server(session, given_options["session"])
        return given_options
    name = given_options.get("by")
    return (
        given_options
        if name is None
        else given_options | {"by": _own_name(session, name, refuse=called not in PLANNED)}
    )


def agent_at(place: str) -> AgentSession | None:
    """The session of an agent that this process is in, if what is at a place may hold it; None for a person."""
    return _agent_here(place)


def names_of_viewer(place: str, name: str) -> Callable[[str], bool]:
    """Whether a name is that of whoever looks at a registry: a session's own names, or the name of a person. A token is shown
    to nobody else: it is a number by which an old grant is told from a new one, and not everybody's to act with."""
    session = agent_at(place)
    return session.is_own if session is not None else lambda holder: holder == name


def check_plan(team: Team, plan_id: str, by: str) -> bool:
    """Whether an agent runs this, and acts on a plan that is its own or was given to it; NotPossible on any other plan.
    False for a person."""
    from volition.agents.persons import not_ones_own

    session = agent_at(team.store.address.place)
    if session is None:
        return False
    holder = team.show(plan_id).holder
    if plan_id not in session.bound_plans() and not (session.is_own(holder) and session.is_own(by)):
        raise not_ones_own(f"{plan_id} of {holder}", session)
    return True


def _agent_here(*places: str) -> AgentSession | None:
    from volition.agents.persons import agent_around

    agent = agent_around()
    return agent if agent is not None and any(map(agent.holds_here, places)) else None


def _places(called: str, given_options: dict[str, Any]) -> Iterator[str]:
    """What a command changes: a repository, a file, a registry, or the key of this user."""
    from volition.workflow.store.address import VARIABLE

    yield from (
        str(given_options[name]) for name in ("repository", "plan", "home") if given_options.get(name) is not None
    )
    if "registry" in given_options and (registry := given_options["registry"] or os.environ.get(VARIABLE)):
        yield registry
    if called in {"team key lock", "team key unlock"} or (called == "team key rotate" and not given_options["name"]):
        yield "the key of this user"


def _own_name(session: AgentSession, name: str, *, refuse: bool) -> str:
    """The name that a session acts in: the one that was typed, if it is its own, or else NAME@SESSION."""
    from volition.agents.persons import not_ones_own, without_name

    if session.is_own(name):
        return name
    if click.get_current_context().get_parameter_source("by") is click.core.ParameterSource.COMMANDLINE:
        if refuse:
            raise not_ones_own(f"the name {name}", session)
        return name
    if not session.id:
        raise without_name(session)
    return f"{name.partition('@')[0]}@{session.id}"


def _check_server(session: AgentSession, named: str | None) -> None:
    from volition.agents.persons import not_ones_own

    if named and session.ids and named not in session.ids:
        raise not_ones_own(f"the session {named}", session)
