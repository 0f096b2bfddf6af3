"""Cancel and STOP: acknowledged, ahead of everything else, and each intent still gets its one result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import expect, expect_errors, in_time, outcome, payload, status, words
from volition.execution.conformance.law import Group
from volition.execution.conformance.talk import ANSWER
from volition.execution.conformance.timing import at_once, expect_within, measure
from volition.execution.conformance.verdict import Unseen

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.talk import Talk

CANCEL: Final = Group("cancel")
STOP: Final = Group("stop")


@CANCEL.law("Cancel and progress")
def acknowledged(bench: Bench) -> None:
    """A cancel of an open intent is acknowledged with the stage cancelling."""
    for _ in range(3):
        talk = bench.session()
        id = bench.long_move(talk)
        since = len(talk.heard)
        talk.say({"type": "cancel", "id": id})
        answer = talk.result(id)
        talk.gather(0.1)
        if talk.frames("progress", since=since, id=id, stage="cancelling"):
            return
        if status(answer) != "SUCCESS":
            expect(False, f"no acknowledgement, and {words(answer)}", "progress with the stage cancelling")
    raise Unseen("each time the intent was done before the cancel arrived")


@CANCEL.law("Cancel and progress")
def result_follows(bench: Bench) -> None:
    """The result follows a cancel: PARTIAL if it had started, FAILURE if not, or the real one if that was faster."""
    talk = bench.session()
    id = bench.long_move(talk)
    asked = talk.now
    talk.say({"type": "cancel", "id": id})
    answer = talk.result(id, ANSWER)
    took = talk.now - asked
    if status(answer) == "SUCCESS":
        in_time(took <= at_once(bench), f"it completed {took:.1f} s after the cancel", "PARTIAL, soon")
    elif status(answer) == "FAILURE" and payload(answer).get("failure_reason") == "UNKNOWN":
        expect(answer.get("detail") == "CANCELLED", words(answer), "the detail CANCELLED")


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
    talk = bench.session()
    id = bench.long_move(talk)
    talk.say({"type": "cancel", "id": id}, {"type": "cancel", "id": id})
    talk.result(id)
    talk.gather(0.2)
    expect(len(talk.results[id]) == 1, f"{len(talk.results[id])} results", "one result")


@CANCEL.law("Cancel and progress")
def only_its_own(bench: Bench) -> None:
    """A cancel ends only the intent that it names: not another open one, and not what is held."""
    talk = bench.session()
    done = talk.do("STOP")["id"]
    id = bench.long_move(talk)
    talk.exchange({"type": "cancel", "id": done})
    expect(
        not _was_cut_short(talk, id),
        f"a cancel of {done}, which is finished, ended {id}",
        "an open intent that continues",
    )
    talk.do("STOP")
    if bench.supports("JUMP") and _jump_beside(bench, cancel=True) and not _jump_beside(bench, cancel=False):
        expect(False, "a cancel of JUMP ended the MOVE beside it", "a MOVE that continues")
    if bench.probe is not None and bench.supports("HOLD"):
        lost = _hold_beside(bench, cancel=True)
        expect(not lost or _hold_beside(bench, cancel=False), "a cancel of MOVE ended what is held", "HOLD kept up")


def _was_cut_short(talk: Talk, id: int) -> bool:
    """Whether an intent ended as if cancelled: not by arrival, an obstruction or the actor's death."""
    if id not in talk.results:
        return False
    inner = payload(talk.results[id][0])
    alive = outcome(talk.results[id][0], "is_alive") is not False
    return alive and inner.get("status") != "SUCCESS" and inner.get("failure_reason") in {"NONE", "UNKNOWN"}


def _jump_beside(bench: Bench, *, cancel: bool) -> bool:
    """Begin a JUMP beside an open MOVE, and perhaps cancel it: whether the MOVE was cut short."""
    talk = bench.session()
    bench.rest(talk)
    id = bench.long_move(talk)
    jump = talk.ask("JUMP")
    if cancel:
        talk.say({"type": "cancel", "id": jump})
    talk.result(jump)
    talk.gather(2 * bench.tick or 0.1)
    cut = _was_cut_short(talk, id)
    talk.do("STOP")
    return cut


def _hold_beside(bench: Bench, *, cancel: bool) -> bool:
    """Begin a MOVE while something is held, and perhaps cancel it: whether the HOLD was lost."""
    talk = bench.session()
    bench.rest(talk)
    if status(talk.do("HOLD")) != "SUCCESS":
        return False
    id = bench.long_move(talk)
    if cancel:
        talk.say({"type": "cancel", "id": id})
        talk.result(id)
    sight = bench.see(talk)
    talk.do("STOP")
    return sight.alive and not sight.holding


@STOP.law("Intents")
def ends_what_is_open(bench: Bench) -> None:
    """What is under way when STOP arrives becomes PARTIAL, and has its result before STOP's."""
    for _ in range(3):
        talk = bench.session()
        id = bench.long_move(talk)
        since = len(talk.heard)
        stop = talk.do("STOP")["id"]
        order = [frame["id"] for frame in talk.frames("result", since=since) if frame.get("id") in {id, stop}]
        expect(order == [id, stop], f"results in the order {order}", f"the open intent's first: {[id, stop]}")
        answer = talk.results[id][0]
        if status(answer) != "SUCCESS":
            expect(status(answer) == "PARTIAL", words(answer), "PARTIAL")
            return
    raise Unseen("each time the intent was done before STOP arrived")


@STOP.law("Intents")
def overtakes(bench: Bench) -> None:
    """STOP does not wait for what is under way or queued: it is answered at once."""
    talk = bench.session()
    bench.long_move(talk)
    expect_within(bench, measure(bench, talk, "STOP"), at_once(bench))


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
    talk.gather(0.1)
    order: list[Any] = [frame.get("id") for frame in talk.frames("result", since=since)]
    wanted = [frame["id"] for frame in (*frames, stop)]
    expect(sorted(order[:-1]) == wanted[:-1] and order[-1:] == wanted[-1:], f"results {order}", f"results {wanted}")


@STOP.law("Intents")
def idle(bench: Bench) -> None:
    """STOP is answered where nothing is under way, any number of times."""
    talk = bench.session()
    for _ in range(5):
        answer = talk.do("STOP")
        expect(status(answer) in {"SUCCESS", "PARTIAL"}, words(answer), "SUCCESS")
