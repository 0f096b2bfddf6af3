"""Who is running a command: each session says so before a call that may write, and takes it back after it.

So a change of a worktree is put down to the sessions that were at work in it or could have been, and to nobody else. For
a call of which something is not known, the other worktrees are looked at too, before and after.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from volition.agents.guard.ancestry import client_process
from volition.agents.guard.digest import digest_of
from volition.agents.guard.setting import GuardFailure, GuardSetting, read_object, write_object
from volition.agents.guard.tree import find_changes, snapshot_from, take_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.agents.guard.sessions import Identity

OLDEST: Final = 6 * 3600.0
"""Seconds after which a call that never ended is forgotten."""
MOST: Final = 8
"""How many other worktrees are looked at around a call that is in doubt."""


class RunningCall(NamedTuple):
    """A call that a session runs, and the worktree in which it does."""

    session: str
    tree: str
    others: dict[str, Any]
    """Other worktree -> how it was before the call."""
    client: int = 0
    """The process that runs it; 0 if that is not known."""


def begin_call(setting: GuardSetting, who: Identity, tree: str, others: Sequence[str]) -> None:
    """Say that a session runs a command, with how the other worktrees are that it may reach."""
    looks = {}
    for other in others[:MOST]:
        with suppress(GuardFailure):  # a worktree that is gone cannot be written
            looks[other] = take_snapshot(other).to_data()
    said = {"session": who.session, "tree": tree, "at": time.time(), "others": looks, "client": client_process()}
    write_object(_place(setting, who), said)


def end_call(setting: GuardSetting, who: Identity) -> None:
    """Say that a session's command has ended."""
    with suppress(OSError):
        os.unlink(_place(setting, who))


def running_calls(setting: GuardSetting) -> list[RunningCall]:
    """All calls that are running, or whose end was never told."""
    folder = os.path.join(setting.home, "running")
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        data = read_object(os.path.join(folder, name)) if name.endswith(".json") else None
        if data and time.time() - float(data.get("at") or 0) < OLDEST:
            others, client = dict(data.get("others") or {}), int(data.get("client") or 0)
            found.append(RunningCall(str(data.get("session")), str(data.get("tree")), others, client))
    return found


def changes_elsewhere(call: RunningCall, calls: Sequence[RunningCall]) -> list[str]:
    """What changed in other worktrees during a call, except those in which another session was working."""
    busy = {one.tree for one in calls}
    found = []
    for tree, look in call.others.items():
        if tree in busy:
            continue
        with suppress(GuardFailure):
            before = snapshot_from(look)
            found += [os.path.join(tree, path) for path in find_changes(tree, before, take_snapshot(tree, before))]
    return found


def _place(setting: GuardSetting, who: Identity) -> str:
    name = digest_of(f"{who.session}\0{who.agent}")
    return os.path.join(setting.home, "running", f"{name}.json")
