"""Which plans a session works on. An identity is a session with, inside a subagent, the agent's id: never a product's
name and never a branch.

A session's plans are those that it was bound to, and those that it holds in the registry, also under another name: the
one that its launcher gave it, or the one of a server that was told none. A subagent without plans has those of its
session; a session without plans has those that its launcher named, or else those of its worktree.
"""

from __future__ import annotations

import os
import time

from volition.agents.guard.digest import digest_of
from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple
from volition.agents.guard.presence import LAUNCHERS_SESSION, sessions_of_servers
from volition.agents.guard.setting import GuardFailure, GuardSetting, read_object, write_object

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

    from volition.agents.guard.extent import PlanExtent
    from volition.agents.guard.index import TeamIndex

VARIABLE: Final = "VOLITION_PLAN"
"""The environment variable in which a launcher names the plans of a session, separated by commas."""
OLDEST: Final = 30 * 86400.0
"""Seconds after which a session is forgotten."""


class Identity(LeanTuple):
    """A session, and in a subagent its agent."""

    session: str
    agent: str = ""

    def holds(self, plan: PlanExtent) -> bool:
        """Whether the registry has it as the holder of a plan: `NAME@SESSION`, or `NAME@SESSION/AGENT`."""
        return plan.holder.rpartition("@")[2] == "/".join(map(_plain_id, filter(None, self)))


def bind_session(setting: GuardSetting, who: Identity, plans: Iterable[str], tree: str = "") -> None:
    """Say which plans an identity works on, and in which worktree; this replaces what was said before."""
    data = {"session": who.session, "agent": who.agent, "plans": sorted(set(plans)), "tree": tree}
    write_object(_place(setting, who), data)


def bind_tree(setting: GuardSetting, tree: str, plans: Iterable[str]) -> None:
    """Say which plans are worked on in a worktree, by sessions that are not bound themselves."""
    write_object(_tree_place(setting, tree), {"tree": tree, "plans": sorted(set(plans))})


def record_start(setting: GuardSetting, who: Identity, tree: str) -> None:
    """Remember that a session works in a worktree, and which plans its launcher named."""
    _forget_old(setting)
    bind_session(setting, who, plans_bound_to(setting, who) or named_by_launcher(), tree)


def tree_of_session(setting: GuardSetting, who: Identity) -> str:
    """The worktree in which a session began; empty if that is not known."""
    return str((read_object(_place(setting, who)) or {}).get("tree") or "")


def plans_bound_to(setting: GuardSetting, who: Identity) -> tuple[str, ...]:
    """The plans that an identity was bound to, by a person or its launcher."""
    return _texts((read_object(_place(setting, who)) or {}).get("plans"))


def plans_of(setting: GuardSetting, index: TeamIndex, who: Identity, tree: str) -> tuple[str, ...]:
    """The plans that an identity works on, active or not; empty if there is none."""
    for one in dict.fromkeys((who, Identity(who.session))):
        also = [] if one.agent else other_names(setting, one)
        held = (plan for name in (one, *also) for plan in plans_held_by(index, name))
        if own := dict.fromkeys([*plans_bound_to(setting, one), *held]):
            return tuple(own)
    return named_by_launcher() or plans_of_tree(setting, tree)


def other_names(setting: GuardSetting, who: Identity) -> list[Identity]:
    """The other names under which a session claims: that of its launcher, and those of its client's servers."""
    launchers = os.environ.get(LAUNCHERS_SESSION, "")
    names = dict.fromkeys([*([launchers] if launchers else []), *sessions_of_servers(setting.home, who.session)])
    return [Identity(name) for name in names if name != who.session]


def plans_held_by(index: TeamIndex, who: Identity) -> list[str]:
    """The open plans that an identity holds in the registry."""
    return [plan.plan for plan in index.plans.values() if who.holds(plan)]


def plans_of_tree(setting: GuardSetting, tree: str) -> tuple[str, ...]:
    """The plans that a worktree was bound to."""
    return _texts((read_object(_tree_place(setting, tree)) or {}).get("plans")) if tree else ()


def everybodys_plans(setting: GuardSetting, index: TeamIndex, tree: str) -> tuple[str, ...]:
    """The plans of the worktree and of every session in it: what a change in it may come from."""
    found = dict.fromkeys(plans_of_tree(setting, tree))
    for data in sessions(setting):
        if data.get("tree") == tree:
            who = Identity(str(data.get("session")), str(data.get("agent") or ""))
            found |= dict.fromkeys([*_texts(data.get("plans")), *plans_held_by(index, who)])
    return tuple(found)


def sessions(setting: GuardSetting) -> list[dict[str, Any]]:
    """All sessions that were seen or bound."""
    folder = os.path.join(setting.home, "sessions")
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GuardFailure(f"{folder} cannot be read ({error.strerror})") from None
    found = (read_object(os.path.join(folder, name)) for name in names if name.endswith(".json"))
    return [data for data in found if data]


def _forget_old(setting: GuardSetting) -> None:
    """Remove what is known of sessions that began long ago; one that still runs is bound again, or has no plan."""
    folder = os.path.join(setting.home, "sessions")
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        place = os.path.join(folder, name)
        try:
            if os.stat(place).st_mtime < time.time() - OLDEST:
                os.unlink(place)
        except OSError:
            continue


def active_plans(index: TeamIndex, plans: Iterable[str]) -> list[PlanExtent]:
    """Those of some plans that are granted now."""
    return [found for plan in plans if (found := index.active(plan))]


def named_by_launcher() -> tuple[str, ...]:
    """The plans in the environment."""
    return tuple(name for part in os.environ.get(VARIABLE, "").split(",") if (name := part.strip()))


def _plain_id(given: str) -> str:
    """An id as the registry has it in the name of a holder."""
    if given.replace("-", "").isalnum() and given.isascii() and len(given) <= 64:
        return given
    from volition.agents.guard.identity import clean_id  # only an odd id needs it

    return clean_id(given)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def _place(setting: GuardSetting, who: Identity) -> str:
    name = digest_of(f"{who.session}\0{who.agent}")
    return os.path.join(setting.home, "sessions", f"{name}.json")


def _tree_place(setting: GuardSetting, tree: str) -> str:
    return os.path.join(setting.home, "trees", f"{digest_of(tree)}.plans.json")
