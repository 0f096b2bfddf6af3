"""Cancel and STOP: acknowledged, ahead of everything else, and each intent still gets its one result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import expect, expect_errors, expect_failure, in_time, payload, status, words
from volition.execution.conformance.lasting import (
    TRIES,
    ask_the_same,
    long_move,
    open_moves,
    sent_frame,
    was_cut_short,
    was_open,
)
from volition.execution.conformance.law import Group
from volition.execution.conformance.talk import ANSWER
from volition.execution.conformance.timing import Timed, expect_within, measure
from volition.execution.conformance.timing import at_once as brief
from volition.execution.conformance.verdict import NotApplicable, Unseen
from volition.execution.conformance.world_time import seconds_until

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.talk import Talk

CANCEL: Final = Group("cancel")
STOP: Final = Group("stop")

_CANCELS: Final = 3
_SEVERAL: Final = 3
_QUEUE: Final = 6
"""How many intents a STOP has to overtake, where the window is as large."""


@CANCEL.law("Cancel and progress")
def acknowledged(bench: Bench) -> None:
    """A cancel of an open intent is acknowledged with the stage cancelling."""
    for talk, id in open_moves(bench):
        since = talk.exchange({"type": "cancel", "id": id})
        answer = talk.result(id)
        if talk.frames("progress", since=since, id=id, stage="cancelling"):
            return
        # What ended by itself before the cancel arrived has nothing to acknowledge.
        done = not was_open(talk, id)
        expect(done, f"no acknowledgement, and {words(answer)}", "progress with the stage cancelling")


@CANCEL.law("Cancel and progress")
def result_follows(bench: Bench) -> None:
    """The result follows a cancel: PARTIAL if it had started, FAILURE if not, or the real one if that was faster."""
    for talk, id in open_moves(bench):
        asked = talk.now
        talk.say({"type": "cancel", "id": id})
        answer = talk.result(id, ANSWER)
        took = talk.now - asked
        if status(answer) == "SUCCESS":
            in_time(took <= brief(bench), f"it completed {took:.1f} s after the cancel", "PARTIAL, soon")
            continue
        if status(answer) == "FAILURE" and payload(answer).get("failure_reason") == "UNKNOWN":
            expect(answer.get("detail") == "CANCELLED", words(answer), "the detail CANCELLED")
        return


@CANCEL.law("Cancel and progress")
def at_once(bench: Bench) -> None:
    """A cancelled intent has its result at once, however long it would have gone on."""
    for talk, id in open_moves(bench):
        expect_within(bench, _cancel(bench, talk, id), brief(bench))
        if was_open(talk, id):
            return


@CANCEL.law("Cancel and progress")
def each_time(bench: Bench) -> None:
    """Every cancel of a connection counts: the second and the third end their intents like the first."""
    seen = 0
    for talk, id in open_moves(bench):
        expect_within(bench, _cancel(bench, talk, id), brief(bench))
        seen += was_open(talk, id)
        if seen == _CANCELS:
            return


@CANCEL.law("Cancel and progress")
def beside_a_newer_one(bench: Bench) -> None:
    """A cancel ends the intent that it names, also where another one was sent after it."""
    name = bench.pick("JUMP", "HOLD")
    bench.rest(bench.session(), name)
    for talk, id in open_moves(bench):
        since = len(talk.heard)
        other = talk.ask(name)
        found = _cancel(bench, talk, id)
        named = {frame.get("id") for frame in talk.frames("progress", since=since, stage="cancelling")}
        expect(named <= {id}, f"a cancel of {id}, acknowledged for {[*named]}", f"the id {id}")
        expect_within(bench, found, brief(bench))
        talk.result(other)
        if was_open(talk, id):
            return
        bench.rest(talk, name)


@CANCEL.law("Cancel and progress")
def one_of_many(bench: Bench) -> None:
    """Of several open intents a cancel ends the one that it names: those before and after it go on."""
    if bench.limit("max_inflight", 8) < _SEVERAL:
        raise NotApplicable("no three intents may be open at once")
    for talk, id in open_moves(bench):
        ids = [id, *ask_the_same(bench, talk, id, 3)]
        talk.state(full=False)
        left = [each for each in ids if each not in talk.results]
        if len(left) < _SEVERAL and any(was_cut_short(talk, each) or _was_refused(talk, each) for each in ids):
            raise NotApplicable("no three MOVEs are open at once")
        for cancelled in (left[1:2] + left[:1]) * (len(left) >= _SEVERAL):
            expect_within(bench, _cancel(bench, talk, cancelled), brief(bench))
            others = [each for each in left if each != cancelled and was_cut_short(talk, each)]
            left.remove(cancelled)
            expect(not others, f"a cancel of {cancelled} ended {others} too", "the others go on")
        talk.do("STOP")
        if len(left) < len(ids) - 1:
            return


@CANCEL.law("Cancel and progress")
def finished(bench: Bench) -> None:
    """Cancelling a finished intent has no effect: no second result, no error."""
    talk = bench.session()
    answer = talk.do("STOP")
    since = talk.exchange({"type": "cancel", "id": answer["id"]})
    again = [*talk.frames("result", since=since), *talk.frames("error", since=since)]
    expect(not again, f"{again[:1]}", "nothing")


@CANCEL.law("Lines")
def never_sent(bench: Bench) -> None:
    """A cancel of what was never sent is answered with unknown_id."""
    talk = bench.session()
    expect_errors(talk, talk.exchange({"type": "cancel", "id": 2**50}), "unknown_id")


@CANCEL.law("Cancel and progress")
def twice(bench: Bench) -> None:
    """Two cancels of one intent bring one result."""
    for talk, id in open_moves(bench):
        talk.say({"type": "cancel", "id": id}, {"type": "cancel", "id": id})
        talk.result(id)
        bench.let_pass(talk, 4)
        expect(len(talk.results[id]) == 1, f"{len(talk.results[id])} results", "one result")
        if was_open(talk, id):
            return


@CANCEL.law("Cancel and progress")
def only_its_own(bench: Bench) -> None:
    """A cancel ends only the intent that it names: not another open one, and not what is held."""
    done = bench.session().do("STOP")["id"]
    for talk, id in open_moves(bench):
        talk.exchange({"type": "cancel", "id": done})
        ended = f"a cancel of {done}, which is finished, ended {id}"
        expect(not was_cut_short(talk, id), ended, "an open intent that continues")
        still_open = id not in talk.results
        done = talk.do("STOP")["id"]
        if still_open:
            break
    if bench.supports("JUMP") and _jump_beside(bench, cancel=True) and not _jump_beside(bench, cancel=False):
        expect(False, "a cancel of JUMP ended the MOVE beside it", "a MOVE that continues")
    if bench.probe is not None and bench.supports("HOLD"):
        lost = _hold_beside(bench, cancel=True)
        expect(not lost or _hold_beside(bench, cancel=False), "a cancel of MOVE ended what is held", "HOLD kept up")


def _cancel(bench: Bench, talk: Talk, id: int) -> Timed:
    """Cancel an intent: its result, and how long that took."""
    request, began, since = talk.next_id(), talk.now, len(talk.heard)
    talk.say({"type": "state_request", "id": request, "full": False}, {"type": "cancel", "id": id})
    answer = talk.result(id)
    seconds = talk.now - began
    shown = talk.frames("state", since=since, id=request)
    return Timed(answer, seconds, seconds_until(talk, shown[0], answer, bench.tick) if shown else None)


def _was_refused(talk: Talk, id: int) -> bool:
    return id in talk.results and status(talk.results[id][0]) == "FAILURE"


def _jump_beside(bench: Bench, *, cancel: bool) -> bool:
    """Begin a JUMP beside an open MOVE, and perhaps cancel it: whether the MOVE was cut short."""
    bench.rest(bench.session(), "JUMP")
    for talk, id in open_moves(bench):
        request = {"type": "state_request", "id": talk.next_id(), "full": False}
        jump, since = talk.intent("JUMP"), len(talk.heard)
        talk.say(request, jump)
        first = talk.await_frame("state", since=since, id=request["id"])
        if cancel:
            talk.say({"type": "cancel", "id": jump["id"]})
        answer = talk.result(jump["id"])
        soon = not seconds_until(talk, first, answer, bench.tick)
        heeded = soon or talk.frames("progress", since=since, id=jump["id"], stage="cancelling")
        beside = was_open(talk, id)
        bench.let_pass(talk, 2)
        cut = was_cut_short(talk, id)
        talk.do("STOP")
        if cut or (beside and (heeded or not cancel)):
            break
        bench.rest(talk, "JUMP")
    return cut


def _hold_beside(bench: Bench, *, cancel: bool) -> bool:
    """Begin a MOVE while something is held, and perhaps cancel it: whether the HOLD was lost."""
    for _ in range(TRIES):
        talk = bench.session()
        bench.rest(talk)
        if status(talk.do("HOLD")) != "SUCCESS":
            return False
        id = long_move(bench, talk)
        if cancel:
            talk.say({"type": "cancel", "id": id})
            talk.result(id)
        sight = bench.see(talk)
        beside = was_open(talk, id)
        talk.do("STOP")
        if beside:
            return sight.alive and not sight.holding
    raise Unseen("each time the MOVE was over before its cancel arrived")


@STOP.law("Intents")
def ends_what_is_open(bench: Bench) -> None:
    """What is under way when STOP arrives becomes PARTIAL, and has its result before STOP's."""
    queued = 0
    for talk, id in open_moves(bench):
        since = len(talk.heard)
        if queued:
            bench.let_pass(talk, 2 * queued)
        before = None if bench.probe is None else bench.see(talk).place
        stop = talk.do("STOP")["id"]
        order = [frame["id"] for frame in talk.frames("result", since=since) if frame.get("id") in {id, stop}]
        expect(order == [id, stop], f"results in the order {order}", f"the open intent's first: {[id, stop]}")
        answer = talk.results[id][0]
        begun = before is not None and bench.see(talk).place != before
        begun |= any(frame.get("stage") != "cancelling" for frame in talk.frames("progress", id=id))
        if answer.get("detail") == "STOPPED" and not begun:
            expect_failure(answer, "UNKNOWN", "STOPPED")
            queued += 1  # the next one has more time to begin
        elif was_open(talk, id):
            expect(status(answer) == "PARTIAL", words(answer), "PARTIAL")
            return


@STOP.law("Intents")
def overtakes(bench: Bench) -> None:
    """STOP does not wait for what is under way or queued: it is answered at once."""
    for talk, id in open_moves(bench):
        expect_within(bench, measure(bench, talk, "STOP"), brief(bench))
        if was_open(talk, id):
            return


@STOP.law("Intents")
def ahead_of_the_queue(bench: Bench) -> None:
    """STOP is answered at once however many intents are open: it does not wait for each of them."""
    for talk, id in open_moves(bench):
        ask_the_same(bench, talk, id, _QUEUE)
        expect_within(bench, measure(bench, talk, "STOP"), brief(bench))
        if was_open(talk, id):
            return


@STOP.law("Intents")
def each_has_its_result(bench: Bench) -> None:
    """Of many intents and a STOP in one write, each has exactly one result, and STOP's is the last."""
    bench.need("MOVE")
    talk = bench.session()
    since = len(talk.heard)
    count = min(4, bench.limit("max_inflight", 8))
    frames = [talk.intent("MOVE", {"vector": [2.0, 0, 0]}) for _ in range(count)]
    stop = talk.intent("STOP")
    talk.say(*frames, stop)
    talk.result(stop["id"])
    bench.let_pass(talk, 2)
    order: list[Any] = [frame.get("id") for frame in talk.frames("result", since=since)]
    wanted = [frame["id"] for frame in (*frames, stop)]
    expect(sorted(order[:-1]) == wanted[:-1] and order[-1:] == wanted[-1:], f"results {order}", f"results {wanted}")


@STOP.law("Intents")
def means_all(bench: Bench) -> None:
    """STOP without an agent ends what is under way for any agent."""
    for talk, id in open_moves(bench):
        parameters = sent_frame(bench, talk, id)["parameters"]
        talk.do("STOP")
        bench.rest(talk)
        named = talk.ask("MOVE", parameters, ttl_ms=10_000, agent="kit")
        bench.let_pass(talk, 3)
        if _was_refused(talk, named):
            raise NotApplicable(f"no agent of this name: {words(talk.results[named][0])}")
        seen = named not in talk.results
        talk.do("STOP")
        expect(named in talk.results, "STOP is answered, and the MOVE of an agent goes on", "its result before STOP's")
        if seen:
            return


@STOP.law("Intents")
def idle(bench: Bench) -> None:
    """STOP is answered where nothing is under way, any number of times."""
    talk = bench.session()
    for _ in range(5):
        answer = talk.do("STOP")
        expect(status(answer) in {"SUCCESS", "PARTIAL"}, words(answer), "SUCCESS")
