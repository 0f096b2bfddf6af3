"""Soak: with the window full, and filled again and again, every intent still has its own result, and a true one."""

from __future__ import annotations

from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, Final

from volition.execution.conformance.law import Group, content, outcome, status, words
from volition.execution.conformance.laws.crowd import ACTS, NEAR, UNKNOWN_INTENT, crowd, leaves_trace, shows
from volition.execution.conformance.verdict import Breaks, Unseen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.laws.crowd import Round
    from volition.execution.conformance.verdict import Frame, LoggedLine


SOAK: Final = Group("soak")


@SOAK.law("Results")
def one_result(bed: TestBed) -> None:
    """With the window full, each intent has exactly one result, by its own name; a repeated id has the same again."""
    for turn, frame in _all_intents(bed):
        id, found = frame["id"], turn.results(frame["id"])
        if not found:
            raise _breach(turn, id, f"no result of {frame['intent']} (id {id}) when STOP has one", "one before STOP's")
        if len(found) > 1 + (id in turn.repeated):
            sent = "twice" if id in turn.repeated else "once"
            raise _breach(turn, id, f"{len(found)} results for the id {id}, which was sent {sent}", "one for each")
        for each in found:
            if each.get("intent") != frame["intent"]:
                raise _breach(turn, id, f"{words(each)} for the id of {frame['intent']}", "the name of its intent")
            if content(each) != content(found[0]):
                raise _breach(turn, id, f"{words(each)} after {words(found[0])} for one id", "the same result again")


@SOAK.law("Results")
def own_result(bed: TestBed) -> None:
    """With the window full, no intent has the result of another: each could have come of what was asked for."""
    for turn, frame in _all_intents(bed):
        for answer in turn.results(frame["id"]):
            wrong = _impossible(turn, frame, answer, bed.tick)
            if wrong:
                found = f"{words(answer)} for {frame['intent']} (id {frame['id']})"
                raise _breach(turn, frame["id"], found, wrong)


@SOAK.law("Intents")
def window_free(bed: TestBed) -> None:
    """However intents end, by themselves, cancelled, stopped or overdue, the whole window is free again."""
    for turn, frame in _all_intents(bed):
        for answer in turn.results(frame["id"]):
            if answer.get("detail") == "WINDOW_FULL":
                found = f"{words(answer)}, though {len(turn.sent)} intents fit and nothing was open before"
                raise _breach(turn, frame["id"], found, "a place for each of them")


@SOAK.law("Results")
def none_faked(bed: TestBed) -> None:
    """With the window full, an act with SUCCESS left its trace in the world, and one that only failed left none."""
    bed.need_probe()
    bed.pick(*ACTS)
    judged = 0
    for turn in bed.once(crowd):
        name, id = turn.kind, next((frame["id"] for frame in turn.sent if frame["intent"] == turn.kind), 0)
        if not turn.results(id) or not _is_dense(turn) or not turn.looks[0].sight.free:
            continue
        judged += 1
        answer, before, *later = turn.results(id)[0], *(look.sight for look in turn.looks)
        done = any(shows(bed, name, before, sight) for sight in later)
        if status(answer) == "SUCCESS" and not done and leaves_trace(bed, name):
            raise _breach(turn, id, f"{words(answer)}, and the world shows no trace of it", "a result of an attempt")
        cools = name not in before.cooling and any(name in sight.cooling for sight in later)
        if status(answer) == "FAILURE" and cools and not outcome(answer, "action_wasted"):
            raise _breach(turn, id, f"{words(answer)}, and yet it was done", "no attempt behind a FAILURE")
        near = any(sight.target is not None and sight.target.in_reach for sight in (before, *later))
        wasted = outcome(answer, "action_wasted") is True
        if name == "PRIMARY_ATTACK" and status(answer) == "SUCCESS" and not near and not wasted:
            raise _breach(turn, id, f"{words(answer)} with nobody in reach", "FAILURE, or a SUCCESS that is wasted")
    if not judged:
        raise Unseen("no act was seen closely enough while the window was full")


@SOAK.law("Results")
def moves_true(bed: TestBed) -> None:
    """With the window full, a MOVE with SUCCESS is where it was sent; after the last result the actor stays there."""
    bed.need_probe("MOVE")
    judged = 0
    for turn in bed.once(crowd):
        moves = [frame for frame in turn.sent if frame["intent"] == "MOVE"]
        done = [
            frame for frame in moves if turn.results(frame["id"]) and status(turn.results(frame["id"])[0]) == "SUCCESS"
        ]
        if turn.kind != "walk" or not done or not _is_whole(turn):
            continue
        before, at_once, after = turn.looks[0], turn.looks[1], turn.looks[-1]
        for frame in done:
            until = turn.line_of_result(frame["id"])
            seen = [look.sight for look in turn.looks if look.line < until]
            seen += [look.sight for look in turn.looks if look.line > until][:1]
            stood = all(bed.same_place(before.sight, sight) for sight in seen)
            if hypot(*frame["parameters"]["vector"]) > bed.tolerance and stood:
                raise _breach(
                    turn, frame["id"], "SUCCESS of a MOVE, and the actor has not moved", "an actor that is there"
                )
        others = [frame["id"] for frame in turn.sent if frame is not moves[-1]]
        alone = all(turn.line_of_result(id) < at_once.line for id in others)
        relative = bed.welcome.get("move_frame") == "relative"
        if not relative or not alone or not bed.same_place(before.sight, at_once.sight) or moves[-1] not in done:
            continue
        judged += 1
        vector = tuple(moves[-1]["parameters"]["vector"])
        if not bed.arrives(before.sight, vector, after.sight):
            found = f"SUCCESS of a MOVE by {vector}, from {before.sight.place} to {after.sight.place}"
            raise _breach(turn, moves[-1]["id"], found, "an actor that is there, and has moved no further")
    if not judged:
        raise Unseen("no MOVE succeeded alone while the window was full")


@SOAK.law("Results")
def damage_true(bed: TestBed) -> None:
    """With the window full, no result names more damage than the target lost meanwhile."""
    bed.need_probe("PRIMARY_ATTACK")
    for turn in filter(_is_whole, bed.once(crowd)):
        healths = [look.sight.target.health for look in turn.looks if look.sight.target is not None]
        # A target that heals or comes back may have lost more than is shown.
        if len(healths) < len(turn.looks) or any(later > earlier for earlier, later in pairwise(healths)):
            continue
        lost = healths[0] - healths[-1]
        # Attempts that overlap may name the same damage: so each is judged, and not their sum.
        for frame in turn.sent:
            for answer in turn.results(frame["id"]):
                dealt = outcome(answer, "damage_dealt")
                if isinstance(dealt, int | float) and dealt > lost:
                    raise _breach(
                        turn, frame["id"], f"{words(answer)} with damage_dealt {dealt:g}", f"at most {lost:g}"
                    )


def _impossible(turn: Round, frame: Frame, answer: Frame, tick: float) -> str:
    """What was expected where an intent cannot have this result; empty where it can."""
    name, id, detail, end = frame["intent"], frame["id"], answer.get("detail"), status(answer)
    if detail == "CANCELLED" and id not in turn.cancelled:
        return "no CANCELLED for what was not cancelled"
    # An executor may count the time of an intent in ticks.
    if detail == "EXPIRED" and turn.seconds_open(id) + 2 * tick < frame["ttl_ms"] / 1000:
        return "no EXPIRED before its time"
    if name in {UNKNOWN_INTENT, "RELEASE"} and end != "FAILURE":
        return "FAILURE, whatever else is under way"
    # What is queued may end before anybody looks at what it is.
    if name == UNKNOWN_INTENT and detail not in {"NOT_CANONICAL", "CANCELLED", "EXPIRED", "STOPPED", "WINDOW_FULL"}:
        return "the detail NOT_CANONICAL"
    return "the result of a canonical intent" if name != UNKNOWN_INTENT and detail == "NOT_CANONICAL" else ""


def _all_intents(bed: TestBed) -> Iterator[tuple[Round, Frame]]:
    """Every intent of every turn."""
    return ((turn, frame) for turn in bed.once(crowd) for frame in turn.sent)


def _is_whole(turn: Round) -> bool:
    """Whether the probe saw one life of the actor from the beginning to the end."""
    alive = all(look.sight.alive for look in turn.looks)
    return len(turn.looks) >= 3 and alive and len({look.episode for look in turn.looks}) == 1


def _is_dense(turn: Round) -> bool:
    """Whether the probe looked so often that it cannot have missed an act."""
    ticks = [look.tick for look in turn.looks]
    return _is_whole(turn) and all(
        isinstance(earlier, int) and isinstance(later, int) and later - earlier <= NEAR
        for earlier, later in pairwise(ticks)
    )


def _breach(turn: Round, id: int, found: str, expected: str) -> Breaks:
    """The law is broken by this intent: what was said about it and about the STOP that ended its turn."""
    return Breaks(found, expected=expected, frames=tuple(_about(turn, id)))


def _about(turn: Round, id: int) -> Iterator[LoggedLine]:
    for logged in turn.connection.lines:
        data = logged.data or {}
        if data.get("type") in {"intent", "result", "cancel", "progress"} and data.get("id") in {id, turn.stop}:
            yield logged
