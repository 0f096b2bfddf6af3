"""Cancel and STOP: acknowledged, ahead of everything else, and each intent still gets its one result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.law import (
    Group,
    expect,
    expect_errors,
    expect_failure,
    in_time,
    payload,
    status,
    words,
)
from volition.execution.conformance.open_moves import (
    TRIES,
    ask_the_same,
    expect_within,
    long_move,
    measure,
    measure_cancel,
    open_moves,
    sent_frame,
    was_cut_short,
    was_open,
)
from volition.execution.conformance.open_moves import at_once as brief
from volition.execution.conformance.verdict import NotApplicable, Unseen
from volition.execution.conformance.world_time import seconds_until

if TYPE_CHECKING:
    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection


CANCEL: Final = Group("cancel")
STOP: Final = Group("stop")

_CANCELS: Final = 3
_SEVERAL: Final = 3
_QUEUE: Final = 6
"""How many intents a STOP has to overtake, where the window is as large."""


@CANCEL.law("Cancel and progress")
def acknowledged(bed: TestBed) -> None:
    """A cancel of an open intent is acknowledged with the stage cancelling."""
    for connection, id in open_moves(bed):
        since = connection.exchange({"type": "cancel", "id": id})
        answer = connection.result(id)
        if connection.frames("progress", since=since, id=id, stage="cancelling"):
            return
        # What ended by itself before the cancel arrived has nothing to acknowledge.
        done = not was_open(connection, id)
        expect(done, f"no acknowledgement, and {words(answer)}", "progress with the stage cancelling")


@CANCEL.law("Cancel and progress")
def result_follows(bed: TestBed) -> None:
    """The result follows a cancel: PARTIAL if it had started, FAILURE if not, or the real one if that was faster."""
    for connection, id in open_moves(bed):
        asked = connection.now
        connection.say({"type": "cancel", "id": id})
        answer = connection.result(id, ANSWER)
        took = connection.now - asked
        if status(answer) == "SUCCESS":
            in_time(took <= brief(bed), f"it completed {took:.1f} s after the cancel", "PARTIAL, soon")
            continue
        if status(answer) == "FAILURE" and payload(answer).get("failure_reason") == "UNKNOWN":
            expect(answer.get("detail") == "CANCELLED", words(answer), "the detail CANCELLED")
        return


@CANCEL.law("Cancel and progress")
def at_once(bed: TestBed) -> None:
    """A cancelled intent has its result at once, however long it would have gone on."""
    for connection, id in open_moves(bed):
        expect_within(bed, measure_cancel(bed, connection, id), brief(bed))
        if was_open(connection, id):
            return


@CANCEL.law("Cancel and progress")
def each_time(bed: TestBed) -> None:
    """Every cancel of a connection counts: the second and the third end their intents like the first."""
    seen = 0
    for connection, id in open_moves(bed):
        expect_within(bed, measure_cancel(bed, connection, id), brief(bed))
        seen += was_open(connection, id)
        if seen == _CANCELS:
            return


@CANCEL.law("Cancel and progress")
def beside_a_newer_one(bed: TestBed) -> None:
    """A cancel ends the intent that it names, also where another one was sent after it."""
    name = bed.pick("JUMP", "HOLD")
    bed.rest(bed.session(), name)
    for connection, id in open_moves(bed):
        since = len(connection.heard)
        other = connection.ask(name)
        timed = measure_cancel(bed, connection, id)
        named = {frame.get("id") for frame in connection.frames("progress", since=since, stage="cancelling")}
        expect(named <= {id}, f"a cancel of {id}, acknowledged for {[*named]}", f"the id {id}")
        expect_within(bed, timed, brief(bed))
        connection.result(other)
        if was_open(connection, id):
            return
        bed.rest(connection, name)


@CANCEL.law("Cancel and progress")
def one_of_many(bed: TestBed) -> None:
    """Of several open intents a cancel ends the one that it names: those before and after it go on."""
    if bed.limit("max_inflight", 8) < _SEVERAL:
        raise NotApplicable("no three intents may be open at once")
    for connection, id in open_moves(bed):
        ids = [id, *ask_the_same(bed, connection, id, 3)]
        connection.state(full=False)
        left = [each for each in ids if each not in connection.results]
        if len(left) < _SEVERAL and any(
            was_cut_short(connection, each) or _was_refused(connection, each) for each in ids
        ):
            raise NotApplicable("no three MOVEs are open at once")
        for cancelled in (left[1:2] + left[:1]) * (len(left) >= _SEVERAL):
            expect_within(bed, measure_cancel(bed, connection, cancelled), brief(bed))
            others = [each for each in left if each != cancelled and was_cut_short(connection, each)]
            left.remove(cancelled)
            expect(not others, f"a cancel of {cancelled} ended {others} too", "the others go on")
        connection.do("STOP")
        if len(left) < len(ids) - 1:
            return


@CANCEL.law("Cancel and progress")
def finished(bed: TestBed) -> None:
    """Cancelling a finished intent has no effect: no second result, no error."""
    connection = bed.session()
    answer = connection.do("STOP")
    since = connection.exchange({"type": "cancel", "id": answer["id"]})
    again = [*connection.frames("result", since=since), *connection.frames("error", since=since)]
    expect(not again, f"{again[:1]}", "nothing")


@CANCEL.law("Lines")
def never_sent(bed: TestBed) -> None:
    """A cancel of what was never sent is answered with unknown_id."""
    connection = bed.session()
    expect_errors(connection, connection.exchange({"type": "cancel", "id": 2**50}), "unknown_id")


@CANCEL.law("Cancel and progress")
def twice(bed: TestBed) -> None:
    """Two cancels of one intent bring one result."""
    for connection, id in open_moves(bed):
        connection.say({"type": "cancel", "id": id}, {"type": "cancel", "id": id})
        connection.result(id)
        bed.let_pass(connection, 4)
        expect(len(connection.results[id]) == 1, f"{len(connection.results[id])} results", "one result")
        if was_open(connection, id):
            return


@CANCEL.law("Cancel and progress")
def only_its_own(bed: TestBed) -> None:
    """A cancel ends only the intent that it names: not another open one, and not what is held."""
    done = bed.session().do("STOP")["id"]
    for connection, id in open_moves(bed):
        connection.exchange({"type": "cancel", "id": done})
        ended = f"a cancel of {done}, which is finished, ended {id}"
        expect(not was_cut_short(connection, id), ended, "an open intent that continues")
        still_open = id not in connection.results
        done = connection.do("STOP")["id"]
        if still_open:
            break
    if bed.supports("JUMP") and _jump_beside(bed, cancel=True) and not _jump_beside(bed, cancel=False):
        expect(False, "a cancel of JUMP ended the MOVE beside it", "a MOVE that continues")
    if bed.probe is not None and bed.supports("HOLD"):
        lost = _hold_beside(bed, cancel=True)
        expect(not lost or _hold_beside(bed, cancel=False), "a cancel of MOVE ended what is held", "HOLD kept up")


def _was_refused(connection: KitConnection, id: int) -> bool:
    return id in connection.results and status(connection.results[id][0]) == "FAILURE"


def _jump_beside(bed: TestBed, *, cancel: bool) -> bool:
    """Begin a JUMP beside an open MOVE, and perhaps cancel it: whether the MOVE was cut short."""
    bed.rest(bed.session(), "JUMP")
    for connection, id in open_moves(bed):
        request = connection.state_request(full=False)
        jump, since = connection.intent("JUMP"), len(connection.heard)
        connection.say(request, jump)
        first = connection.await_frame("state", since=since, id=request["id"])
        if cancel:
            connection.say({"type": "cancel", "id": jump["id"]})
        answer = connection.result(jump["id"])
        soon = not seconds_until(connection, first, answer, bed.tick)
        heeded = soon or connection.frames("progress", since=since, id=jump["id"], stage="cancelling")
        beside = was_open(connection, id)
        bed.let_pass(connection, 2)
        cut = was_cut_short(connection, id)
        connection.do("STOP")
        if cut or (beside and (heeded or not cancel)):
            break
        bed.rest(connection, "JUMP")
    return cut


def _hold_beside(bed: TestBed, *, cancel: bool) -> bool:
    """Begin a MOVE while something is held, and perhaps cancel it: whether the HOLD was lost."""
    for _ in range(TRIES):
        connection = bed.session()
        bed.rest(connection)
        if status(connection.do("HOLD")) != "SUCCESS":
            return False
        id = long_move(bed, connection)
        if cancel:
            connection.say({"type": "cancel", "id": id})
            connection.result(id)
        sight = bed.see(connection)
        beside = was_open(connection, id)
        connection.do("STOP")
        if beside:
            return sight.alive and not sight.holding
    raise Unseen("each time the MOVE was over before its cancel arrived")


@STOP.law("Intents")
def ends_what_is_open(bed: TestBed) -> None:
    """What is under way when STOP arrives becomes PARTIAL, and has its result before STOP's."""
    queued = 0
    for connection, id in open_moves(bed):
        since = len(connection.heard)
        if queued:
            bed.let_pass(connection, 2 * queued)
        before = None if bed.probe is None else bed.see(connection)
        stop = connection.do("STOP")["id"]
        order = [frame["id"] for frame in connection.frames("result", since=since) if frame.get("id") in {id, stop}]
        expect(order == [id, stop], f"results in the order {order}", f"the open intent's first: {[id, stop]}")
        answer = connection.results[id][0]
        begun = before is not None and not bed.same_place(before, bed.see(connection))
        begun |= any(frame.get("stage") != "cancelling" for frame in connection.frames("progress", id=id))
        if answer.get("detail") == "STOPPED" and not begun:
            expect_failure(answer, "UNKNOWN", "STOPPED")
            queued += 1  # the next one has more time to begin
        elif was_open(connection, id):
            expect(status(answer) == "PARTIAL", words(answer), "PARTIAL")
            return


@STOP.law("Intents")
def overtakes(bed: TestBed) -> None:
    """STOP does not wait for what is under way or queued: it is answered at once."""
    for connection, id in open_moves(bed):
        expect_within(bed, measure(bed, connection, "STOP"), brief(bed))
        if was_open(connection, id):
            return


@STOP.law("Intents")
def ahead_of_the_queue(bed: TestBed) -> None:
    """STOP is answered at once however many intents are open: it does not wait for each of them."""
    for connection, id in open_moves(bed):
        ask_the_same(bed, connection, id, _QUEUE)
        expect_within(bed, measure(bed, connection, "STOP"), brief(bed))
        if was_open(connection, id):
            return


@STOP.law("Intents")
def each_has_its_result(bed: TestBed) -> None:
    """Of many intents and a STOP in one write, each has exactly one result, and STOP's is the last."""
    bed.need("MOVE")
    connection = bed.session()
    since = len(connection.heard)
    count = min(4, bed.limit("max_inflight", 8))
    frames = [connection.intent("MOVE", {"vector": [2.0, 0, 0]}) for _ in range(count)]
    stop = connection.intent("STOP")
    connection.say(*frames, stop)
    connection.result(stop["id"])
    bed.let_pass(connection, 2)
    order: list[Any] = [frame.get("id") for frame in connection.frames("result", since=since)]
    wanted = [frame["id"] for frame in (*frames, stop)]
    expect(sorted(order[:-1]) == wanted[:-1] and order[-1:] == wanted[-1:], f"results {order}", f"results {wanted}")


@STOP.law("Intents")
def means_all(bed: TestBed) -> None:
    """STOP without an agent ends what is under way for any agent."""
    for connection, id in open_moves(bed):
        parameters = sent_frame(bed, connection, id)["parameters"]
        connection.do("STOP")
        bed.rest(connection)
        named = connection.ask("MOVE", parameters, ttl_ms=10_000, agent="kit")
        bed.let_pass(connection, 3)
        if _was_refused(connection, named):
            raise NotApplicable(f"no agent of this name: {words(connection.results[named][0])}")
        seen = named not in connection.results
        connection.do("STOP")
        expect(
            named in connection.results,
            "STOP is answered, and the MOVE of an agent goes on",
            "its result before STOP's",
        )
        if seen:
            return


@STOP.law("Intents")
def idle(bed: TestBed) -> None:
    """STOP is answered where nothing is under way, any number of times."""
    connection = bed.session()
    for _ in range(5):
        answer = connection.do("STOP")
        expect(status(answer) in {"SUCCESS", "PARTIAL"}, words(answer), "SUCCESS")
