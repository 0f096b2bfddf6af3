"""What happens at each event: a session is remembered, a call is judged, and the worktree is compared.

A call that cannot be recorded does not go on: nothing outside of a plan passes without a line in the journal.
"""

from __future__ import annotations

import time

from volition.agents.guard import journal
from volition.agents.guard.clients import patched_files
from volition.agents.guard.index import RegistryUnreachable, read_index
from volition.agents.guard.judge import GuardJudge, GuardVerdict
from volition.agents.guard.lean import TYPE_CHECKING
from volition.agents.guard.place import Place, places_of, tree_around, worktrees_of
from volition.agents.guard.presence import note_session
from volition.agents.guard.running import begin_call, end_call
from volition.agents.guard.sessions import Identity, active_plans, plans_of, record_start, tree_of_session
from volition.agents.guard.unplanned import record_unplanned_changes, unplanned_changes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from volition.agents.guard.clients import HookEvent
    from volition.agents.guard.git import StatusRequest
    from volition.agents.guard.setting import GuardSetting
    from volition.agents.guard.shell.words import WriteKind

SHOWN = 12
"""How many reasons or files a sentence names."""


def handle(setting: GuardSetting, client: str, event: HookEvent, status: StatusRequest | None = None) -> str:
    """The objection to an event; empty if there is none. `status` is that of the worktree around the event."""
    who = Identity(event.session, event.agent)
    trees = worktrees_of(setting)
    own = tree_around(event.folder, trees) or tree_of_session(setting, who)
    entry = {
        "at": int(time.time() * 1000), "client": client, "moment": event.moment, "session": event.session,
        "agent": event.agent, "tool": event.tool, "folder": event.folder, "tree": own,
    }  # fmt: skip
    if event.moment in {"start", "before"} and event.kind != "read":
        note_session(setting.home, who.session, own, again=event.moment == "start" or event.kind == "plan")
    if event.moment == "start":
        record_start(setting, who, own)
        if own:
            record_unplanned_changes(setting, who, own, entry, status=_status_of(own, status))
        journal.append(setting.home, {**entry, "what": "start"})
        return ""
    if event.kind in {"read", "plan"}:
        return ""
    if event.moment == "before":
        return _judge(setting, event, who, trees, own, entry, status)
    if event.moment == "after" and event.kind in {"write", "patch"}:
        end_call(setting, who)  # the client wrote what it named, and that was judged; the next look sees the rest
        return ""
    is_end = event.moment == "end"
    sentences = []
    if own:
        sentences = record_unplanned_changes(
            setting, who, own, entry, tell=True, at_end=is_end, status=_status_of(own, status)
        )
    end_call(setting, who)
    return "" if event.again else _tell_unplanned(sentences)


def _judge(
    setting: GuardSetting,
    event: HookEvent,
    who: Identity,
    trees: list[str],
    own: str,
    entry: dict[str, Any],
    status: StatusRequest | None,
) -> str:
    writes, doubts, programs = _reading_of(event)
    places = [
        place
        for folder, path, kind in writes
        for place in places_of(setting, trees, own, folder, path, kind)
        if place.ground not in {"nothing", "temporary"}
    ]
    plans: tuple[str, ...] = ()
    if not places and not doubts:
        verdict = GuardVerdict("pass", tuple(f"what {name} changes is looked at afterwards" for name in programs))
        _look_before(setting, who, own, entry, status, must=False)
    else:
        plans, verdict = _judge_places(setting, who, own, places, doubts)
        if verdict.word != "deny":
            _look_before(setting, who, own, entry, status, must=not setting.lenient)
    _record(setting, event, plans, verdict, entry)
    if verdict.word == "deny":
        return f"volition: {'; '.join(_shorten(list(verdict.reasons)))}."
    is_known = not doubts and not programs and verdict.word == "pass"
    begin_call(setting, who, own, [] if is_known else [tree for tree in trees if tree != own])
    return ""


def _judge_places(
    setting: GuardSetting, who: Identity, own: str, places: list[Place], doubts: list[str]
) -> tuple[tuple[str, ...], GuardVerdict]:
    """The plans of a session, and the verdict by them; while the registry cannot be reached, what the setting says."""
    try:
        return _judge_by_index(setting, who, own, places, doubts)
    except RegistryUnreachable as failure:
        is_kept = any(place.ground in {"guarded", "another tree"} or place.kind == "history" for place in places)
        if not setting.lenient or is_kept:
            raise
        targets = tuple(place.path for place in places)
        return (), GuardVerdict("marked", (f"not judged, because {failure}", *doubts), targets)


def _judge_by_index(
    setting: GuardSetting, who: Identity, own: str, places: list[Place], doubts: list[str], note: str = ""
) -> tuple[tuple[str, ...], GuardVerdict]:
    """The plans and the verdict. Files that nobody has are claimed, if the setting says so, and judged again: another
    session may have been faster. `note` says how that went."""
    index = read_index(setting)
    plans = plans_of(setting, index, who, own)
    unplanned = unplanned_changes(setting, own) if own else {}
    judge = GuardJudge(index, plans, strict=setting.strict, session=who.session, unplanned=unplanned)
    verdict = judge.judge(places, doubts)
    may_claim = verdict.word == "deny" and setting.auto_claim and not note
    if may_claim and (wanted := judge.find_unclaimed(places, doubts)):
        from volition.agents.guard.claiming import claim_files  # it opens the registry

        plan, refusal = claim_files(setting, who, active_plans(index, plans), wanted)
        how = f"could not be claimed ({refusal})" if refusal else f"was claimed by this first write, in {plan}"
        return _judge_by_index(setting, who, own, places, doubts, f"{', '.join(_shorten(wanted))} {how}")
    return plans, verdict._replace(reasons=(*verdict.reasons, note)) if note else verdict


def _status_of(own: str, status: StatusRequest | None) -> StatusRequest | None:
    """The status that was asked for, if it is that of the session's worktree."""
    return status if status is not None and status.tree == own else None


def _look_before(
    setting: GuardSetting, who: Identity, own: str, entry: dict[str, Any], status: StatusRequest | None, *, must: bool
) -> None:
    """Look at the worktree before a call, unless nothing can have appeared or vanished: what was changed in place is told by
    its time from what the call changes. Without a registry, a call that needs no plan is looked at afterwards."""
    seen = _status_of(own, status)
    if not own or (seen is not None and seen.still):
        return
    try:
        record_unplanned_changes(setting, who, own, entry, status=seen)
    except RegistryUnreachable:
        if must:
            raise


def _reading_of(event: HookEvent) -> tuple[Sequence[tuple[str, str, WriteKind]], list[str], list[str]]:
    """What a call is seen to write (a path, the folder that it is relative to, and what happens to it), what cannot be known of
    it, and programs that are judged by what they changed."""
    if event.kind == "shell":
        from volition.agents.guard.shell.reading import read_shell  # the parser is the heaviest import

        return read_shell(event.text, event.folder)
    files = patched_files(event.text) if event.kind == "patch" else event.files
    doubts = [] if files else [f"what {event.tool} writes cannot be known"]
    return [(event.folder, path, "write") for path in files], doubts, []


def _record(
    setting: GuardSetting, event: HookEvent, plans: tuple[str, ...], verdict: GuardVerdict, entry: dict[str, Any]
) -> None:
    line = {
        **entry, "what": verdict.word, "plans": list(plans), "targets": list(verdict.targets[:50]),
        "reasons": list(verdict.reasons[:SHOWN]), "text": event.text[: journal.LONGEST],
    }  # fmt: skip
    journal.append(setting.home, line)


def _tell_unplanned(sentences: list[str]) -> str:
    if not sentences:
        return ""
    return "volition: " + ". ".join(_shorten(sentences)) + ". Undo it, or revise your plan: volition team revise."


def _shorten(lines: list[str]) -> list[str]:
    return lines if len(lines) <= SHOWN else [*lines[:SHOWN], f"and {len(lines) - SHOWN} more"]
