"""Strays: files that changed and are in nobody's plan. They are recorded once, and reported until they are undone.

A worktree is compared with how it was at the last look, whatever happened in between: a command that was not
understood, a process that still runs, a call for which the client sent no second event.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from volition.agents.guard import journal
from volition.agents.guard.digest import digest_of
from volition.agents.guard.index import read_index
from volition.agents.guard.judge import GuardJudge
from volition.agents.guard.place import ARMING
from volition.agents.guard.sessions import Identity, everybodys_plans, plans_of
from volition.agents.guard.setting import GuardFailure, GuardSetting, read_object, write_object
from volition.agents.guard.tree import find_changes, snapshot_from, take_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator


COMMITTED = "committed"
"""The mark of a stray that shows no difference any more: it was committed, or its changes are gone."""


def look(
    setting: GuardSetting, who: Identity, tree: str, said: dict[str, Any], *, tell: bool = False, at_end: bool = False
) -> list[str]:
    """Compare a worktree with the last look, record what strayed, and remember how it is now.

    With `tell`, a sentence for each stray that was not named yet; at the end, for each that is still there.
    """
    place = _place(setting, tree)
    with _hold_lock(setting, place):
        known = read_object(place)
        now = take_snapshot(tree)
        if known is None:
            write_object(place, {"tree": tree, "snapshot": now.to_data(), "strays": {}, "named": []})
            return []
        before = snapshot_from(known.get("snapshot"))
        changed = find_changes(tree, before, now)
        strays, named = dict(known.get("strays") or {}), set(known.get("named") or ())
        undone = {path for path, was in strays.items() if was != COMMITTED and now.paths.get(path, "") == was}
        strays = {path: was for path, was in strays.items() if path not in undone}
        if changed:
            index = read_index(setting)
            plans = (*plans_of(setting, index, who, tree), *everybodys_plans(setting, index, tree))
            judge = GuardJudge(index, plans, strict=setting.strict)
            outside = (path for path in changed if judge.is_stray(path) or path.partition("/")[0] in ARMING)
            new = [path for path in outside if path not in undone]
            for path in new:
                strays.setdefault(path, before.paths.get(path, "") if path in now.paths else COMMITTED)
            named -= set(new)
            if new:
                shared = {"targets": new[:50], "count": len(new), "plans": list(plans)}
                reasons = [f"{path} changed; {judge.holder_of(path)}" for path in new[:12]]
                journal.append(setting.home, {**said, "what": "stray", **shared, "reasons": reasons})
        open_strays = [path for path in strays if at_end or path not in named]
        if tell:
            named |= set(strays)
            strays = {path: was for path, was in strays.items() if was != COMMITTED}
        write_object(
            place, {"tree": tree, "snapshot": now.to_data(), "strays": strays, "named": sorted(named & strays.keys())}
        )
        return [f"{path} changed and is not in your plan" for path in sorted(open_strays)] if tell else []


def forget_tree(setting: GuardSetting, tree: str) -> None:
    """Take the worktree as it is: strays are no longer named, and the next look begins here."""
    with _hold_lock(setting, _place(setting, tree)):
        write_object(
            _place(setting, tree),
            {"tree": tree, "snapshot": take_snapshot(tree).to_data(), "strays": {}, "named": []},
        )


def _place(setting: GuardSetting, tree: str) -> str:
    return os.path.join(setting.home, "trees", f"{digest_of(tree)}.json")


@contextmanager
def _hold_lock(setting: GuardSetting, place: str) -> Iterator[None]:
    """Events of one worktree are handled one at a time."""
    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        descriptor = os.open(f"{place}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise GuardFailure(f"{setting.home} cannot be written ({error.strerror})") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
