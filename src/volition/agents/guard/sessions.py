"""Who an agent is, and which plans its session works on.

A session tells two agents of one name apart: neither the product's name nor a branch does, because two agents often share
them. A registry knows an agent as the holder `NAME@SESSION`, and a subagent as `NAME@SESSION/AGENT`.

A session's plans are those that it was bound to, and those that it holds in the registry, also under another name: the
one that its launcher gave it, or the one of a server that was told none. A subagent without plans has those of its
session; a session without plans has those that its launcher named, or else those of its worktree.
"""

from __future__ import annotations

import os
import time

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple, digest_of
from volition.agents.guard.presence import LAUNCHERS_SESSION, sessions_of_servers
from volition.agents.guard.setting import GuardFailure, GuardSetting, read_object, write_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Final

    from volition.agents.guard.index import PlanExtent, TeamIndex


SESSION_VARIABLES: Final = (LAUNCHERS_SESSION, "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "GEMINI_SESSION_ID")
"""Environment variables with the id of a session: the one that a launcher sets comes first, then those of clients."""
VARIABLE: Final = "VOLITION_PLAN"
"""The environment variable in which a launcher names the plans of a session, separated by commas."""
OLDEST: Final = 30 * 86400.0
"""Seconds after which a session is forgotten."""
_LONGEST: Final = 128
_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")


class Identity(LeanTuple):
    """An agent: its session, which subagent of that session it is, if it is one, and its name where a registry has to know it.

    >>> Identity("01a1", name="ann").holder, Identity("01a1", "sub_2", "ann").holder
    ('ann@01a1', 'ann@01a1/sub_2')
    """

    session: str
    agent: str = ""
    name: str = ""

    @property
    def holder(self) -> str:
        """The agent as a registry knows it."""
        return f"{self.name}@{self.session}" + (f"/{self.agent}" if self.agent else "")

    def holds(self, plan: PlanExtent) -> bool:
        """Whether the registry has it as the holder of a plan, under whichever name."""
        return plan.holder.rpartition("@")[2] == "/".join(map(clean_id, filter(None, (self.session, self.agent))))


def clean_id(raw: Any) -> str:
    """An id that somebody else made, as it is if it is short and plain, and otherwise as its hash; empty if there is none.

    >>> clean_id("01a1"), clean_id(None), len(clean_id("a b" * 1000))
    ('01a1', '', 32)
    """
    if raw is None or raw == "":
        return ""
    text = str(raw)
    if len(text) <= _LONGEST and _PLAIN.issuperset(text):
        return text
    from hashlib import sha256

    return sha256(text.encode(errors="replace")).hexdigest()[:32]


def session_from(environment: Mapping[str, str] = os.environ) -> str:
    """The session that the environment names; empty if it names none."""
    return next((clean_id(environment[name]) for name in SESSION_VARIABLES if environment.get(name)), "")


def new_session() -> str:
    """A session that nobody else has."""
    return os.urandom(8).hex()


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
    for identity in dict.fromkeys((who, Identity(who.session))):
        also = [] if identity.agent else other_names(setting, identity)
        held_plans = (plan for name in (identity, *also) for plan in plans_held_by(index, name))
        if own := dict.fromkeys([*plans_bound_to(setting, identity), *held_plans]):
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
    plans = dict.fromkeys(plans_of_tree(setting, tree))
    for data in sessions(setting):
        if data.get("tree") == tree:
            who = Identity(str(data.get("session")), str(data.get("agent") or ""))
            plans |= dict.fromkeys([*_texts(data.get("plans")), *plans_held_by(index, who)])
    return tuple(plans)


def sessions(setting: GuardSetting) -> list[dict[str, Any]]:
    """All sessions that were seen or bound."""
    folder = os.path.join(setting.home, "sessions")
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GuardFailure(f"{folder} cannot be read ({error.strerror})") from None
    records = (read_object(os.path.join(folder, name)) for name in names if name.endswith(".json"))
    return [data for data in records if data]


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
    return [extent for plan in plans if (extent := index.active(plan))]


def named_by_launcher() -> tuple[str, ...]:
    """The plans in the environment."""
    return tuple(name for part in os.environ.get(VARIABLE, "").split(",") if (name := part.strip()))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def _place(setting: GuardSetting, who: Identity) -> str:
    name = digest_of(f"{who.session}\0{who.agent}")
    return os.path.join(setting.home, "sessions", f"{name}.json")


def _tree_place(setting: GuardSetting, tree: str) -> str:
    return os.path.join(setting.home, "trees", f"{digest_of(tree)}.plans.json")
