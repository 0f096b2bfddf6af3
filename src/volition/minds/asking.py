"""Asking minds: all at once, until one deadline, and whatever they do, the caller goes on."""

from __future__ import annotations

import time
from functools import partial
from hashlib import sha256
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from volition.core.clock import SystemClock
from volition.core.errors import InvalidInput, Problems, check_known, format_value
from volition.minds.answers import JudgedAnswer
from volition.minds.budget import Spending
from volition.minds.contract import Asked, canonical_situation, check_deadline, check_mind
from volition.minds.workers import Errand, send_errand

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from volition.core.clock import Clock
    from volition.minds.contract import AnyMind, MindSituation

_CLOCK: Final = SystemClock()
Replies = SimpleQueue[tuple[str, JudgedAnswer, float]]
"""Who was asked, what came of it, and when, on the clock of the question."""


class _Sent(NamedTuple):
    """A question that was sent, and what stops it as far as it can be stopped."""

    errand: Errand
    stop: Callable[[], None]


def ask_all(
    minds: Mapping[str, AnyMind],
    situations: Mapping[str, MindSituation],
    *,
    deadline_s: float,
    spending: Spending | None = None,
    clock: Clock = _CLOCK,
) -> dict[str, Asked]:
    """Ask the mind of everybody who has a situation, all at once; the result has one record for each, by who it is.

    Args:
        minds: who -> the mind, or its `propose` as a function.
        situations: who -> the question; each `situation.who` is its key.
        deadline_s: how long all of them together may take.
        spending: what the run has used; pass the same one at every tick. Without it there is no limit.
        clock: by which time is counted, and lateness judged. The caller never waits longer than `deadline_s` of real time.

    Nothing that a mind does reaches the caller: it may raise, return anything, change its situation or never return. Whose
    question is sent first where the budget is short follows from the order of the names.

    >>> from volition.minds.contract import MindOption, MindSituation, MindVote
    >>> rain = MindSituation("ada", "It rains.", (MindOption("stay"), MindOption("go")))
    >>> ask_all({"ada": lambda situation: MindVote("stay", "it is dry")}, {"ada": rain}, deadline_s=5)["ada"].reason
    'it is dry'
    """
    _check(minds, situations, deadline_s)
    spending = Spending() if spending is None else spending
    contents = {who: canonical_situation(situations[who]) for who in sorted(situations)}
    asked: dict[str, Asked] = {}
    sent: dict[str, _Sent] = {}
    replies: Replies = SimpleQueue()
    begun, limit = clock.monotonic(), spending.time_left(deadline_s)
    ends = time.monotonic() + limit
    for who, content in contents.items():
        deliver = partial(_deliver, replies, clock, who)
        errand = Errand(_propose_of(minds[who]), situations[who], content, clock, begun + limit, deliver)
        stop = _send(errand, who, spending)
        if isinstance(stop, JudgedAnswer):
            asked[who] = _record(who, content, stop, 0.0)
        else:
            sent[who] = _Sent(errand, stop)
    asked |= _collect(replies, sent, clock, begun, limit, ends)
    for who, (errand, _) in sent.items():
        if not errand.returned.is_set():
            spending.leave(who, errand.returned)
    if sent:
        spending.wait(clock.monotonic() - begun)
    for who in contents:
        spending.note(asked[who])
    return {who: asked[who] for who in contents}


def _send(errand: Errand, who: str, spending: Spending) -> Callable[[], None] | JudgedAnswer:
    """Send a question, if the budget has room for it: what stops it again, or what keeps it from being sent."""
    refusal = spending.send(who)
    if refusal is not None:
        return JudgedAnswer(fallback=refusal[0], fault=refusal[1])
    sent = send_errand(errand)
    if not isinstance(sent, str):
        return sent
    return JudgedAnswer(fallback="unreachable", fault=sent)


def _propose_of(mind: Any) -> Callable[[MindSituation], Any]:
    propose: Callable[[MindSituation], Any] = getattr(mind, "propose", mind)
    return propose


def _collect(
    replies: Replies,
    sent: Mapping[str, _Sent],
    clock: Clock,
    begun: float,
    limit: float,
    ends: float,
) -> dict[str, Asked]:
    """What those who were asked said in time; the others are late, and are stopped as far as they can be."""
    late = JudgedAnswer(fallback="late", fault=f"no answer within {limit:g} s")  # what comes later is dropped
    answered: dict[str, Asked] = {}
    while len(answered) < len(sent):
        try:
            who, judged, at = replies.get(timeout=max(0.0, ends - time.monotonic()))
        except Empty:
            break
        judged = judged if at - begun <= limit else late
        answered[who] = _record(who, sent[who].errand.content, judged, at - begun)
    waited = clock.monotonic() - begun
    for who, (errand, stop) in sent.items():
        if who not in answered:
            stop()
            answered[who] = _record(who, errand.content, late, waited)
    return answered


def _deliver(replies: Replies, clock: Clock, who: str, judged: JudgedAnswer) -> None:
    replies.put((who, judged, clock.monotonic()))


def _record(who: str, content: bytes, judged: JudgedAnswer, seconds: float) -> Asked:
    return Asked(
        who,
        sha256(content).hexdigest(),
        judged.kind,
        judged.choice,
        judged.reason,
        judged.words,
        judged.tokens,
        seconds,
        judged.fallback or "",
        judged.fault,
    )


def _check(minds: Mapping[str, Any], situations: Mapping[str, MindSituation], deadline_s: float) -> None:
    check_deadline(deadline_s)
    problems = Problems()
    for who, situation in situations.items():
        problems.attempt(partial(_check_mind_of, who, minds))
        if situation.who != who:
            problems.add(
                f"the situation of {format_value(who)} is that of {format_value(situation.who)}",
                where="situations",
                expected="each situation under the name of who is asked",
                remedy="use situation.who as the key",
            )
    problems.raise_if_any(InvalidInput)


def _check_mind_of(who: str, minds: Mapping[str, Any]) -> None:
    check_mind(minds[check_known("mind of", who, minds, where="minds")], who)
