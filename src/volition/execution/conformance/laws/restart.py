"""Restarts: what an executor has promised to remember, it remembers when it was ended and started again.

One restart serves all laws. Before it a request is done, a token is used, another is named by a greeting, and a MOVE that
is a request is under way; after it the same is asked for again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.clock import SystemClock
from volition.core.errors import VolitionError
from volition.execution.conformance.bed import Gone
from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.law import Group, expect, expect_failure, payload, words
from volition.execution.conformance.open_moves import long_move, sent_frame
from volition.execution.conformance.patience import Unjudged, call_within
from volition.execution.conformance.verdict import Breaks, NotApplicable, Unoffered, Unseen
from volition.execution.wire.request import REQUESTS as FEATURE

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame
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


class Restarted(Struct, frozen=True):
    """What was asked before a restart, and again after it; in the place of the MOVE, why none was under way."""

    done: Frame
    again: Frame
    below_used: Frame
    below_named: Frame
    move: MoveAgain | NotApplicable


class MoveAgain(Struct, frozen=True):
    """A MOVE that was under way when the executor ended: its result where one was heard before, and what it has since."""

    heard: Frame | None
    answers: tuple[Frame, ...]
    sights: tuple[Sight, ...]


@RESTART.law("Once only")
def requests_remembered(bed: TestBed) -> None:
    """After a restart the same request is answered with the result that it had, and not attempted."""
    restarted = bed.once(restart)
    same = payload(restarted.done) == payload(restarted.again) and restarted.done.get("detail") == restarted.again.get(
        "detail"
    )
    expect(same, f"{words(restarted.again)} after {words(restarted.done)}", "the same result, field by field")


@RESTART.law("Once only")
def tokens_remembered(bed: TestBed) -> None:
    """After a restart a token below one that was used, or named in a greeting, fails with detail STALE_TOKEN."""
    restarted = bed.once(restart)
    expect_failure(restarted.below_used, "INVALID_STATE", "STALE_TOKEN")
    expect_failure(restarted.below_named, "INVALID_STATE", "STALE_TOKEN")


@RESTART.law("Once only")
def interrupted(bed: TestBed) -> None:
    """What was under way when the executor ended fails with UNKNOWN, detail INTERRUPTED, and is not attempted again."""
    move = bed.once(restart).move
    if isinstance(move, NotApplicable):
        raise move
    if move.heard is not None:
        raise Unseen(f"the MOVE was over before the executor ended: {words(move.heard)}")
    for answer in move.answers:
        expect_failure(answer, "UNKNOWN", "INTERRUPTED")
    stood = all(bed.same_place(move.sights[0], sight) for sight in move.sights)
    places = sorted({sight.place for sight in move.sights})
    expect(stood, f"an actor that went through {places}", "nothing attempted")


def restart(bed: TestBed) -> Restarted:
    """Ask for what must be remembered, restart the executor, and ask again."""
    if bed.restart is None and bed.shared:
        raise Unoffered(_NO_RESTART)
    first, token = bed.open_with(FEATURE), int(bed.clock.now() * 1000) * 1000
    name = bed.pick("RELEASE", "JUMP", "MOVE")
    parameters = {"vector": [0.5, 0, 0]} if name == "MOVE" else None
    mark = _mark(f"kit-{bed.seed:x}-{token}-done", token + 1, _USED)
    # What is done again would end differently: there is nothing to release then, and the engine's time is another.
    bed.let_pass(first, 3)
    if name == "RELEASE" and bed.supports("HOLD"):
        first.do("HOLD")
    done = first.do(name, parameters, **mark)
    connection = bed.open_with(FEATURE, fences={_NAMED: token + 1})
    moving = _begin_move(bed, connection, token)
    _restart(bed, connection)
    heard = None if isinstance(moving, NotApplicable) else connection.results.get(moving["id"], [None])[0]
    connection = _session_after(bed)
    again = connection.do(name, parameters, **mark)
    below_used, below_named = (
        connection.do(name, parameters, **_mark(f"kit-{bed.seed:x}-{token}-{resource}", token, resource))
        for resource in (_USED, _NAMED)
    )
    move = moving if isinstance(moving, NotApplicable) else _ask_again(bed, connection, moving, heard)
    return Restarted(done, again, below_used, below_named, move)


def _begin_move(bed: TestBed, connection: KitConnection, token: int) -> Frame | NotApplicable:
    """A MOVE that is a request and under way: its frame, or why there is none, which may be that the kit was too late."""
    numbers = iter(range(1000))
    try:
        id = long_move(
            bed, connection, lambda: _mark(f"kit-{bed.seed:x}-{token}-move-{next(numbers)}", token + 1, _USED)
        )
    except NotApplicable as reason:
        return reason
    return sent_frame(bed, connection, id)


def _restart(bed: TestBed, connection: KitConnection) -> None:
    """End the executor and start it again while a bridge drives it; what it still said is heard.

    Where every connection starts another executor, the end of the connection is enough.
    """
    if bed.restart is None:
        bed.hang_up()
        return
    left = bed.log.waiting.left(connection.now)
    try:
        if left is None or not isinstance(bed.clock, SystemClock):
            bed.restart()
        else:
            call_within(bed.restart, left, lambda _: None)
    except (VolitionError, OSError) as error:
        raise Unjudged(f"the executor could not be restarted: {error}") from error
    connection.polite = False
    connection.wait_for_end(ANSWER, due=False)


def _session_after(bed: TestBed) -> KitConnection:
    """A session with the executor that was started again, as soon as there is one.

    A greeting may still reach the one that is being ended: its connection is reset, which says nothing about the new one.
    """
    until = bed.clock.monotonic() + _START
    while True:
        try:
            return bed.open_with(FEATURE)
        except (Gone, Breaks):
            if bed.clock.monotonic() > until:
                raise
            bed.clock.sleep(0.1)


def _ask_again(bed: TestBed, connection: KitConnection, moving: Frame, heard: Frame | None) -> MoveAgain:
    """Ask twice for what was under way, and see whether the actor moves."""
    sights: list[Sight] = []
    if bed.probe is not None:
        sights.append(bed.ready(connection)[1])
    mark = {name: moving[name] for name in ("request", "digest", "token", "resource")}
    answers = tuple(connection.do("MOVE", moving["parameters"], **mark) for _ in range(2))
    bed.let_pass(connection, 2)
    if bed.probe is not None:
        sights.append(bed.see(connection))
    return MoveAgain(heard, answers, tuple(sights))


def _mark(request: str, token: int, resource: str) -> Frame:
    return {"request": request, "digest": "kit", "token": token, "resource": resource}
