"""Unplanned changes: files that changed and are in nobody's plan. Each is recorded once, and reported until it is undone.

A worktree is compared with how it was at the last look, whatever happened in between: a command that was not
understood, a process that still runs, a call for which the client sent no second event. What changed while a session ran
nothing is recorded too, and not put down to it.

Theory of operation. A path is in one of these states:

    planned     some plan has it, and nothing is stored
    unplanned   it is stored with how it was, and reported to its session once, and again at each end of the session
    undone      it is as it was, and is forgotten
    committed   git no longer shows a difference; it is reported once, and then forgotten: nothing can undo it here
"""

from __future__ import annotations

import os

from volition.agents.guard import journal
from volition.agents.guard.index import read_index
from volition.agents.guard.judge import GuardJudge, UnplannedChange
from volition.agents.guard.lean import TYPE_CHECKING
from volition.agents.guard.marks import is_arming
from volition.agents.guard.running import RunningCall, changes_elsewhere, running_calls
from volition.agents.guard.sessions import Identity, everybodys_plans, plans_of
from volition.agents.guard.setting import GuardFailure, GuardSetting, read_object, write_object
from volition.agents.guard.tree import Snapshot, find_changes, find_older, look_file, snapshot_from, take_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from volition.agents.guard.git import StatusRequest


COMMITTED = "committed"
"""The mark of an unplanned change that no longer shows a difference: it was committed, or its changes are gone."""


def record_unplanned_changes(
    setting: GuardSetting,
    who: Identity,
    tree: str,
    entry: dict[str, Any],
    *,
    tell: bool = False,
    at_end: bool = False,
    status: StatusRequest | None = None,
) -> list[str]:
    """Compare a worktree with the last look, record what changed and is in no plan, and remember how it is now. `entry` is
    what the journal says about the event.

    With `tell`, a sentence for each unplanned change of this session that was not told yet; at the end, for each that is
    still there.
    """
    place = look_file(setting.home, tree)
    with _Lock(setting, place):
        stored = read_object(place)
        before = snapshot_from(stored.get("snapshot")) if stored else None
        now = take_snapshot(tree, before, setting.home, status)
        if stored is None or before is None:
            _store(place, tree, now, {}, ())
            return []
        calls = running_calls(setting)
        is_mine = entry["moment"] == "after" or any(call.session == who.session for call in calls)
        changes, named = _read_changes(stored), set(stored.get("named") or ())
        undone = {
            path
            for path, change in changes.items()
            if change.was != COMMITTED and now.paths.get(path, "") == change.was
        }
        changes = {path: change for path, change in changes.items() if path not in undone}
        if changed := [path for path in find_changes(tree, before, now) if path not in undone]:
            begun = min((call.begun for call in calls if call.session == who.session), default=0)
            older = find_older(tree, before, now, begun) if is_mine else set()
            own, others = [path for path in changed if path not in older], [path for path in changed if path in older]
            new = _record(setting, who, tree, own, now, calls, entry, is_mine=is_mine)
            new |= _record(setting, who, tree, others, now, calls, entry, is_mine=False)
            for path, session in new.items():
                was = before.paths.get(path, "") if path in now.paths else COMMITTED
                changes.setdefault(path, UnplannedChange(was, session))
            named -= new.keys()
        mine = {path for path, change in changes.items() if change.session == who.session}
        untold = sorted(path for path in mine if at_end or path not in named)
        if tell:
            named |= mine
            changes = {path: change for path, change in changes.items() if change.was != COMMITTED}
        _store(place, tree, now, changes, sorted(named & changes.keys()), stored)
    elsewhere = _record_elsewhere(setting, who, calls, entry) if entry["moment"] == "after" else []
    if not tell:
        return []
    return [f"{path} changed and is not in your plan" for path in untold] + [
        f"{path} is in another worktree, and changed while this command ran" for path in elsewhere
    ]


def _record(
    setting: GuardSetting, who: Identity, tree: str, changed: list[str], now: Snapshot, calls: Sequence[RunningCall],
    entry: dict[str, Any], *, is_mine: bool,
) -> dict[str, str]:  # fmt: skip
    """The changed paths that are in no plan, recorded with who was at work, and the session that each is put down to."""
    if not changed:
        return {}
    index = read_index(setting)
    plans = (*plans_of(setting, index, who, tree), *everybodys_plans(setting, index, tree))
    judge = GuardJudge(index, plans, strict=setting.strict)

    def is_left_over(path: str) -> bool:
        return now.paths.get(path, "").startswith("??") and judge.is_sibling(path)

    new = [path for path in changed if is_arming(path) or (judge.is_unplanned(path) and not is_left_over(path))]
    if new:
        when = _when(who, calls, is_mine=is_mine)
        shared = {"targets": new[:50], "count": len(new), "plans": list(plans), "by": who.session if is_mine else ""}
        reasons = [f"{path} changed{when}; {judge.holder_of(path)}" for path in new[:12]]
        journal.append(setting.home, {**entry, "what": "stray", **shared, "reasons": reasons})
    return dict.fromkeys(new, who.session if is_mine else "")


def _when(who: Identity, calls: Sequence[RunningCall], *, is_mine: bool) -> str:
    others = sorted({call.session for call in calls if call.session != who.session})
    names = ", ".join(others)
    if not is_mine:
        return " while nobody of this session was running a command" + (f" ({names} was)" if others else "")
    return f" while this session and {names} were running commands" if others else ""


def _record_elsewhere(
    setting: GuardSetting, who: Identity, calls: Sequence[RunningCall], entry: dict[str, Any]
) -> list[str]:
    """What a session's call changed in other worktrees, recorded."""
    mine = [call for call in calls if call.session == who.session and call.others]
    paths = [path for call in mine for path in changes_elsewhere(call, calls)]
    if paths:
        reasons = [
            f"{path} is in another worktree, and changed while this session ran a command" for path in paths[:12]
        ]
        about = {"what": "stray", "targets": paths[:50], "count": len(paths), "by": who.session}
        journal.append(setting.home, {**entry, **about, "reasons": reasons})
    return paths


def unplanned_changes(setting: GuardSetting, tree: str) -> dict[str, UnplannedChange]:
    """Path -> the unplanned change of a worktree that is still there."""
    return _read_changes(read_object(look_file(setting.home, tree)) or {})


def _read_changes(stored: dict[str, Any]) -> dict[str, UnplannedChange]:
    """The unplanned changes that a stored look has; one of an earlier version is only how the path was."""
    return {
        path: UnplannedChange(change, "") if isinstance(change, str) else UnplannedChange(*change)
        for path, change in (stored.get("strays") or {}).items()
    }


def accept_tree(setting: GuardSetting, tree: str) -> None:
    """Take the worktree as it is: unplanned changes are no longer told, and the next look begins here."""
    with _Lock(setting, look_file(setting.home, tree)):
        _store(look_file(setting.home, tree), tree, take_snapshot(tree, None, setting.home), {}, ())


def _store(
    place: str, tree: str, now: Snapshot, changes: dict[str, UnplannedChange], named: Sequence[str], stored: Any = None
) -> None:
    """Store a look, unless it is the one that is stored."""
    shape = {path: list(change) for path, change in changes.items()}
    data = {"tree": tree, "snapshot": now.to_data(), "strays": shape, "named": list(named)}
    if data != stored:
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
