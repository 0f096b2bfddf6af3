"""Restarts: what an executor has promised to remember, it remembers when it was ended and started again.

One restart serves all laws. Before it a request is done, a token is used, another is named by a greeting, and a MOVE that
is a request is under way; after it the same is asked for again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from volition.core.clock import SystemClock
from volition.core.errors import VolitionError
from volition.execution.conformance.bench import Gone, expect, expect_failure, payload, words
from volition.execution.conformance.lasting import long_move
from volition.execution.conformance.law import Group
from volition.execution.conformance.talk import ANSWER
from volition.execution.conformance.verdict import NotApplicable, Unoffered, Unseen
from volition.execution.conformance.waiting import Unjudged, call_within
from volition.execution.wire.marks import REQUESTS as FEATURE

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame
    from volition.execution.conformance.talk import Talk
    from volition.execution.wire.probe import Sight

RESTART: Final = Group("restart")

_USED: Final = "volition-conformance-used"
_NAMED: Final = "volition-conformance-named"
_START: Final = 15.0
"""How long, in seconds, an executor may take until it welcomes the first bridge."""
_NO_RESTART: Final = (
    "nothing restarts the executor: pass a command that ends it and starts it again (--restart COMMAND), or let the kit "
    "launch it (--launch COMMAND)"
)


@dataclass(frozen=True, slots=True)
class Restarted:
    """What was asked before a restart, and again after it. The MOVE under way is None where none stays open."""

    done: Frame
    again: Frame
    below_used: Frame
    below_named: Frame
    move: MoveAgain | None


@dataclass(frozen=True, slots=True)
class MoveAgain:
    """A MOVE that was under way when the executor ended: its result where one was heard before, and what it has since."""

    heard: Frame | None
    answers: tuple[Frame, ...]
    sights: tuple[Sight, ...]


@RESTART.law("Once only")
def requests_remembered(bench: Bench) -> None:
    """After a restart the same request is answered with the result that it had, and not attempted."""
    found = bench.once(restart)
    same = payload(found.done) == payload(found.again) and found.done.get("detail") == found.again.get("detail")
    expect(same, f"{words(found.again)} after {words(found.done)}", "the same result, field by field")


@RESTART.law("Once only")
def tokens_remembered(bench: Bench) -> None:
    """After a restart a token below one that was used, or named in a greeting, fails with detail STALE_TOKEN."""
    found = bench.once(restart)
    expect_failure(found.below_used, "INVALID_STATE", "STALE_TOKEN")
    expect_failure(found.below_named, "INVALID_STATE", "STALE_TOKEN")


@RESTART.law("Once only")
def interrupted(bench: Bench) -> None:
    """What was under way when the executor ended fails with UNKNOWN, detail INTERRUPTED, and is not attempted again."""
    move = bench.once(restart).move
    if move is None:
        raise NotApplicable("no MOVE stays open for long enough")
    if move.heard is not None:
        raise Unseen(f"the MOVE was over before the executor ended: {words(move.heard)}")
    for answer in move.answers:
        expect_failure(answer, "UNKNOWN", "INTERRUPTED")
    places = {sight.place for sight in move.sights}
    expect(len(places) <= 1, f"an actor that went through {sorted(places)}", "nothing attempted")


def restart(bench: Bench) -> Restarted:
    """Ask for what must be remembered, restart the executor, and ask again."""
    if bench.restart is None and bench.shared:
        raise Unoffered(_NO_RESTART)
    first, token = _session(bench), int(bench.clock.now() * 1000) * 1000
    name = bench.pick("RELEASE", "JUMP", "MOVE")
    parameters = {"vector": [0.5, 0, 0]} if name == "MOVE" else None
    mark = _mark(f"kit-{bench.seed:x}-{token}-done", token + 1, _USED)
    # What is done again would end differently: there is nothing to release then, and the engine's time is another.
    bench.let_pass(first, 3)
    if name == "RELEASE" and bench.supports("HOLD"):
        first.do("HOLD")
    done = first.do(name, parameters, **mark)
    talk = _session(bench, fences={_NAMED: token + 1})
    moving = _begin_move(bench, talk, token)
    _restart(bench, talk)
    heard = talk.results.get(moving["id"], [None])[0] if moving else None
    talk = _session_after(bench)
    again = talk.do(name, parameters, **mark)
    below_used, below_named = (
        talk.do(name, parameters, **_mark(f"kit-{bench.seed:x}-{token}-{resource}", token, resource))
        for resource in (_USED, _NAMED)
    )
    move = _ask_again(bench, talk, moving, heard) if moving else None
    return Restarted(done, again, below_used, below_named, move)


def _begin_move(bench: Bench, talk: Talk, token: int) -> Frame | None:
    """A MOVE that is a request and under way, where one stays open: its frame."""
    numbers = iter(range(1000))
    try:
        id = long_move(bench, talk, lambda: _mark(f"kit-{bench.seed:x}-{token}-move-{next(numbers)}", token + 1, _USED))
    except NotApplicable:
        return None
    return next(
        said.data for said in reversed(talk.said) if said.by == "kit" and said.data and said.data.get("id") == id
    )


def _restart(bench: Bench, talk: Talk) -> None:
    """End the executor and start it again while a bridge drives it; what it still said is heard.

    Where every connection starts another executor, the end of the connection is enough.
    """
    if bench.restart is None:
        bench.hang_up()
        return
    left = bench.log.waiting.left(talk.now)
    try:
        if left is None or not isinstance(bench.clock, SystemClock):
            bench.restart()
        else:
            call_within(bench.restart, left, lambda _: None)
    except (VolitionError, OSError) as error:
        raise Unjudged(f"the executor could not be restarted: {error}") from error
    talk.polite = False
    talk.wait_for_end(ANSWER, due=False)


def _session_after(bench: Bench) -> Talk:
    """A session with the executor that was started again, as soon as there is one."""
    until = bench.clock.monotonic() + _START
    while True:
        try:
            return _session(bench)
        except Gone:
            if bench.clock.monotonic() > until:
                raise
            bench.clock.sleep(0.1)


def _ask_again(bench: Bench, talk: Talk, moving: Frame, heard: Frame | None) -> MoveAgain:
    """Ask twice for what was under way, and see whether the actor moves."""
    sights: list[Sight] = []
    if bench.probe is not None:
        sights.append(bench.ready(talk)[1])
    mark = {name: moving[name] for name in ("request", "digest", "token", "resource")}
    answers = tuple(talk.do("MOVE", moving["parameters"], **mark) for _ in range(2))
    bench.let_pass(talk, 2)
    if bench.probe is not None:
        sights.append(bench.see(talk))
    return MoveAgain(heard, answers, tuple(sights))


def _session(bench: Bench, **changes: Any) -> Talk:
    talk = bench.open_session(features=[*bench.hello()["features"], FEATURE], **changes)
    if FEATURE not in talk.frames("welcome")[0].get("features", []):
        raise Unoffered(f"the executor does not offer the feature {FEATURE!r}")
    return talk


def _mark(request: str, token: int, resource: str) -> Frame:
    return {"request": request, "digest": "kit", "token": token, "resource": resource}
