"""Who is running a command: each session says so before a call that may write, and takes it back after it.

So a change of a worktree is put down to the sessions that were at work in it or could have been, and to nobody else. For
a call of which something is not known, the other worktrees are looked at too, before and after.
"""

from __future__ import annotations

import os
import time

from volition.agents.guard.git import StatusRequest
from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple, digest_of
from volition.agents.guard.processes import client_process
from volition.agents.guard.setting import GuardFailure, GuardSetting, read_object, write_object
from volition.agents.guard.tree import Snapshot, find_changes, known_tips, snapshot_from, take_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Final

    from volition.agents.guard.sessions import Identity

OLDEST: Final = 6 * 3600.0
"""Seconds after which a call that never ended is forgotten."""
MOST: Final = 8
"""How many other worktrees are looked at around a call that is in doubt."""


class RunningCall(LeanTuple):
    """A call that a session runs, and the worktree in which it does."""

    session: str
    tree: str
    others: dict[str, Any]
    """Other worktree -> how it was before the call."""
    client: int = 0
    """The process that runs it; 0 if that is not known."""
    begun: int = 0
    """When it began, by the clock that gives files their time of change, in nanoseconds."""


def begin_call(setting: GuardSetting, who: Identity, tree: str, others: Sequence[str]) -> None:
    """Say that a session runs a command, with how the other worktrees are that it may reach. If it runs another one
    already, what happens is put down to both."""
    requests = [
        StatusRequest(other) for other in others[:MOST] if os.path.isdir(other)
    ]  # all are read at the same time
    place = _place(setting, who)
    running = _read_call(place)
    looks = {}
    tips = known_tips(tree, setting.home) if tree and requests else None  # all worktrees share the branches
    for request in requests:
        try:
            look = take_snapshot(request.tree, _look_before(running, request.tree), status=request, tips=tips)
        except GuardFailure:  # a worktree that is gone cannot be written
            continue
        looks[request.tree], tips = look.to_data(), look.tips
    call = {"session": who.session, "tree": tree, "at": time.time(), "others": looks, "client": client_process()}
    write_object(place, call | ({"begun": running.begun} if running else {}))


def _look_before(call: RunningCall | None, tree: str) -> Snapshot | None:
    """How another worktree was before a call; None if that is not known."""
    try:
        return snapshot_from(call.others[tree]) if call and tree in call.others else None
    except GuardFailure:
        return None


def end_call(setting: GuardSetting, who: Identity) -> None:
    """Say that a session's command has ended."""
    try:
        os.unlink(_place(setting, who))
    except OSError:
        return


def running_calls(setting: GuardSetting) -> list[RunningCall]:
    """All calls that are running, or whose end was never told."""
    folder = os.path.join(setting.home, "running")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else ()
    calls = (_read_call(os.path.join(folder, name)) for name in names if name.endswith(".json"))
    return [call for call in calls if call]


def _read_call(place: str) -> RunningCall | None:
    data = read_object(place)
    if not data or time.time() - float(data.get("at") or 0) >= OLDEST:
        return None
    others, client = dict(data.get("others") or {}), int(data.get("client") or 0)
    begun = int(data.get("begun") or 0) or _written_at(place)
    return RunningCall(str(data.get("session")), str(data.get("tree")), others, client, begun)


def _written_at(place: str) -> int:
    """A file that is written after this one has no earlier time of change, whatever the steps of the clock."""
    try:
        return os.stat(place).st_mtime_ns
    except OSError:  # the call ended meanwhile
        return 0


def changes_elsewhere(call: RunningCall, calls: Sequence[RunningCall]) -> list[str]:
    """What changed in other worktrees during a call, except those in which another session was working."""
    busy = {other.tree for other in calls}
    paths = []
    for tree, look in call.others.items():
        if tree in busy:
            continue
        try:
            before = snapshot_from(look)
            now = take_snapshot(tree, before, tips=before.tips)  # only those from before are compared
            paths += [os.path.join(tree, path) for path in find_changes(tree, before, now)]
        except GuardFailure:
            continue
    return paths


def _place(setting: GuardSetting, who: Identity) -> str:
    name = digest_of(f"{who.session}\0{who.agent}")
    return os.path.join(setting.home, "running", f"{name}.json")
