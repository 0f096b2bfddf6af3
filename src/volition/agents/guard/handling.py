"""What happens at each event: a session is remembered, a call is judged, and the worktree is compared.

A call that cannot be recorded does not go on: nothing outside of a plan passes without a line in the journal.
"""

from __future__ import annotations

import time

from volition.agents.guard import journal
from volition.agents.guard.index import RegistryUnreachable, read_index
from volition.agents.guard.judge import GuardJudge, GuardVerdict
from volition.agents.guard.lean import TYPE_CHECKING
from volition.agents.guard.patch import patched_files
from volition.agents.guard.place import Place, places_of, tree_around, worktrees_of
from volition.agents.guard.presence import note_session
from volition.agents.guard.running import begin_call, end_call
from volition.agents.guard.sessions import Identity, active_plans, plans_of, record_start, tree_of_session
from volition.agents.guard.strays import look, strays_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from volition.agents.guard.event import HookEvent
    from volition.agents.guard.git import StatusAsked
    from volition.agents.guard.setting import GuardSetting
    from volition.agents.guard.shell_words import WriteKind

SHOWN = 12
"""How many reasons or files a sentence names."""


def handle(setting: GuardSetting, client: str, event: HookEvent, asked: StatusAsked | None = None) -> str:
    """The objection to an event; empty if there is none. `asked` is the status of the worktree around the event."""
    who = Identity(event.session, event.agent)
    trees = worktrees_of(setting)
    own = tree_around(event.folder, trees) or tree_of_session(setting, who)
    said = {
        "at": int(time.time() * 1000), "client": client, "moment": event.moment, "session": event.session,
        "agent": event.agent, "tool": event.tool, "folder": event.folder, "tree": own,
    }  # fmt: skip
    if event.moment in {"start", "before"} and event.kind != "read":
        note_session(setting.home, who.session, own, again=event.moment == "start" or event.kind == "plan")
    if event.moment == "start":
        record_start(setting, who, own)
        if own:
            look(setting, who, own, said, asked=_status_of(own, asked))
        journal.append(setting.home, {**said, "what": "start"})
        return ""
    if event.kind in {"read", "plan"}:
        return ""
    if event.moment == "before":
        return _judge(setting, event, who, trees, own, said, asked)
    if event.moment == "after" and event.kind in {"write", "patch"}:
        end_call(setting, who)  # the client wrote what it named, and that was judged; the next look sees the rest
        return ""
    is_end = event.moment == "end"
    strays = look(setting, who, own, said, tell=True, at_end=is_end, asked=_status_of(own, asked)) if own else []
    end_call(setting, who)
    return "" if event.again else _name_strays(strays)


def _judge(
    setting: GuardSetting,
    event: HookEvent,
    who: Identity,
    trees: list[str],
    own: str,
    said: dict[str, Any],
    asked: StatusAsked | None,
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
        _look_before(setting, who, own, said, asked, must=False)
    else:
        plans, verdict = _judge_places(setting, who, own, places, doubts)
        if verdict.word != "deny":
            _look_before(setting, who, own, said, asked, must=not setting.lenient)
    _record(setting, event, plans, verdict, said)
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
        held = [one.path for one in places if one.ground in {"guarded", "another tree"} or one.kind == "history"]
        if not setting.lenient or held:
            raise
        targets = tuple(place.path for place in places)
        return (), GuardVerdict("marked", (f"not judged, because {failure}", *doubts), targets)


def _judge_by_index(
    setting: GuardSetting, who: Identity, own: str, places: list[Place], doubts: list[str], note: str = ""
) -> tuple[tuple[str, ...], GuardVerdict]:
    """The plans and the verdict. Files that nobody has are claimed, if the setting says so, and judged again: somebody
    else may have been faster. `note` says how that went."""
    index = read_index(setting)
    plans = plans_of(setting, index, who, own)
    strays = strays_of(setting, own) if own else {}
    judge = GuardJudge(index, plans, strict=setting.strict, session=who.session, strays=strays)
    verdict = judge.judge(places, doubts)
    may_claim = verdict.word == "deny" and setting.auto_claim and not note
    if may_claim and (wanted := judge.find_unclaimed(places, doubts)):
        from volition.agents.guard.claiming import claim_files  # it opens the registry

        plan, refusal = claim_files(setting, who, active_plans(index, plans), wanted)
        how = f"could not be claimed ({refusal})" if refusal else f"was claimed by this first write, in {plan}"
        return _judge_by_index(setting, who, own, places, doubts, f"{', '.join(_shorten(wanted))} {how}")
    return plans, verdict._replace(reasons=(*verdict.reasons, note)) if note else verdict


def _status_of(own: str, asked: StatusAsked | None) -> StatusAsked | None:
    """The status that was asked for, if it is that of the session's worktree."""
    return asked if asked is not None and asked.tree == own else None


def _look_before(
    setting: GuardSetting, who: Identity, own: str, said: dict[str, Any], asked: StatusAsked | None, *, must: bool
) -> None:
    """Look at the worktree before a call, unless nothing can have appeared or vanished: what was changed in place is told by
    its time from what the call changes. Without a registry, a call that needs no plan is looked at afterwards."""
    seen = _status_of(own, asked)
    if not own or (seen is not None and seen.still):
        return
    try:
        look(setting, who, own, said, asked=seen)
    except RegistryUnreachable:
        if must:
            raise


def _reading_of(event: HookEvent) -> tuple[Sequence[tuple[str, str, WriteKind]], list[str], list[str]]:
    """What a call is seen to write (a path, the folder that it is relative to, and what happens to it), what cannot be known of
    it, and programs that are judged by what they changed."""
    if event.kind == "shell":
        from volition.agents.guard.shell import read_shell  # the parser is the heaviest import

        return read_shell(event.text, event.folder)
    files = patched_files(event.text) if event.kind == "patch" else event.files
    doubts = [] if files else [f"what {event.tool} writes cannot be known"]
    return [(event.folder, path, "write") for path in files], doubts, []


def _record(
    setting: GuardSetting, event: HookEvent, plans: tuple[str, ...], verdict: GuardVerdict, said: dict[str, Any]
) -> None:
    entry = {
        **said, "what": verdict.word, "plans": list(plans), "targets": list(verdict.targets[:50]),
        "reasons": list(verdict.reasons[:SHOWN]), "text": event.text[: journal.LONGEST],
    }  # fmt: skip
    journal.append(setting.home, entry)


def _name_strays(strays: list[str]) -> str:
    if not strays:
        return ""
    return "volition: " + ". ".join(_shorten(strays)) + ". Undo it, or revise your plan: volition team revise."


def _shorten(lines: list[str]) -> list[str]:
    return lines if len(lines) <= SHOWN else [*lines[:SHOWN], f"and {len(lines) - SHOWN} more"]
