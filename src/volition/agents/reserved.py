"""Which commands are for people: each command of Volition, and who may run it in the session of an agent.

What holds an agent is set by people: the guard, its installation, the members and rules of a registry, answers and
approvals. Everything else that changes a registry is done by an agent in its own name, and on its own plans. Commands that
are not listed look, or work on files that hold nobody. Only the standard library is used, because a hook needs this too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Standing: TypeAlias = Literal["people", "own", "free"]
"""For people alone; for agents too, in their own name and on their own plans; for everybody."""

PEOPLE: Final = {
    "guard use": "say which plans are worked on",
    "guard reset": "accept a worktree as it is",
    "guard unreachable": "say what happens while the registry is away",
    "guard hook": "send an event to the guard",
    "agents install": "install the guard",
    "agents uninstall": "remove the guard",
    "check approve": "approve a plan",
    "flow answer": "answer a question",
    "flow approve": "permit a flow",
    "flow settle": "say what became of a node",
    "flow skip": "leave a node out",
    "flow abandon": "give a flow up",
    "team role": "give a role",
    "team release": "take a plan from its holder",
    "team restore": "restore a registry",
    "team archive": "archive events",
    "team backup": "copy a registry with all that is in it",
    "team migrate": "change the tables of a registry",
    "team key rotate": "replace a key",
    "team key revoke": "take a key from a name",
    "team key lock": "lock a key",
    "team key unlock": "unlock a key",
}
"""Commands for people, with what they do."""
OWN: Final = frozenset({
    "team register", "team revise", "team renew", "team finish", "team withdraw", "team join", "team me", "team work",
    "team worker", "flow start", "flow resume", "flow report", "mcp",
})  # fmt: skip
"""Commands that an agent runs in its own name."""
PLANNED: Final = frozenset({"team revise", "team renew", "team finish", "team withdraw", "flow report"})
"""Those of them that act on a plan, which has to be the session's."""
OPTIONS: Final = {
    "team settings": {"own_approval": "change the settings of a project", "newcomers": "change the settings of a project"},
    "team register": {"policy": "set the policy of a project", "env": "set the environment of a project"},
    "flow resume": {"node": "say what became of a node"},
    "studio": {"registry": "open a registry in the studio, where its questions are answered"},
}  # fmt: skip
"""Options with which a command is for people, with what it does then."""
GROUPS: Final = frozenset({"guard", "agents", "check", "flow", "team"})
"""Groups of commands that hold agents: every command in them has to be listed here, or in `FREE`."""
FREE: Final = frozenset({
    "guard corpus", "guard log", "guard why", "agents doctor", "check",
    "flow graph", "flow show", "flow status", "flow verify", "flow why",
    "team grants", "team history", "team key", "team list", "team members", "team settings", "team show",
    "team verify-archive", "team watch", "team why",
})  # fmt: skip
"""Commands of those groups that look and change nothing."""


def standing_of(command: str) -> Standing:
    """Who may run a command, by the words that call it.

    >>> standing_of("flow approve"), standing_of("team finish"), standing_of("team list")
    ('people', 'own', 'free')
    """
    return "people" if command in PEOPLE else "own" if command in OWN else "free"


def act_of_people(words: Sequence[str | None]) -> str:
    """What the words of a command line after `volition` do that is for people; empty if it is nothing of the kind.

    A word that the shell has yet to name is None: where a command is wanted, it may be any.

    >>> act_of_people(["flow", "approve", "flow_5d3c"]), act_of_people(["flow", "show", "flow_5d3c"])
    ('permit a flow', '')
    >>> act_of_people(["team", "settings", "--newcomers=member"])
    'change the settings of a project'
    """
    verbs = [word for word in words if word is None or not word.startswith("-")]
    if verbs[:1] == [None] or (verbs[1:2] == [None] and verbs[0] in GROUPS - {"check"}):
        return "run a command that the shell will name"
    for command, act in PEOPLE.items():
        if verbs[: len(command.split())] == command.split():
            return act
    for command, options in OPTIONS.items():
        if verbs[: len(command.split())] == command.split():
            names = {str(word).partition("=")[0].lstrip("-").replace("-", "_") for word in words if word}
            return next((act for option, act in options.items() if option in names), "")
    return ""
