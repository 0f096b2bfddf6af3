"""Whose process is this: a person's, or one in the session of an agent?

An agent's session is known by four signs: a call that the guard let pass runs above this process; a session's variable
is in the environment of this process, or of one above it, which a shell cannot take back; or a known client is above
it. Linux shows the processes above; elsewhere the environment has to tell, and a call that runs in the worktree.

This tells an honest agent from a person, and a curious one too. It does not tell a process that cut itself off from those
above it: against that one, only a key that it cannot use helps.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.agents.guard.place import is_temporary, tree_around, worktrees_of
from volition.agents.guard.processes import ProcessLook, look_above
from volition.agents.guard.running import running_calls
from volition.agents.guard.sessions import (
    SESSION_VARIABLES,
    Identity,
    clean_id,
    plans_bound_to,
    plans_of_tree,
    tree_of_session,
)
from volition.agents.guard.setting import FILE, FOLDER, GuardFailure, GuardSetting, read_setting
from volition.core.errors import NotPossible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

CLIENTS: Final = ("claude", "codex", "gemini", "cursor-agent")
"""Programs of clients whose shells are never a person's. An editor with an agent in it is none: its terminals are."""
_RUNTIMES: Final = frozenset({"node", "bun", "deno"})
LAUNCHER: Final = SESSION_VARIABLES[0]


class AgentSession(Struct, frozen=True):
    """The session of an agent that this process is in."""

    id: str
    """Its id; empty where only the client is known."""
    ids: frozenset[str]
    """All ids by which it is known: a launcher and a client may each have named it."""
    sign: str
    """By what it is known, in words."""
    guards: tuple[GuardSetting, ...] = ()
    """The guards of the repositories that it works in."""

    def is_own(self, holder: str) -> bool:
        """Whether a holder's name is this session's: NAME@SESSION, or NAME@SESSION/AGENT."""
        return "@" in holder and holder.rpartition("@")[2].partition("/")[0] in self.ids

    def bound_plans(self) -> frozenset[str]:
        """The plans that a person or a launcher gave to this session or to its worktree."""
        plans: set[str] = set()
        for guard in self.guards:
            for who in map(Identity, self.ids):
                tree = tree_of_session(guard, who) or tree_around(_here(), worktrees_of(guard))
                plans |= {*plans_bound_to(guard, who), *plans_of_tree(guard, tree)}
        return frozenset(plans)

    def holds_here(self, place: str) -> bool:
        """Whether a repository, a file in it, or a registry is one that may hold agents. What lies in a folder for
        temporary files and belongs to no guard around the session holds nobody: a test made it."""
        real = os.path.realpath(place)
        if "://" in place or not is_temporary(real):
            return True
        return any(
            _is_same(real, guard.registry) or tree_around(real, worktrees_of(guard)) or real.startswith(guard.common)
            for guard in self.guards
        )


def only_for_people(act: str, session: AgentSession) -> NotPossible:
    """The error for what an agent leaves to people."""
    return NotPossible.of(
        f"only a person may {act}, and this is the session of an agent",
        where=_where(session),
        expected="a person's shell",
        remedy="ask a person to do it, and go on with what your plan allows",
    )


def not_ones_own(what: str, session: AgentSession) -> NotPossible:
    """The error for an agent that acts in another's name, or on another's plan."""
    return NotPossible.of(
        f"{what} is not this session's, and this is the session of an agent",
        where=_where(session),
        expected="its own name, and a plan that it holds or was given",
        remedy="leave --by out; ask the holder, or a person",
    )


def without_name(session: AgentSession) -> NotPossible:
    """The error for an agent of which only the client is known, so that it cannot be held to what it claims."""
    return NotPossible.of(
        "it is not known which session of an agent this is",
        where=_where(session),
        expected="a session with an id",
        remedy=f"use the tools of the server (volition mcp), or let the launcher set {LAUNCHER}",
    )


def _where(session: AgentSession) -> str:
    return f"session {session.id}: {session.sign}" if session.id else session.sign


def agent_around(environment: Mapping[str, str] = os.environ) -> AgentSession | None:
    """The session of an agent that this process is in; None for a person."""
    above = look_above()
    guards = _guards_of({_here(), *(process.folder for process in above if process.folder)})
    called = _session_of_call(guards, above)
    named = _named_sessions([*(process.environment for process in reversed(above)), environment])
    client = next((name for process in above if (name := _client_in(process))), "")
    if not called and not named and not client:
        return None
    ids = [called, *(named[name] for name in SESSION_VARIABLES if name in named)]
    known = [process for process in ids if process]
    if called:
        sign = "a call of this session is running above this command"
    elif named:
        sign = f"{next(iter(named))} is set, here or in a process above"
    else:
        sign = f"{client} is running above this command"
    return AgentSession(known[0] if known else "", frozenset(known), sign, tuple(guards))


def _named_sessions(environments: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Variable -> session, the outermost process first. What a shell of a client sets afterwards names nobody."""
    sessions: dict[str, str] = {}
    for environment in environments:
        named = {name: clean_id(environment[name]) for name in SESSION_VARIABLES if environment.get(name)}
        sessions = named | sessions
        if set(named) - {LAUNCHER}:
            break
    return sessions


def _client_in(process: ProcessLook) -> str:
    """The client that a process is; empty if it is none."""
    program = Path(process.words[0]).name if process.words else ""
    names = [process.name, *process.words[: 2 if program in _RUNTIMES else 1]]
    bases = [Path(name).name.removesuffix(".js") for name in names]
    return next((client for client in CLIENTS for base in bases if base == client or base.startswith(f"{client}-")), "")


def _session_of_call(guards: Sequence[GuardSetting], above: Sequence[ProcessLook]) -> str:
    pids = {process.pid for process in above}
    for guard in guards:
        calls = running_calls(guard)
        if session := next((call.session for call in calls if call.client in pids), ""):
            return session
        tree = tree_around(_here(), worktrees_of(guard))
        if session := next((call.session for call in calls if not call.client and call.tree == tree), ""):
            return session
    return ""


def _here() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # the folder was removed
        return "/"


def _guards_of(folders: Iterable[str]) -> list[GuardSetting]:
    homes = sorted({home for folder in folders if (home := _guard_home(Path(folder)))})
    settings = []
    for home in homes:
        with suppress(GuardFailure):  # its own commands say what is wrong with it
            settings.append(read_setting(home))
    return settings


def _guard_home(folder: Path) -> str:
    """The guard's folder of the repository around a folder, found without git; empty if there is none."""
    around = next((place for place in (folder, *folder.parents) if os.path.lexists(place / ".git")), folder)
    common = around / ".git"
    with suppress(OSError):
        if common.is_file():  # a linked worktree
            linked = around / os.fsdecode(common.read_bytes()).partition("gitdir:")[2].strip()
            common = linked / os.fsdecode((linked / "commondir").read_bytes()).strip()
    home = common / FOLDER
    return os.path.realpath(home) if (home / FILE).is_file() else ""


def _is_same(place: str, registry: str) -> bool:
    try:
        return Path(place).samefile(registry)
    except OSError:
        return place == os.path.realpath(registry)
