"""Strays: files that changed and are in nobody's plan. They are recorded once, and reported until they are undone.

A worktree is compared with how it was at the last look, whatever happened in between: a command that was not
understood, a process that still runs, a call for which the client sent no second event. What changed while a session ran
nothing is recorded too, and not put down to it.
"""

from __future__ import annotations

import os

from volition.agents.guard import journal
from volition.agents.guard.armed import is_arming
from volition.agents.guard.index import read_index
from volition.agents.guard.judge import GuardJudge
from volition.agents.guard.lean import TYPE_CHECKING
from volition.agents.guard.permits import Stray
from volition.agents.guard.running import RunningCall, changes_elsewhere, running_calls
from volition.agents.guard.sessions import Identity, everybodys_plans, plans_of
from volition.agents.guard.setting import GuardFailure, GuardSetting, read_object, write_object
from volition.agents.guard.tree import Snapshot, find_changes, find_older, look_file, snapshot_from, take_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from volition.agents.guard.git import StatusAsked


COMMITTED = "committed"
"""The mark of a stray that shows no difference any more: it was committed, or its changes are gone."""


def look(
    setting: GuardSetting,
    who: Identity,
    tree: str,
    said: dict[str, Any],
    *,
    tell: bool = False,
    at_end: bool = False,
    asked: StatusAsked | None = None,
) -> list[str]:
    """Compare a worktree with the last look, record what strayed, and remember how it is now.

    With `tell`, a sentence for each stray of this session that was not named yet; at the end, for each that is still there.
    """
    place = look_file(setting.home, tree)
    with _Lock(setting, place):
        known = read_object(place)
        before = snapshot_from(known.get("snapshot")) if known else None
        now = take_snapshot(tree, before, setting.home, asked)
        if known is None or before is None:
            _store(place, tree, now, {}, ())
            return []
        calls = running_calls(setting)
        is_mine = said["moment"] == "after" or any(call.session == who.session for call in calls)
        strays, named = strays_in(known), set(known.get("named") or ())
        undone = {path for path, one in strays.items() if one.was != COMMITTED and now.paths.get(path, "") == one.was}
        strays = {path: one for path, one in strays.items() if path not in undone}
        if changed := [path for path in find_changes(tree, before, now) if path not in undone]:
            begun = min((call.begun for call in calls if call.session == who.session), default=0)
            older = find_older(tree, before, now, begun) if is_mine else set()
            own, others = [path for path in changed if path not in older], [path for path in changed if path in older]
            new = _record(setting, who, tree, own, now, calls, said, is_mine=is_mine)
            new |= _record(setting, who, tree, others, now, calls, said, is_mine=False)
            for path, session in new.items():
                was = before.paths.get(path, "") if path in now.paths else COMMITTED
                strays.setdefault(path, Stray(was, session))
            named -= new.keys()
        mine = {path for path, one in strays.items() if one.session == who.session}
        told = sorted(path for path in mine if at_end or path not in named)
        if tell:
            named |= mine
            strays = {path: one for path, one in strays.items() if one.was != COMMITTED}
        _store(place, tree, now, strays, sorted(named & strays.keys()), known)
    elsewhere = _record_elsewhere(setting, who, calls, said) if said["moment"] == "after" else []
    if not tell:
        return []
    return [f"{path} changed and is not in your plan" for path in told] + [
        f"{path} is in another worktree, and changed while this command ran" for path in elsewhere
    ]


def _record(
    setting: GuardSetting, who: Identity, tree: str, changed: list[str], now: Snapshot, calls: Sequence[RunningCall],
    said: dict[str, Any], *, is_mine: bool,
) -> dict[str, str]:  # fmt: skip
    """The changed paths that are in no plan, recorded with who was at work, and the session that each is put down to."""
    if not changed:
        return {}
    index = read_index(setting)
    plans = (*plans_of(setting, index, who, tree), *everybodys_plans(setting, index, tree))
    judge = GuardJudge(index, plans, strict=setting.strict)

    def is_left_over(path: str) -> bool:
        return now.paths.get(path, "").startswith("??") and judge.is_sibling(path)

    new = [path for path in changed if is_arming(path) or (judge.is_stray(path) and not is_left_over(path))]
    if new:
        when = _when(who, calls, is_mine=is_mine)
        shared = {"targets": new[:50], "count": len(new), "plans": list(plans), "by": who.session if is_mine else ""}
        reasons = [f"{path} changed{when}; {judge.holder_of(path)}" for path in new[:12]]
        journal.append(setting.home, {**said, "what": "stray", **shared, "reasons": reasons})
    return dict.fromkeys(new, who.session if is_mine else "")


def _when(who: Identity, calls: Sequence[RunningCall], *, is_mine: bool) -> str:
    others = sorted({call.session for call in calls if call.session != who.session})
    names = ", ".join(others)
    if not is_mine:
        return " while nobody of this session was running a command" + (f" ({names} was)" if others else "")
    return f" while this session and {names} were running commands" if others else ""


def _record_elsewhere(
    setting: GuardSetting, who: Identity, calls: Sequence[RunningCall], said: dict[str, Any]
) -> list[str]:
    """What a session's call changed in other worktrees, recorded."""
    mine = [call for call in calls if call.session == who.session and call.others]
    found = [path for call in mine for path in changes_elsewhere(call, calls)]
    if found:
        reasons = [
            f"{path} is in another worktree, and changed while this session ran a command" for path in found[:12]
        ]
        entry = {**said, "what": "stray", "targets": found[:50], "count": len(found), "by": who.session}
        journal.append(setting.home, {**entry, "reasons": reasons})
    return found


def strays_of(setting: GuardSetting, tree: str) -> dict[str, Stray]:
    """The strays of a worktree that are still there."""
    return strays_in(read_object(look_file(setting.home, tree)) or {})


def strays_in(known: dict[str, Any]) -> dict[str, Stray]:
    """The strays that a stored look has."""
    found = known.get("strays") or {}
    return {path: Stray(one, "") if isinstance(one, str) else Stray(*one) for path, one in found.items()}


def forget_tree(setting: GuardSetting, tree: str) -> None:
    """Take the worktree as it is: strays are no longer named, and the next look begins here."""
    with _Lock(setting, look_file(setting.home, tree)):
        _store(look_file(setting.home, tree), tree, take_snapshot(tree, None, setting.home), {}, ())


def _store(
    place: str, tree: str, now: Snapshot, strays: dict[str, Stray], named: Sequence[str], known: Any = None
) -> None:
    """Store a look, unless it is the one that is stored."""
    kept = {path: list(one) for path, one in strays.items()}
    data = {"tree": tree, "snapshot": now.to_data(), "strays": kept, "named": list(named)}
    if data != known:
        write_object(place, data)


class _Lock:
    """Events of one worktree are handled one at a time."""

    def __init__(self, setting: GuardSetting, place: str) -> None:
        try:
            os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
            self._descriptor = os.open(f"{place}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise GuardFailure(f"{setting.home} cannot be written ({error.strerror})") from None

    def __enter__(self) -> None:
        import fcntl  # as in the journal

        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)
